"""Jitted building blocks: flags and cache, random streams, boards as bits, plans.

What strategies of users may rely on is imported from here, and listed below by what it is for;
it keeps its meaning from version to version. The modules say more, with pictures:

`_jit`
    ``kernel``, ``helper``, ``allocating``: how functions are compiled;
`random`
    streams of random numbers that belong to a game, whatever the batch;
`boards`
    one lane's board as bits, for strategies in which every lane goes its own way;
`plans`
    what is shot, and what a hit changes about it, for a `bsbench.Planner`;
`planes`
    bit planes: one yes-or-no thing of every cell in 512 games at once, and through which cell most
    slots run.

Games in lockstep need the same board many times, in one of three layouts. Which one is fast
depends on what a strategy does most (figures from ``benchmarks/LOG.md``):

`boards`
    the cells of one lane together, where each lane looks up and changes cells of its own: ``smart``
    is 25 % faster and ``hunt-target`` 43 % faster than with planes;
`planes`, `lanes`
    one bit of 512 lanes for each cell, where all lanes count slots alike, up to 30: 5 ns a
    game and step with values of 512 bits;
`numbers`
    one bit of 64 lanes for each cell, and a number of any size for each of these lanes, where a
    strategy weighs slots: 10 ns to take note of a shot, 31 ns with planes of 512 lanes.

Where a turn has several shots, `salvos` keeps for each lane the slots that agree with the answers,
one bit each, and `gains` finds what the answer to a turn would tell.

`planes.turn` turns boards into a plane in a nanosecond a lane, so that games are played by `boards`
while ``prob`` counts by `planes`.

Names are imported from here when first used: so are their modules, and numba. bsbench itself
imports them from their modules, since only files with kernels of users need numba at once: what
numba makes of a function is made when it is first called (`_jit.Late`). What can't be written
without numba, types and instructions, is in `_bits`, `_lanes` and `_numbers`; `bits`, `lanes` and
`numbers` pass it on. `_cache` and `_machine_code` keep what is
compiled.
"""

from __future__ import annotations

import importlib
from typing import Any

# Here, since numba is not needed to know them.
WORDS = 8
"""64-bit words in a value of `lanes`: how many games it holds, divided by 64."""

LANES = 64
"""Lanes in a value of `numbers`: how many games it holds."""

_MODULE_OF = {
    "allocating": "_jit",
    "helper": "_jit",
    "kernel": "_jit",
    "draw": "random",
    "draw_bits": "random",
    "shuffle": "random",
    "stream_start": "random",
    "uniform_at": "random",
    "bit_of": "boards",
    "cell_dtype": "boards",
    "clear_bit": "boards",
    "clear_mask": "boards",
    "diagonal_masks": "boards",
    "full_boards": "boards",
    "is_set": "boards",
    "lane_of_boards": "boards",
    "ShotPlan": "plans",
    "empty_plan": "plans",
    "lay_down": "plans",
    "neighbour_table": "plans",
    "skip_closed": "plans",
    "waiting_cells": "plans",
    "as_squares": "planes",
    "most_slots": "planes",
    "slot_scratch": "planes",
    "turn": "planes",
}

__all__ = [*_MODULE_OF]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Files of users import from here: before they decorate anything themselves, numba is set up.
    importlib.import_module(f"{__name__}._jit").set_up_numba()
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
