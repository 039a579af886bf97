"""Counts of empty boards that take long to compute, kept in ``empty_boards.json``.

The file holds the built-in scenarios whose first count takes more than a moment. It follows from
the code, by this command::

    python -m tests.counting.stored

For each board, ``slots`` has the layouts with a ship of a length in each of its slots, in
the order of `Rules.slots`; and ``within``, for every m, the layouts within the first m
cells, with indistinguishable ships.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.counting.evidence import Evidence
from bsbench.rules.board import Rules

PLACE = Path(__file__).with_name("empty_boards.json")


def find_stored(evidence: Evidence) -> tuple[int, npt.NDArray[Any], str] | None:
    """Return what is kept of an empty board; None where shots were fired, or nothing is kept.

    Returns
    -------
    layouts : int
    slots : ndarray of object, shape (ships, 64 * words)
    method : str
        All as of a `Posterior`.
    """
    if evidence.shot.any():
        return None
    entry = _entries().get(key_of(evidence.rules))
    if entry is None:
        return None
    slots = np.zeros((len(evidence.rules.fleet), 64 * evidence.possible.shape[1]), object)
    for ship, length in enumerate(evidence.rules.fleet):
        counts = entry["slots"][str(length)]
        slots[ship, : len(counts)] = counts
    return entry["layouts"], slots, entry["method"]


def find_within(rules: Rules) -> npt.NDArray[np.uint64] | None:
    """Return how many layouts lie within the first m cells, for every m; None if nothing is kept.

    Returns
    -------
    ndarray of uint64, shape (cells + 1,)
        With indistinguishable ships.
    """
    entry = _entries().get(key_of(rules))
    return None if entry is None else np.array(entry["within"], np.uint64)


def key_of(rules: Rules) -> str:
    """Return what the counts depend on."""
    fleet = " ".join(map(str, sorted(rules.fleet, reverse=True)))
    return f"{rules.board}, {fleet}, {rules.apart.short}"


@cache
def _entries() -> dict[str, Any]:
    entries: dict[str, Any] = json.loads(PLACE.read_text(encoding="utf-8"))
    return entries
