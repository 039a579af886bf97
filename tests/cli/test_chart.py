"""``bsbench chart``: what it draws, where it goes, and what it says of bad input."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.present import charts
from bsbench.present.charts import CHARTS, Needs, write_figure
from bsbench.runs import heat
from bsbench.runs.records import load_results
from bsbench.runs.results import save_result
from tests.support.mock_engine import mock_engine
from tests.support.refusals import assert_refused


def _chart(*arguments: str):
    return CliRunner().invoke(main, ["chart", *arguments], prog_name="bsbench")


def _files(done) -> list[str]:
    """Return the pictures that a command says it has saved."""
    return re.findall(r"\S+\.(?:png|svg|pdf)\b", done.stdout)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Play a few games of two strategies on `classic`, their moves kept, and of one elsewhere."""
    folder = tmp_path_factory.mktemp("played")
    with pytest.MonkeyPatch.context() as patch:
        mock_engine(patch)
        for name in ("random", "linear"):
            result = bsbench.run(name, "classic", games=40, keep_moves=True)
            save_result(result, str(folder / "mine" / name))
        result = bsbench.run("random", "harbour", games=40, keep_moves=False)
    save_result(result, str(folder / "other"))
    return folder


@pytest.fixture
def records(in_folder, played):
    """Return the folder of the test, with records in it."""
    shutil.copytree(played, in_folder, dirs_exist_ok=True)
    return in_folder


@pytest.mark.parametrize("kind", [k for k in charts.kinds() if CHARTS[k].needs is Needs.RESULTS])
def test_draws_a_folder_of_records(records, kind):
    done = _chart("mine", "--kind", kind)
    assert (done.exit_code, done.stderr) == (0, "")
    assert set(_files(done)) == {f"results/classic-{kind}.png", f"classic-{kind}.svg"}
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
    assert_refused(_chart("mine", "-k", "ecdf"), "results/classic-ecdf.svg", "--force")
    assert _chart("mine", "-k", "ecdf", "-q", "--force").output == ""
    assert (records / "results" / "classic-ecdf.png").read_bytes() == first
    assert _chart("mine", "-k", "speed", "-o", "a.svg").stdout == "saved a.svg\n"
    assert _chart("mine", "-k", "speed", "-o", "a.svg").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (
            ["-o", "pictures/"],
            ["pictures/random-classic-histogram.png", "pictures/random-classic-histogram.svg"],
        ),
        (["-o", "mine", "--format", "svg"], ["mine/random-classic-histogram.svg"]),
        (["-o", "one.PNG"], ["one.PNG"]),
        (["-o", "deep/in/two", "--format", "SVG, png"], ["deep/in/two.png", "deep/in/two.svg"]),
    ],
)
def test_pictures_go_where_they_are_wanted(records, arguments, written):
    done = _chart("mine/random.json", "-k", "histogram", *arguments)
    assert done.exit_code == 0, done.output
    pictures = [*records.rglob("*.[Pp][Nn][Gg]"), *records.rglob("*.svg")]
    assert sorted(path.relative_to(records).as_posix() for path in pictures) == written


@pytest.mark.parametrize(("form", "magic"), [([], b"\x89PNG"), (["--format", "pdf"], b"%PDF")])
def test_standard_output_gets_one_picture_alone(records, form, magic):
    done = _chart("mine", "-k", "ecdf", "-o", "-", *form)
    assert done.exit_code == 0
    assert done.stdout_bytes.startswith(magic)
    assert done.stderr == ""
    assert not (records / "results").exists()


def test_a_pair_is_compared_with_the_first(records):
    done = _chart("mine/random.json", "mine/linear.json", "-k", "difference", "-o", "d/")
    assert _files(done)[0] == "d/linear-random-classic-difference.png"


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
    done = _chart("mine/random.json", "-k", "shots", "-n", "20", "--format", "png")
    assert done.stdout == "saved results/random-classic-shots.png\n"
    done = _chart("mine", "-k", "occupancy", "-n", "20", "--format", "png")
    assert done.stdout == "saved results/classic-occupancy.png\n"


def test_one_scenario_of_several_can_be_taken(records):
    done = _chart("mine", "other.json", "-k", "ecdf", "--scenario", "harbour", "--format", "svg")
    assert done.stdout == "saved results/random-harbour-ecdf.svg\n"


def test_the_kind_follows_from_what_there_is(records):
    assert (
        _chart("other.json", "--format", "svg").stdout
        == "saved results/random-harbour-histogram.svg\n"
    )
    assert "-ranking.svg" in _chart("mine", "--format", "svg").stdout


WRONG = [
    ([], ["--kind", "ahead"]),
    (["-k", "ecdf"], ["'ecdf'", "results", "'bsbench run'"]),
    (["mine", "-k", "ecdf", "-n", "5"], ["'ecdf'", "--games"]),
    (["mine", "-k", "ecdf", "--strategy", "prob"], ["--strategy"]),
    (["-k", "occupancy", "--scenario", "harbour", "--strategy", "prob"], ["--strategy"]),
    (["-k", "shots"], ["'shots'", "--strategy"]),
    (["mine", "-k", "ecdf", "-o", "a.gif"], ["'a.gif'"]),
    (["mine", "-k", "ecdf", "-o", "a.png", "--format", "svg"], ["a.png", "svg"]),
    (["mine", "-k", "ecdf", "-o", "-", "--format", "png,svg"], ["png", "svg"]),
]


@pytest.mark.parametrize(("arguments", "names"), WRONG, ids=lambda part: " ".join(part))
def test_bad_input_gets_one_sentence(records, arguments, names):
    (records / "empty").mkdir()
    (records / "damaged").mkdir()
    (records / "damaged" / "a.json").write_text('{"schema": "bsbench-run-2"')
    before = sorted(records.rglob("*"))
    assert_refused(_chart(*arguments), *names)
    assert sorted(records.rglob("*")) == before


def test_help_tells_all_kinds():
    text = " ".join(_chart("--help").stdout.split())
    for kind, said in charts.kinds().items():
        assert f" {kind} {said}" in text


@pytest.mark.parametrize("words", [["@classic/random"], ["--scenario", "classic"], ["-n", "9"]])
def test_a_chart_that_needs_nothing_takes_nothing(in_folder, words):
    done = CliRunner().invoke(main, ["chart", *words, "--kind", "survey", "-o", "it.svg"])
    assert_refused(done, "'survey'")
    assert not Path("it.svg").exists()
