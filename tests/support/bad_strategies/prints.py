class Mine:
    """Prints without end.

    fails: fires at cells
    says: allow more time
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            while True:
                print("again")
        return view.open_cells[0]
