"""Pictures of records, drawn again: ``python -m tests.drawn PICTURE…`` writes committed ones.

What draws a picture follows from where it lies: from the folder of results of a plan, from the
record beside it that has its name, or from a command in ``docs/``.
"""

from __future__ import annotations

import itertools
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.charts import CHARTS as BENCHMARKS
from bsbench.common.files import MANIFEST, write_file
from bsbench.common.found import frame_of
from bsbench.connect4.charts.quality import quality
from bsbench.connect4.charts.ratings import ratings
from bsbench.connect4.charts.strength import strength
from bsbench.connect4.contest import CONTEST
from bsbench.connect4.players import Player, make_player
from bsbench.connect4.quality import Quality
from bsbench.matches.league import League
from bsbench.matches.lockstep import Effort
from bsbench.present.charts import CHARTS, write_figure
from bsbench.present.report import draw
from bsbench.reproduce.folder import load_report, reworded
from bsbench.reproduce.plan import find_plan
from bsbench.rules.scenario import scenario_from_dict
from bsbench.runs.records import load_results
from bsbench.stats import Difference
from bsbench.stats.forecasts import Bin
from bsbench.studies.calibration.reliability import reliability
from bsbench.studies.tune.study import FINAL
from bsbench.studies.tune.tuning import tuning_chart
from tests.support import ROOT

CONNECT4 = ROOT / "results" / "connect4"

SCREENS = {"explore.png", "odds.png", "play.png", "replay.png"}
"""In ``docs/``: pages and a terminal as somebody saw them."""


def committed() -> list[Path]:
    """Return all pictures of the repository; none in a copy that is no repository."""
    if not (ROOT / ".git").exists():
        return []
    told = subprocess.check_output(["git", "ls-files", "-z", "*.png", "*.svg"], text=True, cwd=ROOT)
    return [ROOT / name for name in told.split("\0")[:-1]]


def figures(folder: Path) -> dict[str, Figure]:
    """Draw the committed pictures of a folder again, from its records.

    Returns
    -------
    dict of str to Figure
        By the names of files, without suffix.

    Raises
    ------
    KeyError
        If there is nothing that one of them is drawn from.
    """
    if folder == CONNECT4:
        return _of_connect4()
    if (folder / MANIFEST).exists():
        report = reworded(load_report(folder), find_plan(folder.name))
        return {
            section.file_name(chart): figure
            for section, drawn in zip(report.sections, draw(report), strict=True)
            for chart, figure in drawn.items()
        }
    names = {path.stem for path in committed() if path.parent == folder}
    return {name: _of_record(folder, name) for name in sorted(names)}


def _of_record(folder: Path, name: str) -> Figure:
    """Draw a picture of the record that has its name, or begins it, else by a command."""
    for stem in (name, name.rpartition("-")[0]):
        path = folder / f"{stem}.json"
        if path.exists():
            record = _read(path)
            return _OF_RECORDS[record["schema"]](record, path, name)
    command = _commands()[f"{folder.relative_to(ROOT).as_posix()}/{name}.png"]
    return CHARTS[command["--kind"]].draw(load_results([ROOT / command["chart"]]))


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def _commands() -> Mapping[str, Mapping[str, str]]:
    """Return by picture the words of the command in ``docs/`` that draws it from records."""
    found = {}
    for page in (ROOT / "docs").glob("*.md"):
        text = page.read_text("utf-8").replace("\\\n", "")
        for line in re.findall(r"^bsbench (chart .*)", text, re.MULTILINE):
            words = shlex.split(line, comments=True)
            given = dict(itertools.pairwise(words))
            found[given.get("-o", "")] = given
    return found


def _of_connect4() -> dict[str, Figure]:
    league = _league(_read(CONNECT4 / "league.json"))
    judged = _quality(_read(CONNECT4 / "quality.json"))
    return {"ratings": ratings(league), "strength": strength(league), "quality": quality(judged)}


def _players(record: Mapping[str, Any]) -> tuple[Player, ...]:
    return tuple(make_player(each["name"], each["parameters"]) for each in record["players"])


def _league(record: Mapping[str, Any]) -> League:
    matches = {}
    for each in record["matches"]:
        points = np.array([*map(int, each["points"])])
        matches[each["first"], each["second"]] = SimpleNamespace(points=points)
    known = {key: record[key] for key in ("requested", "games", "opening_plies", "seed")}
    league = League(game=CONTEST, players=_players(record), matches=matches, threads=1, **known)
    took = "moves", "nodes", "seconds"
    vars(league)["efforts"] = [Effort(*(each[key] for key in took)) for each in record["players"]]
    return league


def _quality(record: Mapping[str, Any]) -> Quality:
    kinds = "optimal", "keeps"
    counts = {key: np.array([each[key] for each in record["players"]]) for key in kinds}
    return Quality(
        players=_players(record),
        plies=tuple(record["plies"]),
        positions=record["positions"],
        requested=len(record["players"]),
        chance=np.array([record["chance"][key] for key in kinds]).T,
        seed=record["seed"],
        threads=1,
        judge_seconds=0,
        play_seconds=0,
        **counts,
    )


def _calibration(record: dict[str, Any], *_: Any) -> Figure:
    """Draw a reliability diagram with the bins of the record, which are narrower."""

    def forecasts(found: Mapping[str, Any]) -> SimpleNamespace:
        bins = [
            Bin(each["forecasts"], each["forecast"], each["share"], (each["low"], each["high"]))
            for each in found["bins"]
            if each["low"] is not None
        ]
        gap = max(found["reliability"]["value"], 0) ** 0.5
        return SimpleNamespace(gap=gap, bins=lambda number: bins)

    found = [
        SimpleNamespace(
            label=each["label"], shots=forecasts(each["shots"]), cells=forecasts(each["cells"])
        )
        for each in record["strategies"]
    ]
    about = {key: record[key] for key in ("games", "seed", "bsbench")}
    scenario = scenario_from_dict(record["scenario"])
    return reliability(SimpleNamespace(calibrations=found, scenario=scenario, **about))


def _tuning(record: dict[str, Any], _: Path, __: str) -> Figure:
    final = record["final"]
    figures = {"difference": final["difference"]["mean"], "games": final["games"]}
    figures |= {"half_width": final["difference"]["half_width"], "spent": record["games"]}
    last = {"stage": FINAL, "label": record["best"]["label"], **figures}
    tuning = SimpleNamespace(
        start=SimpleNamespace(label=record["strategy"]["start"]["label"]),
        difference=Difference(**record["final"]["difference"]),
        scenario=scenario_from_dict(record["scenario"]),
        to_frame=partial(frame_of, [*record["trials"], last]),
        seed=record["seed"],
        bsbench=record["bsbench"],
    )
    return tuning_chart(tuning)


def _benchmark(record: dict[str, Any], path: Path, stem: str) -> Figure:
    part = stem.removeprefix(f"{path.stem}-")
    return BENCHMARKS[part](record["parts"][part]["rows"])


_OF_RECORDS = {
    "bsbench-benchmarks-1": _benchmark,
    "bsbench-calibration-1": _calibration,
    "bsbench-tuning-1": _tuning,
}


if __name__ == "__main__":
    for picture in map(Path.resolve, map(Path, sys.argv[1:])):
        figure = figures(picture.parent)[picture.stem.removesuffix("-dark")]
        dark = picture.stem.endswith("-dark") or None
        write_file(picture, partial(write_figure, figure, kind=picture.suffix[1:], dark=dark))
