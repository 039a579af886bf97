"""Boards, slots, and the laws by which layouts are drawn."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache

from tests.support.naive.chance import Stream, stream_key


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
STEPS = {True: [], "corners": [NORTH, EAST, SOUTH, WEST], False: AROUND}
"""To the cells that a ship closes, by what the rules say of touching."""


@lru_cache(1 << 14)
def excluded(rules, ship: tuple[int, ...]) -> frozenset[int]:
    """Return the cells that no other ship may use."""
    closed = [beside(rules.rows, rules.cols, cell, STEPS[rules.touching]) for cell in ship]
    return frozenset(ship).union(*closed)


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


def laid_in_turn(rules, order: list[int], weigh, seed: int, game: int):
    """Return the layout of a game whose ships are laid in turn.

    ``weigh`` tells what each legal slot of a length weighs beside some ships, in order.
    """
    stream = Stream(stream_key("layouts", seed), game)
    while True:
        ships: list[tuple[int, ...]] = []
        for ship in order:
            weights = weigh(rules.fleet[ship], ships)
            if not weights:
                break
            tickets = [slot for slot, weight in weights.items() for _ in range(weight)]
            ships.append(tickets[stream.draw(len(tickets))])
        else:
            return in_fleet_order(order, ships)


def sequential_layout(rules, order: list[int], seed: int, game: int):
    """Return the layout that the law ``sequential`` draws for a game."""

    def weigh(length: int, ships) -> dict[tuple[int, ...], int]:
        return dict.fromkeys(possible(rules, length, ships), 1)

    return laid_in_turn(rules, order, weigh, seed, game)


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


def edge_weight(rules, factor: Fraction):
    """Return what tells a ship's weight under ``edge``: a part of the factor."""
    return lambda ship: factor.numerator if on_border(rules, ship) else factor.denominator


def late_weight(rules, lateness, strength: int):
    """Return what tells a ship's weight under ``avoid``, in percent of the latest of its length."""

    def late(ship):
        return sum(lateness[cell] for cell in ship) ** strength

    def weigh(ship) -> int:
        latest = max(map(late, slots(rules.rows, rules.cols, len(ship))))
        # Rounded to the nearest, halves up.
        return max(math.floor(Fraction(100 * late(ship), latest) + Fraction(1, 2)), 1)

    return lru_cache(None)(weigh)


def cell_weight(weights):
    """Return what tells a ship's weight where it is the product of its cells' weights."""
    return lambda ship: math.prod(weights[cell] for cell in ship)


def whole_weight(rules, weigh):
    """Return what tells a ship's weight as a whole number, as `bsbench.layouts.weights` says."""
    whole = {}
    for length in rules.fleet:
        exact = {slot: Fraction(weigh(slot)) for slot in slots(rules.rows, rules.cols, length)}
        common = Fraction(
            math.gcd(*(each.numerator for each in exact.values())),
            math.lcm(*(each.denominator for each in exact.values())),
        )
        unit = max(common, max(exact.values()) / 10**12)
        # Rounded to the nearest, halves up; what is possible stays so.
        for slot, each in exact.items():
            whole[slot] = max(math.floor(each / unit + Fraction(1, 2)), int(each > 0))
    return whole.__getitem__


def product_law(rules, weigh) -> dict[tuple[tuple[int, ...], ...], Fraction]:
    """Return the exact probability of every layout where it is in proportion to ships' weights."""
    weights = {layout: math.prod(map(weigh, layout)) for layout in all_layouts(rules)}
    total = sum(weights.values())
    return {layout: Fraction(weight) / total for layout, weight in weights.items() if weight}


class IndependentSampler:
    """Draws as the module `bsbench.layouts.weights` says: each ship alone, all again on a clash."""

    def __init__(self, rules, weigh) -> None:
        self.rules, self.order = rules, longest_first(rules.fleet)
        self.slots, self.tables = [], []
        for ship in self.order:
            listed = slots(rules.rows, rules.cols, rules.fleet[ship])
            weights = [weigh(slot) for slot in listed]
            self.slots.append(listed)
            self.tables.append((sum(weights), *alias_table(weights)))

    def layout(self, seed: int, game: int):
        stream = Stream(stream_key("layouts", seed), game)
        while True:
            ships: list[tuple[int, ...]] = []
            for listed, (total, cut, other) in zip(self.slots, self.tables, strict=True):
                column = stream.draw(len(listed))
                height = stream.draw(total)
                slot = listed[column if height < cut[column] else other[column]]
                if slot not in possible(self.rules, len(slot), ships):
                    break
                ships.append(slot)
            else:
                return in_fleet_order(self.order, ships)


def is_down(rules, slot) -> bool:
    """Tell whether a slot lies along a column."""
    return len({cell % rules.cols for cell in slot}) == 1 < len(slot)


def direction_weights(rules, length: int, ships, keep: bool) -> dict[tuple[int, ...], int]:
    """Return what each legal slot weighs under the law ``direction-first``: rows first."""
    legal = possible(rules, length, ships)
    every = legal if keep else slots(rules.rows, rules.cols, length)
    down = sum(is_down(rules, slot) for slot in every)
    return {slot: max(len(every) - down if is_down(rules, slot) else down, 1) for slot in legal}


def direction_layout(rules, keep: bool, seed: int, game: int):
    """Return the layout that the law ``direction-first`` draws for a game."""

    def weigh(length: int, ships) -> dict[tuple[int, ...], int]:
        return direction_weights(rules, length, ships, keep)

    return laid_in_turn(rules, longest_first(rules.fleet), weigh, seed, game)


def direction_law(rules, keep: bool) -> dict[tuple[tuple[int, ...], ...], Fraction]:
    """Return the exact probability of every layout under the law ``direction-first``.

    By tossing coins: a direction, then any slot of it, or any that is free if programs ``keep`` it.
    """
    order = longest_first(rules.fleet)
    found = {}
    for layout in all_layouts(rules):
        chance = Fraction(1)
        for place, ship in enumerate(order):
            legal = possible(rules, rules.fleet[ship], [layout[each] for each in order[:place]])
            every = slots(rules.rows, rules.cols, rules.fleet[ship])
            drawn = legal if keep else every
            ways = [
                [slot for slot in drawn if is_down(rules, slot) == way] for way in (True, False)
            ]
            # The coin is tossed again where a direction has none of them.
            ways = [way for way in ways if way]
            chances = {slot: Fraction(1, len(ways) * len(way)) for way in ways for slot in way}
            chance *= chances[layout[ship]] / sum(chances[slot] for slot in legal)
        found[layout] = chance
    total = sum(found.values())
    return {layout: chance / total for layout, chance in found.items()}


def score(rules, name: str, ships, often=()) -> int:
    """Return what the law ``pick`` looks for; ``often`` has the layouts with each cell."""
    cells = [divmod(cell, rules.cols) for ship in ships for cell in ship]
    if name in ("spread", "cluster"):
        steps = sum(
            min(
                abs(a // rules.cols - b // rules.cols) + abs(a % rules.cols - b % rules.cols)
                for a in one
                for b in other
            )
            for one, other in itertools.combinations(ships, 2)
        )
        return steps if name == "spread" else -steps
    if name == "parity":
        even = sum((row + col) % 2 == 0 for row, col in cells)
        return max(even, len(cells) - even)
    if name == "hostile":
        return -sum(often[cell] for ship in ships for cell in ship)
    return sum(row in (0, rules.rows - 1) or col in (0, rules.cols - 1) for row, col in cells)


def scores(rules, name: str):
    """Return the score of every layout."""
    layouts = list(all_layouts(rules))
    often = [
        sum(cell in ship for layout in layouts for ship in layout) for cell in range(rules.cells)
    ]
    return {layout: score(rules, name, layout, often) for layout in layouts}


def pick_law(known, number: int) -> dict[tuple[tuple[int, ...], ...], Fraction]:
    """Return the exact probability of every layout under ``pick``; all scores are ``known``."""
    found = {}
    for layout, mine in known.items():
        below = sum(other < mine for other in known.values())
        equal = sum(other == mine for other in known.values())
        ways = (below + equal) ** number - below**number
        found[layout] = Fraction(ways, equal * len(known) ** number)
    return found


def symmetries(rules) -> list[list[int]]:
    """Return, for each symmetry of the board, where every cell goes."""
    rows, cols = rules.rows, rules.cols
    found = []
    for swap in (False, True)[: 1 + (rows == cols)]:
        for right in (False, True):
            for down in (False, True):
                image = []
                for row, col in itertools.product(range(rows), range(cols)):
                    r, c = (col, row) if swap else (row, col)
                    r, c = rows - 1 - r if down else r, cols - 1 - c if right else c
                    image.append(r * cols + c)
                found.append(image)
    return found


class PlainSampler:
    """Draws as the module `bsbench.layouts.plain` says, with lists of at most ``most`` rows."""

    def __init__(self, rules, most: int = 1 << 15, weigh=lambda ship: 1) -> None:
        self.rules = rules

        def weight(ships) -> int:
            return math.prod(map(weigh, ships))

        self.order = longest_first(rules.fleet)
        self.lists: list[list[tuple]] = []
        for ship in self.order:
            ways = [(slot,) for slot in slots(rules.rows, rules.cols, rules.fleet[ship])]
            if self.lists and len(self.lists[-1][0]) == 1:
                joined = [
                    (*before, *way)
                    for before in self.lists[-1]
                    for way in ways
                    if all(excluded(rules, one).isdisjoint(way[0]) for one in before)
                ]
                if sum(map(weight, joined)) <= most:
                    self.lists[-1] = joined
                    continue
            self.lists.append(ways)
        self.lists = [
            [ships for ships in ways for _ in range(weight(ships))] for ways in self.lists
        ]

    def layout(self, seed: int, game: int):
        stream = Stream(stream_key("layouts", seed), game)
        while True:
            # One number for each attempt, its last digit for the last list.
            number = stream.draw(math.prod(map(len, self.lists)))
            ships: list[tuple[int, ...]] = []
            for ways in reversed(self.lists):
                number, row = divmod(number, len(ways))
                ships = [*ways[row], *ships]
            layout = in_fleet_order(self.order, ships)
            if is_legal(self.rules, layout):
                return layout


def in_fleet_order(order: list[int], ships):
    laid = dict(zip(order, ships, strict=True))
    return tuple(laid[ship] for ship in range(len(ships)))


class HeadSampler:
    """Draws some ships together, the head, then a slot of the next ship, then the others.

    ``weigh`` tells what a ship weighs, at least ``least``.
    """

    def __init__(self, rules, head: int, weigh=lambda ship: 1, least: int = 1) -> None:
        self.rules, self.head, self.weigh, self.least = rules, head, weigh, least
        above = [
            weigh(slot) - least
            for length in rules.fleet
            for slot in slots(rules.rows, rules.cols, length)
        ]
        self.unit = math.gcd(*above) or 1
        self.layers = (max(above) // self.unit).bit_length()
        self.order = longest_first(rules.fleet)
        self.lengths = [rules.fleet[ship] for ship in self.order]
        self.later = self.lengths[head + 1 :]
        self.fixed: dict[int, int] = {}

    def heads_from(self, heads, lengths):
        """Return the heads with ships of some more lengths."""
        for length in lengths:
            heads = [
                [*ships, slot] for ships in heads for slot in possible(self.rules, length, ships)
            ]
        return heads

    def keep(self, heads) -> list[int]:
        """Keep the heads that can be completed; return how many ways each has at most."""
        self.heads, self.peaks, ways = [], [], []
        for ships in heads:
            slots_and_q = [
                (slot, self.product(self.bounds([*ships, slot]))) for slot in self.next_slots(ships)
            ]
            weight = sum(math.prod(map(self.weigh, [*ships, slot])) * q for slot, q in slots_and_q)
            if weight:
                self.heads.append(ships)
                self.peaks.append(max(q for _, q in slots_and_q))
                ways.append(weight)
        return ways

    def tabulate(self, weights: list[int]) -> None:
        self.total = sum(weights)
        self.cut, self.other = alias_table(weights)

    def tickets(self, some_slots):
        """Return the slots as often as they weigh: first all alike, then layer by layer."""
        found = [slot for slot in some_slots for _ in range(self.least)]
        for layer in range(self.layers):
            for slot in some_slots:
                if (self.weigh(slot) - self.least) // self.unit >> layer & 1:
                    found += [slot] * (self.unit << layer)
        return found

    def next_slots(self, ships):
        return possible(self.rules, self.lengths[self.head], ships)

    def bounds(self, ships) -> list[int]:
        """Return what slots each later ship can still have weigh at most, given the first."""
        found = []
        for place, length in enumerate(self.later):
            taken = sum(max(other - length + 1, 0) for other in self.later[:place])
            weight = len(self.tickets(possible(self.rules, length, ships)))
            bound = max(weight - self.least * taken, 0)
            found.append(self.fixed.get(place, bound))
        return found

    def product(self, bounds) -> int:
        return math.prod(bound for place, bound in enumerate(bounds) if place not in self.fixed)

    def layout(self, seed: int, game: int):
        stream = Stream(stream_key("layouts", seed), game)
        while True:
            column = stream.draw(len(self.heads))
            height = stream.draw(self.total)
            head = column if height < self.cut[column] else self.other[column]
            candidates = self.tickets(self.next_slots(self.heads[head]))
            while True:
                slot, height = self.slot_and_height(stream, candidates, self.peaks[head])
                ships = [*self.heads[head], slot]
                bounds = self.bounds(ships)
                if height < self.product(bounds):
                    break
            image, numbers = self.image_and_numbers(stream, bounds)
            for length, number in zip(self.later, numbers, strict=True):
                legal = self.tickets(possible(self.rules, length, ships))
                if number >= len(legal):
                    break
                ships.append(legal[number])
            else:
                turned = [tuple(sorted(image[cell] for cell in ship)) for ship in ships]
                return in_fleet_order(self.order, turned)


class ClassSampler(HeadSampler):
    """Draws as the module `bsbench.layouts.classes` says, with a head of ``head`` ships."""

    def __init__(self, rules, head: int) -> None:
        super().__init__(rules, head)
        self.symmetries = symmetries(rules)
        first: dict[tuple[int, ...], int] = {}
        for slot in slots(rules.rows, rules.cols, self.lengths[0]):
            images = {tuple(sorted(image[cell] for cell in slot)) for image in self.symmetries}
            least = min(images, key=lambda ship: encode(rules, [ship]))
            first[least] = len(images)
        ranked = sorted(first, key=lambda ship: encode(rules, [ship]))
        ways = self.keep(self.heads_from([[slot] for slot in ranked], self.lengths[1:head]))
        weights = [way * first[ships[0]] for way, ships in zip(ways, self.heads, strict=True)]
        self.tabulate([weight // math.gcd(*weights) for weight in weights])

    # Several digits of one number, the last one least significant.

    def slot_and_height(self, stream: Stream, candidates, peak: int):
        rank, height = divmod(stream.draw(len(candidates) * peak), peak)
        return candidates[rank], height

    def image_and_numbers(self, stream: Stream, bounds):
        number = stream.draw(len(self.symmetries) * math.prod(bounds))
        digits = []
        for bound in reversed(bounds):
            number, digit = divmod(number, bound)
            digits.insert(0, digit)
        return self.symmetries[number], digits


class LookAheadSampler(HeadSampler):
    """Draws as the module `bsbench.layouts.lookahead` says, with a head of ``head`` ships.

    ``limit`` is what weights may not reach; later ships get fixed bounds where they could.
    """

    def __init__(
        self, rules, head: int, limit: int = 1 << 64, weigh=lambda ship: 1, least: int = 1
    ) -> None:
        super().__init__(rules, head, weigh, least)
        heads = self.heads_from([[]], self.lengths[:head])
        most = least + self.unit * (2**self.layers - 1)
        largest_sum = len(heads) * most**head
        largest_sum *= len(self.tickets(slots(rules.rows, rules.cols, self.lengths[head])))
        for place, length in enumerate(self.later):
            number = len(self.tickets(slots(rules.rows, rules.cols, length)))
            largest_sum *= number
            if largest_sum >= limit:
                before = self.lengths[: head + 1 + place]
                taken = sum(max(other - length + 1, 0) for other in before)
                self.fixed[place] = number - self.least * taken
        self.tabulate(self.keep(heads))

    def slot_and_height(self, stream: Stream, candidates, peak: int):
        return candidates[stream.draw(len(candidates))], stream.draw(peak)

    def image_and_numbers(self, stream: Stream, bounds):
        """Draw a number when its ship is laid: where one has no room, the others draw none."""
        return range(self.rules.cells), (stream.draw(bound) for bound in bounds)


def alias_table(weights: list[int]) -> tuple[list[int], list[int]]:
    """Return Walker's table: below the cut the index itself, above it the other one.

    Columns that overflow give in order; one that has given too much is filled up by the next.
    """
    total, n = sum(weights), len(weights)
    cut = [weight * n for weight in weights]
    other = list(range(n))
    givers = [index for index in range(n) if cut[index] >= total]
    giver = 0
    for index in [index for index in range(n) if cut[index] < total]:
        while cut[givers[giver]] == total:
            giver += 1
        filled = index
        while cut[filled] < total and other[filled] == filled:
            other[filled] = givers[giver]
            cut[givers[giver]] -= total - cut[filled]
            if cut[givers[giver]] < total:
                filled = givers[giver]
                giver += 1
    return [min(height, total) for height in cut], other
