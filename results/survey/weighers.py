"""Players that weigh slots by the hits in them, written from their sources, for the survey."""

from dataclasses import dataclass
from functools import cache

import numpy as np


@cache
def slots_of(rows, cols, fleet):
    """Return all slots of the lengths of a fleet, as rows of zeros and ones, and their lengths."""
    ways = [
        (row * cols + col, step, length)
        for length in sorted(set(fleet))
        for row in range(rows)
        for col in range(cols)
        for step, room in ((1, cols - col), (cols, rows - row))
        if length <= room
    ]
    grid = np.zeros((len(ways), rows * cols))
    for slot, (start, step, length) in zip(grid, ways, strict=True):
        slot[start : start + step * length : step] = 1
    return grid, np.array([length for *_, length in ways])


class Weighing:
    """What all of them share."""

    needs = "sunk"

    def reset(self, rules, rng):
        """Begin a game."""
        self.rules, self.rng = rules, rng
        self.slots, self.lengths = slots_of(rules.rows, rules.cols, rules.fleet)

    def mask(self, cells):
        """Return cells as zeros and ones."""
        mask = np.zeros(self.rules.cells)
        mask[list(cells)] = 1
        return mask

    def score(self, afloat, blocked, hits, weights):
        """Return the sum over the slots of these lengths through each cell.

        Those through a blocked cell count nothing, others by ``weights``, by their hits.
        """
        ships = np.bincount(afloat, minlength=max(self.rules.fleet) + 1)
        inside = (self.slots @ self.mask(hits)).astype(int)
        free = self.slots @ self.mask(blocked) == 0
        return (free * ships[self.lengths] * np.array(weights)[inside]) @ self.slots


@dataclass
class Through(Weighing):
    """All slots without a miss; once there is a hit, only those through a hit. Ties at random.

    With ``told=2`` it hears which cells sank, with 1 only which ship, whose hits count on, and with
    0 nothing. A slot counts ``base`` times for each hit in it; with ``linear=1``, by their number.

    Sources: github.com/anderix/luxplay at e195a316, battleship.lux (base 12, and the figures of its
    head); github.com/mglenn001/CSC520_battleship, csp_agent.py of 2026 (base 1, told 1).
    """

    base: int = 12
    linear: int = 0
    told: int = 2

    def shoot(self, view):
        """Return a cell."""
        fleet, gone = self.rules.fleet, [cell for ship in view.sunk for cell in ship.cells]
        afloat = [fleet[ship] for ship in (view.afloat if self.told else range(len(fleet)))]
        hits = view.wounded if self.told == 2 else view.hits
        blocked = [*view.misses, *(gone if self.told == 2 else ())]
        known = range(1, max(fleet) + 1)
        weights = [0 if hits else 1, *(n if self.linear else self.base**n for n in known)]
        score = self.score(afloat, blocked, hits, weights)
        most = max(score[cell] for cell in view.open_cells)
        return self.rng.choice([cell for cell in view.open_cells if score[cell] == most])


@dataclass
class Attributed(Weighing):
    """All slots, ``bonus`` times for each open hit; the first of equals. It hears only lengths.

    Of a ship that sinks, it takes the longer run of open hits through the last shot, of two equal
    ones that of the row, from there on to the left or up first, and to the right or down then.

    Source: github.com/Canon-Regularis/mayflower at 4d0da010, include/mayflower/policy.hpp.
    """

    deterministic = True
    bonus: int = 50

    def shoot(self, view):
        """Return a cell."""
        afloat, hits, gone = self.situation(view)
        weights = [self.bonus**number for number in range(max(self.rules.fleet) + 1)]
        score = self.score(afloat, [*view.misses, *gone], hits, weights)
        return max(view.open_cells, key=lambda cell: (score[cell], -cell))

    def situation(self, view):
        """Return the lengths afloat, the open hits, and the cells that it takes for sunk ships."""
        afloat, hits, gone = list(self.rules.fleet), set(), set()
        for cell, outcome, turn in zip(view.shots, view.outcomes, view.turns, strict=True):
            if outcome:
                hits.add(cell)
            if outcome == 2:
                length = self.rules.fleet[turn.ships[0]]
                afloat.remove(length)
                gone.update(self.run(view, cell, hits, length))
                hits -= gone
        return afloat, hits, gone

    def run(self, view, last, hits, length):
        """Return the hits that it takes for a ship of this length that the last shot has sunk."""
        across, down = (self.sides(view, last, hits, length, *way) for way in ((0, 1), (1, 0)))
        before, behind = down if sum(map(len, down)) > sum(map(len, across)) else across
        return [last, *before, *behind][:length]

    def sides(self, view, last, hits, length, down, right):
        """Return the open hits before and behind the last shot, each outwards."""
        both = []
        for sign in (-1, 1):
            run = []
            for step in range(sign, sign * length, sign):
                cell = view.at(view.row(last) + step * down, view.col(last) + step * right)
                if cell not in hits:
                    break
                run.append(cell)
            both.append(run)
        return both


class Extending(Attributed):
    """Checkerboard hunt; extends the first line of open hits, else goes beside the first open hit.

    Source: as Attributed.
    """

    deterministic = False

    def shoot(self, view):
        """Return a cell."""
        hits = sorted(self.situation(view)[1])
        ways = ((0, -1), (0, 1), (-1, 0), (1, 0))
        for hit in hits:
            for down, right in ways:
                if self.end(view, hit, down, right, {hit}) in hits:
                    for sign in (-1, 1):
                        end = self.end(view, hit, sign * abs(down), sign * abs(right), hits)
                        if end is not None and view.is_open(end):
                            return end
        for hit in hits:
            for down, right in ways[2:] + ways[:2]:
                near = self.end(view, hit, down, right, {hit})
                if near is not None and view.is_open(near):
                    return near
        even = [c for c in view.open_cells if (view.row(c) + view.col(c)) % 2 == 0]
        return self.rng.choice(even or view.open_cells)

    def end(self, view, cell, down, right, cells):
        """Return the first cell in a direction that is not one of these, if it is on the board."""
        while cell in cells:
            cell = view.at(view.row(cell) + down, view.col(cell) + right)
        return cell


@cache
def rays_of(line, length):
    """Return what the open cells of a line count that ships of a length reach from each of them.

    From each open cell, to either side, it counts the length, and the next ones one less each. In
    bytes of 0, and 1 for open cells, a closed one ends that; without ``line``, none does.
    """
    counts = np.zeros(len(line))
    for start in range(len(line)):
        for sign in (-1, 1):
            for step in range(length):
                cell = start + sign * step
                if not (0 <= cell < len(line) and line[cell]):
                    break
                counts[cell] += length - step
    return counts


class Rays:
    """Counts what rays from open cells reach; of ships that were hit, from the ends of their hits.

    A ray of a whole ship goes along the row to a closed cell, and along the column anywhere. One of
    a ship that was hit counts 100 times, and goes as far as cells are missing; up, it goes
    anywhere, too. Ties at random. It hears which ship each hit is on.

    Source: github.com/loc-trinh/battleship-ai at e410be09, player.py.
    """

    needs = "ship"

    def reset(self, rules, rng):
        """Begin a game."""
        self.rng = rng

    def shoot(self, view):
        """Return a cell."""
        rows, cols, fleet = view.rows, view.cols, view.rules.fleet
        score, state = np.zeros((rows, cols)), bytearray(rows * cols)
        for cell in view.open_cells:
            state[cell] = 1
        hits = {}
        for turn in view.turns:
            hits.setdefault(turn.ships[0], []).append(turn.cells[0])
        for ship in view.afloat:
            length = fleet[ship]
            if ship in hits:
                self.add_rest(view, score, sorted(hits[ship]), length - len(hits[ship]))
                continue
            for row in range(rows):
                score[row] += rays_of(bytes(state[row * cols : (row + 1) * cols]), length)
            score += self.down(np.frombuffer(state, np.uint8).reshape(rows, cols), length)
        score = score.ravel()
        most = max(score[cell] for cell in view.open_cells)
        return self.rng.choice([cell for cell in view.open_cells if score[cell] == most])

    def down(self, state, length):
        """Return what rays count along the columns, where nothing ends them."""
        away = abs(np.subtract.outer(np.arange(len(state)), np.arange(len(state))))
        reach = np.maximum(length - away, 0) * (1 + (away == 0))
        return reach @ state

    def add_rest(self, view, score, hits, left):
        """Add what counts for a ship that was hit, and that has so many cells left."""
        first, last = divmod(hits[0], view.cols), divmod(hits[-1], view.cols)
        across, down = ((first, (0, -1)), (last, (0, 1))), ((first, (-1, 0)), (last, (1, 0)))
        one_line = across if hits[1:] and hits[1] - hits[0] == 1 else down
        rays = one_line if len(hits) > 1 else across + down
        for (row, col), (south, east) in rays:
            for step in range(1, left + 1):
                cell = view.at(row + step * south, col + step * east)
                if cell is None or (south >= 0 and not view.is_open(cell)):
                    break
                score[divmod(cell, view.cols)] += 100 * (left + 1 - step)


class Invisible(Weighing):
    """All slots, whatever their hits; from a hit on, the likeliest neighbours, then a line.

    It hears that a ship sank, not which: its hits in a row with the last one are the ship, if one
    of that length is afloat. Of the last ship, it counts the cells that are left. Of equal cells,
    the last one.

    Source: github.com/man-vu/comp10205-battleship at 98d37204, src.
    """

    def reset(self, rules, rng):
        """Begin a game."""
        super().reset(rules, rng)
        self.slots, self.lengths = slots_of(rules.rows, rules.cols, (*rules.fleet, 1))
        self.afloat, self.sinkings = [*sorted(rules.fleet)], 0
        # Hits since a ship sank last, cells to try, and the direction of the ship, if it is known.
        self.chase, self.stack, self.way = [], [], None
        self.hit, self.gone = set(), set()

    def shoot(self, view):
        """Return a cell."""
        if view.outcome:
            self.note(view)
        self.chances = self.score(self.afloat, [*view.misses, *self.gone], (), [1] * 6)
        if (cell := self.chased(view)) is not None:
            return cell
        shots = self.hit | self.gone
        best = max(view.open_cells, key=lambda cell: (self.chances[cell], cell))
        if len(shots) == sum(self.rules.fleet) - 1 or not self.chances[best]:
            for shot in sorted(shots):
                if near := self.beside(view, shot):
                    return near[0]
        return best

    def beside(self, view, cell):
        """Return the open neighbours of a cell: those in its column first, then right and left."""
        row, col = view.row(cell), view.col(cell)
        ways = ((-1, 0), (1, 0), (0, 1), (0, -1))
        near = [view.at(row + down, col + right) for down, right in ways]
        return [cell for cell in near if cell is not None and view.is_open(cell)]

    def fill(self, view, cell):
        """Make the neighbours of a hit those to try next, the likeliest first."""
        self.stack = sorted(self.beside(view, cell), key=lambda cell: self.chances[cell])

    def chased(self, view):
        """Return the next cell to try beside a hit, if there is one."""
        while self.stack:
            cell = self.stack.pop()
            if not view.is_open(cell):
                continue
            if not self.chase:
                return cell
            in_row = view.row(cell) == view.row(self.chase[0])
            in_col = view.col(cell) == view.col(self.chase[0])
            if (in_row and self.way != "col") or (in_col and (in_row or self.way != "row")):
                return cell
        for hit in sorted(self.hit):
            self.fill(view, hit)
            if self.stack:
                return self.stack.pop()
        return None

    def note(self, view):
        """Note a hit, and what has sunk with it."""
        last = view.last
        self.hit.add(last)
        if not self.chase:
            self.way = None
        self.chase.append(last)
        if not self.stack:
            self.fill(view, last)
        else:
            for way, line in (("row", view.row), ("col", view.col)):
                if line(last) == line(self.chase[0]):
                    self.way = way
                    self.stack += [c for c in self.beside(view, last) if line(c) == line(last)]
                    break
        if view.outcome == 2:
            self.note_sinking(view)

    def note_sinking(self, view):
        """Note that a ship sank with the last hit."""
        last, before = self.chase[-1], self.chase[max(len(self.chase) - 2, 0)]
        line, step = (view.row, 1) if view.row(last) == view.row(before) else (view.col, view.cols)
        cell, run = min(hit for hit in self.chase if line(hit) == line(last)), []
        while cell in self.hit and line(cell) == line(last):
            run.append(cell)
            cell += step
        if len(run) in self.afloat and len(run) > 1:
            self.afloat.remove(len(run))
            self.gone.update(run)
        self.gone.add(last)
        self.hit -= self.gone
        self.stack, self.chase, self.sinkings = [], [], self.sinkings + 1
        if self.sinkings == len(self.rules.fleet) - 1:
            self.afloat = [sum(self.rules.fleet) - len(self.hit) - len(self.gone)]


class Barracuda(Weighing):
    """All slots; open cells beside a hit, along a slot through it, count 20 more; up to 255.

    Sums go on from 0 after 255, as bytes do. Of a ship that sinks, it hears the length; it takes
    the hits for it only if its row or its column has just so many of them, and the other one.

    Source: github.com/slashbyte/BattleShip at eb84429c, engines/barracuda/main.cpp.
    """

    deterministic = True

    def shoot(self, view):
        """Return a cell."""
        afloat, hits, gone = [*self.rules.fleet], set(), set()
        for cell, outcome, turn in zip(view.shots, view.outcomes, view.turns, strict=True):
            if outcome:
                hits.add(cell)
            if outcome == 2:
                length = self.rules.fleet[turn.ships[0]]
                afloat.remove(length)
                gone |= self.attributed(view, cell, hits, length)
                hits -= gone
        ships = np.bincount(afloat, minlength=max(self.rules.fleet) + 1)[self.lengths]
        free = ships * (self.slots @ self.mask([*view.misses, *gone]) == 0)
        score, across = free @ self.slots, self.slots[:, :-1] * self.slots[:, 1:]
        in_row = across.any(axis=1)
        for way, slots in ((1, in_row), (view.cols, ~in_row)):
            through = (free * slots) @ self.slots
            for hit in hits:
                for near in {hit - way, hit + way} & {*view.neighbours(hit)}:
                    score[near] += 20 * through[hit]
        return max(view.open_cells, key=lambda cell: (score[cell] % 256, -cell))

    def attributed(self, view, last, hits, length):
        """Return the hits that it takes for a ship of this length that has sunk."""
        row = sorted(hit for hit in hits if view.row(hit) == view.row(last))
        col = sorted(hit for hit in hits if view.col(hit) == view.col(last))
        for line, other in ((row, col), (col, row)):
            if len(line) == length and len(other) == 1:
                return {*line}
        return set()


@dataclass
class FourWays(Weighing):
    """After a hit, one of the first three open cells beside most hits, until it misses five times.

    Then it seeks: with ``seek=any`` anywhere, with ``checkerboard`` on every second cell, and with
    ``slots`` where most slots of all ships are, whatever their hits. Hits in the second row do not
    count for the first one, nor those in the second column. It hears of no sinking.

    Source: github.com/j-diefenbach/Battleship at b8323ab7, battleshiptester.c.
    """

    needs = "hit"
    seek: str = "any"

    def reset(self, rules, rng):
        """Begin a game."""
        super().reset(rules, rng)
        self.hunting, self.missed = False, 0

    def shoot(self, view):
        """Return a cell."""
        cells = view.open_cells
        if view.shots:
            self.missed = 0 if view.outcome else self.missed + 1
            self.hunting = bool(view.outcome) or (self.hunting and self.missed < 5)
        if self.hunting:
            near = [cell for hit in view.hits for cell in self.beside(view, hit)]
            most = max(near.count(cell) for cell in cells)
            return self.rng.choice([cell for cell in cells if near.count(cell) == most][:3])
        if self.seek == "checkerboard":
            cells = [c for c in cells if (view.row(c) + view.col(c)) % 2] or cells
        if self.seek == "slots":
            score = self.score(self.rules.fleet, view.misses, (), [1] * 6)
            most = max(score[cell] for cell in cells)
            cells = [cell for cell in cells if score[cell] == most]
        return self.rng.choice(cells)

    def beside(self, view, hit):
        """Return the cells beside a hit that it counts for."""
        first = {view.cols: view.row, 1: view.col}
        near = view.neighbours(hit)
        return [cell for cell in near if cell > hit or first[hit - cell](cell) > 0]
