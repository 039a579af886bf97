"""The twin of ``lattice2``: the numbers are its own, the rest follows from the definition."""

from functools import cache

import numpy as np

from bsbench.roster import find_strategy
from tests.support.naive.density import (
    Record,
    RecordByShip,
    factor,
    first_maximum,
    slots_afloat,
    through,
)
from tests.support.naive.layouts import AROUND, EAST, NORTH, SOUTH, WEST, beside, excluded, slots
from tests.support.naive.strategies.lattice import _at_distance

VARIANTS = [
    {},
    {"rounds": 1, "hit_weight": 2, "pairs_02": 100, "threes_13": -60, "hunt_long": 40}
    | {"pairs_33": 90, "follow_four": 60},
    {"halos": 0},
    {"halos": 0.7, "follow_long": 30, "pairs_01": -1000, "threes_03": 35, "threes_22": 80},
]

SLOWNESS = 40

CERTAIN = 1e4
PART = 0.5


def lattice2(rules, seed: int, game: int, **parameters):
    if rules.touching is True and not rules.reveals.lengths:
        numbers = find_strategy("lattice2")(**parameters)._numbers(rules)
        return by_beliefs(rules, numbers, parameters.get("rounds", 4))
    record, choose = player(rules, **parameters)
    return played(record, choose)


def player(rules, **parameters):
    """Return a record, and what chooses a cell by such a record; but for beliefs."""
    record, scores = weighing(rules, **parameters)
    return record, lambda at: first_maximum(at.candidates(), scores(at))


def weighing(rules, **parameters):
    """Return a record, and what finds the scores of such a record; but for beliefs."""
    numbers = find_strategy("lattice2")(**parameters)._numbers(rules)
    if rules.touching is not True or not rules.reveals.ships:
        halos = parameters.get("halos", 1.0)
        by_ship = rules.reveals.ships and halos > 0
        record = RecordByShip(rules, "full") if by_ship else RecordByRuns(rules, "full")
        return record, lambda at: slot_scores(at, numbers, halos)
    return RecordByShip(rules, "full"), lambda at: ship_scores(at, numbers)


def played(record: Record, choose):
    while record.afloat:
        cell = choose(record)
        record.note(cell, (yield cell))


def weight_of(weights, length: int) -> int:
    return weights[min(length, 5) - 1]


def multiplier(rules, numbers, cell: int, water: set[int], shortest: int) -> int:
    table = numbers.near[min(shortest, 4) - 1]
    in_all = sum(
        k * len(water & _at_distance(rules.rows, rules.cols, cell, near, far))
        for (near, far), k in table.items()
    )
    return max(50, 1000 + in_all)


# --- by slots ------------------------------------------------------------------------------


class RecordByRuns(Record):
    """Also finds out what sank, where ships don't touch at sides."""

    def note(self, cell: int, reply) -> None:
        super().note(cell, reply)
        if not self.rules.reveals.sinkings:
            while self.find_ship():
                pass

    def find_ship(self) -> bool:
        for first in sorted(self.open_hits):
            run = self.run(first)
            if any(len(run) < self.rules.fleet[ship] <= self.room(run) for ship in self.afloat):
                continue
            ship = next(ship for ship in self.afloat if self.rules.fleet[ship] == len(run))
            self.afloat.remove(ship)
            self.open_hits -= run
            self.sunk |= run
            self.misses |= excluded(self.rules, tuple(sorted(run))) - run
            return True
        return False

    def run(self, first: int) -> set[int]:
        """Return the open hits that hang together with one."""
        found, waiting = {first}, [first]
        while waiting:
            for near in self.beside(waiting.pop(), [NORTH, EAST, SOUTH, WEST]):
                if near in self.open_hits - found:
                    found.add(near)
                    waiting.append(near)
        return found

    def beside(self, cell: int, steps) -> list[int]:
        return beside(self.rules.rows, self.rules.cols, cell, steps)

    def room(self, run: set[int]) -> int:
        """Return how many cells the ship of a run may have at most."""
        water = self.misses | self.sunk
        rooms = []
        for back, forth in ((WEST, EAST), (NORTH, SOUTH)):
            line = {min(run)}
            for step in (back, forth):
                ahead = self.beside(min(run), [step])
                while ahead and ahead[0] not in water:
                    line.add(ahead[0])
                    ahead = self.beside(ahead[0], [step])
            if run <= line:
                rooms.append(len(line))
        return max(rooms)


def slot_scores(record: Record, numbers, halos: float) -> list[float]:
    rules, water = record.rules, record.misses | record.sunk
    shortest = min(rules.fleet[ship] for ship in record.afloat)
    hunt = numbers.hunt[min(shortest, 4) - 1]
    fleet = sorted(rules.fleet[ship] for ship in record.afloat)
    weights = {length: {} for length in fleet}
    for slot in slots_afloat(record, water):
        if isinstance(record, RecordByShip) and not agrees(record, slot):
            continue
        hits = len(record.open_hits.intersection(slot))
        weights[len(slot)][slot] = float(numbers.hit_weight**hits)
    if halos and rules.touching is not True:
        weights = with_halos(rules, fleet, weights, halos)
    values = numbers.follow if record.open_hits else hunt
    weighed = (
        (slot, weight_of(values, length) * weight)
        for length in fleet
        for slot, weight in weights[length].items()
    )
    scores = through(rules.cells, weighed)
    if not record.open_hits:
        for cell in record.candidates():
            scores[cell] *= multiplier(rules, numbers, cell, water, shortest)
    return [rounded(score) for score in scores]


def agrees(record: RecordByShip, slot: tuple[int, ...]) -> bool:
    """Tell whether a slot holds no hit on a ship of another length, and a hit if it has to."""
    alike = [ship for ship in record.afloat if record.rules.fleet[ship] == len(slot)]
    own = set().union(*(record.hits_on[ship] for ship in alike))
    if not (record.open_hits - own).isdisjoint(slot):
        return False
    return not own.isdisjoint(slot) or any(not record.hits_on[ship] for ship in alike)


def rounded(score: float) -> float:
    return score + 1.5 * 2**32 - 1.5 * 2**32


def with_halos(rules, fleet: list[int], weights, strength: float):
    """Weigh slots by the room that they leave to other ships; sums stay the same."""
    n = 2 ** max(len(rules.fleet) - 1, 1).bit_length()
    shares = {}
    for length in set(fleet):
        shares[length] = np.zeros(len(slots(rules.rows, rules.cols, length)))
        for number, slot in enumerate(slots(rules.rows, rules.cols, length)):
            shares[length][number] = weights[length].get(slot, 0.0)
        shares[length] /= shares[length].sum()
    changed = {}
    for length in set(fleet):
        met = sum(
            (fleet.count(other) - (other == length)) * (clashes(rules, length, other) @ share)
            for other, share in shares.items()
        )
        free = np.maximum(1 - strength * met / n, 1e-3) ** n
        order = slots(rules.rows, rules.cols, length)
        changed[length] = {
            slot: weights[length][slot] * float(some)
            for slot, some in zip(order, free, strict=True)
            if slot in weights[length]
        }
        scale = sum(weights[length].values()) / sum(changed[length].values())
        changed[length] = {slot: weight * scale for slot, weight in changed[length].items()}
    return changed


def halo(rules, slot: tuple[int, ...]) -> frozenset[int]:
    around = (beside(rules.rows, rules.cols, cell, AROUND) for cell in slot)
    return frozenset(slot).union(*around)


@cache
def clashes(rules, length: int, other: int):
    """Return, for each slot of a ship and each one of another, whether that meets its halo."""
    closed, there = (
        np.array(
            [np.isin(np.arange(rules.cells), list(cells)) for cells in sets],
            dtype=float,
        )
        for sets in (
            [halo(rules, slot) for slot in slots(rules.rows, rules.cols, length)],
            slots(rules.rows, rules.cols, other),
        )
    )
    return (closed @ there.T > 0).astype(float)


# --- by ships ------------------------------------------------------------------------------


def ship_scores(record: RecordByShip, numbers) -> list[float]:
    rules = record.rules
    hunted = [ship for ship in record.afloat if not record.hits_on[ship]]
    water = set(range(rules.cells)) - set(record.candidates())
    scores = [0.0] * rules.cells
    if hunted:
        shortest = min(rules.fleet[ship] for ship in hunted)
        hunt = numbers.hunt[min(shortest, 4) - 1]
        in_all = 0.0
        for ship in hunted:
            weight = weight_of(hunt, rules.fleet[ship])
            for slot in record.possible_slots(ship):
                in_all += weight * len(slot)
                for cell in slot:
                    scores[cell] += weight
        part = numbers.follow[0] / 100 / 1000
        share = part * sum(rules.fleet[ship] for ship in hunted) / in_all
        for cell in record.candidates():
            scores[cell] = scores[cell] * multiplier(rules, numbers, cell, water, shortest) * share
    for ship in record.afloat:
        if record.hits_on[ship]:
            ways = record.possible_slots(ship)
            for cell, count in enumerate(factor(rules, ways)[1]):
                scores[cell] += count * (1.0 / len(ways))
    return scores


# --- by beliefs ----------------------------------------------------------------------------


def by_beliefs(rules, numbers, rounds: int):
    shortest = min(rules.fleet)
    hunt = numbers.hunt[min(shortest, 4) - 1]
    lengths = sorted(set(rules.fleet), reverse=True)
    ships = {length: rules.fleet.count(length) for length in lengths}
    cells = range(rules.cells)
    odds = {length: [0.0] * rules.cells for length in lengths}
    record = Record(rules, "ignore")
    while len(record.open_hits) < sum(rules.fleet):
        water, hits = record.misses, record.open_hits
        total = [0.0] * rules.cells
        for length in lengths:
            for cell in cells:
                total[cell] += ships[length] * odds[length][cell]
        scores = [0.0] * rules.cells
        for turn in range(rounds):
            for length in lengths:
                others = [max(total[cell] - odds[length][cell], 0.0) for cell in cells]
                inverse = [
                    max(others[cell], 1 / CERTAIN) if cell in hits else 1.0 + others[cell]
                    for cell in cells
                ]
                weight = [0.0 if cell in water else 1.0 / inverse[cell] for cell in cells]
                cover, fresh, in_all = [0.0] * rules.cells, [0.0] * rules.cells, 0.0
                for slot in slots(rules.rows, rules.cols, length):
                    product = weight[slot[0]]
                    for cell in slot[1:]:
                        product *= weight[cell]
                    in_all += product
                    for cell in slot:
                        cover[cell] += product
                        if hits.isdisjoint(slot):
                            fresh[cell] += product
                share = 1.0 / in_all
                for cell in cells:
                    if cell not in water:
                        old = odds[length][cell]
                        missing = max(in_all - cover[cell], in_all * (1 / CERTAIN))
                        new = min(cover[cell] * inverse[cell] / missing, CERTAIN)
                        new = old + PART * (new - old)
                        odds[length][cell] = new
                        total[cell] += ships[length] * (new - old)
                    if turn == rounds - 1 and cell in record.unshot:
                        times = multiplier(rules, numbers, cell, water, shortest) * (1 / 1000)
                        value = (
                            weight_of(numbers.follow, length) / 100 * (cover[cell] - fresh[cell])
                        )
                        value += weight_of(hunt, length) / 100 * fresh[cell] * times
                        scores[cell] += ships[length] * share * value
        cell = first_maximum(record.candidates(), scores)
        # Beliefs are about hits: that a ship has sunk, without which, is of no use to them.
        record.note(cell, (yield cell)._replace(sunk=False))
