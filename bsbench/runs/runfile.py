"""Run files: what to play, written in TOML.

All keys may be left out; they stand for the options of ``bsbench run`` of the same names::

    strategy = "over9000"             # or strategies = ["prob", "over9000,noise=0"]
    scenario = "classic"              # a name, or the path of a TOML file from here; or scenarios
    games = 1_000_000
    until = 0.01                      # stop at this half-width of the mean's interval
    seed = 7                          # or seeds = [0, 1, 2]
    first_game = 0                    # the number of the first game
    reference = "prob"                # what the others are compared with; default: the first
    threads = 2
    placement = "sequential:longest"  # this and what follows in place of the scenario's
    board = "8x12"
    fleet = [4, 3, 2, 2]
    touching = false
    feedback = "sunk"

    [parameters]                      # of the strategies that have them
    noise = 0.01

    [sweep]                           # values of parameters to go through
    edge_weight = "1:2:0.25"

A run file is not a scenario: a scenario says what is played, for any strategy, and is
complete; a run file says which strategies play, and may name scenarios. A plan
(`bsbench.reproduce.plan`) has several parts, and a report.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import Keys, check_keys, read_toml, value_text
from bsbench.rules.scenario import PARTS
from bsbench.runs.request import Request

_KEYS: Keys = {
    "strategy": (str, "text"),
    "strategies": (list[str], "a list of texts"),
    "scenario": (str, "text"),
    "scenarios": (list[str], "a list of texts"),
    "games": (int, "a whole number"),
    "until": (float, "a number of moves such as 0.05"),
    "seed": (int, "a whole number"),
    "seeds": (list[int], "a list of whole numbers"),
    "first_game": (int, "a whole number"),
    "reference": (str, "text"),
    "threads": (int, "a whole number"),
    **PARTS,
    "parameters": (dict, "a table of the strategy's parameters"),
    "sweep": (dict, "a table of parameters and what to set them to"),
}


@dataclass(frozen=True)
class RunFile:
    """What a run file says.

    Attributes
    ----------
    strategies : tuple of str
    parameters : dict
        Of the strategies that have them.
    sweep : tuple of str
        ``NAME=VALUES`` each, as on the command line.
    request : Request
    """

    strategies: tuple[str, ...]
    parameters: dict[str, Any]
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
        check_keys(table, _KEYS)
        if "strategy" in table and "strategies" in table:
            raise BsbenchError("there is 'strategy' and 'strategies': give one of them")
        if "scenario" in table:
            table["scenario"] = scenario_seen_from(path, table["scenario"])
        if "scenarios" in table:
            table["scenarios"] = [scenario_seen_from(path, each) for each in table["scenarios"]]
        request = Request.read(table)
        sweep = tuple(_sweep_text(*each) for each in table.get("sweep", {}).items())
    except BsbenchError as error:
        raise BsbenchError(f"{path}: {error}") from None
    strategies = table.get("strategies", [table["strategy"]] if "strategy" in table else [])
    return RunFile(tuple(strategies), table.get("parameters", {}), sweep, request)


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
