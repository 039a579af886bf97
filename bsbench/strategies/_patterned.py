"""The three players of ``lattice2``: by slots, by the hits of each ship, by beliefs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import kernel
from bsbench.kernels.beliefs import forget_beliefs, no_beliefs, update_beliefs
from bsbench.kernels.chances import (
    count_ship,
    forget_ships,
    learn_ships,
    ship_chances,
    unknown_ships,
)
from bsbench.kernels.choosing import chosen_cells, empty_cells, first_greatest
from bsbench.kernels.density import (
    Evidence,
    count_afloat,
    forget,
    learn,
    no_evidence,
    scales,
    set_factors,
    weigh_slots,
)
from bsbench.kernels.halos import (
    forget_owners,
    halos_of,
    no_owners,
    note_owners,
    round_scores,
    weigh_halos,
)
from bsbench.kernels.numbers import (
    LANES,
    choose,
    divided,
    empty_numbers,
    everywhere,
    greater,
    lane_of_words,
    live_word,
    load,
    store,
    typed_as,
    words_of,
)
from bsbench.kernels.pattern import PHASES, UNIT, find_multipliers, pattern_of
from bsbench.kernels.playouts import ShipEvidence
from bsbench.kernels.runs import learn_runs
from bsbench.rules.board import HIT, SUNK, Rules
from bsbench.strategies.base import Cells, Insight, Strategy
from bsbench.strategies.view import View

_ONE = np.uint64(1)

_PART = 0.5
"""By which part of the difference odds move. With the whole difference, they may swing."""


class Numbers(NamedTuple):
    """What a player multiplies and adds.

    Attributes
    ----------
    near : tuple of 4 mappings
        k in thousandths, by the smaller and the larger difference, while the shortest ship to be
        found has 1, 2, 3, and more cells.
    hunt : tuple of 4 tuples of 5 int
        Weight of the slots of ships of 1, 2, 3, 4, and more cells while no hit is open, by the
        shortest ship likewise.
    follow : tuple of 5 int
        With open hits.
    hit_weight : int
        Factor for each open hit in a slot.
    """

    near: tuple[Mapping[tuple[int, int], int], ...]
    hunt: tuple[tuple[int, ...], ...]
    follow: tuple[int, ...]
    hit_weight: int = 1


def _by_length(weights: tuple[int, ...], longest: int) -> list[int]:
    """Return the weights of ships of 1 cell and so on."""
    return [weights[min(length, len(weights)) - 1] for length in range(1, longest + 1)]


class PatternStrategy(Strategy):
    """What the three share; not a strategy by itself."""

    name = "lattice2"
    source = "bsbench"

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for multipliers and cells."""
        super().begin(rules, lanes, seed)
        self._pattern = pattern_of(rules, self.numbers.near)
        self._cells = empty_cells(lanes, rules.cells)

    def _insight(
        self, lane: int, is_open: npt.NDArray[np.bool_], score: npt.NDArray[np.generic]
    ) -> Insight:
        scores = score[:, lane % LANES]
        return Insight(closed=~is_open, scores=np.where(is_open, scores, -1))


# --- by slots: sinkings are reported, or ships don't touch --------------------------------------


@kernel
def weigh_word(word, evidence, scales, pattern, hunt, follow, hit_weight, halos, owners):
    """Put the scores of 64 lanes into ``scales.score``."""
    count_afloat(evidence, word, scales)
    times, score = scales.times, scales.score
    none = everywhere(score, 0)
    hunting = ~np.uint64(0)
    for struck in evidence.struck[word]:
        hunting &= ~struck
    one = greater(load(times, 0), none)
    two = one | greater(load(times, 1), none)
    three = two | greater(load(times, 2), none)
    for index in range(len(evidence.afloat)):
        hunted = everywhere(score, hunt[3, index])
        hunted = choose(three, everywhere(score, hunt[2, index]), hunted)
        hunted = choose(two, everywhere(score, hunt[1, index]), hunted)
        hunted = choose(one, everywhere(score, hunt[0, index]), hunted)
        followed = everywhere(score, follow[index])
        store(times, index, load(times, index) * choose(hunting, hunted, followed))
    set_factors(evidence, word, scales, hit_weight)
    if halos is None:
        weigh_slots(evidence, word, scales)
    else:
        weigh_halos(evidence, word, scales, halos, owners)
    if hunting:
        dry, rows, cols = evidence.dry[word], evidence.rows, evidence.cols
        find_multipliers(dry, one, two, three, rows, cols, pattern)
        for cell in range(rows * cols):
            density = load(score, cell)
            times_pattern = density * typed_as(score, load(pattern.times, cell))
            store(score, cell, choose(hunting, times_pattern, density))
    if halos is not None:
        round_scores(score)


@kernel
def _choose_by_slots(
    live, cells, evidence, scales, pattern, hunt, follow, hit_weight, halos, owners
):
    for word in range(len(cells)):
        wanted = live_word(live, word)
        if wanted:
            weigh_word(word, evidence, scales, pattern, hunt, follow, hit_weight, halos, owners)
            stuck = first_greatest(scales.score, evidence.unshot[word], wanted, word, cells)
            if stuck >= 0:
                return stuck
    return -1


class SlotPlayer(PatternStrategy):
    """Weighs the slots of the ships afloat; finds out what sank if that is not reported."""

    def __init__(self, numbers: Numbers, halos: float) -> None:
        super().__init__(numbers)
        self.halos = halos

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for what is known of the games, and for scores."""
        super().begin(rules, lanes, seed)
        numbers, longest = self.numbers, max(rules.fleet)
        apart = rules.apart.sides
        self._sinkings_reported = rules.reveals.lengths
        self._evidence = no_evidence(rules, lanes, True, apart)
        self._open_hits = np.zeros(lanes, np.int64)
        hunt = np.array([_by_length(weights, longest) for weights in numbers.hunt])
        follow = np.array(_by_length(numbers.follow, longest))
        most = UNIT + self._pattern.highest
        hunting = max(
            sum(2 * length * int(weights[length - 1]) for length in rules.fleet) for weights in hunt
        )
        following = sum(
            2 * length * int(follow[length - 1]) * numbers.hit_weight ** (length - 1)
            for length in rules.fleet
        )
        halos = halos_of(rules, self.halos) if self.halos > 0 and apart else None
        # Multipliers need 32 bits; halos, float64.
        least = 1 << (16 if halos is None else 63)
        self._scales = scales(rules, apart, max(hunting * most, following, least))
        reported = halos is not None and rules.reveals.ships
        self._owners = no_owners(rules, lanes) if reported else None
        self._weighed = (
            *(self._evidence, self._scales, self._pattern),
            *(hunt, follow, numbers.hit_weight, halos, self._owners),
        )

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known."""
        forget(lanes, self._evidence)
        self._open_hits[lanes] = 0
        if self._owners is not None:
            forget_owners(lanes, self._owners)

    def shoot(self, view: View) -> Cells:
        """Take note of the last shot, and fire where the score is greatest."""
        last = view.cell, view.outcome, view.ship, view.slot
        if self._sinkings_reported:
            learn(*last, self._evidence)
        else:
            learn_runs(view.cell, view.outcome, self._evidence, self._open_hits)
        if self._owners is not None:
            note_owners(*last, self._evidence, self._owners)
        return chosen_cells(self._cells, self._choose(view), self.lanes)

    @property
    def evidence(self) -> Evidence:
        """What is known in each lane. Whoever plays games in a way of their own may write to it."""
        return self._evidence

    def chosen(self, view: View) -> npt.NDArray[np.generic]:
        """Return a cell for every live lane, from `evidence` as it is; overwritten by the next."""
        self._choose(view)
        return self._cells.reshape(-1)

    def _choose(self, view: View) -> int:
        stuck: int = _choose_by_slots(view.live, self._cells, *self._weighed)
        return stuck

    def insight(self, lane: int) -> Insight:
        """Return the scores that led to the shot."""
        evidence = self._evidence
        weigh_word(lane // LANES, *self._weighed)
        is_open = lane_of_words(evidence.unshot, lane) & lane_of_words(evidence.dry, lane)
        return self._insight(lane, is_open, self._scales.score)


# --- by ships: the ship of each hit is reported ------------------------------------------------


@kernel
def _note_hits(cell, outcome, ship, struck):
    """Note the lanes in which each ship is hit and afloat."""
    for lane in range(len(cell)):
        if cell[lane] >= 0 and outcome[lane] >= HIT:
            bit = _ONE << np.uint64(lane % LANES)
            word = lane // LANES
            struck[ship[lane], word] |= bit
            if outcome[lane] == SUNK:
                struck[ship[lane], word] &= ~bit


@kernel
def _forget_hits(lanes, struck):
    for lane in lanes:
        for ship in range(len(struck)):
            struck[ship, lane // LANES] &= ~(_ONE << np.uint64(lane % LANES))


@kernel
def _weigh_ships(word, ships, struck, chances, pattern, hunt, part, score):
    """Score = share of each hit ship's slots + a part of the hunted ships' density."""
    fleet, rows, cols = ships.fleet, ships.rows, ships.cols
    counts, totals = chances.counts, chances.totals
    cells = rows * cols
    none, unit = everywhere(score, 0.0), everywhere(score, 1.0)
    one = two = three = unhit = np.uint64(0)
    in_all = left = none
    for ship in range(len(fleet)):
        hunted = ships.afloat[ship, word] & ~struck[ship, word]
        length = fleet[ship]
        unhit |= hunted
        one |= hunted if length <= 1 else np.uint64(0)
        two |= hunted if length <= 2 else np.uint64(0)
        three |= hunted if length <= 3 else np.uint64(0)
        left = left + choose(hunted, everywhere(score, length), none)
    find_multipliers(ships.unshot[word], one, two, three, rows, cols, pattern)
    for cell in range(cells):
        store(score, cell, none)
    # The hunt first: whole numbers.
    for ship in range(len(fleet)):
        hunted = ships.afloat[ship, word] & ~struck[ship, word]
        count_ship(ships.may[ship, word], chances, ship, fleet[ship], rows, cols)
        if not hunted:
            continue
        index = fleet[ship] - 1
        weight = everywhere(score, hunt[3, index])
        weight = choose(three, everywhere(score, hunt[2, index]), weight)
        weight = choose(two, everywhere(score, hunt[1, index]), weight)
        weight = choose(one, everywhere(score, hunt[0, index]), weight)
        weight = choose(hunted, weight, none)
        slots = typed_as(score, load(totals, ship))
        in_all = in_all + weight * slots * everywhere(score, fleet[ship])
        for cell in range(cells):
            slots = typed_as(score, load(counts, ship * cells + cell))
            store(score, cell, load(score, cell) + weight * slots)
    share = divided(everywhere(score, part) * left, choose(unhit, in_all, unit))
    for cell in range(cells):
        times = typed_as(score, load(pattern.times, cell))
        store(score, cell, load(score, cell) * times * share)
    for ship in range(len(fleet)):
        followed = ships.afloat[ship, word] & struck[ship, word]
        if followed:
            total = choose(followed, typed_as(score, load(totals, ship)), unit)
            inverse = choose(followed, divided(unit, total), none)
            for cell in range(cells):
                slots = typed_as(score, load(counts, ship * cells + cell))
                store(score, cell, load(score, cell) + slots * inverse)


@kernel
def _choose_by_ships(live, cells, ships, struck, chances, pattern, hunt, part, score):
    for word in range(len(cells)):
        wanted = live_word(live, word)
        if wanted:
            _weigh_ships(word, ships, struck, chances, pattern, hunt, part, score)
            stuck = first_greatest(score, ships.unshot[word], wanted, word, cells)
            if stuck >= 0:
                return stuck
    return -1


class ShipPlayer(PatternStrategy):
    """Adds up shares of the slots of each ship that is hit, and a part of the hunt for others."""

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for a plane per ship, and for scores."""
        super().begin(rules, lanes, seed)
        ships = len(rules.fleet)
        self._ships = unknown_ships(rules, lanes, "full", planes=ships)
        self._struck = np.zeros((ships, words_of(lanes)), np.uint64)
        longest = max(rules.fleet)
        hunt = np.array([_by_length(weights, longest) for weights in self.numbers.hunt])
        # Multipliers are in thousandths.
        part = self.numbers.follow[0] / 100 / UNIT
        self._score = empty_numbers(rules.cells, dtype=np.float64)
        self._weighed = (
            *(self._ships, self._struck, ship_chances(rules, shared_plane=False, exact=False)),
            *(self._pattern, hunt, part, self._score),
        )

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known."""
        forget_ships(lanes, self._ships)
        _forget_hits(lanes, self._struck)

    def shoot(self, view: View) -> Cells:
        """Take note of the last shot, and fire where the score is greatest."""
        learn_ships(view.cell, view.outcome, view.ship, view.slot, self._ships)
        _note_hits(view.cell, view.outcome, view.ship, self._struck)
        stuck = _choose_by_ships(view.live, self._cells, *self._weighed)
        return chosen_cells(self._cells, stuck, self.lanes)

    @property
    def evidence(self) -> ShipEvidence:
        """What is known in each lane. Whoever plays games in a way of their own may write to it."""
        return ShipEvidence(self._ships, self._struck)

    def chosen(self, view: View) -> npt.NDArray[np.generic]:
        """Return a cell for every live lane, from `evidence` as it is; overwritten by the next."""
        _choose_by_ships(view.live, self._cells, *self._weighed)
        return self._cells.reshape(-1)

    def insight(self, lane: int) -> Insight:
        """Return the scores that led to the shot."""
        _weigh_ships(lane // LANES, *self._weighed)
        return self._insight(lane, lane_of_words(self._ships.unshot, lane), self._score)


# --- by beliefs: only hit or miss is reported, and ships may touch -----------------------------


@kernel
def _believe(evidence, word, rounds, shortest, pattern, beliefs):
    all_lanes, none = ~np.uint64(0), np.uint64(0)
    one = all_lanes if shortest <= 1 else none
    two = all_lanes if shortest <= 2 else none
    three = all_lanes if shortest <= 3 else none
    rows, cols = evidence.rows, evidence.cols
    find_multipliers(evidence.dry[word], one, two, three, rows, cols, pattern)
    update_beliefs(evidence, word, rounds, pattern, beliefs)


@kernel
def _choose_by_beliefs(live, evidence, rounds, shortest, pattern, beliefs, cells):
    for word in range(len(cells)):
        wanted = live_word(live, word)
        if wanted:
            _believe(evidence, word, rounds, shortest, pattern, beliefs)
            stuck = first_greatest(beliefs.score[word], evidence.unshot[word], wanted, word, cells)
            if stuck >= 0:
                return stuck
    return -1


class BeliefPlayer(PatternStrategy):
    """Finds which ships explain the hits, by messages between ships and cells."""

    def __init__(self, numbers: Numbers, rounds: int) -> None:
        super().__init__(numbers)
        self.rounds = rounds

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for beliefs."""
        super().begin(rules, lanes, seed)
        longest = max(rules.fleet)
        shortest = min(rules.fleet)
        hunt = self.numbers.hunt[min(shortest, PHASES) - 1]
        self._shortest = shortest
        self._evidence = no_evidence(rules, lanes, True, False)
        self._beliefs = no_beliefs(
            rules,
            lanes,
            [weight / 100 for weight in _by_length(hunt, longest)],
            [weight / 100 for weight in _by_length(self.numbers.follow, longest)],
            _PART,
        )

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known and believed."""
        forget(lanes, self._evidence)
        forget_beliefs(lanes, self._beliefs)

    def shoot(self, view: View) -> Cells:
        """Take note of the last shot, and fire where the score is greatest."""
        learn(view.cell, view.outcome, view.ship, view.slot, self._evidence)
        known = self._evidence, self.rounds, self._shortest, self._pattern, self._beliefs
        stuck = _choose_by_beliefs(view.live, *known, self._cells)
        return chosen_cells(self._cells, stuck, self.lanes)

    def insight(self, lane: int) -> Insight:
        """Return the scores that led to the shot."""
        evidence = self._evidence
        is_open = lane_of_words(evidence.unshot, lane) & lane_of_words(evidence.dry, lane)
        return self._insight(lane, is_open, self._beliefs.score[lane // LANES])
