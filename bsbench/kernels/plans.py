"""Plans: what a strategy shoots, cell after cell, and what a hit changes about it.

A strategy whose shots stay the same until the next hit need not be asked after every miss.
Where a hit always has the same effect, such as shots at the cells beside it, the strategy need
not be asked after a hit, either. It lays down a *plan* for each lane, along which is fired::

                         begin              end
    cells    . . . . . . | N  E  S  W 57  3 | . . .        one row for each lane
                           ^ the next shot    ^ room for more

from ``begin`` on, passing over the cells that are not *open* in the lane's board (see
`boards`), until the fleet is sunk or the plan is at its end. Some plans then *sweep* the board: all
that is open, row by row. A cell that is shot is not
open any more. So cells may stand in a plan twice, and clearing one bit removes a cell. Two
tables, with one row for each cell, hold what a hit at the cell does: the cells that it puts in
front of ``begin``, or behind ``end``, and the mask of the cells that it closes.

The shots of a game that are all known before it begins are an *order*.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import allocating, helper, kernel
from bsbench.kernels.boards import (
    Boards,
    bit_of,
    cell_dtype,
    clear_bit,
    clear_mask,
    diagonal_masks,
    full_boards,
    is_set,
    lane_of_boards,
)
from bsbench.rules.board import Rules

_ALL = np.uint64(np.iinfo(np.uint64).max)


class ShotPlan(NamedTuple):
    """What is shot in each lane, and what a hit changes about it.

    Attributes
    ----------
    cells : ndarray of uint8 or uint16, shape (lanes, room)
    begin, end : ndarray of int64, shape (lanes,)
        The part of each row that is the plan. ``begin`` is advanced past what has been shot
        or passed over.
    open : ndarray of uint64, shape (lanes, words)
        Boards of the cells that may be shot. Bits of cells that have been shot are cleared.
    around : ndarray of int64, shape (cells, sides)
        What a hit at a cell puts on the plan, one after the other.
    apart : ndarray of uint64, shape (cells, words)
        Masks of the cells that a hit at a cell closes.
    in_front : bool
        Whether what a hit puts on the plan is put in front of it, so that the last is shot
        first; else behind it.
    once : bool
        Whether hits put a cell on the plan only once.
    fresh : ndarray of uint64, shape (lanes, words)
        Boards of the cells that no hit has put on the plan, or would have if they had been
        open; kept only if ``once``.
    front : int
        Where a plan laid down begins, so that there is room in front of it.
    sweeps : bool
        Whether a plan at its end goes on with the first open cell of the board.
    """

    cells: npt.NDArray[np.uint8 | np.uint16]
    begin: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    open: Boards
    around: npt.NDArray[np.int64]
    apart: Boards
    in_front: bool
    once: bool
    fresh: Boards
    front: int
    sweeps: bool


def empty_plan(
    rules: Rules,
    lanes: int,
    listed: int,
    around: str = "",
    *,
    in_front: bool = True,
    once: bool = False,
    eliminate: bool = False,
    sweeps: bool = False,
) -> ShotPlan:
    """Return plans without any cell, all cells of the board open.

    Parameters
    ----------
    rules : Rules
    lanes : int
    listed : int
        Cells at most of a plan that is laid down. Hits, and a cell decided on, find room anyway.
    around : str
        Which neighbours of a hit are put on the plan, in order, such as ``NESW``.
    in_front : bool
        Whether they are put in front of the plan, so that the last is shot first; else behind it.
    once : bool
        Whether a cell is put there once at most, whatever is hit beside it later.
    eliminate : bool
        Whether a hit closes the cells diagonal to it, where the rules let no ships touch there.
    sweeps : bool
        Whether a plan at its end goes on with all open cells, row by row.
    """
    # One cell more, since a cell is written before it is known whether it is wanted.
    room = len(around) * rules.ship_cells + 1
    apart = diagonal_masks(rules) * np.uint64(eliminate)
    return ShotPlan(
        np.zeros((lanes, room + max(listed, 1)), cell_dtype(rules.cells)),
        np.zeros(lanes, np.int64),
        np.zeros(lanes, np.int64),
        full_boards(lanes, rules.cells),
        neighbour_table(rules, around),
        apart,
        in_front,
        once,
        full_boards(lanes, rules.cells),
        room if in_front else 0,
        sweeps,
    )


def neighbour_table(rules: Rules, directions: str) -> npt.NDArray[np.int64]:
    """Return the neighbours of every cell, in the order of some directions.

    Parameters
    ----------
    rules : Rules
    directions : str
        Such as ``NSEW``.

    Returns
    -------
    ndarray of int64, shape (cells, directions)
        Where there is none, at the border, the cell itself.
    """
    steps = {"N": (-1, 0), "S": (1, 0), "E": (0, 1), "W": (0, -1)}
    cells = np.arange(rules.cells)
    table = np.repeat(cells.reshape(-1, 1), len(directions), axis=1)
    for column, direction in enumerate(directions):
        down, right = steps[direction]
        row, col = cells // rules.cols + down, cells % rules.cols + right
        inside = (row >= 0) & (row < rules.rows) & (col >= 0) & (col < rules.cols)
        table[inside, column] = (row * rules.cols + col)[inside]
    return table


def waiting_cells(plan: ShotPlan, lane: int, before: int | None = None) -> list[int]:
    """Return the open cells of a lane's plan, in order, and of the sweep that may follow.

    Parameters
    ----------
    plan : ShotPlan
    lane : int
    before : int, optional
        Where in the row to end, in place of the plan's end.
    """
    end = plan.end[lane] if before is None else before
    is_open = lane_of_boards(plan.open, lane, 64 * plan.open.shape[1])
    cells = plan.cells[lane, plan.begin[lane] : end].tolist()
    if plan.sweeps:
        cells += range(len(plan.around))
    return [cell for cell in dict.fromkeys(cells) if is_open[cell]]


@helper
def skip_closed(plan, lane):
    """Advance a lane's plan to its next open cell; return whether there is one."""
    begin, end = plan.begin[lane], plan.end[lane]
    while begin < end and not is_set(plan.open, lane, np.int64(plan.cells[lane, begin])):
        begin += 1
    plan.begin[lane] = begin
    return begin < end


@kernel
def plans_at_end(plan, live, lanes):
    """List the live lanes whose plan has no open cell; return how many they are."""
    count = 0
    for lane in range(len(live)):
        if live[lane] and not skip_closed(plan, lane):
            lanes[count] = lane
            count += 1
    return count


@kernel
def lay_down(plan, lanes, cells):
    """Begin again in some lanes: a plan of so many cells, and all cells of the board open."""
    for lane in lanes:
        plan.begin[lane] = plan.front
        plan.end[lane] = plan.front + cells
        for word in range(plan.open.shape[1]):
            plan.open[lane, word] = _ALL
            plan.fresh[lane, word] = _ALL


@helper
def apply_hit(plan, lane, cell):
    """Change a lane's plan for a hit at ``cell``, as the plan says."""
    clear_mask(plan.open, lane, plan.apart, cell)
    begin, end = plan.begin[lane], plan.end[lane]
    for side in range(plan.around.shape[1]):
        neighbour = plan.around[cell, side]
        word, bit = bit_of(neighbour)
        wanted = plan.open[lane, word] & bit
        if plan.once:
            wanted &= plan.fresh[lane, word]
            plan.fresh[lane, word] &= ~bit
        # Written in any case, without a branch: what lies outside the plan may be overwritten.
        if plan.in_front:
            plan.cells[lane, begin - 1] = neighbour
            begin -= wanted != 0
        else:
            plan.cells[lane, end] = neighbour
            end += wanted != 0
    plan.begin[lane], plan.end[lane] = begin, end


@kernel
def apply_hits(plan, lanes, cell):
    """Change the plans of some lanes for hits, ``cell`` as in `View`."""
    for lane in lanes:
        apply_hit(plan, lane, cell[lane])


@kernel
def close_shots(plan, cell):
    """Clear the open bit of each lane's last shot, ``cell`` as in `View`."""
    for lane in range(len(cell)):
        if cell[lane] >= 0:
            clear_bit(plan.open, lane, cell[lane])


@kernel
def next_shots(plan, live, cells):
    """Find the next shot of every live lane, for play shot by shot.

    It stays on the plan, until `close_shots` takes it off.

    Parameters
    ----------
    plan : ShotPlan
    live : ndarray of bool, shape (lanes,)
    cells : ndarray of int64, shape (lanes,)
        Receives the shots.

    Returns
    -------
    int
        A live lane whose plan has no open cell, or -1.
    """
    for lane in range(len(live)):
        if live[lane]:
            if skip_closed(plan, lane):
                cells[lane] = plan.cells[lane, plan.begin[lane]]
                continue
            cells[lane] = 0
            while plan.sweeps and not is_set(plan.open, lane, cells[lane]):
                cells[lane] += 1
            if not plan.sweeps or cells[lane] >= len(plan.around):
                return lane
    return -1


@allocating
def first_faulty_order(orders, cells):
    """Return the first row that does not hold every cell of the board once; -1 if all do.

    Parameters
    ----------
    orders : ndarray of uint16, shape (n, length)
    cells : int
    """
    seen = np.zeros((cells >> 6) + 1, np.uint64)
    for row in range(len(orders)):
        seen[:] = 0
        count = 0
        for place in range(orders.shape[1]):
            cell = np.int64(orders[row, place])
            if cell < cells:
                bit = np.uint64(1) << np.uint64(cell & 63)
                count += seen[cell >> 6] & bit == 0
                seen[cell >> 6] |= bit
        if count != cells or orders.shape[1] != cells:
            return row
    return -1
