from __future__ import annotations

import dataclasses
import io

import matplotlib
import numpy as np
import pytest

import bsbench
from bsbench.charts import write_figure
from bsbench.charts.efficiency import efficiency
from bsbench.charts.histogram import histogram
from bsbench.charts.learning import learning_curve
from bsbench.placement import Placement
from bsbench.rules import Feedback, Rules
from bsbench.scenario import Scenario
from bsbench.stats import goodness_of_fit


def _bytes(result, kind: str) -> bytes:
    file = io.BytesIO()
    write_figure(histogram(result), file, kind)
    return file.getvalue()


@pytest.fixture(scope="module")
def result():
    return bsbench.run("prob", games=3_000, seed=1)


def test_the_bars_are_the_histogram(result):
    axes = histogram(result).axes[0]
    values, edges, _ = axes.patches[0].get_data()
    assert values.sum() == pytest.approx(100)
    assert np.allclose(values, result.counts[21:] / 30)
    assert (edges[0], edges[-1]) == (20.5, 100.5)
    texts = " ".join(text.get_text() for text in axes.texts)
    for fact in ("3,000 games", "seed 1", f"mean {result.stats.mean:.2f}", "uniform layouts"):
        assert fact in texts
    assert axes.get_title(loc="left") == "prob on harbour"


@pytest.mark.parametrize("strategy", ["random", "linear"])
def test_the_exact_law_is_a_line_over_the_bars(strategy):
    played = bsbench.run(strategy, "classic", games=3_000, seed=1)
    axes = histogram(played).axes[0]
    bars, line = (patch.get_data() for patch in axes.patches if hasattr(patch, "get_data"))
    law = played.exact_law()
    assert np.allclose(line.values, 100 * law[17:])
    assert (line.edges == bars.edges).all()
    assert axes.get_ylim()[1] > max(line.values.max(), bars.values.max())
    mean = {"random": "95.3889", "linear": "88.7342"}[strategy]
    fit = goodness_of_fit(played.counts, law)
    assert f"line: the exact law, mean {mean}\n{fit.text}" in _texts(axes)


def test_no_line_is_drawn_where_the_law_is_out_of_reach(result):
    assert "exact law" not in _texts(histogram(result).axes[0])
    linear = bsbench.run("linear", "classic", games=100)
    assert "exact law" not in _texts(histogram(linear, effort=1).axes[0])


def test_the_path_of_a_file_of_layouts_is_cut_to_fit(result):
    law = Placement("file", "a/rather/long/path/to/some/layouts.txt")
    listed = dataclasses.replace(
        result, scenario=dataclasses.replace(result.scenario, placement=law)
    )
    texts = " ".join(text.get_text() for text in histogram(listed).axes[0].texts)
    assert "feedback hit, file:a/rather/long/path… layouts; 3,000 games" in texts


@pytest.mark.parametrize(("kind", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_a_chart_drawn_again_is_the_same_file(result, kind, magic):
    first = _bytes(result, kind)
    assert first.startswith(magic)
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9}):
        assert _bytes(result, kind) == first


@pytest.mark.usefixtures("keen")
def test_charts_tell_variants_of_a_strategy_apart():
    runs = [
        bsbench.run("keen", games=100, parameters={"noise": noise, "backwards": True})
        for noise in (1, 2)
    ]
    assert histogram(runs[0]).axes[0].get_title(loc="left") == (
        "keen noise=1.0 backwards=true on classic"
    )
    legend = efficiency(runs).axes[0].get_legend()
    assert [" ".join(text.get_text().split()) for text in legend.get_texts()] == [
        f"{run.label}: mean {run.stats.mean:.2f}" for run in runs
    ]


@pytest.mark.usefixtures("keen")
def test_long_titles_stay_on_the_figure():
    settings = {"start": 9, "noise": 0.123456789012345, "backwards": True, "no_touch": "ignore"}
    scenario = bsbench.find_scenario("classic").override(fleet="5,4,3,3,2,2,2,2,1,1,1")
    run = bsbench.run("keen", scenario, games=100, parameters=settings)
    figure = histogram(run)
    figure.draw_without_rendering()
    title = figure.axes[0]._left_title
    assert title.get_text().replace("\n", " ") == f"{run.label} on {scenario.name}"
    box, canvas = title.get_window_extent(), figure.bbox
    assert canvas.x0 <= box.x0 < box.x1 <= canvas.x1
    assert box.y1 <= canvas.y1


@pytest.mark.parametrize(
    ("rows", "cols", "fleet"), [(1, 1, (1,)), (1, 3, (3,)), (2, 2, (1,)), (20, 20, (2,))]
)
def test_extreme_boards_are_drawn(rows, cols, fleet):
    scenario = Scenario("odd", Rules(rows, cols, fleet, touching=True))
    for games in (1, 50):
        assert _bytes(bsbench.run("random", scenario, games=games), "png")


def test_the_efficiency_figure_has_a_line_for_each_strategy():
    results = [bsbench.run(name, "harbour", games=1_000) for name in ("linear", "prob")]
    figure = efficiency(results)
    axes = figure.axes[0]
    lines = [patch.get_data().values for patch in axes.patches]
    for line, result in zip(lines, results, strict=True):
        assert np.allclose(line, result.counts[21:] / 10)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == [f"{r.strategy}: mean {r.stats.mean:.2f}" for r in results]
    colours = {patch.get_edgecolor() for patch in axes.patches}
    assert len(colours) == 2
    files = [io.BytesIO(), io.BytesIO()]
    for file in files:
        write_figure(efficiency(results), file, "svg")
    assert files[0].getvalue() == files[1].getvalue()
    with pytest.raises(ValueError, match="different scenarios"):
        efficiency([results[0], bsbench.run("linear", "classic", games=10)])


POND = Scenario("pond", Rules(6, 6, (3, 3, 2), touching=True, feedback=Feedback.SHIP))


def _learners(games: int, in_a_row: int):
    parameters = {"growth": 0.3, "games_per_learner": in_a_row}
    return bsbench.run("over9000-adaptive", POND, games=games, parameters=parameters)


def _legend(axes) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


def _texts(axes) -> str:
    return " ".join(text.get_text() for text in axes.texts)


def test_the_learning_curve_shows_stages_their_intervals_and_references():
    result = _learners(300, 30)
    references = [bsbench.run(name, POND, games=200) for name in ("linear", "over9000")]
    axes = learning_curve(result, references).axes[0]
    stages = list(result.learning.stage_curve())
    curve, *lines = axes.get_lines()
    x, y = curve.get_data()
    assert x.tolist() == pytest.approx([1, 2, 15**0.5, 60**0.5, 220**0.5, 630**0.5])
    assert y.tolist() == [mean for _, _, mean, _ in stages]
    assert [line.get_ydata()[0] for line in lines] == [run.stats.mean for run in references]
    assert len({line.get_color() for line in axes.get_lines()}) == 3
    assert len({line.get_linestyle() for line in axes.get_lines()}) == 3
    assert _legend(axes) == [
        f"{result.label}, 95 % interval",
        *(f"{run.label}: {run.stats.mean_text}" for run in references),
    ]
    (band,) = axes.collections
    (outline,) = band.get_paths()
    for at, (_, _, mean, error) in zip(x, stages, strict=True):
        edges = {y for x, y in outline.vertices.tolist() if x == at}
        assert sorted(edges) == pytest.approx([mean - 1.959964 * error, mean + 1.959964 * error])
    assert axes.get_xscale() == "log"
    assert axes.get_title(loc="left") == "over9000-adaptive learns on pond"
    assert "10 learners of 30 games, seed 0" in _texts(axes)
    first, again = io.BytesIO(), io.BytesIO()
    write_figure(learning_curve(result, references), first, "svg")
    write_figure(learning_curve(result, references), again, "svg")
    assert first.getvalue() == again.getvalue()


@pytest.mark.parametrize(
    ("games", "in_a_row", "stages", "told"),
    [
        (1, 30, 1, "1 game of one learner, seed 0"),
        (7, 30, 3, "7 games of one learner, seed 0"),
        (30, 30, 6, "30 games of one learner, seed 0"),
        # The second learner completes the first stage alone.
        (31, 30, 6, "2 learners of 30 games, seed 0"),
    ],
)
def test_the_learning_curve_of_one_learner_claims_no_interval(games, in_a_row, stages, told):
    result = _learners(games, in_a_row)
    axes = learning_curve(result).axes[0]
    assert len(axes.get_lines()[0].get_xdata()) == stages
    assert len(axes.collections) == 0
    assert _legend(axes) == [result.label]
    assert told in _texts(axes)


def test_the_band_ends_where_one_learner_is_left():
    axes = learning_curve(_learners(32, 30)).axes[0]
    (band,) = axes.collections
    assert {x for path in band.get_paths() for x in path.vertices[:, 0].tolist()} == {1, 2}
    assert _legend(axes)[0].endswith(", 95 % interval")


def test_learning_curves_of_what_does_not_belong_there_are_refused():
    with pytest.raises(ValueError, match="linear does not learn from game to game"):
        learning_curve(bsbench.run("linear", POND, games=10))
    with pytest.raises(ValueError, match="different scenarios"):
        learning_curve(_learners(10, 5), [bsbench.run("linear", "classic", games=10)])
