"""The solver of the player ``perfect``: what a position is worth if both play without a mistake.

The **worth** of a position to the player to move is 22 less the number of stones that the winner
has placed when the game ends, negative if that is the opponent, 0 for a draw. With n stones on the
board, of which n // 2 are the mover's, it is 21 - n // 2 if the mover wins at once,
and (n + 1) // 2 - 21 if the mover can't prevent the opponent from winning with the next stone.

The search is alpha-beta with null windows, and these cuts, which are the published ones (Allis,
"A knowledge-based approach of Connect-Four", 1988; Tromp's Fhourstones; Pons, "Solving Connect 4"):

- a player who can win at once does so;
- a cell where the opponent would win with the next stone is blocked; if there are two such cells,
  or if blocking one makes the one above it reachable, the game is lost;
- nobody drops a stone below a cell in which the opponent wins;
- neither can win sooner than with the stone after the next: that bounds the worth on both sides;
- moves that leave more cells open in which the mover would win are searched first, and
  among equals, those nearer to the centre.

**The table** has a word for each place, 2^k of them, with all that is known of one position::

    bits   63 .. 61   60 ........... 12   11 ........ 6   5 ......... 0
          |    0     |       key       | lowest + 32   | highest + 32  |

The key, ``mover + stones`` and the bottom row, is another one for every position, and never 0 as in
an empty place; of a position and its mirror image, which are worth the same, the smaller one is
taken. Times an odd number, modulo 2^49, it names the place by its upper k bits. What the table says
of a position is true whatever is searched: it is never emptied, and since a word is read and
written in one operation, threads share it without a lock.
"""

from __future__ import annotations

import numpy as np

from bsbench.connect4.kernels.board import (
    BOTTOM,
    CENTRE_FIRST,
    COLUMN_CELLS,
    column_of,
    count,
    is_four,
    landing_cells,
    winning_cells,
)
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import trailing_zeros

_KEY_BITS = np.uint64(49)
_KEY = np.uint64(2**49 - 1)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_KEY_SHIFT, _LOWEST_SHIFT, _BOUND = np.uint64(12), np.uint64(6), np.uint64(63)
_ZERO = 32
_MIDDLE = np.uint64(127 << 21)
_LEFT = tuple(np.uint64(127 << 7 * column) for column in range(3))
_1 = np.uint64(1)
_UNKNOWN = 99

_NEARER = np.array([0, 2, 4, 6, 5, 3, 1])
"""By column: the higher, the nearer to the centre."""

SCRATCH_SHAPE = (43, 7)
"""Room for the moves of each number of stones, see `solve`."""


@helper
def _key_of(mover, stones):
    """Return the key of a position, the same one for its mirror image.

    No column's sum goes beyond its seven bits, so that the key is mirrored as a board is.
    """
    key = mover + stones + BOTTOM
    mirrored = key & _MIDDLE
    for column in range(3):
        across = np.uint64(42 - 14 * column)
        cells = _LEFT[column]
        mirrored |= ((key & cells) << across) | ((key >> across) & cells)
    return min(key, mirrored)


@helper
def _place(table, key):
    """Return where a position stands in the table."""
    return ((key * _MIX) & _KEY) >> (_KEY_BITS - np.uint64(trailing_zeros(np.uint64(len(table)))))


@helper
def _sort_moves(mover, stones, cells, moves):
    """Write cells into ``moves``, the most promising first; return how many they are.

    An entry holds how promising a cell is in the bits above the board's.
    """
    n = 0
    while cells != 0:
        cell = cells & (~cells + _1)
        cells ^= cell
        threats = count(winning_cells(mover | cell, stones | cell))
        entry = (np.uint64(8 * threats + _NEARER[column_of(cell)]) << _KEY_BITS) | cell
        place = n
        while place > 0 and moves[place - 1] < entry:
            moves[place] = moves[place - 1]
            place -= 1
        moves[place] = entry
        n += 1
    return n


@kernel
def _search(mover, other, played, alpha, beta, table, scratch, nodes):
    """Return the worth of a position whose mover does not win at once.

    What is at most alpha is an upper bound, what is at least beta a lower one.

    Parameters
    ----------
    mover, other : uint64
        Stones of the player to move and of the other one.
    played : int64
        How many they are, 40 at most.
    alpha, beta : int64
    table, scratch, nodes
        As for `solve`.
    """
    nodes[0] += 1
    stones = mover | other
    cells = landing_cells(stones)
    wanted = winning_cells(other, stones)
    lost = np.int64((played + 1) // 2 - 21)
    forced = cells & wanted
    if forced != 0:
        if forced & (forced - _1) != 0:
            return lost
        cells = forced
    cells &= ~(wanted >> _1)
    if cells == 0:
        return lost
    if played == 40:
        return np.int64(0)
    lowest, highest = lost + 1, np.int64(20 - played // 2)
    key = _key_of(mover, stones)
    place = _place(table, key)
    word = table[place]
    if word >> _KEY_SHIFT == key:
        lowest = max(lowest, np.int64((word >> _LOWEST_SHIFT) & _BOUND) - _ZERO)
        highest = min(highest, np.int64(word & _BOUND) - _ZERO)
    alpha, beta = max(alpha, lowest), min(beta, highest)
    if alpha >= beta:
        return lowest if lowest >= beta else highest
    moves = scratch[played]
    best = lost
    low = alpha
    for index in range(_sort_moves(mover, stones, cells, moves)):
        cell = moves[index] & _KEY
        value = -_search(other, mover | cell, played + 1, -beta, -low, table, scratch, nodes)
        if value > best:
            best = value
            low = max(low, value)
            if low >= beta:
                break
    if best > alpha:
        lowest = best
    if best < beta:
        highest = best
    table[place] = (
        (key << _KEY_SHIFT)
        | (np.uint64(lowest + _ZERO) << _LOWEST_SHIFT)
        | np.uint64(highest + _ZERO)
    )
    return best


@helper
def _at_once(mover, stones):
    """Return the worth of a position that needs no search, else `_UNKNOWN`."""
    played = count(stones)
    if winning_cells(mover, stones) & landing_cells(stones) != 0:
        return np.int64(21 - played // 2)
    return np.int64(0) if played >= 41 else np.int64(_UNKNOWN)


@kernel
def solve(mover, stones, table, scratch, nodes):
    """Return the worth of a position in which nobody has four.

    Questions "at least this?", each a search with a null window, find the worth. Each question
    halves the range of worths on the side of the game that ends soonest: a quick win or loss
    takes few stones to prove, and the table then helps with the next question.

    Parameters
    ----------
    mover, stones : uint64
        Stones of the player to move, and of both.
    table : ndarray of uint64, shape (2^k,)
        What is known of positions; 0 < k < 49. Changed in place.
    scratch : ndarray of uint64, shape `SCRATCH_SHAPE`
        Overwritten; not shared between threads.
    nodes : ndarray of int64, shape (1,)
        Number of positions searched, without those that need no search; added to, in place.

    Returns
    -------
    int64
    """
    worth = _at_once(mover, stones)
    if worth != _UNKNOWN:
        return worth
    other = mover ^ stones
    played = count(stones)
    lowest, highest = np.int64((played + 1) // 2 - 21), np.int64(20 - played // 2)
    while lowest < highest:
        if highest >= -lowest:
            asked = max(lowest + 1, (highest + 1) // 2)
        else:
            asked = min(highest, 1 - (1 - lowest) // 2)
        value = _search(mover, other, played, asked - 1, asked, table, scratch, nodes)
        if value >= asked:
            lowest = value
        else:
            highest = value
    return lowest


@kernel
def score_column(mover, stones, column, table, scratch, nodes):
    """Return the worth, to the player to move, of playing a column that is not full.

    Parameters
    ----------
    mover, stones : uint64
        Stones of the player to move, and of both; nobody has four.
    column : int64
    table, scratch, nodes
        As for `solve`.
    """
    cell = landing_cells(stones) & COLUMN_CELLS[column]
    if is_four(mover | cell):
        return np.int64(21 - count(stones) // 2)
    return -solve(stones ^ mover, stones | cell, table, scratch, nodes)


@kernel
def choose_columns(boards, table, scratch, columns, nodes):
    """Choose the column that is worth most in each of some games.

    Of equal ones, that closest to the centre wins, the left one of two. Columns are tried in that
    order, until one is worth as much as the position.

    Parameters
    ----------
    boards : ndarray of uint64, shape (n, 2)
        Stones of the player to move, and of both; no game is over.
    columns : ndarray of int64, shape (n,)
        Changed in place.
    table, scratch, nodes
        As for `solve`.
    """
    for index in range(len(boards)):
        mover, stones = boards[index, 0], boards[index, 1]
        other, played = mover ^ stones, count(stones)
        in_reach = landing_cells(stones)
        wins = winning_cells(mover, stones) & in_reach
        worth = solve(mover, stones, table, scratch, nodes)
        for column in CENTRE_FIRST:
            cell = in_reach & COLUMN_CELLS[column]
            if wins != 0:
                cell &= wins
            if cell == 0:
                continue
            columns[index] = column
            if wins != 0:
                break
            left = _at_once(other, stones | cell)
            if left == _UNKNOWN:
                left = _search(
                    *(other, mover | cell, played + 1, -worth, 1 - worth, table, scratch, nodes)
                )
            if left <= -worth:
                break
