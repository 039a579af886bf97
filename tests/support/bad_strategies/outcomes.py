class Mine:
    """Compares an outcome with a word that no outcome has.

    fails: FIRES
    names: sank
    line: if view.outcome == "sank"
    """

    def shoot(self, view):
        if view.outcome == "sank":
            return view.open_cells[-1]
        return view.open_cells[0]
