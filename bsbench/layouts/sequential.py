"""The law ``sequential``: ship by ship, as most programs do.

Each ship is uniform among its slots that are still legal; when a ship has none left,
the whole layout starts again. The law depends on the order of the ships, and is
measurably not uniform over layouts: a layout that leaves later ships little choice is
drawn too often.
"""

from __future__ import annotations

from bsbench.kernels.slots import slot_table
from bsbench.layouts.one_by_one import OneByOne
from bsbench.rules.board import Rules


def sampler_of(rules: Rules, order: str | None) -> OneByOne:
    """Return the sampler of an order: see `OneByOne`."""
    return OneByOne(rules, slot_table(rules), order=order or "longest")
