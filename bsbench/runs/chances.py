"""How likely each cell held a ship before each shot of a game: what could be known then.

Positions are counted exactly (`bsbench.counting`) from the last one back: the later, the fewer
layouts are left. Where time runs out, and under placement laws other than ``uniform``, random
layouts of the law stand in that agree with the answers so far: exactly the right law, with an error
that their number says. They become rare after some shots, so that positions in the middle of a
game may have neither.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.counting.evidence import Answer, Evidence
from bsbench.counting.posterior import find_posterior
from bsbench.play.game import Move
from bsbench.play.samplers import make_sampler
from bsbench.rules.board import MISS, NOTHING, SUNK, Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.rules.slots import read_slot, slot_code

SECONDS = 4.0
"""Time for the positions of a page: enough to count all of a few games on 10x10 cells with five
ships, which may touch."""

_FEWEST_SAMPLES = 2_000
"""Random layouts from which chances are estimated: 95 % intervals of ±2.2 points at most."""

_SAMPLES, _AT_ONCE = 400_000, 20_000
"""Random layouts that are drawn at most on 100 cells, and at once."""

_COUNTED = 0.75
"""Share of the time after which counting ends and drawing begins."""

_COMPILING = 20.0
"""Seconds that compiling may take, the first time."""

_GROWTH = 1.5
"""How many times longer than the position after it one may take to be counted."""

_SEED = 9001
"""Of the random layouts: any number that users hardly choose, so that theirs is not among them."""


@dataclass(frozen=True, eq=False)
class Chances:
    """How likely each cell holds a ship in a position.

    Attributes
    ----------
    cells : ndarray of float64, shape (cells,)
        Of cells not shot yet; -1 for the others.
    samples : int
        Random layouts from which it is estimated; 0 where all layouts were counted.
    halves : ndarray of float64, shape (2, cells), or None
        The same from either half of the random layouts.
    """

    cells: npt.NDArray[np.float64]
    samples: int = 0
    halves: npt.NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def best(self) -> int:
        """The most likely cell; of several, the first."""
        return int(np.argmax(self.cells))

    def lost(self, cell: int) -> float:
        """Return how much less likely a cell holds a ship than the most likely one.

        The greatest of several estimates is too great on average. So one half of the random
        layouts chooses the cell, and the other half says how likely it is.
        """
        if self.halves is None:
            return float(self.cells.max() - self.cells[cell])
        chooses, says = self.halves
        return max(0.0, float(says[np.argmax(chooses)] - says[cell]))


class ChanceFinder:
    """Finds the chances before each shot of games under the same rules, within some time.

    Parameters
    ----------
    scenario : Scenario
    seconds : float
        For all games together: processor time, so that a busy machine finds out as much.
    """

    def __init__(self, scenario: Scenario, seconds: float = SECONDS) -> None:
        self._scenario = scenario
        self._left = seconds
        # Games with the same first shots and answers share positions.
        self._known: dict[frozenset[Answer], Chances] = {}
        self._codes: npt.NDArray[np.int32] | None = None

    def find(self, moves: Sequence[Move], share: float = 1.0) -> tuple[Chances | None, ...]:
        """Return the chances before each shot of a game; None where they are not known.

        Parameters
        ----------
        moves : sequence of Move
        share : float
            How much of the time left the game may take.
        """
        if not self._known and self._scenario.placement.law == "uniform":
            # The first time on a machine compiles kernels, which is no part of the time.
            answers = [_answer(move) for move in moves]
            for part in (3, 2):
                late = time.thread_time() + _COMPILING + self._left
                self._count_one(answers[: len(answers) * part // 4], late)
                if not self._known:
                    # Positions of fewer shots take longer still.
                    break
        begun = time.thread_time()
        end = begun + share * self._left
        found = self._count(moves, begun + _COUNTED * (end - begun))
        if None in found:
            drawn = self._estimate(moves, end)
            found = [each or other for each, other in zip(found, drawn, strict=True)]
        self._left = max(0.0, self._left - (time.thread_time() - begun))
        return tuple(found)

    def _count(self, moves: Sequence[Move], end: float) -> list[Chances | None]:
        """Count positions from the last one back, while the next one is likely to be in time."""
        found: list[Chances | None] = [None] * len(moves)
        if self._scenario.placement.law != "uniform":
            return found
        answers, took = [_answer(move) for move in moves], 0.0
        for shot in reversed(range(len(moves))):
            key = frozenset(answers[:shot])
            at = time.thread_time()
            # The empty board is looked up where it takes long.
            if key not in self._known and (at + _GROWTH * took < end or not shot):
                self._count_one(answers[:shot], end)
                took = time.thread_time() - at
            found[shot] = self._known.get(key)
        return found

    def _count_one(self, answers: Sequence[Answer], end: float) -> None:
        """Count the layouts of one position, unless that takes too long."""

        def check(text: str = "") -> None:
            if time.thread_time() > end:
                raise _LateError

        with suppress(_LateError, BsbenchError):
            evidence = Evidence(self._scenario.rules, answers)
            probabilities = find_posterior(evidence, check).probabilities
            self._known[frozenset(answers)] = Chances(np.where(evidence.shot, -1.0, probabilities))

    def _estimate(self, moves: Sequence[Move], end: float) -> list[Chances | None]:
        """Estimate chances by random layouts, up to where too few agree with the answers."""
        rules = self._scenario.rules
        codes = self._codes = self._draw(end) if self._codes is None else self._codes
        content = _contents(codes, rules)
        hits = np.zeros((len(codes), len(rules.fleet)), np.int16)
        shot = np.zeros(rules.cells, np.bool_)
        found: list[Chances | None] = [None] * len(moves)
        for number, move in enumerate(moves):
            if len(codes) < _FEWEST_SAMPLES:
                break
            ships = content >= 0
            halves = np.array([ships[half::2].mean(axis=0) for half in (0, 1)])
            cells = ships.mean(axis=0)
            halves[:, shot] = cells[shot] = -1.0
            found[number] = Chances(cells, len(codes), halves)
            shot[move.cell] = True
            agree = _agree(move, content[:, move.cell], codes, hits, rules)
            codes, content, hits = codes[agree], content[agree], hits[agree]
        return found

    def _draw(self, end: float) -> npt.NDArray[np.int32]:
        """Draw random layouts of the placement law, until there are enough or it is late."""
        rules = self._scenario.rules
        sampler = make_sampler(rules, self._scenario.placement)
        most = _SAMPLES * 100 // max(100, rules.cells)
        parts: list[npt.NDArray[np.int32]] = []
        for first in range(0, most, _AT_ONCE):
            if parts and time.thread_time() > end:
                break
            parts.append(sampler.draw(_SEED, first, _AT_ONCE))
        return np.concatenate(parts)


class _LateError(Exception):
    """The time for counting is over."""


def _answer(move: Move) -> Answer:
    slot = slot_code(sorted(move.sunk)) if move.sunk else NOTHING
    return Answer(move.cell, move.outcome, NOTHING if move.ship is None else move.ship, slot)


def _contents(codes: npt.NDArray[np.int32], rules: Rules) -> npt.NDArray[np.int16]:
    """Return the index of the ship on each cell of layouts, -1 for none."""
    content = np.full((len(codes), rules.cells), NOTHING, np.int16)
    everyone = np.arange(len(codes))
    for ship, length in enumerate(rules.fleet):
        first, step = read_slot(codes[:, ship], rules.cols)
        for place in range(length):
            content[everyone, first + place * step] = ship
    return content


def _agree(
    move: Move,
    ship: npt.NDArray[np.int16],
    codes: npt.NDArray[np.int32],
    hits: npt.NDArray[np.int16],
    rules: Rules,
) -> npt.NDArray[np.bool_]:
    """Return which layouts answer a shot as it was answered, and note the hits, in place.

    Parameters
    ----------
    move : Move
    ship : ndarray of int16, shape (layouts,)
        The ship on the cell of the shot, -1 for none.
    codes : ndarray of int32, shape (layouts, ships)
    hits : ndarray of int16, shape (layouts, ships)
        How often each ship was hit before.
    """
    if move.outcome == MISS:
        return ship < 0
    agree = ship >= 0
    (struck,) = np.nonzero(agree)
    hits[struck, ship[struck]] += 1
    if rules.feedback >= Feedback.SUNK:
        sinks = np.zeros(len(ship), np.bool_)
        sinks[struck] = hits[struck, ship[struck]] == np.array(rules.fleet)[ship[struck]]
        agree &= sinks == (move.outcome == SUNK)
    if move.ship is not None:
        agree &= ship == move.ship
    if move.sunk:
        agree &= codes[:, move.ship] == slot_code(sorted(move.sunk))
    return agree
