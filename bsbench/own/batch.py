"""Strategies in numpy, for a batch of games at once, and what is known of these games."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import Fault
from bsbench.kernels.known import Known, begin_known, note_shots, room_for
from bsbench.kernels.random import fill_uniform, stream_key
from bsbench.own.choosing import Cells, Chooser, Flags, Scores, Terms, shown_scores
from bsbench.rules.board import Rules
from bsbench.rules.drawing import MISSED, OPEN, STRUCK, SUNKEN
from bsbench.strategies.view import View


class Notebook:
    """What is known in each lane, kept for agents, networks and numpy strategies.

    Attributes
    ----------
    known : Known
        Written in place by `begin` and `note`.
    board : ndarray of int8, shape (lanes, cells)
        That of ``known``.
    """

    def __init__(self, rules: Rules, lanes: int) -> None:
        self.known = room_for(rules, lanes)
        self._flat = self.known.flat()
        self.board = self._flat.board
        self._cols = rules.cols
        self._fleet = np.array(rules.fleet, np.int64)

    def begin(self, lanes: Cells) -> None:
        """Begin games in some lanes: nothing is known."""
        begin_known(lanes, self._fleet, *self._flat)

    def note(self, view: View) -> None:
        """Take note of the last shot of every live game."""
        note_shots(view.last_shots, self._cols, self._fleet, *self._flat)

    def is_open(self, lane: int) -> npt.NDArray[np.bool_]:
        """Return which cells of a lane have not been shot, shape (cells,)."""
        is_open: npt.NDArray[np.bool_] = self.known.open[lane].view(np.bool_)
        return is_open


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a view of an array through which it can't be written."""
    view = array.view()
    view.flags.writeable = False
    return view


class BatchView:
    """What the shooter knows in a batch of games. It can only be read.

    A game has the same place in all arrays; when it is over, a fresh one may begin there.

    Attributes
    ----------
    rules : Rules
        Board, fleet, touching and feedback.
    games : int
        Games in the batch.
    shot, hit, missed : ndarray of bool, shape (games, rows, cols)
        Cells shot so far, those of them that hit, and those that missed.
    sunk : ndarray of bool, shape (games, rows, cols)
        Cells of ships known to have sunk; none under feedback ``hit``.
    afloat : ndarray of bool, shape (games, ships)
        Ships, by index in the fleet, that are not known to have sunk.
    live : ndarray of bool, shape (games,)
        Games that are not over; the shots of others are not read.
    fresh : ndarray of bool, shape (games,)
        Those of them that have just begun: nothing has been shot.
    shots : ndarray of int64, shape (games,)
        Number of shots so far.
    last : ndarray of int64, shape (games,)
        The last shot, or -1 before the first.
    number : ndarray of int64, shape (games,)
        A number that belongs to each game, 0 to 2^63 - 1: not that of ``bsbench replay``.
    """

    def __init__(
        self, rules: Rules, view: View, known: Known, number: Cells, key: np.uint64
    ) -> None:
        self.rules = rules
        self.games = view.lanes
        board, shots = known.board, view.shots.copy()
        self.shot, self.hit = _read_only(board != OPEN), _read_only(board >= STRUCK)
        self.missed, self.sunk = _read_only(board == MISSED), _read_only(board == SUNKEN)
        self.afloat = _read_only(known.remaining > 0)
        self.live = _read_only(view.live.copy())
        self.shots, self.last = _read_only(shots), _read_only(view.cell.copy())
        self.fresh = _read_only(self.live & (shots == 0))
        self.number = _read_only(number)
        self._key = key
        self._calls = 0

    def random(self) -> npt.NDArray[np.float64]:
        """Return a random number for each cell, uniform in [0, 1).

        They belong to the name of the strategy, the seed, the number of the game, that of
        the shot and that of this call before it: the batch makes no difference. Those of
        games that are not live are 0.

        Returns
        -------
        ndarray of float64, shape (games, rows, cols)
        """
        numbers = np.zeros(self.shot.shape)
        flat = numbers.reshape(self.games, -1)
        fill_uniform(self._key, self.live, self.number, self.shots, self._calls, flat)
        self._calls += 1
        return numbers


class BatchStrategy:
    """Base class for strategies that choose the shots of many games at once, in numpy.

    A subclass defines ``shoot``, and may define ``reset``. One object plays all games of a
    process; what it remembers of each game it must forget where `BatchView.fresh` is true.
    If it has an attribute ``scores`` after ``shoot``, a number for each cell of each game, replays
    show it as a heat map.
    """

    kind: ClassVar[str] = "numpy"

    def reset(self, rules: Rules, games: int) -> None:
        """Make room for that many games at once."""

    def shoot(self, view: BatchView) -> npt.NDArray[Any]:
        """Return the next cell of each game: whole numbers, shape (games,)."""
        raise NotImplementedError


class BatchChooser(Chooser):
    """Plays a class with ``shoot(view) -> cells``, for all lanes at once."""

    in_batches = asks_all = True
    chance = "view.random()"
    begins = "where view.fresh is true"

    def __init__(self, player: type, terms: Terms) -> None:
        super().__init__(player, terms)
        self._notebook = Notebook(terms.rules, terms.lanes)
        self._numbers = np.zeros(terms.lanes, np.int64)
        self._key = stream_key(f"strategy {terms.name}", terms.seed)
        self._player: Any = None

    def deal(self, lanes: Cells, games: Cells, follows: Flags | None = None) -> None:
        """Clear the boards of fresh games."""
        self._notebook.begin(lanes)
        self._numbers[lanes] = games

    def _choose(self, view: View) -> Cells:
        lane = int(np.argmax(view.live))
        shown, count = self._shown(view)
        # The time is that of a shot in all games, not of a game.
        self.used[lane] = 0.0
        if self._player is None:
            self._player = self._asked(lane, self._made)
        answer = self._asked(lane, getattr(self._player, self.method), shown)
        if answer is None:
            wrong = "nothing (None)"
        elif not isinstance(answer, np.ndarray):
            wrong = f"an object of type {type(answer).__name__}"
        elif answer.shape != (count,):
            wrong = f"an array of shape {answer.shape}"
        elif answer.dtype.kind not in "iu":
            wrong = f"an array of type {answer.dtype}"
        else:
            return self._cells_of(answer.astype(np.int64), view)
        raise Fault(
            lane,
            f"{self.method} returned {wrong}: it must return an array of whole numbers, one cell "
            f"for each game, shape ({count},)",
        )

    def hidden_remark(self, lane: int) -> str:
        """Return a remark that the lane stands for all of the batch."""
        return " (the first of a batch of games)"

    def _made(self) -> Any:
        """Return the object that plays all games."""
        player = self.player(**self.terms.parameters)
        if hasattr(player, "reset"):
            player.reset(self.rules, self.terms.lanes)
        return player

    def _shown(self, view: View) -> tuple[Any, int]:
        """Take note of the last shots; return what is shown, and of how many games it is."""
        self._notebook.note(view)
        known = self._notebook.known
        return BatchView(self.rules, view, known, self._numbers, self._key), self.terms.lanes

    def _cells_of(self, answer: Cells, view: View) -> Cells:
        """Return the shots of all lanes, by those of the games that were shown."""
        return answer

    def scores(self, lane: int) -> Scores | None:
        """Return a lane's part of the object's attribute ``scores``, if it has one."""
        lanes = self.terms.lanes
        scores = self._asked(lane, getattr, self._player, "scores", None)
        if scores is None or callable(scores):
            return None
        if len(scores) != lanes:
            raise Fault(
                lane,
                f"the attribute scores has {len(scores)} parts: it must hold a number for each "
                f"cell of each of the {lanes} games, or be None",
            )
        return shown_scores(lane, scores[lane], self._notebook.is_open(lane))
