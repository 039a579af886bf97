"""Run files: what to play, written in TOML.

`RunFileRecord` says which keys it has; all may be left out.

A run file is not a scenario: a scenario says what is played, for any strategy, and is
complete; a run file says which strategies play, and may name scenarios. A plan
(`bsbench.reproduce.plan`) has several parts, and a report.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from bsbench.common.errors import BsbenchError
from bsbench.common.record import Count, read
from bsbench.common.settings import read_toml, value_text
from bsbench.rules.scenario import ScenarioParts
from bsbench.runs.request import Request, several


class RunFileRecord(ScenarioParts, frozen=True):
    """A TOML file for `--config` of `bsbench run` and `bsbench compare`.

    Options on the command line take precedence.

    Attributes
    ----------
    strategy
        What plays, or a list; parameters follow a name after commas.
    scenario
        A name, or the path of a scenario file, seen from this file; or a list.
    games
        Games to play.
    until
        Play until the 95 % interval of the mean, or of each difference, has this half-width; or
        until it is `clear` who needs fewer moves.
    margin
        With `until = "clear"`: strategies that differ by less are equal, in moves.
    seed
        Seed of the layouts, or a list.
    first_game
        Number of the first game.
    reference
        Label of the strategy that others are compared with.
    threads
        Threads to use.
    sweep
        By parameter, what to set it to: a list of values, or a text such as `0:1:0.1`.
    """

    file = "run-file"

    strategy: str | list[str] | UnsetType = UNSET
    scenario: str | list[str] | UnsetType = UNSET
    games: Count | UnsetType = UNSET
    until: Annotated[float, Meta(examples=[0.05])] | Literal["clear"] | UnsetType = UNSET
    margin: float | UnsetType = UNSET
    seed: Count | list[Count] | UnsetType = UNSET
    first_game: Count | UnsetType = UNSET
    reference: str | UnsetType = UNSET
    threads: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    sweep: dict[str, Any] | UnsetType = UNSET


@dataclass(frozen=True)
class RunFile:
    """What a run file says.

    Attributes
    ----------
    strategies : tuple of str
    sweep : tuple of str
        ``NAME=VALUES`` each, as on the command line.
    request : Request
    """

    strategies: tuple[str, ...]
    sweep: tuple[str, ...]
    request: Request


def read_run_file(path: str | Path) -> RunFile:
    """Return what a run file says; a path of a scenario in it is relative to the run file.

    Whether a strategy, scenario or parameter of that name exists is not checked.

    Raises
    ------
    BsbenchError
        If the file can't be read, a key is unknown, or a value of the wrong type.
    """
    path = Path(path)
    table = read_toml(path, "run file")
    try:
        read(table, RunFileRecord)
        named = several(table.pop("scenario", ()))
        request = replace(
            Request.of(**table), scenarios=tuple(scenario_seen_from(path, each) for each in named)
        )
        sweep = tuple(_sweep_text(*each) for each in table.get("sweep", {}).items())
    except BsbenchError as error:
        raise BsbenchError(f"{path}: {error}") from None
    return RunFile(several(table.get("strategy", ())), sweep, request)


def _sweep_text(name: str, values: Any) -> str:
    """Return a key of the table ``sweep`` as it is written on the command line."""
    listed = values if isinstance(values, list) else [values]
    if not listed or not all(isinstance(value, str | bool | int | float) for value in listed):
        raise BsbenchError(
            f"the sweep of {name!r} wants a list of values, or a text such as '0:1:0.1'"
        )
    return f"{name}={','.join(map(value_text, listed))}"


def scenario_seen_from(path: Path, scenario: str) -> str:
    """Return the scenario that a file names; a path is relative to the file's folder."""
    return str(path.parent / scenario) if scenario.lower().endswith(".toml") else scenario
