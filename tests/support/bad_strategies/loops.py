class Mine:
    """Never comes to an end.

    fails: fires at cells
    says: allow more time
    line: while True:
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            while True:
                pass
        return view.open_cells[0]
