"""Printed firing orders: ``order:FILE`` shoots the cells of a file, one after the other.

A file is text: cells as shots are written, ``A1`` the first of the first row, with blanks, commas
or ends of lines between them. What follows a ``#`` on a line is a comment::

    # The diagonals first.
    A1 B2 C3 D4 E5
    A5, B4, D2, E1

All games have this order. Cells that are not in the file come last, row by row. So a file of some
cells plays on any board that has them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.common.reading import LARGEST_TOML, read_text
from bsbench.common.texts import shortened
from bsbench.own.adapter import Origin
from bsbench.own.thinker import Limits
from bsbench.rules.board import Rules
from bsbench.rules.drawing import read_cell
from bsbench.strategies.base import Cells, FixedOrder, Insight


class PrintedOrder(FixedOrder):
    """Shoots the cells of a file, one after the other, in all games; then the others."""

    printed: ClassVar[tuple[tuple[str, int], ...]]
    """The cells as they are written, and the line of each."""

    path: ClassVar[str]

    def fits(self, rules: Rules) -> bool:
        """Return whether the board has all cells of the file."""
        try:
            self._listed(rules)
        except BsbenchError as error:
            self.limits = str(error)  # type: ignore[misc]
            return False
        return True

    def orders(self, games: Cells) -> npt.NDArray[np.uint16]:
        """Return the cells of the file, then the others."""
        listed = self._listed(self.rules)
        others = sorted({*range(self.rules.cells)} - {*listed})
        return np.array([[*listed, *others]], np.uint16)

    def insight(self, lane: int) -> Insight:
        """Return the remaining cells, in order."""
        return Insight(waiting=self._orders[lane, self._shots[lane] :].tolist())

    def _listed(self, rules: Rules) -> list[int]:
        listed: dict[int, int] = {}
        for name, line in self.printed:
            try:
                cell = read_cell(name, rules.rows, rules.cols)
            except BsbenchError as error:
                raise BsbenchError(f"{self.path}, line {line}: {error}") from None
            if cell in listed:
                raise BsbenchError(
                    f"{self.path}, line {line}: {name} is in line {listed[cell]}, too: name each "
                    "cell once"
                )
            listed[cell] = line
        return list(listed)


def strategy_of(spec: str, limits: Limits) -> type[PrintedOrder]:
    """Return the strategy that shoots in the order of a file.

    Parameters
    ----------
    spec : str
        ``order:FILE``.
    limits : Limits
        Not needed: a file runs no code.

    Raises
    ------
    BsbenchError
        If the file can't be read, or holds anything but cells.
    """
    path = spec.partition(":")[2]
    if not path:
        raise BsbenchError(f"{spec} names no file: write order:FILE, such as order:spiral.txt")
    return _order_of(path, read_text(path, LARGEST_TOML))


@lru_cache(64)
def _order_of(path: str, text: str) -> type[PrintedOrder]:
    printed = []
    for line, content in enumerate(text.split("\n"), start=1):
        for name in re.split(r"[\s,;]+", content.partition("#")[0].strip()):
            if name and not re.fullmatch(r"[A-Za-z]{1,3}[0-9]{1,4}", name):
                raise BsbenchError(
                    f"{path}, line {line}: {shortened(name)} is no cell: write cells such as A1 B2"
                )
            printed += [(name, line)] if name else []
    if not printed:
        raise BsbenchError(f"{path} holds no cells: write them in their order, such as A1 B2 C3")
    stem = "-".join(re.findall(r"[a-z0-9]+", Path(path).stem.lower()))
    facts = {
        "__doc__": PrintedOrder.__doc__,
        "name": f"order-{stem}"[:40].strip("-"),
        "source": path,
        "printed": tuple(printed),
        "path": path,
        "_origin": Origin(f"order:{path}", f"order:{path}", files=(Path(path).resolve(),)),
    }
    return type("Order", (PrintedOrder,), facts)
