"""The law ``each``: every layout of the labelled fleet in turn, so that results are exact.

Game i has layout i mod N. The N layouts are in the order of the slots of the first ship of the
fleet, then of the second, and so on; the slots of a ship are in the order of `Rules.slots`. Ships
of equal length are distinguishable, as in the law ``uniform``, since some answers distinguish
them, too. So the games 0 … N - 1 of a strategy without random numbers have the exact
distribution of its move counts under that law. A seed changes nothing.

Layouts are found by a search that goes on from any one. A bookmark at every 4,096th says where to
begin::

    layout      0 …      4,096 …      8,192 …
    bookmark    0: 0 6   1: 3 17      2: 8 2        for each ship, the number of its slot
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.kernels._jit import kernel
from bsbench.kernels.slots import Bits, slot_masks
from bsbench.layouts import Codes, Sampler
from bsbench.rules.board import Rules

MOST_LAYOUTS = 100_000_000
"""Layouts at most: to find them takes a second, and to play them some minutes."""

_MOST_TRIED = 3_000_000_000
"""Slots that are tried at most, some seconds: on crowded boards, few of them lead to a layout."""

_EVERY = 4_096
"""Layouts from one bookmark to the next."""

_PACE = 1e6
"""Games a second that an estimate is based on."""


@kernel
def _go_on(begin, cells, closed, taken, place, ship, layouts, found, most, left):
    """Find the next layouts; return how many ``layouts`` has, with ``found`` before.

    ``place`` has the slot of each ship in the last layout, with -1 for the ships that are to be
    laid from the first slot on; ``ship`` is the one that moves first. ``taken[s]`` are the cells
    that ships before s close. Without ``layouts`` they are counted, up to ``most`` in all.
    ``left[0]`` is how many slots may be tried; the search ends where that is 0.
    """
    last = len(place) - 1
    while ship >= 0 and found < most and left[0] > 0:
        left[0] -= 1
        slot = place[ship] = place[ship] + 1
        row = begin[ship] + slot
        if row == begin[ship + 1]:
            place[ship] = -1
            ship -= 1
            continue
        clash = np.uint64(0)
        for word in range(cells.shape[1]):
            clash |= taken[ship, word] & cells[row, word]
        if clash != np.uint64(0):
            continue
        if ship < last:
            for word in range(cells.shape[1]):
                taken[ship + 1, word] = taken[ship, word] | closed[row, word]
            ship += 1
        else:
            if layouts is not None:
                for each in range(len(place)):
                    layouts[found, each] = place[each]
            found += 1
    return found


class Each(Sampler):
    """Sampler that gives every layout in turn; see `Sampler`.

    Parameters
    ----------
    rules : Rules

    Attributes
    ----------
    layouts : int
        How many there are, with distinguishable ships.

    Raises
    ------
    BsbenchError
        If they are more than `MOST_LAYOUTS`, or too rare among all ways to lay the ships.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self._codes, cells, closed = zip(
            *(slot_masks(rules, length) for length in rules.fleet), strict=True
        )
        self._cells: Bits = np.concatenate(cells)
        self._closed: Bits = np.concatenate(closed)
        self._begin = np.cumsum([0, *map(len, self._codes)])
        ships = len(rules.fleet)
        place, ship = np.full(ships, -1), 0
        marks: list[npt.NDArray[np.int64]] = []
        left = np.array([_MOST_TRIED])
        self.layouts, found = 0, _EVERY
        while found == _EVERY:
            # One layout, which is marked, and those up to the next mark.
            first = self._next(place, ship, None, 1, left)
            marks += [place.copy()] * first
            ship = ships - 1
            found = first and 1 + self._next(place, ship, None, _EVERY - 1, left)
            self.layouts += found
            if self.layouts > MOST_LAYOUTS:
                raise BsbenchError(_too_many(rules))
            if left[0] == 0:
                raise BsbenchError(
                    f"all layouts of the fleet {list(rules.fleet)} on the {rules.board} board "
                    "can't be found: the board is too crowded; use a larger board or fewer ships, "
                    "or play random layouts"
                )
        self._marks = np.array(marks)

    def _next(
        self,
        place: npt.NDArray[np.int64],
        ship: int,
        layouts: Codes | None,
        most: int,
        left: npt.NDArray[np.int64],
    ) -> int:
        """Go on from a layout; see `_go_on`."""
        taken = np.zeros((len(place) + 1, self._cells.shape[1]), np.uint64)
        for laid in range(ship):
            row = self._begin[laid] + place[laid]
            taken[laid + 1] = taken[laid] | self._closed[row]
        parts = self._begin, self._cells, self._closed, taken
        found: int = _go_on(*parts, place, ship, layouts, 0, most, left)
        return found

    def draw(self, seed: int, first_game: int, games: int) -> Codes:
        """Return the layouts of some games in a row; see `Sampler.draw`."""
        places = np.empty((games, len(self.rules.fleet)), np.int32)
        done = 0
        # As many as it takes: all slots were tried before.
        left = np.array([np.iinfo(np.int64).max])
        while done < games:
            mark, skipped = divmod((first_game + done) % self.layouts, _EVERY)
            place, last = self._marks[mark].copy(), len(self.rules.fleet) - 1
            places[done] = place
            if skipped:
                self._next(place, last, None, skipped - 1, left)
                self._next(place, last, places[done : done + 1], 1, left)
            done += 1
            done += self._next(place, last, places[done:], games - done, left)
        layouts = np.empty_like(places)
        for ship, codes in enumerate(self._codes):
            layouts[:, ship] = codes[places[:, ship]]
        return layouts


def sampler_of(rules: Rules, option: None = None) -> Sampler:
    """Return the sampler."""
    return Each(rules)


def count_layouts(rules: Rules) -> int:
    """Return how many layouts there are, with distinguishable ships.

    Raises
    ------
    BsbenchError
        If they are more than `MOST_LAYOUTS`.
    """
    return _count(rules.layout_rules)


@lru_cache(16)
def _count(rules: Rules) -> int:
    return Each(rules).layouts


def _too_many(rules: Rules) -> str:
    """Return why not all layouts are played: how many there are, and how long that would take."""
    from bsbench.counting.evidence import Evidence
    from bsbench.counting.posterior import find_posterior

    try:
        layouts = find_posterior(Evidence(rules)).layouts
    except BsbenchError:
        layouts = 0
    most = f"{MOST_LAYOUTS:,}"
    number, how_long = f"more than {most}", ""
    if layouts:
        number, hours = f"{layouts:,}", layouts / _PACE / 3600
        taken = f"{hours:,.0f} hours" if hours < 48 else f"{hours / 24:,.0f} days"
        how_long = f" (a million games a second would take {taken})"
    return (
        f"all layouts of the fleet {list(rules.fleet)} on the {rules.board} board are too many to "
        f"play each: {number}, and {most} is the limit{how_long}; use a smaller board or fewer "
        "ships, or play random layouts"
    )
