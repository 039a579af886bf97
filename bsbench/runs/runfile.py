"""Run files: what to play, written in TOML.

All keys may be left out; they stand for the options of ``bsbench run`` of the same names::

    strategy = "over9000"
    scenario = "classic"              # a name, or the path of a TOML file from here
    games = 1_000_000
    until = 0.01                      # stop at this half-width of the mean's interval
    seed = 7
    threads = 2
    placement = "sequential:longest"  # this and what follows in place of the scenario's
    board = "8x12"
    fleet = [4, 3, 2, 2]
    touching = false
    feedback = "sunk"

    [parameters]                      # of the strategy
    noise = 0.01

A run file is not a scenario: a scenario says what is played, for any strategy, and is
complete; a run file says which strategy plays, and may name a scenario. A plan
(`bsbench.reproduce.plan`) has several strategies on one or more scenarios, and a report.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import Keys, check_keys, read_toml
from bsbench.rules.scenario import PARTS
from bsbench.runs.request import Request

_KEYS: Keys = {
    "strategy": (str, "text"),
    "scenario": (str, "text"),
    "games": (int, "a whole number"),
    "until": (float, "a number of moves such as 0.05"),
    "seed": (int, "a whole number"),
    "threads": (int, "a whole number"),
    **PARTS,
    "parameters": (dict, "a table of the strategy's parameters"),
}


@dataclass(frozen=True)
class RunFile:
    """What a run file says.

    Attributes
    ----------
    strategy : str or None
    parameters : dict
        Of the strategy.
    request : Request
    """

    strategy: str | None
    parameters: dict[str, Any]
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
        check_keys(table, _KEYS)
    except BsbenchError as error:
        raise BsbenchError(f"{path}: {error}") from None
    if "scenario" in table:
        table["scenario"] = scenario_seen_from(path, table["scenario"])
    return RunFile(table.get("strategy"), table.get("parameters", {}), Request.read(table))


def scenario_seen_from(path: Path, scenario: str) -> str:
    """Return the scenario that a file names; a path is relative to the file's folder."""
    return str(path.parent / scenario) if scenario.lower().endswith(".toml") else scenario
