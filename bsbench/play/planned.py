"""The referee of games that a planner plays unwatched: boards in registers, shots not shown.

Where no one sees a game between two hunts, a lane needs no more than its plan, the board of the
ship cells not hit yet, and the number of its shots: a third of what the referee who answers each
shot keeps, and few enough to play in registers.
"""

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import population_count, trailing_zeros
from bsbench.kernels.plans import ShotPlan
from bsbench.kernels.slots import read_slot
from bsbench.play.referee import illegal_plan
from bsbench.rules.board import NOTHING
from bsbench.strategies.view import View

MOST_CELLS = 128
"""Cells at most of a board that is played here: two words."""

_NO_BIT, _ONE, _LOW_SIX = np.uint64(0), np.uint64(1), np.uint64(63)
_ALL, _WORD = ~_NO_BIT, np.uint64(64)


@helper
def _bits_of(cell):
    """Return the two words of a board with the bit of one cell (uint64) alone."""
    bit, is_low = _ONE << (cell & _LOW_SIX), cell < _WORD
    return bit if is_low else _NO_BIT, _NO_BIT if is_low else bit


@helper
def _is_row_by_row(plan, lane):
    """Return whether a plan holds all cells of the board, row by row."""
    begin, cells = plan.begin[lane], len(plan.around)
    if not plan.in_front or plan.end[lane] - begin != cells:
        return False
    in_place = 0
    for cell in range(cells):
        in_place += plan.cells[lane, begin + cell] == cell
    return in_place == cells


@kernel
def _deal(lanes, layouts, cols, fleet, live, shots, ships):
    for index in range(len(lanes)):
        low = high = _NO_BIT
        for number in range(len(fleet)):
            first, step = read_slot(np.int64(layouts[index, number]), cols)
            for part in range(fleet[number]):
                low_bit, high_bit = _bits_of(np.uint64(first + part * step))
                low |= low_bit
                high |= high_bit
        lane = lanes[index]
        ships[lane, 0], ships[lane, 1] = low, high
        live[lane], shots[lane] = True, 0


@kernel
def _fire_down(plan, live, shots, cell, ships, won):
    """Fire down the plans of all live lanes, as `bsbench.play.referee` does."""
    cells, sides = np.uint64(len(plan.around)), np.uint64(plan.around.shape[1])
    # A board of one word has no cell whose bit is in the second one, whatever that holds.
    second = np.uint64(plan.open.shape[1] - 1)
    wins = 0
    # With an unsigned index, numba does not check whether it counts from the end.
    for lane in range(np.uint64(len(live))):
        if not live[lane]:
            continue
        ships0, ships1 = ships[lane, 0], ships[lane, 1]
        open0, open1 = plan.open[lane, 0], plan.open[lane, second]
        fresh0, fresh1 = plan.fresh[lane, 0], plan.fresh[lane, second]
        begin, end = np.uint64(plan.begin[lane]), np.uint64(plan.end[lane])
        # Such a list is not read: what is left of it is what is open.
        sweeps = _is_row_by_row(plan, lane)
        if sweeps:
            end = begin
        fired = _NO_BIT
        while True:
            hit0 = hit1 = target = _NO_BIT
            while begin < end and hit0 | hit1 == _NO_BIT:
                target = np.uint64(plan.cells[lane, begin])
                if target >= cells:
                    shots[lane] += np.int64(fired)
                    cell[lane] = np.int64(target)
                    return -1 - np.int64(lane)
                begin += _ONE
                # Without branches: processors can't predict which cells are open.
                bit0, bit1 = _bits_of(target)
                bit0 &= open0
                bit1 &= open1
                fired += np.uint64((bit0 | bit1) != _NO_BIT)
                open0 ^= bit0
                open1 ^= bit1
                hit0, hit1 = bit0 & ships0, bit1 & ships1
            if sweeps and hit0 | hit1 == _NO_BIT:
                # The next hit row by row is the lowest bit, and all that is open below is shot.
                hit0, hit1 = open0 & ships0, open1 & ships1
                is_low = hit0 != _NO_BIT
                lowest = hit0 if is_low else hit1
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
                bit0, bit1 = _bits_of(near)
                wanted = open0 & bit0 | open1 & bit1
                if plan.once:
                    wanted &= fresh0 & bit0 | fresh1 & bit1
                    fresh0 &= ~bit0
                    fresh1 &= ~bit1
                if plan.in_front:
                    plan.cells[lane, begin - _ONE] = near
                    begin -= np.uint64(wanted != _NO_BIT)
                else:
                    plan.cells[lane, end] = near
                    end += np.uint64(wanted != _NO_BIT)
        shots[lane] += np.int64(fired)
        if ships0 | ships1 == _NO_BIT:
            live[lane] = False
            won[wins] = lane
            wins += 1
            continue
        if fired == _NO_BIT:
            cell[lane] = NOTHING
            return -1 - np.int64(lane)
        # The second word first: it may be the first one, too.
        plan.open[lane, second], plan.fresh[lane, second] = open1, fresh1
        plan.open[lane, 0], plan.fresh[lane, 0] = open0, fresh0
        plan.begin[lane], plan.end[lane] = begin, end
        ships[lane, 0], ships[lane, 1] = ships0, ships1
    return wins


class PlanReferee:
    """Keeps the hidden layouts of a batch of games, and fires down plans without answers.

    The games are those of `bsbench.play.referee.Referee`. A cell that a strategy opens again
    counts as a miss when it is shot again.

    Parameters
    ----------
    view : View
        The shooter's side of the same games, on a board of at most `MOST_CELLS` cells; only
        ``live`` and ``shots`` are written to.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._fleet = np.array(view.rules.fleet, np.int64)
        self._ships = np.zeros((view.lanes, 2), np.uint64)
        self._won = np.zeros(view.lanes, np.int64)

    def deal(self, lanes: npt.NDArray[np.int64], layouts: npt.NDArray[np.int32]) -> None:
        """Begin fresh games, as `Referee.deal` does."""
        view = self._view
        _deal(lanes, layouts, view.rules.cols, self._fleet, view.live, view.shots, self._ships)

    def fire_down(self, plan: ShotPlan) -> npt.NDArray[np.int64]:
        """Fire down the plans of all live games to their ends, as `Referee.fire_down` does."""
        view = self._view
        wins = _fire_down(plan, view.live, view.shots, view.cell, self._ships, self._won)
        if wins < 0:
            raise illegal_plan(view, -1 - wins)
        return self._won[:wins]
