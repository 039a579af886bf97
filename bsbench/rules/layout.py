"""Layouts as text: lines of files, ships given by their cells, and whether they obey the rules.

A line has ``row col size E|S`` for each ship, as in the problem "Spot the ships" (University of
Algarve, 2021): its first cell, rows and columns counted from 0, and whether it extends east or
south. Or it has ``4:B2-B5`` for each ship, as in `bsbench.rules.position`: its length, its first
and its last cell by name.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.common.texts import shortened
from bsbench.rules.board import Rules
from bsbench.rules.drawing import cell_name, read_cell
from bsbench.rules.slots import slot_cells, slot_code

Ship = tuple[str, range]
"""A ship as it was written, and its cells."""


def layout_codes(layout: object, rules: Rules) -> list[int]:
    """Return the slot codes of one layout that is given by hand.

    Parameters
    ----------
    layout : str, sequence or mapping
        A line as above; or the cells of each ship, in any order, by name if it is
        a mapping: a cell is its number or a pair of row and column.
    rules : Rules

    Raises
    ------
    BsbenchError
        If it is no layout of the fleet: the sentence says why.

    Examples
    --------
    >>> rules = Rules(5, 6, (4, 2), touching=False)
    >>> layout_codes([[7, 8, 9, 10], [(3, 3), (4, 3)]], rules)
    [14, 43]
    """
    if not isinstance(layout, str):
        ships = layout.values() if isinstance(layout, Mapping) else layout
        if not isinstance(ships, Iterable):
            raise BsbenchError(f"a layout is the cells of each ship, not {shortened(layout)}")
        layout = " ".join(_ship_text(ship, rules) for ship in ships)
    return laid(read_ships(layout.split(), rules), rules)


def layout_text(codes: Iterable[int], rules: Rules) -> str:
    """Return the line of a layout in a file.

    Parameters
    ----------
    codes : iterable of int
        A slot code for each ship.
    rules : Rules

    Examples
    --------
    >>> layout_text([14, 43], Rules(5, 6, (4, 2), touching=False))
    '1 1 4 E  3 3 2 S'
    """
    return "  ".join(_ship_text(ship, rules) for ship in rules.ships(codes))


def ships_text(layout: Iterable[int], rules: Rules) -> str:
    """Return a layout as it stands behind ``|``.

    Examples
    --------
    >>> ships_text([14, 43], Rules(5, 6, (4, 2), touching=False))
    '4:B2-B5 2:D4-E4'
    """
    texts = []
    for ship in rules.ships(layout):
        ends = dict.fromkeys(cell_name(cell, rules.cols) for cell in (ship[0], ship[-1]))
        texts.append(f"{len(ship)}:{'-'.join(ends)}")
    return " ".join(texts)


def drawn_text(codes: Iterable[int], rules: Rules) -> str:
    """Return a layout as a board with a letter or digit for each ship.

    Raises
    ------
    BsbenchError
        If the fleet has more ships than there are letters and digits.

    Examples
    --------
    >>> print(drawn_text([14, 43], Rules(5, 6, (4, 2), touching=False)))
    ......
    .AAAA.
    ......
    ...B..
    ...B..
    """
    if len(rules.fleet) > len(_LETTERS):
        raise BsbenchError(
            f"a board has letters for {len(_LETTERS)} ships, and the fleet has {len(rules.fleet)}: "
            "choose another form"
        )
    cells = ["."] * rules.cells
    for letter, ship in zip(_LETTERS, rules.ships(codes), strict=False):
        for cell in ship:
            cells[cell] = letter
    rows = (cells[first : first + rules.cols] for first in range(0, rules.cells, rules.cols))
    return "\n".join(map("".join, rows))


_LETTERS = string.ascii_letters.swapcase() + string.digits[1:]


def layout_texts(layouts: npt.NDArray[np.int32], rules: Rules) -> list[str]:
    """Return the lines of many layouts, given as the slot codes of each: shape (n, ships)."""
    ships: list[list[str]] = []
    for codes, size in zip(layouts.T, rules.fleet, strict=True):
        seen, which = np.unique(codes, return_inverse=True)
        texts = [_ship_text(slot_cells(code, size, rules.cols), rules) for code in seen.tolist()]
        ships.append([texts[place] for place in which.tolist()])
    return ["  ".join(line) for line in zip(*ships, strict=True)]


def _ship_text(ship: object, rules: Rules) -> str:
    """Return a ship given by its cells as in a file of layouts."""
    try:
        cells = sorted(_place(cell, rules) for cell in ship)  # type: ignore[attr-defined]
    except (TypeError, ValueError, AttributeError):
        raise BsbenchError(
            "a ship is a list of cells, each a number or a pair of row and column, not "
            f"{shortened(ship)}"
        ) from None
    for row, col in cells:
        if not (0 <= row < rules.rows and 0 <= col < rules.cols):
            raise BsbenchError(f"the ship {shortened(ship)} leaves the {rules.board} board")
    if not cells:
        raise BsbenchError("a ship of a layout has no cells")
    row, col = cells[0]
    size = len(cells)
    if cells == [(row, col + part) for part in range(size)]:
        return f"{row} {col} {size} E"
    if cells == [(row + part, col) for part in range(size)]:
        return f"{row} {col} {size} S"
    raise BsbenchError(f"the ship {shortened(ship)} is not a straight run of cells")


def _place(cell: Any, rules: Rules) -> tuple[int, int]:
    if hasattr(cell, "__index__"):
        return divmod(int(cell.__index__()), rules.cols)
    row, col = cell
    return int(row.__index__()), int(col.__index__())


FORMS: dict[str, Callable[[Iterable[int], Rules], str]] = {
    "lines": layout_text,
    "ships": ships_text,
    "boards": drawn_text,
}
"""In what forms a file of layouts is written: all of them are read."""


@lru_cache(maxsize=8)
def _around(rules: Rules) -> list[list[int]]:
    """Return, for each cell, the cells that a ship there closes to other ships."""
    return [rules.closed_around(cell) for cell in range(rules.cells)]


def read_ship(rules: Rules, text: str) -> Ship:
    """Return a ship that is written as `ships_text` does.

    Raises
    ------
    BsbenchError
        If it is unreadable, or no slot of the board.
    """
    match = re.fullmatch(r"(\d{1,4})[a-z]?:([A-Z]+\d+)(?:-([A-Z]+\d+))?", text, re.I | re.ASCII)
    if match is None:
        raise BsbenchError(
            f"{shortened(text)} is not a ship: write its length, first and last cell, such as "
            "3:B2-B4"
        )
    length = int(match[1])
    code = slot_between(match[2], match[3] or match[2], length, text, rules)
    return text, slot_cells(code, length, rules.cols)


def slot_between(first: str, last: str, length: int, text: str, rules: Rules) -> int:
    """Return the slot code of the ship of a length from one cell to another."""
    start, end = sorted(read_cell(name, rules.rows, rules.cols) for name in (first, last))
    step = 1 if start // rules.cols == end // rules.cols else rules.cols
    if end - start == step * (length - 1):
        return slot_code(range(start, end + 1, step))
    raise BsbenchError(f"{text}: no ship of {length} lies from {first} to {last}")


def read_ships(words: list[str], rules: Rules) -> Iterator[Ship]:
    """Yield the ships of a line, in either way of writing them.

    Raises
    ------
    BsbenchError
        If one is unreadable, or leaves the board.
    """
    if words and ":" in words[0]:
        yield from (read_ship(rules, word) for word in words)
        return
    for start in range(0, len(words), 4):
        ship = " ".join(words[start : start + 4])
        match = re.fullmatch(r"(\d{1,9}) (\d{1,9}) (\d{1,9}) ([ES])", ship, flags=re.ASCII)
        if match is None:
            shown = ship if len(ship) <= 40 else f"{ship[:39]}…"
            raise BsbenchError(f"{shown!r} is not a ship: write row col size E|S, such as 1 1 4 E")
        row, col, size = map(int, match.groups()[:3])
        east = match[4] == "E"
        last_row, last_col = (row, col + size - 1) if east else (row + size - 1, col)
        if size not in rules.fleet:
            raise BsbenchError(f"{ship!r} is one too many of its size: {_fleet(rules)}")
        if last_row >= rules.rows or last_col >= rules.cols:
            raise BsbenchError(f"{ship!r} leaves the {rules.board} board")
        first, step = row * rules.cols + col, 1 if east or size == 1 else rules.cols
        yield ship, range(first, first + step * size, step)


def laid(ships: Iterable[Ship], rules: Rules) -> list[int]:
    """Return the slot code of each ship of the fleet; of equal ones, in the order given.

    Raises
    ------
    BsbenchError
        If these are no layout of the fleet: the sentence says why, but not where.
    """
    codes, around = [-1] * len(rules.fleet), _around(rules)
    # Cells that earlier ships take, or close to other ships; and which ship does.
    taken: dict[int, str] = {}
    beside: dict[int, str] = {}
    for ship, cells in ships:
        left = [i for i, size in enumerate(rules.fleet) if size == len(cells) and codes[i] < 0]
        if not left:
            raise BsbenchError(f"{ship!r} is one too many of its size: {_fleet(rules)}")
        for cell in cells:
            if cell in taken:
                raise BsbenchError(f"{ship!r} overlaps {taken[cell]!r}")
            if cell in beside:
                raise BsbenchError(f"{ship!r} touches {beside[cell]!r}, which the rules forbid")
        for cell in cells:
            taken[cell] = ship
            beside.update(dict.fromkeys(around[cell], ship))
        codes[left[0]] = slot_code(cells)
    missing = [length for length, code in zip(rules.fleet, codes, strict=True) if code < 0]
    if missing:
        raise BsbenchError(f"a ship of size {missing[0]} is missing: {_fleet(rules)}")
    return codes


def _fleet(rules: Rules) -> str:
    return f"the fleet is {rules.fleet_text}"
