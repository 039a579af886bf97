"""Boards, slots, and the laws by which layouts are drawn."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache

from tests.naive.chance import Stream, stream_key


@cache
def slots(rows: int, cols: int, length: int) -> list[tuple[int, ...]]:
    """Return the cells of every slot: along rows first, then down columns."""
    found = []
    for row in range(rows):
        for col in range(cols - length + 1):
            found.append(tuple(row * cols + col + i for i in range(length)))
    if length > 1:
        for row in range(rows - length + 1):
            for col in range(cols):
                found.append(tuple((row + i) * cols + col for i in range(length)))
    return found


def beside(rows: int, cols: int, cell: int, steps: list[tuple[int, int]]) -> list[int]:
    """Return the cells that the steps (down, right) lead to, if on the board."""
    row, col = divmod(cell, cols)
    return [
        (row + down) * cols + col + right
        for down, right in steps
        if 0 <= row + down < rows and 0 <= col + right < cols
    ]


AROUND = [(d, r) for d in (-1, 0, 1) for r in (-1, 0, 1) if (d, r) != (0, 0)]
DIAGONALS = [(-1, 1), (1, 1), (1, -1), (-1, -1)]
NORTH, EAST, SOUTH, WEST = (-1, 0), (0, 1), (1, 0), (0, -1)


@lru_cache(1 << 14)
def excluded(rules, ship: tuple[int, ...]) -> frozenset[int]:
    """Return the cells that no other ship may use."""
    cells = set(ship)
    if not rules.touching:
        for cell in ship:
            cells.update(beside(rules.rows, rules.cols, cell, AROUND))
    return frozenset(cells)


def possible(rules, length: int, ships: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the slots of a length that are legal beside some ships."""
    closed = set().union(*(excluded(rules, ship) for ship in ships))
    return [slot for slot in slots(rules.rows, rules.cols, length) if closed.isdisjoint(slot)]


def all_layouts(rules) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield every layout of the labelled fleet, one slot per ship in fleet order."""

    def lay(ships: list[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], ...]]:
        if len(ships) == len(rules.fleet):
            yield tuple(ships)
            return
        for slot in possible(rules, rules.fleet[len(ships)], ships):
            yield from lay([*ships, slot])

    return lay([])


def decode(rules, codes) -> tuple[tuple[int, ...], ...]:
    """Return the ships' cells of a layout given as slot codes."""
    ships = []
    for code, length in zip(codes, rules.fleet, strict=True):
        first, down = divmod(int(code), 2)
        step = rules.cols if down else 1
        ships.append(tuple(first + step * i for i in range(length)))
    return tuple(ships)


def encode(rules, ships) -> list[int]:
    """Return slot codes of a layout given as the ships' cells."""
    return [
        2 * ship[0] + (len(ship) > 1 and rules.cols > 1 and ship[1] - ship[0] == rules.cols)
        for ship in ships
    ]


def is_legal(rules, ships) -> bool:
    """Tell whether ships lie in slots of the board, apart as the rules demand."""
    for length, ship in zip(rules.fleet, ships, strict=True):
        if ship not in slots(rules.rows, rules.cols, length):
            return False
    return all(
        excluded(rules, one).isdisjoint(other) for one, other in itertools.combinations(ships, 2)
    )


def longest_first(fleet) -> list[int]:
    return sorted(range(len(fleet)), key=lambda ship: -fleet[ship])


def sequential_layout(rules, order: list[int], seed: int, game: int):
    """Return the layout that the law ``sequential`` draws for a game."""
    stream = Stream(stream_key("layouts", seed), game)
    while True:
        laid: dict[int, tuple[int, ...]] = {}
        for ship in order:
            legal = possible(rules, rules.fleet[ship], list(laid.values()))
            if not legal:
                break
            laid[ship] = legal[stream.draw(len(legal))]
        else:
            return tuple(laid[ship] for ship in range(len(rules.fleet)))


def sequential_law(rules, order: list[int]) -> dict[tuple[tuple[int, ...], ...], float]:
    """Return the exact probability of every layout under the law ``sequential``."""
    weights = {}
    for layout in all_layouts(rules):
        weight = 1.0
        for place, ship in enumerate(order):
            before = [layout[earlier] for earlier in order[:place]]
            weight /= len(possible(rules, rules.fleet[ship], before))
        weights[layout] = weight
    total = sum(weights.values())
    return {layout: weight / total for layout, weight in weights.items()}


@lru_cache(1 << 14)
def on_border(rules, ship: tuple[int, ...]) -> bool:
    """Tell whether a ship lies wholly on a border row or column."""
    rows = {cell // rules.cols for cell in ship}
    cols = {cell % rules.cols for cell in ship}
    return rows in ({0}, {rules.rows - 1}) or cols in ({0}, {rules.cols - 1})


def edge_law(rules, factor: Fraction) -> dict[tuple[tuple[int, ...], ...], Fraction]:
    """Return the exact probability of every layout under the law ``edge``."""
    weights = {
        layout: factor ** sum(on_border(rules, ship) for ship in layout)
        for layout in all_layouts(rules)
    }
    total = sum(weights.values())
    return {layout: weight / total for layout, weight in weights.items()}


class LookAheadSampler:
    """Draws as the module `bsbench.layouts.lookahead` says, with a head of ``head`` ships.

    ``limit`` is what weights may not reach; later ships get fixed bounds where they could.
    Ships on the border weigh ``factor`` times as much as others. Attempts are plain where
    looking ahead saves less than ``worth`` says, and what they need is small.
    """

    def __init__(
        self, rules, head: int, limit: int = 1 << 64, worth: int = 5, factor=Fraction(1)
    ) -> None:
        self.rules = rules
        self.border, self.inner = factor.numerator, factor.denominator
        self.least, self.most = sorted((self.border, self.inner))
        self.order = longest_first(rules.fleet)
        self.lengths = [rules.fleet[ship] for ship in self.order]
        self.head = head
        heads = [[]]
        for length in self.lengths[:head]:
            heads = [[*ships, slot] for ships in heads for slot in possible(rules, length, ships)]
        largest_sum = len(heads) * self.most**head
        largest_sum *= len(self.tickets(slots(rules.rows, rules.cols, self.lengths[head])))
        self.fixed: dict[int, int] = {}
        for place, length in enumerate(self.lengths[head + 1 :]):
            number = len(self.tickets(slots(rules.rows, rules.cols, length)))
            largest_sum *= number
            if largest_sum >= limit:
                before = self.lengths[: head + 1 + place]
                taken = sum(max(other - length + 1, 0) for other in before)
                self.fixed[place] = number - self.least * taken
        self.heads, self.peaks, weights = [], [], []
        for ships in heads:
            slots_and_q = [
                (slot, self.product(self.bounds([*ships, slot]))) for slot in self.next_slots(ships)
            ]
            weight = sum(self.weight([*ships, slot]) * q for slot, q in slots_and_q)
            if weight:
                self.heads.append(ships)
                self.peaks.append(max(q for _, q in slots_and_q))
                weights.append(weight)
        every_slot = [self.tickets(slots(rules.rows, rules.cols, n)) for n in self.lengths[head:]]
        head_weights = [self.weight(ships) for ships in self.heads]
        plain = sum(head_weights)
        for tickets in every_slot:
            plain *= len(tickets)
        looking_ahead = sum(weights)
        for bound in self.fixed.values():
            looking_ahead *= bound
        self.plain = (
            plain < worth * looking_ahead
            and len(self.heads) * plain < limit
            and sum(map(len, every_slot)) <= 1 << 14
            and rules.cells <= 512
        )
        if self.plain:
            weights, self.every_slot = head_weights, every_slot
        self.total = sum(weights)
        self.cut, self.other = alias_table(weights)

    def weight(self, ships) -> int:
        result = 1
        for ship in ships:
            result *= self.border if on_border(self.rules, ship) else self.inner
        return result

    def tickets(self, some_slots):
        """Return the slots as often as they weigh: first all alike, then the heavy ones."""
        heavy = [slot for slot in some_slots if self.weight([slot]) > self.least]
        return [slot for slot in some_slots for _ in range(self.least)] + [
            slot for slot in heavy for _ in range(self.most - self.least)
        ]

    def next_slots(self, ships):
        return possible(self.rules, self.lengths[self.head], ships)

    def bounds(self, ships) -> list[int]:
        """Return what slots each later ship can still have weigh at most, given the first."""
        found = []
        later = self.lengths[self.head + 1 :]
        for place, length in enumerate(later):
            taken = sum(max(other - length + 1, 0) for other in later[:place])
            weight = len(self.tickets(possible(self.rules, length, ships)))
            bound = max(weight - self.least * taken, 0)
            found.append(self.fixed.get(place, bound))
        return found

    def product(self, bounds) -> int:
        result = 1
        for place, bound in enumerate(bounds):
            if place not in self.fixed:
                result *= bound
        return result

    def plain_layout(self, stream: Stream):
        """Return a layout of plain attempts: one number each, its last digit for the last ship."""
        bases = [len(self.heads), self.total, *map(len, self.every_slot)]
        while True:
            number = stream.draw(math.prod(bases))
            digits = []
            for base in reversed(bases):
                number, digit = divmod(number, base)
                digits.insert(0, digit)
            column, height, *chosen = digits
            head = column if height < self.cut[column] else self.other[column]
            ships = list(self.heads[head])
            ships += [
                tickets[digit] for tickets, digit in zip(self.every_slot, chosen, strict=True)
            ]
            laid = dict(zip(self.order, ships, strict=True))
            layout = tuple(laid[ship] for ship in range(len(ships)))
            if is_legal(self.rules, layout):
                return layout

    def layout(self, seed: int, game: int):
        stream = Stream(stream_key("layouts", seed), game)
        if self.plain:
            return self.plain_layout(stream)
        while True:
            column = stream.draw(len(self.heads))
            height = stream.draw(self.total)
            head = column if height < self.cut[column] else self.other[column]
            candidates = self.tickets(self.next_slots(self.heads[head]))
            while True:
                slot = candidates[stream.draw(len(candidates))]
                height = stream.draw(self.peaks[head])
                ships = [*self.heads[head], slot]
                bounds = self.bounds(ships)
                if height < self.product(bounds):
                    break
            for length, bound in zip(self.lengths[self.head + 1 :], bounds, strict=True):
                legal = self.tickets(possible(self.rules, length, ships))
                number = stream.draw(bound)
                if number >= len(legal):
                    break
                ships.append(legal[number])
            else:
                laid = dict(zip(self.order, ships, strict=True))
                return tuple(laid[ship] for ship in range(len(self.rules.fleet)))


def alias_table(weights: list[int]) -> tuple[list[int], list[int]]:
    """Return Walker's table: below the cut the index itself, above it the other one."""
    total, n = sum(weights), len(weights)
    cut = [weight * n for weight in weights]
    other = list(range(n))
    small = [i for i in range(n) if cut[i] < total]
    large = [i for i in range(n) if cut[i] >= total]
    while small and large:
        filled, donor = small.pop(), large[-1]
        other[filled] = donor
        cut[donor] -= total - cut[filled]
        if cut[donor] < total:
            large.pop()
            small.append(donor)
    return cut, other
