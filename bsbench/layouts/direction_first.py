"""The law ``direction-first``: ship by ship, a coin for the direction, then a slot of it.

As most programs place ships: they toss the coin, draw a first cell from which the ship stays on the
board, and do both again if it clashes. So each ship takes one of its slots still legal, and with n
slots of its direction on the empty board, each has the chance 1 / (2 n). Where boards have as many
rows as columns, that is the law ``sequential``; on 4x8 cells, half the ships of 4 cells lie down a
column, in 8 of 28 slots.

Other programs keep the direction until a slot of it is free. So with n such slots left, each has
the chance 1 / (2 n); or 1 / n, if the other direction has none left.

Ships are laid longest first. When a ship has no slot left, the whole layout starts again.
"""

from __future__ import annotations

import numpy as np

from bsbench.kernels._jit import allocating
from bsbench.kernels.random import draw, stream_key, stream_start
from bsbench.kernels.slots import copy_free, count_free, lay, slot_table
from bsbench.layouts import ATTEMPTS, Codes, Sampler
from bsbench.layouts.layers import count_heavy, find_heavy
from bsbench.rules.board import Rules


@allocating
def _draw_layouts(key, first_game, order, table, along, slots, keeps, attempts, layouts):
    """Fill ``layouts``; return the index of a game given up, or -1.

    ``along`` are the slots along rows, and ``slots`` has the number of those along a row, and down
    a column, of each ship. A slot along a row weighs as much as there are slots down a column, and
    the other way round: so both directions weigh the same.
    """
    # Read once: an allocating kernel counts the references to an array wherever it is read.
    all_free, keep, code, begin, end = table
    one = np.uint64(1)
    free, down = np.empty_like(all_free), np.empty_like(all_free)
    for word in range(len(down)):
        down[word] = ~along[word]
    for game in range(len(layouts)):
        state = stream_start(key, first_game + game)
        for _ in range(attempts):
            copy_free(all_free, free)
            for ship in order:
                possible = count_free(free, begin[ship], end[ship])
                if possible == 0:
                    break
                level = count_heavy(free, begin[ship], end[ship], along)
                upright = possible - level
                per_level = max(upright if keeps else slots[1, ship], one)
                per_upright = max(level if keeps else slots[0, ship], one)
                state, number = draw(state, level * per_level + upright * per_upright)
                if number < level * per_level:
                    slot = find_heavy(free, begin[ship], along, number // per_level)
                else:
                    rank = (number - level * per_level) // per_upright
                    slot = find_heavy(free, begin[ship], down, rank)
                layouts[game, ship] = code[slot]
                lay(free, keep, slot)
            else:
                break
        else:
            return game
    return -1


class DirectionFirst(Sampler):
    """Sampler of the law ``direction-first``; see `Sampler`.

    Parameters
    ----------
    rules : Rules
    option : {"anew", "keep"}
        What happens to the direction if the slot is not free.
    """

    def __init__(self, rules: Rules, option: str) -> None:
        super().__init__(rules)
        self._table = slot_table(rules)
        self._keeps = option == "keep"
        self._order = np.argsort(-np.array(rules.fleet), kind="stable")
        self._slots = np.zeros((2, len(rules.fleet)), np.uint64)
        self._along = np.zeros_like(self._table.free)
        for ship, length in enumerate(rules.fleet):
            # Slots along rows come first.
            along = rules.rows * max(rules.cols - length + 1, 0)
            self._slots[:, ship] = along, len(rules.slots(length)) - along
            for slot in range(64 * self._table.begin[ship], 64 * self._table.begin[ship] + along):
                self._along[slot // 64] |= np.uint64(1 << slot % 64)

    def draw(self, seed: int, first_game: int, games: int) -> Codes:
        """Return the layouts of some games; see `Sampler.draw`."""
        layouts = np.zeros((games, len(self.rules.fleet)), np.int32)
        failed = _draw_layouts(
            stream_key("layouts", seed),
            first_game,
            self._order,
            self._table,
            self._along,
            self._slots,
            self._keeps,
            ATTEMPTS,
            layouts,
        )
        self.check_found(first_game, failed)
        return layouts


sampler_of = DirectionFirst
