"""Whole games of a planner in one call: player and referee together, boards in registers.

For a `Planner` that is never asked again and a game that no one watches. Its plan holds the whole
board, and says what a hit changes, so that nothing is left to decide once the game is dealt: each
game is played to its end before the next one begins, and only its number of shots is kept. The
referee's way, with all games side by side, is for games that are looked at between two shots.
"""

import numpy as np

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import population_count, trailing_zeros
from bsbench.kernels.slots import read_slot

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
def _ship_board(layout, cols, fleet):
    """Return the board of all ship cells."""
    low = high = _NO_BIT
    for ship in range(len(fleet)):
        first, step = read_slot(np.int64(layout[ship]), cols)
        for part in range(fleet[ship]):
            low_bit, high_bit = _bits_of(np.uint64(first + part * step))
            low |= low_bit
            high |= high_bit
    return low, high


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
def play_plans(plan, layouts, cols, fleet, moves):
    """Play the games whose plans have been laid down in the first lanes.

    Parameters
    ----------
    plan : ShotPlan
        On a board of at most `MOST_CELLS` cells. Its rows of cells are overwritten.
    layouts : ndarray of int32, shape (n, ships)
        A slot code for each ship.
    cols : int
        Of the board.
    fleet : ndarray of int64, shape (ships,)
    moves : ndarray of uint8 or uint16, shape (n,)
        Receives the number of shots of each game.

    Returns
    -------
    int
        A lane whose plan ends before its game, or goes beyond the board; or -1.
    """
    cells, last_word = np.uint64(len(plan.around)), np.uint64(plan.open.shape[1] - 1)
    ship_cells, sides = fleet.sum(), np.uint64(plan.around.shape[1])
    # With an unsigned index, numba does not check whether it counts from the end.
    for lane in range(np.uint64(len(layouts))):
        ships0, ships1 = _ship_board(layouts[lane], cols, fleet)
        # A board of one word has no cell whose bit is in the second one, whatever that holds.
        open0, open1 = plan.open[lane, 0], plan.open[lane, last_word]
        fresh0, fresh1 = plan.fresh[lane, 0], plan.fresh[lane, last_word]
        begin, end = np.uint64(plan.begin[lane]), np.uint64(plan.end[lane])
        sweeps = _is_row_by_row(plan, lane)
        if sweeps:
            end = begin
        left, shots = ship_cells, _NO_BIT
        while True:
            hit0 = hit1 = cell = _NO_BIT
            while begin < end and hit0 | hit1 == _NO_BIT:
                cell = np.uint64(plan.cells[lane, begin])
                if cell >= cells:
                    return np.int64(lane)
                begin += _ONE
                # Without branches: processors can't predict which cells are open.
                bit0, bit1 = _bits_of(cell)
                bit0 &= open0
                bit1 &= open1
                shots += np.uint64((bit0 | bit1) != _NO_BIT)
                open0 ^= bit0
                open1 ^= bit1
                hit0, hit1 = bit0 & ships0, bit1 & ships1
            if hit0 | hit1 == _NO_BIT:
                hit0, hit1 = open0 & ships0, open1 & ships1
                if not sweeps or hit0 | hit1 == _NO_BIT:
                    return np.int64(lane)
                # The next hit row by row is the lowest bit, and all that is open below is shot.
                is_low = hit0 != _NO_BIT
                hit = hit0 if is_low else hit1
                upto = hit ^ (hit - _ONE)
                upto0, upto1 = upto if is_low else _ALL, _NO_BIT if is_low else upto
                shots += population_count(open0 & upto0) + population_count(open1 & upto1)
                open0 &= ~upto0
                open1 &= ~upto1
                cell = np.uint64(trailing_zeros(hit)) + (_NO_BIT if is_low else _WORD)
            left -= 1
            if left == 0:
                break
            # As `apply_hit`, in registers.
            open0 &= ~plan.apart[cell, 0]
            open1 &= ~plan.apart[cell, last_word]
            for side in range(sides):
                near = np.uint64(plan.around[cell, side])
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
        moves[lane] = shots
    return -1
