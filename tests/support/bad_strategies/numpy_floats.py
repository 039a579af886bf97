import numpy as np

import bsbench


class Mine(bsbench.BatchStrategy):
    """Returns numbers of another type.

    fails: FIRES
    names: shoot, float64
    """

    def shoot(self, view):
        return np.where(view.live, view.shots / 1.0, 0.0)
