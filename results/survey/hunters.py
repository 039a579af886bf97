"""Hunters of the survey that differ in a detail from bsbench's `hunt-line` and `hunt-target`."""

from collections import deque
from dataclasses import dataclass


class LineScan:
    """As hunt-line, but hunts the checkerboard row by row."""

    def reset(self, rules, rng):
        """Begin a game."""
        self.rng = rng

    def shoot(self, view):
        """Return the next shot."""
        wounded = set(view.wounded)
        ends, beside = set(), set()
        for hit in wounded:
            for cell in filter(view.is_open, view.neighbours(hit)):
                beside.add(cell)
                if 2 * hit - cell in wounded and 2 * hit - cell in view.neighbours(hit):
                    ends.add(cell)
        if beside:
            return self.rng.choice(sorted(ends or beside))
        hunted = (cell for cell in view.open_cells if (view.row(cell) + view.col(cell)) % 2 == 0)
        return next(hunted, view.open_cells[0])


@dataclass
class Plan:
    """As hunt-target, but forgets its targets when a ship has sunk, or hunts by diagonals.

    Parameters
    ----------
    queue : int
        1: the target found first comes first; 0: the one found last.
    order : str
        In which order neighbours become targets.
    step : int
        From one hunted diagonal to the next; 0: the length of the shortest ship afloat.
    clear : int
        1: the list is emptied when a ship has sunk.
    """

    queue: int = 1
    order: str = "NSEW"
    step: int = 1
    clear: int = 0

    needs = "sunk"

    def reset(self, rules, rng):
        """Begin a game."""
        self.rng, self.targets = rng, deque()

    def shoot(self, view):
        """Return the next shot."""
        if view.outcome:
            self._note(view)
        while self.targets:
            cell = self.targets.popleft() if self.queue else self.targets.pop()
            if view.is_open(cell):
                return cell
        step = self.step or min((view.rules.fleet[ship] for ship in view.afloat), default=1)
        on_it = [c for c in view.open_cells if (view.row(c) + view.col(c)) % step == 0]
        return self.rng.choice(on_it or view.open_cells)

    def _note(self, view):
        if self.clear and view.outcome == 2:
            self.targets.clear()
            return
        row, col = view.row(view.last), view.col(view.last)
        ways = {"N": (-1, 0), "S": (1, 0), "E": (0, 1), "W": (0, -1)}
        near = [view.at(row + ways[way][0], col + ways[way][1]) for way in self.order]
        new = (c for c in near if c is not None and view.is_open(c) and c not in self.targets)
        self.targets.extend(new)


class Gaps(LineScan):
    """Hunts the middle of a longest stretch of open cells; then the line, as hunt-line."""

    def shoot(self, view):
        """Return the next shot."""
        if view.wounded:
            return super().shoot(view)
        best, middles = 0, []
        for cell in view.open_cells:
            for down, right in ((0, 1), (1, 0)):
                length = self._stretch(view, cell, down, right)
                if length > best:
                    best, middles = length, []
                if length == best:
                    half = length // 2
                    middles.append(
                        view.at(view.row(cell) + down * half, view.col(cell) + right * half)
                    )
        return self.rng.choice(middles)

    def _stretch(self, view, cell, down, right):
        row, col, length = view.row(cell), view.col(cell), 0
        while cell is not None and view.is_open(cell):
            length += 1
            cell = view.at(row + down * length, col + right * length)
        return length
