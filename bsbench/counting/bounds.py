"""A proven lower bound on the mean number of moves: no strategy needs fewer, whatever it does.

A game lasts as many moves as there are ship cells, and one more for each miss. So a bound on the
mean follows from a limit on the layouts that can be finished with t misses or fewer, for each t.

The limit gives the shooter more than the rules do. Let it know where some of the ships lie from
the beginning, and of every hit which ship it is. Of the other ships, which it *searches* for, take
only those layouts in which each lies in one of some chosen slots: of these, ``most`` at most
contain the same cell. Then

- the *known* ships can lie in so many ways: counted exactly;
- for each of them, `Searches` limits how many placements of the others can be finished.

Their product limits the layouts of this kind. Each ship is either in a chosen slot or not: all
kinds together are all layouts, where a ship that is not in a chosen slot counts as known. With
``most`` 0, no slot is chosen, and the ship is always known; with the largest ``most``, all slots
are chosen, and it is always searched for. For each t, the best choice is looked for; every choice
is correct.

Where ships may not touch, and hits and misses are all that is revealed, there is a second limit:
each sequence of hits and misses leads to other ship cells, and these show all ships.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from bsbench.common.progress import Progress, Watch, ignored
from bsbench.counting.evidence import Contradiction, Evidence
from bsbench.counting.posterior import Posterior, compute_posterior, find_posterior
from bsbench.counting.searches import Searches, most_through
from bsbench.counting.tables import as_bits
from bsbench.rules.board import Rules

MOST_SEARCHED = 4
"""Ships that are searched for, at most: the shortest ones, which take longest to find."""

_TRIES = 20_000
"""Slots that are tried one after the other, to choose many."""

Limits = tuple[int, ...]
"""For each length of ships that are searched for: how many chosen slots contain the same cell."""


@dataclass(frozen=True)
class Bound:
    """A lower bound on the mean number of moves, on layouts that are equally likely.

    It holds for strategies with and without chance.

    Attributes
    ----------
    rules : Rules
    layouts : int
        With distinguishable ships.
    finished : tuple of int
        For each t, how many of them can be finished with t misses or fewer, at most.
    rests_on : tuple of str
        What the limit for each t rests on: ``4:8 3:6`` are the lengths of ships that are searched
        for, each with how many chosen slots contain the same cell; ``answers 4 3`` are the
        ships whose cells the answers reveal. All other ships are known.
    """

    rules: Rules
    layouts: int
    finished: tuple[int, ...]
    rests_on: tuple[str, ...] = field(repr=False)

    @property
    def any_feedback(self) -> bool:
        """Whether the bound holds for every feedback, not only for that of the rules."""
        return not _cells_reveal_ships(self.rules)

    @property
    def misses(self) -> Fraction:
        """The bound on the mean number of misses."""
        late = sum(self.layouts - finished for finished in self.finished)
        return Fraction(late, self.layouts)

    @property
    def moves(self) -> Fraction:
        """The bound on the mean number of moves."""
        return self.rules.ship_cells + self.misses


def find_bound(rules: Rules, progress: Watch = ignored) -> Bound:
    """Compute a lower bound on the mean number of moves.

    Parameters
    ----------
    rules : Rules
        Layouts are equally likely.
    progress : callable, optional
        Called every now and then.

    Raises
    ------
    OutOfReach
        If the layouts are too many to count, or the board is too large.
    """
    progress(Progress("counting layouts"))
    counter = _Counter(rules)
    layouts = counter.posterior.layouts
    best, rests_on = [layouts] * counter.times, [""] * counter.times

    def improve(limits: npt.NDArray[np.object_], reason: str) -> bool:
        better = [t for t in range(counter.times) if limits[t] < best[t]]
        for t in better:
            best[t], rests_on[t] = int(limits[t]), reason
        return bool(better)

    # From choices that are better for some t to those that differ for one length.
    lengths = sorted(set(counter.searched), reverse=True)
    waiting: list[Limits] = [tuple(map(most_through, lengths))]
    seen: set[Limits] = set()
    while waiting:
        choice = waiting.pop()
        if choice in seen:
            continue
        seen.add(choice)
        progress(Progress("limits on searches", len(seen), unit="computed"))
        limits = counter.finished(dict(zip(lengths, choice, strict=True)))
        pairs = zip(lengths, choice, strict=True)
        if improve(limits, " ".join(f"{length}:{most}" for length, most in pairs if most)):
            waiting += _neighbours(choice, lengths)
    if _cells_reveal_ships(rules):
        for known in range(len(rules.fleet)):
            fleet = " ".join(map(str, counter.rules.fleet[known:]))
            improve(counter.told_apart(known), f"answers {fleet}")
    return Bound(rules, layouts, tuple(best), tuple(rests_on))


def _cells_reveal_ships(rules: Rules) -> bool:
    """Return whether hits and misses are all that is revealed, and ship cells show all ships."""
    return rules.apart.sides and not any(rules.reveals)


def _neighbours(choice: Limits, lengths: list[int]) -> Iterator[Limits]:
    for i, length in enumerate(lengths):
        # Below its length, a ship is searched for so rarely that it may as well be known.
        for most in {0, *range(length, most_through(length) + 1)} - {choice[i]}:
            yield (*choice[:i], most, *choice[i + 1 :])


class _Counter:
    """Layouts in which some ships are known and others searched for.

    Attributes
    ----------
    rules : Rules
        Ships from the longest to the shortest.
    times : int
        Numbers of misses that a game can have.
    searched : tuple of int
        Lengths of the ships that are searched for.
    posterior : Posterior
        Of the empty board.
    """

    def __init__(self, rules: Rules) -> None:
        fleet = tuple(sorted(rules.fleet, reverse=True))
        self.rules = replace(rules, fleet=fleet)
        self.times = rules.reach + 1
        self.searched = fleet[-MOST_SEARCHED:]
        self.posterior: Posterior = find_posterior(Evidence(self.rules))
        self._searches = Searches(self.times)
        self._slots = {length: rules.slots(length) for length in set(fleet)}
        self._chosen: dict[tuple[int, int], npt.NDArray[np.bool_]] = {}
        self._known: dict[tuple[tuple[int, int], ...], int] = {}
        self._beside: dict[frozenset[int], int] = {}

    def finished(self, most: Mapping[int, int]) -> npt.NDArray[np.object_]:
        """Return how many layouts can be finished with t misses or fewer, at most, for each t.

        Parameters
        ----------
        most : mapping of int to int
            For each length searched for, how many chosen slots contain the same cell.

        Returns
        -------
        ndarray of object, shape (times,)
            Whole numbers.
        """
        total = np.zeros(self.times, object)
        always = self.rules.fleet[: -len(self.searched)]
        for in_chosen in product((False, True), repeat=len(self.searched)):
            pairs = list(zip(self.searched, in_chosen, strict=True))
            ships = [(length, most[length]) for length, chosen in pairs if chosen]
            if any(limit == 0 for _, limit in ships):
                continue
            known = [(length, most[length]) for length, chosen in pairs if not chosen]
            ways = self._ways([(length, 0) for length in always] + known)
            if ways:
                total += ways * self._searches.most_finished(*ships).astype(object)
        return np.minimum(total, self.posterior.layouts)

    def told_apart(self, known: int) -> npt.NDArray[np.object_]:
        """Return how many layouts can be finished, where hits and misses distinguish them.

        Parameters
        ----------
        known : int
            So many of the longest ships are known. The shots at others are a sequence of hits
            and misses, the last one a hit. It reveals their cells, and so where they lie.

        Returns
        -------
        ndarray of object, shape (times,)
            Whole numbers.
        """
        fleet, others = self.rules.fleet[:known], self.rules.fleet[known:]
        ways = self._ways([(length, 0) for length in fleet])
        ways *= math.prod(math.factorial(others.count(length)) for length in set(others))
        hits = sum(others)
        limits = [ways * math.comb(misses + hits, hits) for misses in range(self.times)]
        return np.array(limits, object)

    def _ways(self, known: list[tuple[int, int]]) -> int:
        """Return how many ways there are to lay ships outside the slots chosen for them."""
        key = tuple(sorted(known, reverse=True))
        if key not in self._known:
            self._known[key] = self._count(key)
        return self._known[key]

    def _count(self, known: tuple[tuple[int, int], ...]) -> int:
        limited = [(length, most) for length, most in known if most]
        if len(known) == len(self.rules.fleet) and len(limited) == 1:
            length, most = limited[0]
            if length > 1 and most == most_through(length) - 1:
                return self._crowded(length)
        allowed = []
        for length, most in known:
            everywhere = np.ones(len(self._slots[length]), np.bool_)
            allowed.append(~self.chosen(length, most) if most else everywhere)
        return self._layouts([length for length, _ in known], allowed)

    def _crowded(self, length: int) -> int:
        """Return how many layouts need the choice of slots for a ship that is searched for alone.

        All other ships are known. A cell is *full* where they leave all slots through it free; so
        a slot without a full cell may be added to the chosen ones, as long as ``most`` is
        just one less than the slots through a full cell.

        Parameters
        ----------
        length : int
            Only one ship of the fleet has it.

        Returns
        -------
        int
            Layouts in which the ship is in none of these slots.
        """
        slots = self._slots[length]
        through = [[slot for slot in slots if cell in slot] for cell in range(self.rules.cells)]
        ways = 0
        for i in np.flatnonzero(~self.chosen(length, most_through(length) - 1)):
            full = [cell for cell in slots[i] if len(through[cell]) == most_through(length)]
            for size in range(1, len(full) + 1):
                for cells in combinations(full, size):
                    free = {each for cell in cells for slot in through[cell] for each in slot}
                    ways -= (-1) ** size * self._layouts_beside(length, frozenset(free))
        return ways

    def _layouts_beside(self, length: int, free: frozenset[int]) -> int:
        """Return the layouts of all ships but one that leave it some cells."""
        if free not in self._beside:
            taken = free.union(*map(self.rules.closed_around, free))
            fleet = list(self.rules.fleet)
            fleet.remove(length)
            allowed = {
                each: np.array([taken.isdisjoint(slot) for slot in self._slots[each]])
                for each in set(fleet)
            }
            self._beside[free] = self._layouts(fleet, [allowed[each] for each in fleet])
        return self._beside[free]

    def _layouts(self, fleet: list[int], allowed: list[npt.NDArray[np.bool_]]) -> int:
        """Return the layouts of some ships, each in one of its allowed slots."""
        if not fleet:
            return 1
        if not all(each.any() for each in allowed):
            return 0
        evidence = Evidence(replace(self.rules, fleet=tuple(fleet)))
        for ship, each in enumerate(allowed):
            evidence.possible[ship] = as_bits(np.flatnonzero(each), evidence.possible.shape[1])
        try:
            return compute_posterior(evidence).layouts
        except Contradiction:
            return 0

    def chosen(self, length: int, most: int) -> npt.NDArray[np.bool_]:
        """Return which slots of a length are chosen, so that few contain the same cell.

        Parameters
        ----------
        length : int
        most : int
            Slots that contain the same cell, at most.

        Returns
        -------
        ndarray of bool, shape (slots,)
            Those in which many layouts have a ship, as far as a short search finds them.
        """
        key = length, most
        if key not in self._chosen:
            ship = self.rules.fleet.index(length)
            slots = self._slots[length]
            weights = [int(count) for count in self.posterior.slots[ship, : len(slots)]]
            self._chosen[key] = _choose(slots, weights, most, self.rules.cells)
        return self._chosen[key]


def _choose(slots: list[range], weights: list[int], most: int, cells: int) -> npt.NDArray[np.bool_]:
    """Choose slots of large weight, no more than ``most`` of which contain the same cell.

    A random slot is added, and others make room for it, unless the weight gets smaller.
    """
    chosen = np.zeros(len(slots), np.bool_)
    if most >= max(np.bincount([cell for slot in slots for cell in slot], minlength=cells)):
        return ~chosen
    through = [[i for i, slot in enumerate(slots) if cell in slot] for cell in range(cells)]
    load = np.zeros(cells, np.int64)
    rng = random.Random(0)
    for _ in range(_TRIES):
        new = rng.randrange(len(slots))
        if chosen[new]:
            continue
        chosen[new] = True
        load[slots[new]] += 1
        gone: list[int] = []
        for cell in slots[new]:
            if load[cell] > most:
                others = [i for i in through[cell] if chosen[i] and i != new]
                full = [(load[slots[i]] > most).sum() for i in others]
                lost = max(range(len(others)), key=lambda k: (full[k], -weights[others[k]]))
                gone.append(others[lost])
                chosen[others[lost]] = False
                load[slots[others[lost]]] -= 1
        if sum(weights[i] for i in gone) > weights[new]:
            for i in gone:
                chosen[i] = True
                load[slots[i]] += 1
            chosen[new] = False
            load[slots[new]] -= 1
    return chosen
