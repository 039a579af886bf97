"""Counts of a position by frontiers: which ships are to be laid, and how the board lies."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.progress import Progress, Watch
from bsbench.counting.evidence import Evidence
from bsbench.counting.frontier import MOST_BITS, MOST_BYTES, Frontier, OutOfReach, Ships
from bsbench.counting.tables import Bits, members
from bsbench.rules.slots import slot_cells


def _settled(evidence: Evidence) -> tuple[dict[int, int], Bits, bool]:
    """Lay the ships with one slot, which take their room from the others, until nothing changes.

    Returns
    -------
    laid : dict of int to int
        The slot of each ship that is laid.
    possible : ndarray of uint64, shape (ships, words)
        What remains possible for the others.
    fits : bool
        Whether every ship still has a slot.
    """
    tables, possible = evidence.tables, evidence.possible.copy()
    laid: dict[int, int] = {}
    ships = range(len(evidence.rules.fleet))
    while possible.any(axis=1).all():
        slots = {ship: members(possible[ship]) for ship in ships if ship not in laid}
        ship = next((ship for ship in slots if len(slots[ship]) == 1), None)
        if ship is None:
            return laid, possible, True
        (laid[ship],) = slots[ship]
        others = [other for other in ships if other != ship]
        possible[others] &= tables.keep[tables.kind[ship], laid[ship], tables.kind[others]]
    return laid, possible, False


class Unsettled:
    """Counts the places of the ships that are not settled, by frontiers.

    The board is turned so that its shorter side is across.

    Parameters
    ----------
    evidence : Evidence
    """

    def __init__(self, evidence: Evidence) -> None:
        rules, tables = evidence.rules, evidence.tables
        self._laid, self._possible, self._fits = _settled(evidence)
        self._rules = rules
        self._turned = rules.cols > rules.rows
        free: dict[tuple[int, bytes], list[int]] = {}
        must = set(np.flatnonzero(evidence.hit).tolist())
        for ship, length in enumerate(rules.fleet):
            if ship in self._laid:
                code = int(tables.code[tables.kind[ship], self._laid[ship]])
                must -= set(slot_cells(code, length, rules.cols))
            else:
                free.setdefault((length, self._possible[ship].tobytes()), []).append(ship)
        # Ships that nothing distinguishes.
        self._classes = list(free.values())
        self._must = [self._turn(cell) for cell in must]
        self._slots = []
        for alike in self._classes:
            numbers = members(self._possible[alike[0]])
            codes = tables.code[tables.kind[alike[0]], numbers].tolist()
            places = [(self._turn(code >> 1), self._direction(code, alike[0])) for code in codes]
            self._slots.append(dict(zip(numbers, places, strict=True)))
        self._labellings = math.prod(math.factorial(len(alike)) for alike in self._classes)

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

    def _frontier(self, take: Callable[[int], object] = lambda steps: None) -> Frontier:
        rules = self._rules
        longest = max(rules.fleet[alike[0]] for alike in self._classes)
        rows, cols = (rules.cols, rules.rows) if self._turned else (rules.rows, rules.cols)
        if Frontier.bits_of(cols, longest, rules.apart) > MOST_BITS:
            raise OutOfReach(
                f"the {rules.board} board is too large to count the layouts of "
                f"{len(rules.fleet)} ships: one side may have 20 cells or so"
            )
        # Usages overflow only where the layouts would.
        bound = math.prod(
            math.comb(len(slots), len(alike))
            for alike, slots in zip(self._classes, self._slots, strict=True)
        )
        if bound >= 1 << 64:
            raise OutOfReach(
                f"the layouts of the fleet {rules.fleet_text} on the {rules.board} board may be "
                "2^64 or more, too many to be counted: take a smaller board, or fewer ships"
            )
        classes = [
            Ships(rules.fleet[alike[0]], len(alike), list(slots.values()))
            for alike, slots in zip(self._classes, self._slots, strict=True)
        ]
        return Frontier(rows, cols, rules.apart, classes, self._must, MOST_BYTES, take)

    def count(self, progress: Watch, take: Callable[[int], object]) -> tuple[int, npt.NDArray[Any]]:
        """Count the layouts, with distinguishable ships.

        Parameters
        ----------
        progress : callable
            Called every now and then.
        take : callable
            See `Frontier`.

        Returns
        -------
        layouts : int
        slots : ndarray of object, shape (ships, 64 * words)
            Those with each ship in each slot of its kind: whole numbers.

        Raises
        ------
        OutOfReach
            If they are too many, or the board is too large.
        """
        slots = np.zeros((len(self._rules.fleet), 64 * self._possible.shape[1]), object)
        if not self._fits:
            return 0, slots
        layouts = int(not self._must)
        if self._classes:
            layouts, counts = self._frontier(take).count(self._in_percent(progress))
            for kind, (alike, places) in enumerate(zip(self._classes, self._slots, strict=True)):
                for slot, (first, down) in places.items():
                    count = int(counts[kind, down, first]) * self._labellings // len(alike)
                    slots[alike, slot] = count
            layouts *= self._labellings
        for ship, slot in self._laid.items():
            slots[ship, slot] = layouts
        return layouts, slots

    def sample(self, key: np.uint64, n: int) -> npt.NDArray[np.int64]:
        """Return slots of ``n`` layouts: int64, shape (n, ships), numbers within the kind.

        Ships of a class stand for each other: the caller exchanges them at random.
        """
        samples = np.empty((n, len(self._rules.fleet)), np.int64)
        for ship, slot in self._laid.items():
            samples[:, ship] = slot
        if self._classes:
            drawn = self._frontier().sample(key, n)
            for alike, places in zip(self._classes, self._slots, strict=True):
                number_of = np.full(2 * self._rules.cells, -1, np.int64)
                for slot, (first, down) in places.items():
                    number_of[2 * first + down] = slot
                for ship in alike:
                    samples[:, ship] = number_of[drawn.pop(0)]
        return samples

    def _in_percent(self, progress: Watch) -> Callable[[int], object]:
        """Return what reports rows passed, forward and backward."""
        rows = 2 * max(self._rules.rows, self._rules.cols)
        passed = iter(range(rows))
        label = "counting layouts"
        return lambda row: progress(Progress(label, round(100 * next(passed) / rows), unit="%"))
