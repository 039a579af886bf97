"""How likely each layout is after some shots: every layout left is equally likely."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.counting.evidence import Contradiction, Evidence
from bsbench.counting.joins import MOST_HITS, MOST_SHIPS, Joins
from bsbench.counting.sweep import MOST_BITS, OutOfReach, Ships, Sweep
from bsbench.counting.tables import members
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.slots import read_slot

MOST_BYTES = 2 << 30
"""Memory that the sweep may take."""

FEW_SHIPS = 5
"""Up to so many ships with several slots, joins are faster than the sweep, always."""

_WORK, _LITTLE_WORK = 6_000_000_000, 200_000_000
"""Words joined before joins are given up, of few ships and of more."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """The layouts that agree with what shots revealed, counted exactly.

    Made by `find_posterior`. Before the first shot, these are all layouts, equally likely: the
    law ``uniform``.

    Attributes
    ----------
    rules : Rules
    layouts : int
        Layouts, ships of equal length told apart.
    unlabelled : int
        Layouts, ships not told apart that have the same length and the same possible slots.
    slots : ndarray of object, shape (ships, 64 * words)
        For each ship, the layouts in which it lies in each slot of its kind: whole numbers.
    method : str
        How they were counted: ``joins`` or ``sweep``.
    evidence : Evidence
    """

    rules: Rules
    layouts: int
    unlabelled: int
    slots: npt.NDArray[Any] = field(repr=False)
    method: str
    evidence: Evidence = field(repr=False)

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
    def probabilities(self) -> npt.NDArray[np.float64]:
        """The probability of a ship on each cell: float64, shape (cells,)."""
        return np.array([int(count) / self.layouts for count in self.cells])

    def outcomes(self, cell: int) -> list[int]:
        """Return the layouts by what a shot at a cell would reveal; ships of a class are one.

        The first number is that of misses. Which of several equal ships is hit or sunk is no
        news, as long as nothing else tells them apart.

        Parameters
        ----------
        cell : int
            A cell that was shot before reveals nothing: then all layouts are in one number.
        """
        evidence = self.evidence
        if evidence.shot[cell]:
            return [self.layouts]
        sinking: list[int] = []
        hits: list[int] = []
        for alike in evidence.classes:
            ship = alike[0]
            hit = len(alike) * int(self.ships[ship, cell])
            if self.rules.feedback >= Feedback.SUNK:
                sunk = [
                    len(alike) * int(self.slots[ship, slot])
                    for slot in members(evidence.last_cell(ship, cell))
                ]
                sinking += sunk
                hit -= sum(sunk)
            hits.append(hit)
        if self.rules.feedback < Feedback.SHIP:
            hits = [sum(hits)]
        return [self.layouts - int(self.cells[cell]), *hits, *sinking]


def find_posterior(
    evidence: Evidence, progress: Callable[[str], object] = lambda text: None
) -> Posterior:
    """Count the layouts that agree with what shots revealed.

    Parameters
    ----------
    evidence : Evidence
        Not changed, and to be left as it is.
    progress : callable, optional
        Called with a line of text, every now and then, where it takes long.

    Raises
    ------
    Contradiction
        If there is none.
    OutOfReach
        If they are too many, or the board is too large.
    """
    progress("counting layouts")
    by_joins = _count_by_joins(evidence)
    layouts, slots, method = (
        (*by_joins, "joins") if by_joins else (*_count_by_sweep(evidence, progress), "sweep")
    )
    if layouts == 0:
        raise Contradiction("no layout agrees with all answers")
    labellings = math.prod(math.factorial(len(alike)) for alike in evidence.classes)
    return Posterior(evidence.rules, layouts, layouts // labellings, slots, method, evidence)


def _count_by_joins(evidence: Evidence) -> tuple[int, npt.NDArray[Any]] | None:
    """Return layouts, and those by ship and slot; None where that takes too long."""
    numbers = [len(evidence.slots_of(ship)) for ship in range(len(evidence.rules.fleet))]
    if (
        len(numbers) > MOST_SHIPS
        or len(evidence.open_hits) > MOST_HITS
        or math.prod(numbers) * len(numbers) >= 1 << 64
    ):
        return None
    several = sum(number > 1 for number in numbers)
    joins = Joins(evidence)
    layouts = joins.count(_WORK if several <= FEW_SHIPS else _LITTLE_WORK)
    return None if layouts is None else (layouts, joins.counts.astype(object))


class _Settled:
    """Ships with one slot are laid, and take their room from the others, until nothing changes.

    Attributes
    ----------
    laid : dict of int to int
        The slot of each ship that is laid.
    possible : ndarray of uint64, shape (ships, words)
        What remains possible for the others.
    fits : bool
        Whether every ship still has a slot.
    """

    def __init__(self, evidence: Evidence) -> None:
        tables = evidence.tables
        self.possible = evidence.possible.copy()
        self.laid: dict[int, int] = {}
        self.fits = True
        ships = range(len(evidence.rules.fleet))
        while self.fits:
            single = (ship for ship in ships if ship not in self.laid and self._one(ship))
            ship = next(single, None)
            if ship is None:
                return
            (slot,) = members(self.possible[ship])
            self.laid[ship] = slot
            others = [other for other in ships if other != ship]
            self.possible[others] &= tables.keep[tables.kind[ship], slot, tables.kind[others]]
            self.fits = bool(self.possible.any(axis=1).all())

    def _one(self, ship: int) -> bool:
        return len(members(self.possible[ship])) == 1


def _count_by_sweep(
    evidence: Evidence, progress: Callable[[str], object]
) -> tuple[int, npt.NDArray[Any]]:
    """Return layouts, and those by ship and slot."""
    rules = evidence.rules
    settled = _Settled(evidence)
    slots = np.zeros((len(rules.fleet), 64 * settled.possible.shape[1]), object)
    if not settled.fits:
        return 0, slots
    swept = _Swept(evidence, settled)
    total, counts = swept.count(progress)
    for alike, by_slot in zip(swept.classes, counts, strict=True):
        for slot, count in by_slot.items():
            slots[alike, slot] = count * swept.labellings // len(alike)
    layouts = total * swept.labellings
    for ship, slot in settled.laid.items():
        slots[ship, slot] = layouts
    return layouts, slots


class _Swept:
    """A sweep over what is not settled. The board is turned so that its shorter side is across."""

    def __init__(self, evidence: Evidence, settled: _Settled) -> None:
        rules, tables = evidence.rules, evidence.tables
        self._rules = rules
        self._turned = rules.cols > rules.rows
        free: dict[tuple[int, bytes], list[int]] = {}
        must = set(np.flatnonzero(evidence.hit).tolist())
        for ship, length in enumerate(rules.fleet):
            if ship in settled.laid:
                first, step = read_slot(
                    int(tables.code[tables.kind[ship], settled.laid[ship]]), rules.cols
                )
                must -= set(range(first, first + step * length, step))
            else:
                free.setdefault((length, settled.possible[ship].tobytes()), []).append(ship)
        self.classes = list(free.values())
        """Ships that nothing tells apart."""
        self._must = [self._turn(cell) for cell in must]
        self._slots = []
        for alike in self.classes:
            numbers = members(settled.possible[alike[0]])
            codes = tables.code[tables.kind[alike[0]], numbers].tolist()
            places = [(self._turn(code >> 1), self._direction(code, alike[0])) for code in codes]
            self._slots.append(dict(zip(numbers, places, strict=True)))
        self.labellings = math.prod(math.factorial(len(alike)) for alike in self.classes)

    def _turn(self, cell: int) -> int:
        if not self._turned:
            return cell
        row, col = divmod(cell, self._rules.cols)
        return col * self._rules.rows + row

    def _direction(self, code: int, ship: int) -> int:
        if self._rules.fleet[ship] == 1:
            return 0
        # On a board of one column, the code has 0 for a ship down it.
        down = code & 1 or self._rules.cols == 1
        return int(down != self._turned)

    def _sweep(self) -> Sweep:
        rules = self._rules
        longest = max(rules.fleet[alike[0]] for alike in self.classes)
        rows, cols = (rules.cols, rules.rows) if self._turned else (rules.rows, rules.cols)
        if Sweep.bits_of(cols, longest, rules.touching) > MOST_BITS:
            raise OutOfReach(
                f"the {rules.board} board is too large to count the layouts of "
                f"{len(rules.fleet)} ships: one side may have 20 cells or so"
            )
        # Usages overflow only where the layouts would.
        bound = math.prod(
            math.comb(len(slots), len(alike))
            for alike, slots in zip(self.classes, self._slots, strict=True)
        )
        if bound >= 1 << 64:
            raise OutOfReach(
                f"the layouts of the fleet {rules.fleet_text} on the {rules.board} board may be "
                "2^64 or more, too many to be counted: take a smaller board, or fewer ships"
            )
        classes = [
            Ships(rules.fleet[alike[0]], len(alike), list(slots.values()))
            for alike, slots in zip(self.classes, self._slots, strict=True)
        ]
        return Sweep(rows, cols, rules.touching, classes, self._must, MOST_BYTES)

    def count(self, progress: Callable[[str], object]) -> tuple[int, list[dict[int, int]]]:
        """Return layouts, ships of a class not told apart, and those by class and slot."""
        if not self.classes:
            return int(not self._must), []
        rows = 2 * max(self._rules.rows, self._rules.cols)
        passed = 0

        def report(row: int) -> None:
            nonlocal passed
            progress(f"counting layouts: {passed / rows:.0%}")
            passed += 1

        total, counts = self._sweep().count(report)
        return total, [
            {slot: int(counts[kind, down, first]) for slot, (first, down) in slots.items()}
            for kind, slots in enumerate(self._slots)
        ]
