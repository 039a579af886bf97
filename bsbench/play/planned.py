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
from bsbench.rules.board import NOTHING, Rules
from bsbench.strategies.base import Cells, Planner, Strategy

MOST_CELLS = 128
"""Cells at most of a board that is played here: two words."""

_AT_ONCE = 2_048
"""Games whose plans are laid down at once."""

_NO_BIT, _ONE, _SIX, _LOW_SIX = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
_ALL, _WORD = ~_NO_BIT, np.uint64(64)


class _Table(NamedTuple):
    """What a kernel plays games with, beside plans.

    Attributes
    ----------
    squares : ndarray of uint64, shape (words, 64, 8)
        The cells that are open, in games side by side: see `bsbench.kernels.planes`.
    fresh, ships : ndarray of uint64, shape (512, 2)
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
def _words_of(boards, game):
    """Return both words of a board, which may have only one."""
    second = boards.shape[1] - 1
    return boards[game, 0], boards[game, second] if second else _NO_BIT


@helper
def _fire_down(plan, lane, begin, end, words, fault):
    """Fire down a lane's plan to its end; return the words then, and how many shots it took.

    ``words`` are two each of the cells that are open, that no hit has put on the plan, and
    of ship cells not hit yet. A cell off the board is written into ``fault``, and not fired at.
    """
    open0, open1, fresh0, fresh1, ships0, ships1 = words
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
                return words, np.int64(fired)
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
    return (open0, open1, fresh0, fresh1, ships0, ships1), np.int64(fired)


@kernel
def _play_plans(ships, moves, plan, fault):
    """Play games along plans laid down; return whether all could be played to their ends."""
    second = np.uint64(plan.open.shape[1] - 1)
    # With an unsigned index, numba does not check whether it counts from the end.
    for lane in range(np.uint64(len(ships))):
        begin, end = np.uint64(plan.begin[lane]), np.uint64(plan.end[lane])
        open0, open1 = plan.open[lane, 0], plan.open[lane, second]
        fresh0, fresh1 = plan.fresh[lane, 0], plan.fresh[lane, second]
        ships0, ships1 = _words_of(ships, lane)
        words = open0, open1, fresh0, fresh1, ships0, ships1
        words, fired = _fire_down(plan, lane, begin, end, words, fault)
        if words[4] | words[5] != _NO_BIT:
            fault[0], fault[1] = lane, fired
            return False
        moves[lane] = fired
    return True


@helper
def _next_game(lane, ships, begun, steps, table):
    """Begin the next game in a lane, if there is one; return how many have begun."""
    if begun == len(ships):
        table.game[lane] = NOTHING
        table.ships[lane, 0] = table.ships[lane, 1] = _NO_BIT
        return begun
    table.game[lane], table.shots[lane] = begun, -steps
    table.ships[lane, 0], table.ships[lane, 1] = _words_of(ships, begun)
    table.fresh[lane, 0] = table.fresh[lane, 1] = _ALL
    for word in range(len(table.squares)):
        table.squares[word, lane & _LOW_SIX, lane >> _SIX] = _ALL
    return begun + 1


@cache
def _player(decide: Callable[..., None]) -> Any:
    """Return a kernel that plays games whose plans come to their ends; ``decide`` goes on then."""

    @kernel
    def play(boards, moves, plan, table, scratch):
        """Play games side by side; return whether all could be played to their ends.

        Between decisions all plans are at their ends. So one row serves all lanes.
        """
        squares, fresh, ships, game, shots, cells, hits, fault = table
        lanes, board = np.uint64(GROUP), np.uint64(len(plan.around))
        front, second = np.uint64(plan.front), np.uint64(len(squares) - 1)
        begun = over = steps = 0
        for lane in range(lanes):
            begun = _next_game(lane, boards, begun, steps, table)
        while over < len(boards):
            decide(squares, cells, *scratch)
            steps += 1
            count, wrong = _NO_BIT, lanes
            for lane in range(lanes):
                # Without branches, again. A cell that hits stays open for the plan.
                cell = np.uint64(cells[lane])
                word, bit = cell >> _SIX & second, _ONE << (cell & _LOW_SIX)
                row, column = lane & _LOW_SIX, lane >> _SIX
                is_open, ship = squares[word, row, column], ships[lane, word]
                squares[word, row, column] = is_open & ~(bit & ~ship)
                hits[count] = lane
                count += np.uint64(bit & ship != _NO_BIT)
                legal = (cell < board) & (is_open & bit != _NO_BIT) | (game[lane] < 0)
                wrong = wrong if legal else np.uint64(lane)
            if wrong < lanes:
                fault[0], fault[1] = game[wrong], shots[wrong] + steps - 1
                fault[2] = NOTHING if np.uint64(cells[wrong]) < board else cells[wrong]
                return False
            for index in range(count):
                hit = np.uint64(hits[index])
                row, column = hit & _LOW_SIX, hit >> _SIX
                plan.cells[0, front] = cells[hit]
                open0, open1 = squares[_NO_BIT, row, column], squares[second, row, column]
                fresh0, fresh1 = fresh[hit, 0], fresh[hit, 1]
                words = open0, open1, fresh0, fresh1, ships[hit, 0], ships[hit, 1]
                words, fired = _fire_down(plan, _NO_BIT, front, front + _ONE, words, fault)
                open0, open1, fresh0, fresh1, ships0, ships1 = words
                shots[hit] += fired - 1
                if ships0 | ships1 == _NO_BIT:
                    moves[game[hit]] = shots[hit] + steps
                    over += 1
                    begun = _next_game(hit, boards, begun, steps, table)
                    continue
                # The second word first: it may be the first one, too.
                squares[second, row, column] = open1
                squares[_NO_BIT, row, column] = open0
                fresh[hit, 0], fresh[hit, 1] = fresh0, fresh1
                ships[hit, 0], ships[hit, 1] = ships0, ships1
        return True

    return play


def plays_whole(strategy: Strategy, rules: Rules) -> bool:
    """Return whether games of a strategy can be played whole, as `WholeGames` does."""
    return (
        isinstance(strategy, Planner)
        # A hunt of its own may look at the last shots.
        and type(strategy).hunt is Planner.hunt
        and strategy.games_per_learner == 1
        and rules.cells <= MOST_CELLS
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
        rules, boards = planner.rules, np.zeros((GROUP, 2), np.uint64)
        self._planner = planner
        self.at_once = min(planner.lanes, _AT_ONCE) if planner.decide is None else 0
        self._table = _Table(
            as_squares(boards[:, : -(-rules.cells // 64)]),
            boards,
            boards.copy(),
            *np.zeros((5, GROUP), np.int64),
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
        moves : ndarray of uint8, shape (n,)
            Receives the move counts.

        Returns
        -------
        tuple of int, or None
            If a game can't be played to its end: which one, the shots before, and the cell off the
            board, or -1 if its plan has no open cell.
        """
        planner, table = self._planner, self._table
        table.fault[2] = NOTHING
        if planner.decide is None:
            planner.deal(np.arange(len(games)), games)
            done = _play_plans(ships, moves, planner.plan, table.fault)
        else:
            play = _player(planner.decide)
            done = play(ships, moves, planner.plan, table, tuple(planner.scratch))
        game, shots, cell = table.fault[:3].tolist()
        return None if done else (game, shots, cell)
