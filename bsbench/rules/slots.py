"""Slot codes: where a ship lies, as one number.

A *slot* is a possible position of a ship: some cells in a row or column. Its code is
``2 * first cell + down``, with ``down`` 1 for a ship along a column. With the ship's length, the
code says which cells they are: first, first + step, ….
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


# Without annotations of its own types: a code is an int here, an array of codes, or a number in
# a kernel. Arithmetic in place of a condition serves all three.
def read_slot(code: Any, cols: int) -> tuple[Any, Any]:
    """Return the first cell of a slot, and the step from each of its cells to the next.

    Parameters
    ----------
    code : int, or ndarray of int
        The codes of several slots give arrays.
    cols : int
        Columns of the board.
    """
    return code >> 1, 1 + (code & 1) * (cols - 1)


def slot_code(cells: Sequence[int]) -> int:
    """Return the code of the slot that has these cells, in ascending order."""
    return 2 * cells[0] + (len(cells) > 1 and cells[1] - cells[0] != 1)


def slot_cells(code: int, length: int, cols: int) -> range:
    """Return the cells of a slot of some length."""
    first, step = read_slot(code, cols)
    return range(first, first + step * length, step)
