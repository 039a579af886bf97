class Mine:
    """Prints without end.

    fails: FIRES
    names: 0.5 s
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            while True:
                print("again")
        return view.open_cells[0]
