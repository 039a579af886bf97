class Mine:
    """Returns nothing.

    fails: fires at cells
    says: shoot returned nothing (None)
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            return None
        return view.open_cells[0]
