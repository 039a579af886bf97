"""Orders: all shots of a game, known before it begins."""

import numpy as np

from bsbench.kernels._jit import allocating


@allocating
def first_faulty_order(orders, cells):
    """Return the first row that does not hold every cell of the board once; -1 if all do.

    Parameters
    ----------
    orders : ndarray of uint16, shape (n, length)
    cells : int
    """
    seen = np.zeros((cells >> 6) + 1, np.uint64)
    for row in range(len(orders)):
        seen[:] = 0
        count = 0
        for place in range(orders.shape[1]):
            cell = np.int64(orders[row, place])
            if cell < cells:
                bit = np.uint64(1) << np.uint64(cell & 63)
                count += seen[cell >> 6] & bit == 0
                seen[cell >> 6] |= bit
        if count != cells or orders.shape[1] != cells:
            return row
    return -1
