import bsbench


class Mine(bsbench.Strategy):
    """Waits for ever when it is imported for the second time, which is in the engine.

    refused: 4 s
    line: time.sleep(3600)
    """

    name = "mine"

    def shoot(self, view):
        return view.shots.copy()


if "bsbench.runs" in __import__("sys").modules:
    import time

    time.sleep(3600)
