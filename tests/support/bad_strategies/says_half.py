class Mine:
    """Returns a float.

    fails: fires at cells
    says: shoot returned 1.0, of type float
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            return 1.0
        return view.open_cells[0]
