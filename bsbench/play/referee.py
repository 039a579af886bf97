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
from bsbench.kernels._jit import allocating, helper, kernel
from bsbench.kernels.bits import leading_zeros
from bsbench.kernels.boards import is_set
from bsbench.kernels.random import draw, stream_start
from bsbench.kernels.slots import read_slot
from bsbench.kernels.turns import at, for_kernels, most_shots, put
from bsbench.rules.board import HIT, MISS, NOTHING, SUNK, Facts, Rules
from bsbench.rules.drawing import illegal_shot, illegal_turn
from bsbench.strategies.view import View

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
    shots, turns, allowed : ndarray of int64, shape (lanes,)
    hits : ndarray of int64, shape (lanes, ships), or (0,) where they are not counted
        As in `View`.
    cells, outcomes, ships, slots : ndarray, shape (lanes, most), or (lanes,) for single shots
        As in `View`, see `bsbench.kernels.turns`; with joint answers, which do not tell what each
        shot did, the last three are the referee's own.
    won : ndarray of int64, shape (lanes,)
        Its first entries are the lanes whose games the last shots ended.
    patience : int
        Before so many shots, one at a cell that was shot before is a miss: 0 if it never is.
    whole : int
        Whether turns are fired whole, beyond the last hit.
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
    turns: npt.NDArray[np.int64]
    allowed: npt.NDArray[np.int64]
    cells: npt.NDArray[np.int64]
    outcomes: npt.NDArray[np.uint8]
    ships: npt.NDArray[np.int64]
    slots: npt.NDArray[np.int64]
    hits: npt.NDArray[np.int64]
    won: npt.NDArray[np.int64]
    patience: int
    whole: int


@helper
def no_shot(lane, place, games):
    """Show that a turn has no such shot."""
    put(games.cells, lane, place, NOTHING)
    put(games.outcomes, lane, place, 0)
    put(games.ships, lane, place, NOTHING)
    put(games.slots, lane, place, NOTHING)


@helper
def set_hits(lane, hits, number):
    """Say for each ship how often a turn hit it; nothing is compiled where hits are not counted."""
    if hits.ndim == 2:
        hits[lane, :] = number


@helper
def _count_hits(lane, hits, ship, number):
    if hits.ndim == 2:
        hits[lane, ship] += number


@helper
def deal_in(lane, layout, cols, fleet, games):
    """Begin a fresh game in a lane, on a layout of one slot code for each ship."""
    games.live[lane] = True
    games.shots[lane] = games.turns[lane] = 0
    games.allowed[lane] = most_shots(games.cells)
    set_hits(lane, games.hits, NOTHING)
    for place in range(most_shots(games.cells)):
        no_shot(lane, place, games)
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
def _fire_at(lane, place, target, games, wins):
    """Fire at an open cell of a live game, and report to the view; return how many games are won.

    ``place`` is that of the shot in its turn, ``target`` is uint64. ``wins`` games were won before
    by the same shots.
    """
    hit = games.content[lane, target]
    games.content[lane, target] = games.water - 1
    # Before the count, since a strategy may have returned that very array.
    put(games.cells, lane, place, np.int64(target))
    games.shots[lane] += 1
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
        put(games.slots, lane, place, np.int64(slot) if sinks else NOTHING)
    if games.told & (_LENGTHS | _SHIPS):
        told = hits if games.told & _SHIPS else sinks
        put(games.ships, lane, place, np.int64(ship) if told else NOTHING)
        if len(games.alike) > 0 and sinks:
            put(games.ships, lane, place, _untold(lane, ship, games))
        _count_hits(lane, games.hits, ship, hits)
    put(games.outcomes, lane, place, outcome)
    games.left[lane] -= hits
    if games.left[lane] == 0:
        games.live[lane] = False
        games.won[wins] = lane
        return wins + 1
    return wins


@helper
def fire_turn(lane, cells, fired, games, wins):
    """Fire a turn in a live lane, and report to the view; return how many games are won.

    The first ``fired`` entries of a lane's ``cells``, int64, are the shots: open cells, none twice.
    They end with the last hit, if the game does and turns are not fired whole. ``wins`` as for
    `_fire_at`.
    """
    if most_shots(cells) > 1:
        games.turns[lane] += 1
    set_hits(lane, games.hits, 0)
    won = _fire_at(lane, 0, np.uint64(at(cells, lane, 0)), games, wins)
    for place in range(1, most_shots(cells)):
        # After the last hit, all that is left is water, and the same game is won again.
        if place < fired and (won == wins or games.whole):
            won = _fire_at(lane, place, np.uint64(at(cells, lane, place)), games, wins)
        else:
            no_shot(lane, place, games)
    return won


@helper
def _is_open(lane, cell, is_shot, content):
    # As an unsigned number, a negative cell lies beyond the last cell of the board.
    target = np.uint64(cell)
    return target < np.uint64(content.shape[1]) and content[lane, target] != is_shot


@helper
def legal_shots(lane, cells, allowed, is_shot, content):
    """Return how many shots a turn has, which ends before the first -1; 0 if it is illegal.

    ``content`` holds ``is_shot`` where cells have been shot.
    """
    if not _is_open(lane, at(cells, lane, 0), is_shot, content):
        return 0
    if most_shots(cells) == 1:
        return 1
    fired = 1
    while fired < most_shots(cells) and at(cells, lane, fired) != NOTHING:
        if not _is_open(lane, at(cells, lane, fired), is_shot, content):
            return 0
        for place in range(fired):
            if at(cells, lane, place) == at(cells, lane, fired):
                return 0
        fired += 1
    return fired if fired <= allowed[lane] else 0


@helper
def is_cell(lane, cells, content):
    """Return whether the first shot of a turn is on the board."""
    return np.uint64(at(cells, lane, 0)) < np.uint64(content.shape[1])


@helper
def waste(lane, cells, games):
    """Fire at a cell that was shot before, and report a miss: `fire_turn` for repeated shots."""
    cell = np.int64(at(cells, lane, 0))
    no_shot(lane, 0, games)
    put(games.cells, lane, 0, cell)
    games.shots[lane] += 1


@kernel
def _fire(cells, *state):
    """Answer a turn in every live lane; return how many games are won, or -1 - lane if illegal.

    A lane's shots end before the first -1. None is fired where one of them is illegal.
    """
    games = Games(*state)
    wins = 0
    shot = games.water - 1
    # With an unsigned index, numba does not check whether it counts from the end.
    for lane in range(np.uint64(len(games.live))):
        if not games.live[lane]:
            continue
        fired = legal_shots(lane, cells, games.allowed, shot, games.content)
        if fired == 0:
            if games.shots[lane] >= games.patience or not is_cell(lane, cells, games.content):
                return -1 - np.int64(lane)
            waste(lane, cells, games)
            continue
        wins = fire_turn(lane, cells, fired, games, wins)
    return wins


@kernel
def write_down(won, row, game, turns, shots, moves, unfinished):
    """Write the move counts of games that have ended into the rows of their blocks.

    Parameters
    ----------
    won : ndarray of int64, shape (n,)
        Lanes in which they ended.
    row, game, turns, shots : ndarray of int64, shape (lanes,)
        Where each lane's game is kept in ``moves``, and its turns and shots.
    moves : ndarray of uint8 or uint16, shape (rows, games, columns)
        Receives the turns, and in the last column the shots.
    unfinished : ndarray of int64, shape (rows,)
        Games that have not ended.
    """
    for lane in won:
        moves[row[lane], game[lane], 0] = turns[lane]
        moves[row[lane], game[lane], moves.shape[2] - 1] = shots[lane]
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
    orders : ndarray of uint16, shape (n, cells) or (1, cells)
        The cells in the order in which they are shot, one row for each game, or one for all; see
        `bsbench.strategies.base.FixedOrder`.
    moves : ndarray of uint8 or uint16, shape (n,)
        Receives the number of shots up to the last hit.

    Notes
    -----
    From the last shot back, the first one that hits is the last hit. Where all cells are shot one
    after the other, that is the highest bit.
    """
    rows = len(orders)
    in_place = 0
    for place in range(cells):
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
        for place in range(cells - 1, -1, -1):
            if is_set(boards, game, orders[row, place]):
                moves[game] = place + 1
                break


@allocating
def count_shuffled(cells, boards, key, first_game, moves):
    """Count the moves of games whose orders are shuffles of the board, as `shuffle` makes them.

    Parameters
    ----------
    cells, boards, moves
        As for `count_moves`.
    key : uint64
        Of the streams that shuffle.
    first_game : int
        Number of the first game.

    Notes
    -----
    A shuffle draws its last cell first, and then the one before. So no game draws further than to
    its last hit. Cells that were drawn go back to their places before the next game.
    """
    order = np.arange(cells).astype(np.uint16)
    chosen, drawn = np.empty_like(order), np.empty_like(order)
    for game in range(len(boards)):
        state = stream_start(key, first_game + game)
        place = cells
        while True:
            place -= 1
            state, index = draw(state, np.uint64(place + 1))
            cell = order[index]
            if is_set(boards, game, cell):
                break
            order[index] = order[place]
            chosen[place], drawn[place] = index, cell
        moves[game] = place + 1
        for later in range(place + 1, cells):
            order[chosen[later]] = drawn[later]


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
        # What each shot did is for nobody else where joint answers do not tell it.
        told = View(rules, lanes) if rules.joint else view
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
            turns=view.turns,
            allowed=view.allowed,
            cells=for_kernels(view.cells),
            outcomes=for_kernels(told.outcomes),
            ships=for_kernels(told.ships),
            slots=for_kernels(told.slots),
            hits=view.hits if view.hits.shape[1] else view.hits.reshape(0),
            won=np.zeros(lanes, np.int64),
            patience=rules.most_moves - rules.cells,
            whole=int(rules.whole_turns),
        )
        # Python passes what is in a NamedTuple more slowly.
        self._arrays = tuple(self.state)

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

    def fire(self, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Fire a turn in every live game, and write its answer to the view.

        Parameters
        ----------
        cells : ndarray of int64, shape (lanes, most shots of a turn)
            The shots of each lane, one at least, then -1 where they are fewer; entries of lanes
            that are not live are not read. Single shots may have the shape (lanes,).

        Returns
        -------
        ndarray of int64, shape (n,)
            Lanes whose games this turn ended, ascending; they are no longer live. The
            array is overwritten by the next call.

        Raises
        ------
        IllegalShotError
            If a cell is off the board, or was shot before or by the same turn.
        Fault
            If there are none or too many, or ``cells`` is of another shape or type.
        """
        cells = self._taken(cells)
        wins = _fire(cells, *self._arrays)
        if wins < 0:
            lane = -1 - wins
            raise self._illegal(lane, np.atleast_1d(cells[lane]).tolist())
        return self.state.won[:wins]

    def _illegal(self, lane: int, row: list[int]) -> Fault:
        """Return what is wrong with a turn, of which no shot has been fired."""
        rules, content, shot = self._view.rules, self.state.content[lane], self.state.water - 1
        if not rules.salvos:
            return illegal_shot(rules, lane, row[0])
        cells = row[: row.index(NOTHING)] if NOTHING in row else row
        allowed = int(self._view.allowed[lane])
        fault = illegal_turn(rules, lane, cells, allowed, lambda cell: bool(content[cell] != shot))
        assert fault is not None
        return fault

    def ships_afloat(self) -> npt.NDArray[np.int64]:
        """Return how many ships are afloat in each lane: int64, shape (lanes,)."""
        afloat: npt.NDArray[np.int64] = np.count_nonzero(self.state.afloat, axis=1)
        return afloat

    def checked(self, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the turns of a strategy; refuse them unless they are int64, as many as asked for.

        Raises
        ------
        Fault
            If they are not.
        """
        return self._taken(cells).reshape(self._view.cells.shape)

    def _taken(self, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the same as kernels take them."""
        view = self._view
        if isinstance(cells, np.ndarray):
            if cells.dtype == np.int64 and cells.shape == self.state.cells.shape:
                return cells
            if cells.dtype == np.int64 and cells.shape == view.cells.shape:
                return for_kernels(cells)
            found = f"cells of shape {cells.shape} and type {cells.dtype}"
        else:
            found = f"{cells!r:.80}"
        method, shape, what = "shoot", (view.lanes,), "one int64 for each lane"
        if view.rules.salvos:
            method, shape, what = "salvo", view.cells.shape, "a row of int64 for each lane"
        raise Fault(
            int(np.argmax(view.live)),
            f"{method} returned {found}; it must return {what}, shape {shape}",
        )
