"""The rules of the game: everything both sides know before the first shot.

One side hides a *fleet* on a *board*: each ship is a straight run of cells, along
a row or down a column. The other side fires at one cell after another and
never twice at the same one. The game ends with the shot that hits the last ship
cell; the number of shots fired is the game's **move count**, the only figure of
merit here.

In games of *salvos*, a turn has several shots, and its answer comes when all of them are fired:
`Rules.shots` says how many, `Answers` how they are answered. A move is then a turn, and the move
count is the number of turns; shots are counted beside it.

Where *a hit gives another shot* (`Rules.again`), a turn of a game of two sides ends with its first
miss. That changes no shot and no move count: a game of m moves has m less the ship cells misses, so
whoever needs fewer moves has fewer misses, and needs fewer turns.

*Ships never share a cell.* `Apart` lists how far they keep from each other, which the shooter
knows: where touching is forbidden, no cell of a ship is among the 8 neighbours of another ship's
cells; where they may touch at corners, not among the 4 at their sides.

*Feedback* is what a shot reveals: `Facts` are what it may be, and `Feedback` is the table of the
kinds that people play by, a line for each. Nothing but this table knows their names.

A cell is the integer ``row * cols + col``: row-major, 0-based, everywhere. A ship
is known by its index in the fleet.

Source: the pencil game of the 1930s, in the public domain; the kinds of feedback are those of the
programs that are compared here, and of the official board games.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, NamedTuple, Self

from bsbench.common.arguments import checked, is_whole, plain
from bsbench.common.errors import BsbenchError, option
from bsbench.common.texts import listed_in_words, shortened
from bsbench.rules.slots import slot_cells, slot_code

MAX_SIDE = 250
"""Rows and columns at most: cells, ships and move counts then fit in 16 bits. (Placement
laws draw on boards up to about 70 x 70; larger ones are for layouts given by hand.)"""

# Outcomes of a shot, as the referee writes them and strategies read them. SUNK
# is given only where sinkings are told, and implies a hit.
MISS = 0
HIT = 1
SUNK = 2

_PATIENCE = 40
"""Moves of a game for each cell at most, if repeated shots count. With random ones, a game on 10x10
takes 344 moves on average, and one of 10^16 games takes 4,000."""

NOTHING = -1
"""In place of a cell, ship or slot that is not there or not revealed."""


class Word(enum.IntEnum):
    """Numbers that are also words: a member equals its name in small letters, and orders by it.

    A comparison with any other word raises `BsbenchError`, since it could never be true.
    """

    @classmethod
    def parse(cls, text: str | Self) -> Self:
        """Return the member that ``text`` names, in letters of any size, or a member itself.

        Raises
        ------
        BsbenchError
            If there is none.
        """
        if isinstance(text, cls):
            return text
        known = {str(each): each for each in cls}
        if not isinstance(text, str) or text.lower() not in known:
            raise BsbenchError(
                f"unknown {cls.__name__.lower()} {shortened(text)}: choose {cls.choices()}"
            )
        return known[text.lower()]

    @classmethod
    def choices(cls) -> str:
        """Return the words as a sentence lists them, such as ``hit, sunk or ship``."""
        return listed_in_words(map(str, cls), "or")

    def _number(self, other: object) -> Any:
        return int(self.parse(other)) if isinstance(other, str) else other

    def __eq__(self, other: object) -> bool:
        return int.__eq__(self, self._number(other))

    def __ne__(self, other: object) -> bool:
        return int.__ne__(self, self._number(other))

    def __lt__(self, other: object) -> bool:
        return int.__lt__(self, self._number(other))

    def __le__(self, other: object) -> bool:
        return int.__le__(self, self._number(other))

    def __gt__(self, other: object) -> bool:
        return int.__gt__(self, self._number(other))

    def __ge__(self, other: object) -> bool:
        return int.__ge__(self, self._number(other))

    __hash__ = int.__hash__

    def __str__(self) -> str:
        return self.name.lower()


class Facts(NamedTuple):
    """What the answers to shots reveal, apart from hit or miss.

    A fact is true where that is revealed. So one kind of feedback reveals all that another one does
    if every fact of the other is true for it, too: see `cover`.

    All kinds answer each shot by itself. Whether several shots are answered together is another
    rule: `Answers`.

    Attributes
    ----------
    sinkings : bool
        On the shot that sinks a ship: that it does. A `View` then has the outcome `SUNK`. A counter
        may also use that a ship that is not reported is afloat.
    lengths : bool
        On that shot: the length of the ship. A `View` then has ``ship``: where it is not told which
        ship it is, the first one of that length that has not been told.
    cells : bool
        On that shot: which ship it is, and its cells. A `View` then has ``ship`` and ``slot``.
    ships : bool
        On every hit: which ship. A `View` then has ``ship`` of every hit.
    """

    sinkings: bool = False
    lengths: bool = False
    cells: bool = False
    ships: bool = False

    @property
    def untold_cells(self) -> bool:
        """Whether it is told that a ship has sunk, but not its cells."""
        return self.sinkings and not self.cells

    def cover(self, others: Facts) -> bool:
        """Return whether all of some facts are among these."""
        return all(map(operator.ge, self, others))

    def shared(self, others: Facts) -> Facts:
        """Return the facts that are among these and others."""
        return Facts(*map(operator.and_, self, others))

    def lacking(self, others: Facts) -> str:
        """Return in words the first of some facts that is not among these."""
        missing = map(operator.lt, self, others)
        return next(text for text, lacks in zip(_FACTS, missing, strict=True) if lacks)


_FACTS = (
    "that a ship has sunk",
    "the length of a ship that has sunk",
    "which ship has sunk, and its cells",
    "which ship is hit",
)


class Feedback(Word):
    """What a shot reveals. These are ordered: ``a >= b`` means "reveals at least b".

    bsbench itself asks rules for the facts that they reveal: another kind need not be in line with
    these. It would be a line here; referee and counters need code for facts that are new.

    Attributes
    ----------
    reveals : Facts
    summary : str
        What it reveals more than the kind before it.
    sentence : str
        What it reveals, for readers who do not know bsbench.

    >>> Feedback.SHIP == "ship", Feedback.SHIP >= "sunk", Feedback.SHIP.reveals.sinkings
    (True, True, True)
    """

    reveals: Facts
    summary: str
    sentence: str

    HIT = 0, Facts(), "hit or miss", "a shot reveals only whether it hit"
    TOLD = (
        1,
        Facts(sinkings=True),
        "also that a ship sank",
        "a shot reveals whether it hit, and whether a ship has just sunk",
    )
    LENGTH = (
        2,
        Facts(sinkings=True, lengths=True),
        "also its length",
        "a shot reveals whether it hit, and the length of the ship that has just sunk, if any",
    )
    SUNK = (
        3,
        Facts(sinkings=True, lengths=True, cells=True),
        "also which ship, and its cells",
        "a shot reveals whether it hit, and which ship has just sunk, if any",
    )
    SHIP = (
        4,
        Facts(sinkings=True, lengths=True, cells=True, ships=True),
        "also which ship each hit is on",
        "a shot reveals whether it hit, which ship, and whether that has sunk",
    )

    def __new__(cls, number: int, *meaning: Any) -> Self:
        """Make a kind, which is a number: what it means are the attributes, in their order."""
        kind = int.__new__(cls, number)
        kind._value_ = number
        kind.reveals, kind.summary, kind.sentence = meaning
        return kind

    @classmethod
    def least(cls, *facts: str) -> Self:
        """Return the first kind that reveals some facts, given as names of `Facts`."""
        return next(kind for kind in cls if all(getattr(kind.reveals, fact) for fact in facts))

    @classmethod
    def glossary(cls) -> str:
        """Return all kinds, each with its summary, such as ``hit (hit or miss) or …``."""
        return listed_in_words((f"{kind} ({kind.summary})" for kind in cls), "or")

    def __hash__(self) -> int:
        # Strategies write it as a word: a set of words, or a dict by them, finds it.
        return hash(str(self))


class Answers(Word):
    """How the shots of a turn are answered, when all of them are fired."""

    EACH = 0
    JOINT = 1

    @property
    def sentence(self) -> str:
        """How they are answered, for readers who do not know bsbench."""
        joint = "one answer for all says how many hit each ship"
        return joint if self is Answers.JOINT else "each of them is answered by itself"


class Apart(NamedTuple):
    """How far ships keep from each other, and the words for it: a row of `TOUCHING`.

    Attributes
    ----------
    sides, corners : bool
        Whether no other ship may use the cells at the sides of a ship's cells, and those at their
        corners.
    option : str
        On the command line, and in lists.
    name : str
        In the name of a scenario.
    wire : str
        In the lines that a bot reads.
    short : str
        In captions.
    sentence : str
        What ships do.
    """

    sides: bool
    corners: bool
    option: str
    name: str
    wire: str
    short: str
    sentence: str


TOUCHING = {
    True: Apart(False, False, "yes", "touching", "touching", "touching", "may touch"),
    "corners": Apart(
        *(True, False, "corners", "corners", "corners"),
        *("touching at corners only", "may touch at corners, but not at sides"),
    ),
    False: Apart(
        *(True, True, "no", "no-touching", "apart"),
        *("no touching", "never touch, not even at corners"),
    ),
}
"""What the values of `Rules.touching` mean."""


class Repeats(Word):
    """What happens to a shot at a cell that was shot before: refused, or a wasted move."""

    REFUSED = 0
    COUNT = 1


AFLOAT = "afloat"
"""In place of the shots of a turn: as many as the shooter has ships of its own afloat."""


class Outcome(Word):
    """What a shot did, as a strategy for one game sees it: `MISS`, `HIT` or `SUNK`.

    In a set, or as the key of a dict, it is its number.
    """

    MISS = MISS
    HIT = HIT
    SUNK = SUNK


@dataclass(frozen=True)
class Rules:
    """Board, fleet, touching and feedback; and how many shots a turn has.

    Attributes
    ----------
    rows, cols : int
        Size of the board, 1 to `MAX_SIDE` each.
    fleet : tuple of int
        Ship lengths, in the order that gives each ship its index. It may be given as a list.
    touching : bool or "corners"
        Whether ships may be neighbours (8 directions), or at corners only. `apart` says what that
        means.
    feedback : Feedback
        What a shot reveals. It may be given as a word, such as ``"sunk"``.
    shots : int or "afloat"
        Shots of a turn at most; or, in a match, as many as one's own ships afloat.
    answers : Answers
        How they are answered. It may be given as ``"each"`` or ``"joint"``.
    again : bool
        Whether a hit gives another shot, where two sides shoot in turn.
    repeats : Repeats
        What happens to a shot at a cell that was shot before: it may be given as ``"refused"``, or
        as ``"count"``, where it is a move that is told as a miss, and reveals nothing.
    whole_turns : bool
        Whether the last turn of salvos is fired whole: its shots after the last hit count, too.

    Raises
    ------
    BsbenchError
        If a value is of the wrong kind or out of range, or the fleet is too large for the board by
        its lengths or its area. `fleet_fits` searches for a layout.
    """

    rows: int
    cols: int
    fleet: tuple[int, ...]
    touching: bool | str
    feedback: Feedback = Feedback.HIT
    shots: int | str = 1
    answers: Answers = Answers.EACH
    again: bool = False
    repeats: Repeats = Repeats.REFUSED
    whole_turns: bool = False

    def __post_init__(self) -> None:
        self._check_kinds()
        for name, size in (("rows", self.rows), ("columns", self.cols)):
            if not 1 <= size <= MAX_SIDE:
                raise BsbenchError(f"a board has 1 to {MAX_SIDE} {name}, not {size}")
        if not self.fleet:
            raise BsbenchError("the fleet is empty: give at least one ship length")
        for length in self.fleet:
            if length < 1:
                raise BsbenchError(f"a ship has a length of at least 1, not {length}")
            if length > max(self.rows, self.cols):
                raise BsbenchError(
                    f"a ship of length {length} can't fit on a {self.board} board: "
                    "shorten the ship or enlarge the board"
                )
        if self.ship_cells > self.cells:
            raise BsbenchError(
                f"the fleet can't fit: its {self.ship_cells} ship cells are more than the "
                f"{self.cells} cells of a {self.board} board"
            )
        if self.shots != AFLOAT and not 1 <= int(self.shots) <= self.cells:
            raise BsbenchError(
                f"a turn has 1 to {self.cells} shots on a {self.board} board, one for each cell, "
                f"not {self.shots}"
            )
        if self.joint and not self.reveals.ships:
            raise BsbenchError(
                f"joint answers say how many shots hit each ship, and feedback {self.feedback} "
                "does not say which ship is hit: use feedback ship, or answers each"
            )
        if self.whole_turns and self.most_shots == 1:
            raise BsbenchError(
                "a turn of one shot has none after the last hit: leave out "
                f"{option('whole_turns', True)}, or set {option('shots', 5)}"
            )
        if self.again and self.salvos:
            raise BsbenchError(
                "a hit gives another shot where a turn has one shot with its own answer, and the "
                f"rules have {self.turn_text}: leave out {option('again', True)}, or set "
                f"{option('shots', 1)} and {option('answers', 'each')}"
            )
        if self.repeats and self.salvos:
            raise BsbenchError(
                "repeated shots count where a turn has one shot with its own answer, and the rules "
                f"have {self.turn_text}: set {option('repeats', 'refused')}"
            )
        # Grow every ship by one cell to the right and down: where ships may not
        # touch, the grown rectangles are disjoint and lie on a board grown alike.
        grown = sum(2 * (length + 1) for length in self.fleet)
        if self.apart.corners and grown > (self.rows + 1) * (self.cols + 1):
            raise BsbenchError(
                f"the fleet can't fit on a {self.board} board without touching: use fewer or "
                "shorter ships, or allow touching"
            )

    def _check_kinds(self) -> None:
        """Refuse values of wrong kinds, and replace those of numpy and texts."""
        vars(self).update({each.name: plain(getattr(self, each.name)) for each in fields(self)})
        sizes = self.rows, self.cols
        if not all(map(is_whole, sizes)):
            raise BsbenchError(
                f"rows and columns are whole numbers, not {', '.join(map(shortened, sizes))}"
            )
        if isinstance(self.fleet, str) or not isinstance(self.fleet, Iterable):
            fleet: tuple[Any, ...] = (None,)
        else:
            fleet = tuple(self.fleet)
        if not all(map(is_whole, fleet)):
            raise BsbenchError(
                f"a fleet is a list of ship lengths, such as [5, 4, 3], not {shortened(self.fleet)}"
            )
        if not isinstance(self.touching, bool | str) or self.touching not in TOUCHING:
            raise BsbenchError(
                f"touching is True, False or 'corners', not {shortened(self.touching)}"
            )
        for name in ("again", "whole_turns"):
            if not isinstance(value := getattr(self, name), bool):
                raise BsbenchError(f"{name} is True or False, not {shortened(value)}")
        if not is_whole(self.shots) and not (isinstance(self.shots, str) and self.shots == AFLOAT):
            raise BsbenchError(
                f"the shots of a turn are a whole number above 0, or {AFLOAT!r}, not "
                f"{shortened(self.shots)}"
            )
        # Frozen: attributes are set here only.
        vars(self).update(
            rows=int(self.rows),
            cols=int(self.cols),
            fleet=tuple(map(int, fleet)),
            feedback=Feedback.parse(self.feedback),
            shots=self.shots if self.shots == AFLOAT else int(self.shots),
            answers=Answers.parse(self.answers),
            repeats=Repeats.parse(self.repeats),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, kinds as words: what JSON and TOML hold, and `Rules` takes again."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        words = {name: str(value) for name, value in given.items() if isinstance(value, Word)}
        return given | {"fleet": list(self.fleet)} | words

    @property
    def reveals(self) -> Facts:
        """What shots reveal, and what follows from it.

        Where no two ships lie side by side, the hits in a row with the one that sinks are the ship.
        """
        told = self.feedback.reveals
        if told.sinkings and self.apart.sides:
            return told._replace(lengths=True, cells=True)
        return told

    @property
    def deduced(self) -> Rules:
        """These rules, with the feedback that tells what follows from theirs: see `reveals`."""
        return replace(
            self, feedback=next(kind for kind in Feedback if kind.reveals == self.reveals)
        )

    @property
    def layout_rules(self) -> Rules:
        """What layouts depend on: these rules, but with the least feedback, and a shot a turn."""
        return Rules(self.rows, self.cols, self.fleet, self.touching)

    @property
    def apart(self) -> Apart:
        """How far ships keep from each other."""
        return TOUCHING[self.touching]

    @property
    def joint(self) -> bool:
        """Whether all shots of a turn have one answer."""
        return self.answers == Answers.JOINT

    @property
    def salvos(self) -> bool:
        """Whether a turn is not just one shot with its answer: moves are turns then."""
        return self.shots != 1 or self.joint

    @property
    def most_shots(self) -> int:
        """Shots of a turn at most."""
        return len(self.fleet) if self.shots == AFLOAT else int(self.shots)

    @property
    def fewest_moves(self) -> int:
        """The move count of a perfect game."""
        return -(-self.ship_cells // self.most_shots)

    @property
    def most_moves(self) -> int:
        """The moves of a game at most, in 16 bits; where shots are repeated, many."""
        return min(_PATIENCE * self.cells, 65_535) if self.repeats else self.cells

    @property
    def whole_board(self) -> int:
        """The moves that shoot at every cell, if no shot of a turn is left out."""
        return -(-self.cells // self.most_shots)

    @property
    def forfeit(self) -> int:
        """The moves that a game counts as in which a bot failed: as many as it could have had."""
        return self.most_moves if self.repeats else self.whole_board

    @property
    def counted(self) -> str:
        """What a move is called: ``moves``, or ``turns`` where they may have several shots."""
        return "turns" if self.salvos else "moves"

    @checked
    def turns(self, moves: float) -> float:
        """Return the turns in which a side makes some moves, to the last hit; means likewise.

        Where a hit gives another shot, they are its misses and one more: the last turn has none.
        """
        return moves - self.ship_cells + 1 if self.again else moves

    @property
    def turn_text(self) -> str:
        """How a turn goes, such as ``5 shots a turn, joint answers``; empty for single shots."""
        if not self.salvos:
            return "a hit gives another shot" if self.again else ""
        shots = "a shot a turn" if self.shots == 1 else f"{self.shots} shots a turn"
        if self.shots == AFLOAT:
            shots = "as many shots a turn as own ships afloat"
        whole = ", the last turn whole" if self.whole_turns else ""
        return f"{shots}, {'joint answers' if self.joint else 'answers for each'}{whole}"

    @property
    def shots_text(self) -> str:
        """Which shots of salvos are counted."""
        return "of whole turns" if self.whole_turns else "up to the last hit"

    def check_single_shots(self, what: str) -> None:
        """Refuse salvos for something that is about single shots.

        Raises
        ------
        BsbenchError
            If a turn has several shots, or answers are joint.
        """
        if self.salvos:
            raise BsbenchError(
                f"{what} with one shot a turn, and the rules have {self.turn_text}: set "
                f"{option('shots', 1)} and {option('answers', 'each')}"
            )

    def check_no_repeats(self, what: str) -> None:
        """Refuse repeated shots that count, for something that has none.

        Raises
        ------
        BsbenchError
            If they count.
        """
        if self.repeats:
            raise BsbenchError(
                f"{what}, and a shot at a cell that was shot before: set "
                f"{option('repeats', 'refused')}"
            )

    @property
    def cells(self) -> int:
        """Number of cells of the board."""
        return self.rows * self.cols

    @property
    def ship_cells(self) -> int:
        """Number of cells of the fleet: the shots of a perfect game."""
        return sum(self.fleet)

    @property
    def reach(self) -> int:
        """How much the move counts of two games differ at most."""
        return self.most_moves - self.fewest_moves

    @property
    def fleet_text(self) -> str:
        """The fleet as text, such as ``5 4 3 3 2``; large fleets in short."""
        if len(self.fleet) <= 20:
            return " ".join(map(str, self.fleet))
        return f"of {len(self.fleet)} ships of {min(self.fleet)} to {max(self.fleet)}"

    @property
    def board(self) -> str:
        """The size as text, such as ``10x10``."""
        return f"{self.rows}x{self.cols}"

    @checked
    def slots(self, length: int) -> list[range]:
        """Return the cells of every slot of a ship.

        Slots along rows come first, each kind by first cell; a ship of one cell has one slot per
        cell.
        """
        return [_slot(self, length, index) for index in range(_slot_count(self, length))]

    @checked
    def ships(self, codes: Iterable[int]) -> list[range]:
        """Return the cells of each ship of a layout, by its slot codes; or of the first ships."""
        ships = zip(codes, self.fleet, strict=False)
        return [slot_cells(int(code), length, self.cols) for code, length in ships]

    @checked
    def neighbours(self, cell: int) -> list[int]:
        """Return the cells around ``cell`` on the board, at most 8."""
        row, col = divmod(cell, self.cols)
        return [
            r * self.cols + c
            for r in range(max(row - 1, 0), min(row + 2, self.rows))
            for c in range(max(col - 1, 0), min(col + 2, self.cols))
            if (r, c) != (row, col)
        ]

    @checked
    def closed_around(self, cell: int) -> list[int]:
        """Return the cells around a ship's cell that no other ship may use, at most 8."""
        apart, (row, col) = self.apart, divmod(cell, self.cols)
        around = self.neighbours(cell) if apart.sides else []
        if apart.corners:
            return around
        return [near for near in around if near // self.cols == row or near % self.cols == col]


@cache
def fleet_fits(rules: Rules, effort: int = 1_000_000) -> bool | None:
    """Return whether at least one layout of the fleet exists.

    A depth-first search, longest ship first; ships of equal length are laid in
    slot order, since exchanging them gives nothing new.

    Parameters
    ----------
    rules : Rules
        Board, fleet and touching.
    effort : int
        Number of slots tried before the search gives up.

    Returns
    -------
    bool or None
        True or False where it is proven, None where the effort was spent first.
    """
    return _ships_fit(rules, rules.fleet, 0, effort)


def slots_left(rules: Rules, laid: Sequence[int], effort: int = 10_000) -> list[int]:
    """Return where the next ship may lie, once the first ships of the fleet have been laid.

    Parameters
    ----------
    rules : Rules
        Board, fleet and touching.
    laid : sequence of int
        The slot codes of the first ships, fewer than the fleet has: see `bsbench.rules.slots`.
    effort : int
        As for `fleet_fits`, for each slot.

    Returns
    -------
    list of int
        Slot codes, ascending. None of them overlaps a ship, or touches one where the rules forbid
        that. A slot that leaves no room for the ships after it is missing, if the effort suffices
        to prove that.
    """
    closed = 0
    for ship in rules.ships(laid):
        closed |= _excluded(rules, ship)
    length, *later = rules.fleet[len(laid) :]
    found = []
    for ship in rules.slots(length):
        after = closed | _excluded(rules, ship)
        is_free = not any(closed >> cell & 1 for cell in ship)
        if is_free and _ships_fit(rules, later, after, effort) is not False:
            found.append(slot_code(ship))
    return sorted(found)


def _ships_fit(rules: Rules, ships: Sequence[int], beside: int, effort: int) -> bool | None:
    """Return what `fleet_fits` does, for some ships beside cells that are closed, given as bits."""
    if not ships:
        return True
    lengths = sorted(ships, reverse=True)
    # A ship's cells as bits, from its first cell on.
    masks = {
        (length, step): sum(1 << step * part for part in range(length))
        for length in set(lengths)
        for step in (1, rules.cols)
    }
    # One entry per ship laid: where its search continues, and the cells closed before it.
    resume, closed = [0], [beside]
    while resume:
        length = lengths[len(resume) - 1]
        for index in range(resume[-1], _slot_count(rules, length)):
            effort -= 1
            ship = _slot(rules, length, index)
            if (closed[-1] >> ship.start) & masks[length, ship.step] == 0:
                if len(resume) == len(lengths):
                    return True
                resume[-1] = index + 1
                resume.append(index + 1 if lengths[len(resume)] == length else 0)
                closed.append(closed[-1] | _excluded(rules, ship))
                break
        else:
            resume.pop()
            closed.pop()
        if effort <= 0:
            return None
    return False


def _slot_count(rules: Rules, length: int) -> int:
    """Return how many slots `Rules.slots` has for a ship."""
    along = rules.rows * max(rules.cols - length + 1, 0)
    return along if length == 1 else along + rules.cols * max(rules.rows - length + 1, 0)


def _slot(rules: Rules, length: int, index: int) -> range:
    """Return one of `Rules.slots`: all those of a large board and fleet would take gigabytes."""
    in_a_row, step = max(rules.cols - length + 1, 0), 1
    if index < rules.rows * in_a_row:
        row, col = divmod(index, in_a_row)
        first = row * rules.cols + col
    else:
        first, step = index - rules.rows * in_a_row, rules.cols
    return range(first, first + step * length, step)


def _excluded(rules: Rules, ship: range) -> int:
    """Return as bits the cells that no other ship may use once a ship lies there."""
    cells = set(ship)
    cells.update(*(rules.closed_around(cell) for cell in ship))
    return sum(1 << cell for cell in cells)
