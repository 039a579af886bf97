"""Verdicts: what a comparison found, in words, never more than its intervals allow."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

from bsbench.present.charts import CHARTS
from bsbench.present.charts._rows import Ranking
from bsbench.present.verdicts import best_first, games_needed, standing, verdict
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparing import compare
from bsbench.runs.comparison import Comparison, Pair
from bsbench.runs.tally import Tally
from bsbench.stats import Difference
from tests.support.refusals import assert_names, refused

TINY = Scenario(name="tiny", rules=Rules(2, 3, (2,), touching=True))


@pytest.fixture(scope="module")
def clear() -> Comparison:
    return compare(["random", "prob", "linear"], "classic", games=300, reference="random")


def _amounts(text: str) -> list[str]:
    return re.findall(r"\d+\.\d+", text)


def test_the_best_comes_first_whatever_the_reference(clear):
    texts = {
        verdict(compare(names, "classic", games=300, reference=reference))
        for names, reference in (
            (["random", "prob", "linear"], "random"),
            (["prob", "random", "linear"], "linear"),
            (["linear", "random", "prob"], "prob"),
        )
    }
    assert texts == {verdict(clear)}
    ranked = best_first(clear)
    assert ranked.reference == ranked.results[0].label == "prob"
    means = [result.stats.mean for result in ranked.results]
    assert means == sorted(means)
    # Paired as those of a comparison that was made with this reference.
    moves = {r.label: r.moves.astype(int) for r in clear.results}
    for result, difference in zip(ranked.results, ranked.differences, strict=True):
        assert difference.mean == pytest.approx((moves[result.label] - moves["prob"]).mean())
    assert all(ranked.paired)


def test_figures_are_those_of_the_table(clear):
    ranked = best_first(clear)
    gap = ranked.differences[1]
    named = ["prob", "classic", "linear", "300", gap.text.removeprefix("+")]
    assert_names(verdict(clear), ranked.results[0].stats.mean_text, *named)
    mean, more = _amounts(Ranking(clear, 3).title)
    assert mean == f"{ranked.results[0].stats.mean:.1f}"
    assert more == f"{gap.mean:.1f}"


def test_stored_pairs_serve_for_the_best_too(clear):
    pairs = {r.label: pair for r, pair in zip(clear.results, clear.pairs, strict=True)}
    bare = tuple(dataclasses.replace(result, kept_moves=None) for result in clear.results)
    stored = dataclasses.replace(clear, results=bare, stored=pairs)
    ranked = best_first(stored)
    labels = [result.label for result in ranked.results]
    assert dict(zip(labels, ranked.paired, strict=True)) == {
        "prob": True,
        "random": True,
        "linear": False,
    }
    at = labels.index("random")
    assert ranked.differences[at].mean == pytest.approx(-clear.differences[1].mean)
    assert "unpaired" not in verdict(clear)


def test_what_is_not_clear_is_not_claimed():
    both = compare(["lattice", "datagenetics"], "classic", games=50)
    assert not best_first(both).differences[1].significant
    assert "fewest" not in verdict(both) + Ranking(both, 3).title

    some = compare(["lattice", "datagenetics", "random"], "classic", games=50)
    assert standing(some).rivals == (1,)
    assert standing(some).behind == (2,)
    assert_names(verdict(some), "random")


def test_the_smallest_mean_may_come_from_other_games():
    # In its 100 games, the first needs more moves than the second; later ones are longer.
    few, many = compare(["linear", "prob"], TINY, games=100).results
    played = [(few, np.tile([3, 4], 50)), (many, np.r_[np.tile([2, 3], 50), np.full(900, 6)])]
    results = tuple(
        dataclasses.replace(
            result,
            requested=len(moves),
            kept_moves=moves,
            tally=Tally.of(0, moves.astype(np.uint8), TINY.rules.cells),
        )
        for result, moves in played
    )
    both = Comparison(results, few.label)
    gap = Pair.of(*results).difference.text.removeprefix("+")
    assert gap.startswith("1.0")
    mean = results[0].stats.mean_text
    assert_names(verdict(both), "linear", "tiny", mean, gap, "prob", "100")
    title = CHARTS["matrix"].function(both).get_suptitle()
    for text in (verdict(both), Ranking(both, 3).title, title):
        assert "fewer" not in text


def test_a_record_can_not_claim_any_difference():
    results = compare(["linear", "prob"], TINY, games=100).results
    linear, prob = (dataclasses.replace(result, kept_moves=None) for result in results)
    pair = Pair.of(*results).against(prob)
    shown = verdict(Comparison((dataclasses.replace(linear, against=pair), prob), "prob"))
    assert shown.endswith("over 100 paired games.")
    for forged in ({"half_width": 1e-9}, {"mean": 0.0, "least": 0, "counts": [100]}):
        stranger = dataclasses.replace(linear, against={**pair, **forged})
        with refused():
            verdict(Comparison((stranger, prob), "prob"))


def test_a_single_game_decides_nothing():
    text = verdict(compare(["linear", "prob"], "classic", games=1))
    assert_names(text, "interval")
    assert "fewer" not in text


def test_exact_comparisons_have_no_interval():
    exact = compare(["linear", "prob"], TINY.override(placement="each"), games=7)
    assert exact.exact
    assert verdict(exact).endswith("over all 7 layouts.")
    assert "±" not in Ranking(exact, 3).title


def test_games_needed_show_the_difference_in_four_of_five_cases():
    rng = np.random.default_rng(1)
    games, mean, sd = 400, 0.1, 1.0
    needed = int(games_needed(Difference(mean, 1.96 * sd / games**0.5), games).replace(",", ""))
    means = mean + sd / needed**0.5 * rng.standard_normal(20_000)
    shown = (abs(means) > 1.96 * sd / needed**0.5).mean()
    assert shown == pytest.approx(0.8, abs=0.02)


def test_who_has_not_played_is_named_where_the_best_is():
    played = compare(["random", "linear", "prob"], "classic", games=200)
    interrupted = dataclasses.replace(played, missing=("mcts", "posterior"))
    assert_names(verdict(interrupted), "mcts", "posterior", "not played")
    assert "not played" not in verdict(played)
    for text in (verdict(interrupted), verdict(played)):
        assert "asked for" not in text
