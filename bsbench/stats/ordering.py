"""Who comes before whom: stochastic dominance, and ranks by the mean.

One strategy dominates another if it is better at every number of moves.

As means are estimates, so is a rank: its interval goes from one more than the number of others that
are clearly better, to the number of all less those that are clearly worse. Clearly means that the
interval of the difference excludes 0, at 95 % for all differences of one together (Bonferroni; M.
Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, "Inference for Ranks with Applications to
Mobility across Neighbourhoods and Academic Achievement across Countries", Review of Economic
Studies 91, 2024). So the interval holds the rank by the true means in at least 95 % of comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError
from bsbench.stats.histograms import Counts
from bsbench.stats.intervals import CONFIDENCE, NORMAL_95
from bsbench.stats.paired import Difference


@dataclass(frozen=True)
class Dominance:
    """How two distributions of move counts compare.

    The first *dominates* the second (in first order) where, whatever the number of
    moves, it has finished at least as large a share of its games, and somewhere a
    larger one. Then it is better by every measure that rewards fewer moves.

    Attributes
    ----------
    played : {"first", "second", "neither", "same"}
        Which one dominates in the games that were played: a fact about these games only.
    first_ahead, second_ahead : float
        The largest lead of either, as a share of games finished; 0 if it never leads.
    first_at, second_at : int or None
        The number of moves after which that is; None if it never leads.
    chance : float
        With 95 % confidence all leads, at all numbers of moves at once and either way, are
        within this of what they are in the long run. NaN where nothing is claimed.
    """

    played: Literal["first", "second", "neither", "same"]
    first_ahead: float
    second_ahead: float
    first_at: int | None
    second_at: int | None
    chance: float

    @property
    def crossing(self) -> bool:
        """Whether each leads by more than random variation: then neither dominates."""
        return min(self.first_ahead, self.second_ahead) > self.chance

    @property
    def excluded(self) -> tuple[bool, bool]:
        """Whether it is excluded, with 95 % confidence, that the first, the second dominates.

        It is where the other leads by more than random variation. No number of games can prove
        that one *does* dominate: the other may have a lead too small to show.
        """
        return self.second_ahead > self.chance, self.first_ahead > self.chance

    @property
    def verdict(self) -> str:
        """What is known of the first, in a word or two for tables.

        ``ahead`` or ``behind`` where it, or the other one, leads by more than random variation, and
        never trails; ``mostly ahead`` or ``mostly behind`` where it does, but within random
        variation; ``crossing`` where each leads by more than that, and ``not clear`` where
        neither does; ``not tested`` where nothing is claimed; and ``same``.
        """
        if self.played == "same":
            return "same"
        if math.isnan(self.chance):
            return "not tested"
        behind, ahead = self.excluded
        if behind == ahead:
            return "crossing" if ahead else "not clear"
        word = "ahead" if ahead else "behind"
        return word if self.played in ("first", "second") else f"mostly {word}"

    def sentence(self, first: str, second: str) -> str:
        """Return in words what is known, given the names of the two."""
        if self.played == "same":
            return f"{first} and {second} have the same distribution"
        leads = [
            (self.first_ahead, self.first_at, first, second),
            (self.second_ahead, self.second_at, second, first),
        ]
        leads = sorted((lead for lead in leads if lead[0]), key=lambda lead: lead[0], reverse=True)
        text = " and ".join(
            f"{name} leads by up to {100 * ahead:.3g} % of games (after {at} moves)"
            for ahead, at, name, _ in leads
        )
        if math.isnan(self.chance):
            return f"{text}; how much of it is random is not known"
        if self.crossing:
            return f"neither dominates: {text}"
        ahead, _, name, other = leads[0]
        if ahead <= self.chance:
            return f"{text}: no more than random variation"
        if len(leads) == 1:
            return f"{name} dominates {other} in these games: {text}"
        return f"{name} may dominate {other}: {text}, the latter no more than random variation"


@checked
def dominance(first: Counts, second: Counts, independent: bool = True) -> Dominance:
    """Compare two distributions of move counts at every number of moves.

    Random variation is bounded by a simultaneous band. The share of n games that finished within
    m moves is, for all m at once, within sqrt(ln(2 / a) / (2 n)) of its probability,
    except with probability a (A. Dvoretzky, J. Kiefer and J. Wolfowitz, Annals of Mathematical
    Statistics 27, 1956, with the constant of P. Massart, Annals of Probability 18, 1990, who
    proves it for every n, and for discrete laws, too). With a = 2.5 % for either strategy,
    both hold with probability 95 %, *however the two depend on each other*: on the same
    layouts as on different ones. A lead is thus known up to the sum of the two widths. This is
    cautious: shared layouts and whole numbers of moves make the true leads closer to those seen.

    Parameters
    ----------
    first, second : ndarray of int64, shape (n,) each
        Histograms; the shorter one is as if filled up with zeros.
    independent : bool
        Whether the games of either are independent of each other. Give False where one
        learns from game to game; the band does not hold then, and nothing is claimed.
    """
    size = max(len(first), len(second))
    games = int(first.sum()), int(second.sum())
    finished = [np.cumsum(np.pad(counts, (0, size - len(counts)))) for counts in (first, second)]
    # Cross-multiplied in whole numbers, so that equal shares are equal. Beyond three billion
    # games of each that would leave 64 bits: hence Python's own.
    lead = finished[0].astype(object) * games[1] - finished[1].astype(object) * games[0]
    most, least = int(np.argmax(lead)), int(np.argmin(lead))
    ahead = max(lead[most], 0) / (games[0] * games[1]), max(-lead[least], 0) / (games[0] * games[1])
    leads = ahead[0] > 0, ahead[1] > 0
    played: dict[tuple[bool, bool], Literal["first", "second", "neither", "same"]] = {
        (True, False): "first",
        (False, True): "second",
        (True, True): "neither",
        (False, False): "same",
    }
    widths = (math.sqrt(math.log(4 / (1 - CONFIDENCE)) / (2 * number)) for number in games)
    return Dominance(
        played=played[leads],
        first_ahead=ahead[0],
        second_ahead=ahead[1],
        first_at=most if leads[0] else None,
        second_at=least if leads[1] else None,
        chance=sum(widths) if independent else math.nan,
    )


@checked
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

    Raises
    ------
    BsbenchError
        If they are not rows of differences, as many in each as there are rows.
    """
    count = len(differences)
    rows = [row if isinstance(row, Sequence) else () for row in differences]
    if not all(
        len(row) == count and all(isinstance(each, Difference) for each in row) for row in rows
    ):
        raise BsbenchError("ranks follow from a square of differences: each less each")
    others = max(count - 1, 1)
    wider = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2 / others) / NORMAL_95
    mean = np.array([[each.mean for each in row] for row in differences]).reshape(count, count)
    width = np.array([[each.half_width for each in row] for row in differences])
    width = wider * width.reshape(count, count)
    # Nothing is clear where an interval is not known.
    worse, better = mean > width, mean < -width
    return 1 + worse.sum(axis=1), count - better.sum(axis=1)
