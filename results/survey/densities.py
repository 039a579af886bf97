"""Players that count slots, written from the descriptions of their sources, for the survey."""

from dataclasses import dataclass
from functools import cache

import numpy as np


@cache
def slots_of(rows, cols, length):
    """Return the slots of a ship, as rows of zeros and ones over the cells."""
    ways = [
        (row * cols + col, step)
        for row in range(rows)
        for col in range(cols)
        for step, room in ((1, cols - col), (cols, rows - row))
        if length <= room
    ]
    grid = np.zeros((len(ways), rows * cols), np.float32)
    for slot, (start, step) in zip(grid, ways, strict=True):
        slot[start : start + step * length : step] = 1
    return grid


class Counting:
    """What all of them share: slots, masks of cells, and the first cell with the best score."""

    deterministic = True

    def reset(self, rules, rng):
        """Begin a game."""
        self.rules, self.rng = rules, rng

    def slots(self, ship):
        """Return the slots of a ship of the fleet."""
        return slots_of(self.rules.rows, self.rules.cols, self.rules.fleet[ship])

    def mask(self, cells):
        """Return cells as zeros and ones."""
        mask = np.zeros(self.rules.cells, np.float32)
        mask[list(cells)] = 1
        return mask

    def count(self, ships, blocked):
        """Return how many slots of these ships cover each cell, and none of the blocked ones."""
        total = np.zeros(self.rules.cells)
        for ship in ships:
            slots = self.slots(ship)
            total += (slots @ blocked == 0).astype(np.float32) @ slots
        return total

    def hits_of(self, view):
        """Return the hits of each ship, where every hit names its ship."""
        hits = {}
        for cell, outcome, turn in zip(view.shots, view.outcomes, view.turns, strict=True):
            if outcome:
                hits.setdefault(turn.ships[0], set()).add(cell)
        return hits

    def fitting(self, view, ship, hits):
        """Return the slots of a ship that hold all its hits, and no other shot."""
        slots, mine = self.slots(ship), hits.get(ship, set())
        wrong = self.mask(set(view.shots) - mine)
        return slots[(slots @ wrong == 0) & (slots @ self.mask(mine) == len(mine))]

    def best(self, view, score):
        """Return the open cell with the highest score, the first of equals."""
        return max(view.open_cells, key=lambda cell: (score[cell], -cell))


@dataclass
class Lineage(Counting):
    """All slots without a miss; in step 2, open cells beside a hit count ``skew`` times."""

    needs = "sunk"
    step: int = 1
    skew: int = 2

    def shoot(self, view):
        """Return a cell."""
        score = self.count(range(len(self.rules.fleet)), self.mask(view.misses))
        if self.step >= 2:
            for cell in {cell for hit in view.hits for cell in view.neighbours(hit)}:
                score[cell] *= self.skew
        return self.best(view, score)


class Aydinschwa(Counting):
    """Slots of open cells, each counted from both ends; cells beside hits afloat count more.

    For each ship afloat, 10 more beside a hit, and 15 where the cell behind that is a hit, too.
    """

    needs = "sunk"

    def shoot(self, view):
        """Return a cell."""
        score = 2 * self.count(view.afloat, self.mask(view.shots))
        wounded = set(view.wounded)
        for hit in wounded:
            for cell in filter(view.is_open, view.neighbours(hit)):
                behind = 2 * hit - cell
                in_line = behind in wounded and behind in view.neighbours(hit)
                score[cell] += len(view.afloat) * (15 if in_line else 10)
        return self.best(view, score)


class Shares(Counting):
    """For each ship afloat, the share of its possible slots through a cell; these are added."""

    needs = "ship"

    def shoot(self, view):
        """Return a cell."""
        hits, score = self.hits_of(view), np.zeros(self.rules.cells)
        for ship in view.afloat:
            slots = self.fitting(view, ship, hits)
            score += slots.sum(axis=0, dtype=float) / max(1, len(slots))
        return self.best(view, score)


@dataclass
class Chaitanya(Counting):
    """Slots through an open hit, if there is one; cells beside such a hit count 50 times.

    It hears only the lengths of ships that sink: it takes the largest group of open hits for the
    ship.
    """

    needs = "sunk"
    weight: int = 50

    def shoot(self, view):
        """Return a cell."""
        gone, hits = set(), set()
        for cell, outcome in zip(view.shots, view.outcomes, strict=True):
            if outcome:
                hits.add(cell)
            if outcome == 2:
                gone |= self.largest_group(view, hits - gone)
        left = hits - gone
        blocked, score = self.mask(set(view.misses) | gone), np.zeros(self.rules.cells)
        for ship in view.afloat:
            slots = self.slots(ship)
            good = slots @ blocked == 0
            if left:
                good &= slots @ self.mask(left) > 0
            score += good.astype(np.float32) @ slots
        for hit in left:
            for cell in view.neighbours(hit):
                score[cell] *= self.weight
        return self.best(view, score)

    def largest_group(self, view, hits):
        """Return the largest group of hits that are neighbours; the first of equals."""
        groups, rest = [], set(hits)
        while rest:
            group, reached = set(), [min(rest)]
            while reached:
                cell = reached.pop()
                if cell in rest:
                    rest.discard(cell)
                    group.add(cell)
                    reached += view.neighbours(cell)
            groups.append(group)
        return max(groups, key=len, default=set())


@dataclass
class Sampled(Counting):
    """The cell that most of some random layouts cover that agree with all answers; ties at random.

    With ``keep=1``, a pool of layouts: each answer thins it, copies double it when it falls below
    half, and it is drawn again when it is empty.
    """

    deterministic = False
    needs = "ship"
    samples: int = 100
    keep: int = 0

    def reset(self, rules, rng):
        """Begin a game."""
        super().reset(rules, rng)
        self.pool = None

    def shoot(self, view):
        """Return a cell."""
        if self.pool is not None and view.shots:
            self.pool = self.pool[self.pool[:, view.last] == bool(view.outcome)]
        if not self.keep or self.pool is None or not len(self.pool):
            self.pool = self.draw(view)
        elif len(self.pool) < self.samples // 2:
            copied = [self.rng.randrange(len(self.pool)) for _ in range(self.samples)]
            self.pool = self.pool[copied]
        score, cells = self.pool.sum(axis=0), view.open_cells
        most = max(score[cell] for cell in cells)
        if most:
            return self.rng.choice([cell for cell in cells if score[cell] == most])
        beside = [cell for hit in view.hits for cell in view.neighbours(hit) if view.is_open(cell)]
        return self.rng.choice(beside or cells)

    def draw(self, view):
        """Return random layouts that agree with all answers, as zeros and ones over the cells."""
        hits, aim = self.hits_of(view), self.mask(view.open_cells)
        fixed = self.mask(cell for ship in view.sunk for cell in ship.cells)
        choices = [self.fitting(view, ship, hits) for ship in view.afloat]
        choices = [slots[slots @ aim > 0] for slots in choices]
        found, random = [], np.random.default_rng(self.rng.getrandbits(32))
        for _ in range(400):
            cover = np.tile(fixed, (2 * self.samples, 1))
            for slots in choices:
                cover += slots[random.integers(0, len(slots), 2 * self.samples)]
            found.append(cover[cover.max(axis=1) <= 1])
            if sum(map(len, found)) >= self.samples:
                break
        return np.concatenate(found)[: self.samples]


@dataclass
class Entropy(Counting):
    """The cell whose answer leaves the least entropy, as if all cells were independent.

    It counts some random layouts that agree with all answers. Ships are drawn one by one, the
    longest first, each through a hit that has no ship yet, if it can.

    Source: github.com/BhargavSuresh1/The-best-battleship-strategy at 5b88797a,
    strategies/entropy_strategy.py and info_theory.
    """

    deterministic = False
    needs = "sunk"
    samples: int = 100

    def shoot(self, view):
        """Return a cell."""
        cells, layouts = list(view.open_cells), self.draw(view)
        if not len(layouts):
            return self.rng.choice(cells)
        covers = layouts[:, cells].astype(float)
        hit, both = covers.mean(axis=0), covers.T @ covers / len(covers)
        after_hit = both / np.clip(hit, 1e-10, 1)[:, None]
        after_miss = (hit - both) / np.clip(1 - hit, 1e-10, 1)[:, None]
        left = hit * self.entropy(after_hit) + (1 - hit) * self.entropy(after_miss)
        return cells[int((left - 1e-9 * hit).argmin())]

    def entropy(self, chances):
        """Return the sum of the entropies of the cells of each row, without the diagonal."""
        np.fill_diagonal(chances, 0)
        chances = np.clip(chances, 1e-10, 1 - 1e-10)
        each = -chances * np.log(chances) - (1 - chances) * np.log(1 - chances)
        return each.sum(axis=1)

    def draw(self, view):
        """Return random layouts of the ships afloat, as zeros and ones over the cells."""
        hits, random = list(view.wounded), np.random.default_rng(self.rng.getrandbits(32))
        wrong = self.mask({*view.shots} - {*hits})
        found, ships = [], sorted(view.afloat, key=lambda ship: -self.rules.fleet[ship])
        for _ in range(20):
            cover = np.zeros((self.samples, self.rules.cells), np.float32)
            good = np.ones(self.samples, bool)
            for ship in ships:
                slots = self.slots(ship)
                slots = slots[slots @ wrong == 0]
                free = cover @ slots.T == 0
                wanted = free & ((1 - cover[:, hits]) @ slots[:, hits].T > 0)
                choice = np.where(wanted.any(axis=1)[:, None], wanted, free)
                good &= choice.any(axis=1)
                cover += slots[(random.random(choice.shape) * choice).argmax(axis=1)]
            found.append(cover[good & cover[:, hits].all(axis=1)])
            if sum(map(len, found)) >= self.samples:
                break
        return np.concatenate(found)[: self.samples]
