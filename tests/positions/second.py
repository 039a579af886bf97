"""A second counter of layouts: it shares no code with bsbench, and confirms reference positions.

``python tests/positions/second.py tests/positions/*.txt`` counts each line again. It needs nothing
but Python, reads the text by itself, and uses one thought: a hit is answered by one ship alone, and
what it says follows from where it lies and from the shots. So a layout agrees with all answers if
each ship by itself would have said what was told at its cells, if a ship is on every hit, and none
on a miss.

- Small boards are enumerated: every layout is answered, shot by shot.
- Large ones are passed cell by cell. At each cell nothing begins, or a ship whose first cell it is.
  Ways that leave the same cells blocked ahead, and the same ships to lay, are one.

bsbench joins bit sets of slots, or passes frontiers that are numbers, in 64 bits; where it is not
told which ship has sunk, it tries each in a story of its own. Here are none of these.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

Ship = tuple[int, ...]
"""The cells of a ship, ascending: row * columns + column."""

State = tuple[int, int]
"""Ships that are laid, as a number, and cells ahead that are blocked, as bits."""

FEW = 20_000
"""Up to so many ways to lay the ships, overlapping or not, all are enumerated."""


class Rules(NamedTuple):
    """What stands before the colon: what an answer tells is ``told``."""

    rows: int
    cols: int
    fleet: tuple[int, ...]
    touching: str
    told: str
    joint: bool

    @property
    def cells(self) -> int:
        """How many cells the board has."""
        return self.rows * self.cols

    def cell(self, name: str) -> int:
        """Return the cell of a name such as B7."""
        return (ord(name[0]) - ord("A")) * self.cols + int(name[1:]) - 1

    def name(self, cell: int) -> str:
        """Return the name of a cell."""
        return f"{chr(ord('A') + cell // self.cols)}{cell % self.cols + 1}"

    def ship_name(self, ship: int) -> str:
        """Return the length of a ship, with a letter where several have it."""
        length = self.fleet[ship]
        if self.fleet.count(length) == 1:
            return str(length)
        return f"{length}{chr(ord('a') + self.fleet[:ship].count(length))}"


class Line(NamedTuple):
    """What a line says: for each turn its cells and the answer, and what must come out by name."""

    rules: Rules
    turns: list[tuple[Ship, str]]
    figures: dict[str, str]

    @property
    def answers(self) -> dict[int, str]:
        """The answer to each shot, in their order; where they are joint, that of its turn."""
        return {cell: answer for cells, answer in self.turns for cell in cells}


_CLOSED = {
    "touching": [(0, 0)],
    "corners": [(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0)],
    "apart": [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)],
}
"""Which cells around each of its own a ship closes to others, by the word for it."""

_TOLD = ("hit", "told", "length", "sunk", "ship")


def read(text: str) -> Line:
    """Return what a line says.

    Raises
    ------
    ValueError
        If it has other rules than these.
    """
    position, _, expected = text.partition(";")
    head, _, answers = position.partition(":")
    board, fleet, touching, told, *turns = head.split()
    strange = [word for word in turns if not re.fullmatch(r"\d+-shots?|joint|again", word)]
    if touching not in _CLOSED or told not in _TOLD or strange:
        raise ValueError(f"unknown rules: {head}")
    rows, cols = map(int, board.split("x"))
    lengths = tuple(map(int, fleet.split("-")))
    rules = Rules(rows, cols, lengths, touching, told, "joint" in turns)
    parts = (word.partition("=") for word in answers.split())
    shots = [(tuple(map(rules.cell, cells.split("+"))), answer) for cells, _, answer in parts]
    return Line(rules, shots, dict(word.split("=") for word in expected.split()))


@cache
def places(rules: Rules, length: int) -> list[Ship]:
    """Return all places of a ship."""
    rows, cols = rules.rows, rules.cols
    firsts = [(r * cols + c, 1) for r in range(rows) for c in range(cols - length + 1)]
    if length > 1:
        firsts += [(r * cols + c, cols) for r in range(rows - length + 1) for c in range(cols)]
    return [tuple(range(first, first + step * length, step)) for first, step in firsts]


def bits(cells: Iterable[int]) -> int:
    """Return cells as bits."""
    return sum(1 << cell for cell in {*cells})


@cache
def closed(rules: Rules, ship: Ship) -> int:
    """Return the cells that no other ship may use, as bits; those of the ship are among them."""
    around = [
        (cell // rules.cols + down, cell % rules.cols + right)
        for cell in ship
        for down, right in _CLOSED[rules.touching]
    ]
    return bits(
        row * rules.cols + col
        for row, col in around
        if 0 <= row < rules.rows and 0 <= col < rules.cols
    )


def said(line: Line, number: int, ship: Ship) -> Iterator[tuple[int, str]]:
    """Yield each cell of a ship that is shot, and what is told of it."""
    rules, hits = line.rules, 0
    for cell in line.answers:
        if cell not in ship:
            continue
        hits += 1
        sunk = hits == len(ship) and rules.told != "hit"
        text = "sunk" if sunk else "hit"
        if rules.told == "ship" or (sunk and rules.told == "sunk"):
            text += f":{rules.ship_name(number)}"
        if sunk and rules.told == "length":
            text += f":{len(ship)}"
        if sunk and rules.told in ("sunk", "ship"):
            text += f"@{rules.name(ship[0])}-{rules.name(ship[-1])}"
        yield cell, text


def hits_of(line: Line, ship: Ship) -> list[int]:
    """Return how often each turn hits a ship."""
    return [len({*cells} & {*ship}) for cells, _ in line.turns]


def agrees(line: Line, number: int, ship: Ship) -> bool:
    """Return whether a ship, in some place, would have said what was told."""
    if line.rules.joint:
        told = [dict(re.findall(r"(\w+):(\d+)", answer)) for _, answer in line.turns]
        name = line.rules.ship_name(number)
        return hits_of(line, ship) == [int(each.get(name, 0)) for each in told]
    answers = line.answers
    return all(answers[cell] == text for cell, text in said(line, number, ship))


class Count(NamedTuple):
    """Layouts with distinguishable ships, and those with a ship on each cell."""

    layouts: int
    cells: list[int]


@cache
def all_layouts(rules: Rules) -> list[list[Ship]]:
    """Return all layouts."""
    found: list[tuple[int, list[Ship]]] = [(0, [])]
    for length in rules.fleet:
        found = [
            (taken | closed(rules, ship), [*ships, ship])
            for taken, ships in found
            for ship in places(rules, length)
            if not taken & bits(ship)
        ]
    return [ships for _, ships in found]


def answered(line: Line, ships: list[Ship]) -> list[str]:
    """Return what a layout answers to the turns."""
    if line.rules.joint:
        hits = [hits_of(line, ship) for ship in ships]
        names = [line.rules.ship_name(ship) for ship in range(len(ships))]
        return [
            "+".join(f"{name}:{number}" for name, number in zip(names, turn, strict=True) if number)
            or "0"
            for turn in zip(*hits, strict=True)
        ]
    told: dict[int, str] = {}
    for number, ship in enumerate(ships):
        told.update(said(line, number, ship))
    return [told.get(cell, "miss") for cell in line.answers]


def enumerated(line: Line) -> Count:
    """Count by answering each layout."""
    right = [answer for _, answer in line.turns]
    left = [ships for ships in all_layouts(line.rules) if answered(line, ships) == right]
    on = Counter(cell for ships in left for ship in ships for cell in ship)
    return Count(len(left), [on[cell] for cell in range(line.rules.cells)])


class Board:
    """A board that is passed cell by cell.

    Attributes
    ----------
    cells : int
    must : int
        The cells that were hit, as bits: a ship is on each.
    numbers : list of int
        Ships of each kind: those of one kind have the same places.
    base : int
        How many ships of each kind are laid is one number: a ship of kind k counts base ** k.
    begins : list of list of (int, Ship)
        For each cell the kinds and places of ships that begin there.
    useful : list of int
        For each cell those behind it that matter, as bits.
    """

    def __init__(self, line: Line) -> None:
        rules = line.rules
        self.rules, self.cells = rules, rules.cells
        hits = [cell for cell, answer in line.answers.items() if answer != "miss"]
        self.must = 0 if rules.joint else bits(hits)
        kinds = Counter(
            tuple(
                ship
                for ship in places(rules, length)
                # A hit that the ship closes, and does not use, would be left without a ship.
                if agrees(line, number, ship) and not closed(rules, ship) & ~bits(ship) & self.must
            )
            for number, length in enumerate(rules.fleet)
        )
        self.numbers = [*kinds.values()]
        self.base = 1 + max(self.numbers)
        self.begins: list[list[tuple[int, Ship]]] = [[] for _ in range(self.cells)]
        for kind, ships in enumerate(kinds):
            for ship in ships:
                self.begins[ship[0]].append((kind, ship))
        self.useful = [0]
        for cell in range(self.cells - 1, 0, -1):
            matters = self.useful[0] | self.must & 1 << cell
            for _, ship in self.begins[cell]:
                matters |= bits(ship)
            self.useful.insert(0, matters)

    def steps(self, cell: int, states: Iterable[State]) -> Iterator[tuple[State, State, Ship]]:
        """Yield a state before a cell, one behind it, and the ship that begins there, if any."""
        behind, here = self.useful[cell], 1 << cell
        ships = [
            (self.base**kind, self.numbers[kind], bits(ship), closed(self.rules, ship), ship)
            for kind, ship in self.begins[cell]
        ]
        for state in states:
            laid, blocked = state
            if blocked & here or not self.must & here:
                yield state, (laid, blocked & behind), ()
            if not blocked & here:
                for unit, most, taken, near, ship in ships:
                    if not taken & blocked and laid // unit % self.base < most:
                        yield state, (laid + unit, (blocked | near) & behind), ship


def counted(line: Line) -> Count:
    """Count cell by cell: the ways to each state, and from it to a whole fleet."""
    board = Board(line)
    ways: list[dict[State, int]] = [{(0, 0): 1}]
    for cell in range(board.cells):
        after: dict[State, int] = defaultdict(int)
        for state, target, _ in board.steps(cell, ways[cell]):
            after[target] += ways[cell][state]
        ways.append(after)
    whole = sum(board.base**kind * number for kind, number in enumerate(board.numbers))
    rest: dict[State, int] = {(whole, 0): 1}
    on = [0] * board.cells
    for cell in reversed(range(board.cells)):
        before: dict[State, int] = defaultdict(int)
        for state, target, ship in board.steps(cell, ways[cell]):
            ends = rest.get(target, 0)
            before[state] += ends
            for each in ship:
                on[each] += ways[cell][state] * ends
        rest = before
    names = math.prod(map(math.factorial, board.numbers))
    return Count(rest[0, 0] * names, [number * names for number in on])


def count(line: Line) -> Count:
    """Count by the method that suits the board."""
    ways = math.prod(len(places(line.rules, length)) for length in line.rules.fleet)
    return enumerated(line) if ways <= FEW else counted(line)


def difference(text: str) -> str:
    """Return what is wrong with the figures of a line; nothing if all are right."""
    line = read(text)
    layouts, cells = count(line)
    if layouts != int(line.figures["layouts"]):
        return f"layouts={layouts}"
    left = [cell for cell in range(len(cells)) if cell not in line.answers]
    most = max(cells[cell] for cell in left)
    best = ",".join(line.rules.name(cell) for cell in left if cells[cell] == most)
    if best != line.figures["best"]:
        return f"best={best}"
    for name in line.figures.keys() - {"layouts", "best"}:
        chance = Fraction(cells[line.rules.cell(name)], layouts)
        if f"{chance.numerator}/{chance.denominator}" != line.figures[name]:
            return f"{name}={chance.numerator}/{chance.denominator}"
    return ""


def positions_in(path: Path) -> list[str]:
    """Return the lines of a file, without comments."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def main(names: Iterable[str]) -> int:
    """Confirm files; return how many lines are wrong."""
    wrong = 0
    for name in names:
        begin = time.perf_counter()
        lines = positions_in(Path(name))
        for text in lines:
            if found := difference(text):
                wrong += 1
                print(f"{name}: {found} is right, not: {text}")
        print(f"{name}: {len(lines)} lines in {time.perf_counter() - begin:.1f} s", flush=True)
    return wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Count the layouts of reference positions again.")
    parser.add_argument("files", nargs="+", metavar="FILE", help="such as tests/positions/*.txt")
    sys.exit(main(parser.parse_args().files) > 0)
