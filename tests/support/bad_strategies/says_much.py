class Mine:
    """Returns a number that no computer word holds.

    fails: FIRES
    names: 5x5
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            return 10**30
        return view.open_cells[0]
