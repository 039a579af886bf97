"""Plans: what `bsbench reproduce` plays, and what its report shows, written in TOML.

The bundled ones are the files in the folder ``configs/reproduce``. `PlanRecord` says which keys a
plan has. A plan of several scenarios has a ``[[parts]]`` for each. There, any of its keys may be
given again; those left out are the plan's, except for title and text. The names of the part's
files begin with ``name``, which one part may leave out::

    [[parts]]
    name = "edge"
    heading = "Ships on the border"
    placement = "edge"
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from bsbench.common.errors import BsbenchError
from bsbench.common.parameters import changed_settings
from bsbench.common.record import Count, read
from bsbench.common.settings import configs_folder, read_toml, read_variant, suggestion
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario, ScenarioParts, find_scenario, parse_parts
from bsbench.runs.runfile import scenario_seen_from


class _PlayedRecord(ScenarioParts, frozen=True):
    """What a plan and its parts may say.

    Attributes
    ----------
    title
        Title of the report; of a part, of its section.
    text
        Paragraphs of the report, with an empty line between; code in backquotes.
    scenario
        A name, or the path of a scenario file, seen from the plan.
    strategies
        What plays; parameters follow a name after commas.
    sweep
        Values of parameters, such as `noise=0,0.01`.
    games
        Games of each strategy; default: 100,000.
    seed
        Seed of the layouts; default: 0.
    reference
        Default: the first strategy.
    charts
        Kinds of charts; of one strategy, with its name: `shots:prob`.
    dark
        Those of the charts that are drawn on dark ground, too: `NAME-dark.png`.
    """

    title: str = ""
    text: str = ""
    scenario: str | UnsetType = UNSET
    strategies: Annotated[tuple[str, ...], Meta(examples=[["smart", "prob"]])] | UnsetType = UNSET
    sweep: Annotated[tuple[str, ...], Meta(examples=[["noise=0,0.01"]])] = ()
    games: Count = 100_000
    seed: Count = 0
    reference: str | None = None
    charts: Annotated[tuple[str, ...], Meta(examples=[["ecdf"]])] = ()
    dark: Annotated[tuple[str, ...], Meta(examples=[["ecdf"]])] = ()


class PartRecord(_PlayedRecord, frozen=True):
    """Strategies on the same games of one scenario; what is left out is as in the plan.

    Attributes
    ----------
    name
        Begins the names of its files; one part may leave it out.
    """

    name: str = ""


class PlanRecord(_PlayedRecord, frozen=True, kw_only=True):
    """A TOML file that says what `bsbench reproduce` plays, and which charts it draws.

    A part may give any key again.

    Attributes
    ----------
    parts
        One for each scenario.
    """

    file = "plan"

    title: str
    parts: list[PartRecord] | UnsetType = UNSET


_MOST_PARTS = 200
"""Parts of a plan at most: a report has a section, with charts, for each of them."""


@dataclass(frozen=True)
class Part:
    """Strategies on the same games of one scenario.

    Attributes
    ----------
    name : str
        Begins the names of the part's files; empty for at most one part of a plan.
    title, text : str
        What the report says of the part, beyond what it says of the whole; may be empty.
    scenario : Scenario
    strategies : tuple of str
        With their parameters after commas: ``over9000,noise=0``; all points of a sweep.
    games, seed : int
    reference : str or None
        The strategy that the others are compared with; None is the first.
    charts : tuple of str
        Kinds of charts; those of one strategy are written ``KIND:STRATEGY``.
    dark : tuple of str
        Those of them that are written on dark ground, too.
    """

    name: str
    title: str
    text: str
    scenario: Scenario
    strategies: tuple[str, ...]
    games: int
    seed: int
    reference: str | None
    charts: tuple[str, ...]
    dark: tuple[str, ...]


@dataclass(frozen=True)
class ReproductionPlan:
    """What to play and to report.

    Attributes
    ----------
    name : str
        The file's name without its suffix: that of the folder for the results, too.
    command : str
        What produces the results, shown in the report.
    title, text : str
    parts : tuple of Part
    """

    name: str
    command: str
    title: str
    text: str
    parts: tuple[Part, ...]


def _folder() -> Path:
    return configs_folder() / "reproduce"


def plan_names() -> list[str]:
    """Return the names of the bundled plans, sorted."""
    return sorted(path.stem for path in _folder().glob("*.toml"))


def find_plan(
    name: str, games: int | None = None, seed: int | None = None, trust: bool = False
) -> ReproductionPlan:
    """Return a bundled plan by name, or the one in a TOML file by path.

    Parameters
    ----------
    name : str
    games, seed : int, optional
        In place of the plan's, in all its parts.
    trust : bool
        Whether a file may name strategies that are not built in, whose code will run.

    Raises
    ------
    BsbenchError
        If there is none, or the file is not a correct plan, or names such a strategy.
    """
    path = Path(name)
    if path.suffix.lower() != ".toml":
        path = _folder() / f"{name}.toml"
        if name not in plan_names():
            hint = suggestion(name, plan_names(), "bundled are")
            raise BsbenchError(
                f"unknown plan {name!r}: {hint} (a file of your own must end in .toml)"
            )
    given = {"games": games, "seed": seed}
    changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    table = read_toml(path, "plan")
    try:
        plan = read(table, PlanRecord)
        common = {key: value for key, value in table.items() if key not in ("title", "text")}
        tables = common.pop("parts", [{}])
        if len(tables) > _MOST_PARTS:
            raise BsbenchError(
                f"it has {len(tables):,} parts, and a report {_MOST_PARTS} at most: make several "
                "plans of it"
            )
        tables = [common | part for part in tables]
        parts = [dataclasses.replace(_read_part(path, part), **changes) for part in tables]
        _check_names(parts)
    except BsbenchError as error:
        raise BsbenchError(f"{path}: {error}") from None
    for part in parts:
        check_named(path, part.strategies, part.charts, trust)
    try:
        parts = [
            _swept(part, table.get("sweep", ())) for part, table in zip(parts, tables, strict=True)
        ]
    except BsbenchError as error:
        raise BsbenchError(f"{path}: {error}") from None
    words = ["bsbench reproduce", name if path.stem == name else path.name]
    words += [f"--{key} {value}" for key, value in changes.items()]
    return ReproductionPlan(path.stem, " ".join(words), plan.title, plan.text, tuple(parts))


def check_named(path: Path, strategies: Iterable[str], charts: Iterable[str], trust: bool) -> None:
    """Refuse strategies that a file names for playing, or for charts: see `check_trust`.

    Raises
    ------
    BsbenchError
        If one of them is refused.
    """
    # Imported late: a wrong plan is reported before numba is loaded.
    from bsbench.roster import check_trust

    # Parameters follow a name, but a chart has none where it shows all strategies.
    of_one = (chart.partition(":")[2] for chart in charts)
    for strategy in [*strategies, *filter(None, of_one)]:
        check_trust(read_variant(strategy)[0], path, trust)


def _read_part(path: Path, table: dict[str, Any]) -> Part:
    """Return the part that these keys describe, of the plan in that file."""
    part = read(table, PartRecord)
    name = part.name
    for key in ("scenario", "strategies"):
        if key not in table:
            raise BsbenchError(f"the key {key!r} is missing")
    if not re.fullmatch(r"[a-z0-9-]*", name):
        raise BsbenchError(f"the part's name {name!r} begins names of files: use a-z, 0-9 and -")
    if not part.strategies:
        raise BsbenchError("the key 'strategies' is an empty list: name one or more")
    scenario = find_scenario(scenario_seen_from(path, table["scenario"]))
    changes = parse_parts(table)
    if "placement" in table:
        changes["placement"] = _seen_from(path, Placement.parse(table["placement"]))
    return Part(
        name=name,
        title=part.title,
        text=part.text,
        scenario=scenario.override(**changes),
        strategies=part.strategies,
        games=part.games,
        seed=part.seed,
        reference=part.reference,
        charts=part.charts,
        dark=part.dark,
    )


def _seen_from(path: Path, placement: Placement) -> Placement:
    """Return a law with its file of layouts, if any, seen from the current folder."""
    if placement.path is None or os.path.isabs(placement.path):
        return placement
    place = path.parent / placement.path
    # On another drive of Windows, there is no way there from here.
    with contextlib.suppress(ValueError):
        place = Path(os.path.relpath(place))
    return placement.moved(place.as_posix())


def _swept(part: Part, sweep: Iterable[str]) -> Part:
    """Return a part that plays all points of a sweep, if there is one."""
    if not sweep:
        return part
    # Imported late: a wrong plan is reported before numba is loaded.
    from bsbench.roster import make_variant
    from bsbench.runs.sweeps import read_sweep

    named = [make_variant(text) for text in part.strategies]
    points = read_sweep(sweep, named)
    # A strategy of a user's own has a name that does not find it.
    found_by = {
        type(strategy): read_variant(text)[0]
        for strategy, text in zip(named, part.strategies, strict=True)
    }
    texts = (
        ",".join([found_by[type(each)], *changed_settings(each)]) for each in points.strategies
    )
    return dataclasses.replace(
        part, strategies=tuple(texts), reference=part.reference or points.reference
    )


def _check_names(parts: Sequence[Part]) -> None:
    """Refuse parts whose files would have the same names."""
    if not parts:
        raise BsbenchError("the list of parts is empty: describe one, or leave the key out")
    names = [part.name for part in parts]
    for number, name in enumerate(names):
        if name in names[:number]:
            called = f"are named {name!r}" if name else "have no name"
            raise BsbenchError(f"two parts {called}: their files would have the same names")
