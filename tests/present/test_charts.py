from __future__ import annotations

import dataclasses
import io
import re
from functools import cache

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.text import Annotation, Text

import bsbench
from bsbench.common.settings import setting_text
from bsbench.play.lockstep import moves_dtype
from bsbench.present.charts import CHARTS, ahead, write_figure
from bsbench.present.charts import occupancy as occupancy_chart
from bsbench.present.charts import shots as shots_chart
from bsbench.present.charts.difference import difference
from bsbench.present.charts.ecdf import ecdf
from bsbench.present.charts.efficiency import efficiency
from bsbench.present.charts.exploitability import exploitability
from bsbench.present.charts.histogram import histogram
from bsbench.present.charts.learning import learning_curve
from bsbench.present.charts.occupancy import occupancy
from bsbench.present.charts.shots import shots
from bsbench.present.charts.speed import speed
from bsbench.present.looks import look, looks
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs import heat
from bsbench.runs.comparison import Comparison, Pair
from bsbench.runs.exact import exact_law
from bsbench.runs.records import load_results
from bsbench.runs.results import Result
from bsbench.runs.tally import BLOCK, Tally
from bsbench.stats import goodness_of_fit
from tests.support import ROOT
from tests.support.helpers import rules, strategies_of
from tests.support.refusals import names, refused


def _file(figure, kind: str) -> bytes:
    file = io.BytesIO()
    write_figure(figure, file, kind)
    return file.getvalue()


def _bytes(result, kind: str) -> bytes:
    return _file(histogram(result), kind)


def _written(axes) -> list[str]:
    """Return the names that stand beside lines, in one line each."""
    texts = (each.get_text() for each in axes.texts if isinstance(each, Annotation))
    return [" ".join(text.split()) for text in texts if text]


def _ranked(results) -> list[Result]:
    return sorted(results, key=lambda each: each.stats.mean)


def _with_mean(result: Result) -> str:
    return f"{result.label} {result.stats.mean_text.partition(' ±')[0]}"


@pytest.fixture(scope="module")
def result():
    """A result on classic, whose fewest shots are 17, that nobody has played."""
    moves = np.random.default_rng(1).integers(30, 70, 3_000)
    return _made("prob", bsbench.find_scenario("classic"), moves, seed=1)


@pytest.fixture(scope="module")
def bars(result):
    """The axes of its histogram, which no test changes."""
    return histogram(result).axes[0]


def _steps(axes):
    """Return bars and lines that have steps, as data."""
    return [patch.get_data() for patch in axes.patches if hasattr(patch, "get_data")]


def test_the_bars_are_the_histogram(result, bars):
    ((values, edges, _),) = _steps(bars)
    assert values.sum() == pytest.approx(100)
    assert np.allclose(values, result.counts[17:] / 30)
    assert (edges[0], edges[-1]) == (16.5, 100.5)
    mean = f"{result.stats.mean:.2f}"
    for fact in ("3,000 games", "seed 1", f"mean {mean}", "uniform"):
        assert names(_texts(bars), fact)
    assert all(names(_title(bars), fact) for fact in ("prob", mean))


@pytest.mark.parametrize("strategy", ["random", "linear"])
def test_the_exact_law_is_a_line_over_the_bars(strategy):
    played = bsbench.run(strategy, "classic", games=3_000, seed=1)
    axes = histogram(played).axes[0]
    bars, line = _steps(axes)
    law = exact_law(played.strategy, played.scenario)
    assert np.allclose(line.values, 100 * law[17:])
    assert (line.edges == bars.edges).all()
    assert axes.get_ylim()[1] > max(line.values.max(), bars.values.max())
    mean = {"random": "95.3889", "linear": "88.7342"}[strategy]
    assert names(_texts(axes), f"mean {mean}")
    assert goodness_of_fit(played.counts, law).text in _texts(axes)


def test_no_line_is_drawn_where_the_law_is_out_of_reach(bars):
    assert len(_steps(bars)) == 1
    # Counts of built-in scenarios are kept.
    scenario = bsbench.find_scenario("classic").override(board=(10, 11))
    linear = bsbench.run("linear", scenario, games=100)
    assert len(_steps(histogram(linear, effort=1).axes[0])) == 1


def test_the_efficiency_figure_has_a_line_for_each_strategy():
    # The best first, however they are given.
    results = [_made("prob", DINGHY, [2, 3, 3, 5]), _made("linear", DINGHY, [7, 8, 9, 9])]
    axes = efficiency(results[::-1]).axes[0]
    for line, result in zip(_steps(axes), results, strict=True):
        assert np.allclose(line.values, 25 * result.counts[2:])
    assert [name.split()[0] for name in _written(axes)] == [each.label for each in results]
    colours = [matplotlib.colors.to_hex(patch.get_edgecolor()) for patch in axes.patches]
    assert colours == [look(result.label).colour.lower() for result in results]


POND = Scenario(name="pond", rules=Rules(6, 6, (3, 3, 2), touching=True, feedback=Feedback.SHIP))


@cache
def _learners(games: int, in_a_row: int):
    parameters = {"growth": 0.3, "games_per_learner": in_a_row}
    return bsbench.run(bsbench.make_strategy("over9000-adaptive", parameters), POND, games=games)


def _note(axes) -> str:
    """Return what stands in small letters below a chart, on one line."""
    return " ".join(axes.figure.get_supxlabel().split())


def _texts(axes) -> str:
    return " ".join(text.get_text() for text in [*axes.texts, *axes.figure.texts])


def _title(axes) -> str:
    """Return the title of a chart on one line."""
    return " ".join(axes.figure.get_suptitle().split())


def test_the_learning_curve_shows_stages_their_intervals_and_references():
    result = _learners(300, 30)
    references = [bsbench.run(name, POND, games=200) for name in ("linear", "over9000")]
    axes = learning_curve(result, references).axes[0]
    stages = list(result.learning.stage_curve())
    curve, line = axes.get_lines()[:2]
    x, y = curve.get_data()
    assert x.tolist() == pytest.approx([1, 2, 15**0.5, 60**0.5, 220**0.5, 630**0.5])
    assert y.tolist() == [mean for _, _, mean, _ in stages]
    # The other one is so far away that the curve would be flat.
    far, near = references
    assert line.get_ydata()[0] == near.stats.mean
    looking = looks([result.label, near.label, far.label])
    assert [each.get_color() for each in (curve, line)] == [each.colour for each in looking[:2]]
    found, other = sorted(_written(axes), key=len, reverse=True)
    assert found.startswith(result.label)
    assert other == _with_mean(near)
    assert all(names(_note(axes), each) for each in ("linear", f"{far.stats.mean:.2f}"))
    (band,) = axes.collections
    (outline,) = band.get_paths()
    for at, (_, _, mean, error) in zip(x, stages, strict=True):
        edges = {y for x, y in outline.vertices.tolist() if x == at}
        assert sorted(edges) == pytest.approx([mean - 1.959964 * error, mean + 1.959964 * error])
    assert axes.get_xscale() == "log"
    assert _title(axes).startswith(result.label)
    assert all(names(_texts(axes), each) for each in ("10 learners", "30 games", "seed 0"))


@pytest.mark.parametrize(
    ("games", "stages", "told"),
    # Of 31 games, the second learner completes the first stage alone.
    [(1, 1, "1 game"), (7, 3, "7 games"), (31, 6, "2 learners")],
)
def test_the_learning_curve_of_one_learner_claims_no_interval(games, stages, told):
    axes = learning_curve(_learners(games, 30)).axes[0]
    assert len(axes.get_lines()[0].get_xdata()) == stages
    assert len(axes.collections) == 0
    assert len(_written(axes)) == 1
    assert names(_texts(axes), told)


def _made(label: str, scenario: Scenario, moves, seed: int = 0, **others) -> Result:
    """Return a result with these move counts, that nobody has played."""
    moves = np.asarray(moves)
    return Result(
        scenario=scenario,
        strategy=label.split()[0],
        source="tests",
        parameters={},
        label=label,
        seed=seed,
        requested=len(moves),
        tally=Tally.of(0, moves.astype(moves_dtype(scenario.rules)), scenario.rules.cells),
        threads=1,
        setup_seconds=0.0,
        play_seconds=others.pop("play_seconds", 1.0),
        bsbench="0.1.0",
        stream_version=1,
        kept_moves=moves,
        **others,
    )


def _recorded(folder: str) -> list[Result]:
    """Return the committed results of a scenario, all with the feedback of the first."""
    found = load_results([ROOT / "results" / folder])
    assert sorted(each.label for each in found) == sorted(strategies_of(folder))
    found = list({each.label: each for each in found}.values())
    return [dataclasses.replace(each, scenario=found[0].scenario) for each in found]


DINGHY = Scenario(name="dinghy", rules=Rules(3, 3, (2,), touching=True))


def test_the_ecdf_has_exact_steps():
    result = _made("prob", DINGHY, [2, 3, 3, 5, 5, 5, 5, 9])
    axes = ecdf([result]).axes[0]
    (steps,) = axes.patches
    values, edges, baseline = steps.get_data()
    # At 1 shot no game is over; at 2, one of eight.
    assert edges.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert values.tolist() == [0, 12.5, 37.5, 37.5, 87.5, 87.5, 87.5, 87.5, 100]
    assert baseline is None
    guide, *marks = axes.get_lines()[:3]
    assert guide.get_ydata() == [50, 50]
    assert [mark.get_xdata()[0] for mark in marks] == [2, 9]
    assert _written(axes) == [f"prob {result.stats.median}"]


# Their lines are so far apart that names stand beside them.
APART = {"lattice2", "prob", "hunt-target", "linear", "random"}


@pytest.mark.parametrize("draw", [ecdf, efficiency])
def test_names_are_tied_to_points_of_their_own_lines(draw):
    results = [each for each in _ranked(_recorded("classic")) if each.label in APART]
    axes = draw(results).axes[0]
    assert axes.get_legend() is None
    labels = [each.label for each in results]
    names = [each for each in axes.texts if isinstance(each, Annotation) and each.get_text()]
    # Beside them stand heads and figures of columns.
    names = [name for name in names if name.get_text().split()[0] in labels]
    assert [name.get_text().split()[0] for name in names] == labels
    for name, result in zip(names, results, strict=True):
        games = np.cumsum(result.counts) if draw is ecdf else result.counts
        # Bars that are cut have their names where they leave the axes.
        most = 0.9 * axes.get_ylim()[1] if draw is efficiency else 100
        share = 100 * games[int(name.xy[0] + 1e-6)] / result.games
        assert name.xy[1] == pytest.approx(min(share, most))


def test_points_of_speed_are_those_of_the_records():
    results = [
        dataclasses.replace(each, play_seconds=1.0 + place) for place, each in enumerate(_three(50))
    ]
    axes = speed(results).axes[0]
    marked = [line for line in axes.get_lines() if line.get_label() != "_frontier"]
    points = [tuple(float(part[0]) for part in line.get_data()) for line in marked]
    # A row for each, the best on top.
    speeds = [speed for speed, row in sorted(points, key=lambda point: -point[1])]
    assert speeds == [each.games_per_second for each in _ranked(results)]
    assert axes.get_xscale() == "log"


def _many(number: int) -> list[Result]:
    """Return results of variants, whose means fall from the first to the last."""
    base = _made("over9000", bsbench.find_scenario("classic"), [40])
    found = []
    for place in range(number):
        counts = np.zeros(101, np.int64)
        counts[[40, 60, 90]] = 1 + place, 5, number - place
        label = f"over9000 noise={place}"
        tally = Tally.without_evidence(counts, None)
        found.append(dataclasses.replace(base, label=label, tally=tally, play_seconds=place + 1))
    return found


@pytest.mark.parametrize("draw", [ecdf, efficiency])
def test_of_many_results_the_best_have_a_row_each(draw):
    results = _many(40)
    axes = draw(results).axes[0]
    best = [label.get_text() for label in axes.get_yticklabels()]
    assert best == [each.label for each in results[:-21:-1]]
    assert names(_texts(axes), "20 of 40")


def _on(law: str, result: Result, label: str = "prob") -> Result:
    scenario = result.scenario.override(placement=law)
    return dataclasses.replace(result, scenario=scenario, strategy=label, label=label)


def _three(games: int) -> list[Result]:
    """Return results of three players with very different means."""
    chance = np.random.default_rng(3)
    moves = {"random": (5, 10), "linear": (4, 10), "smart": (2, 6)}
    return [_made(name, DINGHY, chance.integers(*ends, games)) for name, ends in moves.items()]


def test_a_ranking_has_the_best_on_top_with_its_interval():
    results = _three(50)
    axes = CHARTS["ranking"].draw(results).axes[0]
    ranked = sorted(results, key=lambda each: each.stats.mean)
    assert [label.get_text() for label in axes.get_yticklabels()] == [r.label for r in ranked]
    heights = axes.get_yticks().tolist()
    assert heights == sorted(heights, reverse=True)
    means, *_ = ([text.get_text() for text in axes.texts][n : n + 3] for n in (0, 4))
    assert means == [r.stats.mean_text for r in ranked]
    for bar, result in zip(axes.collections, ranked, strict=True):
        (segment,) = bar.get_segments()
        half = result.stats.half_width
        assert segment[:, 0] == pytest.approx(result.stats.mean + np.array([-half, half]))
    # Thin: 5 to 95 %, thick: the middle half.
    for place, result in enumerate(ranked):
        thin, thick = axes.patches[2 * place : 2 * place + 2]
        ordered = np.sort(result.moves)
        for bar, share in ((thin, 0.05), (thick, 0.25)):
            low = ordered[int(np.ceil(share * 50)) - 1]
            high = ordered[int(np.ceil((1 - share) * 50)) - 1]
            assert (bar.get_x(), bar.get_width()) == (low - 0.5, high - low + 1)
        assert thin.get_height() < thick.get_height()


def test_a_ranking_says_whether_differences_are_of_the_same_games_and_clear():
    played = Comparison(tuple(_three(400)), "random")
    kept = CHARTS["ranking"].function(played)
    best = played.results[2]
    # The reference was another one, but the best is what a ranking compares with.
    paired = Pair.of(played.results[1], best).difference.text
    assert paired in [text.get_text() for text in kept.axes[1].texts]
    assert "*" not in _note(kept.axes[0])
    bare = [dataclasses.replace(each, kept_moves=None) for each in played.results]
    unpaired = CHARTS["ranking"].function(bare)
    assert "*" in _note(unpaired.axes[0])
    assert any(text.get_text().startswith("* +") for text in unpaired.axes[1].texts)
    few = [_made(name, DINGHY, moves) for name, moves in (("a", [3, 4, 6]), ("b", [4, 3, 7]))]
    figure = CHARTS["ranking"].function(few)
    assert "≈" in _note(figure.axes[0])
    assert "≈" not in _note(kept.axes[0])
    assert all(names(figure.get_suptitle(), name) for name in "ab")


def test_ahead_shows_the_share_of_games_finished_less_the_references():
    base = _made("base", DINGHY, [4] * 50 + [6] * 50)
    early = _made("early", DINGHY, [3] * 50 + [8] * 50)
    figure = CHARTS["ahead"].draw([base, early])
    axes = figure.axes[0]
    (curve,) = (line for line in axes.get_lines() if line.get_label().startswith("early"))
    x, y = curve.get_data()
    assert x.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert y.tolist() == pytest.approx([0, 0, 50, 0, 0, -50, -50, 0, 0])
    assert _order(_title(axes), "early", "base", "50.0", "3", "base", "50.0", "6")
    assert [each.split()[0] for each in _written(axes)] == ["base", "early"]
    # The reference of a comparison is what the others are compared with.
    turned = CHARTS["ahead"].function(Comparison((base, early), "early")).axes[0]
    (curve,) = (line for line in turned.get_lines() if line.get_label().startswith("base"))
    assert curve.get_ydata().tolist() == pytest.approx([0, 0, -50, 0, 0, 50, 50, 0, 0])


def _order(text: str, *words: str) -> bool:
    """Return whether words stand in a text in this order."""
    found = iter(re.findall(r"[\w.]*\w", text))
    return all(word in found for word in words)


@pytest.mark.parametrize(
    ("moves", "told"),
    [
        # Never behind.
        ([3] * 50 + [5] * 50, ["quick", "base", "50.0"]),
        # Never ahead.
        ([5] * 50 + [9] * 50, ["base", "quick", "50.0"]),
        # In turn.
        ([3] * 25 + [5] * 50 + [7] * 25, ["quick", "base", "25.0", "3", "25.0", "4"]),
        # Nothing is clear.
        ([4] * 50 + [6] * 50, ["base"]),
        ([4] * 49 + [6] * 51, ["base"]),
    ],
)
def test_the_title_of_ahead_is_what_is_clear(moves, told):
    said = _said_of_ahead([4] * 50 + [6] * 50, moves)
    assert _order(said, *told)
    assert names(said, "quick") == ("quick" in told)


def _said_of_ahead(base: list[int], quick: list[int]) -> str:
    """Return the title where a player is compared with another, by 100 games of each."""
    shares = [np.cumsum(np.bincount(moves, minlength=10)) for moves in (base, quick)]
    lead = (shares[1] - shares[0])[1:].astype(float)
    chance = 100 * 1.96 * np.sqrt(2 * shares[0] / 100 * (1 - shares[0] / 100) / 100)[1:]
    return ahead._finding("base", {"quick": lead}, chance, np.arange(1, 10))


def test_exact_results_have_no_randomness():
    where = DINGHY.override(placement="each")
    results = bsbench.compare(["linear", "prob"], where, games=12).results
    assert all(result.exact for result in results)
    axes = CHARTS["ahead"].draw(results).axes[0]
    assert all(
        not path.vertices[:, 1].any() for band in axes.collections for path in band.get_paths()
    )
    said = _title(CHARTS["convergence"].draw(results).axes[0])
    assert "±" not in said


def test_a_record_without_sums_may_have_any_number_of_games():
    many = _made("many", DINGHY, [4, 6])
    tally = Tally.without_evidence(many.counts * 10**14, None, 0)
    many = dataclasses.replace(many, tally=tally, kept_moves=None, requested=tally.games)
    axes = CHARTS["convergence"].draw([many]).axes[0]
    assert names(_note(axes), "many")


def test_ahead_leaves_out_those_that_are_far_away():
    near = [_made(f"near-{n}", DINGHY, [4] * (50 + n) + [6] * (50 - n)) for n in range(5)]
    far = _made("far", DINGHY, [9] * 100)
    axes = CHARTS["ahead"].draw([*near, far]).axes[0]
    assert "far" not in _written(axes)
    assert names(_note(axes), "far")


def test_bars_far_taller_than_others_are_cut_and_say_how_tall_they_are():
    flat = [_made(f"flat-{n}", DINGHY, [2, 3, 4, 5, 6, 7, 8, 9]) for n in range(3)]
    tall = _made("tall", DINGHY, [2] + [9] * 9)
    assert names(_note(histogram([*flat, tall]).axes[0]), "tall to 90.0 %")
    assert "cut" not in _note(histogram(flat).axes[0])


def test_convergence_is_the_same_from_moves_and_from_blocks():
    moves = np.random.default_rng(1).integers(2, 10, 3 * BLOCK)
    kept = _made("prob", DINGHY, moves)
    bare = dataclasses.replace(kept, kept_moves=None)
    curves = []
    for result in (kept, bare):
        axes = CHARTS["convergence"].draw([result]).axes[0]
        (curve,) = (line for line in axes.get_lines() if line.get_label() == "prob")
        curves.append(dict(zip(*curve.get_data(), strict=True)))
        assert "dotted" not in _note(axes)
    assert list(curves[1]) == [BLOCK, 2 * BLOCK, 3 * BLOCK]
    for games, mean in curves[1].items():
        assert mean == pytest.approx(moves[: int(games)].mean())
    assert curves[0][3 * BLOCK] == pytest.approx(curves[1][3 * BLOCK])


def test_convergence_of_a_record_without_sums_shows_the_interval_that_games_give():
    result = dataclasses.replace(_made("prob", DINGHY, [3, 4, 5, 6] * 100), kept_moves=None)
    axes = CHARTS["convergence"].draw([result]).axes[0]
    low = next(line for line in axes.get_lines() if line.get_label() == "prob")
    x, y = low.get_data()
    stats = result.stats
    for games, bound in zip(x, y, strict=True):
        assert stats.mean - bound == pytest.approx(stats.half_width * (400 / games) ** 0.5)
    assert "dotted" in _note(axes)


def test_a_matrix_has_each_pair_twice_with_its_sign():
    played = Comparison(tuple(_three(400)), "random")
    axes = CHARTS["matrix"].function(played).axes[0]
    ranked = sorted(played.results, key=lambda each: each.stats.mean)
    assert [label.get_text() for label in axes.get_yticklabels()] == [r.label for r in ranked]
    cells = {text.get_position(): text.get_text() for text in axes.texts}
    assert len(cells) == 6
    for (col, row), text in cells.items():
        difference = Pair.of(ranked[row], ranked[col]).difference
        assert _number(text) == pytest.approx(difference.mean, abs=0.01)
        assert text.startswith("(") != difference.significant
        assert _number(cells[row, col]) == -_number(text)
    bare = [dataclasses.replace(each, kept_moves=None) for each in played.results]
    assert _note(CHARTS["matrix"].draw(bare).axes[0]) != _note(axes)


def _number(text: str) -> float:
    """Return the number that a cell shows, in brackets or not."""
    return float(text.strip("()").replace("\N{MINUS SIGN}", "-"))


def _counted(scenario, label, games, shot, numbers, spread=0.0) -> heat.Shots:
    """Return counted shots whose numbers have a standard deviation in each cell."""
    mean = numbers / np.maximum(shot, 1)
    return heat.Shots(
        scenario, label, 0, games, shot, numbers, (shot * (mean**2 + spread**2)).astype(np.int64)
    )


def test_noise_is_no_structure():
    chance = np.random.default_rng(3)
    shot = np.full(100, 9_500)
    numbers = (9_500 * (48.5 + 0.3 * chance.standard_normal(100))).astype(int)
    scenario = bsbench.find_scenario("classic")
    figure = shots(_counted(scenario, "random", 10_000, shot, numbers, spread=28))
    assert not _cells_in(figure.get_suptitle())
    for axes in figure.axes[:2]:
        (image,) = axes.get_images()
        low, high = image.get_clim()
        assert np.ptp(image.get_array()) <= 0.5 * (high - low)
    # With a digit, as else the same number would stand in several colours.
    assert all("." in text.get_text() for text in figure.axes[0].texts)


def _cells_in(text: str) -> list[str]:
    return re.findall(r"\b[A-J]\d+\b", text)


def test_titles_name_no_cell_that_is_the_extreme_one_by_chance():
    scenario = bsbench.find_scenario("harbour")

    def title(shares, games):
        return occupancy_chart._finding(heat.Occupancy(scenario, 0, games, np.array(shares)))

    # Eight cells have the greatest chance, and the centre the least.
    chance = np.full(100, 0.2)
    chance[[4, 5, 40, 49, 50, 59, 94, 95]], chance[[44, 45, 54, 55]] = 0.27, 0.15
    drawn = np.random.default_rng(1).binomial(1_000_000, chance)
    assert _cells_in(title(drawn, 1_000_000)) == ["A5", "E5"]
    shares = np.full(100, 20_000)
    assert _cells_in(title(shares, 100_000)) == []
    shares[[27, 35]] += 5_000
    shares[99] -= 5_000
    assert _order(title(shares, 100_000), "C8", "D6", "25.0", "J10", "15.0")
    shares[40:44] = 25_000
    assert _order(title(shares, 100_000), "C8", "25.0", "J10")
    # Always the first shot, and the second: no error is too small for that.
    numbers = np.append([1, 2], np.full(98, 50)) * 10_000
    shot = np.full(100, 10_000)
    counted = _counted(scenario, "linear", 10_000, shot, numbers)
    assert _order(shots_chart._finding(counted), "harbour", "linear", "A1")
    # Cells that are clearly shot at other times are not called equal, mirror images or not.
    numbers = np.full(100, 40.0)
    numbers[[0, 9, 90, 99]] = 50, 50, 51, 51
    counted = _counted(scenario, "linear", 10_000, shot, (numbers * shot).astype(int), spread=5)
    assert _order(shots_chart._finding(counted), "J1", "J10", "51")
    numbers[[0, 9]] = 51
    counted = _counted(scenario, "linear", 10_000, shot, (numbers * shot).astype(int), spread=5)
    assert _order(shots_chart._finding(counted), "A1", "mirror", "51")


def test_exploitability_has_a_row_for_each_strategy():
    moves = {"prob": {"uniform": 3, "avoid": 5, "file": 8}, "linear": {"uniform": 6, "avoid": 7}}
    laws = {"uniform": "uniform", "file": "file:worst.txt"}
    results = [
        _on(laws.get(law, f"avoid:{name}"), _made(name, DINGHY, [mean]), name)
        for name, row in moves.items()
        for law, mean in row.items()
    ]
    axes = exploitability(results).axes[0]
    # The best strategy stands above the others.
    assert [each.get_text() for each in axes.get_yticklabels()] == ["prob", "linear"]
    points = [tuple(map(tuple, line.get_data())) for line in axes.get_lines()[2:]]
    assert points == [((3, 6), (1, 0)), ((5, 7), (1, 0)), ((8,), (1,))]
    assert all(names(_note(axes), sign) for sign in ("circle", "diamond", "cross"))


def test_the_difference_is_that_of_the_games():
    first = _made("smart", DINGHY, [2, 3, 4, 5, 6, 7, 8, 9], seed=3)
    second = _made("prob", DINGHY, [4, 4, 4, 4, 4, 4, 4], seed=3)
    # The games that both have played.
    differences = [2, 1, 0, -1, -2, -3, -4]
    axes = difference(second, first).axes[0]
    below, at, above = (patch.get_data() for patch in axes.patches[:3])
    assert np.allclose(below.values, [100 / 7] * 4)
    assert below.edges.tolist() == [-4.5, -3.5, -2.5, -1.5, -0.5]
    assert (at.values.tolist(), at.edges.tolist()) == (pytest.approx([100 / 7]), [-0.5, 0.5])
    assert (above.values.tolist(), above.edges.tolist()) == (
        pytest.approx([100 / 7] * 2),
        [0.5, 1.5, 2.5],
    )
    texts = _texts(axes)
    shares = [
        (text.split()[0], re.findall(r"[\d.]+ %", text)) for text in map(Text.get_text, axes.texts)
    ]
    assert ("prob", ["57.1 %"]) in shares
    assert ("smart", ["28.6 %"]) in shares
    assert names(texts, "14.3 %")
    mean = np.mean(differences)
    half_width = 1.959964 * np.std(differences, ddof=1) / 7**0.5
    assert names(texts, f"\N{MINUS SIGN}{-mean:.1f} ± {half_width:.1f}")
    assert axes.get_lines()[-1].get_xdata()[0] == pytest.approx(mean)
    x = axes.patches[3].get_window_extent().transformed(axes.transData.inverted())
    assert (x.x0, x.x1) == pytest.approx((mean - half_width, mean + half_width), rel=1e-4)
    assert _order(_title(axes), "prob", "smart")
    slow, quick = _made("slow", DINGHY, [9, 8] * 20), _made("quick", DINGHY, [3, 4] * 20)
    for pair in ((slow, quick), (quick, slow)):
        assert _order(_title(difference(*pair).axes[0]), "quick", "slow")


def test_a_heat_map_of_a_scenario_shows_the_share_of_layouts():
    counted = heat.Occupancy(DINGHY, seed=5, games=8, ships=np.arange(9))
    axes = occupancy(counted).axes[0]
    (image,) = axes.get_images()
    assert np.allclose(image.get_array(), 12.5 * np.arange(9).reshape(3, 3))
    texts = [text.get_text() for text in axes.texts]
    assert texts[:9] == [f"{12.5 * count:.1f}" for count in range(9)]
    assert axes.texts[1].get_position() == (1, 0)
    told = " ".join(each.get_text() for each in axes.figure.texts)
    assert all(names(told, number) for number in ("8 layouts", "seed 5"))


def test_a_heat_map_of_a_strategy_shows_when_cells_are_shot():
    shot = np.array([0, 4, 8, 0, 8, 8, 8, 8, 8])
    numbers = np.arange(9) * shot
    figure = shots(dataclasses.replace(_counted(DINGHY, "prob", 8, shot, numbers), seed=5))
    first, second = figure.axes[:2]
    when = first.get_images()[0].get_array()
    # Where it never shoots, there is no mean.
    assert when.mask.ravel().tolist() == (shot == 0).tolist()
    assert when.compressed().tolist() == [1, 2, 4, 5, 6, 7, 8]
    assert np.allclose(second.get_images()[0].get_array().ravel(), 100 * shot / 8)
    assert [text.get_text() for text in first.texts] == ["", "1", "2", "", "4", "5", "6", "7", "8"]
    assert [text.get_text() for text in second.texts][:3] == ["0", "50", "100"]
    told = " ".join(text.get_text() for text in figure.texts)
    assert all(names(told, number) for number in ("8 games", "seed 5"))


def test_what_makes_no_chart_is_refused():
    first, second = (_made(name, DINGHY, [2, 3], seed=3) for name in ("smart", "prob"))
    elsewhere = _made("prob", POND, [8, 9], seed=3)
    later = dataclasses.replace(second, tally=Tally.of(2, np.array([2, 3], np.uint8), 9))
    learner = _learners(10, 5)

    def hidden(*laws: str) -> list[Result]:
        return [_on(law, second) for law in laws]

    for kind, results, *named in (
        ("histogram", [], "'histogram'"),
        ("shots", [first, second], "'shots'"),
        ("learning", [first], "smart"),
        ("learning", [learner, first], "pond", "dinghy"),
        ("ecdf", [first, elsewhere], "1 of dinghy", "1 of pond"),
        ("ecdf", [first, first], "smart (seed 3)", "2 times"),
        ("exploitability", hidden("uniform", "avoid:linear"), "prob", "linear"),
        ("exploitability", hidden("avoid:prob"), "prob", "uniform"),
        ("exploitability", hidden("uniform", "avoid:prob", "avoid:prob:2"), "2 times", "avoid"),
        ("exploitability", [first, elsewhere]),
        ("difference", [first, elsewhere], "dinghy", "pond"),
        ("difference", [first, dataclasses.replace(second, seed=4)], "smart", "prob"),
        ("difference", [first, later], "smart", "prob"),
        ("difference", [first, dataclasses.replace(second, kept_moves=None)], "keep_moves=True"),
    ):
        with refused(*named):
            CHARTS[kind].draw(results)


@st.composite
def _any_results(draw):
    """Results of one scenario, however odd."""
    drawn = draw(rules(max_side=12))
    scenario = Scenario(name=draw(st.text("aä $_x船", min_size=1)).strip() or "x", rules=drawn)
    moves = st.lists(st.integers(drawn.ship_cells, drawn.cells), min_size=1, max_size=30)
    labels = st.sampled_from(["prob", "random", "nobody", "over9000", "prob " + "x=1 " * 30])
    value = st.floats(0, 1)
    parts = st.lists(st.tuples(labels, value, moves), min_size=1, max_size=8)
    return [
        _made(
            f"{label} {setting_text('noise', noise)}",
            scenario,
            np.array(counts, np.uint8),
            seed=number,
            play_seconds=draw(st.floats(1e-6, 1e6)),
        )
        for number, (label, noise, counts) in enumerate(draw(parts))
    ]


@settings(max_examples=5)
@given(results=_any_results(), kind=st.sampled_from(["png", "svg"]))
def test_charts_of_any_results_are_drawn(results, kind):
    for draw in (ecdf, efficiency, speed):
        assert _file(draw(results), kind)
    assert _bytes(results[0], kind)
    other = dataclasses.replace(results[0], label="smart", strategy="smart")
    assert _file(difference(results[0], other), kind)


@settings(max_examples=5)
@given(rules=rules(max_side=16), seed=st.integers(0, 9), games=st.integers(1, 50))
def test_heat_maps_of_any_board_are_drawn(rules, seed, games):
    scenario = Scenario(name="any", rules=rules)
    assert _file(occupancy(heat.occupancy(scenario, games=games, seed=seed)), "png")
    assert _file(shots(heat.shots("random", scenario, games=games, seed=seed)), "png")


def test_convergence_of_many_has_the_best_alone():
    chance = np.random.default_rng(20)
    moves = [np.sort(chance.integers(2 + n % 5, 10, 60)) for n in range(20)]
    results = [_made(f"somebody-{n}", DINGHY, each) for n, each in enumerate(moves)]
    axes = CHARTS["convergence"].draw(results).axes[0]
    ranked = sorted(results, key=lambda each: each.stats.mean)
    best = {each.label for each in ranked[:6]}
    lines = {line.get_label() for line in axes.get_lines()}
    assert {label for label in lines if not label.startswith("_")} == best
    assert names(_note(axes), f"{len(best)} of 20")
