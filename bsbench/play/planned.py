"""Games of planners, played whole: player and referee in one kernel, boards in registers.

Nobody sees a game in between. So a plan is fired down with nothing but the cells that are
open, the ship cells not hit yet, and the number of shots at hand. Where plans come to their end
before games do, 512 games are played side by side, small enough for a near cache: the strategy's
kernel decides for all of them at once, those that hit fire down their plans, and where a game is
over, the next one begins.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import population_count, trailing_zeros
from bsbench.kernels.boards import Boards
from bsbench.kernels.lanes import GROUP
from bsbench.kernels.planes import Rows, as_squares
from bsbench.rules.board import NOTHING
from bsbench.strategies.base import Cells, Planner, Strategy

_MOST_CELLS = 128
"""Cells at most of a board that is played in registers: two words."""

_AT_ONCE = 2_048
"""Games whose plans are laid down at once."""

_NO_BIT, _ONE, _SIX, _LOW_SIX = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
_ALL, _WORD = ~_NO_BIT, np.uint64(64)

_OPEN, _FRESH, _SHIPS = np.uint64(0), np.uint64(1), np.uint64(2)
"""Rows of the boards of one game."""


class _Table(NamedTuple):
    """What a kernel plays games with, beside plans.

    Attributes
    ----------
    squares : ndarray of uint64, shape (words, 64, 8)
        The cells that are open, in games side by side: see `bsbench.kernels.planes`.
    fresh, ships : ndarray of uint64, shape (512, words)
        Boards of the cells that no hit has put on the plan, and of ship cells not hit yet.
    game, shots : ndarray of int64, shape (512,)
        Which of the games is played in each lane, -1 for none; and its shots, less one for each
        decision since the first.
    cells, hits : ndarray of int64, shape (512,)
        What is decided, and the lanes that hit by it.
    fault : ndarray of int64, shape (512,)
        Of the game that can't go on: which of the games it is, its shots, and the cell refused, -1
        if its plan has no open cell.
    """

    squares: Rows
    fresh: Boards
    ships: Boards
    game: npt.NDArray[np.int64]
    shots: npt.NDArray[np.int64]
    cells: npt.NDArray[np.int64]
    hits: npt.NDArray[np.int64]
    fault: npt.NDArray[np.int64]


@helper
def _bits_of(cell):
    """Return the two words of a board with the bit of one cell (uint64) alone."""
    bit, is_low = _ONE << (cell & _LOW_SIX), cell < _WORD
    return bit if is_low else _NO_BIT, _NO_BIT if is_low else bit


@helper
def _fire_down(plan, lane, begin, end, boards, fault):
    """Fire down a lane's plan to its end; return how many shots it took.

    ``boards`` has rows of two words each, changed in place: the cells that are open, those that no
    hit has put on the plan, and the ship cells not hit yet. A cell off the board is written into
    ``fault``, and not fired at.
    """
    open0, open1 = boards[_OPEN, 0], boards[_OPEN, 1]
    fresh0, fresh1 = boards[_FRESH, 0], boards[_FRESH, 1]
    ships0, ships1 = boards[_SHIPS, 0], boards[_SHIPS, 1]
    cells, sides = np.uint64(len(plan.around)), np.uint64(plan.around.shape[1])
    # A board of one word has no cell whose bit is in the second one, whatever that holds.
    second = np.uint64(plan.open.shape[1] - 1)
    fired = _NO_BIT
    while True:
        hit0 = hit1 = target = _NO_BIT
        while begin < end and hit0 | hit1 == _NO_BIT:
            target = np.uint64(plan.cells[lane, begin])
            if target >= cells:
                fault[2] = target
                return np.int64(fired)
            begin += _ONE
            # Without branches: processors can't predict which cells are open.
            bit0, bit1 = _bits_of(target)
            bit0 &= open0
            bit1 &= open1
            fired += np.uint64((bit0 | bit1) != _NO_BIT)
            open0 ^= bit0
            open1 ^= bit1
            hit0, hit1 = bit0 & ships0, bit1 & ships1
        if plan.sweeps and hit0 | hit1 == _NO_BIT:
            # The next hit row by row is the lowest bit, and all that is open below is shot.
            hit0, hit1 = open0 & ships0, open1 & ships1
            is_low = hit0 != _NO_BIT
            lowest = hit0 if is_low else hit1
            if lowest == _NO_BIT:
                break
            upto = lowest ^ (lowest - _ONE)
            upto0, upto1 = upto if is_low else _ALL, _NO_BIT if is_low else upto
            hit0 &= upto0
            hit1 &= upto1
            fired += population_count(open0 & upto0) + population_count(open1 & upto1)
            open0 &= ~upto0
            open1 &= ~upto1
            target = np.uint64(trailing_zeros(lowest)) + (_NO_BIT if is_low else _WORD)
        ships0 ^= hit0
        ships1 ^= hit1
        if hit0 | hit1 == _NO_BIT or ships0 | ships1 == _NO_BIT:
            break
        # As `apply_hit`, in registers.
        open0 &= ~plan.apart[target, 0]
        open1 &= ~plan.apart[target, second]
        for side in range(sides):
            near = np.uint64(plan.around[target, side])
            if plan.once:
                bit0, bit1 = _bits_of(near)
                free = open0 & fresh0 & bit0 | open1 & fresh1 & bit1
                wanted = np.uint64(free != _NO_BIT)
                fresh0 &= ~bit0
                fresh1 &= ~bit1
            else:
                wanted = (open0 if near < _WORD else open1) >> (near & _LOW_SIX) & _ONE
            if plan.in_front:
                plan.cells[lane, begin - _ONE] = near
                begin -= wanted
            else:
                plan.cells[lane, end] = near
                end += wanted
    boards[_OPEN, 0], boards[_OPEN, 1] = open0, open1
    boards[_FRESH, 0], boards[_FRESH, 1] = fresh0, fresh1
    boards[_SHIPS, 0], boards[_SHIPS, 1] = ships0, ships1
    return np.int64(fired)


@helper
def _fire_down_wide(plan, lane, begin, end, boards, fault):
    """Do what `_fire_down` does, with boards of more words, in memory."""
    cells, sides = np.uint64(len(plan.around)), np.uint64(plan.around.shape[1])
    words, left, fired = np.uint64(boards.shape[1]), _NO_BIT, _NO_BIT
    for each in range(words):
        left += population_count(boards[_SHIPS, each])
    while True:
        hit = target = _NO_BIT
        while begin < end and hit == _NO_BIT:
            target = np.uint64(plan.cells[lane, begin])
            if target >= cells:
                fault[2] = target
                return np.int64(fired)
            begin += _ONE
            word = target >> _SIX
            bit = _ONE << (target & _LOW_SIX) & boards[_OPEN, word]
            fired += np.uint64(bit != _NO_BIT)
            boards[_OPEN, word] ^= bit
            hit = bit & boards[_SHIPS, word]
        if plan.sweeps and hit == _NO_BIT:
            swept = word = _NO_BIT
            while word < words and hit == _NO_BIT:
                hit = boards[_OPEN, word] & boards[_SHIPS, word]
                upto = hit ^ (hit - _ONE)
                swept += population_count(boards[_OPEN, word] & upto)
                boards[_OPEN, word] &= ~upto
                target = _WORD * word + np.uint64(trailing_zeros(hit))
                hit &= upto
                word += _ONE
            fired += swept if hit != _NO_BIT else _NO_BIT
        if hit == _NO_BIT:
            return np.int64(fired)
        boards[_SHIPS, target >> _SIX] ^= hit
        left -= _ONE
        if left == _NO_BIT:
            return np.int64(fired)
        for each in range(words):
            boards[_OPEN, each] &= ~plan.apart[target, each]
        for side in range(sides):
            near = np.uint64(plan.around[target, side])
            word, bit = near >> _SIX, _ONE << (near & _LOW_SIX)
            wanted = boards[_OPEN, word] & bit
            if plan.once:
                wanted &= boards[_FRESH, word]
                boards[_FRESH, word] &= ~bit
            if plan.in_front:
                plan.cells[lane, begin - _ONE] = near
                begin -= np.uint64(wanted != _NO_BIT)
            else:
                plan.cells[lane, end] = near
                end += np.uint64(wanted != _NO_BIT)


@helper
def _is_over(boards):
    """Return whether all ship cells are hit."""
    left = _NO_BIT
    for word in range(boards.shape[1]):
        left |= boards[_SHIPS, word]
    return left == _NO_BIT


@cache
def _along_plans(fire_down: Callable[..., int]) -> Any:
    """Return a kernel that plays games along plans laid down."""

    @kernel
    def play(ships, moves, plan, boards, fault):
        """Play games one after the other; return whether all could be played to their ends."""
        # With an unsigned index, numba does not check whether it counts from the end.
        for lane in range(np.uint64(len(ships))):
            for word in range(np.uint64(ships.shape[1])):
                boards[_OPEN, word] = plan.open[lane, word]
                boards[_FRESH, word] = plan.fresh[lane, word]
                boards[_SHIPS, word] = ships[lane, word]
            begin, end = np.uint64(plan.begin[lane]), np.uint64(plan.end[lane])
            moves[lane] = fire_down(plan, lane, begin, end, boards, fault)
            if not _is_over(boards):
                fault[0], fault[1] = lane, moves[lane]
                return False
        return True

    return play


@helper
def _next_game(lane, ships, begun, steps, table):
    """Begin the next game in a lane, if there is one; return how many have begun."""
    is_one = begun < len(ships)
    table.game[lane] = begun if is_one else NOTHING
    table.shots[lane] = -steps
    for word in range(np.uint64(ships.shape[1])):
        table.squares[word, lane & _LOW_SIX, lane >> _SIX] = _ALL
        table.fresh[lane, word] = _ALL
        table.ships[lane, word] = ships[begun, word] if is_one else _NO_BIT
    return begun + is_one


@cache
def _side_by_side(decide: Callable[..., None], fire_down: Callable[..., int]) -> Any:
    """Return a kernel that plays games whose plans come to their ends; ``decide`` goes on then."""

    @kernel
    def play(ships_of, moves, plan, boards, table, scratch):
        """Play games side by side; return whether all could be played to their ends.

        Between decisions all plans are at their ends. So one row serves all lanes.
        """
        squares, fresh, ships, game, shots, cells, hits, fault = table
        lanes, board = np.uint64(GROUP), np.uint64(len(plan.around))
        front, words = np.uint64(plan.front), np.uint64(len(squares))
        # Typed: for a bare 0, `_next_game` would be compiled three times more.
        begun = over = steps = np.int64(0)
        for lane in range(lanes):
            begun = _next_game(lane, ships_of, begun, steps, table)
        while over < len(ships_of):
            decide(squares, cells, *scratch)
            steps += 1
            count, wrong = _NO_BIT, lanes
            for lane in range(lanes):
                # Without branches, again. A cell that hits stays open for the plan.
                is_live, is_on_board = game[lane] >= 0, np.uint64(cells[lane]) < board
                cell = np.uint64(cells[lane]) if is_on_board else _NO_BIT
                word, bit = cell >> _SIX, np.uint64(is_live) << (cell & _LOW_SIX)
                row, column = lane & _LOW_SIX, lane >> _SIX
                is_open, ship = squares[word, row, column], ships[lane, word]
                squares[word, row, column] = is_open & ~(bit & ~ship)
                hits[count] = lane
                count += np.uint64(bit & ship != _NO_BIT)
                is_legal = is_on_board & (is_open & bit == bit)
                wrong = np.uint64(lane) if is_live & (not is_legal) else wrong
            if wrong < lanes:
                fault[0], fault[1] = game[wrong], shots[wrong] + steps - 1
                fault[2] = NOTHING if np.uint64(cells[wrong]) < board else cells[wrong]
                return False
            for index in range(count):
                hit = np.uint64(hits[index])
                row, column = hit & _LOW_SIX, hit >> _SIX
                for each in range(words):
                    boards[_OPEN, each] = squares[each, row, column]
                    boards[_FRESH, each] = fresh[hit, each]
                    boards[_SHIPS, each] = ships[hit, each]
                plan.cells[0, front] = cells[hit]
                shots[hit] += fire_down(plan, _NO_BIT, front, front + _ONE, boards, fault) - 1
                if _is_over(boards):
                    moves[game[hit]] = shots[hit] + steps
                    over += 1
                    begun = _next_game(hit, ships_of, begun, steps, table)
                    continue
                for each in range(words):
                    squares[each, row, column] = boards[_OPEN, each]
                    fresh[hit, each] = boards[_FRESH, each]
                    ships[hit, each] = boards[_SHIPS, each]
        return True

    return play


def plays_whole(strategy: Strategy) -> bool:
    """Return whether games of a strategy can be played whole, as `WholeGames` does."""
    return (
        isinstance(strategy, Planner) and strategy.plays_whole and strategy.games_per_learner == 1
    )


class WholeGames:
    """Plays games of a planner whole, from the layouts to the move counts.

    Parameters
    ----------
    planner : Planner
        One for which `plays_whole` is true, and which has begun.

    Attributes
    ----------
    at_once : int
        Games at most to play at once, each in a lane of the planner; 0 for any number.
    """

    def __init__(self, planner: Planner) -> None:
        cells = planner.rules.cells
        boards = np.zeros((GROUP, -(-cells // 64)), np.uint64)
        self._planner = planner
        self.at_once = min(planner.lanes, _AT_ONCE) if planner.decide is None else 0
        self._fire_down = _fire_down if cells <= _MOST_CELLS else _fire_down_wide
        self._boards = np.zeros((3, max(boards.shape[1], 2)), np.uint64)
        self._table = _Table(
            as_squares(boards), boards, boards.copy(), *np.zeros((5, GROUP), np.int64)
        )

    def play(
        self, games: Cells, ships: Boards, moves: npt.NDArray[Any]
    ) -> tuple[int, int, int] | None:
        """Play some games to their ends.

        Parameters
        ----------
        games : ndarray of int64, shape (n,)
            Their numbers.
        ships : ndarray of uint64, shape (n, words)
            Boards of the ship cells.
        moves : ndarray of uint8 or uint16, shape (n,)
            Receives the move counts.

        Returns
        -------
        tuple of int, or None
            If a game can't be played to its end: which one, the shots before, and the cell off the
            board, or -1 if its plan has no open cell.
        """
        planner, boards, table = self._planner, self._boards, self._table
        table.fault[2] = NOTHING
        if planner.decide is None:
            planner.deal(np.arange(len(games)), games)
            play = _along_plans(self._fire_down)
            done = play(ships, moves, planner.plan, boards, table.fault)
        else:
            play = _side_by_side(planner.decide, self._fire_down)
            done = play(ships, moves, planner.plan, boards, table, tuple(planner.scratch))
        game, shots, cell = table.fault[:3].tolist()
        return None if done else (game, shots, cell)
