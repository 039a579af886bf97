"""How likely each cell held a ship before each shot of a game: what could be known then.

Positions are counted exactly (`bsbench.counting`) from the last one back: the later, the fewer
layouts are left. Where that takes more effort than is allowed, and under placement laws other than
``uniform``, random layouts of the law stand in that agree with the answers so far: exactly the
right law, with an error that their number says. They become rare after some shots, so that
positions in the middle of a game may have neither.

Effort is counted in steps and never timed: the same game has the same chances on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.counting.evidence import Evidence
from bsbench.counting.posterior import Allowance, find_posterior
from bsbench.play.game import Move, answers_of, turns_of
from bsbench.play.samplers import make_sampler
from bsbench.rules.board import MISS, NOTHING, SUNK, Rules
from bsbench.rules.position import AnyAnswer
from bsbench.rules.scenario import Scenario
from bsbench.rules.slots import read_slot, slot_code
from bsbench.stats.intervals import NORMAL_95

EFFORT = 4.0
"""For the positions of a page: enough to count all of a few games on 10x10 cells with five ships,
which may touch."""

_STEPS = 1_000_000_000
"""Steps of counting in a unit of effort: they take about a second."""

_FEWEST_SAMPLES = 2_000
"""Random layouts from which chances are estimated: 95 % intervals of ±2.2 points at most."""

_SAMPLES, _FEW_SAMPLES = 400_000, 100_000
"""Random layouts that are drawn on 100 cells; by a slow sampler fewer."""

_GROWTH = 1.5
"""How many times the steps of the position after it one may take to be counted."""

_SEED = 9001
"""Of the random layouts: any number that users hardly choose, so that theirs is not among them."""


@dataclass(frozen=True, eq=False)
class CellChances:
    """How likely each cell holds a ship in a position.

    Attributes
    ----------
    cells : ndarray of float64, shape (cells,)
        Of cells not shot yet; -1 for the others.
    samples : int
        Random layouts from which it is estimated; 0 where all layouts were counted.
    halves : ndarray of float64, shape (2, cells), or None
        The same from either half of the random layouts.
    layouts : int
        Layouts that were counted, with distinguishable ships; 0 where it is estimated.
    """

    cells: npt.NDArray[np.float64]
    samples: int = 0
    halves: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    layouts: int = 0

    @property
    def best(self) -> int:
        """The most likely cell; of several, the first."""
        return int(np.argmax(self.cells))

    @property
    def is_clear(self) -> bool:
        """Whether that is the most likely cell: an estimate must lead by four standard errors."""
        second, first = np.sort(np.append(self.cells, 0.0))[-2:]
        # In a layout, the difference of two cells is 0 or 1: its square is at most their sum.
        return not self.samples or first - second > 4 * math.sqrt((first + second) / self.samples)

    def error(self, cell: int) -> float:
        """Return how far an estimate is off at most, in 95 % of cases."""
        # None of 2,000 is not none at all.
        spread = max(self.cells[cell] * (1 - self.cells[cell]), 1 / self.samples)
        return NORMAL_95 * math.sqrt(spread / self.samples)

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
    """Finds the chances before each shot of games under the same rules, with some effort.

    Parameters
    ----------
    scenario : Scenario
    effort : float
        For all games together, in units that take about a second.
    """

    def __init__(self, scenario: Scenario, effort: float = EFFORT) -> None:
        self._scenario = scenario
        self._left = effort * _STEPS
        # Games with the same first shots and answers share positions.
        self._known: dict[frozenset[AnyAnswer], CellChances] = {}
        self._codes: npt.NDArray[np.int32] | None = None

    def find(self, moves: Sequence[Move], share: float = 1.0) -> tuple[CellChances | None, ...]:
        """Return the chances before each shot of a game; None where they are not known.

        Parameters
        ----------
        moves : sequence of Move
        share : float
            How much of the effort left the game may take.
        """
        given = share * self._left
        allowance = Allowance(given)
        found = self._count(moves, allowance)
        self._left -= given - max(allowance.left, 0.0)
        if None in found:
            drawn = self._estimate(moves)
            found = [each or other for each, other in zip(found, drawn, strict=True)]
        return tuple(_without(moves, shot, each) for shot, each in enumerate(found))

    def bits(
        self, moves: Sequence[Move], chances: Sequence[CellChances | None]
    ) -> tuple[float | None, ...]:
        """Return how much the answer to each turn told, in bits; None where that is not known.

        An answer after which one of 8 layouts is left has told 3 bits: its information in the
        sense of C. E. Shannon, "A Mathematical Theory of Communication" (1948).

        Parameters
        ----------
        moves : sequence of Move
        chances : sequence of CellChances or None
            What `find` returned for them.
        """
        if not moves:
            return ()
        answers = self._answers(moves, moves[-1].turn + 1)
        self._count_one(answers, Allowance(self._left))
        ends = self._known.get(frozenset(answers))
        firsts = accumulate(map(len, turns_of(moves)[:-1]), initial=0)
        positions = [*(chances[shot] for shot in firsts), ends]
        return tuple(_bits(before, after) for before, after in pairwise(positions))

    def _count(self, moves: Sequence[Move], allowance: Allowance) -> list[CellChances | None]:
        """Count positions from the last one back, while the next one is likely to be allowed."""
        found: list[CellChances | None] = [None] * len(moves)
        if self._scenario.placement.law != "uniform":
            return found
        took = 0.0
        for shot in reversed(range(len(moves))):
            answers = self._answers(moves, moves[shot].turn)
            key = frozenset(answers)
            before = allowance.left
            # The empty board is looked up where it takes long.
            if key not in self._known and (_GROWTH * took < before or not answers):
                self._count_one(answers, allowance)
                took = before - allowance.left
            found[shot] = self._known.get(key)
        return found

    def _answers(self, moves: Sequence[Move], turn: int) -> list[AnyAnswer]:
        """Return what was known before a turn: the answers of all turns before."""
        return answers_of(self._scenario.rules, [move for move in moves if move.turn < turn])

    def _count_one(self, answers: Sequence[AnyAnswer], allowance: Allowance) -> None:
        """Count the layouts of one position, unless that takes too many steps."""
        with suppress(BsbenchError):
            evidence = Evidence(self._scenario.rules, answers)
            found = find_posterior(evidence, allowance=allowance)
            self._known[frozenset(answers)] = CellChances(
                np.where(evidence.shot, -1.0, found.probabilities), layouts=found.layouts
            )

    def _estimate(self, moves: Sequence[Move]) -> list[CellChances | None]:
        """Estimate chances by random layouts, up to where too few agree with the answers."""
        rules = self._scenario.rules
        codes = self._codes = self._draw() if self._codes is None else self._codes
        content = _contents(codes, rules)
        hits = np.zeros((len(codes), len(rules.fleet)), np.int16)
        shot = np.zeros(rules.cells, np.bool_)
        found: list[CellChances | None] = []
        for turn in turns_of(moves):
            if len(codes) < _FEWEST_SAMPLES:
                break
            ships = content >= 0
            halves = np.array([ships[half::2].mean(axis=0) for half in (0, 1)])
            cells = ships.mean(axis=0)
            halves[:, shot] = cells[shot] = -1.0
            found += [CellChances(cells, len(codes), halves)] * len(turn)
            new = [move for move in turn if not shot[move.cell]]
            shot[[move.cell for move in turn]] = True
            if rules.joint:
                at = content[:, [move.cell for move in turn]]
                counts = [(at == ship).sum(axis=1) for ship in range(len(rules.fleet))]
                agree = (np.transpose(counts) == turn[0].hits).all(axis=1)
                codes, content, hits = codes[agree], content[agree], hits[agree]
                continue
            for move in new:
                agree = _agree(move, content[:, move.cell], codes, hits, rules)
                codes, content, hits = codes[agree], content[agree], hits[agree]
        return found + [None] * (len(moves) - len(found))

    def _draw(self) -> npt.NDArray[np.int32]:
        """Draw random layouts of the placement law."""
        rules = self._scenario.rules
        sampler = make_sampler(rules, self._scenario.placement)
        samples = _FEW_SAMPLES if sampler.is_slow else _SAMPLES
        return sampler.draw(_SEED, 0, samples * 100 // max(100, rules.cells))


def _without(moves: Sequence[Move], shot: int, chances: CellChances | None) -> CellChances | None:
    """Return the chances without the cells that the same turn has shot before."""
    cells = [move.cell for move in moves[:shot] if move.turn == moves[shot].turn]
    if chances is None or not cells:
        return chances
    left, halves = chances.cells.copy(), chances.halves
    left[cells] = -1.0
    if halves is not None:
        halves = halves.copy()
        halves[:, cells] = -1.0
    return replace(chances, cells=left, halves=halves)


def _bits(before: CellChances | None, after: CellChances | None) -> float | None:
    """Return what an answer told, if positions before and after it are known in the same way."""
    if before is None or after is None or (before.samples > 0) != (after.samples > 0):
        return None
    known, left = before.samples or before.layouts, after.samples or after.layouts
    return math.log2(known) - math.log2(left)


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
    if rules.reveals.sinkings:
        sinks = np.zeros(len(ship), np.bool_)
        sinks[struck] = hits[struck, ship[struck]] == np.array(rules.fleet)[ship[struck]]
        agree &= sinks == (move.outcome == SUNK)
    if move.ship is not None:
        # Of equal ships, it may not be told which has sunk.
        alike = np.array(rules.fleet) == rules.fleet[move.ship]
        agree &= ship == move.ship if rules.feedback.reveals.cells else alike[ship]
    if move.sunk:
        agree &= codes[np.arange(len(ship)), ship] == slot_code(sorted(move.sunk))
    return agree
