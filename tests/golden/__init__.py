"""Golden histograms: the move counts that every strategy has always had.

One file per strategy, ``NAME.json``. ``python -m tests.golden NAME`` writes it;
docs/regenerating-results.md says when that is right.
"""

from __future__ import annotations

import json
from pathlib import Path

import bsbench
from bsbench.layouts import STREAM_VERSION
from tests.support.helpers import quick_strategy

FOLDER = Path(__file__).parent
SCENARIOS = ("classic", "harbour")
SEED = 0
GAMES = 20_000


def file_of(name: str) -> Path:
    return FOLDER / f"{name}.json"


def names() -> list[str]:
    """Return the strategies that have a file."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def scenarios_of(name: str) -> list[str]:
    """Return the scenarios that a strategy plays on."""
    strategy = bsbench.make_strategy(name)
    return [each for each in SCENARIOS if strategy.fits(bsbench.find_scenario(each).rules)]


def command(name: str) -> str:
    return f"python -m tests.golden {name}"


def read(name: str) -> dict:
    return json.loads(file_of(name).read_text(encoding="utf-8"))


def histogram(name: str, scenario: str, games: int) -> dict[str, int]:
    """Return games by move count, on the scenario with feedback raised to the strategy's need.

    The strategy has its defaults, unless they take long: see `quick_strategy`.
    """
    strategy = quick_strategy(name)
    where = bsbench.find_scenario(scenario)
    if where.rules.feedback < strategy.needs:
        where = where.override(feedback=strategy.needs)
    counts = bsbench.run(strategy, where, games=games, seed=SEED).counts.tolist()
    return {str(moves): count for moves, count in enumerate(counts) if count}


def write(name: str, games: int | None = None) -> Path:
    """Play the games of a strategy and write its file; return its path.

    Without a number of games, there are as many as in the file before, or `GAMES`.
    """
    path = file_of(name)
    games = games or (read(name)["games"] if path.exists() else GAMES)
    rows = {each: json.dumps(histogram(name, each, games)) for each in scenarios_of(name)}
    # A line for each scenario, so that a difference shows which one it is of.
    lines = ",\n".join(f'  "{scenario}": {row}' for scenario, row in rows.items())
    head = {"stream_version": STREAM_VERSION, "seed": SEED, "games": games}
    entries = "".join(f' "{key}": {value},\n' for key, value in head.items())
    path.write_text(
        f'{{\n{entries} "histograms": {{\n{lines}\n }}\n}}\n', encoding="utf-8", newline="\n"
    )
    return path
