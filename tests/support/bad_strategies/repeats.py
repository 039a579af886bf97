class Mine:
    """Shoots at a cell twice.

    fails: FIRES
    names: A1
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            return view.shots[0]
        return view.open_cells[0]
