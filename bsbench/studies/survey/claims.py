"""Published figures, and what bsbench plays to compare them: the files of ``results/survey``.

``claims.toml``
    a table ``[source.NAME]`` for each source, and a ``[[claim]]`` for each figure;
``readings.toml``
    a table for each reading of somebody's rules: a command of bsbench, or an exact law;
``played.json``
    the move counts of each command that has been played.

All three may come from a stranger: they are data, and are refused with one sentence.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from bsbench.common.errors import BsbenchError
from bsbench.common.files import read_json, write_text
from bsbench.common.record import Count, Record, Seconds, read
from bsbench.common.settings import read_toml, results_folder, suggestion
from bsbench.common.texts import shortened
from bsbench.rules.scenario import find_scenario

CLAIMS, READINGS, PLAYED = "claims.toml", "readings.toml", "played.json"
"""The files."""

SEED = 7
"""Seed of all games that are played for a reading."""

LAYOUTS, LAYOUTS_SEED = "layouts.txt", 1
"""How a reading names the file that its layouts are written to, and their seed."""

CELLS, BOUND = "=cells", "=bound"
"""What a claim may name in place of readings: the cells of the board, and a proven lower bound."""

USUAL_CELLS = 100
"""Cells of a claim's board where its readings do not say them."""

Name = Annotated[
    str,
    msgspec.Meta(pattern="^[a-z0-9][a-z0-9-]*$", title="small letters, digits and hyphens"),
]
Address = Annotated[
    str, msgspec.Meta(pattern=r"^https://[^\s/]+\.\S+$", title="an address that begins https://")
]
Published = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^\d{1,9}(\.\d{1,9})?$",
        title='a figure as text, such as "51.50": its last digit says how it was rounded',
    ),
]
Law = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[1-9]\d{0,2} of [1-9]\d{0,2}$", title='ship cells of cells, as "17 of 100"'
    ),
]
Games = Annotated[int, msgspec.Meta(ge=1)] | Literal["exact", "not stated"]
Kind = Literal["mean", "median", "min", "max", "winners"]

KINDS: tuple[Kind, ...] = ("mean", "median", "min", "max", "winners")
"""What a figure is: of the moves of all games, or the mean moves of those who win a match."""


class Source(Record, frozen=True):
    """Who published figures.

    Attributes
    ----------
    name
        How it is called.
    year
        Year of publication.
    where
        An address that a reader can open.
    """

    name: str
    year: Annotated[int, msgspec.Meta(ge=1900, le=2100)]
    where: Address


class Claim(Record, frozen=True, kw_only=True):
    """A published figure; exactly one of ``mean``, ``median``, ``min``, ``max`` and ``winners``.

    Attributes
    ----------
    id
        Its name.
    source
        The name of its source.
    player
        The player, in the words of the source.
    group
        What kind of player it is.
    mean, median, min, max, winners
        The figure: mean, median, best or worst game, or the mean of games that were won.
    games
        Games that it is of; ``exact`` or ``not stated``.
    stated, not_stated
        What the source says of its rules, and what it leaves open.
    readings
        Names of readings. The first is the rules as stated. Where each begins with ``=``, the
        player is not here, and is only compared.
    """

    id: Name
    source: str
    player: str
    group: str
    mean: Published | msgspec.UnsetType = msgspec.UNSET
    median: Published | msgspec.UnsetType = msgspec.UNSET
    min: Published | msgspec.UnsetType = msgspec.UNSET
    max: Published | msgspec.UnsetType = msgspec.UNSET
    winners: Published | msgspec.UnsetType = msgspec.UNSET
    games: Games
    stated: str
    not_stated: str = ""
    readings: Annotated[list[str], msgspec.Meta(min_length=1, title="a list of readings")]

    @property
    def kinds(self) -> list[Kind]:
        """Which figures it has: one, in a claim that was checked."""
        return [kind for kind in KINDS if getattr(self, kind) is not msgspec.UNSET]

    @property
    def kind(self) -> Kind:
        """Which figure it is."""
        return self.kinds[0]

    @property
    def text(self) -> str:
        """The figure as it was published."""
        return str(getattr(self, self.kind))

    @property
    def only_compared(self) -> bool:
        """Whether the claim's player is not here."""
        return self.readings[0].startswith("=")


class Reading(Record, frozen=True, kw_only=True):
    """What bsbench plays; exactly one of ``exact``, ``run``, ``optimum`` and ``outside``.

    Attributes
    ----------
    says
        What it is, in words.
    exact
        For shots in an order that knows nothing: how many ship cells of how many cells. The law is
        exact, wherever ships lie.
    run
        What follows ``bsbench run``; a player in Python is a class in a file of this folder.
    layouts
        What follows ``bsbench layouts``, where ``run`` plays on ``--placement file:layouts.txt``.
    optimum, column
        What follows ``bsbench optimum``, and which of its means counts.
    outside
        A script in Python, with arguments, that prints moves and games as CSV.
    """

    says: str
    exact: Law = ""
    run: str = ""
    layouts: str = ""
    optimum: str = ""
    column: Literal["least", "greedy"] = "least"
    outside: str = ""

    @property
    def commands(self) -> list[str]:
        """What is played: whole command lines, those of layouts first."""
        seed = f"--seed {LAYOUTS_SEED} -o {LAYOUTS}"
        lines = [f"bsbench layouts {self.layouts} {seed}"] if self.layouts else []
        if self.run:
            lines.append(f"bsbench run {self.run} --seed {SEED}")
        elif self.optimum:
            lines.append(f"bsbench optimum {self.optimum}")
        elif self.outside:
            lines.append(f"python {self.outside}")
        return lines

    @property
    def key(self) -> str:
        """What its games are kept by."""
        return " && ".join(self.commands) + (f" # {self.column}" if self.optimum else "")

    def option(self, *names: str) -> str:
        """Return the value of an option of its command; empty if it is not given."""
        return _option(self.run or self.optimum, *names)

    @property
    def layouts_in_file(self) -> int:
        """Layouts in the file that it plays on; 0 if there is none."""
        return int(_option(self.layouts, "-n") or 0)

    def cells(self) -> int:
        """Return the cells of its board, or `USUAL_CELLS` where its command does not say them.

        Raises
        ------
        BsbenchError
            If its scenario is unknown.
        """
        if self.exact:
            return int(self.exact.split()[-1])
        if size := re.fullmatch(r"(\d+)x(\d+)", self.option("--board")):
            return int(size[1]) * int(size[2])
        name = self.option("--scenario")
        return find_scenario(name).rules.cells if name else USUAL_CELLS


class Played(Record, frozen=True, kw_only=True, omit_defaults=True):
    """What a command has shown.

    Attributes
    ----------
    command
        The command, see `Reading.key`.
    games
        Games played.
    layouts
        Layouts in the file that they were played on; 0 if each game has a layout of its own.
    seconds
        Processor time.
    first, counts
        The fewest moves of a game, and how many games had so many moves, one more, and so on.
    mean
        The mean as a fraction, where the command shows no games.
    """

    command: str
    games: Count
    layouts: Count = 0
    seconds: Seconds
    first: Count = 0
    counts: list[Count] = []
    mean: Annotated[str, msgspec.Meta(pattern=r"^\d+(/[1-9]\d*)?$", title="a fraction")] = ""


@dataclass(frozen=True)
class Survey:
    """All that is on record.

    Attributes
    ----------
    sources, claims, readings : mapping
        By their names.
    played : mapping of str to Played
        By `Reading.key`.
    """

    sources: Mapping[str, Source]
    claims: Mapping[str, Claim]
    readings: Mapping[str, Reading]
    played: Mapping[str, Played]

    def missing(self) -> dict[str, Reading]:
        """Return the readings whose commands have not been played, by their names."""
        return {
            name: reading
            for name, reading in self.readings.items()
            if not reading.exact and reading.key not in self.played
        }


class _Claims(Record, frozen=True):
    """The tables of ``claims.toml``."""

    source: dict[str, Any]
    claim: list[Any]


class _PlayedFile(Record, frozen=True):
    """What ``played.json`` holds."""

    played: list[Played]


def survey_folder() -> Path:
    """Return the folder of the survey's files."""
    return results_folder() / "survey"


def read_survey() -> Survey:
    """Return all that is on record.

    Raises
    ------
    BsbenchError
        If a file can't be read, or says what it must not; the sentence names file and key.
    """
    folder = survey_folder()
    path = folder / READINGS
    readings = dict(_each(path, "reading", read_toml(path, "readings").items(), Reading))
    boards = {}
    for name, reading in readings.items():
        try:
            problem = _problem_of_reading(reading)
            boards[name] = reading.cells()
        except BsbenchError as error:
            problem = str(error)
        if problem:
            raise BsbenchError(f"{path}, reading {name!r}: {problem}")
    path = folder / CLAIMS
    try:
        tables = read(read_toml(path, "claims"), _Claims)
    except BsbenchError as error:
        raise BsbenchError(f"{path}: {error}") from None
    sources = dict(_each(path, "source", tables.source.items(), Source))
    claims: dict[str, Claim] = {}
    numbered = ((_id_of(table, number), table) for number, table in enumerate(tables.claim, 1))
    for name, claim in _each(path, "claim", numbered, Claim):
        problem = _problem_of_claim(claim, sources, boards)
        if claim.id in claims:
            problem = "an earlier claim has this 'id', too: choose another one"
        if problem:
            raise BsbenchError(f"{path}, claim {name!r}: {problem}")
        claims[claim.id] = claim
    return Survey(sources, claims, readings, read_played())


def read_played() -> dict[str, Played]:
    """Return the games on record by their commands; nothing if there is no file yet."""
    path = survey_folder() / PLAYED
    if not path.is_file():
        return {}
    file = read_json(path, partial(read, kind=_PlayedFile), "usable", "a record of the survey")
    return {each.command: each for each in file.played}


def write_played(played: Mapping[str, Played], readings: Mapping[str, Reading]) -> None:
    """Write the games of all readings, a line for each, in their order; others leave."""
    keys = dict.fromkeys(reading.key for reading in readings.values())
    kept = [msgspec.to_builtins(played[key]) for key in keys if key in played]
    lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in kept)
    write_text(survey_folder() / PLAYED, f'{{"played": [\n{lines}\n]}}\n')


_Kind = TypeVar("_Kind", bound=Record)


def _each(path: Path, what: str, tables: Any, kind: type[_Kind]) -> Iterator[tuple[str, _Kind]]:
    """Yield tables by their names, each as its type."""
    for name, table in tables:
        try:
            yield name, read(table, kind)
        except BsbenchError as error:
            raise BsbenchError(f"{path}, {what} {shortened(name)}: {error}") from None


def _option(command: str, *names: str) -> str:
    """Return the value of an option of a command; empty if it is not given."""
    words = command.split()
    pairs = zip(words, words[1:], strict=False)
    return next((value for word, value in pairs if word in names), "")


def _id_of(table: Any, number: int) -> str:
    """Return how a claim is called that may have no name."""
    name = table.get("id") if isinstance(table, dict) else None
    return name if isinstance(name, str) else f"number {number}"


def _problem_of_reading(reading: Reading) -> str:
    """Return what is wrong with a reading, beside its types; empty if nothing is."""
    given = [key for key in ("exact", "run", "optimum", "outside") if getattr(reading, key)]
    if len(given) != 1:
        return "it wants one of the keys 'exact', 'run', 'optimum' and 'outside'"
    if reading.exact:
        ships, _, cells = reading.exact.partition(" of ")
        return "" if int(ships) <= int(cells) else "'exact' has more ship cells than cells"
    if bool(reading.layouts) != (f"file:{LAYOUTS}" in reading.run):
        return f"with the key 'layouts', 'run' plays on file:{LAYOUTS}, and only then"
    if reading.layouts and not _option(reading.layouts, "-n").isdecimal():
        return "'layouts' does not say how many, with -n"
    try:
        shlex.split(f"{reading.run} {reading.optimum} {reading.outside} {reading.layouts}")
    except ValueError:
        return f"a quotation in {given[0]!r} does not end"
    return ""


def _problem_of_claim(
    claim: Claim, sources: Mapping[str, Source], boards: Mapping[str, int]
) -> str:
    """Return what is wrong with a claim, beside its types; empty if nothing is.

    Readings are given by the cells of their boards.
    """
    if claim.source not in sources:
        hint = suggestion(claim.source, sources)
        return f"'source' names none of this file, {shortened(claim.source)}: {hint}"
    if len(claim.kinds) != 1:
        return f"it wants one of the keys {', '.join(map(repr, KINDS))}"
    if len({name.startswith("=") for name in claim.readings}) > 1:
        return "of 'readings', all or none begin with '=', which only compares"
    for name in claim.readings:
        if name not in (CELLS, BOUND) and name.removeprefix("=") not in boards:
            return f"'readings' names an unknown one, {shortened(name)}: {suggestion(name, boards)}"
    named = (boards.get(name.removeprefix("="), 0) for name in claim.readings)
    cells = max(named) or USUAL_CELLS
    if (float(claim.text) > cells) != (CELLS in claim.readings):
        return (
            f"{claim.kind!r} is {claim.text}, and the board has {cells} cells: only a figure above "
            f"them has the reading {CELLS!r}, and each that has no other one"
        )
    return ""
