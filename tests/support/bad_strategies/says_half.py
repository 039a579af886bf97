class Mine:
    """Returns a float.

    fails: FIRES
    names: shoot, 1.0
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            return 1.0
        return view.open_cells[0]
