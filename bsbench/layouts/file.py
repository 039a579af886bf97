"""The law ``file``: every layout listed in a text file equally likely.

People reuse a few layouts; so can programs. A layout is a line, ``row col size E|S`` for each ship
(see `bsbench.rules.layout`), or is given in any other form of `bsbench.rules.reading`, such as a
board drawn with a letter for each ship. Two ships of a no-touch fleet on 5x6 cells::

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
from itertools import chain

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.common.reading import read_text
from bsbench.common.settings import shipped_path
from bsbench.common.texts import shortened
from bsbench.kernels._jit import kernel
from bsbench.kernels.random import draw, stream_start
from bsbench.layouts import Codes, Filler
from bsbench.rules.board import Rules
from bsbench.rules.placement import parted
from bsbench.rules.reading import layouts_in

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


class Listed(Filler):
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

    def fill(self, key: np.uint64, first_game: int, layouts: Codes) -> int:
        """Deal layouts; see `Filler.fill`."""
        _draw_layouts(key, first_game, self._listed, self._in_a_row, layouts)
        return -1


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
    # Codes one after the other: as lists, a million layouts would take ten times the memory.
    codes = array("i")
    # Layouts of the latest person that count, and the line where that person begins.
    counted, who = 0, 0
    people: set[str] = set()
    try:
        for number, name, layout in chain(layouts_in(text, rules), [(0, "[]", [])]):
            if name:
                if in_a_row > 1 and who and counted < in_a_row:
                    fewer = f"write file:{path}:{counted}, or " if counted > 1 else ""
                    raise BsbenchError(
                        f"line {who}: this person has {counted:,} layouts, and {in_a_row:,} "
                        f"are to follow each other: {fewer}leave the person out"
                    )
                if not re.fullmatch(r"\[[^\[\]]*\]", name) or name in people:
                    raise BsbenchError(
                        f"line {number}: {shortened(name)} begins no person: write a name in "
                        "brackets, each once, alone on its line"
                    )
                people.add(name)
                counted, who = 0, number
                continue
            if in_a_row > 1 and not who:
                raise BsbenchError(
                    f"line {number}: whose layout is this? Before the first one, write a "
                    "line such as [alice]"
                )
            counted += 1
            if in_a_row == 1 or counted <= in_a_row:
                codes.extend(layout)
    except BsbenchError as error:
        raise BsbenchError(f"{path}, {error}") from None
    if not codes:
        raise BsbenchError(
            f"{path} lists no layout: write one on each line, as row col size E|S, or draw boards"
        )
    return np.array(codes, np.int32).reshape(-1, len(rules.fleet))
