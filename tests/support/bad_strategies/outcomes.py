class Mine:
    """Compares an outcome with a word that no outcome has.

    fails: until the fleet is sunk
    says: unknown outcome 'sank': choose miss, hit or sunk
    line: if view.outcome == "sank"
    """

    def shoot(self, view):
        if view.outcome == "sank":
            return view.open_cells[-1]
        return view.open_cells[0]
