"""Plays something with a journal, for tests that kill it.

``python -m tests.support.crashing KIND FOLDER [ENGINE]`` goes on from the journal in the folder, if
there is one, prints a line when the first games are played, and at the end writes what it found to
``found.json`` there.
"""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from bsbench.common import journal as journals
from bsbench.common.journal import Journal
from bsbench.reproduce import folder as reproducing
from bsbench.reproduce.plan import find_plan
from bsbench.roster import make_variant
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.runs import panel
from bsbench.runs.comparing import play
from bsbench.runs.comparison import Comparison
from bsbench.runs.experiment import Experiment
from bsbench.runs.request import Request
from bsbench.studies.tune.study import asked_for, play_tuning

CLASSIC = find_scenario("classic")
EQUAL = Scenario(name="equal", rules=Rules(10, 10, (5, 4), touching=True))

EXPERIMENTS = {
    "run": ("prob", [CLASSIC], {"games": 600_000, "keep_moves": True}),
    "run-until": ("random", [CLASSIC], {"games": 10**7, "until": 0.02}),
    "compare": ("prob linear random", [CLASSIC], {"games": 300_000, "keep_moves": False}),
    "learners": (
        "over9000,edge_weight=1,noise=0 over9000-adaptive,games_per_learner=50 "
        "over9000-adaptive,games_per_learner=30",
        [CLASSIC],
        {"games": 15_000},
    ),
    "clear": (
        "over9000,noise=0 over9000-adaptive,games_per_learner=30",
        [CLASSIC],
        {"games": 20_000, "until": "clear"},
    ),
    "several": ("linear random prob", [CLASSIC, EQUAL], {"games": 60_000, "seeds": (1, 2)}),
}

PLAN = """
title = "Some"
games = 150_000
scenario = "classic"
strategies = ["linear", "random", "prob"]
[[parts]]
name = "a"
[[parts]]
name = "b"
scenario = "harbour"
strategies = ["prob", "linear"]
"""


def experiment_of(kind: str) -> Experiment:
    """Return the experiment of a kind."""
    variants, scenarios, options = EXPERIMENTS[kind]
    strategies = tuple(map(make_variant, variants.split()))
    return Experiment(strategies, tuple(scenarios), **options)


def described(comparison: Comparison) -> dict[str, Any]:
    """Return all that must not depend on a crash."""
    return {
        "reference": comparison.reference,
        "results": [
            {
                "label": result.label,
                "requested": result.requested,
                "counts": result.counts.tolist(),
                "firsts": result.tally.firsts.tolist(),
                "blocks": result.tally.blocks.tolist(),
                "moves": None
                if result.moves is None
                else hashlib.sha256(result.moves.tobytes()).hexdigest(),
                "learning": result.learning and result.learning.moves.tolist(),
            }
            for result in comparison.results
        ],
        "differences": [[each.mean, *each.interval] for each in comparison.differences],
        "pairs": [pair and pair.to_dict() for pair in comparison.pairs],
        "firsts": [first and [first.alone, first.tied] for first in comparison.firsts],
    }


def found(kind: str, folder: Path, watch: Any = None, engine: Any = "local") -> list[Any]:
    """Play, going on from a journal in the folder; return what was found."""
    place = folder / "a.journal"
    if kind == "reproduce":
        path = folder / "plan.toml"
        path.write_text(PLAN)
        plan = find_plan(str(path))
        journal = Journal.open(place, reproducing.about(plan), resume=True)
        report = reproducing.play(plan, progress=lambda _: nullcontext(watch), journal=journal)
        return [described(section.comparison) for section in report.sections]
    if kind == "tune":
        start, vary = make_variant("datagenetics"), ["hit_weight=1:20"]
        request = Request.of(CLASSIC, 5, games=1_000_000)
        asked = asked_for(request, start, vary)
        journal = Journal.open(place, asked.about(), resume=True)
        tuning = play_tuning(asked, request, watch, journal)
        counts = [result.counts.tolist() for result in tuning.results]
        record = tuning.to_dict()
        return [record[key] for key in ("trials", "best", "final", "games")] + counts
    experiment = experiment_of(kind)
    journal = Journal.open(place, experiment.about(), resume=True)
    comparisons = play(experiment, journal=journal, watch=watch, engine=engine)
    return [described(each) for each in comparisons]


def main() -> None:
    """Play what the command line says."""
    kind, folder, engine = sys.argv[1], Path(sys.argv[2]), (*sys.argv[3:], "local")[0]
    if engine != "local":
        from bsbench.runs import cluster

        cluster._SECONDS = 0.1
    journals._FIRST_SECONDS = journals._SECONDS = journals._MOST_SECONDS = 0.03
    panel.CHUNK = 30_000
    said: list[bool] = []

    def watch(now: Any) -> None:
        if not said and not (now.setting_up):
            said.append(True)
            print("begins", flush=True)

    text = json.dumps(found(kind, folder, watch, engine))
    (folder / "found.json").write_text(text)


if __name__ == "__main__":
    main()
