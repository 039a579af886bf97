"""The law ``file``: every layout listed in a text file equally likely.

People reuse a few layouts; so can programs. Each line is a layout, in the format of
the problem "Spot the ships" (University of Algarve, 2021), ``row col size E|S`` for each
ship: its first cell, rows and columns counted from 0, and whether it extends east
or south from there. Two ships of a no-touch fleet on 5x6 cells::

    # A comment, here or behind a layout; blank lines are skipped.
    1 1 4 E  3 3 2 S

A layout listed twice is twice as likely. Ships of equal size are those of the fleet in
order of appearance.

A line in brackets begins the layouts of one person, in the order in which they were used::

    [alice]

So the law ``file:PATH:50`` deals them: games 0 to 49 are the first 50 layouts of a person, games 50
to 99 those of another one, and so on; every person is equally likely each time. Without the number,
the law ignores who used a layout.

The record of a run holds the path, not the layouts: to repeat the run, keep
the file unchanged.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.common.reading import read_text
from bsbench.common.settings import shipped_path
from bsbench.common.texts import shortened
from bsbench.kernels._jit import kernel
from bsbench.kernels.random import draw, stream_key, stream_start
from bsbench.layouts import Sampler
from bsbench.rules.board import Rules
from bsbench.rules.placement import parted
from bsbench.rules.slots import slot_cells, slot_code

LARGEST = 128 * 10**6
"""Bytes at most of a file of layouts: a line for each of a million layouts has 128."""

MOST_LINES = 2 * 10**6


@kernel
def _draw_layouts(key, first_game, listed, in_a_row, layouts):
    """Fill ``layouts`` with rows of ``listed``, of which so many follow each other."""
    for place in range(len(layouts)):
        row, game = divmod(first_game + place, in_a_row)
        _, first = draw(stream_start(key, row), np.uint64(len(listed) // in_a_row))
        for ship in range(layouts.shape[1]):
            layouts[place, ship] = listed[np.int64(first) * in_a_row + game, ship]


class Listed(Sampler):
    """Sampler of layouts out of a list, each equally likely; see `Sampler`.

    Parameters
    ----------
    rules : Rules
    listed : array_like of int, shape (layouts, ships)
        One layout or more, each a slot code for each ship.
    in_a_row : int
        How many of them belong together.
    """

    def __init__(self, rules: Rules, listed: npt.ArrayLike, in_a_row: int = 1) -> None:
        super().__init__(rules)
        self._listed, self._in_a_row = np.array(listed, np.int32), in_a_row

    def draw(self, seed: int, first_game: int, games: int) -> npt.NDArray[np.int32]:
        """Return the layouts of some games; see `Sampler.draw`."""
        layouts = np.zeros((games, self._listed.shape[1]), np.int32)
        key = stream_key("layouts", seed)
        _draw_layouts(key, first_game, self._listed, self._in_a_row, layouts)
        return layouts


class File(Listed):
    """Sampler of the law ``file``; see `Sampler`.

    Parameters
    ----------
    rules : Rules
    option : str
        The file of layouts, UTF-8, relative to the current folder; and how many of each person
        follow each other.

    Raises
    ------
    BsbenchError
        If it can't be read, lists nothing, or a line is no layout under the rules.
    """

    def __init__(self, rules: Rules, option: str) -> None:
        super().__init__(rules, read_layouts(option, rules), parted(option)[1])


sampler_of = File


def read_layouts(option: str, rules: Rules) -> npt.NDArray[np.int32]:
    """Return the layouts of a file, as slot codes.

    Parameters
    ----------
    option : str
        Of the law: the path; and maybe how many layouts of each person are read.
    rules : Rules

    Returns
    -------
    ndarray of int32, shape (layouts, ships)

    Raises
    ------
    BsbenchError
        If it can't be read, lists nothing, a line is no layout under the rules, or a person has too
        few of them.
    """
    path, in_a_row = parted(option)
    text = read_text(shipped_path(path), LARGEST, f"the layouts in {path}")
    if text.count("\n") > MOST_LINES:
        raise BsbenchError(
            f"can't read the layouts in {path}: it has more than {MOST_LINES:,} lines"
        )
    around = _around(rules)
    # Codes one after the other: as lists, a million layouts would take ten times the memory.
    codes = array("i")
    # Layouts of the latest person that count, and the line where that person begins.
    counted, who = 0, 0
    people: set[str] = set()
    for number, line in enumerate([*text.split("\n"), "[]"], start=1):
        words = line.partition("#")[0].split()
        if words and words[0].startswith("["):
            if in_a_row > 1 and who and counted < in_a_row:
                fewer = f"write file:{path}:{counted}, or " if counted > 1 else ""
                raise BsbenchError(
                    f"{path}, line {who}: this person has {counted:,} layouts, and {in_a_row:,} "
                    f"are to follow each other: {fewer}leave the person out"
                )
            name = " ".join(words)
            if not re.fullmatch(r"\[[^\[\]]*\]", name) or name in people:
                raise BsbenchError(
                    f"{path}, line {number}: {shortened(name)} begins no person: write a name in "
                    "brackets, each once, alone on its line"
                )
            people.add(name)
            counted, who = 0, number
        elif words:
            if in_a_row > 1 and not who:
                raise BsbenchError(
                    f"{path}, line {number}: whose layout is this? Before the first one, write a "
                    "line such as [alice]"
                )
            counted += 1
            try:
                layout = _layout(words, rules, around)
            except BsbenchError as error:
                raise BsbenchError(f"{path}, line {number}: {error}") from None
            if in_a_row == 1 or counted <= in_a_row:
                codes.extend(layout)
    if not codes:
        raise BsbenchError(f"{path} lists no layout: write one on each line, as row col size E|S")
    return np.array(codes, np.int32).reshape(-1, len(rules.fleet))


def layout_codes(layout: object, rules: Rules) -> list[int]:
    """Return the slot codes of one layout that is given by hand.

    Parameters
    ----------
    layout : str, sequence or mapping
        A line as in a file of layouts; or the cells of each ship, in any order, by name if it is
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
    return _layout(layout.split(), rules, _around(rules))


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
    ships = zip(map(int, codes), rules.fleet, strict=True)
    return "  ".join(_ship_text([*slot_cells(*ship, rules.cols)], rules) for ship in ships)


def layout_texts(layouts: npt.NDArray[np.int32], rules: Rules) -> list[str]:
    """Return the lines of many layouts, given as the slot codes of each: shape (n, ships)."""
    ships: list[list[str]] = []
    for codes, size in zip(layouts.T, rules.fleet, strict=True):
        seen, which = np.unique(codes, return_inverse=True)
        texts = [_ship_text([*slot_cells(code, size, rules.cols)], rules) for code in seen.tolist()]
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


def _around(rules: Rules) -> list[list[int]]:
    """Return, for each cell, the cells that a ship there closes to other ships."""
    return [rules.closed_around(cell) for cell in range(rules.cells)]


def _layout(words: list[str], rules: Rules, around: list[list[int]]) -> list[int]:
    """Return the slot codes of one line.

    Raises
    ------
    BsbenchError
        If it is no layout of the fleet: the sentence says why, but not where.
    """
    codes = [-1] * len(rules.fleet)
    # Cells that earlier ships take, or close to other ships; and which ship does.
    taken: dict[int, str] = {}
    beside: dict[int, str] = {}
    for start in range(0, len(words), 4):
        ship = " ".join(words[start : start + 4])
        match = re.fullmatch(r"(\d{1,9}) (\d{1,9}) (\d{1,9}) ([ES])", ship, flags=re.ASCII)
        if match is None:
            shown = ship if len(ship) <= 40 else f"{ship[:39]}…"
            raise BsbenchError(f"{shown!r} is not a ship: write row col size E|S, such as 1 1 4 E")
        row, col, size = map(int, match.groups()[:3])
        east = match[4] == "E"
        left = [i for i, length in enumerate(rules.fleet) if length == size and codes[i] < 0]
        if not left:
            raise BsbenchError(f"{ship!r} is one too many of its size: {_fleet(rules)}")
        last_row, last_col = (row, col + size - 1) if east else (row + size - 1, col)
        if last_row >= rules.rows or last_col >= rules.cols:
            raise BsbenchError(f"{ship!r} leaves the {rules.board} board")
        first, step = row * rules.cols + col, 1 if east or size == 1 else rules.cols
        cells = range(first, first + step * size, step)
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
