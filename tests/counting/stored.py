"""Counts the empty boards that `bsbench.counting.stored` keeps, and writes their file."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from bsbench.common.files import write_text
from bsbench.counting.evidence import Evidence
from bsbench.counting.frontier import MOST_BYTES, Frontier, Ships
from bsbench.counting.posterior import compute_posterior
from bsbench.counting.stored import PLACE, key_of
from bsbench.rules.board import Rules
from bsbench.rules.scenario import find_scenario

SCENARIOS = ("classic", "gym-10x10", "gym-11x11", "gym-12x12", "harbour", "sea-battle")
"""Scenarios whose empty boards are kept."""


def make_entry(rules: Rules) -> dict[str, Any]:
    """Count the layouts of an empty board, and return what is kept of them."""
    found = compute_posterior(Evidence(rules))
    slots = {
        str(length): found.slots[ship, : len(rules.slots(length))].tolist()
        for ship, length in enumerate(rules.fleet)
    }
    classes = [
        Ships(
            length,
            rules.fleet.count(length),
            [(slot[0], int(slot.step == rules.cols)) for slot in rules.slots(length)],
        )
        for length in sorted(set(rules.fleet))
    ]
    frontier = Frontier(rules.rows, rules.cols, rules.apart, classes, (), MOST_BYTES)
    # Numbers in between may overflow, but none of these.
    within = frontier.within(None, np.uint64, sys.maxsize)
    assert within is not None
    return {
        "layouts": found.layouts,
        "method": found.method,
        "slots": slots,
        "within": within.tolist(),
    }


if __name__ == "__main__":
    boards = [find_scenario(name).rules for name in SCENARIOS]
    lines = (f"{json.dumps(key_of(rules))}: {json.dumps(make_entry(rules))}" for rules in boards)
    write_text(PLACE, "{\n" + ",\n".join(lines) + "\n}\n")
