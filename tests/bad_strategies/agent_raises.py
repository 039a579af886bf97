class Mine:
    """Fails at its third action.

    fails: fires at cells
    says: ZeroDivisionError
    line: 1 // int
    """

    obs, mask = "planes", True

    def select_action(self, observation):
        is_open = observation["action_mask"]
        return int(is_open.argmax()) + 1 // int(is_open.sum() > 23)
