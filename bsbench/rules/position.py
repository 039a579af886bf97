"""Positions: rules, answers to shots, and maybe the layout, in one line of text.

::

    classic: D4=hit:4 D5=miss C4=hit:4
    10x10 5-4-3-3-2 touching ship: D4=hit:4 D5=miss C4=hit:4
    5x5 3-2 apart sunk: A1=miss C2=hit C3=sunk:3@C1-C3
    topcoder: D5+E4+E5+E6+F5+G7=5:1+4a:2
    classic: D4=hit:4 D5=miss | 5:A1-E1 4:C4-F4 3:H2-H4 3:J5-J7 2:B9-B10

Before the colon stand the rules: the name of a scenario, or board, fleet, whether ships touch and
what an answer tells, and how a turn goes if it has more than a shot. Behind it are the answers, in
the order of the shots, and behind ``|`` the layout: for each ship its length, its first and its
last cell. Behind ``;`` stands what must come out, in files of reference positions: the number of
layouts, the most likely cells, and chances as fractions, ``; layouts=285 best=E5 E5=41/285``.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self

from bsbench.common.arguments import is_whole
from bsbench.common.errors import BsbenchError, option
from bsbench.common.texts import shortened
from bsbench.rules.board import HIT, MISS, NOTHING, SUNK, TOUCHING, Feedback, Rules
from bsbench.rules.drawing import cell_name, read_cell, row_name
from bsbench.rules.layout import laid, layout_codes, read_ship, ships_text, slot_between
from bsbench.rules.scenario import Scenario, find_scenario, look_up_scenario
from bsbench.rules.slots import slot_cells

_ANSWER = re.compile(r"([^=:@]+)=(miss|hit|sunk)(?::([0-9]+[a-z]*))?(?:@([^-]+)-([^-]+))?", re.I)


class Answer(NamedTuple):
    """A shot and what it revealed: the fields of a `bsbench.strategies.view.View`.

    Attributes
    ----------
    cell : int
    outcome : int
        `~bsbench.rules.board.MISS`, `~bsbench.rules.board.HIT` or `~bsbench.rules.board.SUNK`.
    ship : int
        Index in the fleet of the ship that was hit or sunk, or -1.
    slot : int
        The slot code of the ship that was sunk, or -1. Where it is -1 although a ship was sunk,
        the ship's place was not revealed.
    unlettered : bool
        Whether any ship of its length may be meant: which of them has sunk is not said.
    """

    cell: int
    outcome: int
    ship: int = NOTHING
    slot: int = NOTHING
    unlettered: bool = False


class JointAnswer(NamedTuple):
    """The shots of a turn, and their one answer: see `bsbench.rules.board.Answers`.

    Attributes
    ----------
    cells : tuple of int
    hits : tuple of int
        How many of them hit each ship, in the order of the fleet.
    """

    cells: tuple[int, ...]
    hits: tuple[int, ...]


AnyAnswer = Answer | JointAnswer


_TOUCHING = {each.wire: value for value, each in TOUCHING.items()}

_WORDS: tuple[tuple[str, str, Any], ...] = (
    (r"\d+x\d+", "board", str),
    (r"\d+(?:[-,]\d+)*", "fleet", lambda word: word.replace("-", ",")),
    ("|".join(_TOUCHING), "touching", _TOUCHING.get),
    ("|".join(map(str, Feedback)), "feedback", str),
    (r"(\d+|afloat)-shots?", "shots", lambda word: word.rpartition("-")[0]),
    ("joint", "answers", str),
    ("again", "again", bool),
    ("repeats", "repeats", lambda word: "count"),
    ("whole-turns", "whole_turns", bool),
)
"""How the parts of rules are written, and what the words mean."""

_EXPECTED = re.compile(r"layouts=\d+|best=[A-Z0-9,]+|[A-Z]+\d+=\d+(?:/\d+)?", re.ASCII)


@dataclass(frozen=True)
class Position:
    """Answers to shots under some rules, and the layout if it is known: see the module.

    Attributes
    ----------
    scenario : Scenario
    answers : tuple of Answer or JointAnswer
        In the order of the shots; of a turn, where answers are joint.
    layout : tuple of int or None
        The slot code of each ship.
    expected : tuple of str
        What must come out, as it was read.

    Raises
    ------
    BsbenchError
        If there are answers after the last ship cell is hit, or the layout is against the rules or
        does not give them.

    Examples
    --------
    >>> position = Position.parse("5x5 3-2 apart sunk: A1=miss C2=hit C3=sunk:3@C1-C3")
    >>> position.answers[0]
    Answer(cell=0, outcome=0, ship=-1, slot=-1, unlettered=False)
    >>> print(Position.parse("classic: d4=HIT:4"))
    classic: D4=hit:4
    """

    scenario: Scenario
    answers: tuple[AnyAnswer, ...] = ()
    layout: tuple[int, ...] | None = None
    expected: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._check_kinds()
        hits, struck = 0, set()
        for each in self.answers:
            if hits >= self.rules.ship_cells:
                raise BsbenchError(
                    f"{answer_text(each, self.rules)} comes after the end: all ships are hit before"
                )
            if isinstance(each, JointAnswer):
                hits += sum(each.hits)
            elif each.outcome != MISS:
                struck.add(each.cell)
                hits = len(struck)
        if self.layout is None:
            return
        given = answers_on(self.rules, self.layout, [shots_of(each) for each in self.answers])
        for told, right in zip(self.answers, given, strict=True):
            if not _alike(told, right, self.rules):
                texts = [answer_text(each, self.rules) for each in (told, right)]
                raise BsbenchError(f"{texts[0]} is not what the layout says: {texts[1]}")

    def _check_kinds(self) -> None:
        """Refuse what is no position at all: most are read from text."""
        told = self.answers if isinstance(self.answers, tuple) else (None,)
        right = isinstance(self.scenario, Scenario)
        right = right and all(isinstance(each, AnyAnswer) for each in told)
        if right and self.layout is not None:
            codes = self.layout if isinstance(self.layout, tuple) else ()
            right = len(codes) == len(self.rules.fleet) and all(map(is_whole, codes))
            right = right and layout_codes(self.rules.ships(codes), self.rules) == [*codes]
        if not right:
            raise BsbenchError(
                "a position is a Scenario, a tuple of answers, and None or a slot code for each "
                "ship: read one with Position.parse"
            )

    @classmethod
    def parse(cls, text: str, scenario: Scenario | None = None) -> Self:
        """Return the position that a text holds.

        Parameters
        ----------
        text : str
        scenario : Scenario, optional
            The rules of a text that does not say them.

        Raises
        ------
        BsbenchError
            If it holds none: the sentence names the word, and line and character in a text of
            several lines.
        """
        head, body = _head_of(text)
        start = len(text) - len(body)
        if head:
            scenario = _scenario_of(head)
        elif scenario is None:
            raise BsbenchError(
                f"{shortened(text.strip())} does not say the rules: begin with the name of a "
                "scenario and a colon, such as 'classic:'"
            )
        body, _, expected = body.partition(";")
        told, bar, ships = body.partition("|")
        answers = _read_at(text, start, told, _reader(scenario.rules))
        layout = None
        if bar:
            read = partial(read_ship, scenario.rules)
            found = _read_at(text, start + len(told) + 1, ships, read)
            layout = tuple(laid(found, scenario.rules))
        for word in expected.split():
            if not _EXPECTED.fullmatch(word):
                raise BsbenchError(
                    f"{shortened(word)} is no figure: behind ; stands what must come out, such as "
                    "layouts=285 best=E5 E5=41/285"
                )
        return cls(scenario, tuple(answers), layout, tuple(expected.split()))

    def __str__(self) -> str:
        told = "".join(f" {answer_text(answer, self.rules)}" for answer in self.answers)
        laid = ""
        if self.layout is not None:
            laid = f" | {ships_text(self.layout, self.rules)}"
        expected = f" ; {' '.join(self.expected)}" if self.expected else ""
        return f"{rules_words(self.scenario)}:{told}{laid}{expected}"

    def followed_by(self, text: str) -> Self:
        """Return the position after more answers; the text may begin with rules if there are none.

        Raises
        ------
        BsbenchError
            If the text is unreadable, or has other rules than the answers before it.
        """
        head, body = _head_of(text)
        known = self.answers or self.layout
        if head and known and _scenario_of(head).rules != self.rules:
            raise BsbenchError(
                f"these answers are under other rules than those before: leave out {head}:"
            )
        if self.answers:
            # Once more from the first: ships that have sunk don't sink again.
            text = " ".join([*(answer_text(each, self.rules) for each in self.answers), body])
        found = self.parse(text, self.scenario)
        expected = self.expected + found.expected
        return replace(found, layout=found.layout or self.layout, expected=expected)

    @property
    def rules(self) -> Rules:
        """The rules of the scenario."""
        return self.scenario.rules

    @property
    def single_answers(self) -> list[Answer]:
        """The answers, where each shot has one."""
        return [each for each in self.answers if isinstance(each, Answer)]

    @property
    def shots(self) -> list[list[int]]:
        """The cells shot, turn by turn."""
        return [shots_of(each) for each in self.answers]


def _head_of(text: str) -> tuple[str, str]:
    """Return the words of the rules, if a text begins with them, and what is behind the colon."""
    match = re.match(r"\s*((?:[^=|,:\n]|(?<=\d),(?=\d))*\S)\s*:", text)
    return (match[1], text[match.end() :]) if match else ("", text)


def _alike(told: AnyAnswer, right: AnyAnswer, rules: Rules) -> bool:
    """Return whether an answer is the right one; which ship, and where it lies, may be left out."""
    if isinstance(told, JointAnswer) or isinstance(right, JointAnswer):
        return told == right
    ships = [each.ship for each in (told, right)]
    if not rules.reveals.ships:
        # Which of equal ships has sunk makes no difference.
        ships = [rules.fleet[ship] if ship != NOTHING else ship for ship in ships]
    same = told.outcome == right.outcome and ships[0] in (NOTHING, ships[1])
    return same and told.slot in (NOTHING, right.slot)


def shots_of(answer: AnyAnswer) -> list[int]:
    """Return the cells of an answer."""
    return [*answer.cells] if isinstance(answer, JointAnswer) else [answer.cell]


def rules_words(scenario: Scenario) -> str:
    """Return what stands before the colon: a built-in scenario's name, or the words of its rules.

    Examples
    --------
    >>> rules_words(Scenario("5x5", fleet=[3, 2], touching=False, feedback="sunk"))
    '5x5 3-2 apart sunk'
    """
    rules, name = scenario.rules, scenario.name
    known = None if name.lower().endswith(".toml") else look_up_scenario(name)
    if known is not None and known.rules == rules:
        return name
    words = [rules.board, "-".join(map(str, rules.fleet)), rules.apart.wire, str(rules.feedback)]
    if rules.shots != 1:
        words.append(f"{rules.shots}-shots")
    flags = {"joint": rules.joint, "again": rules.again, "repeats": bool(rules.repeats)}
    flags["whole-turns"] = rules.whole_turns
    return " ".join([*words, *(word for word, is_set in flags.items() if is_set)])


def _scenario_of(head: str) -> Scenario:
    """Return the scenario that the words before the colon mean."""
    first, *words = head.split()
    scenario = None
    if re.fullmatch(_WORDS[0][0], first, re.I):
        words = [first, *words]
    else:
        scenario = find_scenario(first if first.lower().endswith(".toml") else first.lower())
    parts: dict[str, Any] = {}
    for word in map(str.lower, words):
        for pattern, key, meaning in _WORDS:
            if key not in parts and re.fullmatch(pattern, word):
                parts[key] = meaning(word)
                break
        else:
            raise BsbenchError(
                f"{shortened(word)} says nothing of the rules, or is one word too many: write such "
                "as '5x5 3-2 apart sunk:'"
            )
    if scenario is not None:
        return scenario.override(**parts) if parts else scenario
    for key in ("fleet", "touching", "feedback"):
        if key not in parts:
            raise BsbenchError(
                f"the rules {' '.join(words)!r} do not say the {key}: write board, fleet, whether "
                "ships touch, and what an answer tells, such as '5x5 3-2 apart sunk:'"
            )
    return Scenario(**parts)


def _read_at(text: str, start: int, part: str, read: Callable[[str], Any]) -> list[Any]:
    """Return what each word of a part of a text means; errors say where in the text it stands."""
    found = []
    for word in re.finditer(r"[^\s,]*?[ \t]*=[ \t]*[^\s,]+|[^\s,]+", part):
        try:
            found.append(read(re.sub(r"\s", "", word[0])))
        except BsbenchError as error:
            raise BsbenchError(f"{place_text(text, start + word.start())}{error}") from None
    return found


def place_text(text: str, at: int) -> str:
    """Return where a character of a text stands, as errors begin; nothing in a single line."""
    if "\n" not in text.strip():
        return ""
    before = text[:at].split("\n")
    return f"line {len(before)}, character {len(before[-1]) + 1}: "


def answers_on(
    rules: Rules, layout: Sequence[int], turns: Iterable[Sequence[int]]
) -> list[AnyAnswer]:
    """Return what shots at a layout are answered.

    Parameters
    ----------
    rules : Rules
    layout : sequence of int
        The slot code of each ship.
    turns : iterable of sequence of int
        The cells shot; where answers are not joint, one at a time.
    """
    ships = rules.ships(layout)
    shot: set[int] = set()
    told: set[int] = set()
    found: list[AnyAnswer] = []
    reveals = rules.reveals
    for cells in turns:
        if rules.joint:
            found.append(JointAnswer(tuple(cells), tuple(len({*cells} & {*s}) for s in ships)))
            continue
        (cell,) = cells
        ship = next((number for number, each in enumerate(ships) if cell in each), NOTHING)
        shot.add(cell)
        outcome, slot = MISS if ship == NOTHING else HIT, NOTHING
        if ship != NOTHING and reveals.sinkings and shot.issuperset(ships[ship]):
            outcome = SUNK
            slot = layout[ship] if reveals.cells else NOTHING
            if not rules.feedback.reveals.cells:
                length = rules.fleet[ship] if reveals.lengths else 0
                same = [s for s, n in enumerate(rules.fleet) if n == length and s not in told]
                ship = same[0] if same else NOTHING
                told.add(ship)
        elif not reveals.ships:
            ship = NOTHING
        found.append(Answer(cell, outcome, ship, slot))
    return found


def ship_name(fleet: Sequence[int], ship: int) -> str:
    """Return what a ship is called: its length, with a letter where several have it.

    Examples
    --------
    >>> [ship_name((5, 4, 3, 3, 2), ship) for ship in range(5)]
    ['5', '4', '3a', '3b', '2']
    """
    length = fleet[ship]
    if fleet.count(length) == 1:
        return str(length)
    return f"{length}{row_name(fleet[:ship].count(length)).lower()}"


def answer_text(answer: AnyAnswer, rules: Rules) -> str:
    """Return an answer as it is written: ``C7=miss``, ``E4=sunk:3@E2-E4``, ``A1+C3=4:2``."""
    if isinstance(answer, JointAnswer):
        hits = [f"{ship_name(rules.fleet, s)}:{n}" for s, n in enumerate(answer.hits) if n]
        names = "+".join(cell_name(cell, rules.cols) for cell in answer.cells)
        return f"{names}={'+'.join(hits) or '0'}"
    cell = cell_name(answer.cell, rules.cols)
    if answer.outcome == MISS:
        return f"{cell}=miss"
    text = f"{cell}={'sunk' if answer.outcome == SUNK else 'hit'}"
    told = rules.feedback.reveals
    if answer.ship != NOTHING and told.lengths:
        lettered = told.cells and not answer.unlettered
        name = ship_name if lettered else operator.getitem
        text += f":{name(rules.fleet, answer.ship)}"
    if answer.slot != NOTHING and told.cells:
        cells = slot_cells(answer.slot, rules.fleet[answer.ship], rules.cols)
        text += f"@{cell_name(cells[0], rules.cols)}-{cell_name(cells[-1], rules.cols)}"
    return text


def _reader(rules: Rules) -> Callable[[str], AnyAnswer]:
    """Return what reads one answer after the other: ships that have sunk don't sink again.

    Each is ``CELL=miss``, ``CELL=hit``, ``CELL=hit:SHIP``, ``CELL=sunk:SHIP`` or
    ``CELL=sunk:SHIP@CELL-CELL``, from one end of the ship to the other. Ships are called as by
    `ship_name`; where it is not said which of several equal ships it is, by the length alone; one
    that has sunk not at all, if the hits say it. Joint answers:
    ``CELL+CELL+CELL=SHIP:HITS+SHIP:HITS``, or ``=0`` for no hit.
    """
    if rules.joint:
        return partial(_read_turn, rules=rules)
    before: list[Answer] = []

    def read(text: str) -> AnyAnswer:
        before.append(_read_answer(text, rules, before))
        return before[-1]

    return read


_TURN = re.compile(r"([^=:]+)=(?:(0)|([0-9]+[a-z]*:[0-9]+(?:\+[0-9]+[a-z]*:[0-9]+)*))", re.I)


def _read_turn(text: str, rules: Rules) -> JointAnswer:
    match = _TURN.fullmatch(text)
    if match is None:
        raise BsbenchError(
            f"unreadable answer {text!r}: with joint answers, write the cells of a turn and its "
            "hits on each ship, such as A1+C3+E5=4:2+2:1, or A1+C3+E5=0 for none"
        )
    cells = tuple(read_cell(name, rules.rows, rules.cols) for name in match[1].split("+"))
    hits = [0] * len(rules.fleet)
    for part in match[3].split("+") if match[3] else ():
        name, number = part.split(":")
        ship = _named_ship(name.lower(), text, rules, set())
        if hits[ship]:
            raise BsbenchError(f"{text} counts the hits on the ship {name} twice")
        hits[ship] = int(number[:6])
    if sum(hits) > len(cells):
        raise BsbenchError(f"{text} has more hits than shots")
    return JointAnswer(cells, tuple(hits))


def _read_answer(text: str, rules: Rules, before: Sequence[Answer]) -> Answer:
    match = _ANSWER.fullmatch(text)
    if match is None:
        raise BsbenchError(
            f"unreadable answer {text!r}: write B7=miss, B7=hit, or for the ship of 3 that sank "
            "B7=sunk:3 (under feedback ship, also B7=hit:3), one answer for each shot"
        )
    cell = read_cell(match[1], rules.rows, rules.cols)
    outcome = {"miss": MISS, "hit": HIT, "sunk": SUNK}[match[2].lower()]
    named, ends = match[3], match[4]
    ship, slot, sinks = NOTHING, NOTHING, outcome == SUNK
    if ends and not sinks:
        raise BsbenchError(f"{text} says where a ship lies that has not sunk: leave out @…")
    sunk = {each.ship for each in before if each.outcome == SUNK}
    if sinks and named is None and rules.feedback.reveals.lengths:
        lengths = _sunk_lengths(cell, rules, before)
        if len(lengths) != 1:
            raise BsbenchError(f"{text} does not say which ship has sunk: write such as {text}:3")
        named = str(*lengths)
    told, bare = rules.reveals, text.partition(":")[0]

    def refuse(is_wrong: bool, why: str, right: str, feedback: str) -> None:
        if is_wrong:
            raise BsbenchError(
                f"under feedback {rules.feedback}, {why}: write {right}, or choose "
                f"{option('feedback', feedback)}"
            )

    hit, is_named = outcome == HIT, named is not None
    where, full = text.partition("@")[0], f"such as {text}:3"
    refuse(bool(ends) and not told.cells, "nobody says where a sunk ship lies", where, "sunk")
    refuse(hit and told.ships and not is_named, "every hit says which ship it is", full, "sunk")
    refuse(hit and is_named and not told.ships, "a hit does not say which ship it is", bare, "ship")
    refuse(sinks and is_named and not told.lengths, "nobody says which ship sank", bare, "length")
    if named is not None:
        if outcome == MISS:
            raise BsbenchError(f"{text} is not an answer: a miss hits no ship")
        ship = _named_ship(named.lower(), text, rules, sunk)
    if ends:
        slot = slot_between(match[4], match[5], rules.fleet[ship], text, rules)
    if not (sinks and rules.feedback.reveals.cells):
        return Answer(cell, outcome, ship, slot)
    length = rules.fleet[ship]
    unlettered = named.isdecimal() and rules.fleet.count(length) > 1
    if not unlettered and any(o.unlettered and rules.fleet[o.ship] == length for o in before):
        raise BsbenchError(f"{text}: give letters to all ships of {length} that sank, or to none")
    return Answer(cell, outcome, ship, slot, unlettered)


def _sunk_lengths(cell: int, rules: Rules, before: Sequence[Answer]) -> set[int]:
    """Return how long a ship may be that a shot has sunk: its cells are hit, and none beside it."""
    hits = {cell, *(each.cell for each in before if each.outcome != MISS)}
    sunk = Counter(rules.fleet[each.ship] for each in before if each.outcome == SUNK)
    found = set()
    for length in Counter(rules.fleet) - sunk:
        for ship in map(set, rules.slots(length)):
            beside = {other for each in ship for other in rules.closed_around(each)} - ship
            if cell in ship and ship <= hits and beside.isdisjoint(hits):
                found.add(length)
    return found


def _named_ship(name: str, text: str, rules: Rules, sunk: set[int]) -> int:
    """Return the ship of a name."""
    names = [ship_name(rules.fleet, ship) for ship in range(len(rules.fleet))]
    if name in names:
        return names.index(name)
    same = [ship for ship, length in enumerate(rules.fleet) if name == str(length)]
    if not same:
        raise BsbenchError(f"{text} names no ship of the fleet: it has {', '.join(names)}")
    if rules.reveals.ships:
        shown = " or ".join(names[ship] for ship in same[:20])
        raise BsbenchError(f"{text} does not say which ship of {name} it is: write {shown}")
    # It does not matter which of them has sunk first.
    return next((ship for ship in same if ship not in sunk), same[-1])
