class Mine:
    """Shoots beside the board.

    fails: FIRES
    names: 5x5
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            return view.rules.cells
        return view.open_cells[0]
