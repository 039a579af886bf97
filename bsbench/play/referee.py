"""The referee: besides `planned`, the only code that knows where ships are.

`Referee.fire` decides hit, sunk and won for a batch of games at once, and shows
the shooter what the feedback of the rules allows. A layout reaches the referee as one
*slot code* for each ship, ``2 * first cell + down``: see `View.slot`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import Fault
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import leading_zeros
from bsbench.kernels.slots import read_slot
from bsbench.rules.board import HIT, MISS, NOTHING, SUNK, Facts, Rules
from bsbench.rules.illegal import illegal_shot, illegal_turn
from bsbench.strategies.view import Salvo, View, begin_salvos

_SINKINGS, _LENGTHS, _CELLS, _SHIPS = (1 << place for place in range(len(Facts._fields)))


class Games(NamedTuple):
    """The games of all lanes: the shooter's `View`, and what the referee alone knows.

    A kernel that Python calls takes ``*state``, and begins with ``games = Games(*state)``. The
    kernel itself is as fast as with single arrays; a call takes some 0.3 us more, and 1.1 us more
    if it passes the record itself.

    Attributes
    ----------
    live : ndarray of bool, shape (lanes,)
    told : int
        What shots reveal: `bsbench.rules.board.Facts` as bits, which a kernel takes faster.
    alike : ndarray of int64, shape (ships,) or (0,)
        The next ship of the same length, the first one after the last; empty where it is told which
        of equal ships has sunk.
    water : int
        What ``content`` holds where no ship is: the largest value of its dtype. It holds one
        less where a shot has been fired.
    content : ndarray of uint8 or uint16, shape (lanes, cells)
        The index of the ship at each cell, or a value described under ``water``.
    codes : ndarray of int32, shape (lanes, ships)
        The slot code of each ship.
    afloat : ndarray of uint16, shape (lanes, ships)
        Cells of each ship that have not been hit.
    left : ndarray of int64, shape (lanes,)
        Cells of all ships that have not been hit.
    shots, cell, ship, slot : ndarray of int64, shape (lanes,)
        As in `View`; in salvos, all but ``shots`` are the referee's own.
    outcome : ndarray of uint8, shape (lanes,)
        Likewise.
    won : ndarray of int64, shape (lanes,)
        Its first entries are the lanes whose games the last shots ended.
    whole : bool
        Whether turns are fired whole, beyond the last hit.
    patience : int
        Before so many shots, one at a cell that was shot before is a miss: 0 if it never is.
    """

    live: npt.NDArray[np.bool_]
    told: int
    alike: npt.NDArray[np.int64]
    water: int
    content: npt.NDArray[np.uint8 | np.uint16]
    codes: npt.NDArray[np.int32]
    afloat: npt.NDArray[np.uint16]
    left: npt.NDArray[np.int64]
    shots: npt.NDArray[np.int64]
    cell: npt.NDArray[np.int64]
    outcome: npt.NDArray[np.uint8]
    ship: npt.NDArray[np.int64]
    slot: npt.NDArray[np.int64]
    won: npt.NDArray[np.int64]
    whole: bool
    patience: int


@helper
def deal_in(lane, layout, cols, fleet, games):
    """Begin a fresh game in a lane, on a layout of one slot code for each ship."""
    games.live[lane] = True
    games.shots[lane] = 0
    games.cell[lane] = NOTHING
    games.outcome[lane] = 0
    games.ship[lane] = NOTHING
    games.slot[lane] = NOTHING
    games.content[lane, :] = games.water
    games.left[lane] = 0
    for number in range(len(fleet)):
        code = layout[number]
        first, step = read_slot(code, cols)
        for part in range(fleet[number]):
            games.content[lane, first + part * step] = number
        games.codes[lane, number] = code
        games.afloat[lane, number] = fleet[number]
        games.left[lane] += fleet[number]


@kernel
def _deal(lanes, layouts, cols, fleet, *state):
    games = Games(*state)
    for index in range(len(lanes)):
        deal_in(lanes[index], layouts[index], cols, fleet, games)


@helper
def _untold(lane, sunk, games):
    """Return the first ship of a length that was not told before, when one has sunk."""
    alike, told, other = np.int64(sunk), 0, games.alike[sunk]
    while other != sunk:
        told += games.afloat[lane, other] == 0
        alike = min(alike, other)
        other = games.alike[other]
    for _ in range(told):
        alike = games.alike[alike]
    return alike


@helper
def _answer(lane, hit, games, wins):
    """Write to the view what a shot at a ship, or at water, did; return how many games are won."""
    # Without branches: processors can't predict what a shot does.
    hits = np.uint8(hit != games.water)
    ship = np.uint64(hit) * hits
    afloat, slot = games.afloat[lane, ship] - hits, games.codes[lane, ship]
    games.afloat[lane, ship] = afloat
    sinks = np.uint8(afloat == 0) & hits
    outcome = MISS + (HIT - MISS) * hits
    if games.told & _SINKINGS:
        outcome += (SUNK - HIT) * sinks
    if games.told & _CELLS:
        games.slot[lane] = np.int64(slot) if sinks else NOTHING
    if games.told & (_LENGTHS | _SHIPS):
        told = hits if games.told & _SHIPS else sinks
        games.ship[lane] = np.int64(ship) if told else NOTHING
        if len(games.alike) > 0 and sinks:
            games.ship[lane] = _untold(lane, ship, games)
    games.outcome[lane] = outcome
    games.left[lane] -= hits
    if games.left[lane] == 0:
        games.live[lane] = False
        games.won[wins] = lane
        return wins + 1
    return wins


@helper
def fire_at(lane, target, games, wins):
    """Fire at an open cell of a live game, and report to the view; return how many games are won.

    ``target`` is uint64. ``wins`` games were won before by the same shots.
    """
    hit = games.content[lane, target]
    games.content[lane, target] = games.water - 1
    # Before the count, since a strategy may have returned that very array.
    games.cell[lane] = np.int64(target)
    games.shots[lane] += 1
    return _answer(lane, hit, games, wins)


@helper
def waste(lane, target, games):
    """Fire at a cell that was shot before, and report a miss: `fire_at` for repeated shots."""
    games.cell[lane] = np.int64(target)
    games.outcome[lane] = MISS
    games.ship[lane] = games.slot[lane] = NOTHING
    games.shots[lane] += 1


@kernel
def _fire(cells, *state):
    """Answer a shot in every live lane; return how many games are won, or -1 - lane if illegal."""
    games = Games(*state)
    wins = 0
    shot = games.water - 1
    cells_of_board = np.uint64(games.content.shape[1])
    # With an unsigned index, numba does not check whether it counts from the end.
    for lane in range(np.uint64(len(games.live))):
        if not games.live[lane]:
            continue
        # As an unsigned number, a negative cell lies beyond the last cell of the board.
        target = np.uint64(cells[lane])
        if target >= cells_of_board or games.content[lane, target] == shot:
            if target >= cells_of_board or games.shots[lane] >= games.patience:
                return -1 - np.int64(lane)
            waste(lane, target, games)
            continue
        wins = fire_at(lane, target, games, wins)
    return wins


@helper
def fire_turn(lane, cells, fired, joint, salvo, games, wins):
    """Fire a turn in a live lane, and report to the view; return how many games are won.

    The first ``fired`` entries of ``cells``, int64, are the shots: open cells, none twice. They
    end with the last hit, if the game does and turns are not fired whole. ``joint``, ``salvo`` as
    for `_fire_salvo`, ``wins`` as for `fire_at`.
    """
    if games.told & _SHIPS:
        salvo.hits[lane, :] = 0
    won, place = wins, 0
    while place < fired and (won == wins or games.whole):
        target = np.uint64(cells[place])
        hit = games.content[lane, target]
        # After the last hit, all that is left is water, and the same game is won again.
        won = fire_at(lane, target, games, wins)
        if games.told & _SHIPS and hit != games.water:
            salvo.hits[lane, hit] += 1
        salvo.cells[lane, place] = np.int64(target)
        if not joint:
            salvo.outcome[lane, place] = games.outcome[lane]
            salvo.ship[lane, place] = games.ship[lane]
            salvo.slot[lane, place] = games.slot[lane]
        place += 1
    for rest in range(place, salvo.cells.shape[1]):
        salvo.cells[lane, rest] = salvo.ship[lane, rest] = salvo.slot[lane, rest] = NOTHING
    salvo.fired[lane] = place
    salvo.turns[lane] += 1
    return won


@kernel
def _fire_salvo(cells, joint, salvo, *state):
    """Answer a turn in every live lane; return how many games are won, or -1 - lane if illegal.

    Parameters
    ----------
    cells : ndarray of int64, shape (lanes, most)
        A lane's shots end before the first -1. None is fired where one of them is illegal.
    joint : bool
        Whether they have one answer.
    salvo : Salvo
    """
    games = Games(*state)
    wins = 0
    shot = games.water - 1
    lanes, most = cells.shape
    for lane in range(lanes):
        if not games.live[lane]:
            continue
        fired = 0
        while fired < most and cells[lane, fired] != NOTHING:
            target = np.uint64(cells[lane, fired])
            if target >= np.uint64(games.content.shape[1]) or games.content[lane, target] == shot:
                return -1 - lane
            for place in range(fired):
                if cells[lane, place] == cells[lane, fired]:
                    return -1 - lane
            fired += 1
        if fired == 0 or fired > salvo.allowed[lane]:
            return -1 - lane
        wins = fire_turn(lane, cells[lane], fired, joint, salvo, games, wins)
    return wins


@kernel
def write_down_salvos(won, row, game, turns, shots, moves, unfinished):
    """Do what `write_down` does for salvos: the columns of ``moves`` are turns, and shots."""
    for lane in won:
        moves[row[lane], game[lane], 0] = turns[lane]
        moves[row[lane], game[lane], 1] = shots[lane]
        unfinished[row[lane]] -= 1


@kernel
def write_down(won, row, game, shots, moves, unfinished):
    """Write the move counts of games that have ended into the rows of their blocks.

    Parameters
    ----------
    won : ndarray of int64, shape (n,)
        Lanes in which they ended.
    row, game, shots : ndarray of int64, shape (lanes,)
        Where each lane's game is kept in ``moves``, and its shots.
    moves : ndarray of uint8 or uint16, shape (rows, games)
    unfinished : ndarray of int64, shape (rows,)
        Games that have not ended.
    """
    for lane in won:
        moves[row[lane], game[lane]] = shots[lane]
        unfinished[row[lane]] -= 1


@kernel
def count_moves(cells, boards, orders, moves):
    """Count the moves of games whose shots are all known in advance.

    Parameters
    ----------
    cells : int
        Of the board.
    boards : ndarray of uint64, shape (n, words)
        The cells of ships: see `bsbench.kernels.boards`.
    orders : ndarray of uint16, shape (n, places) or (1, cells)
        The last cells in the order in which they are shot, one row for each game, or all cells in
        one row for all; see `bsbench.strategies.base.FixedOrder`.
    moves : ndarray of uint8 or uint16, shape (n,)
        Receives the number of shots up to the last hit, or 0 if it is none of these.

    Notes
    -----
    From the last shot back, the first one that hits is the last hit. Where all cells are shot one
    after the other, that is the highest bit.
    """
    rows, places = orders.shape
    in_place = 0
    for place in range(places):
        in_place += orders[0, place] == place
    if rows == 1 and in_place == cells:
        for game in range(len(boards)):
            word = boards.shape[1] - 1
            while boards[game, word] == 0:
                word -= 1
            moves[game] = 64 * (word + 1) - leading_zeros(boards[game, word])
        return
    for game in range(len(boards)):
        row = game if rows > 1 else 0
        moves[game] = 0
        for place in range(places - 1, -1, -1):
            cell = orders[row, place]
            if boards[game, cell >> 6] >> np.uint64(cell & 63) & np.uint64(1):
                moves[game] = cells - places + place + 1
                break


def _next_alike(fleet: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return for each ship the next one of its length, in a circle."""
    found = np.arange(len(fleet))
    for length in set(fleet):
        alike = np.flatnonzero(np.array(fleet) == length)
        found[alike] = np.roll(alike, -1)
    return found


class Referee:
    """Keeps the hidden layouts of a batch of games, and answers shots.

    Parameters
    ----------
    view : View
        The shooter's side of the same games; the referee writes to it.

    Attributes
    ----------
    state : Games
        What the kernels that fire read and write; for no one else.
    """

    def __init__(self, view: View) -> None:
        rules: Rules = view.rules
        lanes, ships = view.lanes, len(rules.fleet)
        dtype: Any = np.uint8 if ships < 0xFE else np.uint16
        self._view = view
        self._fleet = np.array(rules.fleet, np.int64)
        # What the last shot of a turn did is for nobody else: joint answers do not tell it.
        last = view if view.salvo is None else View(rules, lanes)
        self.state = Games(
            live=view.live,
            told=sum(fact << place for place, fact in enumerate(rules.reveals)),
            alike=_next_alike([] if rules.feedback.reveals.cells else rules.fleet),
            water=int(np.iinfo(dtype).max),
            content=np.zeros((lanes, rules.cells), dtype),
            codes=np.zeros((lanes, ships), np.int32),
            afloat=np.zeros((lanes, ships), np.uint16),
            left=np.zeros(lanes, np.int64),
            shots=view.shots,
            cell=last.cell,
            outcome=last.outcome,
            ship=last.ship,
            slot=last.slot,
            won=np.zeros(lanes, np.int64),
            whole=rules.whole_turns,
            patience=rules.most_moves - rules.cells,
        )

    def deal(self, lanes: npt.NDArray[np.int64], layouts: npt.NDArray[np.int32]) -> None:
        """Begin fresh games.

        Parameters
        ----------
        lanes : ndarray of int64, shape (n,)
            Where they are played; games that were played there are dropped.
        layouts : ndarray of int32, shape (n, ships)
            A slot code for each ship, of layouts known to be legal.
        """
        _deal(lanes, layouts, self._view.rules.cols, self._fleet, *self.state)
        if self._view.salvo is not None:
            begin_salvos(self._view.salvo, lanes)

    def fire(self, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Fire at one cell in every live game, and write what that reveals to the view.

        Parameters
        ----------
        cells : ndarray of int64, shape (lanes,)
            The shots; entries of lanes that are not live are not read.

        Returns
        -------
        ndarray of int64, shape (n,)
            Lanes whose games this shot ended, ascending; they are no longer live. The
            array is overwritten by the next call.

        Raises
        ------
        IllegalShotError
            If a cell is off the board or was shot before.
        Fault
            If ``cells`` is of another shape or type.
        """
        wins = _fire(self.checked(cells), *self.state)
        if wins < 0:
            lane = -1 - wins
            raise illegal_shot(self._view.rules, lane, int(cells[lane]))
        return self.state.won[:wins]

    def fire_salvo(self, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Fire the shots of a turn in every live game, and write their answer to the view.

        Parameters
        ----------
        cells : ndarray of int64, shape (lanes, most shots of a turn)
            The shots of each lane, one at least, then -1 where they are fewer.

        Returns
        -------
        ndarray of int64, shape (n,)
            As `fire` does.

        Raises
        ------
        IllegalShotError
            If a cell is off the board, or was shot before or by the same turn.
        Fault
            If there are none or too many, or ``cells`` is of another shape or type.
        """
        salvo = self._salvo
        wins = _fire_salvo(self.checked(cells), self._view.rules.joint, salvo, *self.state)
        if wins < 0:
            lane = -1 - wins
            raise self._illegal_salvo(lane, cells[lane].tolist())
        return self.state.won[:wins]

    def _illegal_salvo(self, lane: int, row: list[int]) -> Fault:
        """Return what is wrong with a turn, of which no shot has been fired."""
        cells = row[: row.index(NOTHING)] if NOTHING in row else row
        content, shot = self.state.content[lane], self.state.water - 1
        allowed = int(self._salvo.allowed[lane])
        fault = illegal_turn(
            self._view.rules, lane, cells, allowed, lambda cell: bool(content[cell] != shot)
        )
        assert fault is not None
        return fault

    @property
    def _salvo(self) -> Salvo:
        assert self._view.salvo is not None
        return self._view.salvo

    def ships_afloat(self) -> npt.NDArray[np.int64]:
        """Return how many ships are afloat in each lane: int64, shape (lanes,)."""
        afloat: npt.NDArray[np.int64] = np.count_nonzero(self.state.afloat, axis=1)
        return afloat

    def checked(self, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the shots of a strategy; refuse them unless they are int64, as many as asked for.

        Raises
        ------
        Fault
            If they are not.
        """
        view, shape, what = self._view, (self._view.lanes,), "one int64 for each lane"
        if view.salvo is not None:
            shape, what = view.salvo.cells.shape, "a row of int64 for each lane"
        is_array = isinstance(cells, np.ndarray)
        if not is_array or cells.shape != shape or cells.dtype != np.int64:
            method = "shoot" if view.salvo is None else "salvo"
            found = f"{cells!r:.80}"
            if is_array:
                found = f"cells of shape {cells.shape} and type {cells.dtype}"
            raise Fault(
                int(np.argmax(view.live)),
                f"{method} returned {found}; it must return {what}, shape {shape}",
            )
        return cells
