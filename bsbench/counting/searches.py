"""How many placements of some ships a shooter can finish with few misses, at most.

The board is forgotten: what is kept of each ship is how many slots it may still lie in. So the
numbers hold on every board, whatever is known of other ships.

*Not hit yet*: ``(length, most)``. A shot hits the ship in ``most`` of its slots at most, and
misses change nothing.

*Hit*: ``(length, p, q)``. The ship lies in one of p slots along one direction, or of q across it. A
shot tests the slots of one direction: j of them contain its cell. After a hit these j are left,
after a miss all others. All ``length`` slots of a direction have only cells in common that were
hit, so j is below ``length``.

*Known*: ``(length, 1, 0)``. The rest of the ship is hit without a miss, and the ship is forgotten.

A shot may test several ships at once, as if their slots could always be made to cross; and it may
test each of them in the best way, as if there were always such a cell. Both only help the shooter.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError

Ship = tuple[int, ...]
"""What is known of a ship: ``(length, most)`` before the first hit, then ``(length, p, q)``."""

Counts = npt.NDArray[np.int64]


def most_through(length: int) -> int:
    """Return how many slots of a ship can contain the same cell, on a large board."""
    return 1 if length == 1 else 2 * length


class Searches:
    """Limits on how many placements of ships can be finished, by the number of misses.

    Parameters
    ----------
    times : int
        Numbers of misses: 0 to ``times - 1``.
    """

    def __init__(self, times: int) -> None:
        self._times = times
        self._nothing: Counts = np.zeros(times, np.int64)
        self._found: dict[tuple[Ship, ...], Counts] = {(): np.ones(times, np.int64)}

    def most_finished(self, *ships: Ship) -> Counts:
        """Return how many placements can be finished with t misses or fewer, for each t.

        This is the most that any choice of shots reaches, for each t on its own. The sum over the
        answers to a shot is::

            most(t, ships) = most(t - 1, ships after a miss)
                             + sum over ships: most(t, ships after a hit on this one)

        Where a ship is hit, the shot misses all others, which tests them for free.

        Parameters
        ----------
        *ships : Ship

        Returns
        -------
        ndarray of int64, shape (times,)
            Not to be changed.

        Raises
        ------
        BsbenchError
            If the numbers may not fit into 63 bits.
        """
        crowd = 1
        for ship in ships:
            crowd *= most_through(ship[0]) * (self._times + len(ships))
        if crowd >= 1 << 62:
            raise BsbenchError(
                f"searches for {len(ships)} ships with up to {self._times - 1} misses can't be "
                "counted in 63 bits: choose a smaller board"
            )
        return self._most(ships)

    def _most(self, ships: tuple[Ship, ...]) -> Counts:
        ships = tuple(sorted(ship for ship in ships if ship[1:] != (1, 0)))
        if ships not in self._found:
            self._found[ships] = self._search(ships)
        return self._found[ships]

    def _search(self, ships: tuple[Ship, ...]) -> Counts:
        best = np.zeros(self._times, np.int64)
        aimless = np.zeros(self._times, np.int64)
        tests = [[None] if len(ship) == 2 else [None, *_tests(ship)] for ship in ships]
        for chosen in product(*tests):
            tested = [(i, test) for i, test in enumerate(chosen) if test is not None]
            missed: list[Ship | None] = list(ships)
            for i, (_, miss) in tested:
                missed[i] = miss
            total = np.zeros(self._times, np.int64)
            for i, (hit, _) in tested:
                total += self._with(missed, i, hit)
            for i, ship in enumerate(ships):
                if len(ship) == 2:
                    first = [self._with(missed, i, hit) for hit in _first_hits(*ship)]
                    total += np.maximum.reduce(first)
            if not tested:
                aimless = total
                continue
            if None not in missed:
                total[1:] += self._with(missed, 0, missed[0])[:-1]
            np.maximum(best, total, out=best)
        # After an aimless miss nothing has changed, but the number of misses.
        before = 0
        for t in range(self._times):
            before = best[t] = max(best[t], before + aimless[t])
        return best

    def _with(self, ships: list[Ship | None], changed: int, ship: Ship | None) -> Counts:
        """Return the limit where one ship is replaced: 0 if a ship can't be anywhere."""
        others = [*ships[:changed], ship, *ships[changed + 1 :]]
        known = tuple(each for each in others if each is not None)
        return self._most(known) if len(known) == len(others) else self._nothing


def _tests(ship: Ship) -> Iterator[tuple[Ship | None, Ship | None]]:
    """Yield what shots at a ship that was hit can leave: after a hit, and after a miss."""
    length, *both = ship
    for along, across in {(both[0], both[1]), (both[1], both[0])}:
        for hit in range(1, min(along, length - 1) + 1):
            if hit < along or across:
                yield _hit_ship(length, hit, 0), _hit_ship(length, along - hit, across)


def _first_hits(length: int, most: int) -> Iterator[Ship]:
    """Yield what the first hit on a ship can leave, of the slots through its cell."""
    if length == 1:
        yield (1, 1, 0)
    else:
        for along in range((most + 1) // 2, min(length, most) + 1):
            yield length, along, most - along


def _hit_ship(length: int, along: int, across: int) -> Ship | None:
    """Return a ship that was hit, the direction with more slots first; None without slots."""
    if along + across == 0:
        return None
    return length, max(along, across), min(along, across)
