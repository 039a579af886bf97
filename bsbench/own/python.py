"""Strategies in plain Python, each object for one game."""

from __future__ import annotations

import operator
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bsbench.common.errors import Fault
from bsbench.own.choosing import Cells, Chooser, Flags, Scores, Terms, shown_scores
from bsbench.own.contract import GAME
from bsbench.own.game import GameMemory
from bsbench.rules.board import HIT, NOTHING, Feedback
from bsbench.rules.drawing import cell_name, illegal_turn
from bsbench.strategies.view import View

if TYPE_CHECKING:
    from bsbench.stats import AnswerRows

TALLIED = ("fallbacks", "unreadable", "repeated", "tokens_in", "tokens_out", "milliseconds")
"""What objects count, as in `bsbench.stats.Answers`. The other moves are their own."""

_MOST_TALLIED = 2**53


class PythonChooser(Chooser):
    """Plays a class with ``shoot(view) -> cell``, an object of it for each game.

    ``reset(rules, rng)``, if it has one, is called when a game begins; ``rng`` is a
    `random.Random` that belongs to the name of the strategy, the seed and the number of the game.
    ``view`` is a `bsbench.GameView`.

    A class with ``salvo(view) -> cells`` plays salvos: it returns the cells of its next turn, 1 to
    ``view.allowed`` of them in the order in which they are fired. Without ``shoot``, single shots
    are turns of one cell.

    A class with a parameter ``games_per_learner`` learns: one of its objects plays so many games in
    a row. After each of them but the last, ``over(view)``, if it has one, is shown the whole game;
    ``reset`` follows.

    Where an object has an attribute ``scores`` after ``shoot``, a number for each cell, it is shown
    as a heat map. Where the class says ``probabilities = True``, they are probabilities of a ship.

    Where the class says ``deterministic = True``, that its shots depend on nothing but the
    view, games with the same history share decisions: an object is then not asked for every shot.
    """

    chance = "rng, which reset(rules, rng) is given"
    begins = "in reset"

    def __init__(self, player: type, terms: Terms) -> None:
        super().__init__(player, terms)
        if self.method == "shoot" and (self.rules.salvos or not hasattr(player, "shoot")):
            self.method = "salvo"
        self._moves = GAME.moves(self.rules, terms.lanes)
        self._games = [0] * terms.lanes
        self._players: list[Any] = [None] * terms.lanes
        # Lanes whose objects go on with another game, of which they have not heard.
        self._going_on: set[int] = set()
        self._boards = [GameMemory(self.rules) for _ in range(terms.lanes)]
        # Games that are over, of which the objects have not heard.
        self._over_boards: dict[int, GameMemory] = {}
        # What the object of each lane had counted before its game.
        self._tallied: list[list[int]] = [[]] * terms.lanes

    def deal(self, lanes: Cells, games: Cells, follows: Flags | None = None) -> None:
        """Forget what was there, unless it learns; an object is made when it is first asked."""
        going_on = [False] * len(lanes) if follows is None else follows.tolist()
        for lane, game, goes_on in zip(lanes.tolist(), games.tolist(), going_on, strict=True):
            self._games[lane] = game
            self.used[lane] = 0.0
            if goes_on:
                self._going_on.add(lane)
                # Nobody was asked after the last move.
                if self.rules.salvos:
                    self._boards[lane].note_joint(_turn_of(self._moves[lane]), None)
                else:
                    # The shot hit: else the game would go on.
                    self._note(lane, int(self._moves[lane]), HIT, NOTHING, NOTHING)
                self._over_boards[lane] = self._boards[lane]
            else:
                self._players[lane] = None
            self._boards[lane] = GameMemory(self.rules)

    def _choose(self, view: View) -> Cells:
        if self._moves.ndim == 2:
            return self._choose_turns(view)
        last, outcome = view.cell.tolist(), view.outcome.tolist()
        ship, slot = view.ship.tolist(), view.slot.tolist()
        asked = view.asked.tolist()
        for lane in np.flatnonzero(view.live).tolist():
            if last[lane] >= 0:
                self._note(lane, last[lane], outcome[lane], ship[lane], slot[lane])
            if asked[lane]:
                answer = self._ask(lane, self._shown(lane))
                if self.method == "salvo":
                    (answer,) = self._checked_turn(lane, answer)
                self._moves[lane] = self._checked(lane, answer)
        return self._moves

    def _choose_turns(self, view: View) -> Cells:
        """Return the next turn of every live lane."""
        for lane in np.flatnonzero(view.live).tolist():
            board, shots = self._boards[lane], view.last_turn(lane)
            if shots and board.joint:
                board.note_joint([cell for cell, *_ in shots], view.hits[lane].tolist())
            elif shots:
                board.note_turn(shots)
            board.allowed = min(int(view.allowed[lane]), len(board.open_cells))
            turn = self._checked_turn(lane, self._ask(lane, self._shown(lane)))
            self._moves[lane] = NOTHING
            self._moves[lane, : len(turn)] = turn
        return self._moves

    def scores(self, lane: int) -> Scores | None:
        """Return the attribute ``scores`` of the object of a lane, if it has one."""
        scores = self._asked(lane, getattr, self._players[lane], "scores", None)
        return shown_scores(lane, scores, np.frombuffer(self._boards[lane].is_open, np.bool_))

    def answers(self) -> AnswerRows:
        """Return what the objects of classes that say ``tallies = True`` have counted.

        Such an object has an attribute ``tally`` with the attributes ``fallbacks``, moves that are
        not its own, ``unreadable``, ``repeated``, ``tokens_in``, ``tokens_out`` and
        ``milliseconds``, whole numbers as in `bsbench.stats.Answers` that grow with each move; the
        last three may be None.

        Returns
        -------
        ndarray of int64, shape (lanes, 6)
            For the game in each lane so far; -1 where a number is None.
        """
        rows = np.zeros((self.terms.lanes, len(TALLIED)), np.int64)
        for lane, player in enumerate(self._players):
            if player is not None:
                now, before = self._asked(lane, self._tally, lane), self._tallied[lane]
                rows[lane] = [
                    -1 if min(pair) < 0 else pair[0] - pair[1]
                    for pair in zip(now, before, strict=True)
                ]
        return rows

    def _tally(self, lane: int) -> list[int]:
        """Return what the object of a lane has counted; -1 where that is not known."""
        tally = getattr(self._players[lane], "tally", None)
        numbers = []
        for name in TALLIED:
            number = getattr(tally, name, None)
            if number is None and name in TALLIED[3:]:
                number = -1
            elif type(number) is not int or not 0 <= number < _MOST_TALLIED:
                raise Fault(
                    lane,
                    f"its attribute tally has no whole number {name!r}, and it says tallies = True",
                )
            numbers.append(number)
        return numbers

    def _ask(self, lane: int, shown: Any) -> Any:
        """Return what the object of a lane answers."""
        if self._players[lane] is None:
            self._players[lane] = self._asked(lane, self._made, lane)
            if getattr(self.player, "tallies", None) is True:
                self._tallied[lane] = self._asked(lane, self._tally, lane)
        elif lane in self._going_on:
            self._asked(lane, self._next, lane)
        self._going_on.discard(lane)
        return self._asked(lane, getattr(self._players[lane], self.method), shown)

    def _made(self, lane: int) -> Any:
        """Return an object for the game in a lane."""
        player = self.player(**self.terms.parameters)
        if hasattr(player, "reset"):
            player.reset(self.rules, random.Random(self._games[lane]))
        return player

    def _next(self, lane: int) -> None:
        """Let an object end its game and begin the next one."""
        player = self._players[lane]
        if hasattr(player, "over"):
            player.over(self._over_boards.pop(lane).view)
        if hasattr(player, "reset"):
            player.reset(self.rules, random.Random(self._games[lane]))

    def _note(self, lane: int, cell: int, outcome: int, ship: int, slot: int) -> None:
        """Note a shot and what it did, for what is shown next."""
        self._boards[lane].note(cell, outcome, ship, slot)

    def _shown(self, lane: int) -> Any:
        """Return what the object of a lane is shown."""
        board = self._boards[lane]
        board.hidden.clear()
        return board.view

    def hidden_remark(self, lane: int) -> str:
        """Return a remark on what the object of a lane has just read that the feedback hides."""
        board = self._boards[lane]
        if not board.hidden:
            return ""
        names = " and ".join(f"view.{name}" for name in board.hidden)
        if board.joint:
            return f" (it read {names}, which joint answers do not reveal: view.turns has the rest)"
        needed = Feedback.least(*board.hidden.values())
        return (
            f" (it read {names}, which feedback {self.rules.feedback} does not reveal: a class "
            f"that depends on it says needs = '{needed}')"
        )

    def _is_open(self, lane: int, cell: int) -> bool:
        return self._boards[lane].is_open[cell] != 0

    def _number(self, lane: int, answer: Any) -> int:
        """Return an answer as a number.

        Raises
        ------
        Fault
            If it is none.
        """
        try:
            number = operator.index(answer)
            if not isinstance(answer, (bool, np.bool_)):
                return number
        except TypeError:
            pass
        raise self._no_move(lane, answer)

    def _no_move(self, lane: int, answer: Any) -> Fault:
        """Return what is wrong with an answer of another type than a move has."""
        what = "nothing (None)"
        if answer is not None:
            what = f"{_short(answer)}, of type {type(answer).__name__}"
        wanted = "a list of cells, whole numbers, 1 to view.allowed of them"
        if self.method != "salvo":
            number = ", row * columns + column" if isinstance(answer, (tuple, list)) else ""
            wanted = f"a cell, an int{number}"
        return Fault(lane, f"{self.method} returned {what}: it must return {wanted}")

    def _checked(self, lane: int, answer: Any) -> int:
        cell = self._number(lane, answer)
        if not 0 <= cell < self.rules.cells:
            raise Fault(
                lane,
                f"shot at cell {cell} refused: the board is {self.rules.board}, "
                f"its cells are 0 to {self.rules.cells - 1}",
            )
        if not self._is_open(lane, cell) and not self.rules.repeats:
            name = cell_name(cell, self.rules.cols)
            raise Fault(lane, f"shot at cell {cell} ({name}) refused: it was shot before")
        return cell

    def _checked_turn(self, lane: int, answer: Any) -> list[int]:
        if isinstance(answer, str | bytes) or not isinstance(answer, Sequence | np.ndarray):
            raise self._no_move(lane, answer)
        # It may be of a class of the user's.
        cells = [self._number(lane, cell) for cell in self._asked(lane, list, answer)]
        board = self._boards[lane]
        fault = illegal_turn(self.rules, lane, cells, board.allowed, board.view.is_open)
        if fault is not None:
            raise fault
        return cells


def _turn_of(row: Cells) -> list[int]:
    """Return the shots of a turn, which end before the first -1."""
    cells: list[int] = row[row != NOTHING].tolist()
    return cells


def _short(answer: Any) -> str:
    """Return how an object is written, in short; its own code may fail even there."""
    try:
        text = repr(answer)
    except Exception:
        return "an object that can't be shown"
    return text if len(text) <= 60 else f"{text[:57]}..."
