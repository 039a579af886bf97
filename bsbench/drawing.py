"""Cells by name, and boards drawn as text.

A cell is called as on the board game's own grid, by the letter of its row and the number of
its column: ``A1`` is cell 0, ``B7`` on ten columns is cell 16. After row ``Z`` come ``AA``,
``AB``, …
"""

from __future__ import annotations

from collections.abc import Mapping

OPEN, MISSED, STRUCK, SUNKEN = ".", "o", "x", "#"
"""How a cell is drawn that is open, a miss, a hit, or of a ship known to have sunk."""


def row_name(row: int) -> str:
    """Return the letters of a row, 0-based.

    Examples
    --------
    >>> row_name(0), row_name(25), row_name(26)
    ('A', 'Z', 'AA')
    """
    name = ""
    row += 1
    while row:
        row, letter = divmod(row - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def cell_name(cell: int, cols: int) -> str:
    """Return the name of a cell on a board of so many columns.

    Examples
    --------
    >>> cell_name(16, cols=10)
    'B7'
    """
    row, col = divmod(cell, cols)
    return f"{row_name(row)}{col + 1}"


def board_text(rows: int, cols: int, marks: Mapping[int, str]) -> str:
    """Return a board as lines of text, with the names of rows and columns.

    Parameters
    ----------
    rows, cols : int
    marks : mapping of int to str
        A character for each cell that is not `OPEN`.

    Examples
    --------
    >>> print(board_text(2, 3, {1: MISSED, 5: STRUCK}))
       1  2  3
    A  .  o  .
    B  .  .  x
    """
    beside = len(row_name(rows - 1))
    width = max(len(str(cols)) + 1, 3)
    lines = [" " * beside + "".join(f"{col + 1:>{width}}" for col in range(cols))]
    for row in range(rows):
        cells = (marks.get(row * cols + col, OPEN) for col in range(cols))
        lines.append(f"{row_name(row):>{beside}}" + "".join(f"{mark:>{width}}" for mark in cells))
    return "\n".join(lines)
