"""The law ``sequential``: ship by ship, as most programs do.

Each ship is uniform among its slots that are still legal; when a ship has none left,
the whole layout starts again. The law depends on the order of the ships, and is
measurably not uniform over layouts: a layout that leaves later ships little choice is
drawn too often.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import allocating
from bsbench.kernels.random import draw, stream_key, stream_start
from bsbench.kernels.slots import copy_free, count_free, find_free, lay, slot_table
from bsbench.layouts import ATTEMPTS, Sampler
from bsbench.rules.board import Rules


@allocating
def _draw_layouts(key, first_game, order, table, attempts, layouts):
    """Fill ``layouts``; return the index of a game given up, or -1."""
    # Read once: an allocating kernel counts the references to an array wherever it is read.
    all_free, keep, code, begin, end = table
    free = np.empty_like(all_free)
    for game in range(len(layouts)):
        state = stream_start(key, first_game + game)
        for _ in range(attempts):
            copy_free(all_free, free)
            for ship in order:
                possible = count_free(free, begin[ship], end[ship])
                if possible == 0:
                    break
                state, rank = draw(state, possible)
                slot = find_free(free, begin[ship], end[ship], rank)
                layouts[game, ship] = code[slot]
                lay(free, keep, slot)
            else:
                break
        else:
            return game
    return -1


class Sequential(Sampler):
    """Sampler of the law ``sequential``; see `Sampler`.

    Parameters
    ----------
    rules : Rules
    order : {"longest", "shortest", "fleet"}
        Which ship is laid first; ships of equal length in fleet order.
    """

    def __init__(self, rules: Rules, order: str | None) -> None:
        super().__init__(rules)
        self._table = slot_table(rules)
        sign = {"longest": -1, "shortest": 1, "fleet": 0}[order or "longest"]
        lengths = sign * np.array(rules.fleet)
        self._order = np.argsort(lengths, kind="stable")

    def draw(self, seed: int, first_game: int, games: int) -> npt.NDArray[np.int32]:
        """Return the layouts of some games; see `Sampler.draw`."""
        layouts = np.zeros((games, len(self.rules.fleet)), np.int32)
        key = stream_key("layouts", seed)
        failed = _draw_layouts(key, first_game, self._order, self._table, ATTEMPTS, layouts)
        self.check_found(first_game, failed)
        return layouts


sampler_of = Sequential
