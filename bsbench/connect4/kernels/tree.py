"""The tree of the player ``mcts``: UCT, a playout at a time.

A tree is int64 of shape ``(m, 4)``, a row for each node, the root first. The children of a node
stand together, one for each column not full, from the one in the centre outwards::

    row  VISITS  POINTS  CHILD  CELL
     0       8       .       1     .      the root; its children begin at row 1
     1       2       2       8  1<<21     the middle column; its children begin at row 8
     2       1       1       0  1<<14     no children yet
     ...

Points are counted for the player whose stone led to the node: 2 for a playout won, 1 for one
drawn. A node gets children when it is visited for the second time, so that each playout adds
seven nodes at most.
"""

from __future__ import annotations

import numpy as np

from bsbench.connect4.kernels.board import (
    BOARD,
    CENTRE_FIRST,
    COLUMN_CELLS,
    count,
    is_four,
    landing_cells,
)
from bsbench.connect4.kernels.chance import draw_cell, stream_of_move
from bsbench.kernels._jit import helper, kernel

VISITS, POINTS, CHILD, CELL = range(4)

PATH_LENGTH = 43
"""Nodes from the root to a full board, at most."""


def rows_for(playouts: int) -> int:
    """Return how many rows a tree of so many playouts may need."""
    return 7 * playouts + 1


@helper
def _most_promising(tree, node, children, exploration):
    """Return the child to visit next: one without visits, else that with the highest UCB1.

    Among equal ones, the one closest to the centre comes first.
    """
    first = tree[node, CHILD]
    log_visits = np.log(float(tree[node, VISITS]))
    chosen, highest = first, -1.0
    for child in range(first, first + children):
        visits = float(tree[child, VISITS])
        if visits == 0:
            return child
        bound = 0.5 * float(tree[child, POINTS]) / visits
        bound += exploration * np.sqrt(log_visits / visits)
        if bound > highest:
            highest, chosen = bound, child
    return chosen


@helper
def _playout(state, mover, stones):
    """Play at random to the end; return the next state, the stones dropped, and the points.

    The points are those of the player to move: 2 for a win, 1 for a draw.
    """
    begun, own = stones, mover
    while stones != BOARD:
        state, cell = draw_cell(state, landing_cells(stones))
        own |= cell
        stones |= cell
        if is_four(own):
            dropped = count(stones ^ begun)
            return state, dropped, np.int64(2 * (dropped % 2))
        own ^= stones
    return state, count(stones ^ begun), np.int64(1)


@kernel
def search(key, game, mover, stones, playouts, exploration, tree, path):
    """Grow a tree from a position that is not over.

    Parameters
    ----------
    key : uint64
        Key of the player's streams.
    game : int64
        The game's number.
    mover, stones : uint64
        Stones of the player to move, and of both.
    playouts : int64
    exploration : float64
        Factor of sqrt(ln(visits of the node) / visits of the child).
    tree : ndarray of int64, shape (m, 4)
        Overwritten; ``m`` is at least `rows_for` so many playouts.
    path : ndarray of int64, shape (PATH_LENGTH,)
        Overwritten.

    Returns
    -------
    int64
        Number of moves made, in the tree and in playouts.
    """
    state = stream_of_move(key, game, stones)
    tree[0, VISITS] = tree[0, POINTS] = tree[0, CHILD] = 0
    rows = 1
    nodes = np.int64(0)
    for _ in range(playouts):
        own, both = mover, stones
        node = np.int64(0)
        path[0] = 0
        length = 1
        points = np.int64(-1)
        while points < 0:
            in_reach = landing_cells(both)
            if tree[node, CHILD] == 0:
                if node > 0 and tree[node, VISITS] == 0:
                    state, dropped, movers = _playout(state, own, both)
                    nodes += dropped
                    points = 2 - movers
                    break
                tree[node, CHILD] = rows
                for column in CENTRE_FIRST:
                    cell = in_reach & COLUMN_CELLS[column]
                    if cell != 0:
                        tree[rows, VISITS] = tree[rows, POINTS] = tree[rows, CHILD] = 0
                        tree[rows, CELL] = np.int64(cell)
                        rows += 1
            node = _most_promising(tree, node, count(in_reach), exploration)
            path[length] = node
            length += 1
            nodes += 1
            cell = np.uint64(tree[node, CELL])
            own |= cell
            both |= cell
            if is_four(own):
                points = np.int64(2)
            elif both == BOARD:
                points = np.int64(1)
            own ^= both
        for place in range(length - 1, -1, -1):
            tree[path[place], VISITS] += 1
            tree[path[place], POINTS] += points
            points = 2 - points
    return nodes
