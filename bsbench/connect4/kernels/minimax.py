"""Evaluation and search of the player ``hard``; the player's docstring defines both.

**Evaluation** looks at all 69 windows, four cells in a row each, without going through them. A
window is known by its first cell; along a line, the cells of the windows that begin at all cells
at once are the board shifted by 0, 1, 2 and 3 steps. The number of stones in each window is a sum
of four bits, written in binary, one word for each digit::

    own                1 1 0 1 0 0 0       own stones, along a row
    shifted by 0 1 2 3 1 1 0 1 0 0 0
                       1 0 1 0 0 0 .
                       0 1 0 0 0 . .
                       1 0 0 0 . . .
    stones in window   3 2 1 1 . . .       windows begin at the first four cells
    digits       4s    0 0 0 0
                 2s    1 1 0 0
                 1s    1 0 1 1

The first two cells of a window make a half, the other two the half that begins two steps on: so
each sum of two is made once.

**The table** of positions already searched has one word for each place, 2^k of them::

    bits   63 ........ 71-k   70-k ......... 22   21 .. 20   19 .......... 0
          | generation      | rest of the key   | kind     | value + 2^19   |

A key (49 bits) times an odd number, modulo 2^49, names the place by its upper k bits; the rest
stands in the word: so a word belongs to exactly one position. The number of its stones determines
the remaining plies, so that a value found is always of the right depth. Words of an earlier search
have another generation. A word is read and written in one operation, so threads share a table
without a lock: whichever of two words is kept, it is true.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.connect4 import position
from bsbench.connect4.kernels.board import (
    BOTTOM,
    CENTRE_FIRST,
    COLUMN_CELLS,
    count,
    is_four,
    landing_cells,
    winning_cells,
)
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import trailing_zeros

EVAL, SOONER, LATER = 0, 1, 2
"""What a finished game is worth: the evaluation, more the sooner it is won, or the later."""

FOUR = 10000
THREE, TWO = 100, 10
OTHERS_THREE, OTHERS_TWO = 120, 10
CENTRE = 7
DOUBLE_THREAT, OTHERS_DOUBLE_THREAT = 800, 900
NOVICE_TRAP = 200
FINISHED = 100000

_INFINITY = 1 << 40
ANY_SCORE = -_INFINITY
"""Less than any score."""

_KEY = np.uint64(2**49 - 1)
_KEY_BITS = np.uint64(49)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_TAG_SHIFT, _KIND_SHIFT = np.uint64(22), np.uint64(20)
_VALUE_MASK, _VALUE_ZERO = np.uint64(2**20 - 1), 2**19
_AT_LEAST, _AT_MOST, _EXACT = np.uint64(1), np.uint64(2), np.uint64(3)

_1 = np.uint64(1)
_UP, _RIGHT, _RISING, _FALLING = (np.uint64(step) for step in position.STEPS)

_CENTRE_CELLS = COLUMN_CELLS[3]


def _starts(columns: range, rows: range) -> np.uint64:
    """Return the first cells of windows, as a word."""
    return np.uint64(sum(1 << 7 * column + row for column in columns for row in rows))


_UP_STARTS = _starts(range(7), range(3))
_RIGHT_STARTS = _starts(range(4), range(6))
_RISING_STARTS = _starts(range(4), range(3))
_FALLING_STARTS = _starts(range(4), range(3, 6))


@helper
def _windows(own, other, step, starts):
    """Return the windows with four, three and two stones of one player and none of the other.

    Each is a word of first cells.
    """
    two = step + step
    both = own & (own >> step)
    one = own ^ (own >> step)
    next_both, next_one = both >> two, one >> two
    ones = one ^ next_one
    twos = both ^ next_both ^ (one & next_one)
    any_other = other | (other >> step)
    at_least_two = twos & starts & ~(any_other | (any_other >> two))
    return both & next_both, at_least_two & ones, at_least_two & ~ones


@helper
def _filled(first_cells, step):
    """Return all cells of the windows with these first cells."""
    halves = first_cells | (first_cells << step)
    return halves | (halves << (step + step))


@helper
def _side(own, other, in_reach):
    """Return what the evaluation counts of one player.

    Returns
    -------
    fours, threes, twos : int64
        Windows with so many stones of the player and none of the other.
    threats : int64
        Columns in which a stone dropped now gives the player four.
    """
    up_four, up_three, up_two = _windows(own, other, _UP, _UP_STARTS)
    right_four, right_three, right_two = _windows(own, other, _RIGHT, _RIGHT_STARTS)
    rising_four, rising_three, rising_two = _windows(own, other, _RISING, _RISING_STARTS)
    falling_four, falling_three, falling_two = _windows(own, other, _FALLING, _FALLING_STARTS)
    threes = count(up_three) + count(right_three) + count(rising_three) + count(falling_three)
    twos = count(up_two) + count(right_two) + count(rising_two) + count(falling_two)
    fours = np.int64(0)
    if up_four | right_four | rising_four | falling_four:
        fours = count(up_four) + count(right_four) + count(rising_four) + count(falling_four)
        # A player with four still has it after any stone.
        threats = count(in_reach)
    else:
        # Of a window with three, the one cell that may be in reach is the empty one.
        wanted = _filled(up_three, _UP) | _filled(right_three, _RIGHT)
        wanted |= _filled(rising_three, _RISING) | _filled(falling_three, _FALLING)
        threats = count(wanted & in_reach)
    return fours, threes, twos, threats


@helper
def _traps(own, stones):
    """Return the bottom row's windows with three own stones side by side and an end empty."""
    row = own & BOTTOM
    three = row & (row >> _RIGHT) & (row >> (_RIGHT + _RIGHT))
    empty = BOTTOM & ~stones
    before, after = empty << _RIGHT, empty >> (_RIGHT + _RIGHT + _RIGHT)
    return count(three & before) + count(three & after)


@helper
def _evaluation(own, other, threat_penalty):
    stones = own | other
    in_reach = landing_cells(stones)
    fours, threes, twos, threats = _side(own, other, in_reach)
    other_fours, other_threes, other_twos, other_threats = _side(other, own, in_reach)
    score = FOUR * (fours - other_fours) + TWO * twos - OTHERS_TWO * other_twos
    score += THREE * threes - OTHERS_THREE * other_threes
    score += CENTRE * count(own & _CENTRE_CELLS) + NOVICE_TRAP * _traps(own, stones)
    if threats >= 2:
        score += DOUBLE_THREAT
    if other_threats >= 2:
        score -= OTHERS_DOUBLE_THREAT
    return score - threat_penalty * other_threats


@kernel
def evaluate(own, other, threat_penalty):
    """Return the evaluation of a board for the player ``hard``.

    Parameters
    ----------
    own, other : uint64
        Stones of the player who thinks, and of the other one.
    threat_penalty : int64
        Taken off for each column in which the other one wins at once.
    """
    return _evaluation(own, other, threat_penalty)


@helper
def _word_of(table, generation, mover, stones):
    """Return the place of a position in a table, and what its word has above the kind."""
    rest_bits = _KEY_BITS - np.uint64(trailing_zeros(np.uint64(len(table))))
    mixed = ((mover + stones) * _MIX) & _KEY
    rest = mixed & ((_1 << rest_bits) - _1)
    return mixed >> rest_bits, (generation << rest_bits) | rest


class Search(NamedTuple):
    """How a search values boards, and what it keeps.

    Attributes
    ----------
    terminal : int64
        `EVAL`, `SOONER` or `LATER`: what a finished game is worth.
    threat_penalty : int64
        See `evaluate`.
    table : ndarray of uint64, shape (2^k,) or (0,)
        Positions searched before, 7 < k < 49; changed in place. Without places, nothing is kept.
    generation : uint64
        The generation of the words that count: those of searches from the same board, to the same
        depth, with the same terminal and penalty. At least 1, below 2^(k - 7).
    nodes : ndarray of int64, shape (1,)
        Number of moves made; added to, in place.
    """

    terminal: int
    threat_penalty: int
    table: npt.NDArray[np.uint64]
    generation: np.uint64
    nodes: npt.NDArray[np.int64]


@kernel
def _search(mover, other, depth, alpha, beta, own_turn, search):
    """Return the worth of a position to the player to move.

    Nobody has four. What is at most alpha is an upper bound, what is at least beta a lower one.

    Parameters
    ----------
    mover, other : uint64
        Stones of the player to move and of the other one.
    depth : int64
        Plies to look ahead, at least 1.
    alpha, beta : int64
    own_turn : int64
        1 if the player who thinks is to move, else -1.
    search : Search
    """
    terminal, threat_penalty, table, generation, nodes = search
    stones = mover | other
    in_reach = landing_cells(stones)
    if in_reach == 0:
        own = mover if own_turn > 0 else other
        return own_turn * evaluate(own, stones ^ own, threat_penalty)
    is_kept = len(table) > 0 and depth >= 2
    place = tag = np.uint64(0)
    if is_kept:
        place, tag = _word_of(table, generation, mover, stones)
        word = table[place]
        if word >> _TAG_SHIFT == tag:
            value = np.int64(word & _VALUE_MASK) - _VALUE_ZERO
            kind = (word >> _KIND_SHIFT) & _EXACT
            if kind != _AT_MOST:
                alpha = max(alpha, value)
            if kind != _AT_LEAST:
                beta = min(beta, value)
            if alpha >= beta:
                return value
    wins = winning_cells(mover, stones) & in_reach
    lowest = alpha
    best = -_INFINITY
    for column in CENTRE_FIRST:
        cell = in_reach & COLUMN_CELLS[column]
        if cell == 0:
            continue
        nodes[0] += 1
        moved = mover | cell
        if wins & cell and terminal != EVAL:
            value = FINISHED + (depth - 1 if terminal == SOONER else 1 - depth)
        elif wins & cell or depth == 1:
            own = moved if own_turn > 0 else other
            value = own_turn * _evaluation(own, stones ^ cell ^ own, threat_penalty)
        else:
            value = -_search(other, moved, depth - 1, -beta, -alpha, -own_turn, search)
        if value > best:
            best = value
            alpha = max(alpha, value)
            if alpha >= beta:
                break
    if is_kept:
        kind = _AT_LEAST if best >= beta else _AT_MOST if best <= lowest else _EXACT
        table[place] = (tag << _TAG_SHIFT) | (kind << _KIND_SHIFT) | np.uint64(best + _VALUE_ZERO)
    return best


@kernel
def score_column(mover, stones, column, above, depth, search):
    """Return the minimax score of playing a column that is not full.

    Parameters
    ----------
    mover, stones : uint64
        Stones of the player to move, who is the player who thinks, and of both.
    column : int64
    above : int64
        A score up to this is an upper bound only; `ANY_SCORE` for exact ones.
    depth : int64
        Plies to look ahead, this one included; at least 1.
    search : Search
    """
    terminal, threat_penalty = search.terminal, search.threat_penalty
    cell = landing_cells(stones) & COLUMN_CELLS[column]
    moved = mover | cell
    search.nodes[0] += 1
    finished = is_four(moved)
    if finished and terminal != EVAL:
        return np.int64(FINISHED + (depth - 1 if terminal == SOONER else 1 - depth))
    if finished or depth == 1:
        return np.int64(evaluate(moved, stones ^ mover, threat_penalty))
    # Not a literal, so that there is one version of a kernel that calls itself.
    own_turn = np.int64(-1)
    return -_search(stones ^ mover, moved, depth - 1, -_INFINITY, -above, own_turn, search)


@kernel
def next_generation(table, generation):
    """Invalidate all words of a table.

    Parameters
    ----------
    table : ndarray of uint64, shape (2^k,) or (0,)
        Emptied, in place, when all generations are used up.
    generation : ndarray of uint64, shape (1,)
        Raised by one, or set to one again, in place.
    """
    if len(table) > 0:
        generation[0] += _1
        # 2^(k-7) of them: with 42 - (49 - k) bits above the rest of the key.
        if generation[0] == np.uint64(len(table)) >> np.uint64(7):
            for place in range(len(table)):
                table[place] = 0
            generation[0] = 1


@kernel
def choose_columns(boards, depth, terminal, threat_penalty, table, generation, columns, nodes):
    """Choose the column with the highest score in each of some games.

    Of equal scores, that closest to the centre wins, the left one of two. Columns are tried in
    that order, and each search only shows whether the column is better than the best before.

    Parameters
    ----------
    boards : ndarray of uint64, shape (n, 2)
        Stones of the player to move, and of both; no game is over.
    depth : int64
        As for `score_column`.
    terminal, threat_penalty, table, nodes
        As in `Search`.
    generation : ndarray of uint64, shape (1,)
        The last one whose words are in the table; changed in place, see `next_generation`.
    columns : ndarray of int64, shape (n,)
        Changed in place.
    """
    for index in range(len(boards)):
        mover, stones = boards[index, 0], boards[index, 1]
        next_generation(table, generation)
        search = Search(terminal, threat_penalty, table, generation[0], nodes)
        best = np.int64(ANY_SCORE)
        for column in CENTRE_FIRST:
            if landing_cells(stones) & COLUMN_CELLS[column]:
                score = score_column(mover, stones, column, best, depth, search)
                if score > best:
                    best = score
                    columns[index] = column
