class Mine:
    """Never comes to an end.

    fails: FIRES
    names: 0.5 s
    line: while True:
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            while True:
                pass
        return view.open_cells[0]
