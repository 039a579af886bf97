class Mine:
    """Fails at its third action.

    fails: FIRES
    names: ZeroDivisionError
    line: return 1 // 0
    """

    obs, mask = "planes", True

    def select_action(self, observation):
        is_open = observation["action_mask"]
        if is_open.sum() == 23:
            return 1 // 0
        return int(is_open.argmax())
