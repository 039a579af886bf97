"""Write the reference positions again: ``python -m tests.positions.make``.

Layouts are uniform. One half of them is shot at in random cells, the other half as people do it:
beside hits of ships that are afloat, else in cells of one colour. Each game is left after a random
number of shots, before its end; the first one of a file after the fewest. The script draws the same
on every run and machine, and counts with `bsbench.counting`, as ``bsbench odds`` does.
`tests.positions.second` counts again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from bsbench.counting.evidence import Evidence
from bsbench.counting.posterior import find_posterior
from bsbench.rules.board import Rules
from bsbench.rules.drawing import cell_name
from bsbench.rules.position import Position, answers_on
from bsbench.rules.slots import slot_code

FOLDER = Path(__file__).parent

SHOWN = 4
"""Cells with their chance in each line, if so many are open."""

FEWEST_OPEN = 3


class Kind(NamedTuple):
    """Positions of some rules: how many, and how many shots they have."""

    rules: str
    positions: int
    fewest: int
    most: int

    @property
    def path(self) -> Path:
        """Return their file."""
        return FOLDER / f"{self.rules.replace(' ', '_')}.txt"


RUSSIAN = "10x10 4-3-3-2-2-2-1-1-1-1"

KINDS = [
    Kind("3x3 2 touching hit", 60, 0, 6),
    Kind("3x3 2-1 corners length", 60, 0, 6),
    Kind("3x4 2-2 apart told", 60, 0, 9),
    Kind("1x9 3-2 corners sunk", 60, 0, 6),
    Kind("4x4 3-2 touching sunk", 80, 0, 12),
    Kind("4x4 3-2-1 corners told", 80, 0, 12),
    Kind("4x4 2-2-2 touching told", 80, 0, 12),
    Kind("4x4 3-2-2 touching length", 80, 0, 12),
    Kind("4x5 2-2-1 apart length", 80, 0, 15),
    Kind("5x4 3-2 touching ship 3-shots joint", 80, 0, 16),
    Kind("5x5 3-2 apart sunk", 80, 0, 18),
    Kind("5x5 3-2-2 corners hit again", 80, 0, 18),
    Kind("5x5 3-3-2 touching told", 80, 0, 18),
    Kind("6x6 3-2-2-1 touching length", 80, 2, 28),
    Kind("6x6 4-3-2 corners ship 3-shots", 80, 2, 28),
    Kind("6x6 3-2-2-1-1 apart hit", 80, 2, 28),
    Kind("7x7 4-3-3-2 touching sunk", 80, 8, 38),
    Kind("7x7 3-2-2-1 touching ship 3-shots joint", 80, 6, 38),
    Kind("8x8 4-3-3-2-1 corners told", 80, 18, 50),
    Kind("8x8 5-4-3-2 touching length", 80, 15, 50),
    Kind("9x9 4-3-2-2-1 apart sunk", 80, 22, 60),
    Kind("10x10 5-4-3-3-2 touching hit", 60, 34, 70),
    Kind("10x10 5-4-3-3-2 touching told", 60, 34, 70),
    Kind("10x10 5-4-3-3-2 touching ship", 100, 20, 60),
    Kind("10x10 5-4-3-3-2 apart sunk", 100, 20, 60),
    Kind("10x10 5-4-4-3 touching ship 6-shots joint", 80, 18, 60),
    Kind("10x10 5-4-3-3-2-2-1-1 apart hit", 60, 38, 75),
    Kind(f"{RUSSIAN} apart told", 80, 28, 75),
    Kind(f"{RUSSIAN} apart length", 40, 28, 75),
    Kind(f"{RUSSIAN} corners sunk", 40, 40, 75),
]

HEADER = """\
# Reference positions of the game Battleship, from bsbench.
# Rules of all lines: {rules}
#
# RULES: CELL=ANSWER CELL=ANSWER ... ; layouts=N best=CELL,CELL CELL=P/Q ...
#
# Answers are in the order of the shots. Counted are the layouts that agree with all answers, each
# as likely as any other. A layout says where each ship of the fleet lies: two layouts in which two
# ships of one length have changed places are two. (Where answers name such ships, as 3a and 3b,
# these are the first and the second one in the fleet.)
#
# layouts   How many there are.
# best      All cells not yet shot at that are most likely a ship, in order.
# CELL      The exact chance of a ship on this cell, a reduced fraction.
#
# Written by: python -m tests.positions.make
"""


def laid(rules: Rules, rng: random.Random) -> list[range]:
    """Return the cells of each ship of a layout, drawn again until ships fit."""
    while True:
        ships: list[range] = []
        taken: set[int] = set()
        for length in rules.fleet:
            ship = rng.choice(rules.slots(length))
            if not taken.isdisjoint(ship):
                break
            ships.append(ship)
            taken.update(ship, *map(rules.closed_around, ship))
        else:
            return ships


def hunted(rules: Rules, ships: list[range], rng: random.Random) -> Iterator[int]:
    """Yield all cells in the order in which somebody shoots who follows up hits."""
    left = rng.sample(range(rules.cells), rules.cells)
    shot: set[int] = set()
    while left:
        afloat = [cell for ship in ships if not shot.issuperset(ship) for cell in ship]
        near = {
            side
            for cell in shot.intersection(afloat)
            for side in (cell - 1, cell + 1, cell - rules.cols, cell + rules.cols)
            if side in rules.neighbours(cell)
        }
        one_colour = (cell for cell in left if sum(divmod(cell, rules.cols)) % 2 == 0)
        cell = next((cell for cell in left if cell in near), next(one_colour, left[0]))
        left.remove(cell)
        shot.add(cell)
        yield cell


def drawn(words: str, shots: int, rng: random.Random, hunts: bool) -> Position:
    """Return a position after some shots, or less if the game would be over, without figures."""
    position = Position.parse(f"{words}:")
    rules = position.rules
    ships = laid(rules, rng)
    order = [*hunted(rules, ships, rng)] if hunts else rng.sample(range(rules.cells), rules.cells)
    last = max(order.index(cell) for ship in ships for cell in ship)
    number = min(shots, last, rules.cells - FEWEST_OPEN)
    size = rules.most_shots if rules.joint else 1
    turns = [order[at : min(at + size, number)] for at in range(0, number, size)]
    return Position(position.scenario, tuple(answers_on(rules, [*map(slot_code, ships)], turns)))


def figures(position: Position, rng: random.Random) -> Iterator[str]:
    """Yield what must come out: layouts, the best cells, and the chances of some."""
    rules = position.rules
    found = find_posterior(Evidence(rules, position.answers))
    cells = [int(number) for number in found.cells]
    shot = {cell for turn in position.shots for cell in turn}
    left = [cell for cell in range(rules.cells) if cell not in shot]
    ranked = sorted(left, key=cells.__getitem__)
    best = [cell for cell in left if cells[cell] == cells[ranked[-1]]]
    # The most and the least likely, and others.
    shown = {best[0], ranked[0]}
    shown |= {*rng.sample(sorted({*left} - shown), min(SHOWN, len(left)) - len(shown))}
    yield f"layouts={found.layouts}"
    yield f"best={','.join(cell_name(cell, rules.cols) for cell in best)}"
    for cell in sorted(shown):
        chance = Fraction(cells[cell], found.layouts)
        yield f"{cell_name(cell, rules.cols)}={chance.numerator}/{chance.denominator}"


def file_text(kind: Kind) -> str:
    """Return the file of some rules."""
    rng = random.Random(kind.rules)
    lines: dict[str, Position] = {}
    while len(lines) < kind.positions:
        shots = rng.randint(kind.fewest, kind.most) if lines else kind.fewest
        position = drawn(kind.rules, shots, rng, hunts=len(lines) % 2 == 1)
        lines[str(position)] = position
    texts = [str(replace(each, expected=(*figures(each, rng),))) for each in lines.values()]
    return HEADER.format(rules=kind.rules) + "".join(f"{text}\n" for text in texts)


def main() -> None:
    """Write all files."""
    for kind in KINDS:
        kind.path.write_text(file_text(kind), encoding="utf-8")
        print(f"wrote {kind.path.name}: {kind.positions} positions", flush=True)


if __name__ == "__main__":
    main()
