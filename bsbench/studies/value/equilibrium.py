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
from bsbench.common.progress import Progress, Watch
from bsbench.counting.optimum import Numbers
from bsbench.counting.responses import Book, Responses
from bsbench.rules.board import Rules

Reals = npt.NDArray[np.float64]

_WEIGHT = 1 << 40
"""About what all layouts weigh together, where a law in floating point becomes whole numbers."""

_THOUSAND = 1_000.0

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
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
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
    left, trees = often.copy(), []
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


def solve_exactly(rows: list[list[int]]) -> list[Fraction]:
    """Return a solution of linear equations; an equation counts only if those before leave it open.

    Each row has the coefficients, and then the right side. Unknowns that are free are 0.
    """
    basis: dict[int, list[int]] = {}

    def without(row: list[int], column: int, pivot: list[int]) -> list[int]:
        by, times = row[column], pivot[column]
        if not by:
            return row
        changed = [times * one - by * other for one, other in zip(row, pivot, strict=True)]
        common = math.gcd(*changed) or 1
        return [each // common for each in changed]

    for row in rows:
        for column, pivot in basis.items():
            row = without(row, column, pivot)
        open_ = [column for column, each in enumerate(row[:-1]) if each]
        if open_:
            chosen = min(open_, key=lambda column: abs(row[column]))  # numbers grow less
            basis = {column: without(other, chosen, row) for column, other in basis.items()}
            basis[chosen] = row
    found = [Fraction(0)] * (len(rows[0]) - 1)
    for column, row in basis.items():
        found[column] = Fraction(row[-1], row[column])
    return found


class _TimeUp(Exception):
    """The time is up."""


@dataclass
class Solution:
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
        self._often: Reals | None = None
        self.found = Solution(self._responses)

    def _watch(self, now: Progress) -> None:
        self._progress(replace(now, label=f"round {self.found.rounds}{self._bounds}"))
        if time.perf_counter() > self._ends:
            raise _TimeUp

    def find(self) -> Solution:
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
        value, law, self._often = solve_book(responses.book, responses.size)
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
        assert self._often is not None
        shots = trees_of(responses.book, self._often)
        trees = [*np.unique([tree @ responses.book.misses for tree in shots], axis=0)]
        while True:
            means = np.array(trees) / responses.size
            value, law, mixture = solve_trees(means)
            weights = np.rint(law / responses.size * _WEIGHT).astype(np.int64)
            known, tree = responses.known(weights)
            if known >= (value - _NOTHING) * int(weights @ responses.size):
                break
            trees.append(tree @ responses.book.misses)
        exact = _in_fractions(np.array(trees), responses.size, means, value, law, mixture)
        if exact is None:
            print("negative"); return True
        shares, found.trees, found.mixture = exact[0], trees, exact[1]
        return self._check(shares)

    def _check(self, law: list[Fraction]) -> bool:
        responses, found = self._responses, self.found
        found.upper = _worst(found)
        per = [share / int(size) for share, size in zip(law, responses.size, strict=True)]
        common = math.lcm(*(each.denominator for each in per))
        print("bits", common.bit_length())
        weights = np.array([int(each * common) for each in per])
        return not self._gains(weights, math.ceil(found.upper * common))

    def _end(self) -> None:
        """Take the bound of the last mixture, if it is better than that of before."""
        responses, found = self._responses, self.found
        if self._often is None or found.lower == found.upper:
            return
        shots = trees_of(responses.book, self._often) if len(self._often) == len(
            responses.book.misses) else []


def _worst(found: Solution) -> Fraction:
    """Return the mean misses of the mixture on its worst orbit."""
    means = [found.mean_on(tree) for tree in found.trees]
    return max(
        sum((share * mean for share, mean in zip(found.mixture, of_orbit, strict=True)), Fraction(0))
        for of_orbit in zip(*means, strict=True)
    )


def _in_fractions(
    trees: Numbers, size: Numbers, means: Reals, value: float, law: Reals, mixture: Reals
) -> tuple[list[Fraction], list[Fraction]] | None:
    """Return the law and the mixture in fractions; None if they can't be recovered.

    They solve linear equations: all trees that cost no more than the value cost the same against
    the law, and the mixture costs the same on all orbits where it costs most.
    """
    hidden, shot = np.flatnonzero(law > _NOTHING), np.flatnonzero(mixture > _NOTHING)
    tight, full = np.abs(means @ law - value), np.abs(mixture @ means - value)
    # An orbit's share, divided by its size: whole numbers throughout.
    hider = solve_exactly(
        [
            [*map(int, size[hidden]), 0, 1],
            *([*map(int, trees[tree, hidden]), -1, 0] for tree in np.argsort(tight)),
        ]
    )
    shooter = solve_exactly(
        [
            [*([1] * len(shot)), 0, 1],
            *([*map(int, trees[shot, o]), -int(size[o]), 0] for o in np.argsort(full)),
        ]
    )
    print(value, len(hidden), len(shot), len(trees), sorted(tight)[len(hidden)-1:len(hidden)+3], sorted(full)[len(shot)-1:len(shot)+3], [float(x) for x in hider if x<0], [float(x) for x in shooter if x<0], float(hider[-1]), float(shooter[-1]), max(x.denominator.bit_length() for x in hider))
    if min(*hider, *shooter) < 0:
        return None
    shares = [Fraction(0)] * len(law), [Fraction(0)] * len(mixture)
    for orbit, each in zip(hidden, hider, strict=False):
        shares[0][orbit] = each * int(size[orbit])
    for tree, each in zip(shot, shooter, strict=False):
        shares[1][tree] = each
    return shares
