class Mine:
    """Returns a bool.

    fails: fires at cells
    says: shoot returned True, of type bool
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            return True
        return view.open_cells[0]
