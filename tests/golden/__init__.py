"""Golden histograms: the move counts that every strategy has always had.

`histograms.json` holds them. ``python -m tests.golden`` makes them anew; CONTRIBUTING
says when that is right.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import bsbench
from bsbench.layouts import STREAM_VERSION

FILE = Path(__file__).parent / "histograms.json"
SCENARIOS = ("classic", "harbour")
SEED = 0
GAMES = 20_000

FEWER = {"over9000-pairs": 2_000}
"""Games of strategies that would take many seconds."""


def games(name: str) -> int:
    return FEWER.get(name, GAMES)


def histogram(name: str, scenario: str) -> dict[str, int]:
    """Return games by move count, on the scenario with feedback raised to the strategy's need."""
    strategy = bsbench.make_strategy(name)
    where = bsbench.find_scenario(scenario)
    if where.rules.feedback < strategy.needs:
        where = where.override(feedback=strategy.needs)
    counts = bsbench.run(strategy, where, games=games(name), seed=SEED).counts.tolist()
    return {str(moves): count for moves, count in enumerate(counts) if count}


def read() -> dict:
    return json.loads(FILE.read_text(encoding="utf-8"))


def renew() -> None:
    record = {
        "stream_version": STREAM_VERSION,
        "seed": SEED,
        "histograms": {
            scenario: {name: histogram(name, scenario) for name in bsbench.strategy_names()}
            for scenario in SCENARIOS
        },
    }
    text = json.dumps(record, indent=1)
    # A line for each strategy, so that a difference shows who it is about.
    text = re.sub(r"\{([^{}]*)\}", lambda match: "{" + " ".join(match[1].split()) + "}", text)
    FILE.write_text(f"{text}\n", encoding="utf-8")
