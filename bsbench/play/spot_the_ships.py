"""One board, solved scan by scan: the problem "Spot the ships".

Source: "Spot the ships", Lab 6 mini-project, problem G of the University of Algarve's
Mooshak judge, 2021. Section 6 is the input, section 7 the output, and the
appendices are the traces that are printed here. The strategies are the built-in
ones, in a batch of one game.

In this problem a shot is a *scan*, a hit a *spotted* ship cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.play.game import moves_of
from bsbench.play.session import Session
from bsbench.rules.board import MAX_SIDE, MISS, Feedback, Rules
from bsbench.rules.slots import slot_code
from bsbench.strategies import Insight, Strategy

STRATEGIES = ("linear", "smart", "prob")
"""The strategies that the input may name."""

LONGEST = 5
"""Ships have 1 to 5 cells."""


@dataclass(frozen=True)
class Problem:
    """A board with ships, and the strategy to spot them with.

    Attributes
    ----------
    strategy : str
        One of `STRATEGIES`.
    rows, cols : int
    ships : tuple of tuple of int
        Each ship's cells, in the order of the input.
    """

    strategy: str
    rows: int
    cols: int
    ships: tuple[tuple[int, ...], ...]

    @property
    def rules(self) -> Rules:
        """The rules of the game; a board without ships has none."""
        fleet = tuple(len(ship) for ship in self.ships)
        return Rules(self.rows, self.cols, fleet, touching=False, feedback=Feedback.HIT)


@dataclass(frozen=True)
class Scan:
    """One step of a solution.

    Attributes
    ----------
    number : int
        1 for the first scan.
    cell : int
        The next position.
    insight : Insight
        What led to it.
    board : str
        The board before the scan, ships not yet spotted as ``O``.
    """

    number: int
    cell: int
    insight: Insight
    board: str


@dataclass(frozen=True)
class Solution:
    """How a strategy spotted all ships of a board.

    Attributes
    ----------
    problem : Problem
    strategy : str
        The strategy that scanned; the problem may name another one.
    scans : int
        The number of scans needed.
    eliminated : int
        Cells that were not scanned because no ship can be there.
    board : str
        The final board, its rows with line feeds between them.
    insight : Insight
        What the strategy knew in the end.
    """

    problem: Problem
    strategy: str
    scans: int
    eliminated: int
    board: str
    insight: Insight


class _Tokens:
    """Words of a text one after the other; errors name the line and the word."""

    def __init__(self, text: str) -> None:
        self._words = [
            (number, word)
            for number, line in enumerate(re.split(r"\r\n|\n|\r", text), start=1)
            for word in line.split()
        ]
        self._next = 0

    def take(self, what: str) -> str:
        """Return the next word; ``what`` is what it should be."""
        if self._next == len(self._words):
            where = f"line {self._words[-1][0]} is the last one" if self._words else "it is empty"
            raise BsbenchError(f"the input ends too early, {where}: {what} is missing")
        self._next += 1
        return self._words[self._next - 1][1]

    def number(self, what: str, low: int, high: int) -> int:
        """Return the next word as an integer of that range."""
        word = self.take(what)
        if not re.fullmatch(r"[+-]?\d+", word, flags=re.ASCII):
            raise self.error(f"{what} must be a whole number")
        # More digits than any bound has can't be in range; Python refuses very many.
        value = int(word) if len(word.lstrip("+-0")) < 10 else high + 1
        if word.startswith("-") or not low <= value <= high:
            raise self.error(f"{what} must lie between {low} and {high}")
        return value

    def error(self, problem: str, count: int = 1) -> BsbenchError:
        """Return the error for the word taken last, or so many of them."""
        line = self._words[self._next - 1][0]
        word = " ".join(word for _, word in self._words[self._next - count : self._next])
        shown = word if len(word) <= 20 else f"{word[:20]}…"
        return BsbenchError(f"line {line}, {shown!r}: {problem}")

    def end(self) -> None:
        """Refuse further words."""
        if self._next < len(self._words):
            self._next += 1
            raise self.error("nothing is expected after the last ship")


def read_problem(text: str) -> Problem:
    """Read the input of section 6; any white space may stand between words.

    Raises
    ------
    BsbenchError
        If it is not such an input: the sentence names line and word.
    """
    tokens = _Tokens(text)
    strategy = tokens.take("the strategy (linear, smart or prob)")
    if strategy not in STRATEGIES:
        raise tokens.error("the strategy must be linear, smart or prob")
    rows = tokens.number("the number of rows", 1, MAX_SIDE)
    cols = tokens.number("the number of columns", 1, MAX_SIDE)
    count = tokens.number("the number of ships", 0, rows * cols)
    ships: list[tuple[int, ...]] = []
    # For each cell, the ship that uses it or touches it.
    owner: dict[int, int] = {}
    board = Rules(rows, cols, (1,), touching=False)
    for number in range(1, count + 1):
        row = tokens.number(f"the row of ship {number}", 0, rows - 1)
        col = tokens.number(f"the column of ship {number}", 0, cols - 1)
        size = tokens.number(f"the size of ship {number}", 1, LONGEST)
        orientation = tokens.take(f"the orientation (E or S) of ship {number}")
        if orientation not in ("E", "S"):
            raise tokens.error(f"the orientation of ship {number} must be E or S")
        if (col if orientation == "E" else row) + size > (cols if orientation == "E" else rows):
            raise tokens.error(f"ship {number} leaves the {board.board} board", 4)
        first, step = row * cols + col, 1 if orientation == "E" else cols
        ship = tuple(first + part * step for part in range(size))
        for cell in ship:
            if cell in owner:
                other = owner[cell]
                how = "overlaps" if cell in ships[other - 1] else "touches"
                raise tokens.error(f"ship {number} {how} ship {other}", 4)
        for cell in ship:
            owner.update(dict.fromkeys((cell, *board.neighbours(cell)), number))
        ships.append(ship)
    tokens.end()
    return Problem(strategy, rows, cols, tuple(ships))


def solve(
    problem: Problem,
    strategy: Strategy,
    seed: int = 0,
    watch: Callable[[Scan], None] | None = None,
) -> Solution:
    """Scan a board until all ship cells are spotted.

    Parameters
    ----------
    problem : Problem
    strategy : Strategy
        Any that can play with hit or miss alone.
    seed : int
        For strategies that use random numbers.
    watch : callable, optional
        Called with each scan.
    """
    if not problem.ships:
        board = "\n".join(["." * problem.cols] * problem.rows)
        return Solution(problem, strategy.name, 0, 0, board, Insight())
    session = Session(strategy.copy(), problem.rules, 1, seed)
    codes = [slot_code(ship) for ship in problem.ships]
    outcomes: dict[int, bool] = {}
    for move in moves_of(session, 0, np.array([codes], np.int32), insight=watch is not None):
        if watch is not None:
            board = _board(problem, outcomes, move.insight.closed)
            watch(Scan(len(outcomes) + 1, move.cell, move.insight, board))
        outcomes[move.cell] = move.outcome != MISS
    # The last hit eliminates cells, too.
    session.choose()
    insight = session.insight(0)
    closed = insight.closed
    eliminated = 0 if closed is None else int(closed.sum()) - len(outcomes)
    board = _board(problem, outcomes, closed)
    return Solution(problem, strategy.name, len(outcomes), eliminated, board, insight)


def _board(
    problem: Problem, outcomes: dict[int, bool], closed: npt.NDArray[np.bool_] | None
) -> str:
    """Return the board of section 2: ``+`` spotted, ``X`` scanned or eliminated, ``O``, ``.``."""
    marks = ["."] * (problem.rows * problem.cols)
    for ship in problem.ships:
        for cell in ship:
            marks[cell] = "O"
    if closed is not None:
        for cell in np.flatnonzero(closed).tolist():
            marks[cell] = "X"
    for cell, hit in outcomes.items():
        marks[cell] = "+" if hit else "X"
    rows = range(0, len(marks), problem.cols)
    return "\n".join("".join(marks[first : first + problem.cols]) for first in rows)


def position(cell: int, cols: int) -> str:
    """Return a cell as ``(row,column)``."""
    return "({},{})".format(*divmod(cell, cols))


def trace_text(scan: Scan, problem: Problem) -> str:
    """Return one step in the style of the appendices.

    The board before the scan and, for a strategy that has one, its likelihood matrix
    beside it, -1 where closed; the list that the next position is taken from; the
    next position.
    """
    lines = scan.board.split("\n")
    insight, cols = scan.insight, problem.cols
    if insight.scores is not None:
        width = max(2, *(len(str(score)) for score in insight.scores))
        for row, line in enumerate(lines):
            scores = insight.scores[row * cols : (row + 1) * cols]
            lines[row] = f"{line}   {' '.join(f'{score:{width}}' for score in scores)}"
    matrix, name = insight.scores is not None, "list"
    if matrix:
        name = "high-probability list"
        if insight.waiting:
            lines.append("likelihood as before, just added -1")
    lead = [position(cell, cols) for cell in insight.waiting[:9]]
    more = " ..." if len(insight.waiting) > 9 else ""
    if matrix or lead:
        lines.append(f"{name}: {' '.join(lead)}{more}" if lead else f"{name}: empty")
    lines.append(f"scan {scan.number}: {position(scan.cell, cols)}")
    return "\n".join(lines)
