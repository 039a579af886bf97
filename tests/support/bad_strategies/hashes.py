class Mine:
    """Shoots the first one of a set of names, which depends on the hash of texts.

    fails: ANY_PROCESS
    names: set
    """

    def shoot(self, view):
        names = {f"{view.row(cell)} {view.col(cell)}": cell for cell in view.open_cells}
        return names[next(iter(set(names)))]
