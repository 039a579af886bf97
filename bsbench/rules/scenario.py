"""Scenarios: rules and a placement law under a name, read from TOML files.

A scenario file has these keys; those with a default may be left out::

    name = "harbour"                  # default: the file's name
    summary = "…"                     # default: empty
    source = "…"                      # default: empty
    board = "10x10"                   # rows x columns
    fleet = [5, 4, 3, 3, 2, 2, 1, 1]
    touching = false
    feedback = "hit"                  # hit, sunk or ship
    placement = "uniform"             # default; see `Placement`

A built-in *family* describes boards of many sizes at once: ``name`` contains
``{rows}x{cols}``, ``sides`` (smallest and largest) stands in place of ``board``, and
``fleets`` in place of ``fleet`` maps the smaller side of the board, "up to", to a
fleet. The built-in scenarios are the files in the folder ``configs``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypedDict, Unpack

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import (
    Keys,
    check_keys,
    check_line,
    configs_folder,
    read_toml,
    suggestion,
)
from bsbench.rules.board import Feedback, Rules, fleet_fits
from bsbench.rules.placement import Placement

DEFAULT = "classic"
"""The scenario of strategies that have no home."""


class Parts(TypedDict, total=False):
    """Parts of a scenario that `Scenario.override` replaces: values, or text as for options."""

    board: tuple[int, int] | str
    fleet: Sequence[int] | str
    touching: bool
    feedback: Feedback | str
    placement: Placement | str


@dataclass(frozen=True)
class Scenario:
    """Rules and placement law, under a name.

    Raises
    ------
    BsbenchError
        If the fleet provably can't be laid out, or a text can't be printed on a line.
    """

    name: str
    rules: Rules
    placement: Placement = field(default_factory=Placement)
    summary: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        check_line("the name", self.name)
        for key in ("summary", "source"):
            if getattr(self, key):
                check_line(f"the {key}", getattr(self, key))
        if fleet_fits(self.rules) is False:
            raise BsbenchError(
                f"the fleet {list(self.rules.fleet)} can't fit on a {self.rules.board} board"
                f"{'' if self.rules.touching else ' without touching'}: every way to lay it out "
                "was tried; use fewer or shorter ships, or a larger board"
            )

    @property
    def layout_law(self) -> tuple[Rules, Placement]:
        """What says how likely each layout is: all but the feedback, unless a law asks for it."""
        rules, placement = self.rules, self.placement
        # What a strategy is told has a part in how late it shoots.
        return (
            rules if placement.law == "avoid" else replace(rules, feedback=Feedback.HIT)
        ), placement

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
        old = self.to_dict()
        new: dict[str, Any] = {**old, **parts}
        if not isinstance(new["board"], str):
            new["board"] = "x".join(map(str, new["board"]))
        fleet = new["fleet"]
        new["fleet"] = _parse_fleet(fleet) if isinstance(fleet, str) else list(fleet)
        new |= {key: str(new[key]) for key in ("feedback", "placement")}
        changed = scenario_from_dict(new)
        new = changed.to_dict()
        changes = [_in_name(key, new[key]) for key in PARTS if new[key] != old[key]]
        return replace(changed, name="+".join([self.name, *changes]))

    def to_dict(self) -> dict[str, Any]:
        """Return the keys of a scenario file, fully resolved."""
        return {
            "name": self.name,
            "summary": self.summary,
            "source": self.source,
            "board": self.rules.board,
            "fleet": list(self.rules.fleet),
            "touching": self.rules.touching,
            "feedback": str(self.rules.feedback),
            "placement": str(self.placement),
        }


def _in_name(key: str, value: Any) -> str:
    """Return how an overridden part shows in the name of the scenario."""
    if key == "touching":
        return "touching" if value else "no-touching"
    if key == "fleet":
        return "-".join(map(str, value)) if len(value) <= 20 else f"{len(value)}-ships"
    if key == "placement" and value.startswith("file:"):
        return f"file:{Path(value).name.removeprefix('file:')}"
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
    before, now = known.to_dict(), scenario.to_dict()
    for key in PARTS:
        if now[key] != before[key]:
            value = now[key]
            if key == "touching":
                options.append("--touching" if value else "--no-touching")
            else:
                text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
                options += [f"--{key}", text]
    return options


def parse_board(text: str) -> tuple[int, int]:
    """Return rows and columns of a board written like ``10x10``."""
    match = re.fullmatch(r"(-?\d{1,9})x(-?\d{1,9})", text)
    if match is None:
        raise BsbenchError(f"unreadable board {text!r}: write rows x columns, such as 10x10")
    return int(match[1]), int(match[2])


def parse_parts(texts: Mapping[str, Any]) -> Parts:
    """Return parts of a scenario as values.

    Parameters
    ----------
    texts : mapping
        Parts as on the command line or in a TOML file: text, but a fleet may be a list, and
        touching is a bool. Keys of None, or of no part, are left out.

    Raises
    ------
    BsbenchError
        If a text can't be read.
    """
    parts = Parts()
    if (board := texts.get("board")) is not None:
        parts["board"] = parse_board(board)
    if (fleet := texts.get("fleet")) is not None:
        parts["fleet"] = _parse_fleet(fleet) if isinstance(fleet, str) else fleet
    if (touching := texts.get("touching")) is not None:
        parts["touching"] = touching
    if (feedback := texts.get("feedback")) is not None:
        parts["feedback"] = Feedback.parse(feedback)
    if (placement := texts.get("placement")) is not None:
        parts["placement"] = Placement.parse(placement)
    return parts


def _parse_fleet(text: str) -> list[int]:
    try:
        return [int(length) for length in text.split(",")]
    except ValueError:
        raise BsbenchError(
            f"unreadable fleet {text!r}: write ship lengths with commas, such as 5,4,3,3,2"
        ) from None


PARTS: Keys = {
    "board": (str, 'text such as "10x10"'),
    "fleet": (list[int], "a list of whole numbers"),
    "touching": (bool, "true or false"),
    "feedback": (str, '"hit", "sunk" or "ship"'),
    "placement": (str, "text"),
}
"""Keys of a scenario file that `Scenario.override` can replace."""

_KEYS: Keys = {"name": (str, "text"), "summary": (str, "text"), "source": (str, "text"), **PARTS}
_FAMILY_KEYS: Keys = {
    "sides": (list[int], "two whole numbers"),
    "fleets": (dict, "a table of fleets by smaller side"),
}


def scenario_from_dict(table: dict[str, Any], default_name: str = "unnamed") -> Scenario:
    """Return the scenario that the keys of a scenario file describe.

    Raises
    ------
    BsbenchError
        If a key is unknown or missing, or a value is of the wrong kind or out of range.
    """
    check_keys(table, _KEYS, required=("board", "fleet", "touching", "feedback"))
    name = table.get("name", default_name)
    rows, cols = parse_board(table["board"])
    fleet, touching = tuple(table["fleet"]), table["touching"]
    return Scenario(
        name=name,
        rules=Rules(rows, cols, fleet, touching, Feedback.parse(table["feedback"])),
        placement=Placement.parse(table.get("placement", "uniform")),
        summary=table.get("summary", ""),
        source=table.get("source", ""),
    )


@cache
def _built_in() -> dict[str, dict[str, Any]]:
    """Return the contents of the built-in files by scenario or family name."""
    tables = [read_toml(path, "scenario file") for path in sorted(configs_folder().glob("*.toml"))]
    return {table["name"]: table for table in tables}


def _is_family(table: dict[str, Any]) -> bool:
    return "fleets" in table


def _family_member(table: dict[str, Any], rows: int, cols: int) -> Scenario:
    """Return a family's scenario on a board of that size."""
    keys = {**_KEYS, **_FAMILY_KEYS}
    check_keys(table, keys, required=("name", "sides", "fleets", "touching", "feedback"))
    smallest, largest = table["sides"]
    if not smallest <= min(rows, cols) <= max(rows, cols) <= largest:
        raise BsbenchError(
            f"there is no {table['name'].format(rows=rows, cols=cols)}: sides go from "
            f"{smallest} to {largest}"
        )
    bound = min(int(side) for side in table["fleets"] if min(rows, cols) <= int(side))
    member = {key: value for key, value in table.items() if key not in _FAMILY_KEYS}
    member |= {
        "name": table["name"].format(rows=rows, cols=cols),
        "board": f"{rows}x{cols}",
        "fleet": table["fleets"][str(bound)],
    }
    return scenario_from_dict(member)


def built_in_names() -> Iterator[str]:
    """Yield the names of the built-in scenarios, of families those of square boards."""
    for name, table in _built_in().items():
        if _is_family(table):
            smallest, largest = table["sides"]
            yield from (name.format(rows=n, cols=n) for n in range(smallest, largest + 1))
        else:
            yield name


def find_scenario(name: str) -> Scenario:
    """Return a built-in scenario by name, or the one in a TOML file by path.

    Raises
    ------
    BsbenchError
        If there is none, or the file is not a correct scenario.
    """
    scenario = look_up_scenario(name)
    if scenario is None:
        hint = suggestion(name, built_in_names(), "built in are")
        raise BsbenchError(
            f"unknown scenario {name!r}: {hint} (a file of your own must end in .toml)"
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
        if _is_family(table):
            pattern = re.escape(known).replace(r"\{rows\}x\{cols\}", r"(\d{1,3})x(\d{1,3})")
            match = re.fullmatch(pattern, name)
            if match:
                return _family_member(table, int(match[1]), int(match[2]))
        elif known == name:
            return scenario_from_dict(table)
    return None
