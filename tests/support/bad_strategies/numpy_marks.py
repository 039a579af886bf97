import bsbench


class Mine(bsbench.BatchStrategy):
    """Writes into what it is shown.

    fails: fires at cells
    says: assignment destination is read-only
    line: view.shot[:] = True
    """

    def shoot(self, view):
        view.shot[:] = True
        return view.shots.copy()
