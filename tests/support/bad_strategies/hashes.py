class Mine:
    """Shoots the first one of a set of names, which depends on the hash of texts.

    fails: plays the same games in another process
    says: set of texts
    """

    def shoot(self, view):
        names = {f"{view.row(cell)} {view.col(cell)}": cell for cell in view.open_cells}
        return names[next(iter(set(names)))]
