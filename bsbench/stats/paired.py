"""Two strategies on the same games."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import check_one_length, checked
from bsbench.common.errors import BsbenchError, option
from bsbench.stats.histograms import Counts, exact_dot
from bsbench.stats.intervals import NORMAL_95, interval_text, sequence_interval, share_interval

_ENOUGH_GAMES = 25
"""Effective number of differing games from which the normal approximation holds: coverage is
then 94 % or more in simulations of rare and skewed differences (`tests/stats/test_coverage.py`)."""

_FEW_GAMES = 1_000
_WIDE_SPREAD = 60
"""Part of the range of differences. If fewer games are played, and half of all differ from
the middle one by more than that, rare differences are left out of account: otherwise, the interval
of most pairs of strategies would be several times as wide."""


Decision = Literal["fewer", "more", "equal", "unclear"]


@dataclass(frozen=True)
class Difference:
    """The mean difference of two strategies' move counts on the same games.

    Attributes
    ----------
    mean : float
        Of the first minus the second, in moves: negative where the first needs fewer.
    half_width : float
        Of its 95 % interval. NaN for one game or learner.
    normal : float or None
        The half-width by the normal approximation, where so few games differ that the interval
        comes from the range of move counts instead: `PairedSums.difference`.
    ends : tuple of 2 float, or None
        Those of an interval that does not reach equally far to both sides, as that of a confidence
        sequence: `PairedSums.in_sequence`. The half-width is then that of the wider side.
    """

    mean: float
    half_width: float
    normal: float | None = None
    ends: tuple[float, float] | None = None

    def __neg__(self) -> Difference:
        ends = None if self.ends is None else (-self.ends[1], -self.ends[0])
        return Difference(-self.mean, self.half_width, self.normal, ends)

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of its interval."""
        return self.ends or (self.mean - self.half_width, self.mean + self.half_width)

    @property
    def from_range(self) -> bool:
        """Whether the interval comes from the range of move counts."""
        return self.normal is not None

    def narrowed(self, unpaired: float) -> Difference:
        """Return the difference with the narrower of two intervals, if this one is from the range.

        A range may be far wider than what is played: turns of a salvo may have one shot each, and
        hardly ever do. The interval of the two means by themselves, as if games were not paired,
        then says more. It is never narrower here than the normal one of the differences: games
        whose luck is opposed make that the wider one.

        Parameters
        ----------
        unpaired : float
            Half-width of the interval that the two means give: the root of the sum of squares of
            theirs.
        """
        if self.normal is None or not unpaired < self.half_width:
            return self
        return Difference(self.mean, max(unpaired, self.normal))

    @property
    def significant(self) -> bool:
        """Whether the interval excludes 0; False without an interval."""
        low, high = self.interval
        return low > 0 or high < 0

    def decided(self, margin: float) -> Decision:
        """Return what the interval shows: which of the two needs fewer moves, or neither.

        Parameters
        ----------
        margin : float
            In moves: those that differ by less are equal.

        Returns
        -------
        str
            ``fewer`` or ``more``, of the first; ``equal``, if the whole interval lies within the
            margin and has 0 in it; else ``unclear``.
        """
        if self.significant:
            return "fewer" if self.mean < 0 else "more"
        low, high = self.interval
        return "equal" if -margin <= low and high <= margin else "unclear"

    @property
    def text(self) -> str:
        """The difference with its sign and interval."""
        return self.text_to(None)

    def text_to(self, decimals: int | None) -> str:
        """Return the same with so many decimals; None is for those of the interval."""
        text = interval_text(self.mean, self.half_width, decimals)
        return text if text.startswith("-") else f"+{text}"


@checked
def paired_difference(
    first: npt.NDArray[Any],
    second: npt.NDArray[Any],
    games_per_learner: int = 1,
    reach: int | None = None,
) -> Difference:
    """Compare two strategies game by game.

    Parameters
    ----------
    first, second : ndarray of int, shape (games,)
        Move counts on the same layouts, game by game.
    games_per_learner : int
        Consecutive games that depend on each other; above 1 when either learns.
    reach : int, optional
        The largest difference that is possible in one game: cells of the board less cells of
        ships. Default: the range of these move counts, as if larger differences could not occur.
    """
    check_one_length(first=first, second=second)
    if reach is not None and reach < 0:
        raise BsbenchError(f"{option('reach')} is {reach}: give 0 or more")
    return PairedSums.of(first, second, games_per_learner, reach).difference


@dataclass(frozen=True)
class Race:
    """How often each of two strategies finishes first on the same layout.

    Attributes
    ----------
    wins, ties, losses : int
        Games in which the first needed fewer moves, as many, more.
    worth : tuple of 3 float
        For each of these, the number of independent games that estimate its probability
        as well: that of all games, except where learners play. NaN for a single learner.
    """

    wins: int
    ties: int
    losses: int
    worth: tuple[float, float, float]

    def __neg__(self) -> Race:
        return Race(self.losses, self.ties, self.wins, self.worth[::-1])

    @property
    def games(self) -> int:
        """Games that were played."""
        return self.wins + self.ties + self.losses

    @property
    def shares(self) -> tuple[float, float, float]:
        """Shares of wins, ties and losses."""
        return self.wins / self.games, self.ties / self.games, self.losses / self.games

    @property
    def intervals(self) -> tuple[tuple[float, float], ...]:
        """The 95 % intervals of the three shares, each by itself (`share_interval`)."""
        return tuple(map(share_interval, self.shares, self.worth))


@checked
def race(first: npt.NDArray[Any], second: npt.NDArray[Any], games_per_learner: int = 1) -> Race:
    """Count the games in which either of two strategies finishes first.

    Where learners play, the standard error of a share p comes from the learners, as that of
    `paired_difference`, and the games are worth p (1 - p) / error^2 independent ones, though
    never more than there are (E. L. Korn and B. I. Graubard, "Confidence Intervals for
    Proportions with Small Expected Number of Positive Counts Estimated from Survey Data",
    Survey Methodology 24, 1998: the effective sample size). Where p is 0 or 1 there is no such
    error, and each learner counts as one game.

    Parameters
    ----------
    first, second : ndarray of int, shape (games,)
        Move counts on the same layouts, game by game.
    games_per_learner : int
        Consecutive games that depend on each other; above 1 when either learns.
    """
    check_one_length(first=first, second=second)
    return PairedSums.of(first, second, games_per_learner).race


def enough_differ(
    values: npt.NDArray[np.floating[Any] | np.integer[Any]],
    counts: npt.NDArray[Any],
    low: float,
    high: float,
) -> bool:
    """Return whether values allow the normal approximation of the interval of their mean.

    They do if the *effective number of differing games* is 25 or more. It is the sum of squares,
    cubed, by the squared sum of absolute cubes, of distances from the mean: k where k games differ
    equally from all others. Its inverse is the squared ratio of A. C. Berry ("The Accuracy of the
    Gaussian Approximation to the Sum of Independent Variates", Transactions of the American
    Mathematical Society 49, 1941), which bounds the error of the approximation. Since rare
    differences may not have been seen yet, one more game at each end of the range is counted.

    With fewer than 1,000 games, it is also enough that half of them differ from the middle one by
    more than a 60th of the range. The interval of 50 to 1,000 games then misses the mean more often
    than it should if there are rare, large differences as well.

    Parameters
    ----------
    values : ndarray, shape (n,)
    counts : ndarray, shape (n,)
        Number of games with each; parts of one where games depend on each other.
    low, high : float
        The range: what is possible.
    """
    games = float(counts.sum())
    if games < _FEW_GAMES:
        from_middle = abs(values - _middle(values, counts))
        if _WIDE_SPREAD * _middle(from_middle, counts) > high - low:
            return True
    mean = values @ counts / games
    distances, ends = abs(values - mean), np.array([mean - low, high - mean])
    squares, cubes = (
        counts @ distances**2 + (ends**2).sum(),
        counts @ distances**3 + (ends**3).sum(),
    )
    return bool(squares**3 >= _ENOUGH_GAMES * cubes**2)


def _middle(values: npt.NDArray[Any], counts: npt.NDArray[Any]) -> Any:
    """Return the median: the first value that half of all do not exceed."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(counts[order])
    return values[order[np.searchsorted(below, below[-1] / 2)]]


_AT_ONCE = 1 << 20
"""Games that are added at once, so that little memory is needed."""

_Sums = tuple[int, int, int, int]
"""Of the differences, and numbers of games won, tied and lost; Python's integers, thus exact."""

_NOTHING: _Sums = (0, 0, 0, 0)


def _sums_of(differences: npt.NDArray[np.int64]) -> _Sums:
    wins, losses = int((differences < 0).sum()), int((differences > 0).sum())
    return int(differences.sum()), wins, len(differences) - wins - losses, losses


def _added(one: _Sums, other: _Sums) -> _Sums:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3]


@dataclass(frozen=True)
class UnitSums:
    """Sums over units: games in a row that depend on each other, as those of learners do.

    Attributes
    ----------
    games_per_unit, units : int
        Units that are complete.
    totals, squares : tuple of 4 int
        Over these, of a unit's total difference and its games won, tied and lost; of their squares.
    rest_games : int
    rest : tuple of 4 int
        The unit that is not complete: its games so far, and the same four of them.
    by_total : Counter or None
        Number of complete units by total difference, if kept: it grows with the games.
    ended : tuple of (int, tuple of 4 int)
        Units that ended before they were complete, under other seeds: games, and the same four.
    """

    games_per_unit: int
    units: int = 0
    totals: _Sums = _NOTHING
    squares: _Sums = _NOTHING
    rest_games: int = 0
    rest: _Sums = _NOTHING
    by_total: Counter[int] | None = None
    ended: tuple[tuple[int, _Sums], ...] = ()

    def and_then(self, differences: npt.NDArray[np.int64]) -> UnitSums:
        """Return these sums and those of further games, given their differences."""
        unit, units, rest = self.games_per_unit, self.units, self.rest
        totals, squares = list(self.totals), list(self.squares)
        by_total = None if self.by_total is None else self.by_total.copy()

        def add(sums: npt.NDArray[np.int64]) -> None:
            """Add complete units; the shape is (4, units)."""
            for place, row in enumerate(sums):
                totals[place] += int(row.sum())
                squares[place] += exact_dot(row, row)
            if by_total is not None:
                values, counts = np.unique(sums[0], return_counts=True)
                by_total.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))

        begin = 0
        if self.rest_games:
            begin = min(unit - self.rest_games, len(differences))
            rest = _added(rest, _sums_of(differences[:begin]))
        games = self.rest_games + len(differences)
        if self.rest_games and games >= unit:
            add(np.array(rest).reshape(4, 1))
            rest = _NOTHING
        end = len(differences) - games % unit
        if end > begin:
            table = differences[begin:end].reshape(-1, unit)
            wins, losses = (table < 0).sum(axis=1), (table > 0).sum(axis=1)
            add(np.array([table.sum(axis=1), wins, unit - wins - losses, losses]))
        if games >= unit or not self.rest_games:
            rest = _sums_of(differences[max(begin, end) :])
        return UnitSums(
            unit,
            units + games // unit,
            (totals[0], totals[1], totals[2], totals[3]),
            (squares[0], squares[1], squares[2], squares[3]),
            games % unit,
            rest,
            by_total,
        )

    def __add__(self, later: UnitSums) -> UnitSums:
        """Return the sums of both; the units of this one are complete."""
        assert not self.rest_games
        kept = None
        if self.by_total is not None and later.by_total is not None:
            kept = self.by_total + later.by_total
        return UnitSums(
            self.games_per_unit,
            self.units + later.units,
            _added(self.totals, later.totals),
            _added(self.squares, later.squares),
            later.rest_games,
            later.rest,
            kept,
        )

    def pooled(self, other: UnitSums) -> UnitSums:
        """Return the sums of both, which are of different seeds."""
        together = dataclasses.replace(self, rest_games=0, rest=_NOTHING) + other
        return dataclasses.replace(together, ended=(*self._incomplete, *other.ended))

    @property
    def _incomplete(self) -> tuple[tuple[int, _Sums], ...]:
        """All units that are not complete: games, and the four."""
        return (*self.ended, *([(self.rest_games, self.rest)] if self.rest_games else []))

    def error(self, place: int) -> float:
        """Return the standard error of the mean in a game of one of the four.

        That is `standard_error`, with whole numbers up to the last division and root.
        """
        unit, rests = self.games_per_unit, [(n, sums[place]) for n, sums in self._incomplete]
        groups = self.units + len(rests)
        if groups == 1:
            return math.nan
        games = self.units * unit + sum(n for n, _ in rests)
        total = self.totals[place] + sum(rest for _, rest in rests)
        excess = (
            games**2 * (self.squares[place] + sum(rest**2 for _, rest in rests))
            - 2 * total * games * (unit * self.totals[place] + sum(n * rest for n, rest in rests))
            + total**2 * (self.units * unit**2 + sum(n**2 for n, _ in rests))
        )
        return math.sqrt(groups * excess / ((groups - 1) * games**4))

    def worth(self, place: int) -> float:
        """Return the independent games that would estimate the share of an outcome as well."""
        rests = self._incomplete
        games = self.units * self.games_per_unit + sum(n for n, _ in rests)
        groups = self.units + len(rests)
        seen = self.totals[place] + sum(sums[place] for _, sums in rests)
        if groups == 1:
            return math.nan
        if seen in (0, games):
            return float(groups)
        share, error = seen / games, self.error(place)
        return min(share * (1 - share) / error**2, float(games)) if error else float(games)

    def to_dict(self) -> dict[str, Any]:
        """Return the sums as JSON has them."""
        return {
            "games_per_learner": self.games_per_unit,
            "learners": self.units,
            "totals": list(self.totals),
            "squares": list(self.squares),
            "rest_games": self.rest_games,
            "rest": list(self.rest),
            **({} if self.by_total is None else {"by_total": sorted(self.by_total.items())}),
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> UnitSums:
        """Return the sums that `to_dict` gave.

        Raises
        ------
        BsbenchError
            If they contradict themselves.
        KeyError, TypeError, ValueError
            If a key is missing or its value of the wrong kind.
        """
        fours = [record[key] for key in ("totals", "squares", "rest")]
        by_total = record.get("by_total")
        numbers = [record[key] for key in ("games_per_learner", "learners", "rest_games")]
        numbers += [number for four in fours for number in four]
        numbers += [number for pair in by_total or () for number in pair]
        if not all(type(number) is int for number in numbers):
            raise BsbenchError("its sums of learners are not all whole numbers")
        unit, units, in_rest = numbers[:3]
        if not (
            unit > 1 and units >= 0 and 0 <= in_rest < unit and max(map(abs, numbers)) < 2**200
        ):
            raise BsbenchError("its learners are not what they should be")
        totals, squares, rest = ((a, b, c, d) for a, b, c, d in fours)
        outcomes = sum(totals[1:]) == unit * units and sum(rest[1:]) == in_rest
        possible = all(
            total**2 <= units * square for total, square in zip(totals, squares, strict=True)
        )
        if not (outcomes and possible and min(*totals[1:], *rest[1:]) >= 0):
            raise BsbenchError("its sums of learners contradict themselves")
        kept = None if by_total is None else Counter(dict(by_total))
        if kept is not None and (
            kept.total() != units
            or min(kept.values(), default=1) < 1
            or sum(total * count for total, count in kept.items()) != totals[0]
        ):
            raise BsbenchError("its learners by their totals contradict their sums")
        return cls(unit, units, totals, squares, in_rest, rest, kept)


@dataclass(frozen=True, eq=False)
class PairedSums:
    """Two strategies on the same games, as sums to which further games can be added.

    All figures are those of `paired_difference` and `race` of all games at once.

    Attributes
    ----------
    counts : ndarray of int64, shape (2 most + 1,)
        Number of games by difference of the move counts: entry i is that of ``i - most``. The
        largest difference that is possible in one game is ``most``: the cells of the board less
        those of the ships.
    learners : UnitSums or None
        Where either strategy learns from game to game.
    """

    counts: Counts
    learners: UnitSums | None = None

    @classmethod
    def empty(cls, most: int, games_per_learner: int = 1, keep_totals: bool = False) -> PairedSums:
        """Return the sums of no games.

        Parameters
        ----------
        most : int
            The largest difference that is possible in one game.
        games_per_learner : int
            Games in a row that depend on each other. The first one begins such a row.
        keep_totals : bool
            Whether `sequence_interval` will be asked for; memory then grows with the learners.
        """
        kept: Counter[int] | None = Counter() if keep_totals else None
        learners = None if games_per_learner == 1 else UnitSums(games_per_learner, by_total=kept)
        return cls(np.zeros(2 * most + 1, np.int64), learners)

    @classmethod
    def of(
        cls,
        first: npt.NDArray[Any],
        second: npt.NDArray[Any],
        games_per_learner: int = 1,
        reach: int | None = None,
    ) -> PairedSums:
        """Return the sums of games: see `paired_difference`."""
        most = int(max(first.max(), second.max())) - int(min(first.min(), second.min()))
        return cls.empty(most if reach is None else reach, games_per_learner).and_then(
            first, second
        )

    @classmethod
    def of_equals(cls, most: int, games: int, games_per_learner: int = 1) -> PairedSums:
        """Return the sums of games of a strategy and itself."""
        counts = np.zeros(2 * most + 1, np.int64)
        counts[most] = games
        units, rest = divmod(games, games_per_learner)
        learners = UnitSums(
            games_per_learner,
            units,
            (0, 0, units * games_per_learner, 0),
            (0, 0, units * games_per_learner**2, 0),
            rest,
            (0, 0, rest, 0),
        )
        return cls(counts, None if games_per_learner == 1 else learners)

    @property
    def most(self) -> int:
        """The largest difference that is possible in one game."""
        return len(self.counts) // 2

    @cached_property
    def games(self) -> int:
        """Games that were added."""
        return int(self.counts.sum())

    def and_then(self, first: npt.NDArray[Any], second: npt.NDArray[Any]) -> PairedSums:
        """Return these sums and those of further games, given both strategies' move counts."""
        counts, learners, most = self.counts.copy(), self.learners, self.most
        for begin in range(0, len(first), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            difference = first[part].astype(np.int64) - second[part]
            if learners is not None:
                learners = learners.and_then(difference)
            difference += most
            counts += np.bincount(difference, minlength=len(counts))
        return PairedSums(counts, learners)

    def __add__(self, later: PairedSums) -> PairedSums:
        """Return the sums of both; where learners play, those of this one are complete."""
        learners = None
        if self.learners is not None and later.learners is not None:
            learners = self.learners + later.learners
        return PairedSums(self.counts + later.counts, learners)

    def pooled(self, other: PairedSums) -> PairedSums:
        """Return the sums of both, which are of different seeds."""
        learners = None
        if self.learners is not None and other.learners is not None:
            learners = self.learners.pooled(other.learners)
        return PairedSums(self.counts + other.counts, learners)

    @property
    def _as_units(self) -> UnitSums:
        """The same of games that are units each."""
        if self.learners is not None:
            return self.learners
        race, values = self.outcomes, np.arange(-self.most, self.most + 1)
        totals = (exact_dot(self.counts, values), *race)
        squares = (exact_dot(self.counts, values**2), *race)
        return UnitSums(1, self.games, totals, squares)

    @cached_property
    def outcomes(self) -> tuple[int, int, int]:
        """Games that the first won, tied and lost."""
        most = self.most
        wins, losses = int(self.counts[:most].sum()), int(self.counts[most + 1 :].sum())
        return wins, int(self.counts[most]), losses

    @property
    def normal_half_width(self) -> float:
        """The half-width of the mean difference by the normal approximation."""
        return NORMAL_95 * self._as_units.error(0)

    @cached_property
    def difference(self) -> Difference:
        """The mean difference, with its 95 % interval.

        The interval is the normal one where `enough_differ`. Elsewhere, games that have not been
        played may hold a rare, large difference. The interval then relies on nothing but the range
        (`bsbench.stats.sequence_interval`), and is the narrowest around the mean that holds it.
        Where learners play, each of their games counts as a part of one, as if all games of a
        learner were alike; by the concavity of the logarithm, that interval is never too narrow.
        """
        values = np.arange(-self.most, self.most + 1)
        mean = exact_dot(self.counts, values) / self.games
        half_width = self.normal_half_width
        if math.isnan(half_width) or enough_differ(values, self.counts, -self.most, self.most):
            return Difference(mean, half_width)
        unit = self._as_units.games_per_unit
        low, high = sequence_interval(values.astype(float), self.counts / unit, self.most)
        # Where learners differ more than their games do, the normal interval is the wider one.
        return Difference(mean, max(half_width, mean - low, high - mean), half_width)

    def in_sequence(self, together: int = 1) -> Difference:
        """Return the mean difference, with the interval of a 95 % confidence sequence.

        Such intervals hold at all numbers of games together: one may look again and again. Where
        learners play, these are the units, and their totals must have been kept.

        Parameters
        ----------
        together : int
            As for `bsbench.stats.sequence_interval`.
        """
        low, high = sequence_interval(*self.unit_means(), self.most, together)
        mean = self.difference.mean
        return Difference(mean, max(mean - low, high - mean), ends=(low, high))

    @property
    def race(self) -> Race:
        """How often the first finishes before the second."""
        worth = (float(self.games),) * 3
        if self.learners is not None:
            worth = self.learners.worth(1), self.learners.worth(2), self.learners.worth(3)
        return Race(*self.outcomes, worth)

    def unit_means(self) -> tuple[npt.NDArray[np.float64], Counts]:
        """Return the different means of complete units, ascending, and how many units have each.

        For games that are units, that is the histogram of differences; else totals must have been
        kept.
        """
        if self.learners is None:
            seen = np.flatnonzero(self.counts)
            return (seen - self.most).astype(np.float64), self.counts[seen]
        assert self.learners.by_total is not None
        ordered = sorted(self.learners.by_total.items())
        totals, counts = np.array(ordered, np.int64).reshape(-1, 2).T
        return totals / self.learners.games_per_unit, counts
