"""Ships laid one after the other: the laws ``sequential``, ``direction-first``, some ``weights``.

They differ in how the slot of a ship is drawn. When there is none, the whole layout starts again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.lanes import WORDS, empty_rows
from bsbench.kernels.random import draw, stream_start
from bsbench.kernels.slots import Bits, SlotTable, copy_free, count_free, find_free, lay
from bsbench.layouts import ATTEMPTS, Codes, Filler
from bsbench.layouts.layers import count_heavy, find_heavy
from bsbench.rules.board import Rules


class Directions(NamedTuple):
    """The directions of slots: see `bsbench.layouts.direction_first`.

    Attributes
    ----------
    along, down : ndarray of uint64, shape (words,)
        The slots along rows, and all others, as words of a `SlotTable`.
    slots : ndarray of uint64, shape (2, ships)
        How many slots each ship has along rows, and down columns.
    keeps : bool
        Whether the direction is kept until a slot of it is free.
    """

    along: Bits
    down: Bits
    slots: Bits
    keeps: bool


class Columns(NamedTuple):
    """What draws the slot of a ship by its weight, free or not: see `alias_table`.

    Attributes
    ----------
    ships : ndarray of uint64, shape (ships, 2)
        How many slots each ship has, and what they weigh together.
    rows : ndarray of uint64, shape (64 * words, 2)
        For each slot of a `SlotTable`, the cut, and the other slot.
    """

    ships: Bits
    rows: Bits


@helper
def _draw_slot(state, ship, free, begin, end, directions, columns):
    """Draw a slot of a ship; return the random stream, and the slot, which may not be free.

    A slot along a row weighs as much as there are slots down a column, and the other way round: so
    both directions weigh the same.
    """
    if columns is not None:
        state, column = draw(state, columns.ships[ship, 0])
        state, height = draw(state, columns.ships[ship, 1])
        slot = 64 * begin + np.int64(column)
        if height >= columns.rows[slot, 0]:
            slot = np.int64(columns.rows[slot, 1])
        return state, slot
    possible = count_free(free, begin, end)
    if possible == 0:
        return state, 64 * begin
    if directions is None:
        state, rank = draw(state, possible)
        return state, find_free(free, begin, end, rank)
    along, down, slots, keeps = directions
    level, one = count_heavy(free, begin, end, along), np.uint64(1)
    upright = possible - level
    per_level = max(upright if keeps else slots[1, ship], one)
    per_upright = max(level if keeps else slots[0, ship], one)
    state, number = draw(state, level * per_level + upright * per_upright)
    if number < level * per_level:
        return state, find_heavy(free, begin, along, number // per_level)
    return state, find_heavy(free, begin, down, (number - level * per_level) // per_upright)


@kernel
def _draw_layouts(key, first_game, order, table, directions, columns, attempts, free, layouts):
    """Fill ``layouts``; return the index of a game given up, or -1. ``free`` is overwritten."""
    all_free, keep, code, begin, end = table
    for game in range(len(layouts)):
        state = stream_start(key, first_game + game)
        for _ in range(attempts):
            copy_free(all_free, free)
            for ship in order:
                state, slot = _draw_slot(
                    state, ship, free, begin[ship], end[ship], directions, columns
                )
                if not (free[slot // 64] >> np.uint64(slot % 64)) & np.uint64(1):
                    break
                layouts[game, ship] = code[slot]
                lay(free, keep, slot)
            else:
                break
        else:
            return game
    return -1


class OneByOne(Filler):
    """Sampler that lays ship by ship; see `Sampler`.

    Parameters
    ----------
    rules : Rules
    table : SlotTable
        The slots under these rules.
    remedies : str
        What the error about a fleet that is too hard to lay suggests first.
    order : {"longest", "shortest", "fleet"}
        Which ship is laid first; ships of equal length in fleet order.
    directions : Directions, optional
    columns : Columns, optional
        Without both, a ship takes each of its free slots alike.
    """

    def __init__(
        self,
        rules: Rules,
        table: SlotTable,
        remedies: str = "",
        order: str = "longest",
        directions: Directions | None = None,
        columns: Columns | None = None,
    ) -> None:
        super().__init__(rules, remedies)
        sign = {"longest": -1, "shortest": 1, "fleet": 0}[order]
        self._order = np.argsort(sign * np.array(rules.fleet), kind="stable")
        self._table, self._directions, self._columns = table, directions, columns
        self.is_slow = columns is not None

    def fill(self, key: np.uint64, first_game: int, layouts: Codes) -> int:
        """Draw layouts; see `Filler.fill`."""
        free = empty_rows(len(self._table.free) // WORDS).ravel()
        laws = self._directions, self._columns, ATTEMPTS
        return int(_draw_layouts(key, first_game, self._order, self._table, *laws, free, layouts))
