"""The law ``weights``: a layout is as likely as the product of its cells' weights, exactly.

A heat map in a text file has a weight for each cell: a line for each row of the board, numbers from
0 on apart by spaces, commas or semicolons. On 2x3 cells::

    # A comment, here or behind a row; blank lines are skipped.
    1    2.5  0
    0.3  1e-2 1

All products are exact. As only the slots of one length are drawn among each other, their weights
become whole numbers without a common factor. Up to 100, `weighed_sampler` has the scheme. Where
they are larger, ships are drawn one after the other, each by its weight, and all of them again once
two clash: so an attempt ends in a given layout with probability w(layout) / (product of what all
slots of each ship weigh). More than 10^12 parts of the heaviest slot of a length are rounded to it,
which is finer than any number of games can show; no slot becomes impossible.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.common.reading import read_text
from bsbench.common.settings import shipped_path
from bsbench.common.texts import shortened
from bsbench.kernels._jit import allocating
from bsbench.kernels.random import draw, stream_key, stream_start
from bsbench.kernels.slots import copy_free, lay, slot_table
from bsbench.layouts import ATTEMPTS, Codes, Sampler
from bsbench.layouts.heads import alias_table
from bsbench.layouts.layers import SlotWeights, in_parts
from bsbench.layouts.lookahead import weighed_sampler
from bsbench.rules.board import Rules

_LARGEST = 10**6
"""Bytes of a heat map at most."""

_FEW = 100
"""Up to this weight of slots, layers are few."""

_FINEST = 10**12
"""Parts of the heaviest slot of a length, at most."""

_WEIGHT = re.compile(r"([0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?")


@allocating
def _draw_layouts(key, first_game, order, table, columns, attempts, layouts):
    """Fill ``layouts``; return the index of a game given up, or -1."""
    # Read once: an allocating kernel counts the references to an array wherever it is read.
    all_free, keep, code, begin, _ = table
    slots, total, cut, other = columns
    free = np.empty_like(all_free)
    for game in range(len(layouts)):
        state = stream_start(key, first_game + game)
        for _ in range(attempts):
            copy_free(all_free, free)
            for ship in order:
                state, column = draw(state, slots[ship])
                state, height = draw(state, total[ship])
                slot = 64 * begin[ship] + np.int64(column)
                if height >= cut[slot]:
                    slot = other[slot]
                if not (free[slot // 64] >> np.uint64(slot % 64)) & np.uint64(1):
                    break
                layouts[game, ship] = code[slot]
                lay(free, keep, slot)
            else:
                break
        else:
            return game
    return -1


class Independent(Sampler):
    """Sampler of product weights of any size; see `Sampler`.

    Parameters
    ----------
    rules : Rules
    remedies : str
        What the error about a fleet that is too hard to lay suggests first.
    weights : SlotWeights
    """

    is_slow = True

    def __init__(self, rules: Rules, remedies: str, weights: SlotWeights) -> None:
        super().__init__(rules, remedies)
        self._table = slot_table(rules)
        slots, total = np.zeros((2, len(rules.fleet)), np.uint64)
        cut = np.zeros(len(self._table.code), np.uint64)
        other = np.zeros(len(cut), np.int64)
        for ship, length in enumerate(rules.fleet):
            first = 64 * self._table.begin[ship]
            rows = slice(first, first + len(weights[length]))
            slots[ship] = len(weights[length])
            total[ship], cut[rows], others = alias_table(weights[length].astype(np.uint64))
            other[rows] = first + others
        self._columns = slots, total, cut, other
        self._order = np.argsort(-np.array(rules.fleet), kind="stable")

    def draw(self, seed: int, first_game: int, games: int) -> Codes:
        """Return the layouts of some games; see `Sampler.draw`."""
        layouts = np.zeros((games, len(self.rules.fleet)), np.int32)
        key = stream_key("layouts", seed)
        failed = _draw_layouts(
            key, first_game, self._order, self._table, self._columns, ATTEMPTS, layouts
        )
        self.check_found(first_game, failed)
        return layouts


def sampler_of(rules: Rules, path: str) -> Sampler:
    """Return the first of the samplers that serves these rules; see `cell_sampler`.

    Raises
    ------
    BsbenchError
        If the file can't be read, is no heat map of the board, or leaves no room for a ship.
    """
    remedies = "larger weights in more cells, "
    cells = _read(rules, path)
    return cell_sampler(rules, remedies, cells, f"where all weights in {path} are above 0")


def cell_sampler(
    rules: Rules, remedies: str, cells: Sequence[Fraction | int], where: str
) -> Sampler:
    """Return the first of the samplers that serves these rules.

    Parameters
    ----------
    rules : Rules
    remedies : str
        What the error about a fleet that is too hard to lay suggests first.
    cells : sequence of Fraction or int, shape (cells,)
        What cells weigh, 0 or more.
    where : str
        What cells above 0 are called in a message.

    Raises
    ------
    BsbenchError
        If no slot of a ship has only such cells.
    """
    common = math.lcm(*(each.denominator for each in cells))
    whole = [int(each * common) for each in cells]
    weights = {}
    for length in sorted(set(rules.fleet), reverse=True):
        exact = [
            math.prod(whole[first : first + step * length : step])
            for first, step in rules.slots(length)
        ]
        if not any(exact):
            raise BsbenchError(f"no ship of {length} cells fits {where}")
        weights[length] = in_parts(exact, min(max(exact) // math.gcd(*exact), _FINEST))
    if max(int(some.max()) for some in weights.values()) > _FEW:
        return Independent(rules, remedies, weights)
    least = min(int(some.min()) for some in weights.values())
    return weighed_sampler(rules, remedies, weights, least)


def _read(rules: Rules, path: str) -> list[Fraction]:
    """Return the weights of all cells in a file."""
    text = read_text(shipped_path(path), _LARGEST, f"the weights in {path}")
    rows: list[list[Fraction]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        row = []
        for word in re.finditer(r"[^\s,;]+", line.partition("#")[0]):
            if not _WEIGHT.fullmatch(word[0]):
                raise BsbenchError(
                    f"{path}, line {number}, character {word.start() + 1}: {shortened(word[0])} is "
                    "no weight: write a number from 0 on, such as 0.25"
                )
            row.append(Fraction(word[0]))
        if row and len(row) != rules.cols:
            raise BsbenchError(
                f"{path}, line {number}: {len(row):,} weights in a row, and the {rules.board} "
                f"board has {rules.cols} columns"
            )
        rows += [row] if row else []
    if len(rows) != rules.rows:
        raise BsbenchError(
            f"{path} has {len(rows):,} rows of weights, and the {rules.board} board {rules.rows}: "
            "write a line for each"
        )
    return [each for row in rows for each in row]
