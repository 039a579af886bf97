"""The value of hiding against shooting, by double oracle.

One side hides a fleet, by any law of layouts; the other one shoots, by any mixture of trees of
shots; the hider gets a point for each miss. H. B. McMahan, G. J. Gordon and A. Blum, "Planning in
the Presence of Cost Functions Controlled by an Adversary", ICML 2003: solve the game of the
strategies that are known so far, add the best response to its solution, and begin again, until the
response gains nothing.

Here, what is known of the shooter is a book of shots (`bsbench.counting.responses`), and any choice
of shots from it is a tree. So the game of what is known is a linear program with a variable for
each state, not for each tree (B. Bošanský, C. Kiekintveld, V. Lisý and M. Pěchouček, "An Exact
Double-Oracle Algorithm for Zero-Sum Extensive-Form Games with Imperfect Information", JAIR 51,
2014). Of layouts all are known from the beginning: they are few. By symmetry, both sides lose
nothing if they turn and mirror all they do at random. So layouts of an orbit are equally likely,
and a tree counts by its mean on each orbit.

Floating point only finds what to prove. In the end, the law and the mixture are solved for in
fractions, and checked: the mixture costs no more than the value on any layout, and a search in
whole numbers finds no tree that costs less than the value against the law.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, how_to_install, option
from bsbench.common.journal import Journal
from bsbench.common.progress import Progress, Watch, ignored
from bsbench.counting.optimum import Numbers, check_in_reach
from bsbench.counting.responses import Book, Responses
from bsbench.rules.board import Rules

Reals = npt.NDArray[np.float64]

SECONDS = 600.0
"""That a search may take, by default."""

_HEAVY = 1 << 46
"""All layouts together weigh less: see `Responses.least`."""

_WEIGHT = 1 << 40
"""About what all layouts weigh together, where a law in floating point becomes whole numbers."""

_STEEP = 1_000
"""Pivots of the simplex method by its quick rule."""

_THOUSAND = 1_000.0

_PRECISELY: dict[str, Any] = {
    "method": "highs-ds",
    "options": {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
}
"""For solutions that become fractions: of all best ones, one with as few parts as possible."""

_NOTHING = 1e-9
"""A gain that counts as none, until fractions decide; and a share that counts as none."""


def linear_program() -> Any:
    """Return SciPy's solver of linear programs.

    Raises
    ------
    BsbenchError
        If SciPy is missing.
    """
    try:
        from scipy.optimize import linprog
    except ImportError as error:
        raise BsbenchError(
            f"the value needs SciPy, which is not installed ({error}): {how_to_install('value')}"
        ) from None
    return linprog


def solve_book(book: Book, size: Numbers) -> tuple[float, Reals, Reals]:
    """Solve the game in which the shooter has only the trees of a book.

    Parameters
    ----------
    book : Book
    size : ndarray of int64, shape (orbits,)
        Layouts of each orbit.

    Returns
    -------
    float
        Its value in misses.
    ndarray of float64, shape (orbits,)
        The hider's law: the share of each orbit.
    ndarray of float64, shape (shots,)
        How often the shooter makes each shot, on average of its trees.
    """
    from scipy.sparse import coo_array

    shots, orbits = book.misses.shape
    states = len(book.first) - 1
    # The misses from a state on are no more than those of any shot, and from there on.
    rows = np.arange(shots)
    state = np.repeat(np.arange(states), np.diff(book.first))
    after = np.repeat(rows, np.diff(book.begin))
    missed, orbit = np.nonzero(book.misses)
    share = -book.misses[missed, orbit] / size[orbit]
    limits = coo_array(
        (
            np.concatenate([share, np.ones(shots), -np.ones(len(after))]),
            (
                np.concatenate([missed, rows, after]),
                np.concatenate([orbit, orbits + state, orbits + book.next]),
            ),
        ),
        shape=(shots, orbits + states),
    ).tocsr()
    gain = np.zeros(orbits + states)
    gain[-1] = -1
    whole = np.zeros((1, orbits + states))
    whole[0, :orbits] = 1
    found = linear_program()(
        gain, A_ub=limits, b_ub=np.zeros(shots), A_eq=whole, b_eq=[1], method="highs"
    )
    return -found.fun, found.x[:orbits], np.maximum(-found.ineqlin.marginals, 0)


def solve_trees(means: Reals) -> tuple[float, Reals, Reals]:
    """Solve the game in which the shooter has only some trees.

    Parameters
    ----------
    means : ndarray of float64, shape (trees, orbits)
        Mean misses of each tree on the layouts of each orbit.

    Returns
    -------
    float
        Its value in misses.
    ndarray of float64, shape (orbits,)
        The hider's law: the share of each orbit.
    ndarray of float64, shape (trees,)
        The shooter's mixture.
    """
    trees, orbits = means.shape
    # Everything in thousands: what the solver tolerates is a number, not a share.
    gain = np.zeros(orbits + 1)
    gain[-1] = -_THOUSAND
    found = linear_program()(
        gain,
        A_ub=np.hstack([-means, np.ones((trees, 1))]),
        b_ub=np.zeros(trees),
        A_eq=[[1] * orbits + [0]],
        b_eq=[_THOUSAND],
        **_PRECISELY,
    )
    mixture = np.maximum(-found.ineqlin.marginals, 0) / _THOUSAND
    return found.x[-1] / _THOUSAND, found.x[:orbits] / _THOUSAND, mixture


def trees_of(book: Book, often: Reals) -> list[Numbers]:
    """Return trees that together make each shot of a book as often as a mixture does.

    Parameters
    ----------
    book : Book
    often : ndarray of float64, shape (shots,)

    Returns
    -------
    list of ndarray of int64, shape (shots,)
        How often each shot is in each tree.
    """
    left = often.copy()
    trees: list[Numbers] = []
    first, begin = book.first, book.begin
    while left[-1] > _NOTHING and len(trees) < len(often):
        # In each state the shot that is left most often: this tree is in the mixture, and without
        # it, one shot more is used up.
        times = np.zeros(len(first) - 1, np.int64)
        times[-1] = 1
        tree = np.zeros(len(often), np.int64)
        for state in range(len(times) - 1, -1, -1):
            if times[state]:
                shot = first[state] + int(np.argmax(left[first[state] : first[state + 1]]))
                tree[shot] = times[state]
                for after in book.next[begin[shot] : begin[shot + 1]]:
                    times[after] += times[state]
        used = tree > 0
        share = (left[used] / tree[used]).min()
        trees.append(tree)
        if share <= 0:
            break
        left[used] -= share * tree[used]
    return trees


def solve_exactly(costs: Numbers, size: Numbers) -> tuple[list[Fraction], list[Fraction]]:
    """Return both sides' best mixtures, if the shooter has only some trees.

    The game is the linear program max sum(x), costs x <= size, x >= 0: the value is 1 / sum(x), the
    shooter's mixture is x times the value, and the hider's follows from the dual solution. This is
    the simplex method in whole numbers (J. Edmonds, "Systems of Distinct Representatives and Linear
    Algebra", Journal of Research of the National Bureau of Standards 71B, 1967): all entries have
    one denominator, and each division leaves no rest.

    Parameters
    ----------
    costs : ndarray of int64, shape (trees, orbits)
        Shots of each tree on all layouts of each orbit together, at least one on each.
    size : ndarray of int64, shape (orbits,)

    Returns
    -------
    list of Fraction
        The hider's law: the share of each orbit.
    list of Fraction
        The shooter's mixture: the share of each tree.
    """
    trees, orbits = costs.shape
    table = np.zeros((orbits + 1, trees + orbits + 1), object)
    table[:orbits, :trees] = costs.T.astype(object)
    table[np.arange(orbits), trees + np.arange(orbits)] = 1
    table[:orbits, -1] = size.astype(object)
    table[-1, :trees] = -1
    basis, whole, pivots = list(range(trees, trees + orbits)), 1, 0
    while min(table[-1, :-1]) < 0:
        # The steepest column; after many pivots, which may be in a circle, the first (R. G. Bland).
        best = np.argmin(table[-1, :-1]) if pivots < _STEEP else np.argmax(table[-1, :-1] < 0)
        column = int(best)
        ratios = [
            (Fraction(table[row, -1], table[row, column]), basis[row], row)
            for row in range(orbits)
            if table[row, column] > 0
        ]
        _, _, row = min(ratios)
        pivot = table[row, column]
        for other in range(orbits + 1):
            if other != row:
                table[other] = (pivot * table[other] - table[other, column] * table[row]) // whole
        whole, basis[row] = pivot, column
        pivots += 1
    total = table[-1, -1]
    mixture, law = [Fraction(0)] * trees, []
    for row, column in enumerate(basis):
        if column < trees:
            mixture[column] = Fraction(table[row, -1], total)
    for orbit in range(orbits):
        law.append(Fraction(int(size[orbit]) * table[-1, trees + orbit], total))
    return law, mixture


class _TimeUp(Exception):
    """The time is up."""


@dataclass
class Equilibrium:
    """The game, as far as it is solved.

    Attributes
    ----------
    responses : Responses
    lower, upper : Fraction
        Proven bounds of the value, in misses; equal if it is found.
    law : list of Fraction
        The share of each orbit: the hider's way to ``lower``.
    trees : list of ndarray of int64, shape (orbits,)
        Trees of shots: the misses of each on all layouts of each orbit together.
    mixture : list of Fraction
        The share of each tree: the shooter's way to ``upper``.
    uniform : Fraction
        The fewest misses on average, if all layouts are equally likely.
    optimal : ndarray of int64, shape (orbits,)
        The misses of a tree with so few, as in ``trees``.
    rounds : int
        Searches for a best response.
    interrupted : bool
        Whether Ctrl-C ended it.
    """

    responses: Responses
    lower: Fraction = Fraction(0)
    upper: Fraction = Fraction(0)
    law: list[Fraction] = field(default_factory=list)
    trees: list[Numbers] = field(default_factory=list)
    mixture: list[Fraction] = field(default_factory=list)
    uniform: Fraction = Fraction(0)
    optimal: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    rounds: int = 0
    interrupted: bool = False

    def mean_on(self, tree: Numbers) -> list[Fraction]:
        """Return the mean misses of a tree on the layouts of each orbit."""
        return [
            Fraction(int(misses), int(size))
            for misses, size in zip(tree, self.responses.size, strict=True)
        ]


class _DoubleOracle:
    """See `solve`."""

    def __init__(self, rules: Rules, seconds: float, progress: Watch) -> None:
        self._ends = time.perf_counter() + seconds
        self._progress = progress
        self._bounds = ""
        self._responses = Responses(rules, self._watch)
        self._hits = rules.ship_cells
        self._mixed: tuple[Book, Reals] | None = None
        self.found = Equilibrium(self._responses)

    def _watch(self, now: Progress) -> None:
        self._progress(replace(now, label=f"round {self.found.rounds}{self._bounds}"))
        if time.perf_counter() > self._ends:
            raise _TimeUp

    def find(self) -> Equilibrium:
        """Solve the game; see `solve`."""
        self._begin()
        try:
            while not self._round():
                pass
        except _TimeUp:
            self._end()
        except KeyboardInterrupt:
            self.found.interrupted = True
            self._end()
        return self.found

    def _begin(self) -> None:
        """Find the optimum on uniform layouts."""
        responses, found = self._responses, self.found
        try:
            misses, _ = responses.least(responses.uniform)
        except _TimeUp:
            raise BsbenchError(
                f"the search has not begun: {option('seconds')} was over before the optimum "
                "on uniform layouts was found, which is the first step; allow more seconds, or use "
                "a smaller board or fewer ships"
            ) from None
        responses.learn()
        sizes = responses.uniform * responses.size
        found.uniform = found.lower = Fraction(misses, int(sizes.sum()))
        found.law = [Fraction(int(size), int(sizes.sum())) for size in sizes]
        found.optimal = responses.known(responses.uniform)[1] @ responses.book.misses
        found.trees, found.mixture = [found.optimal], [Fraction(1)]
        found.upper = max(found.mean_on(found.optimal))

    def _round(self) -> bool:
        """Solve the game of the book, and add the best response to it; return whether it is over.

        Raises
        ------
        _TimeUp
        """
        responses, found = self._responses, self.found
        value, law, often = solve_book(responses.book, responses.size)
        self._mixed = responses.book, often
        low = float(found.lower) + self._hits
        self._bounds = f", the value is {low:.4f} to {max(low, value + self._hits):.4f}"
        self._watch(Progress(""))
        weights = np.maximum(np.rint(law / responses.size * _WEIGHT), 1).astype(np.int64)
        together = int(weights @ responses.size)
        known, _ = responses.known(weights)
        if self._gains(weights, known - int(together * _NOTHING)):
            return False
        return self._prove()

    def _gains(self, weights: Numbers, beat: int) -> bool:
        """Return whether a response has fewer misses against a law; learn it then.

        The law is kept if no law before guarantees as much.
        """
        responses, found = self._responses, self.found
        found.rounds += 1
        misses, gains = responses.least(weights, beat)
        sizes = weights * responses.size
        together = int(sizes.sum())
        if Fraction(misses, together) > found.lower:
            found.lower = Fraction(misses, together)
            found.law = [Fraction(int(size), together) for size in sizes]
        if gains:
            responses.learn()
        return gains

    def _prove(self) -> bool:
        """Solve for both sides in fractions, and check them; return whether this proves the value.

        If not, a tree was found that gains, and there is more to do.
        """
        responses, found = self._responses, self.found
        trees = self._trees()
        while True:
            means = np.array(trees) / responses.size
            value, law, _ = solve_trees(means)
            weights = np.rint(law / responses.size * _WEIGHT).astype(np.int64)
            known, tree = responses.known(weights)
            if known >= (value - _NOTHING) * int(weights @ responses.size):
                break
            trees.append(tree @ responses.book.misses)
        costs = np.array(trees) + self._hits * responses.size
        shares, found.mixture = solve_exactly(costs, responses.size)
        found.trees = trees
        return self._check(shares)

    def _check(self, law: list[Fraction]) -> bool:
        responses, found = self._responses, self.found
        found.upper = _worst(found)
        per = [share / int(size) for share, size in zip(law, responses.size, strict=True)]
        common = math.lcm(*(each.denominator for each in per))
        if common >= _HEAVY:
            # Too fine for a search in whole numbers of 64 bits: bounds are what is left.
            return True
        weights = np.array([int(each * common) for each in per])
        return not self._gains(weights, math.ceil(found.upper * common))

    def _trees(self) -> list[Numbers]:
        """Return the trees of the last mixture: their misses on all layouts of each orbit."""
        assert self._mixed is not None
        book, often = self._mixed
        shots = trees_of(book, often)
        return [*np.unique([tree @ book.misses for tree in shots], axis=0)]

    def _end(self) -> None:
        """Take the bound of the last mixture, if it is better than that of before."""
        responses, found = self._responses, self.found
        if self._mixed is None or found.lower == found.upper:
            return
        trees = self._trees()
        _, _, shares = solve_trees(np.array(trees) / responses.size)
        parts = [Fraction(share) for share in shares.tolist()]
        mixture = [part / sum(parts) for part in parts]
        upper = _worst(replace(found, trees=trees, mixture=mixture))
        if upper < found.upper:
            found.upper, found.trees, found.mixture = upper, trees, mixture


def solve(rules: Rules, seconds: float = SECONDS, progress: Watch = ignored) -> Equilibrium:
    """Solve the game of hiding against shooting, exactly or as far as the time suffices.

    Parameters
    ----------
    rules : Rules
    seconds : float
    progress : callable, optional
        Called now and then.

    Raises
    ------
    OptimumOutOfReach
        If board or fleet are too large for any search.
    BsbenchError
        If there is no layout, SciPy is not installed, or not even the first step ends in time.
    """
    check_in_reach(rules)
    linear_program()
    return _DoubleOracle(rules, seconds, progress).find()


def keep_better(found: Equilibrium, journal: Journal) -> None:
    """Take bounds from a journal where they are better than those found; it keeps the better.

    Raises
    ------
    BsbenchError
        If the journal is damaged, or what it has is of another game.
    """
    if (known := journal.read("bounds")) is not None:
        try:
            before = _read_bounds(known, found)
        except (KeyError, TypeError, ValueError, OverflowError, ZeroDivisionError):
            raise journal.damaged() from None
        if before.lower > found.lower:
            found.lower, found.law = before.lower, before.law
        if before.upper < found.upper:
            found.upper, found.trees, found.mixture = before.upper, before.trees, before.mixture
    bounds = {
        "lower": _as_pairs([found.lower]),
        "law": _as_pairs(found.law),
        "trees": [tree.tolist() for tree in found.trees],
        "mixture": _as_pairs(found.mixture),
    }
    journal.put("bounds", bounds)


def _as_pairs(numbers: list[Fraction]) -> list[tuple[int, int]]:
    return [number.as_integer_ratio() for number in numbers]


def _read_bounds(known: dict[str, Any], found: Equilibrium) -> Equilibrium:
    """Return the bounds that `keep_better` has put into a journal."""
    (lower,), law, mixture = (
        [Fraction(top, bottom) for top, bottom in known[key]] for key in ("lower", "law", "mixture")
    )
    trees = [np.array(tree, np.int64) for tree in known["trees"]]
    before = replace(found, lower=lower, law=law, trees=trees, mixture=mixture)
    before.upper = _worst(before)
    agree = lower <= before.upper and lower <= found.upper and found.lower <= before.upper
    whole = len(law) == len(found.law) and len(mixture) == len(trees) > 0
    if not (agree and whole and min(*law, *mixture) >= 0 and sum(law) == sum(mixture) == 1):
        raise ValueError("bounds of something else")
    return before


def _worst(found: Equilibrium) -> Fraction:
    """Return the mean misses of the mixture on its worst orbit."""
    means = [found.mean_on(tree) for tree in found.trees]
    return max(
        sum(
            (share * mean for share, mean in zip(found.mixture, of_orbit, strict=True)), Fraction(0)
        )
        for of_orbit in zip(*means, strict=True)
    )
