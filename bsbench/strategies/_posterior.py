"""What strategies that count all layouts share: evidence, scores, and a book of decisions.

A score is a whole number: the layouts with a ship on the cell, as `bsbench.counting.joins` counts
them, or one that follows from these.
"""

from __future__ import annotations

import hashlib
import itertools
import threading
from abc import abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, WriteError
from bsbench.common.files import write_bytes
from bsbench.counting.evidence import Evidence
from bsbench.counting.joins import MOST_HITS
from bsbench.counting.lanes import (
    MOST_WORK,
    OPEN,
    STRUCK,
    board_of,
    count_lane,
    forget,
    learn_shots,
    no_evidence,
    walk_of,
    work_at_most,
)
from bsbench.counting.posterior import compute_posterior
from bsbench.kernels._cache import closure, folder_for
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.book import BYTES_OF_ROW, Book, empty_book, fill, find, note
from bsbench.kernels.slots import read_slot
from bsbench.rules.board import MISS, NOTHING, SUNK, Feedback, Rules
from bsbench.rules.position import Answer
from bsbench.strategies.base import Cells, Insight, Strategy

# They stand there as they are explained there.
from bsbench.strategies.lattice import _CHECKERBOARD, _THREES
from bsbench.strategies.view import View

LIKELIEST, LATTICE, LENGTHS, INFORMATION = range(4)
"""What the score of a cell is while hunting; after that, all but `LENGTHS` shoot the likeliest."""

_UNIT = 1_000_000_000
"""Scores of `INFORMATION` are in parts of a bit: so ties are exact."""

_WHOLE = 1000
"""The factor of layouts that the pattern does not concern; k are in this unit."""

_REACH = 4
"""Water so far away does not matter to the pattern."""

_NOTED, _DEAR = 2_000, 50_000
"""Work, in words joined, from which on a decision is noted in the book, and in its file."""

_BOOK_BYTES, _DEAR_ROWS = 1 << 26, 1 << 18

_INSIGHTS = 4096
"""Insights that are remembered."""

_SAVED = 500_000_000
"""Work after which the file of a book is written again: a quarter of a second."""

_DIGEST = 32


class Pattern(NamedTuple):
    """How much water near a cell counts.

    Attributes
    ----------
    k : ndarray of int16, shape (2, 4, 4)
        By row and column difference, in thousandths: while a ship of 2 or less is afloat, and
        after that.
    near : ndarray of int16, shape (lanes, 2, cells)
        Sums of k over the water near each cell. Without a pattern, there are no lanes.
    """

    k: npt.NDArray[np.int16]
    near: npt.NDArray[np.int16]


def _pattern(lanes: int, cells: int) -> Pattern:
    k = np.zeros((2, _REACH, _REACH), np.int16)
    for table, values in zip(k, (_CHECKERBOARD, _THREES), strict=True):
        for (near, far), thousandths in values.items():
            table[near, far] = table[far, near] = thousandths
    return Pattern(k, np.zeros((lanes, 2, cells), np.int16))


@kernel
def _note_water(cell, outcome, ship, slot, board, evidence, pattern):
    """Add what the last shots showed to be water to the sums near it, before it is learned."""
    k, near, cols, cells = pattern.k, pattern.near, board.cols, evidence.mark.shape[1]
    for lane in range(len(cell)):
        if cell[lane] < 0 or evidence.mark[lane, cell[lane]] != OPEN:
            continue
        if outcome[lane] not in (MISS, SUNK):
            continue
        first, step, length = cell[lane], 1, 1
        if outcome[lane] == SUNK:
            first, step = read_slot(slot[lane], cols)
            length = board.tables.length[ship[lane]]
        for part in range(length):
            row, col = divmod(first + part * step, cols)
            for r in range(max(row - 3, 0), min(row + 4, cells // cols)):
                for c in range(max(col - 3, 0), min(col + 4, cols)):
                    for table in range(2):
                        near[lane, table, r * cols + c] += k[table, abs(r - row), abs(c - col)]


@kernel
def _forget_water(lanes, pattern):
    for lane in lanes:
        pattern.near[lane] = 0


@helper
def _is_hunting(lane, evidence):
    hunting = True
    for cell in range(evidence.mark.shape[1]):
        hunting &= evidence.mark[lane, cell] != STRUCK
    return hunting


@helper
def _weigh_layouts(lane, goal, hunting, board, evidence, walk, pattern, score):
    """Add up the layouts with a ship on each cell; those that the pattern concerns, weighed."""
    tables, counts = board.tables, walk.counts
    table = 1
    for ship in range(len(tables.kind)):
        if evidence.afloat[lane] >> ship & 1 and tables.length[ship] <= 2:
            table = 0
    for ship in range(len(tables.kind)):
        if not evidence.afloat[lane] >> ship & 1:
            continue
        kind, length = tables.kind[ship], tables.length[ship]
        weight = 1
        if goal == LENGTHS and hunting:
            weight = 1 if length >= 5 else 2
        elif goal == LENGTHS:
            weight = 2 if length >= 4 else 5
        for number in range(counts.shape[1]):
            layouts = np.int64(counts[ship, number])
            if layouts == 0:
                continue
            first, step = read_slot(tables.code[kind, number], board.cols)
            if goal in (LIKELIEST, INFORMATION):
                for part in range(length):
                    score[first + part * step] += layouts
                continue
            fresh = True
            for part in range(length):
                fresh &= evidence.mark[lane, first + part * step] != STRUCK
            for part in range(length):
                cell = first + part * step
                factor = np.int64(_WHOLE)
                if fresh:
                    factor += np.int64(pattern.near[lane, table, cell])
                score[cell] += layouts * weight * factor


@helper
def _weigh_information(lane, layouts, board, evidence, walk, some, score):
    """Score what the answer reveals while no hit is open; each hit says which ship it is on."""
    tables, cells = board.tables, len(score)
    total = np.float64(layouts)
    score[:] = 0
    # First the layouts without a ship, then the sum of n log2(n) over the answers.
    for cell in range(cells):
        some[0, cell] = total
        some[1, cell] = 0.0
    for kind in range(len(tables.all)):
        for cell in range(cells):
            some[2, cell] = 0.0
        for ship in range(len(tables.kind)):
            if tables.kind[ship] != kind or not evidence.afloat[lane] >> ship & 1:
                continue
            for number in range(walk.counts.shape[1]):
                count = np.float64(walk.counts[ship, number])
                if count > 0:
                    first, step = read_slot(tables.code[kind, number], board.cols)
                    for part in range(tables.length[ship]):
                        some[2, first + part * step] += count
        for cell in range(cells):
            count = some[2, cell]
            if count > 0:
                some[0, cell] -= count
                some[1, cell] += count * np.log2(count)
    for cell in range(cells):
        if some[0, cell] > 0:
            some[1, cell] += some[0, cell] * np.log2(some[0, cell])
        score[cell] = np.int64(np.rint((np.log2(total) - some[1, cell] / total) * _UNIT))


@kernel
def weigh(lane, goal, board, evidence, walk, pattern, some, score):
    """Count the possible layouts in a lane, and score all cells.

    Returns
    -------
    layouts : uint64
    work : int
        As of `count_layouts`.
    hunting : bool
        Whether no hit is open.
    """
    layouts, work = count_lane(lane, board, evidence, walk, MOST_WORK)
    score[:] = 0
    hunting = _is_hunting(lane, evidence)
    if goal == INFORMATION and hunting and layouts > 0:
        _weigh_information(lane, layouts, board, evidence, walk, some, score)
    else:
        _weigh_layouts(lane, goal, hunting, board, evidence, walk, pattern, score)
    return layouts, work, hunting


@helper
def _first_greatest(mark, score, without, is_information):
    """Return the first open cell of the greatest score; among equals, the likeliest.

    A shot that can only hit reveals as little as a shot that can only miss.
    """
    cell = -1
    for candidate in range(len(score)):
        if mark[candidate] == OPEN:
            better = cell < 0 or score[candidate] > score[cell]
            if not better and is_information and score[candidate] == score[cell]:
                better = without[candidate] < without[cell]
            if better:
                cell = candidate
    return cell


@kernel
def _choose(asked, begin, goal, board, evidence, walk, pattern, some, score, book, cells):
    """Choose a cell in each lane that is asked, from lane ``begin`` on.

    Returns
    -------
    int
        A lane that takes too much work, or -1.
    """
    lanes = len(asked)
    for index in range(begin, begin + lanes):
        lane = index - lanes if index >= lanes else index
        if not asked[lane]:
            continue
        cell = find(evidence.key[lane], book)
        if cell < 0:
            _, work, hunting = weigh(lane, goal, board, evidence, walk, pattern, some, score)
            if work > MOST_WORK:
                return lane
            cell = _first_greatest(
                evidence.mark[lane], score, some[0], goal == INFORMATION and hunting
            )
            if work >= _NOTED:
                note(evidence.key[lane], cell, work, _DEAR, book)
        cells[lane] = cell
    return -1


class SharedBook:
    """The book of a strategy under some rules: one in each process, with a file in the cache.

    Parameters
    ----------
    path : Path
        The file: a digest, and the dear rows. It is read if it is whole.

    Attributes
    ----------
    book : Book
    insights : dict of tuple of int to Insight
        Of dear positions, by their keys.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.insights: dict[tuple[int, ...], Insight] = {}
        self.book: Book = empty_book(_BOOK_BYTES, _DEAR_ROWS)
        self._lock = threading.Lock()
        self._tickets = itertools.count()
        fill(_read_rows(path), self.book)

    def first_lane(self, lanes: int) -> int:
        """Return with which lane to begin, another one for each thread: they share the work."""
        return int(lanes * (next(self._tickets) * 0.618 % 1))

    def save_now_and_then(self) -> None:
        """Write the file again if much was found since; a failure is ignored: it is a cache."""
        if self.book.counts[1] >= _SAVED and self._lock.acquire(blocking=False):
            with suppress(WriteError):
                self.save()
            self._lock.release()

    def save(self) -> None:
        """Write the file.

        Raises
        ------
        WriteError
            If it can't be written.
        """
        self.book.counts[1] = 0
        rows = self.book.dear[: self.book.counts[0]].astype("<u8").tobytes()
        write_bytes(self.path, _digest(rows) + rows)


def _digest(rows: bytes) -> bytes:
    return hashlib.blake2b(rows, digest_size=_DIGEST).digest()


def _read_rows(path: Path) -> npt.NDArray[np.uint64]:
    """Return the rows in a file; none if it is missing or damaged."""
    content = b""
    with suppress(OSError):
        if path.stat().st_size <= _DIGEST + _DEAR_ROWS * BYTES_OF_ROW:
            content = path.read_bytes()
    digest, rows = content[:_DIGEST], content[_DIGEST:]
    if len(rows) % BYTES_OF_ROW or digest != _digest(rows):
        rows = b""
    return np.frombuffer(rows, "<u8").astype(np.uint64).reshape(-1, 2)


_opening = threading.Lock()


def shared_book(strategy: Strategy, rules: Rules) -> SharedBook:
    """Return the book of a strategy under some rules, the same one for all threads."""
    with _opening:
        return _book_at(book_file(strategy, rules))


def book_file(strategy: Strategy, rules: Rules) -> Path:
    """Return where a book is kept: it depends on strategy, parameters, rules, and source files."""
    what = repr((strategy.name, sorted(strategy.parameters.items()), rules))
    digest = hashlib.blake2b(what.encode(), digest_size=8).hexdigest()
    sources = closure(Path(__file__).resolve())
    return folder_for("first-moves", sources) / f"{strategy.name}-{digest}"


# A book takes up to 68 MB.
@lru_cache(8)
def _book_at(path: Path) -> SharedBook:
    return SharedBook(path)


class _Stories:
    """Games in which ships have sunk whose cells are not told: see `Evidence.stories`.

    While there is one story, kernels count, as if it had been told. Then the lane is unclear, and
    its stories are counted in Python.

    Attributes
    ----------
    unclear : ndarray of bool, shape (lanes,)
    """

    def __init__(self, rules: Rules, lanes: int) -> None:
        self._rules = rules
        self._known = [Evidence(rules)] * lanes
        self.unclear = np.zeros(lanes, np.bool_)

    def begin(self, lanes: Cells) -> None:
        """Forget what was known."""
        self.unclear[lanes] = False
        for lane in lanes:
            self._known[lane] = Evidence(self._rules)

    def in_full(self, view: View) -> tuple[npt.NDArray[Any], ...]:
        """Return cell, outcome, ship and slot of a view, as if all were told; no unclear cells."""
        cell, ship, slot = view.cell.copy(), view.ship.copy(), view.slot.copy()
        for lane in np.flatnonzero(cell != NOTHING):
            known, outcome = self._known[lane], int(view.outcome[lane])
            if known.shot[cell[lane]]:
                continue
            before = known.sunk
            known.learn(Answer(int(cell[lane]), outcome, int(ship[lane])))
            (_, story), *others = known.stories
            self.unclear[lane] |= len(others) > 0
            if outcome == SUNK and not others and not self.unclear[lane]:
                (ship[lane],) = story.sunk - before
                (number,) = story.slots_of(ship[lane])
                slot[lane] = story.tables.code[story.tables.kind[ship[lane]], number]
        cell[self.unclear] = NOTHING
        return cell, view.outcome, ship, slot

    def scores(self, lane: int) -> npt.NDArray[np.float64]:
        """Return the probability of a ship on each cell of an unclear lane; 0 where it was shot."""
        known = self._known[lane]
        return compute_posterior(known).probabilities * ~known.shot


@dataclass
class CountingStrategy(Strategy):
    """A strategy that counts all layouts that agree with what was revealed."""

    source = "bsbench"
    uses = Feedback.SHIP
    home = "classic"
    limits = (
        "it counts all layouts at every shot, and there are too many, or a pattern needs the cells "
        "of ships that have sunk; choose another strategy, a smaller board, or fewer ships"
    )

    @property
    @abstractmethod
    def _goal(self) -> int:
        """What it scores: see `LIKELIEST`."""

    def fits(self, rules: Rules) -> bool:
        """Return whether the layouts can be counted within seconds, for each shot."""
        told = not rules.reveals.untold_cells or self._goal == LIKELIEST
        within = rules.ship_cells <= MOST_HITS or rules.reveals.ships
        return told and within and work_at_most(rules) <= MOST_WORK

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for evidence, and open the book."""
        super().begin(rules, lanes, seed)
        self._board = board_of(rules)
        self._evidence = no_evidence(rules, self._board, lanes)
        self._walk = walk_of(rules, self._board)
        self._weighs_water = self._goal in (LATTICE, LENGTHS)
        self._pattern = _pattern(lanes if self._weighs_water else 0, rules.cells)
        self._some = np.zeros((3, rules.cells))
        self._score = np.zeros(rules.cells, np.int64)
        self._cells = np.zeros(lanes, np.int64)
        self._stories = _Stories(rules, lanes) if rules.reveals.untold_cells else None
        self._shelf = shared_book(self, rules)
        self._first_lane = self._shelf.first_lane(lanes)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known."""
        forget(lanes, self._board, self._evidence)
        if self._weighs_water:
            _forget_water(lanes, self._pattern)
        if self._stories is not None:
            self._stories.begin(lanes)

    def shoot(self, view: View) -> Cells:
        """Take note of the last shot, and shoot where the score is greatest."""
        last: tuple[npt.NDArray[Any], ...] = view.cell, view.outcome, view.ship, view.slot
        asked = view.asked
        if self._stories is not None:
            last = self._stories.in_full(view)
            asked = asked & ~self._stories.unclear
        if self._weighs_water:
            _note_water(*last, self._board, self._evidence, self._pattern)
        learn_shots(*last, self._board, self._evidence)
        stuck = _choose(asked, self._first_lane, *self._weighing(), self._shelf.book, self._cells)
        if stuck >= 0:
            raise BsbenchError(
                f"after {view.shots[stuck]} shots, {self.name!r} can't count the possible layouts "
                "within seconds: choose another strategy"
            )
        self._shelf.save_now_and_then()
        if self._stories is not None:
            for lane in np.flatnonzero(view.asked & self._stories.unclear).tolist():
                self._cells[lane] = self._stories.scores(lane).argmax()
        return self._cells

    def _weighing(self) -> tuple[Any, ...]:
        return (
            self._goal,
            self._board,
            self._evidence,
            self._walk,
            self._pattern,
            self._some,
            self._score,
        )

    def insight(self, lane: int) -> Insight:
        """Return the scores that led to the shot.

        They are probabilities of a ship, multiplied by the factor of the pattern if there is one.
        Those of `information` are bits while no hit is open.
        """
        if self._stories is not None and self._stories.unclear[lane]:
            scores = self._stories.scores(lane)
            return Insight(closed=scores == 0, scores=np.where(scores > 0, scores, -1))
        key = tuple(self._evidence.key[lane].tolist())
        if (known := self._shelf.insights.get(key)) is not None:
            return known
        layouts, work, hunting = weigh(lane, *self._weighing())
        is_open = self._evidence.mark[lane] == OPEN
        if self._goal == INFORMATION and hunting:
            is_open &= self._some[0] < layouts
            unit = _UNIT
        else:
            is_open &= self._score > 0
            unit = int(layouts) * (_WHOLE if self._weighs_water else 1)
        scores = np.where(is_open, self._score / unit, -1)
        found = Insight(closed=~is_open, scores=scores)
        if work >= _DEAR and len(self._shelf.insights) < _INSIGHTS:
            scores.setflags(write=False)
            self._shelf.insights[key] = found
        return found
