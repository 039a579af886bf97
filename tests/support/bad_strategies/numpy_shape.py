import numpy as np

import bsbench


class Mine(bsbench.BatchStrategy):
    """Returns two cells for each game.

    fails: fires at cells
    says: 2): it must return an array of whole numbers
    """

    def shoot(self, view):
        return np.zeros((view.games, 2), np.int64)
