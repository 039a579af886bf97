"""Turns of several shots, from the records of the plan ``salvos``."""

from __future__ import annotations

from functools import cache

from bsbench.runs.records import load_result
from bsbench.runs.results import Result
from tests.pages import ROOT, mean_texts, table

PLAIN = "over9000-edge_weight-1.0-noise-0.0"
ANSWERS = {"each": "each shot", "joint": "the turn"}
SHOTS = (2, 3, 5, 10)


@cache
def record(part: str, strategy: str) -> Result:
    """Return a record of a part of the plan."""
    return load_result(ROOT / "results" / "salvos" / f"{part}-{strategy}.json")


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    rows = [["answered", "shots", "`random`", "`over9000`", "without weights", "`salvo`"]]
    for answers, answered in ANSWERS.items():
        for shots in SHOTS:
            part = f"{answers}-{shots}"
            results = [record(part, name) for name in ("random", "over9000", PLAIN, "salvo")]
            rows.append([answered, str(shots), *(f"{result.stats.mean:.2f}" for result in results)])
    names = ["salvo", "over9000", "linear", "random"]
    results = [record("topcoder", name) for name in names]
    contest = [["strategy", "turns", "shots"]]
    for name, mean, result in zip(names, mean_texts(results), results, strict=True):
        assert result.shots is not None
        contest.append([f"`{name}`", mean, f"{result.shots.mean:.2f}"])
    return {"classic": table(rows), "topcoder": table(contest)}
