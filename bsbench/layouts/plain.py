"""Plain attempts at a layout: draw a slot for every ship; if two ships clash, start again.

`lookahead` explains which law they draw, and where they are faster than looking ahead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bsbench.kernels._jit import allocating
from bsbench.kernels.lanes import load, no_lanes, words_set
from bsbench.kernels.random import draw_bits, next_digit, stream_start
from bsbench.kernels.slots import Bits, SlotTable, cell_rows
from bsbench.layouts import SIDE_BY_SIDE
from bsbench.layouts.heads import Words
from bsbench.layouts.weights import Weights, all_weight, owners_of
from bsbench.rules.board import Rules

MOST_OWNERS = 1 << 14
"""Numbers that slots own at most, so that the table stays in a near cache."""


class Plain(NamedTuple):
    """The tables from which plain attempts lay the ships after the head.

    Attributes
    ----------
    slot_weights : ndarray of uint64, shape (ships,)
        The weight of all slots of each ship.
    owners : ndarray of uint64
        For one ship after the other, the slot that owns each number below that weight.
    first_owner : ndarray of uint64, shape (ships,)
        Where the owners of each ship begin.
    cells, closed : ndarray of uint64
        See `cell_rows`.
    unfair : uint64
        Draws below it are rejected, see `next_digit`.
    """

    slot_weights: Bits
    owners: Bits
    first_owner: Bits
    cells: Bits
    closed: Bits
    unfair: np.uint64


@allocating
def draw_plainly(key, first_game, order, ships, heads, table, attempts, layouts):
    """Fill ``layouts`` by plain attempts; return the index of a game given up, or -1.

    One draw makes an attempt: its digits are a head and a slot for each other ship. Draws are
    rejected below ``unfair``, see `next_digit`. Games are drawn side by side, as in `lookahead`;
    games whose ships clash move to the front, and fresh ones fill up behind them. Indices are
    unsigned, since numba would test their signs, which takes a sixth of the time.
    """
    games, fleet = layouts.shape
    # Read once: an allocating kernel counts the references to an array wherever it is read.
    head_slots, _, total, cut, other = heads
    slot_weights, owners, first_owner, cells, closed, unfair = ships
    code = table.code
    head_ships = head_slots.shape[1]
    lanes = min(games, SIDE_BY_SIDE)
    states = np.empty(lanes, np.uint64)
    game_of = np.empty(lanes, np.int64)
    begun_in = np.empty(games, np.int64)
    passes = begun = left = 0
    while begun < games or left > 0:
        while left < lanes and begun < games:
            states[left] = stream_start(key, first_game + begun)
            game_of[left] = begun
            begun_in[begun] = passes
            left += 1
            begun += 1
        # Games keep their order, so that the first has been tried most often.
        if passes - begun_in[game_of[0]] == attempts:
            return game_of[0]
        passes += 1
        playing, left = left, 0
        for lane in range(playing):
            state, bits = draw_bits(states[lane])
            column, bits = next_digit(bits, np.uint64(len(head_slots)))
            height, bits = next_digit(bits, total)
            head = np.int64(column) if height < cut[column] else other[column]
            game = game_of[lane]
            taken = clash = no_lanes(closed)
            for ship in range(head_ships):
                slot = np.uint64(head_slots[head, ship])
                taken |= load(closed, np.int64(slot))
                layouts[game, order[ship]] = code[slot]
            for ship in range(head_ships, fleet):
                place = ship - head_ships
                number, bits = next_digit(bits, slot_weights[place])
                slot = owners[first_owner[place] + number]
                clash |= taken & load(cells, np.int64(slot))
                taken |= load(closed, np.int64(slot))
                layouts[game, order[ship]] = code[slot]
            states[left] = state
            game_of[left] = game
            left += words_set(clash) != 0 or bits < unfair
    return -1


def plain_tables(
    rules: Rules, table: SlotTable, weights: Weights | None, begin: Words, end: Words, digits: int
) -> Plain:
    """Return the tables of plain attempts.

    Parameters
    ----------
    rules, table, weights
        As for `LookAhead`.
    begin, end : ndarray of int64, shape (ships,)
        Words of the slots of each ship after the head.
    digits : int
        The product of the bounds of all digits of a draw.
    """
    words = list(zip(begin, end, strict=True))
    slot_weights = [all_weight(table, weights, *each) for each in words]
    return Plain(
        np.array(slot_weights, np.uint64),
        np.concatenate([owners_of(table, weights, *each) for each in words]),
        np.cumsum([0, *slot_weights[:-1]], dtype=np.uint64),
        *cell_rows(rules, table),
        np.uint64((1 << 64) % digits),
    )
