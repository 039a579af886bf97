"""How sources place ships, written from their descriptions, for the survey."""

import math
from itertools import chain


def slots_of(rules, length):
    """Return the slots of a ship, as lists of cells; first all that lie along a row."""
    return [
        [(row + down * k) * rules.cols + col + right * k for k in range(length)]
        for down, right in ((0, 1), (1, 0))
        for row in range(rules.rows - down * (length - 1))
        for col in range(rules.cols - right * (length - 1))
    ]


def is_border(rules, cell):
    """Return whether a cell lies on the border."""
    row, col = divmod(cell, rules.cols)
    return row in (0, rules.rows - 1) or col in (0, rules.cols - 1)


class OneByOne:
    """The longest first, each in a random slot that is free and allowed; again if one is stuck."""

    gap = 0
    slots = None

    def place(self, rules, rng):
        """Return the slots of all ships."""
        if self.slots is None:
            self.slots = {
                length: [slot for slot in slots_of(rules, length) if self.allows(rules, slot)]
                for length in set(rules.fleet)
            }
        while True:
            layout, shut = {}, set()
            for ship in self.order(rules, rng):
                free = [s for s in self.slots[rules.fleet[ship]] if shut.isdisjoint(s)]
                if not free:
                    break
                layout[ship] = self.pick(rules, rng, free, [*chain(*layout.values())])
                shut |= self.around(rules, layout[ship])
            else:
                return [layout[ship] for ship in range(len(rules.fleet))]

    def order(self, rules, rng):
        """Return the ships in the order in which they are placed."""
        return sorted(range(len(rules.fleet)), key=lambda ship: -rules.fleet[ship])

    def around(self, rules, slot):
        """Return the cells that other ships may not take."""
        gap, shut = self.gap, set()
        for row, col in (divmod(cell, rules.cols) for cell in slot):
            for near in range(max(0, row - gap), min(rules.rows, row + gap + 1)):
                cols = range(max(0, col - gap), min(rules.cols, col + gap + 1))
                shut |= {near * rules.cols + each for each in cols}
        return shut

    def allows(self, rules, slot):
        """Return whether a ship may lie there."""
        return True

    def pick(self, rules, rng, free, taken):
        """Return one of the free slots."""
        return rng.choice(free)


class JevEdge(OneByOne):
    """All cells of all ships on the border."""

    def allows(self, rules, slot):
        """Return whether a ship may lie there."""
        return all(is_border(rules, cell) for cell in slot)


class JevCentre(OneByOne):
    """No cell on the border."""

    def allows(self, rules, slot):
        """Return whether a ship may lie there."""
        return not any(is_border(rules, cell) for cell in slot)


class JevAdversarial(OneByOne):
    """One of the six free slots whose cells are covered by the fewest slots on an empty board."""

    weights = None

    def pick(self, rules, rng, free, taken):
        """Return one of the free slots."""
        if self.weights is None:
            self.weights = [0] * rules.cells
            for length in rules.fleet:
                for cell in chain(*slots_of(rules, length)):
                    self.weights[cell] += 1
        free = sorted(free, key=lambda slot: sum(self.weights[cell] for cell in slot))
        return rng.choice(free[:6])


class JevMixed:
    """Four families in turn: anywhere, on the border, off it, and one of the least likely slots."""

    def __init__(self):
        """Begin with the first family."""
        self.turn = -1
        self.families = [OneByOne(), JevEdge(), JevCentre(), JevAdversarial()]

    def place(self, rules, rng):
        """Return the slots of all ships."""
        self.turn += 1
        return self.families[self.turn % 4].place(rules, rng)


class Spread(OneByOne):
    """The first ship anywhere; others with their middles as far from those before as possible."""

    def pick(self, rules, rng, free, taken):
        """Return one of the free slots."""
        if not taken:
            return rng.choice(free)
        dots = [divmod(cell, rules.cols) for cell in taken]

        def distance(slot):
            middle = divmod(slot[(len(slot) - 1) // 2], rules.cols)
            return min(math.dist(middle, dot) for dot in dots)

        return max(free, key=distance)


class ShortEnd(OneByOne):
    """No ship reaches the last cell of its own line."""

    def allows(self, rules, slot):
        """Return whether a ship may lie there."""
        row, col = divmod(slot[-1], rules.cols)
        return col < rules.cols - 1 if slot[1] - slot[0] == 1 else row < rules.rows - 1


class LastRow(OneByOne):
    """The last row holds no ship."""

    def allows(self, rules, slot):
        """Return whether a ship may lie there."""
        return all(cell // rules.cols < rules.rows - 1 for cell in slot)


class LastEmpty(LastRow):
    """The last row and the last column hold no ship."""

    def allows(self, rules, slot):
        """Return whether a ship may lie there."""
        in_last = any(cell % rules.cols == rules.cols - 1 for cell in slot)
        return not in_last and super().allows(rules, slot)


class TwoApart(OneByOne):
    """Two cells of water between ships, also at corners."""

    gap = 2


class Corner(OneByOne):
    """The upper left end of a ship of length n lies in the first 11 - n rows and columns, too."""

    def allows(self, rules, slot):
        """Return whether a ship may lie there."""
        room = rules.cols - len(slot)
        return slot[0] // rules.cols <= room and slot[0] % rules.cols <= room


class AllAtOnce(ShortEnd):
    """As ShortEnd, all ships at once by a coin for their direction; again if two overlap."""

    def place(self, rules, rng):
        """Return the slots of all ships."""
        slots = {length: [[], []] for length in rules.fleet}
        for length, ways in slots.items():
            for slot in filter(lambda slot: self.allows(rules, slot), slots_of(rules, length)):
                ways[slot[1] - slot[0] == 1].append(slot)
        while True:
            layout = [rng.choice(rng.choice(slots[length])) for length in rules.fleet]
            if len({*chain(*layout)}) == sum(rules.fleet):
                return layout
