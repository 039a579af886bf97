class Mine:
    """Shoots beside the board.

    fails: fires at cells
    says: refused: the board is
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            return view.rules.cells
        return view.open_cells[0]
