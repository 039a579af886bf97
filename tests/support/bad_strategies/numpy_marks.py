import bsbench


class Mine(bsbench.BatchStrategy):
    """Writes into what it is shown.

    fails: FIRES
    names: ValueError
    line: view.shot[:] = True
    """

    def shoot(self, view):
        view.shot[:] = True
        return view.shots.copy()
