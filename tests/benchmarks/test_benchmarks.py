"""The benchmarks run and write what they promise; how fast things are is not tested."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as benchmarks
from benchmarks import bots, parts, tables
from benchmarks.measuring import amount_within, play
from bsbench.own.templates import write_template
from bsbench.roster import make_strategy, make_variant
from bsbench.rules.scenario import find_scenario
from bsbench.runs.results import Result

pytestmark = pytest.mark.ci

ENDS = ".json", ".md", "-cells.png", "-cells.svg"

# Figures as `parts.cells` returns them; in proportion to the cells.
CELLS = [
    {
        "strategy": "prob",
        "board": f"{side}x{side}",
        "cells": side**2,
        "seconds_per_shot": parts.spread([1e-9 * side**2, 2e-9 * side**2, 3e-9 * side**2]),
    }
    for side in (6, 10, 20)
]


def test_writes_figures_with_their_origin_report_and_charts(in_folder, monkeypatch):
    monkeypatch.setattr(benchmarks, "QUICK", parts.Effort(rounds=2, seconds=1e-3, quick=True))
    monkeypatch.setitem(parts.PARTS, "cells", lambda effort: CELLS)
    arguments = ["--quick", "--only", "layouts", "--only", "cells", "--name", "mine"]
    (in_folder / "figures").mkdir()
    (in_folder / "figures" / "mine.json").write_text("an earlier one")
    result = CliRunner().invoke(benchmarks.main, [*arguments, "--folder", "figures"])
    assert result.exit_code == 0, result.output
    written = {path.name for path in (in_folder / "figures").iterdir()}
    assert written == {"mine.json", *(f"mine-2{end}" for end in ENDS)}

    record = json.loads((in_folder / "figures" / "mine-2.json").read_text())
    assert record["schema"] == benchmarks.SCHEMA
    assert {"revision", "bsbench", "load", "load_after", "machine", "versions"} < set(record)
    assert list(record["parts"]) == ["layouts", "cells"]
    first = record["parts"]["layouts"]["rows"][0]
    assert (first["scenario"], first["law"]) == ("classic", "uniform")
    for figures in (first["layouts_per_second"], first["reference"], first["ratio"]):
        assert 0 < figures["least"] <= figures["median"] <= figures["most"]

    report = (in_folder / "figures" / "mine-2.md").read_text()
    assert record["machine"]["processor"] in report
    for part in record["parts"]:
        assert tables.part_markdown(part, record["parts"][part]["rows"]) in report
        assert part.capitalize() in result.stdout


def test_ratios_are_taken_within_rounds():
    assert parts.ratio([2, 40, 600], [1, 10, 100]) == {"median": 4, "least": 2, "most": 6}


def test_the_growth_of_cost_is_a_power_of_the_cells():
    header, row = tables.TABLES["cells"](CELLS)
    assert header[1:4] == ["6x6", "10x10", "20x20"]
    assert row == ["`prob`", "72", "200", "800", "1.00"]


def test_bots_that_are_measured_play_the_same_games(tmp_path):
    # The same as what is built in: tests/own/test_new_bots.py.
    write_template(tmp_path / "my_bot.py", "python-process")
    (tmp_path / "in_python.py").write_text(bots.in_python(tmp_path))
    played = [
        play(make_variant(spec), bots.SCENARIO, 8).moves.tolist()
        for spec in (f"{tmp_path}/in_python.py:InPython", "datagenetics")
    ]
    assert played[0] == played[1]


def test_peak_memory_and_compile_times_come_from_processes():
    told = parts._child("long_run", "linear", "gym-5x5", 1000, 1)
    assert told["seconds"] > 0
    assert told["peak_bytes"] is None or told["peak_bytes"] > 10**7
    # All is in the cache by now, and loading it is no compiling.
    assert parts._child("compile_times", [("linear", "gym-5x5")]) == []


def test_half_a_measurement_is_none(monkeypatch):
    monkeypatch.setattr(Result, "partial", property(lambda self: True))
    with pytest.raises(KeyboardInterrupt):
        play(make_strategy("linear"), find_scenario("gym-5x5"), games=10)


@pytest.mark.parametrize(
    ("seconds", "trials", "amount"),
    [(0.5, [1_000, 10_000, 100_000], 500_000), (1e-3, [1_000], 1_000), (1e-5, [1_000], 10)],
)
def test_trials_grow_until_they_tell(seconds, trials, amount):
    tried = []

    def microsecond_each(count):
        tried.append(count)
        return 1e-6 * count

    assert amount_within(microsecond_each, seconds) == amount
    assert tried == trials
