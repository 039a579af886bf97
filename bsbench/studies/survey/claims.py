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
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from bsbench.common.errors import BsbenchError
from bsbench.common.files import read_json, write_text
from bsbench.common.record import Count, Record, Seconds, read
from bsbench.common.settings import read_toml, results_folder
from bsbench.common.texts import shortened
from bsbench.rules.scenario import find_scenario

LAYOUTS = "layouts.txt"
"""How readings name a file of layouts."""

OVER, BOUND = "=cells", "=bound"
"""What a claim may name in place of readings: that it has more moves than the board has cells, and
the proven lower bound."""

USUAL_CELLS = 100
"""Cells of a board that is not said."""

Kind = Literal["mean", "median", "min", "max", "winners"]
"""What a figure is: of the moves of all games, or the mean moves of those who win a match."""

Games = Annotated[int, msgspec.Meta(ge=1, le=10**12)] | Literal["exact", "not stated"]
_NAME = msgspec.Meta(pattern="^[a-z0-9][a-z0-9-]*$", title="small letters, digits and hyphens")
_ADDRESS = msgspec.Meta(pattern=r"^https://\S+\.\S+$", title="an address that begins with https://")
_FIGURE = msgspec.Meta(
    pattern=r"^\d{1,9}(\.\d{1,9})?$", title='text such as "51.50", with the last digit'
)
_LAW = msgspec.Meta(pattern=r"^\d{1,3} of \d{1,3}$", title='text such as "17 of 100"')
_FRACTION = msgspec.Meta(pattern=r"^\d+(/[1-9]\d*)?$", title="a fraction")


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
    year: Count
    where: Annotated[str, _ADDRESS]


class Claim(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A published figure; one of ``mean``, ``median``, ``min``, ``max`` and ``winners``.

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
        The figure: mean, median, fewest or most moves; or the mean moves of those who win a match.
    games
        Games that it is of; ``exact``, or ``not stated``.
    stated, not_stated
        What the source says of its rules, and what it leaves open.
    readings
        Names of readings. The first is the rules as stated. Where all begin with ``=``, the player
        is not here, and is only compared.
    """

    id: Annotated[str, _NAME]
    source: str
    player: str
    group: str
    mean: Annotated[str, _FIGURE] = ""
    median: Annotated[str, _FIGURE] = ""
    min: Annotated[str, _FIGURE] = ""
    max: Annotated[str, _FIGURE] = ""
    winners: Annotated[str, _FIGURE] = ""
    games: Games
    stated: str
    not_stated: str = ""
    readings: list[str]

    @property
    def kind(self) -> Kind:
        """Which figure it is."""
        return next(kind for kind in get_args(Kind) if getattr(self, kind))

    @property
    def text(self) -> str:
        """The figure as it was published."""
        return str(getattr(self, self.kind))

    def check(self, sources: Mapping[str, Source], boards: Mapping[str, int]) -> None:
        """Check what its types don't say; readings are given by the cells of their boards.

        Raises
        ------
        BsbenchError
            If something is wrong; the sentence names the key.
        """
        check_known("'source'", self.source, sources)
        if sum(bool(getattr(self, kind)) for kind in get_args(Kind)) != 1:
            raise BsbenchError(f"it wants just one of the keys {', '.join(get_args(Kind))}")
        names = [name.removeprefix("=") for name in self.readings if name not in (OVER, BOUND)]
        mixed = len({name.startswith("=") for name in self.readings}) != 1
        if mixed or not (names or OVER in self.readings):
            raise BsbenchError("the key 'readings' names no reading, or some with = and some not")
        for name in names:
            check_known("name in 'readings',", name, boards)
        cells = max((boards[name] for name in names), default=USUAL_CELLS)
        if (float(self.text) > cells) != (OVER in self.readings):
            raise BsbenchError(
                f"the key {self.kind!r} says {self.text}, and the board has {cells} cells: where "
                f"a source says so, and only there, 'readings' is {[OVER]}"
            )


class Reading(Record, frozen=True, kw_only=True):
    """What bsbench plays: ``play``, or a law that is ``exact``.

    Attributes
    ----------
    says
        What it is, in words.
    exact
        For shots in an order that knows nothing: how many ship cells of how many cells. The law is
        exact, wherever ships lie.
    play
        A command line: ``bsbench run``, ``bsbench optimum``, or ``python`` with a script that
        prints moves and games as CSV.
    layouts
        A command line that writes ``layouts.txt``, where ``play`` needs that.
    column
        Which mean of ``bsbench optimum`` counts: the least, that of the best greedy strategy, or
        that of the strategy named, as a fraction. A script may print one, too.
    """

    says: str
    exact: Annotated[str, _LAW] = ""
    play: str = ""
    layouts: str = ""
    column: Literal["least", "greedy", "exact"] = "least"

    @property
    def key(self) -> str:
        """What its games are kept by."""
        best = f" # {self.column}" if self.play.startswith("bsbench optimum") else ""
        return " && ".join(filter(None, (self.layouts, self.play))) + best

    def check(self) -> int:
        """Check what its types don't say, and return the cells of its board.

        Raises
        ------
        BsbenchError
            If something is wrong; the sentence names the key.
        """
        if bool(self.exact) == bool(self.play):
            raise BsbenchError("it wants just one of the keys 'exact' and 'play'")
        if bool(self.layouts) != (f"file:{LAYOUTS}" in self.play):
            raise BsbenchError(f"with the key 'layouts', 'play' has file:{LAYOUTS}, and only then")
        if self.layouts and not option_of(self.layouts, "-n").isdecimal():
            raise BsbenchError("the key 'layouts' does not say how many, with -n")
        if self.exact:
            ships, cells = map(int, self.exact.split(" of "))
            if not 0 < ships <= cells:
                raise BsbenchError(f"the key 'exact' says {self.exact}: these are no ship cells")
            return cells
        if size := re.fullmatch(r"(\d+)x(\d+)", option_of(self.play, "--board")):
            return int(size[1]) * int(size[2])
        scenario = option_of(self.play, "--scenario")
        return find_scenario(scenario).rules.cells if scenario else USUAL_CELLS


class Played(Record, frozen=True, kw_only=True, omit_defaults=True):
    """What a command has shown.

    Attributes
    ----------
    command
        The command, see `Reading.key`.
    games
        Games played.
    seconds
        Processor time.
    first, counts
        The fewest moves of a game, and how many games had so many moves, one more, and so on.
    mean
        The mean as a fraction, where the command shows no games.
    """

    command: str
    games: Count
    seconds: Seconds
    first: Count = 0
    counts: list[Count] = []  # noqa: RUF012
    mean: Annotated[str, _FRACTION] = ""


@dataclass(frozen=True)
class Survey:
    """All that is on record, by names; ``played`` by `Reading.key`."""

    sources: Mapping[str, Source]
    claims: Mapping[str, Claim]
    readings: Mapping[str, Reading]
    played: Mapping[str, Played]

    def write_played(self) -> None:
        """Write the games of all readings, a line for each, in their order; other games leave."""
        keys = dict.fromkeys(reading.key for reading in self.readings.values())
        kept = [msgspec.to_builtins(self.played[key]) for key in keys if key in self.played]
        lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in kept)
        head = f'{{"schema": "{PlayedRecord.schema}", "played": ['
        write_text(path_of("played.json"), f"{head}\n{lines}\n]}}\n")


class _Claims(Record, frozen=True):
    """The tables of ``claims.toml``."""

    source: dict[str, Any]
    claim: list[Any]


class PlayedRecord(Record, frozen=True):
    """The games of the survey, as `bsbench survey --play` keeps them.

    Attributes
    ----------
    played
        What each command has shown.
    """

    schema = "bsbench-survey-played-1"
    heading = "Games of the survey"
    played: list[Played]


def option_of(command: str, name: str) -> str:
    """Return the value of an option of a command line; empty if it is not given."""
    return next((value for word, value in pairwise(command.split()) if word == name), "")


def check_known(what: str, name: str, known: Iterable[str], otherwise: str = "") -> None:
    """Check that a name is known, of very many.

    Raises
    ------
    BsbenchError
        If it is not; the sentence has those that are close, otherwise what is given.
    """
    known = list(known)
    if name not in known:
        close = get_close_matches(name, known)
        otherwise = otherwise or f"there are {len(known)} others"
        hint = f"is it {' or '.join(close)}?" if close else otherwise
        raise BsbenchError(f"unknown {what} {shortened(name)}: {hint}")


def path_of(name: str) -> Path:
    """Return the path of a file of the survey."""
    return results_folder() / "survey" / name


@contextmanager
def naming(what: object) -> Iterator[None]:
    """Name a file, or a part of one, before what is wrong with it."""
    try:
        yield
    except BsbenchError as error:
        raise BsbenchError(f"{what}: {error}") from None


def naming_reading(name: str) -> AbstractContextManager[None]:
    """Name a reading, and its file, before what is wrong with it."""
    return naming(f"{path_of('readings.toml')}, reading {shortened(name)}")


def read_survey() -> Survey:
    """Return all that is on record.

    Raises
    ------
    BsbenchError
        If a file can't be read, or says what it must not; the sentence names file and key.
    """
    readings, boards = {}, {}
    for name, table in read_toml(path_of("readings.toml"), "readings").items():
        with naming_reading(name):
            readings[name] = read(table, Reading)
            boards[name] = readings[name].check()
    path = path_of("claims.toml")
    with naming(path):
        tables = read(read_toml(path, "claims"), _Claims)
    sources, claims = {}, {}
    for name, table in tables.source.items():
        with naming(f"{path}, source {shortened(name)}"):
            sources[name] = read(table, Source)
    for number, table in enumerate(tables.claim, 1):
        called = table.get("id") if isinstance(table, dict) else None
        with naming(f"{path}, claim {shortened(called or number)}"):
            claim = read(table, Claim)
            claim.check(sources, boards)
            if claim.id in claims:
                raise BsbenchError("an earlier claim has the same 'id': choose another one")
            claims[claim.id] = claim
    path = path_of("played.json")
    kept = partial(read, kind=PlayedRecord)
    played = {}
    if os.path.isfile(path):
        file = read_json(path, kept, "usable", "a record of the survey")
        played = {each.command: each for each in file.played}
    for each in played.values():
        if sum(each.counts) != each.games or bool(each.games) == bool(each.mean):
            raise BsbenchError(
                f"{path}: the 'counts' of {shortened(each.command)} are not its games"
            )
    return Survey(sources, claims, readings, played)
