"""The law ``border``: every cell of every ship lies on the border; all such layouts alike.

Programs that test hunters against hiders have it as the family "edge". The law ``edge`` prefers the
border, and this one allows nothing else.
"""

from __future__ import annotations

from bsbench.layouts import Sampler
from bsbench.layouts.weights import cell_sampler
from bsbench.rules.board import Rules

_INSIDE = 8
"""Neighbours of a cell that is not on the border."""


def border_cells(rules: Rules) -> list[int]:
    """Return 1 for each cell of the border, else 0: shape (cells,)."""
    return [int(len(rules.neighbours(cell)) < _INSIDE) for cell in range(rules.cells)]


def sampler_of(rules: Rules, option: None = None) -> Sampler:
    """Return the first of the samplers that serves these rules; see `cell_sampler`."""
    return cell_sampler(rules, "the placement law edge, ", border_cells(rules), "on the border")
