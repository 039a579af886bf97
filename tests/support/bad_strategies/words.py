class Mine:
    """Compares the feedback with a word that no feedback has.

    fails: FIRES
    names: sink
    line: if view.rules.feedback == "sink"
    """

    def shoot(self, view):
        if view.rules.feedback == "sink" and view.sunk:
            return view.open_cells[-1]
        return view.open_cells[0]
