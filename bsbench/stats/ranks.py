"""Ranks by the mean, and their intervals.

As means are estimates, so is a rank: its interval goes from one more than the number of others that
are clearly better, to the number of all less those that are clearly worse. Clearly means that the
interval of the difference excludes 0, at 95 % for all differences of one together (Bonferroni; M.
Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, "Inference for Ranks with Applications to
Mobility across Neighbourhoods and Academic Achievement across Countries", Review of Economic
Studies 91, 2024). So the interval holds the rank by the true means in at least 95 % of comparisons.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from bsbench.stats.intervals import CONFIDENCE, NORMAL_95
from bsbench.stats.paired import Difference


def rank_intervals(
    differences: Sequence[Sequence[Difference]],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the 95 % intervals of ranks, given the differences of each two.

    Parameters
    ----------
    differences : sequence of sequence of Difference, shape (n, n)
        Of the i-th less the j-th, with half-widths of 95 %.

    Returns
    -------
    low, high : ndarray of int64, shape (n,)
        See the top of this module.
    """
    count = len(differences)
    others = max(count - 1, 1)
    wider = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2 / others) / NORMAL_95
    mean = np.array([[each.mean for each in row] for row in differences]).reshape(count, count)
    width = np.array([[each.half_width for each in row] for row in differences])
    width = wider * width.reshape(count, count)
    # Nothing is clear where an interval is not known.
    worse, better = mean > width, mean < -width
    return 1 + worse.sum(axis=1), count - better.sum(axis=1)
