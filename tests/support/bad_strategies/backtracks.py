import re


class Mine:
    """Is lost in a regular expression, which lets no other thread run.

    fails: FIRES
    names: 0.5 s
    line: re.match(
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            re.match("(a+)+b", 40 * "a")
        return view.open_cells[0]
