"""The yardstick of Connect 4: the bot `hard` the way its seed describes it, in plain numba.

A board is 42 characters, row by row from the top, copied for each move. The evaluation goes through
all 69 windows, four cells each; whether a column is a threat is found by dropping a stone and
looking for four in all windows again. Minimax with alpha-beta, columns from the centre outwards,
a finished game worth the more the sooner it ends. Scores and numbers of nodes are those of
bsbench's own kernels (`tests/benchmarks/test_reference.py`), with which it shares nothing.
"""

from __future__ import annotations

import numpy as np

from bsbench.kernels._jit import kernel

EMPTY, AI, OPPONENT = 0, 1, 2

_WINDOWS = np.array(
    [
        [7 * (row + part * down) + column + part * right for part in range(4)]
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        for row in range(6)
        for column in range(7)
        if row + 3 * down < 6 and 0 <= column + 3 * right < 7
    ],
    np.int64,
)

_CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)

_INFINITY = 1 << 40


@kernel
def _copy(board, copy):
    for cell in range(42):
        copy[cell] = board[cell]


@kernel
def _drop(board, column, player):
    """Drop a stone; return its cell, or -1 if the column is full."""
    for cell in range(35 + column, -1, -7):
        if board[cell] == EMPTY:
            board[cell] = player
            return cell
    return -1


@kernel
def _has_four(board, player):
    for window in range(len(_WINDOWS)):
        own = True
        for part in range(4):
            if board[_WINDOWS[window, part]] != player:
                own = False
                break
        if own:
            return True
    return False


@kernel
def _threats(board, player):
    """Return in how many columns a stone dropped now makes that the player has four."""
    found = 0
    for column in range(7):
        cell = _drop(board, column, player)
        if cell >= 0:
            if _has_four(board, player):
                found += 1
            board[cell] = EMPTY
    return found


@kernel
def evaluate(board):
    """Return the evaluation of a board, an int8 array of shape (42,), from the AI's side."""
    score = 0
    for window in range(len(_WINDOWS)):
        own = others = 0
        for part in range(4):
            stone = board[_WINDOWS[window, part]]
            if stone == AI:
                own += 1
            elif stone == OPPONENT:
                others += 1
        if own == 4:
            score += 10000
        elif own == 3 and others == 0:
            score += 100
        elif own == 2 and others == 0:
            score += 10
        elif others == 4:
            score -= 10000
        elif others == 3 and own == 0:
            score -= 120
        elif others == 2 and own == 0:
            score -= 10
    for cell in range(3, 42, 7):
        if board[cell] == AI:
            score += 7
    if _threats(board, AI) >= 2:
        score += 800
    if _threats(board, OPPONENT) >= 2:
        score -= 900
    bottom = board[35:]
    for first in range(4):
        if bottom[first + 1] == AI and bottom[first + 2] == AI:
            if bottom[first] == AI and bottom[first + 3] == EMPTY:
                score += 200
            if bottom[first] == EMPTY and bottom[first + 3] == AI:
                score += 200
    return score


@kernel
def _minimax(boards, depth, alpha, beta, own_turn, nodes):
    """Return the score of ``boards[depth]``, the boards before it being room.

    It is the AI's turn if ``own_turn`` is 1, else -1. To be called with int64 only: see
    `bsbench.connect4.kernels`.
    """
    nodes[0] += 1
    board = boards[depth]
    if _has_four(board, AI):
        return 100000 + depth
    if _has_four(board, OPPONENT):
        return -100000 - depth
    is_full = True
    for column in range(7):
        if board[column] == EMPTY:
            is_full = False
    if depth == 0 or is_full:
        return evaluate(board)
    is_ais = own_turn > 0
    best = -_INFINITY if is_ais else _INFINITY
    for column in _CENTRE_FIRST:
        if board[column] != EMPTY:
            continue
        _copy(board, boards[depth - 1])
        _drop(boards[depth - 1], column, AI if is_ais else OPPONENT)
        value = _minimax(boards, depth - 1, alpha, beta, -own_turn, nodes)
        if is_ais:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best


@kernel
def score_columns(boards, depth, scores, nodes):
    """Score each column by itself, for the AI, who is to move.

    Parameters
    ----------
    boards : ndarray of int8, shape (depth + 1, 42)
        The last one is the position, `EMPTY`, `AI` or `OPPONENT` in each cell; the others are
        overwritten.
    depth : int64
        Plies to look ahead, at least 1.
    scores : ndarray of int64, shape (7,)
        Changed in place; those of full columns are left.
    nodes : ndarray of int64, shape (1,)
        Boards reached; added to, in place.
    """
    for column in range(7):
        if boards[depth, column] == EMPTY:
            _copy(boards[depth], boards[depth - 1])
            _drop(boards[depth - 1], column, AI)
            scores[column] = _minimax(
                boards, depth - 1, np.int64(-_INFINITY), np.int64(_INFINITY), np.int64(-1), nodes
            )
