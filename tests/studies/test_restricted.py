"""The restricted game of some shooters against some placement laws."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.roster import as_strategy
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import find_scenario
from bsbench.runs.request import Request
from bsbench.stats import interval_text
from bsbench.studies.value.restricted import (
    restricted_experiment,
    restricted_value,
    solve,
    usual_laws,
)
from bsbench.studies.value.sheet import sheet as sheet_of
from tests.support.refusals import assert_refused, refused

pytest.importorskip("scipy", reason="needs bsbench[value]")

SCENARIO = find_scenario("gym-6x6").override(feedback="ship")
NAMES = ["prob", "hunt-target", "lattice2"]
LAWS = ["uniform", "edge:9", "avoid:prob:16"]


def game(names=NAMES, laws=LAWS, **request):
    request = Request.of(None, **{"games": 4_000, "seed": 3, **request})
    shooters = [as_strategy(each) for each in names]
    laws = [Placement.parse(each) for each in laws]
    experiment = restricted_experiment(request, shooters, SCENARIO, laws)
    return restricted_value(experiment, SCENARIO, laws, request)


@pytest.fixture(scope="module")
def found():
    return game()


def test_small_games_have_known_values():
    value, rows, columns = solve(np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], float))
    assert value == pytest.approx(0, abs=1e-9)
    assert rows == pytest.approx([1 / 3] * 3)
    assert columns == pytest.approx([1 / 3] * 3)
    # Von Neumann: (a d - b c) / (a + d - b - c).
    value, rows, columns = solve(np.array([[5.0, 2.0], [1.0, 4.0]]))
    assert value == pytest.approx((20 - 2) / 6)
    assert rows == pytest.approx([0.5, 0.5])
    assert columns == pytest.approx([1 / 3, 2 / 3])
    # Both have one choice that is always better.
    value, rows, columns = solve(np.array([[3.0, 2.0], [9.0, 8.0]]))
    assert (value, [*rows], [*columns]) == (3, [1, 0], [1, 0])


def test_neither_side_gains_by_another_choice(found):
    rng = np.random.default_rng(5)
    for costs in (found.means, rng.normal(size=(7, 11)), rng.integers(0, 3, (5, 4)).astype(float)):
        value, rows, columns = solve(costs)
        assert rows.min() >= 0
        assert columns.min() >= 0
        assert (rows.sum(), columns.sum()) == pytest.approx((1, 1))
        assert (costs @ columns).min() == pytest.approx(value)
        assert (rows @ costs).max() == pytest.approx(value)


def test_means_are_those_of_runs(found):
    for place, name in enumerate(NAMES):
        for at, law in enumerate(LAWS):
            result = bsbench.run(name, SCENARIO, placement=law, games=4_000, seed=3)
            assert found.means[place, at] == result.stats.mean
            assert found.half_widths[place, at] == pytest.approx(result.stats.half_width)


def test_the_record_follows_from_the_means(found):
    record = found.content()
    for place, shooter in enumerate(record.shooters):
        assert shooter.exploitability == max(shooter.mean) - found.value
        assert str(found.laws[int(np.argmax(shooter.mean))]) == shooter.worst
        assert shooter.mixed == pytest.approx(found.means[place] @ found.hiding)
        assert shooter.mixed >= found.value - 1e-9
    for at, law in enumerate(record.laws):
        assert law.mean == found.means[:, at].min()
        assert law.mixed <= found.value + 1e-9
    reach = sum(
        (found.hiding[at] * sum(found.shooting[i] * found.half_widths[i, at] for i in range(3)))
        ** 2
        for at in range(3)
    )
    assert found.half_width == pytest.approx(math.sqrt(reach))


def test_the_mixture_is_written_as_a_law():
    mixed = game(NAMES[:2], ["edge:9", "edge:0.1", "sequential"])
    # As if the second strategy were good where the first one is not.
    vars(mixed)["means"] = np.array([[5.0, 2.0, 0.0], [1.0, 4.0, 0.0]])
    assert str(mixed.hide) == "mix:333*edge:9,667*edge:0.1"
    assert mixed.value == pytest.approx(3)
    vars(mixed).pop("_solved")
    vars(mixed)["means"] = np.array([[5.0, 2.0, 6.0], [1.0, 4.0, 6.0]])
    assert str(mixed.hide) == "sequential:longest"


def test_the_sheet_says_it(found):
    sheet = sheet_of(found)
    assert interval_text(found.value, found.half_width) in sheet.finding
    assert any(str(found.hide) in note for note in sheet.notes)
    assert sheet.columns["strategy"][0] == found.labels[int(np.argmin(found.means @ found.hiding))]
    assert sheet.more["hides by"][0] == str(found.laws[int(np.argmax(found.hiding))])


def test_usual_laws_avoid_what_can_be_avoided():
    shooters = [as_strategy(each) for each in ("prob", "datagenetics,hit_weight=9")]
    laws = [*map(str, usual_laws(shooters, SCENARIO))]
    assert "avoid:prob:16" in laws
    assert "avoid:datagenetics,hit_weight=9:2" in laws
    assert laws[0] == "uniform"


@pytest.mark.parametrize(
    ("names", "laws", "named"),
    [
        (["prob"], LAWS, "strategy"),
        (NAMES, ["uniform"], "law"),
        (NAMES, ["uniform", "uniform"], "'uniform'"),
        (NAMES, ["uniform", "each"], "'each'"),
        (["prob", "prob"], LAWS, "'prob'"),
        (NAMES, ["uniform", "avoid:nobody"], "'nobody'"),
    ],
)
def test_bad_input_is_refused(names, laws, named):
    with refused(named):
        game(names, laws)


WORDS = ["value", "prob", "linear", "--law", "uniform", "--law", "edge:9"]


def test_the_command_finds_the_same(in_folder):
    words = [*WORDS, "--scenario", "gym-6x6", "--feedback", "ship", "-n", "500", "--seed", "3"]
    ended = CliRunner().invoke(main, [*words, "-o", "found", "--export-json", "-", "-q"])
    assert ended.exit_code == 0, ended.output
    record, same = json.loads(ended.stdout), game(["prob", "linear"], LAWS[:2], games=500)
    for key in ("value", "half_width", "hide", "shooters", "laws", "games", "seed"):
        assert record[key] == same.to_dict()[key]
    assert json.loads(Path("found.json").read_text())["value"] == same.value


def test_all_fast_strategies_and_the_usual_laws_play():
    words = ["value", "all", "--board", "4x4", "--fleet", "2", "--feedback", "hit", "-n", "20"]
    ended = CliRunner().invoke(main, [*words, "--export-json", "-", "-q"])
    record = json.loads(ended.stdout)
    labels = {each["label"] for each in record["shooters"]}
    assert {"random", "linear", "prob"} < labels
    laws = {each["law"] for each in record["laws"]}
    assert {"uniform", "edge:9", "avoid:prob:16", "avoid:linear:2"} < laws


def test_it_is_refused_without_scipy(monkeypatch):
    monkeypatch.setattr("bsbench.studies.value.restricted.find_spec", lambda name: None)
    assert_refused(CliRunner().invoke(main, WORDS), "SciPy", "pip")


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (["--law", "nowhere"], "'nowhere'"),
        (["nobody"], "'nobody'"),
        (["--seconds", "3"], "--seconds"),
        (["--law", "uniform"], "'uniform'"),
        (["--seed", "1,2"], "2"),
        (["--games", "0"], "0"),
    ],
)
def test_the_command_refuses(more, named):
    assert_refused(CliRunner().invoke(main, [*WORDS, *more]), named)


def test_what_is_not_over_is_not_solved(monkeypatch):
    def stop(now):
        if now.label == "linear" and now.scenario.placement.law == "edge":
            raise KeyboardInterrupt

    request = Request.of(None, None, games=20_000)
    laws = [Placement.parse(each) for each in LAWS[:2]]
    shooters = [as_strategy(each) for each in ("prob", "linear")]
    experiment = restricted_experiment(request, shooters, SCENARIO, laws)
    with pytest.raises(KeyboardInterrupt):
        restricted_value(experiment, SCENARIO, laws, request, stop)
