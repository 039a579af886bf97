class Mine:
    """Makes the fleet smaller.

    fails: FIRES
    names: rules
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            object.__setattr__(view.rules, "fleet", (1,))
        return view.open_cells[0]
