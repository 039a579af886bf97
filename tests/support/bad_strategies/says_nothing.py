class Mine:
    """Returns nothing.

    fails: FIRES
    names: shoot, None
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            return None
        return view.open_cells[0]
