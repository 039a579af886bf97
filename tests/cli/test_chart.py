"""``bsbench chart``: what it draws, where it goes, and what it says of bad input."""

from __future__ import annotations

import os

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.errors import BsbenchError
from bsbench.present import charts
from bsbench.present.charts import CHARTS, Needs, write_figure
from bsbench.runs import heat
from bsbench.runs.records import load_result, load_results
from bsbench.runs.results import save_result
from tests.support import ROOT

RECORDS = ROOT / "results"


def _chart(*arguments: str):
    return CliRunner().invoke(main, ["chart", *arguments], prog_name="bsbench")


@pytest.fixture
def records(in_folder):
    """Play a few games of two strategies on `classic`, their moves kept, and of one elsewhere."""
    for name in ("prob", "linear"):
        save_result(bsbench.run(name, "classic", games=40, keep_moves=True), f"mine/{name}")
    save_result(bsbench.run("prob", "harbour", games=40, keep_moves=False), "other")
    return in_folder


@pytest.mark.parametrize("kind", [k for k in charts.kinds() if CHARTS[k].needs is Needs.RESULTS])
def test_draws_a_folder_of_records(records, kind):
    done = _chart("mine", "--kind", kind)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == f"saved results/classic-{kind}.png and classic-{kind}.svg\n"
    assert sorted(os.listdir("results")) == [f"classic-{kind}.png", f"classic-{kind}.svg"]
    with (records / "expected").open("wb") as file:
        write_figure(CHARTS[kind].draw(load_results(["mine"])), file, "svg")
    expected = (records / "expected").read_bytes()
    assert (records / "results" / f"classic-{kind}.svg").read_bytes() == expected


def test_nothing_is_overwritten_unless_forced(records):
    assert _chart("mine", "-k", "ecdf", "-q").output == ""
    first = (records / "results" / "classic-ecdf.png").read_bytes()
    assert first.startswith(b"\x89PNG")
    # One of the two formats is enough.
    os.remove("results/classic-ecdf.png")
    refused = _chart("mine", "-k", "ecdf")
    assert refused.exit_code == 2
    assert "results/classic-ecdf.svg exists already: choose another name, or add --force" in (
        refused.stderr
    )
    assert _chart("mine", "-k", "ecdf", "-q", "--force").output == ""
    assert (records / "results" / "classic-ecdf.png").read_bytes() == first
    assert _chart("mine", "-k", "speed", "-o", "a.svg").stdout == "saved a.svg\n"
    assert _chart("mine", "-k", "speed", "-o", "a.svg").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (
            ["-o", "pictures/"],
            ["pictures/prob-classic-histogram.png", "pictures/prob-classic-histogram.svg"],
        ),
        (["-o", "mine", "--format", "svg"], ["mine/prob-classic-histogram.svg"]),
        (["-o", "one.PNG"], ["one.png"]),
        (["-o", "two", "--format", "SVG, png"], ["two.png", "two.svg"]),
        (["-o", "deep/in/three.svg", "--format", "svg"], ["deep/in/three.svg"]),
    ],
)
def test_pictures_go_where_they_are_wanted(records, arguments, written):
    done = _chart("mine/prob.json", "-k", "histogram", *arguments)
    assert done.exit_code == 0, done.output
    pictures = [*records.rglob("*.png"), *records.rglob("*.svg")]
    assert sorted(path.relative_to(records).as_posix() for path in pictures) == written


@pytest.mark.parametrize(
    ("form", "magic"),
    [
        ([], b"\x89PNG"),
        (["--format", "png"], b"\x89PNG"),
        (["--format", "svg"], b"<?xml"),
        (["--format", "pdf"], b"%PDF"),
    ],
)
def test_standard_output_gets_one_picture_alone(records, form, magic):
    done = _chart("mine", "-k", "ecdf", "-o", "-", *form)
    assert done.exit_code == 0
    assert done.stdout_bytes.startswith(magic)
    assert done.stderr == ""
    assert not (records / "results").exists()


def test_a_pair_is_compared_with_the_first(records):
    done = _chart("mine/prob.json", "mine/linear.json", "-k", "difference", "-o", "d/")
    assert done.stdout.startswith("saved d/linear-prob-classic-difference.png and ")


def test_scenarios_and_strategies_are_drawn_without_records(in_folder):
    done = _chart("--kind", "occupancy", "--scenario", "harbour", "-n", "500", "-o", "a.svg")
    assert done.stdout == "saved a.svg\n"
    with (in_folder / "expected").open("wb") as file:
        counted = heat.occupancy("harbour", games=500)
        write_figure(CHARTS["occupancy"].function(counted), file, "svg")
    assert (in_folder / "a.svg").read_bytes() == (in_folder / "expected").read_bytes()
    words = ["--strategy", "over9000,noise=0", "--seed", "3", "-n", "20", "--format", "png"]
    done = _chart("--kind", "shots", *words)
    assert done.stdout == "saved results/over9000-noise-0.0-classic-shots.png\n"


def test_scenarios_and_strategies_are_drawn_from_records(records):
    done = _chart("mine/prob.json", "-k", "shots", "-n", "20", "--format", "png")
    assert done.stdout == "saved results/prob-classic-shots.png\n"
    done = _chart("mine", "-k", "occupancy", "-n", "20", "--format", "png")
    assert done.stdout == "saved results/classic-occupancy.png\n"


def test_one_scenario_of_several_can_be_taken(records):
    done = _chart("mine", "other.json", "-k", "ecdf", "--scenario", "harbour", "--format", "svg")
    assert done.stdout == "saved results/prob-harbour-ecdf.svg\n"


WRONG = [
    ([], "no kind of chart is named: give --kind, one of ahead, "),
    (["-k", "edcf"], "unknown kind of chart 'edcf': did you mean 'ecdf'?"),
    (["-k", "board"], "unknown kind of chart 'board'"),
    (["-k", "ecdf"], "needs results of one scenario: give the records that 'bsbench run' wrote"),
    (["mine", "other.json", "-k", "ecdf"], "axis: there are 2 of classic, 1 of harbour; give"),
    (["mine", "-k", "ecdf", "--scenario", "x"], "is of the scenario 'x': they are of classic"),
    (["mine", "-k", "shots"], "needs a strategy and a scenario, and 2 are given"),
    (["other.json", "-k", "difference"], "with kept moves, and one is given"),
    (["other.json", "other.json", "-k", "difference"], "prob (seed 0) is given 2 times"),
    (["mine", "-k", "learning"], "linear does not learn from game to game"),
    (["mine", "-k", "ecdf", "-n", "5"], "'ecdf' draws results as they are: leave out --games"),
    (["mine", "-k", "ecdf", "--strategy", "prob"], "--strategy draws without results"),
    (["-k", "occupancy"], "needs a scenario: give --scenario NAME, or a result"),
    (["-k", "occupancy", "--scenario", "harbor"], "did you mean 'harbour'?"),
    (["-k", "occupancy", "--scenario", "harbour", "--strategy", "prob"], "leave out --strategy"),
    (["-k", "shots"], "needs a strategy: give --strategy NAME, or a result"),
    (["-k", "shots", "--strategy", "prob", "-n", "0"], "can't play 0 games"),
    (["-k", "shots", "--strategy", "prob", "--seed", "-2"], "a seed is a non-negative integer"),
    (["-k", "shots", "--strategy", "prop"], "did you mean 'prob'?"),
    (["-k", "reliability"], "needs a strategy: give --strategy NAME, or a result"),
    (["-k", "reliability", "--strategy", "prob"], "'prob' computes no probabilities of ships"),
    (["mine", "-k", "reliability"], "computes no probabilities of ships: choose among"),
    (["mine", "-k", "ecdf", "-o", "a.gif"], "unknown kind of picture: 'a.gif'"),
    (["mine", "-k", "ecdf", "-o", "a.png", "--format", "svg"], "is not of the format svg"),
    (["mine", "-k", "ecdf", "--format", "gif"], "unknown format 'gif': choose png, svg or pdf"),
    (["mine", "-k", "ecdf", "-o", "-", "--format", "png,svg"], "takes one picture: choose"),
    (["mine", "-k", "ecdf", "-o", "other.json/a.png"], "it is a file, not a folder"),
    (["mine", "-k", "ecdf", "-o", ""], "is empty: give a value"),
    (["nowhere.json", "-k", "ecdf"], "can't read nowhere.json"),
    (["empty", "-k", "ecdf"], "there are no records in the folder empty"),
    (["damaged", "-k", "ecdf"], "damaged/a.json is not a record of a run, or is damaged"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=lambda part: " ".join(part))
def test_bad_input_gets_one_sentence(records, arguments, said):
    (records / "empty").mkdir()
    (records / "damaged").mkdir()
    (records / "damaged" / "a.json").write_text('{"schema": "bsbench-run-2"')
    before = sorted(records.rglob("*"))
    done = _chart(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert sorted(records.rglob("*")) == before


def test_help_tells_all_kinds():
    text = " ".join(_chart("--help").stdout.split())
    for kind, said in charts.kinds().items():
        assert f" {kind} {said}" in text


def test_move_counts_in_a_record_come_with_it(records):
    kept, other = load_results(["mine/prob.json", "other.json"])
    assert np.array_equal(
        kept.moves, bsbench.run("prob", "classic", games=40, keep_moves=True).moves
    )
    assert other.moves is None
    assert [each.label for each in load_results(["mine"])] == ["linear", "prob"]
    # What is no record of a run is passed over in a folder.
    (records / "mine" / "bench.json").write_text('{"schema": "bsbench-bench-1"}')
    assert len(load_results(["mine"])) == 2
    with pytest.raises(BsbenchError, match=r"bench.json is not a"):
        load_results(["mine/bench.json"])


def test_a_chart_of_committed_records_is_drawn(in_folder):
    done = _chart(str(RECORDS / "classic"), "-k", "ecdf", "-o", "all.png")
    assert done.exit_code == 0
    assert load_result(RECORDS / "classic" / "prob.json").label == "prob"
