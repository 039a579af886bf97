class Mine:
    """Returns a bool.

    fails: FIRES
    names: shoot, True
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            return True
        return view.open_cells[0]
