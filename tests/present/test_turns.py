"""Where moves are turns of several shots, whatever shows move counts says turns, and has shots."""

from __future__ import annotations

import dataclasses
import json
import re
from html import unescape

import numpy as np
import pytest
from matplotlib.text import Text

import bsbench
from bsbench.play.lockstep import moves_dtype
from bsbench.present.charts import find_chart
from bsbench.present.charts._rows import Ranking
from bsbench.present.citing import methods
from bsbench.present.page.again import play_again
from bsbench.present.page.html import page_text
from bsbench.present.page.scenes import scenes_of
from bsbench.present.report import ReportPage, ReportSection
from bsbench.present.showing import text_of
from bsbench.present.tables import experiment_table, played_text, spark_column, spark_line
from bsbench.present.verdicts import verdict
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result, counted
from bsbench.runs.tally import Tally
from tests.support.refusals import refused

PLACE = Scenario("6x6", fleet=[3, 2], touching=True, feedback="ship", name="pond")
# Its name says nothing of shots: sentences must.
SALVOS = dataclasses.replace(PLACE.override(shots=4, answers="joint"), name="basin")
TURN_TEXT = "4 shots a turn, joint answers"
GAMES = 300
KINDS = (
    "ahead",
    "convergence",
    "difference",
    "ecdf",
    "efficiency",
    "exploitability",
    "histogram",
    "matrix",
    "ranking",
    "speed",
)
"""Kinds of charts that have move counts, of those that need no learner and no sweep."""


def _played(scenario: Scenario) -> Comparison:
    return bsbench.compare(["random", "linear"], scenario, games=GAMES, keep_moves=True)


@pytest.fixture(scope="module")
def salvos() -> Comparison:
    """Return a comparison in which moves are turns."""
    return _played(SALVOS)


@pytest.fixture(scope="module")
def single() -> Comparison:
    """Return the same with single shots."""
    return _played(PLACE)


def _panels(found) -> list[Comparison]:
    return [*found.comparisons, *found.pooled]


def _counting(result: Result, label: str, turns) -> Result:
    """Return a result with other numbers of turns, of a shot each."""
    turns = np.asarray(turns).astype(moves_dtype(result.scenario.rules))
    tally = Tally.empty(0, result.scenario.rules.cells).and_then(turns, 1, turns)
    return dataclasses.replace(
        result, label=label, tally=tally, kept_moves=turns, requested=len(turns), against=None
    )


def _words(figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def _says(text: str, *words: str) -> bool:
    return re.search(rf"\b({'|'.join(words)})\b", text, re.IGNORECASE) is not None


def test_results_that_count_alike_have_one_word(salvos, single):
    both = [*salvos.results, *single.results]
    assert counted(salvos.results) == "turns"
    assert counted(salvos.results, "shot") == counted(salvos.results, "move") == "turn"
    for results in (single.results, both, []):
        assert counted(results) == "moves"
        assert counted(results, "shot") == "shot"


def test_tables_have_shots_beside_turns(salvos, single):
    table = experiment_table([salvos])
    names = list(table.columns)
    assert names[names.index("mean ± 95 %") + 1] == "shots"
    means = [f"{each.shots.mean:.2f}" for each in salvos.results]
    assert table.texts["shots"] == means
    assert not _says("\n".join(table.notes), "moves?")
    assert "feedback ship, 4 shots a turn, joint answers, uniform" in played_text(
        salvos.results, in_full=True
    )
    plain = experiment_table([single])
    assert "shots" not in plain.columns
    assert not _says("\n".join(plain.notes), "shots?", "turns?")
    # Rows of both are called moves; those of single shots have no shots of their own.
    mixed = experiment_table([single, salvos])
    assert mixed.texts["shots"] == ["", "", *means]
    assert any("mean moves minus" in note for note in mixed.notes)
    assert not any("mean turns minus" in note for note in mixed.notes)


def test_seeds_together_have_their_shots():
    first, second, together = (
        panel.results[0].shots
        for panel in _panels(bsbench.run(["random", "linear"], SALVOS, games=50, seed=[3, 4]))
    )
    assert together.games == 100
    assert together.mean == (first.mean + second.mean) / 2


def test_whatever_is_said_says_turns(salvos, single):
    first, second = salvos.results
    close = _counting(first, "close", np.roll(first.moves, 1))
    clear = bsbench.compare(["random", "linear"], SALVOS, games=GAMES, until="clear")
    match = bsbench.match(["random", "linear"], SALVOS, games=GAMES)
    said = [text_of(each) for each in (salvos, first, clear, match)]
    assert all("shots" in text for text in said)
    assert all(TURN_TEXT in text for text in said[:2])
    for results in ((first,), (first, second), (first, close)):
        comparison = Comparison(tuple(results), first.label)
        said += [verdict(comparison), Ranking(comparison, 2).title]
    for text in said:
        assert not _says(text, "moves?")
        assert _says(text, "turns") or text.startswith("No clear difference")
    assert spark_line(first, 20).endswith(" 9 turns")
    assert spark_line(single.results[0], 20).endswith(" 36 moves")
    slow = _counting(first, "slow", [5, 30])
    assert list(spark_column([slow], 20)) == ["5".ljust(7) + "turns".ljust(11) + "30"]


@pytest.mark.parametrize("kind", KINDS)
def test_charts_say_turns(salvos, kind):
    words = _words(find_chart(kind).draw(list(salvos.results)))
    if kind == "histogram":
        alone = find_chart(kind).draw(salvos.results[:1])
        assert "turns on average" in alone.get_suptitle()
        assert not _says(" ".join(_words(alone)), "moves?")
    prose = " ".join(" ".join(words).split()).replace(TURN_TEXT, "*")
    assert prose.count("*") == 1
    assert _says(prose, "turns?")
    assert not _says(prose, "moves?", "shots?")


@pytest.mark.parametrize("kind", ["ecdf", "histogram"])
def test_axes_of_turns_end_with_the_board(salvos, kind):
    results = list(salvos.results)
    # Five cells of ships take two turns, and 36 cells nine.
    axes = find_chart(kind).draw(results).axes[0]
    low, high = axes.get_xlim()
    assert 0 <= low < 2
    assert 9 < high <= 10.5
    # Who fires one shot of each turn needs more turns than that.
    turns = np.arange(GAMES) % 20 + 5
    slow = [_counting(each, each.label, turns + place) for place, each in enumerate(results)]
    low, high = find_chart(kind).draw(slow).axes[0].get_xlim()
    assert turns.max() + len(slow) - 1 < high < 28


def test_a_paper_says_how_a_turn_goes(salvos, single):
    text = methods(salvos.results[0])
    assert "The mean number of turns is" in text
    assert salvos.results[0].shots.mean_text in text
    # A joint answer says nothing of a single shot.
    assert SALVOS.rules.feedback.sentence not in text
    assert not _says(methods(single.results[0]), "turns?")
    each = bsbench.run("random", PLACE.override(shots=2), games=10)
    assert SALVOS.rules.feedback.sentence in methods(each)


def test_the_page_knows_what_is_counted(salvos, single):
    for comparison in (salvos, single):
        (scene,) = scenes_of([ReportSection("", "", "", comparison)])
        page = page_text(ReportPage("t", "", ()), [play_again(scene, GAMES, games=False)])
        data = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1]
        (known,) = json.loads(unescape(data))["scenes"]
        plain = page.partition("</head>")[2].partition("<details")[0]
        assert _says(plain, "moves?") == (comparison is single)
        words = known["moves"], known["shot"]
        assert words == (("turns", "turn") if comparison is salvos else ("moves", "shot"))


def test_results_that_count_other_turns_do_not_compare(salvos, single):
    other = bsbench.run("linear", PLACE.override(shots=2), games=GAMES)
    for result in (single.results[1], other):
        with refused("shots of a turn", "basin"):
            bsbench.compare([salvos.results[0], result])


def test_other_answers_are_marked(salvos):
    each = bsbench.run("linear", PLACE.override(shots=4), games=GAMES)
    table = experiment_table([bsbench.compare([salvos.results[0], each])])
    assert "not all were given the same answers: joint for random; each for linear" in table.notes
    alike = experiment_table([salvos])
    assert not any("not all were given" in note for note in alike.notes)
