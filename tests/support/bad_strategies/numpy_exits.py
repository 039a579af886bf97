import bsbench


class Mine(bsbench.BatchStrategy):
    """Ends its process.

    fails: FIRES
    names: exit code 5
    """

    def shoot(self, view):
        if view.shots.max() == 2:
            import os

            os._exit(5)
        return view.shots.copy()
