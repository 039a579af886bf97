import numpy as np

import bsbench


class Mine(bsbench.BatchStrategy):
    """Returns a cell for one game alone.

    fails: fires at cells
    says: an array of shape (1,): it must return
    """

    def shoot(self, view):
        return np.zeros(1, np.int64)
