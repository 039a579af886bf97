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

from matplotlib.figure import Figure

from benchmarks.charts import CHARTS as BENCHMARKS
from bsbench.common.files import MANIFEST, write_file
from bsbench.common.found import frame_of
from bsbench.present.charts import CHARTS, write_figure
from bsbench.present.report import draw
from bsbench.reproduce.folder import load_report, reworded
from bsbench.reproduce.plan import find_plan
from bsbench.rules.scenario import scenario_from_dict
from bsbench.runs.records import load_results
from bsbench.stats import Difference
from bsbench.studies.tune.study import FINAL
from bsbench.studies.tune.tuning import tuning_chart
from tests.support import ROOT

SCREENS = {"page.png", "odds.png", "play.png", "replay.png"}
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


def _tuning(record: dict[str, Any], *_: Any) -> Figure:
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


_OF_RECORDS = {"bsbench-benchmarks-1": _benchmark, "bsbench-tuning-1": _tuning}


if __name__ == "__main__":
    for picture in map(Path.resolve, map(Path, sys.argv[1:])):
        figure = figures(picture.parent)[picture.stem.removesuffix("-dark")]
        dark = picture.stem.endswith("-dark") or None
        write_file(picture, partial(write_figure, figure, kind=picture.suffix[1:], dark=dark))
