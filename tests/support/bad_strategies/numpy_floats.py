import numpy as np

import bsbench


class Mine(bsbench.BatchStrategy):
    """Returns numbers of another type.

    fails: fires at cells
    says: an array of type float64: it must return
    """

    def shoot(self, view):
        return np.where(view.live, view.shots / 1.0, 0.0)
