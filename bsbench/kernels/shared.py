"""Shared decisions: games with the same history get the same shot, chosen once.

A deterministic strategy is a decision tree. Here is a table of some of its nodes, found by
the *history* of a game, a hash of all its shots and what they did::

    history of a lane            entries, one row for each decision known
    high 64 bits | low 64 bits   high 64 bits | low bits 63 … 16 | cell + 1
          |                            0      |        0         |    0       free
          +----- mod entries ---->  1B5C…07   |     9E…3D        |   45       shoot cell 44
                 and onwards        7A02…07   |     40…B1        |  65535     being chosen

A lane *follows* the tree as long as its history is there. What is not there yet, it adds:
the strategy is asked, and the answer serves the lanes that come to the same history, in the
same step too. After its last new decision (`NEW`) a lane has left the tree: from there on its
game is unique, is not looked up any more, and costs nothing. So the table grows
by a few entries a game, where games repeat, and is left as it is when half of it is in use.

Histories are distinguished by 112 bits; the probability that any two of n are the same there is
below n^2 / 2^113, 10^-14 for the 10^10 decisions of 200 million games.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.random import mix

NEW = 4
"""Decisions that a game adds to the table at most. With more, later games follow
the tree further, but the table fills with games that never occur again."""

BYTES_OF_ENTRY = 16

_LOW_BITS = np.uint64(0xFFFF)
_BEING_CHOSEN = np.uint64(0xFFFF)
_ONE = np.uint64(1)


class Decisions(NamedTuple):
    """What has been decided, and where the game in each lane stands.

    Attributes
    ----------
    entries : ndarray of uint64, shape (a power of 2, 2)
        The table drawn above. A row of zeros is free.
    used : ndarray of int64, shape (1,)
        Rows in use.
    history : ndarray of uint64, shape (lanes, 2)
        Hash of each game's history, while it follows the tree.
    new : ndarray of int64, shape (lanes,)
        Decisions that each game may still add; at 0 it has left the tree.
    at : ndarray of int64, shape (lanes,)
        Row of each lane's next decision, or -1 where it is not in the table.
    """

    entries: npt.NDArray[np.uint64]
    used: npt.NDArray[np.int64]
    history: npt.NDArray[np.uint64]
    new: npt.NDArray[np.int64]
    at: npt.NDArray[np.int64]


def no_decisions(lanes: int, size: int) -> Decisions:
    """Return an empty table of at most ``size`` bytes, or of one entry, for that many lanes."""
    rows = 1 << (max(size // BYTES_OF_ENTRY, 1).bit_length() - 1)
    return Decisions(
        # Zeros take no memory until they are written to.
        np.zeros((rows, 2), np.uint64),
        np.zeros(1, np.int64),
        np.zeros((lanes, 2), np.uint64),
        np.zeros(lanes, np.int64),
        np.full(lanes, -1, np.int64),
    )


@kernel
def begin_histories(lanes, decisions):
    """Begin fresh games in some lanes, at the root of the tree."""
    for lane in lanes:
        decisions.history[lane, 0] = _ONE
        decisions.history[lane, 1] = _ONE
        decisions.new[lane] = NEW


@helper
def _add_shot(history, cell, outcome, ship, slot):
    """Add a shot to a lane's history, all but ``history`` as in `View`."""
    # Without loss: on 250x250 cells, the most there are, a cell has 16 bits and a slot 17; an
    # outcome has 2, and a ship fewer than 23.
    shot = np.uint64(cell) << np.uint64(2) | np.uint64(outcome)
    shot = shot << np.uint64(23) | np.uint64(ship + 1)
    shot = shot << np.uint64(17) | np.uint64(slot + 1)
    history[0] = mix(history[0] + mix(shot))
    history[1] = mix(history[1] + mix(~shot))


@helper
def _find(entries, history):
    """Return the row of a history, or the free one where it belongs."""
    last = np.uint64(len(entries) - 1)
    row = history[0] & last
    while entries[row, 1] != 0 and (
        entries[row, 0] != history[0] or (entries[row, 1] ^ history[1]) > _LOW_BITS
    ):
        row = (row + _ONE) & last
    return row


@kernel
def look_up(live, shots, cell, outcome, ship, slot, decisions, asked):
    """Find out in which lanes the strategy has to be asked.

    Parameters
    ----------
    live, shots, cell, outcome, ship, slot
        As in `View`.
    decisions : Decisions
        Changed in place: lanes advance, and claim rows for what they will add.
    asked : ndarray of bool, shape (lanes,)
        Receives where the next shot is not known, nor will be from another lane of this step.
    """
    entries, used, new, at = decisions.entries, decisions.used, decisions.new, decisions.at
    for lane in range(len(live)):
        asked[lane] = live[lane]
        at[lane] = -1
        if not live[lane] or new[lane] == 0:
            continue
        history = decisions.history[lane]
        if shots[lane] > 0:
            _add_shot(history, cell[lane], outcome[lane], ship[lane], slot[lane])
        row = _find(entries, history)
        if entries[row, 1] != 0:
            at[lane] = row
            asked[lane] = False
        elif 2 * (used[0] + 1) <= len(entries):
            entries[row, 0] = history[0]
            entries[row, 1] = history[1] & ~_LOW_BITS | _BEING_CHOSEN
            used[0] += 1
            at[lane] = row
            new[lane] -= 1
        else:
            new[lane] = 0


@kernel
def share(asked, cells, decisions):
    """Copy what the strategy chose, in place, to the lanes that were not asked.

    Parameters
    ----------
    asked : ndarray of bool, shape (lanes,)
        As `look_up` has filled it.
    cells : ndarray of int64, shape (lanes,)
        The strategy's choice where it was asked. Receives that of the table elsewhere.
    decisions : Decisions
    """
    entries, at = decisions.entries, decisions.at
    for lane in range(len(cells)):
        # The first lane that comes to a history is asked: its row is written before it is read.
        row = at[lane]
        if row >= 0:
            if asked[lane]:
                chosen = np.uint64(cells[lane] + 1) & _LOW_BITS
                entries[row, 1] = entries[row, 1] & ~_LOW_BITS | chosen
            else:
                cells[lane] = np.int64(entries[row, 1] & _LOW_BITS) - 1
