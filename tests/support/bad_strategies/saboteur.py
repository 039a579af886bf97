import numpy as np

from bsbench.play.referee import Referee
from bsbench.runs.results import Result
from bsbench.stats import summary


class Mine:
    """Puts code of its own into bsbench when it is imported, which the engine must never run.

    passes
    """

    def shoot(self, view):
        return view.open_cells[0]


def _all_struck(referee, cells):
    referee._view.live[:] = False
    referee._view.shots[:] = 1
    return np.arange(len(cells))


Referee.fire = _all_struck
Result.games = property(lambda result: 1)
summary.summarize = None
