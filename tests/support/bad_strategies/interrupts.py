class Mine:
    """Presses Ctrl-C.

    fails: FIRES
    names: KeyboardInterrupt
    line: raise KeyboardInterrupt
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            raise KeyboardInterrupt
        return view.open_cells[0]
