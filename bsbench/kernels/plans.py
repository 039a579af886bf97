"""Plans: what a strategy shoots, cell after cell, for as long as nothing is hit.

A strategy whose shots stay the same until the next hit need not be asked after every
miss. It lays down a *plan* for each lane, and the referee fires down it::

                         begin              end
    cells    . . . . . . | N  E  S  W 57  3 | . . .        one row for each lane
                           ^ the next shot    ^ room for more

from ``begin`` on, passing over the cells that are not *open* in the lane's board (see
`boards`), until a shot hits or the plan is at its end. A cell that is shot is open no
longer. So cells may stand in a plan twice, and one bit takes a cell off it: what is
to be shot first is written in front of ``begin``, or behind ``end``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.boards import (
    Boards,
    cell_dtype,
    clear_bit,
    full_boards,
    is_set,
    lane_of_boards,
)
from bsbench.rules import Rules

_ALL = np.uint64(np.iinfo(np.uint64).max)


class Plan(NamedTuple):
    """What is shot in each lane until something is hit.

    Attributes
    ----------
    cells : ndarray of uint8 or uint16, shape (lanes, room)
    begin, end : ndarray of int64, shape (lanes,)
        The part of each row that is the plan. ``begin`` is advanced past what has been shot
        or passed over.
    open : ndarray of uint64, shape (lanes, words)
        Boards of the cells that may be shot. Bits of cells that have been shot are cleared.
    """

    cells: npt.NDArray[np.uint8 | np.uint16]
    begin: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    open: Boards


def empty_plan(lanes: int, cells: int, room: int) -> Plan:
    """Return plans without any cell, all cells of the board open."""
    return Plan(
        np.zeros((lanes, room), cell_dtype(cells)),
        np.zeros(lanes, np.int64),
        np.zeros(lanes, np.int64),
        full_boards(lanes, cells),
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


def waiting_cells(plan: Plan, lane: int, before: int | None = None) -> list[int]:
    """Return the open cells of a lane's plan, in order.

    Parameters
    ----------
    plan : Plan
    lane : int
    before : int, optional
        Where in the row to end, in place of the plan's end.
    """
    end = plan.end[lane] if before is None else before
    is_open = lane_of_boards(plan.open, lane, 64 * plan.open.shape[1])
    cells = plan.cells[lane, plan.begin[lane] : end].tolist()
    return [cell for cell in dict.fromkeys(cells) if is_open[cell]]


@helper
def skip_closed(plan, lane):
    """Advance a lane's plan to its next open cell; tell whether there is one."""
    begin, end = plan.begin[lane], plan.end[lane]
    while begin < end and not is_set(plan.open, lane, np.int64(plan.cells[lane, begin])):
        begin += 1
    plan.begin[lane] = begin
    return begin < end


@kernel
def lay_down(plan, lanes, begin, end):
    """Begin afresh in some lanes: the plan is from ``begin`` to ``end``, and all cells are open."""
    for lane in lanes:
        plan.begin[lane] = begin
        plan.end[lane] = end
        for word in range(plan.open.shape[1]):
            plan.open[lane, word] = _ALL


@helper
def put_first(plan, lane, cell, really):
    """Put a cell in front of a lane's plan if ``really``, without a branch."""
    begin = plan.begin[lane] - 1
    # What lies in front of a plan may be overwritten.
    plan.cells[lane, begin] = cell
    plan.begin[lane] = begin + (not really)


@kernel
def close_shots(plan, cell):
    """Clear the open bit of each lane's last shot, ``cell`` as in `View`."""
    for lane in range(len(cell)):
        if cell[lane] >= 0:
            clear_bit(plan.open, lane, cell[lane])


@kernel
def next_shots(plan, live, cells):
    """Find the next shot of every live lane, for those who go shot by shot.

    It stays on the plan, until `close_shots` takes it off.

    Parameters
    ----------
    plan : Plan
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
            if not skip_closed(plan, lane):
                return lane
            cells[lane] = plan.cells[lane, plan.begin[lane]]
    return -1
