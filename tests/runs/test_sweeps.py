"""Sweeps: which points a grid has, the tidy frame, and the chart."""

from __future__ import annotations

import io
import itertools
from fractions import Fraction

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.patches import Rectangle

import bsbench
from bsbench.present.charts import CHARTS, write_figure
from bsbench.present.charts.sweep import sweep as sweep_chart
from bsbench.reproduce.gathering import gather
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparing import play
from bsbench.runs.experiment import Experiment
from bsbench.runs.records import load_results
from bsbench.runs.results import frame_csv, save_result
from bsbench.runs.sweeps import MOST_POINTS, Sweep, read_sweep, sweep_frame
from bsbench.stats import Difference, interval_text
from tests.support.refusals import refused

pytestmark = pytest.mark.usefixtures("keen")

POND = Scenario(name="pond", rules=Rules(4, 4, (3, 2), touching=True, feedback=Feedback.SHIP))


def _labels(texts, strategies) -> list[str]:
    return [strategy.label for strategy in read_sweep(texts, strategies).strategies]


def _played(texts, strategies, games=40) -> bsbench.Comparison:
    sweep = read_sweep(texts, strategies)
    (comparison,) = play(
        Experiment(sweep.strategies, (POND,), games=games, reference=sweep.reference)
    )
    return comparison


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("noise=0.5,0.25", [0.5, 0.25]),
        ("noise=0:0.3:0.1,0.5", [0.0, 0.1, 0.2, 0.3, 0.5]),
        ("noise=0.5:0.1:-0.2", [0.5, 0.3, 0.1]),
        # The last step would pass the stop.
        ("noise=0.5:1:0.3", [0.5, 0.8]),
        (" noise = 0.5 , 1 ", [0.5, 1.0]),
        # The same value twice is one point.
        ("noise=0.5,0.50,1,0:1:0.5", [0.5, 1.0, 0.0]),
    ],
)
def test_values_and_ranges_of_numbers(text, values):
    more = [] if values != [0.5] else ["start=1"]
    points = read_sweep([text, *more], ["keen"]).strategies
    assert list(dict.fromkeys(point.parameters["noise"] for point in points)) == values


@given(
    start=st.integers(-999, 999),
    steps=st.integers(0, 60),
    step=st.integers(1, 99),
    digits=st.integers(0, 12),
    beyond=st.floats(0, 0.99),
)
def test_steps_are_exact(start, steps, step, digits, beyond):
    start = abs(start)
    text = [
        f"{number}e-{digits}" for number in (start, start + steps * step + int(beyond * step), step)
    ]
    points = read_sweep([f"noise=0.5,{':'.join(text)}", "start=1"], ["keen"]).strategies
    expected = [float(Fraction(start + i * step, 10**digits)) for i in range(steps + 1)]
    found = list(dict.fromkeys(point.parameters["noise"] for point in points))
    assert found == list(dict.fromkeys([0.5, *expected]))


def test_whole_numbers_truth_and_text_keep_their_types():
    assert _labels(["start=0:6:3"], ["keen"]) == ["keen", "keen start=3", "keen start=6"]
    assert _labels(["no_touch=full,ignore"], ["keen"]) == [
        "keen no_touch=full",
        "keen no_touch=ignore",
    ]


def test_several_parameters_make_a_grid():
    sweep = read_sweep(["noise=0,1", "start=1,2"], ["keen,backwards=true"])
    assert isinstance(sweep, Sweep)
    # The strategy as named is not on the grid: nobody asked for it.
    assert [strategy.label for strategy in sweep.strategies] == [
        "keen start=1 noise=0.0 backwards=true",
        "keen start=2 noise=0.0 backwards=true",
        "keen start=1 noise=1.0 backwards=true",
        "keen start=2 noise=1.0 backwards=true",
    ]
    assert sweep.reference == "keen start=1 noise=0.0 backwards=true"
    on_grid = read_sweep(["noise=0,0.5"], ["keen"])
    assert [each.label for each in on_grid.strategies] == ["keen noise=0.0", "keen"]
    assert on_grid.reference == "keen"


def test_strategies_play_the_parameters_that_they_have():
    labels = _labels(["noise=0,0.1", "hit_weight=2"], ["over9000", "datagenetics", "linear"])
    assert labels == [
        "over9000 noise=0.0",
        "over9000 noise=0.1",
        "datagenetics hit_weight=2",
        "linear",
    ]
    # Points that two have in common are played once.
    assert _labels(["noise=0,1"], ["keen", "keen,noise=1"]) == [
        "keen noise=0.0",
        "keen noise=1.0",
    ]


@pytest.mark.parametrize(
    ("texts", "strategies", "named"),
    [
        (["noise="], ["keen"], ["noise="]),
        (["noise=1", "noise=2"], ["keen"], ["noise", "twice"]),
        (["nois=1"], ["keen", "prob"], ["keen", "prob", "nois", "noise"]),
        (["noise=0:1"], ["keen"], ["0:1", "noise", "START:STOP:STEP"]),
        (["noise=0:1:0"], ["keen"], ["0:1:0", "noise"]),
        (["noise=0:inf:1"], ["keen"], ["0:inf:1", "noise"]),
        (["noise=0:1e999999:1e999990"], ["keen"], ["0:1e999999:1e999990", "noise"]),
        (["noise=0:1e400:1e-400"], ["keen"], ["points", str(MOST_POINTS)]),
        (["noise=0:50:0.1"], ["keen"], ["501", "500"]),
        (["noise=0.5"], ["keen", "linear"], ["keen", "linear"]),
    ],
)
def test_wrong_sweeps_are_refused_in_a_sentence(texts, strategies, named):
    with refused(*named):
        read_sweep(texts, strategies)


def test_the_frame_has_a_row_for_each_point():
    comparison = _played(["noise=0.5,0,1", "start=0,1,2"], ["keen", "linear"])
    frame = sweep_frame(comparison)
    summary = comparison.to_frame()
    same = ["label", "scenario", "seed", "games", "mean", "half_width", "reference", "difference"]
    same += ["difference_half_width", "paired"]
    pd.testing.assert_frame_equal(frame[same], summary[same])
    keen = frame[frame["strategy"] == "keen"].set_index(["noise", "start"])
    assert set(keen.index) == {*itertools.product([0.5, 0.0, 1.0], [0, 1, 2])}
    assert keen.loc[(1.0, 2), "label"] == "keen start=2 noise=1.0"
    assert (frame["best"] == (frame["mean"] == frame["mean"].min())).all()
    # Whole numbers stay whole where a strategy does not have the parameter.
    assert str(frame["start"].dtype) == "Int64"
    lines = frame_csv(frame).splitlines()
    assert lines[0] == ",".join(frame.columns)
    assert lines[-1].startswith("linear,linear,,,pond,0,40,")
    assert lines[1].startswith("keen,keen,0,0.5,pond,0,40,")


def _drawn(figure) -> None:
    """Draw a figure as it is written to a file; that texts fit is tested for all charts."""
    write_figure(figure, io.BytesIO(), "svg")


def _told(figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def _points(axes) -> dict[float, tuple[float, str, str]]:
    """Return the points of a curve: by value, mean, marker and filling."""
    found = {}
    for line in axes.lines:
        if line.get_marker() in ("o", "D"):
            ((x, y),) = line.get_xydata()
            hollow = line.get_markerfacecolor() == "white"
            found[x] = (y, line.get_marker(), "hollow" if hollow else "full")
    return found


def test_one_parameter_is_a_curve_with_the_reference_marked():
    comparison = _played(["start=0,1,5,9"], ["keen", "linear"], games=400)
    figure = sweep_chart(comparison)
    axes = figure.axes[0]
    frame = sweep_frame(comparison).query("strategy == 'keen'")
    points = _points(axes)
    assert {x: point[0] for x, point in points.items()} == dict(
        zip(frame["start"], frame["mean"], strict=True)
    )
    assert [x for x, (_, marker, _) in points.items() if marker == "D"] == [0]
    doubtful = frame["difference"].abs() <= frame["difference_half_width"]
    doubtful &= frame["label"] != "keen"
    assert {x for x, point in points.items() if point[2] == "hollow"} == set(
        frame.loc[doubtful, "start"]
    )
    told = "\n".join(_told(figure))
    for result in (comparison.results[0], comparison.results[-1]):
        assert f"{result.label}, {result.stats.mean_text}" in told
    _drawn(figure)


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ("0:6:0.1", "linear"),
        ("1,2,3,5,10,30,100,1000", "log"),
        ("0,0.001,0.01,0.1,10", "symlog"),
        ("0.001,0.0011,0.0012,0.0013,1", "log"),
        ("123456789,123456790,123456791", "linear"),
    ],
)
def test_axes_suit_the_values_and_labels_do_not_touch(values, scale):
    figure = sweep_chart(_played([f"noise={values}"], ["keen"], games=3))
    assert figure.axes[0].get_xscale() == scale
    _drawn(figure)


def _frames(axes) -> dict[str, tuple[float, float]]:
    """Return the middle of each framed cell by the colour of its frame."""
    return {
        matplotlib.colors.to_hex(patch.get_edgecolor()): (patch.get_x() + 0.5, patch.get_y() + 0.5)
        for patch in axes.patches
        if isinstance(patch, Rectangle)
    }


def test_two_parameters_are_a_heat_map_with_figures():
    comparison = _played(["start=0:9:1", "backwards=no,yes"], ["keen"], games=500)
    figure = sweep_chart(comparison)
    axes, _ = figure.axes
    frame = sweep_frame(comparison)
    means = frame.pivot(index="backwards", columns="start", values="mean")
    np.testing.assert_array_equal(axes.images[0].get_array(), means)
    written = {tuple(text.get_position()): float(text.get_text()) for text in axes.texts}
    assert written == {
        (col, row): pytest.approx(means.iloc[row, col], abs=0.0501)
        for row, col in itertools.product(range(2), range(10))
    }
    row, col = np.unravel_index(np.argmin(means), means.shape)
    assert _frames(axes) == {"#d55e00": (col, row), "#000000": (0, 0)}
    best = frame.loc[frame["mean"].idxmin()]
    difference = Difference(best["difference"], best["difference_half_width"])
    told = " ".join(_told(figure)[0].split())
    assert f"{best['label']}, {interval_text(best['mean'], best['half_width'])}; " in told
    assert difference.text.replace("-", "−") in told
    assert ("not significant" in told) == (not difference.significant)
    _drawn(figure)


@pytest.mark.parametrize(
    ("texts", "strategies", "panels"),
    [
        (["noise=0:6:0.1", "start=0,1"], ["keen"], 1),
        (["noise=0,1,2,3", "start=0:9:1", "no_touch=sunk,full", "backwards=no,yes"], ["keen"], 4),
        (["start=0,1", "edge_weight=1,2"], ["keen", "over9000", "linear"], 2),
        (["no_touch=full,ignore", "backwards=yes,no"], ["keen"], 1),
    ],
)
def test_sweeps_of_all_shapes_are_drawn(texts, strategies, panels):
    figure = sweep_chart(_played(texts, strategies, games=3))
    shown = [axes for axes in figure.axes if axes.get_visible() and axes.get_xlabel()]
    assert len(shown) == panels
    _drawn(figure)


def test_charts_of_records_find_the_sweep_in_them(in_folder):
    comparison = _played(["start=0,1,2"], ["datagenetics", "keen"])
    for result in comparison.results:
        save_result(result, "mine/")
    figure = CHARTS["sweep"].draw(load_results(["mine"]))
    assert sorted(_points(figure.axes[0])) == [0, 1, 2]
    assert [x for x, point in _points(figure.axes[0]).items() if point[1] == "D"] == [0]


def test_reports_of_a_sweep_have_its_default_as_reference(in_folder):
    for result in _played(["start=0,1,2"], ["keen,backwards=yes"]).results:
        save_result(result, "mine/")
    (section,) = gather(["mine"]).sections
    assert section.comparison.reference == "keen backwards=true"
    for seed in (1, 2):
        save_result(bsbench.run("keen", POND, games=5, seed=seed), f"seeds/{seed}")
    save_result(bsbench.run("keen,start=2", POND, games=5), "seeds/3")
    sections = gather(["seeds"]).sections
    assert [len(each.results) for each in sections] == [1, 1, 1], "a section of each seed"


def test_charts_of_no_sweep_or_of_several_seeds_are_refused():
    one, other = (bsbench.run(name, POND, games=5) for name in ("linear", "random"))
    seeds = [bsbench.run(f"keen,start={start}", POND, games=5, seed=start) for start in (0, 1)]
    for results, named in (([one], []), ([one, other], []), (seeds, ["seed"])):
        with refused("sweep", *named):
            CHARTS["sweep"].draw(results)


def test_frames_of_text_and_truth_and_of_names_that_are_taken(monkeypatch):
    comparison = _played(["no_touch=full,sunk", "backwards=yes,no"], ["keen", "linear"])
    text = frame_csv(sweep_frame(comparison))
    assert text.splitlines()[1].startswith("keen,keen backwards=true no_touch=full,True,full,")
    assert text.splitlines()[-1].startswith("linear,linear,,,pond,")
    for result in comparison.results:
        result.parameters["seed"] = result.parameters.pop("backwards", None)
    assert "parameter_seed" in sweep_frame(comparison).columns
