"""Beliefs: how likely each slot is when hits have to be explained, by passing messages.

Under feedback ``hit``, a shooter does not know which ship a hit is on. Each ship lies in one slot;
each hit is on exactly one ship, each other cell on at most one. *Belief propagation* (Pearl, 1982)
finds nearly the right probabilities. With o_k(c) the odds that ship k is on cell c, by all that is
known but what the cell itself says, and S(c) their sum over the ships,

    weight of a cell c for ship k = 1 / (S(c) - o_k(c))         a hit
                                    1 / (1 + S(c) - o_k(c))     a cell not shot
                                    0                           a miss

A slot is as likely as the product of its cells' weights. The share of the slots through c, as odds,
divided by the weight of c, is the new o_k(c). It moves by a part of the difference, one ship length
after the other, and goes on from shot to shot::

    odds of each ship  ->  weights of cells  ->  slots  ->  share through each cell
            ^                                                       |
            +-------------------------------------------------------+

64 games are worked on at a time.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import kernel
from bsbench.kernels.numbers import (
    LANES,
    choose,
    divided,
    empty_numbers,
    everywhere,
    greater,
    load,
    store,
    typed_as,
    words_of,
)
from bsbench.kernels.pattern import UNIT
from bsbench.rules.board import Rules

Floats = npt.NDArray[np.float64]

CERTAIN = 1e4
"""Odds are at most so large."""


class Beliefs(NamedTuple):
    """What is believed in each game, and room to change it in 64 games at a time.

    Attributes
    ----------
    lengths : ndarray of int64, shape (kinds,)
        Lengths of ships, the longest first.
    ships : ndarray of float64, shape (kinds,)
        Number of ships of each length.
    hunt, follow : ndarray of float64, shape (kinds,)
        How much a ship counts that has not been hit, and one that has.
    odds : ndarray of float64, shape (kinds, words, cells, 64)
        Odds that a ship of each length is on each cell.
    score : ndarray of float64, shape (words, cells, 64)
        The scores that led to the last shots.
    total, weight, inverse, cover, fresh : ndarray of float64, shape (cells, 64)
        Scratch: sum of the odds; weight of each cell, and 1 / weight; slots through it, and those
        without a hit.
    part : float
        Part of the difference by which odds move.
    """

    lengths: npt.NDArray[np.int64]
    ships: Floats
    hunt: Floats
    follow: Floats
    odds: Floats
    score: Floats
    total: Floats
    weight: Floats
    inverse: Floats
    cover: Floats
    fresh: Floats
    part: float


def no_beliefs(
    rules: Rules, lanes: int, hunt: list[float], follow: list[float], part: float
) -> Beliefs:
    """Return beliefs of fresh games; ``hunt`` and ``follow`` are by length, from 1 on."""
    ships = Counter(rules.fleet)
    lengths = sorted(ships, reverse=True)
    words, cells = words_of(lanes), rules.cells
    odds = empty_numbers(len(lengths), words, cells, dtype=np.float64)
    odds.fill(0)
    return Beliefs(
        lengths=np.array(lengths),
        ships=np.array([ships[length] for length in lengths], np.float64),
        hunt=np.array([hunt[length - 1] for length in lengths]),
        follow=np.array([follow[length - 1] for length in lengths]),
        odds=odds,
        score=empty_numbers(words, cells, dtype=np.float64),
        total=empty_numbers(cells, dtype=np.float64),
        weight=empty_numbers(cells, dtype=np.float64),
        inverse=empty_numbers(cells, dtype=np.float64),
        cover=empty_numbers(cells, dtype=np.float64),
        fresh=empty_numbers(cells, dtype=np.float64),
        part=part,
    )


@kernel
def forget_beliefs(lanes, beliefs):
    """Begin fresh games in some lanes."""
    for lane in lanes:
        beliefs.odds[:, lane // LANES, :, lane % LANES] = 0


@kernel
def _cover(kind, dry, struck, rows, cols, last, beliefs):
    """Add up the slots of a length, through each cell and in all; in the last round, fresh ones."""
    weight, cover, fresh, length = (
        beliefs.weight,
        beliefs.cover,
        beliefs.fresh,
        beliefs.lengths[kind],
    )
    none = in_all = everywhere(weight, 0.0)
    for cell in range(rows * cols):
        store(cover, cell, none)
        store(fresh, cell, none)
    # A slot of one cell is the same along and down.
    for down in range(1 if length == 1 else 2):
        step = cols if down else 1
        for row in range(rows - length + 1 if down else rows):
            for col in range(cols if down else cols - length + 1):
                first = row * cols + col
                end = first + length * step
                may, hit = dry[first], struck[first]
                product = load(weight, first)
                for part in range(first + step, end, step):
                    may &= dry[part]
                    hit |= struck[part]
                    product = product * load(weight, part)
                if not may:
                    continue
                in_all = in_all + product
                for part in range(first, end, step):
                    store(cover, part, load(cover, part) + product)
                if last:
                    product = choose(hit, none, product)
                    for part in range(first, end, step):
                        store(fresh, part, load(fresh, part) + product)
    return in_all


@kernel
def update_beliefs(evidence, word, rounds, pattern, beliefs):
    """Change what is believed in 64 games, and fill their ``beliefs.score``.

    A cell's score is the expected number of ships there; where ships have not been hit, times
    the multiplier of the cell.

    Parameters
    ----------
    evidence : Evidence
    word : int
        Which 64 lanes.
    rounds : int
    pattern : Pattern
        Read for its multipliers.
    beliefs : Beliefs
    """
    rows, cols = evidence.rows, evidence.cols
    dry, struck = evidence.dry[word], evidence.struck[word]
    odds, total, weight, inverse = beliefs.odds, beliefs.total, beliefs.weight, beliefs.inverse
    cover, fresh, score = beliefs.cover, beliefs.fresh, beliefs.score[word]
    cells, kinds = rows * cols, len(beliefs.lengths)
    words = odds.shape[1]
    none, one, most = everywhere(score, 0.0), everywhere(score, 1.0), everywhere(score, CERTAIN)
    least, moved = everywhere(score, 1 / CERTAIN), everywhere(score, beliefs.part)
    unit = everywhere(score, 1 / UNIT)
    for cell in range(cells):
        sum_of_odds = none
        for kind in range(kinds):
            of_one = load(odds, (kind * words + word) * cells + cell)
            sum_of_odds = sum_of_odds + everywhere(score, beliefs.ships[kind]) * of_one
        store(total, cell, sum_of_odds)
        store(score, cell, none)
    for turn in range(rounds):
        last = turn == rounds - 1
        for kind in range(kinds):
            begin = (kind * words + word) * cells
            ships = everywhere(score, beliefs.ships[kind])
            for cell in range(cells):
                others = load(total, cell) - load(odds, begin + cell)
                others = choose(greater(others, none), others, none)
                hit = choose(greater(others, least), others, least)
                value = choose(struck[cell], hit, one + others)
                store(inverse, cell, value)
                store(weight, cell, choose(dry[cell], divided(one, value), none))
            in_all = _cover(kind, dry, struck, rows, cols, last, beliefs)
            share = divided(one, in_all)
            hunt = everywhere(score, beliefs.hunt[kind])
            follow = everywhere(score, beliefs.follow[kind])
            for cell in range(cells):
                through, old = load(cover, cell), load(odds, begin + cell)
                missing = in_all - through
                missing = choose(greater(missing, in_all * least), missing, in_all * least)
                new = divided(through * load(inverse, cell), missing)
                new = choose(greater(new, most), most, new)
                new = choose(dry[cell], old + moved * (new - old), old)
                store(odds, begin + cell, new)
                store(total, cell, load(total, cell) + ships * (new - old))
                if last:
                    unhit = load(fresh, cell)
                    times = typed_as(score, load(pattern.times, cell)) * unit
                    value = follow * (through - unhit) + hunt * unhit * times
                    store(score, cell, load(score, cell) + ships * share * value)
