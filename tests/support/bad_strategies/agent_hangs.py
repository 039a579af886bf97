import time


class Mine:
    """Sleeps in reset.

    fails: FIRES
    names: 0.5 s
    line: time.sleep(3600)
    """

    obs, mask = "planes", True

    def reset(self):
        time.sleep(3600)

    def select_action(self, observation):
        return int(observation["action_mask"].argmax())
