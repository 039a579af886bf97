"""Layouts: where the ships lie, drawn from a placement law.

Each law is one module with a class of the same name; it keeps tables for one set
of rules, and `draw` gives the layouts of any run of games. A layout is one *slot
code* for each ship, ``2 * first cell + down``.
"""

from __future__ import annotations

import importlib
from typing import Protocol

import numpy as np
import numpy.typing as npt

from bsbench.placement import Placement
from bsbench.rules import Rules

__all__ = ["STREAM_VERSION", "Sampler", "make_sampler"]

STREAM_VERSION = 1
"""Rises when a seed draws other layouts than before; results record it."""


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
    """Return the sampler of a placement law."""
    module = importlib.import_module(f"{__name__}.{placement.law}")
    sampler: Sampler = getattr(module, placement.law.capitalize())(rules, placement.option)
    return sampler
