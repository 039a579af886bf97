"""How likely each layout is after some shots: every layout left is equally likely."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.common.progress import Progress, Watch, ignored
from bsbench.counting.evidence import Contradiction, Evidence
from bsbench.counting.frontier import OutOfReach
from bsbench.counting.joins import MOST_HITS, MOST_SHIPS, Joins, exchange
from bsbench.counting.stored import find_stored
from bsbench.counting.tables import members
from bsbench.counting.unsettled import Unsettled
from bsbench.kernels.random import stream_key
from bsbench.rules.board import HIT, MISS, SUNK, Facts, Rules
from bsbench.rules.position import Answer, AnyAnswer, answer_text
from bsbench.rules.slots import read_slot

FEW_SHIPS = 5
"""Up to so many ships with several slots, joins are faster than frontiers, always."""

_WORK, _LITTLE_WORK = 40_000_000_000, 100_000_000
"""Words joined before joins are given up, of few ships and of more."""


_WAY = 10
"""Steps that a way takes which a frontier passes on."""


class Allowance:
    """Steps that counting may take, about a nanosecond each.

    They are counted and not timed, so that the same positions are counted on every machine,
    however busy it is. A step is a word that is joined, and a way takes several.

    Attributes
    ----------
    left : float
        Below 0 if they did not suffice.
    """

    def __init__(self, steps: float = math.inf) -> None:
        self.left = steps

    def take(self, steps: int) -> None:
        """Take steps off.

        Raises
        ------
        OutOfReach
            If there are no more.
        """
        self.left -= steps
        if self.left < 0:
            raise OutOfReach("the layouts can't be counted in so many steps")


@dataclass(frozen=True, eq=False)
class Posterior:
    """The layouts that agree with what shots revealed, counted exactly.

    Made by `find_posterior`. Before the first shot, these are all layouts, equally likely: the
    law ``uniform``.

    Attributes
    ----------
    rules : Rules
    layouts : int
        Layouts, with distinguishable ships.
    unlabelled : int
        Layouts, where ships of the same length with the same possible slots are
        indistinguishable.
    slots : ndarray of object, shape (ships, 64 * words)
        For each ship, the layouts in which it lies in each slot of its kind: whole numbers.
    method : str
        How they were counted: ``joins`` or ``frontier``.
    evidence : Evidence
    parts : tuple of (int, Posterior)
        Of each story of the evidence that has layouts: see `Evidence.stories`. Where answers leave
        it open which of equal ships has sunk: as if the first ones had, and how many names that is.
    """

    rules: Rules
    layouts: int
    unlabelled: int
    slots: npt.NDArray[Any] = field(repr=False)
    method: str
    evidence: Evidence = field(repr=False)
    parts: tuple[tuple[int, Posterior], ...] = field(default=(), repr=False)

    @cached_property
    def ships(self) -> npt.NDArray[Any]:
        """Layouts with each ship on each cell: whole numbers, shape (ships, cells)."""
        tables = self.evidence.tables
        cells = np.zeros((len(self.rules.fleet), self.rules.cells), object)
        for ship, length in enumerate(self.rules.fleet):
            for slot in np.flatnonzero(self.slots[ship]):
                first, step = read_slot(int(tables.code[tables.kind[ship], slot]), self.rules.cols)
                cells[ship, first : first + step * length : step] += self.slots[ship, slot]
        return cells

    @cached_property
    def cells(self) -> npt.NDArray[Any]:
        """Layouts with a ship on each cell: whole numbers, shape (cells,)."""
        cells: npt.NDArray[Any] = self.ships.sum(axis=0)
        return cells

    @property
    def over(self) -> bool:
        """Whether all ship cells are hit: the game is over."""
        hits = int(self.evidence.hit.sum()) + int(self.evidence.told.sum())
        return hits == self.rules.ship_cells

    @property
    def probabilities(self) -> npt.NDArray[np.float64]:
        """The probability of a ship on each cell: float64, shape (cells,)."""
        return np.array([int(count) / self.layouts for count in self.cells])

    def outcomes(self, cell: int) -> list[int]:
        """Return the layouts by what a shot at a cell would reveal; ships of a class are one.

        The first number is that of misses. Which of several equal ships is hit or sunk is no
        news, as long as nothing else distinguishes them.

        Parameters
        ----------
        cell : int
            A cell that was shot before reveals nothing: then all layouts are in one number.
        """
        if self.evidence.shot[cell]:
            return [self.layouts]
        told = self._hits(cell, self.rules.feedback.reveals)
        return [self.layouts - int(self.cells[cell]), *told.values()]

    def _hits(self, cell: int, told: Facts) -> Counter[tuple[int, ...]]:
        """Return the layouts in which a shot hits, by what is told of it."""
        found: Counter[tuple[int, ...]] = Counter()
        for times, part in self.parts:
            for what, layouts in part._hits(cell, told).items():
                found[what] += times * layouts
        for alike in () if self.parts else self.evidence.classes:
            ship, length = alike[0], self.rules.fleet[alike[0]]
            hit = len(alike) * int(self.ships[ship, cell])
            if told.sinkings and not self.rules.joint:
                for slot in members(self.evidence.last_cell(ship, cell)):
                    sunk = len(alike) * int(self.slots[ship, slot])
                    place = (ship, slot) if told.cells else ()
                    found[SUNK, length * told.lengths, *place] += sunk
                    hit -= sunk
            found[(HIT, ship) if told.ships else (HIT,)] += hit
        return found

    def sample(self, n: int, seed: int = 0) -> npt.NDArray[np.int32]:
        """Draw layouts, exactly uniform on those that agree with all answers.

        Sample number i depends on the seed and i alone, not on ``n``.

        Parameters
        ----------
        n : int
        seed : int

        Returns
        -------
        ndarray of int32, shape (n, ships)
            A slot code for each ship, in fleet order, as samplers of `bsbench.layouts` draw them.
        """
        evidence, tables = self.evidence, self.evidence.tables
        if self.parts:
            return self._sample_of_parts(n, seed)
        key = stream_key("samples of a posterior", seed)
        if self.method == "joins":
            samples = Joins(evidence).sample(key, self.layouts, n)
        else:
            samples = Unsettled(evidence).sample(key, n)
        key = stream_key("equal ships of a posterior", seed)
        for alike in evidence.classes:
            if len(alike) > 1:
                exchange(key, np.array(alike), samples)
        return tables.code[tables.kind, samples].astype(np.int32)

    def _sample_of_parts(self, n: int, seed: int) -> npt.NDArray[np.int32]:
        """Draw a part for each sample, and the layout from it."""
        key = int(stream_key("parts of a posterior", seed))
        ends = list(accumulate(times * part.layouts for times, part in self.parts))
        ranks = [Random(key + index).randrange(self.layouts) for index in range(n)]
        chosen = np.array([bisect_right(ends, rank) for rank in ranks], np.int64)
        drawn = np.array([part.sample(n, seed) for _, part in self.parts])
        samples = drawn[chosen, np.arange(n)].astype(np.int64)
        for alike in self.evidence.unlettered.values():
            exchange(stream_key("equal ships of parts", seed), np.array(alike), samples)
        return samples.astype(np.int32)


def find_posterior(
    evidence: Evidence,
    progress: Watch = ignored,
    allowance: Allowance | None = None,
) -> Posterior:
    """Count the layouts that agree with what shots revealed; or look them up: see `stored`.

    Parameters and errors are those of `compute_posterior`.
    """
    kept = find_stored(evidence)
    if kept is not None:
        return _posterior(evidence, *kept)
    return compute_posterior(evidence, progress, allowance)


def find_agreeing(
    rules: Rules, answers: Sequence[AnyAnswer], progress: Watch = ignored
) -> Posterior:
    """Count the layouts that agree with answers.

    Raises
    ------
    Contradiction
        If there is none: the sentence names the first answer that can't be.
    BsbenchError
        As `Evidence` and `compute_posterior` do.
    """
    evidence = Evidence(rules, answers)
    try:
        return find_posterior(evidence, progress)
    except Contradiction:
        progress(Progress("looking for the answer that can't be"))
    possible, impossible = 0, len(answers)
    while impossible - possible > 1:
        middle = (possible + impossible) // 2
        try:
            find_posterior(Evidence(rules, answers[:middle]))
            possible = middle
        except Contradiction:
            impossible = middle
    before = "answer" if possible == 1 else f"{possible} answers"
    raise Contradiction(
        f"{answer_text(answers[possible], rules)} is impossible: no layout agrees with it"
        + (f" and the {before} before it" if possible else "")
    )


def has_none(rules: Rules, barred: Iterable[int]) -> bool:
    """Return whether no layout keeps off some cells, as far as a second of counting shows."""
    misses = [Answer(cell, MISS) for cell in barred]
    try:
        find_posterior(Evidence(rules.layout_rules, misses), allowance=Allowance(1e9))
    except BsbenchError as error:
        return isinstance(error, Contradiction)
    return False


def compute_posterior(
    evidence: Evidence,
    progress: Watch = ignored,
    allowance: Allowance | None = None,
) -> Posterior:
    """Count the layouts that agree with what shots revealed.

    Parameters
    ----------
    evidence : Evidence
        Not changed, and to be left as it is.
    progress : callable, optional
        Called every now and then, where it takes long.
    allowance : Allowance, optional
        Steps that it may take, which are taken off. Default: any number.

    Raises
    ------
    Contradiction
        If there is none.
    OutOfReach
        If they are too many, the board is too large, or the steps do not suffice.
    """
    progress(Progress("counting layouts"))
    allowance = allowance or Allowance()
    if evidence.stories:
        return _posterior_of_stories(evidence, progress, allowance)
    method, found = "joins", None
    if within_joins(evidence):
        most = int(min(_work(evidence), max(allowance.left, 0)))
        found = Joins(evidence).count(most, allowance.take)
    if found is None:
        method = "frontier"
        found = Unsettled(evidence).count(progress, lambda ways: allowance.take(_WAY * ways))
    layouts, slots = found
    if layouts == 0:
        raise Contradiction("no layout agrees with all answers")
    return _posterior(evidence, layouts, slots, method)


def _posterior(evidence: Evidence, layouts: int, slots: npt.NDArray[Any], method: str) -> Posterior:
    labellings = math.prod(math.factorial(len(alike)) for alike in evidence.classes)
    found = Posterior(evidence.rules, layouts, layouts // labellings, slots, method, evidence)
    names = math.prod(
        math.perm(len(alike), len(evidence.sunk.intersection(alike)))
        for alike in evidence.unlettered.values()
    )
    return _joined(evidence, [(names, found)]) if evidence.unlettered else found


def _posterior_of_stories(evidence: Evidence, progress: Watch, allowance: Allowance) -> Posterior:
    parts: list[tuple[int, Posterior]] = []
    for times, story in evidence.stories:
        with suppress(Contradiction):
            parts.append((times, compute_posterior(story, progress, allowance)))
    if not parts:
        raise Contradiction("no layout agrees with all answers")
    return _joined(evidence.of([(times, part.evidence) for times, part in parts]), parts)


def _joined(evidence: Evidence, parts: Sequence[tuple[int, Posterior]]) -> Posterior:
    """Return what parts are together, where no answer tells equal ships apart."""
    layouts = sum(times * part.layouts for times, part in parts)
    unlabelled = sum(part.unlabelled for _, part in parts)
    slots = np.sum([times * part.slots for times, part in parts], axis=0)
    for alike in evidence.unlettered.values():
        slots[alike] = slots[alike].sum(axis=0) // len(alike)
    method = min(part.method for _, part in parts)
    return Posterior(evidence.rules, layouts, unlabelled, slots, method, evidence, tuple(parts))


def within_joins(evidence: Evidence) -> bool:
    """Return whether the numbers of joins stay within 64 bits."""
    numbers = [len(evidence.slots_of(ship)) for ship in range(len(evidence.rules.fleet))]
    return (
        len(numbers) <= MOST_SHIPS
        and len(evidence.open_hits) <= MOST_HITS
        and math.prod(numbers) * len(numbers) < 1 << 64
    )


def _work(evidence: Evidence) -> int:
    """Return how many words may be joined before frontiers are tried."""
    ships = range(len(evidence.rules.fleet))
    several = sum(len(evidence.slots_of(ship)) > 1 for ship in ships)
    return _WORK if several <= FEW_SHIPS else _LITTLE_WORK
