class Sly:
    def __repr__(self):
        raise ValueError


class Mine:
    """Returns an object that can't be shown.

    fails: FIRES
    names: shoot, Sly
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            return Sly()
        return view.open_cells[0]
