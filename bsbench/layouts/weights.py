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
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.common.reading import read_text
from bsbench.common.settings import shipped_path
from bsbench.common.texts import shortened
from bsbench.kernels.slots import slot_table
from bsbench.layouts import Sampler
from bsbench.layouts.heads import alias_table
from bsbench.layouts.layers import SlotWeights, in_parts
from bsbench.layouts.lookahead import weighed_sampler
from bsbench.layouts.one_by_one import Columns, OneByOne
from bsbench.rules.board import Rules

_LARGEST = 10**6
"""Bytes of a heat map at most."""

_FEW = 100
"""Up to this weight of slots, layers are few."""

_FINEST = 10**12
"""Parts of the heaviest slot of a length, at most."""

_WEIGHT = re.compile(r"([0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?")


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
        exact = [math.prod(whole[cell] for cell in slot) for slot in rules.slots(length)]
        if not any(exact):
            raise BsbenchError(f"no ship of {length} cells fits {where}")
        weights[length] = in_parts(exact, min(max(exact) // math.gcd(*exact), _FINEST))
    least, most = (each(each(some.tolist()) for some in weights.values()) for each in (min, max))
    make: Callable[..., Sampler] = partial(weighed_sampler, base=least)
    sampler = (_by_weight if most > _FEW else make)(rules, remedies, weights)
    sampler.barred = [cell for cell, weight in enumerate(whole) if not weight]
    return sampler


def _by_weight(rules: Rules, remedies: str, weights: SlotWeights) -> OneByOne:
    """Return a sampler of product weights of any size: each ship is drawn by its weight."""
    table = slot_table(rules)
    ships = np.zeros((len(rules.fleet), 2), np.uint64)
    rows = np.zeros((len(table.code), 2), np.uint64)
    for ship, length in enumerate(rules.fleet):
        first, slots = 64 * table.begin[ship], len(weights[length])
        total, cut, other = alias_table(weights[length].astype(np.uint64))
        ships[ship] = slots, total
        rows[first : first + slots] = np.stack([cut, first + other], axis=1)
    return OneByOne(rules, table, remedies, columns=Columns(ships, rows))


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
