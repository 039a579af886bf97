"""Scenarios: rules and a placement law under a name, read from TOML files.

`ScenarioFile` says which keys a scenario file has.

A built-in *family* describes boards of many sizes at once: ``name`` contains
``{rows}x{cols}``, ``sides`` (smallest and largest) stands in place of ``board``, and
``fleets`` in place of ``fleet`` maps the smaller side of the board, "up to", to a
fleet. The built-in scenarios are the files in the folder ``configs``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, Unpack, cast

from msgspec import UNSET, Meta, UnsetType

from bsbench.common.arguments import checked, is_whole
from bsbench.common.errors import BsbenchError
from bsbench.common.record import Record, read
from bsbench.common.settings import check_line, configs_folder, read_toml, suggestion
from bsbench.common.texts import shortened
from bsbench.rules.board import AFLOAT, TOUCHING, Answers, Feedback, Repeats, Rules, fleet_fits
from bsbench.rules.placement import Placement

DEFAULT = "classic"
"""The scenario of strategies that have no home."""


class Parts(TypedDict, total=False):
    """Parts of a scenario: values, or text as for options. None stands for what is not given.

    Attributes
    ----------
    board : str or pair of int, optional
        In place of the scenario's: ``"8x8"`` or ``(8, 8)``.
    fleet : list of int or str, optional
        In place of the scenario's: ``[4, 3, 2]`` or ``"4,3,2"``.
    touching : bool or "corners", optional
        Whether ships may touch, or at corners only, in place of the scenario's rule.
    feedback : str or Feedback, optional
        In place of the scenario's: ``hit``, ``sunk`` or ``ship``.
    shots : int or str, optional
        Shots of a turn, in place of the scenario's; in a match also ``"afloat"``, as many as one's
        own ships afloat.
    answers : str or Answers, optional
        In place of the scenario's: ``each`` shot of a turn is answered, or ``joint``, how many of
        them hit each ship.
    again : bool, optional
        Whether a hit gives another shot, in place of the scenario's rule.
    repeats : str or Repeats, optional
        In place of the scenario's: a shot at a cell that was shot before is ``refused``, or is a
        wasted move, ``count``.
    whole_turns : bool, optional
        Whether the last turn of salvos is fired whole, in place of the scenario's rule.
    placement : str or Placement, optional
        In place of the scenario's placement law, such as ``sequential:longest``.
    """

    board: tuple[int, int] | str | None
    fleet: Sequence[int] | str | None
    touching: bool | str | None
    feedback: Feedback | str | None
    shots: int | str | None
    answers: Answers | str | None
    again: bool | None
    repeats: Repeats | str | None
    whole_turns: bool | None
    placement: Placement | str | None


BoardText = Annotated[
    str,
    Meta(
        pattern="^[0-9]+x[0-9]+$",
        examples=["10x10"],
        description="Rows x columns, such as `10x10`.",
    ),
]
Lengths = Annotated[list[Annotated[int, Meta(ge=1)]], Meta(description="The lengths of the ships.")]
Touching = (
    Annotated[bool, Meta(description="Whether ships may touch, or at `corners` only.")]
    | Literal["corners"]
)
FeedbackName = Annotated[
    Literal["hit", "told", "length", "sunk", "ship"], Meta(description="What a shot reveals.")
]
Shots = (
    Annotated[int, Meta(ge=1, description="Shots of a turn, or `afloat`: as many as own ships.")]
    | Literal["afloat"]
)
AnswersName = Annotated[
    Literal["each", "joint"],
    Meta(description="Whether each shot of a turn is answered, or all of them together."),
]
Again = Annotated[
    bool, Meta(description="Whether a hit gives another shot, where two sides shoot in turn.")
]
RepeatsName = Annotated[
    Literal["refused", "count"],
    Meta(description="Whether a shot at a cell that was shot before is a wasted move."),
]
WholeTurns = Annotated[
    bool, Meta(description="Whether shots of a turn after the last hit count, too.")
]
Law = Annotated[
    str,
    Meta(
        description="The placement law, such as `uniform`, `edge:3` or `file:layouts.txt`.",
    ),
]


class ScenarioFile(Record, frozen=True, kw_only=True):
    """A TOML file that describes rules and a placement law.

    Attributes
    ----------
    name
        Default: the name of the file.
    summary
        One line for lists.
    source
        Where it comes from.
    """

    file = "scenario"
    heading = "Scenario file"

    name: str | UnsetType = UNSET
    summary: str = ""
    source: str = ""
    board: BoardText
    fleet: Lengths
    touching: Touching | UnsetType = UNSET
    feedback: FeedbackName | UnsetType = UNSET
    shots: Shots | UnsetType = UNSET
    answers: AnswersName | UnsetType = UNSET
    again: Again | UnsetType = UNSET
    repeats: RepeatsName | UnsetType = UNSET
    whole_turns: WholeTurns | UnsetType = UNSET
    placement: Law = "uniform"


class ScenarioRecord(ScenarioFile, frozen=True, kw_only=True):
    """Rules and placement law, fully resolved.

    Attributes
    ----------
    name
        Its name; where parts of a built-in one were replaced, the name says which.
    """

    file = ""
    shared = "scenario"

    name: str
    summary: str
    source: str
    touching: Touching
    feedback: FeedbackName
    placement: Law


class ScenarioParts(Record, frozen=True):
    """Parts of a scenario, in place of those of another one."""

    board: BoardText | UnsetType = UNSET
    fleet: Lengths | UnsetType = UNSET
    touching: Touching | UnsetType = UNSET
    feedback: FeedbackName | UnsetType = UNSET
    shots: Shots | UnsetType = UNSET
    answers: AnswersName | UnsetType = UNSET
    again: Again | UnsetType = UNSET
    repeats: RepeatsName | UnsetType = UNSET
    whole_turns: WholeTurns | UnsetType = UNSET
    placement: Law | UnsetType = UNSET


PARTS = ScenarioParts.__struct_fields__
"""Keys of a scenario file that `Scenario.override` can replace."""


@dataclass(frozen=True, init=False, repr=False)
class Scenario:
    """Rules and placement law, under a name.

    Parameters
    ----------
    board : str or pair of int, optional
        Rows and columns: ``"8x8"`` or ``(8, 8)``.
    fleet : sequence of int or str, optional
        Ship lengths: ``[4, 3, 2]`` or ``"4,3,2"``.
    touching : bool or "corners", optional
        Whether ships may be neighbours (8 directions), or at corners only.
    feedback : str or Feedback, optional
        What a shot reveals: ``hit``, ``sunk`` (also what sank) or ``ship`` (also which ship is
        hit).
    shots : int or str, optional
        Shots of a turn; ``"afloat"``, in matches: as many as one's own ships afloat.
    answers : str or Answers, optional
        ``each``: every shot of a turn is answered; ``joint``: how many of them hit each ship.
    again : bool, optional
        Whether a hit gives another shot, where two sides shoot in turn.
    repeats : str or Repeats, optional
        A shot at a cell that was shot before is ``refused``, or is a wasted move, ``count``.
    whole_turns : bool, optional
        Whether the last turn of salvos is fired whole. What is not given of all these is as on the
        scenario ``classic``.
    placement : str or Placement
        How likely each layout is, such as ``sequential:longest``.
    name, summary, source : str
        Default of the name: what distinguishes the rules from those of ``classic``.
    rules : Rules, optional
        In place of all of these.

    Attributes
    ----------
    name, summary, source : str
    rules : Rules
    placement : Placement

    Raises
    ------
    BsbenchError
        If a value is of the wrong kind or out of range, the fleet provably can't be laid out, or a
        text can't be printed on a line.

    Examples
    --------
    >>> pond = Scenario("8x8", fleet=[4, 3, 2], touching=False, feedback="sunk")
    >>> pond.name
    '8x8+4-3-2+no-touching+sunk'
    >>> pond.rules.ship_cells
    9
    >>> pond.override(board=(6, 6)).rules.board
    '6x6'
    """

    name: str
    rules: Rules
    placement: Placement
    summary: str
    source: str

    @checked
    def __init__(
        self,
        board: str | tuple[int, int] | None = None,
        /,
        *,
        name: str | None = None,
        summary: str = "",
        source: str = "",
        rules: Rules | None = None,
        **parts: Unpack[Parts],
    ) -> None:
        if board is not None:
            if "board" in parts:
                raise BsbenchError("the board is given twice: leave out one of the two")
            parts["board"] = board
        given = _known_parts(parts)
        law = Placement.parse(given.pop("placement", None) or "uniform")
        if rules is None:
            rules = _rules_of(given)
        elif given:
            raise BsbenchError(
                f"the rules have the {next(iter(given))} in them: leave out one of the two"
            )
        if name is None:
            name = _name_of(rules, str(law))
        # Frozen: attributes are set once, here.
        vars(self).update(name=name, rules=rules, placement=law, summary=summary, source=source)
        check_line("the name", name)
        for key, text in (("summary", summary), ("source", source)):
            if text:
                check_line(f"the {key}", text)
        if fleet_fits(rules) is False:
            raise BsbenchError(
                f"the fleet {list(rules.fleet)} can't fit on the {rules.board} board, where ships "
                f"{rules.apart.sentence}: every way to lay it out was tried; use fewer or shorter "
                "ships, or a larger board"
            )

    def __repr__(self) -> str:
        parts = {key: value for key, value in self.to_dict().items() if key in PARTS}
        board = parts.pop("board")
        if parts["placement"] == "uniform":
            del parts["placement"]
        if self.name != _name_of(self.rules, str(self.placement)):
            parts["name"] = self.name
        texts = [repr(board), *(f"{key}={value!r}" for key, value in parts.items())]
        return f"Scenario({', '.join(texts)})"

    @property
    def layout_law(self) -> tuple[Rules, Placement]:
        """What says how likely each layout is: not the feedback, unless a law asks for it."""
        rules, placement = self.rules, self.placement
        # What shots reveal has a part in how late a strategy shoots.
        layout_rules = rules.layout_rules
        if placement.reads_feedback:
            layout_rules = replace(layout_rules, feedback=rules.feedback)
        return layout_rules, placement

    @property
    def move_law(self) -> tuple[Rules, Placement, int | str, bool]:
        """What move counts that compare have in common: the layouts, and what a move is."""
        return *self.layout_law, self.rules.shots, self.rules.salvos

    def check_uniform(self) -> None:
        """Refuse layouts that are not equally likely, where all of them are counted.

        Raises
        ------
        BsbenchError
            If the placement law is another one.
        """
        if self.placement.law != "uniform":
            raise BsbenchError(
                f"exact odds are those of uniform layouts, not of {self.placement} ones: "
                "choose a scenario of the placement law uniform"
            )

    def override(self, **parts: Unpack[Parts]) -> Scenario:
        """Return this scenario with some parts replaced; its name says which.

        Parameters
        ----------
        **parts : Parts
            Those that change, such as ``board=(8, 8)`` or ``feedback=Feedback.SUNK``.

        Raises
        ------
        BsbenchError
            If there is no such part, or its value is of the wrong kind or out of range.
        """
        given = _known_parts(parts)
        old = self.parts()
        changed = Scenario(
            rules=_rules_of(given, self.rules),
            placement=given.get("placement") or self.placement,
            name=self.name,
            summary=self.summary,
            source=self.source,
        )
        new = changed.parts()
        changes = [_in_name(key, new[key]) for key in PARTS if new[key] != old[key]]
        return replace(changed, name="+".join([self.name, *changes]))

    def to_dict(self) -> dict[str, Any]:
        """Return the keys of a scenario file, those of single shots left out."""
        about = {"name": self.name, "summary": self.summary, "source": self.source}
        parts = self.parts()
        return about | {key: parts[key] for key in PARTS if parts[key] != _SINGLE_SHOTS.get(key)}

    def parts(self) -> dict[str, Any]:
        """Return the parts, as a scenario file has them."""
        rules = self.rules.to_dict()
        law = {"board": self.rules.board, "placement": str(self.placement)}
        return {key: law[key] if key in law else rules[key] for key in PARTS}


def _in_name(key: str, value: Any) -> str:
    """Return how an overridden part shows in the name of the scenario."""
    if key == "touching":
        return TOUCHING[value].name
    if isinstance(value, bool):
        return f"{'' if value else 'no-'}{key.replace('_', '-')}"
    if key == "shots" and value != AFLOAT:
        return f"{value}-shot{'s' * (value > 1)}"
    if key == "repeats":
        return f"repeats-{value}"
    if key == "fleet":
        return "-".join(map(str, value)) if len(value) <= 20 else f"{len(value)}-ships"
    if key == "placement" and value.startswith(("file:", "weights:")):
        law, _, path = value.partition(":")
        return f"{law}:{Path(path).name}"
    return str(value)


def scenario_options(scenario: Scenario) -> list[str]:
    """Return command-line options that mean a scenario: its name, and the parts that differ.

    A scenario from a file is described by how it differs from the default scenario.
    """
    name = scenario.name.partition("+")[0]
    known = None if name.lower().endswith(".toml") else look_up_scenario(name)
    if known is None:
        name, known = DEFAULT, find_scenario(DEFAULT)
    options = ["--scenario", name]
    before, now = known.parts(), scenario.parts()
    for key in PARTS:
        if now[key] != before[key]:
            value = scenario.rules.apart.option if key == "touching" else now[key]
            if isinstance(value, bool):
                options.append(f"--{_in_name(key, value)}")
            else:
                text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
                options += [f"--{key}", text]
    return options


def _name_of(rules: Rules, placement: str) -> str:
    """Return the name of a scenario that has none: its board, and how it differs from `DEFAULT`."""
    usual = find_scenario(DEFAULT)
    before = usual.parts()
    now = Scenario(rules=rules, placement=placement, name=DEFAULT).parts()
    changes = [
        _in_name(key, now[key]) for key in PARTS if key == "board" or now[key] != before[key]
    ]
    return "+".join(changes)


def _rules_of(parts: Parts, others: Rules | None = None) -> Rules:
    """Return rules of some parts as `parse_parts` returns them; the others are as in other rules.

    Those are by default the rules of the scenario `DEFAULT`.
    """
    given: dict[str, Any] = {key: parts[key] for key in _RULES if key in parts}  # type: ignore[literal-required]
    if others is None:
        given = {**_SINGLE_SHOTS, **given}
    if len(given) < len(_RULES):
        usual = others or find_scenario(DEFAULT).rules
        given = {key: getattr(usual, key) for key in _RULES[1:]} | given
        given.setdefault("board", (usual.rows, usual.cols))
    rows, cols = given.pop("board")
    return Rules(rows, cols, **given)


def parse_parts(given: Mapping[str, Any]) -> Parts:
    """Return parts of a scenario as values.

    Parameters
    ----------
    given : mapping
        Parts as values, or as text as on the command line. Keys of None, or of no part, are left
        out.

    Raises
    ------
    BsbenchError
        If a text can't be read, or a value is of the wrong kind.
    """
    known = {key: given[key] for key in PARTS if given.get(key) is not None}
    parts = {key: _READ[key](part) if key in _READ else part for key, part in known.items()}
    return cast(Parts, parts)


def _known_parts(given: Mapping[str, Any]) -> Parts:
    """Return the same, but refuse keys of no part."""
    for key in given:
        if key not in PARTS:
            raise BsbenchError(
                f"unknown key {shortened(key)}: {suggestion(key, PARTS, 'known are')}"
            )
    return parse_parts(given)


def _read_board(board: Any) -> tuple[int, int]:
    if isinstance(board, str):
        match = re.fullmatch(r"(-?\d{1,9})x(-?\d{1,9})", board)
        if match is None:
            raise BsbenchError(
                f"unreadable board {shortened(board)}: write rows x columns, such as 10x10"
            )
        return int(match[1]), int(match[2])
    try:
        rows, cols = board
    except (TypeError, ValueError):
        rows = cols = None
    if not (is_whole(rows) and is_whole(cols)):
        raise BsbenchError(f"a board is written such as '8x8' or (8, 8), not {shortened(board)}")
    return int(rows), int(cols)


def _read_fleet(fleet: Any) -> Any:
    """Return a list written as text; `Rules` checks what it holds."""
    if not isinstance(fleet, str):
        return tuple(fleet) if isinstance(fleet, Iterable) else fleet
    try:
        return tuple(int(length) for length in fleet.split(","))
    except ValueError:
        raise BsbenchError(
            f"unreadable fleet {shortened(fleet)}: write ship lengths with commas, such as "
            "5,4,3,3,2"
        ) from None


def _read_shots(shots: Any) -> Any:
    """Return a number written as text; `Rules` checks other values."""
    if isinstance(shots, str) and re.fullmatch(r"\d{1,6}", shots):
        return int(shots)
    if isinstance(shots, str) and shots != AFLOAT:
        raise BsbenchError(
            f"the shots of a turn are a whole number above 0, or {AFLOAT!r}, not "
            f"{shortened(shots)}; that a hit gives another shot is the rule 'again'"
        )
    return shots


_READ: Mapping[str, Callable[[Any], Any]] = {
    "board": _read_board,
    "fleet": _read_fleet,
    "feedback": Feedback.parse,
    "shots": _read_shots,
    "answers": Answers.parse,
    "repeats": Repeats.parse,
    "placement": Placement.parse,
}
"""What reads parts that may be text, or are more than a value."""

_RULES: tuple[str, ...] = PARTS[:-1]
"""The parts that make rules."""

_usual = Rules(1, 1, (1,), touching=True).to_dict()

_SINGLE_SHOTS: Mapping[str, Any] = {key: _usual[key] for key in _RULES[4:]}
"""What a scenario file means where it does not say how a turn goes."""


def scenario_from_dict(table: dict[str, Any], default_name: str = "unnamed") -> Scenario:
    """Return the scenario that the keys of a scenario file describe.

    Raises
    ------
    BsbenchError
        If a key is unknown or missing, or a value is of the wrong kind or out of range.
    """
    if isinstance(table, dict):
        # Of an unknown word for shots, it says more than the types of the keys do.
        _read_shots(table.get("shots"))
    read(table, ScenarioFile)
    return Scenario(**{**table, "name": table.get("name", default_name)})


@cache
def _built_in() -> dict[str, dict[str, Any]]:
    """Return the contents of the built-in files by scenario or family name."""
    tables = [read_toml(path, "scenario file") for path in sorted(configs_folder().glob("*.toml"))]
    return {table["name"]: table for table in tables}


def _family_member(table: dict[str, Any], rows: int, cols: int) -> Scenario:
    """Return a family's scenario on a board of that size."""
    smallest, largest = table["sides"]
    if not smallest <= min(rows, cols) <= max(rows, cols) <= largest:
        raise BsbenchError(
            f"there is no {table['name'].format(rows=rows, cols=cols)}: sides go from "
            f"{smallest} to {largest}"
        )
    bound = min(int(side) for side in table["fleets"] if min(rows, cols) <= int(side))
    member = {key: value for key, value in table.items() if key not in ("sides", "fleets")}
    member |= {
        "name": table["name"].format(rows=rows, cols=cols),
        "board": f"{rows}x{cols}",
        "fleet": table["fleets"][str(bound)],
    }
    return scenario_from_dict(member)


def scenario_names() -> list[str]:
    """Return the names of the built-in scenarios, of families those of square boards.

    Examples
    --------
    >>> scenario_names()[:3]
    ['classic', 'gym-5x5', 'gym-6x6']
    """
    names = []
    for name, table in _built_in().items():
        # What is no family has one name, whatever the sides.
        smallest, largest = table.get("sides", (0, 0))
        names += [name.format(rows=n, cols=n) for n in range(smallest, largest + 1)]
    return names


def find_scenario(name: str | Path | Scenario) -> Scenario:
    """Return a built-in scenario by name, or the one in a TOML file by path.

    Parameters
    ----------
    name : str, Path or Scenario
        A scenario is returned as it is.

    Raises
    ------
    BsbenchError
        If there is none, or the file is not a correct scenario.

    Examples
    --------
    >>> find_scenario("classic").rules.fleet
    (5, 4, 3, 3, 2)
    """
    if isinstance(name, Scenario):
        return name
    if not isinstance(name, str | Path):
        raise BsbenchError(
            f"a scenario is a name, the path of a TOML file, or a Scenario, not {shortened(name)}"
        )
    name = str(name)
    scenario = look_up_scenario(name)
    if scenario is None:
        hint = suggestion(name, scenario_names(), "built in are")
        raise BsbenchError(
            f"unknown scenario {shortened(name)}: {hint} (a file of your own must end in .toml)"
        )
    return scenario


def look_up_scenario(name: str) -> Scenario | None:
    """Return what `find_scenario` does, but None for a name that is not built in.

    Raises
    ------
    BsbenchError
        If a file is not a correct scenario, or a family has no member of that size.
    """
    path = Path(name)
    if path.suffix.lower() == ".toml":
        try:
            table = read_toml(path, "scenario file")
            return scenario_from_dict(table, default_name=path.stem)
        except BsbenchError as error:
            message = str(error)
            raise BsbenchError(message if name in message else f"{name}: {message}") from None
    for known, table in _built_in().items():
        if "fleets" in table:
            pattern = re.escape(known).replace(r"\{rows\}x\{cols\}", r"(\d{1,3})x(\d{1,3})")
            match = re.fullmatch(pattern, name)
            if match:
                return _family_member(table, int(match[1]), int(match[2]))
        elif known == name:
            return scenario_from_dict(table)
    return None
