"""The twin of ``lattice-net``: the weights are its own, the rest follows from the definition."""

from dataclasses import replace

import numpy as np

from bsbench.roster import find_strategy
from bsbench.rules.board import Feedback
from bsbench.strategies.lattice_net import WEIGHTS
from tests.support.naive.density import Record
from tests.support.naive.strategies.lattice2 import RecordByRuns, played, slot_scores

SLOWNESS = 40


def lattice_net(rules, seed: int, game: int):
    record, choose = player(rules)
    return played(record, choose)


def player(rules):
    """Return a record, and what chooses a cell by such a record."""
    rules = replace(rules, feedback=Feedback.SUNK)
    numbers = find_strategy("lattice2")()._numbers(rules)
    known = (rules.rows, rules.cols, sorted(rules.fleet)) == (10, 10, [2, 3, 3, 4, 5])
    known = known and rules.touching is True
    with np.load(WEIGHTS) as found:
        networks = {name: found[name].astype(np.float32) for name in found}

    def choose(record: Record) -> int:
        scores = slot_scores(record, numbers, 1.0)
        cells = sorted((c for c in record.candidates() if scores[c] > 0), key=lambda c: -scores[c])
        cell = cells[0]
        if known and len(record.afloat) <= 4:
            values = values_of(record, cells[:8], scores, networks)
            least = values[0]
            for other, value in zip(cells[1:8], values[1:], strict=True):
                if value < least:
                    cell, least = other, value
        return cell

    return RecordByRuns(rules, "full"), choose


def values_of(record: Record, cells: list[int], scores, networks) -> list[np.float32]:
    """Return what the networks expect of some cells, the highest score first."""
    shortest = min(record.rules.fleet[ship] for ship in record.afloat)
    which = min(shortest, 4) - 2 + (3 if record.open_hits else 0)
    weights = {name: array[which] for name, array in networks.items()}
    highest = int(scores[cells[0]])
    return [
        value(inputs(record, cell, rank, min(31, 32 * int(scores[cell]) // highest)), weights)
        for rank, cell in enumerate(cells)
    ]


def value(rows: list[int], weights) -> np.float32:
    one = weights["first_bias"].copy()
    for row in rows:
        one += weights["first"][row]
    two = weights["second_bias"].copy()
    for before, unit in enumerate(one):
        if unit > 0:
            two += unit * weights["second"][before]
    total = np.float32(0)
    for before, unit in enumerate(two):
        if unit > 0:
            total += unit * weights["third"][before]
    return total


def inputs(record: Record, cell: int, rank: int, part: int) -> list[int]:
    """Return the numbers of the rows that are added, in order."""
    water = record.misses | record.sunk
    seen = {other: difference(cell, other) for other in range(100)}
    at = {place: other for other, place in seen.items()}
    rows = [
        11 * (seen[other][0] + 5) + seen[other][1] + 5
        for other in sorted(water)
        if max(map(abs, seen[other])) <= 5
    ]
    rows += [
        121 + 9 * (seen[other][0] + 4) + seen[other][1] + 4
        for other in sorted(record.open_hits)
        if max(map(abs, seen[other])) <= 4
    ]
    rows.append(202 + eighth().index(corner(cell)))
    afloat = [record.rules.fleet[ship] for ship in record.afloat]
    shapes = [afloat.count(2), afloat.count(3), afloat.count(3) == 2, afloat.count(4)]
    rows += [217 + number for number, there in enumerate([*shapes, afloat.count(5)]) if there]
    free, hits = [], []
    for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        arm = [at.get((down * step, right * step)) for step in range(1, 5)]
        free.append(first_outside(arm, set(range(100)) - water))
        hits.append(first_outside(arm, record.open_hits))
    rows += [222 + 5 * way + count for way, count in enumerate(free)]
    rows += [242 + 5 * way + count for way, count in enumerate(hits)]
    return [*rows, 262 + rank, 270 + part, 302 + len(record.unshot) // 5]


def first_outside(arm, cells: set[int]) -> int:
    """Return how many cells of an arm, from its beginning on, are among some cells."""
    return next((step for step, cell in enumerate(arm) if cell not in cells), len(arm))


def difference(cell: int, other: int) -> tuple[int, int]:
    """Return rows down and columns right, on the board turned over to the cell's frame."""
    (row, col), (other_row, other_col) = divmod(cell, 10), divmod(other, 10)
    down, right = other_row - row, other_col - col
    if row > 4:
        row, down = 9 - row, -down
    if col > 4:
        col, right = 9 - col, -right
    return (right, down) if row > col else (down, right)


def corner(cell: int) -> tuple[int, int]:
    """Return the cell's place in the eighth of the board."""
    row, col = divmod(cell, 10)
    low, high = sorted((min(row, 9 - row), min(col, 9 - col)))
    return low, high


def eighth() -> list[tuple[int, int]]:
    """Return all places, row by row."""
    return [(row, col) for row in range(5) for col in range(row, 5)]
