"""The lines that go to and from a bot: of many games by kernels, of one game in plain Python.

Before each answer, bsbench writes what the last shots did, which games begin, and the question;
docs/protocol.md says what the lines mean::

    room    "0 miss 44\\n1 over 38\\n1 game 826345\\n2 sunk 47 2 45 46 47\\nshoot 0 1 2\\n"
    answer  "45 50 12"          one cell for each place in the question, in its order

A bot that plays one game at a time gets the same lines without places: `OneGame`. There, calls of
kernels would take longer than their work. In salvos, each game is asked by itself: `TurnGame`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.slots import read_slot
from bsbench.rules.board import HIT, MISS, Rules
from bsbench.rules.slots import slot_cells
from bsbench.strategies.view import View

Bytes = npt.NDArray[np.uint8]

WELL, NO_CELL, TOO_MANY, OFF_BOARD, REPEATED = range(5)
"""What an answer is: see `read_cells`."""

_MOST_DIGITS = 9
"""Of a cell: longer numbers are no cells."""

_SPACE, _ZERO, _NEW_LINE = np.uint8(ord(" ")), np.uint8(ord("0")), np.uint8(ord("\n"))
_MISS, _HIT, _SUNK = (np.frombuffer(word, np.uint8) for word in (b"miss ", b"hit ", b"sunk "))
_OVER, _GAME, _SHOOT = (np.frombuffer(word, np.uint8) for word in (b"over ", b"game", b"shoot"))
_FORGET = np.frombuffer(b"forget\n", np.uint8)


class Talk(NamedTuple):
    """What is known of the games of a bot, for kernels. Arrays have an entry for each lane.

    Attributes
    ----------
    live, cell, outcome, ship, slot : ndarray
        As in `View`.
    begins, forgets : ndarray of bool
        Games that the bot has not heard of; and those of them that a new learner begins with.
    asked : ndarray of bool
        Games in which the bot chose the last shot, and has not heard what it did.
    shots : ndarray of int64
        Shots that the bot chose in the game.
    number : ndarray of int64
        The random number of the game; -1 if the bot wants none.
    fired : ndarray of bool, shape (lanes, cells)
        Cells shot in the game, as far as the bot has heard.
    fleet : ndarray of int64, shape (ships,)
    room : ndarray of uint8
        Where the lines for the bot are written.
    """

    live: npt.NDArray[np.bool_]
    cell: npt.NDArray[np.int64]
    outcome: npt.NDArray[np.uint8]
    ship: npt.NDArray[np.int64]
    slot: npt.NDArray[np.int64]
    begins: npt.NDArray[np.bool_]
    forgets: npt.NDArray[np.bool_]
    asked: npt.NDArray[np.bool_]
    shots: npt.NDArray[np.int64]
    number: npt.NDArray[np.int64]
    fired: npt.NDArray[np.bool_]
    fleet: npt.NDArray[np.int64]
    room: Bytes


def new_talk(rules: Rules, lanes: int) -> Talk:
    """Return a talk about no games yet, with a view of its own."""
    view = View(rules, lanes)
    # A place, a word, four numbers and all cells of a ship; "over", "forget" and "game" before.
    longest = 8 * (max(rules.fleet) + 16)
    return Talk(
        *(view.live, view.cell, view.outcome, view.ship, view.slot),
        begins=np.zeros(lanes, np.bool_),
        forgets=np.zeros(lanes, np.bool_),
        asked=np.zeros(lanes, np.bool_),
        shots=np.zeros(lanes, np.int64),
        number=np.full(lanes, -1),
        fired=np.zeros((lanes, rules.cells), np.bool_),
        fleet=np.array(rules.fleet, np.int64),
        room=np.zeros(lanes * longest + 16, np.uint8),
    )


@helper
def _put(word, room, at):
    """Write a word; return where it ends, as all that write here."""
    for letter in word:
        room[at] = letter
        at += 1
    return at


@helper
def _put_number(number, end, room, at):
    """Write a number, and the letter after it."""
    digits, rest = 1, number // 10
    while rest:
        digits += 1
        rest //= 10
    for place in range(at + digits - 1, at - 1, -1):
        room[place] = _ZERO + np.uint8(number % 10)
        number //= 10
    room[at + digits] = end
    return at + digits + 1


@helper
def _put_outcome(lane, cols, talk, at):
    """Write what the last shot in a lane did."""
    room, cell, ship = talk.room, talk.cell[lane], talk.ship[lane]
    if talk.outcome[lane] == MISS:
        return _put_number(cell, _NEW_LINE, room, _put(_MISS, room, at))
    word = _HIT if talk.outcome[lane] == HIT else _SUNK
    at = _put_number(cell, _SPACE, room, _put(word, room, at))
    if ship >= 0:
        at = _put_number(ship, _SPACE, room, at)
    if talk.slot[lane] >= 0:
        first, step = read_slot(talk.slot[lane], cols)
        for part in range(talk.fleet[ship]):
            at = _put_number(first + part * step, _SPACE, room, at)
    room[at - 1] = _NEW_LINE
    return at


@kernel
def write_lines(cols, *state):
    """Write what a bot must know before it shoots in all live lanes.

    Parameters
    ----------
    cols : int
        Of the board.
    *state
        A `Talk`.

    Returns
    -------
    int
        The number of bytes; below 0, so many without a question, since no lane is live.
    """
    talk = Talk(*state)
    room, at, live = talk.room, 0, 0
    for lane in range(len(talk.live)):
        if talk.asked[lane]:
            talk.asked[lane] = False
            at = _put_number(lane, _SPACE, room, at)
            if talk.begins[lane] or not talk.live[lane]:
                at = _put_number(talk.shots[lane], _NEW_LINE, room, _put(_OVER, room, at))
            else:
                talk.fired[lane, talk.cell[lane]] = True
                at = _put_outcome(lane, cols, talk, at)
        if talk.begins[lane]:
            talk.begins[lane] = False
            talk.shots[lane] = 0
            talk.fired[lane, :] = False
            if talk.forgets[lane]:
                talk.forgets[lane] = False
                at = _put(_FORGET, room, _put_number(lane, _SPACE, room, at))
            at = _put(_GAME, room, _put_number(lane, _SPACE, room, at))
            if talk.number[lane] >= 0:
                room[at] = _SPACE
                at = _put_number(talk.number[lane], _NEW_LINE, room, at + 1)
            else:
                room[at] = _NEW_LINE
                at += 1
        live += talk.live[lane]
    if live == 0:
        return -at
    at = _put(_SHOOT, room, at)
    for lane in range(len(talk.live)):
        if talk.live[lane]:
            talk.asked[lane] = True
            talk.shots[lane] += 1
            room[at] = _SPACE
            at = _put_number(lane, _SPACE, room, at + 1) - 1
    room[at] = _NEW_LINE
    return at + 1


@kernel
def read_cells(answer, live, fired, cells):
    """Read the shots of all live lanes.

    Parameters
    ----------
    answer : ndarray of uint8, shape (n,)
        Numbers with spaces between them, and where one likes.
    live : ndarray of bool, shape (lanes,)
    fired : ndarray of bool, shape (lanes, cells)
        Cells that can't be shot again.
    cells : ndarray of int64, shape (lanes,)
        Receives the shots.

    Returns
    -------
    int
        ``5 * lane +`` one of `WELL`, `NO_CELL`, `TOO_MANY`, `OFF_BOARD`, `REPEATED`: what is wrong
        first, and in which lane.
    """
    at, size = 0, len(answer)
    last = 0
    for lane in range(len(live)):
        if not live[lane]:
            continue
        last = lane
        while at < size and answer[at] == _SPACE:
            at += 1
        begin, cell = at, np.int64(0)
        while at < size and at < begin + _MOST_DIGITS and _ZERO <= answer[at] <= _ZERO + 9:
            cell = np.int64(10) * cell + np.int64(answer[at] - _ZERO)
            at += 1
        if at == begin or (at < size and answer[at] != _SPACE):
            return 5 * lane + NO_CELL
        if cell >= fired.shape[1]:
            return 5 * lane + OFF_BOARD
        if fired[lane, cell]:
            return 5 * lane + REPEATED
        cells[lane] = cell
    while at < size:
        if answer[at] != _SPACE:
            return 5 * last + TOO_MANY
        at += 1
    return WELL


class OneGame:
    """The games of a lane, one after the other, in plain Python.

    Attributes
    ----------
    lane : int
    begins, forgets : bool
        Whether the bot has not heard of the game, and whether a new learner begins with it.
    number : int
        The random number of the game; -1 if the bot wants none.
    fired : bytearray
        For each cell, whether it was shot, as far as the bot has heard.
    """

    def __init__(self, rules: Rules, lane: int = 0) -> None:
        self._rules = rules
        self.lane = lane
        self.fired = bytearray(rules.cells)
        self._moves = 0
        # Whether the bot chose the last move, and has not heard what it did.
        self._asked = False
        self.begins, self.forgets, self.number = False, False, -1

    def lines(self, view: View) -> bytes:
        """Return what the bot must know before its move; without a question if none is due."""
        text = b""
        live = view.live.item(self.lane)
        if self._asked:
            text = b"over %d\n" % self._moves
            if live and not self.begins:
                text = self._outcome(view)
        if self.begins:
            if self.forgets:
                text += b"forget\n"
            text += b"game %d\n" % self.number if self.number >= 0 else b"game\n"
            self.begins, self._moves = False, 0
            self.fired = bytearray(self._rules.cells)
        self._asked = live
        if live:
            self._moves += 1
            text += self._question(view)
        return text

    def _question(self, view: View) -> bytes:
        return b"shoot\n"

    def _outcome(self, view: View) -> bytes:
        seen = view.cell, view.outcome, view.ship, view.slot
        return self._shot(*(each.item(self.lane) for each in seen))

    def _shot(self, cell: int, outcome: int, ship: int, slot: int) -> bytes:
        """Take note of a shot, and return the line that says what it did."""
        self.fired[cell] = 1
        if outcome == MISS:
            return b"miss %d\n" % cell
        word = b"hit" if outcome == HIT else b"sunk"
        if ship < 0:
            return b"%b %d\n" % (word, cell)
        if slot < 0:
            return b"%b %d %d\n" % (word, cell, ship)
        cells = slot_cells(slot, self._rules.fleet[ship], self._rules.cols)
        return b"%b %d %d %b\n" % (word, cell, ship, _words(cells))

    def read(self, answer: bytes, cells: npt.NDArray[np.int64]) -> int:
        """Read the shot into ``cells``; return what `read_cells` returns."""
        word = answer.strip(b" ")
        if not (word.isdigit() and len(word) <= _MOST_DIGITS):
            return TOO_MANY if b" " in word and word.split(b" ")[0].isdigit() else NO_CELL
        cell = int(word)
        if cell >= len(self.fired):
            return OFF_BOARD
        if self.fired[cell] and not self._rules.repeats:
            return REPEATED
        cells[0] = cell
        return WELL


class TurnGame(OneGame):
    """The same for salvos.

    Parameters
    ----------
    rules : Rules
    lane : int
    place : bytes
        With which all lines begin.
    """

    def __init__(self, rules: Rules, lane: int, place: bytes) -> None:
        super().__init__(rules, lane)
        self._place = place

    def lines(self, view: View) -> bytes:
        """Return what the bot must know before its turn; without a question if none is due."""
        lines = super().lines(view).splitlines(keepends=True)
        return b"".join(self._place + line for line in lines)

    def _question(self, view: View) -> bytes:
        return b"salvo %d\n" % self.allowed(view)

    def allowed(self, view: View) -> int:
        """Return how many shots the next turn may have."""
        return min(int(view.allowed[self.lane]), self.fired.count(0))

    def _outcome(self, view: View) -> bytes:
        if not self._rules.joint:
            return b"".join(self._shot(*shot) for shot in view.last_turn(self.lane))
        cells = [cell for cell, *_ in view.last_turn(self.lane)]
        for cell in cells:
            self.fired[cell] = 1
        return b"hits %b\n" % _words([*view.hits[self.lane].tolist(), *cells])

    def is_open(self, cell: int) -> bool:
        """Return whether a cell was not shot, as far as the bot has heard."""
        return not self.fired[cell]


def read_turn(answer: bytes) -> list[int] | None:
    """Return the cells in an answer, with spaces between them; None if it holds something else."""
    words = answer.split(b" ")
    if not all(word.isdigit() and len(word) <= _MOST_DIGITS for word in words if word):
        return None
    return [int(word) for word in words if word]


def _words(numbers: Iterable[int]) -> bytes:
    return " ".join(map(str, numbers)).encode()
