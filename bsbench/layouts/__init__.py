"""Layouts: where the ships lie, drawn from a placement law.

Each law is one module with a class of the same name; it keeps tables for one set
of rules, and `draw` gives the layouts of any run of games. A layout is one *slot
code* for each ship, ``2 * first cell + down``.

`uniform`, `sequential`, `edge`, `file`
    the laws;
`lookahead`
    the exact sampler behind ``uniform`` and ``edge``, and why it is exact; with `weights`, what
    slots weigh; `heads`, the table of the first ships; `plain`, attempts that don't look ahead.
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.rules.board import Rules
from bsbench.rules.placement import STREAM_VERSION, Placement

__all__ = ["STREAM_VERSION", "Sampler", "make_sampler"]

ATTEMPTS = 1 << 21
"""Attempts at one layout, after which it is given up."""

SIDE_BY_SIDE = 64
"""Games drawn side by side at most: what is kept of them stays in a near cache."""


class Sampler(Protocol):
    """Draws layouts of one law under one set of rules."""

    def draw(self, seed: int, first_game: int, games: int) -> npt.NDArray[np.int32]:
        """Return the layouts of some games in a row, from ``first_game`` on.

        A game's layout depends on the seed and the game's number alone.

        Returns
        -------
        ndarray of int32, shape (games, ships)
            A slot code for each ship, in fleet order.

        Raises
        ------
        BsbenchError
            If a game's layout was not found within the number of attempts allowed.
        """


def make_sampler(rules: Rules, placement: Placement) -> Sampler:
    """Return the sampler of a placement law; one made before may serve again."""
    # A file of layouts may have changed since.
    make = _make_sampler.__wrapped__ if placement.law == "file" else _make_sampler
    return make(rules, placement)


@lru_cache(4)
def _make_sampler(rules: Rules, placement: Placement) -> Sampler:
    module = importlib.import_module(f"{__name__}.{placement.law}")
    sampler: Sampler = getattr(module, placement.law.capitalize())(rules, placement.option)
    return sampler


def not_found(rules: Rules, game: int, remedy: str) -> BsbenchError:
    """Return the error for a layout that was not found in `ATTEMPTS` attempts."""
    filled = round(100 * rules.ship_cells / rules.cells)
    return BsbenchError(
        f"no layout found for game {game}: {len(rules.fleet)} ships that fill {filled} % of the "
        f"{rules.board} board{'' if rules.touching else ' and may not touch'} are too many to be "
        f"laid at random; use {remedy}fewer or shorter ships, or a larger board"
    )
