"""The best players: by the records, worked out again, and what the command shows."""

from __future__ import annotations

import math
import shlex
from functools import cache

import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.files import parse_json
from bsbench.reproduce.folder import load_report
from bsbench.roster import make_variant
from bsbench.rules.board import Feedback
from bsbench.rules.placement import Placement
from bsbench.runs import known
from bsbench.studies.best.sheet import mean_text
from tests.pages.champion import laws
from tests.support import ROOT
from tests.support.commands import parsed
from tests.support.refusals import assert_names, refused


@cache
def _champions():
    """Return the comparisons of the games that were played after all tuning, by place."""
    return {
        (each.scenario.name.partition("+")[0], str(each.scenario.rules.feedback)): each.comparison
        for folder in ("champions", "sea-battle")
        for each in load_report(ROOT / "results" / folder).sections
        if each.scenario.placement == Placement()
    }


def _run(*arguments: str):
    return CliRunner().invoke(main, ["best", *arguments], prog_name="bsbench")


def test_the_best_have_the_fewest_moves_in_the_records():
    found = {(each.scenario, each.feedback): each for each in bsbench.best().places}
    assert found.keys() == _champions().keys()
    for where, place in found.items():
        least = min(_champions()[where].results, key=lambda result: result.stats.mean)
        one = place.best
        assert (one.label, one.mean, one.half_width, one.seed, one.games, one.fresh) == (
            *(least.label, least.stats.mean, least.stats.half_width, least.seed, least.games),
            True,
        )
        assert one.games_per_second == pytest.approx(least.games_per_second / least.threads, 1e-3)
        assert place.runner_up.mean > one.mean
        others = [each.stats.mean for each in _champions()[where].results if each != least]
        assert place.runner_up.mean <= min(others)


def test_differences_are_paired_where_a_record_compares_the_two():
    paired = {}
    for place in bsbench.best().places:
        first, second, lead = place.best, place.runner_up, place.lead
        comparison = _champions()[place.scenario, place.feedback]
        differences = dict(
            zip([each.label for each in comparison.results], comparison.differences, strict=True)
        )
        reference = comparison.reference in (first.label, second.label)
        there = second.fresh and {first.label, second.label} <= differences.keys()
        assert lead.paired == (reference and there)
        paired[place.scenario, place.feedback] = lead.paired
        if lead.paired:
            other = first if second.label == comparison.reference else second
            known = differences[other.label]
            assert (lead.mean, lead.half_width) == (abs(known.mean), known.half_width)
        else:
            assert lead.mean == second.mean - first.mean
            assert lead.half_width == math.hypot(first.half_width, second.half_width)
    assert {*paired.values()} == {True, False}


def test_only_players_of_some_speed_count():
    for speed in (0, 1, 20_000, 300_000):
        found = bsbench.best(speed=speed)
        assert found.places
        for place in found.places:
            each = [place.best, *([place.runner_up] if place.runner_up else [])]
            assert all(player.games_per_second >= speed for player in each)
            if place.slower is not None:
                assert place.slower.games_per_second < speed
                assert place.slower.mean < place.best.mean
    assert not any(place.slower for place in bsbench.best(speed=0).places)


def test_with_rollouts_only_games_count_that_chose_nothing():
    path = ROOT / "results" / "rollouts-worth" / "classic-ship-lattice2-16000-all-2028.json"
    record = parse_json(path.read_bytes())
    (place,) = bsbench.best("classic", feedback="ship", speed=0).places
    assert (place.best.label, place.best.seed) == (record["strategy"], record["seed"])
    assert place.best.record.endswith(path.name)
    # The runner-up is its base: what rollouts are worth is the difference.
    assert place.runner_up.label == record["parameters"]["base"]
    assert place.lead.paired
    assert (place.lead.mean, place.lead.half_width) == tuple(record["worth"].values())
    assert place.runner_up.mean - place.best.mean == pytest.approx(place.lead.mean)


def test_a_record_holds_for_all_feedback_that_a_strategy_does_not_use():
    kinds = {
        each.strategy: known.kinds_of(each)
        for each in known.known_results()
        if (each.scenario, each.feedback) == ("classic", "ship")
    }
    assert kinds["prob"] == ["ship", "hit", "told", "length", "sunk"]
    assert kinds["datagenetics"] == ["ship", "sunk"]
    assert kinds["over9000"] == kinds["lattice2"] == ["ship"]
    (place,) = bsbench.best("classic", feedback="sunk", speed=300_000).places
    assert place.best.label == "datagenetics"


def test_the_commands_play_these_players_there():
    for place in bsbench.best(speed=0).places:
        words = shlex.split(place.command)
        given = parsed(words[1:]).params
        (variant,) = given["variants"]
        assert make_variant(variant).label == place.best.label
        (scenario,) = given["scenarios"]
        # Exactly the games that it shows.
        assert (given["games"], given["seeds"]) == (place.best.games, (place.best.seed,))
        told = given["feedback"] or bsbench.find_scenario(scenario).rules.feedback
        assert (scenario, Feedback.parse(told)) == (place.scenario, place.feedback)


def test_it_is_shown_with_the_games_that_it_rests_on():
    found = bsbench.best()
    shown = _run().stdout
    for place in found.places:
        assert place.command in shown
        for player in (place.best, place.runner_up):
            mean = mean_text(player).partition(" ")[0]
            assert_names(shown, mean, f"{player.games:,}", str(player.seed))
        if place.slower:
            assert_names(shown, f"{place.slower.mean:.3f}")
    table = found.to_frame()
    assert table["mean"].tolist() == [place.best.mean for place in found.places]
    assert table["command"].tolist() == [place.command for place in found.places]
    assert repr(found).startswith("<Best")


def _by_law():
    """Return the sections of records under several laws, on classic and on sea-battle."""
    sea = load_report(ROOT / "results" / "sea-battle").sections
    return [*laws(), *(each for each in sea if each.scenario.placement != Placement())]


@pytest.mark.parametrize("section", _by_law(), ids=lambda section: section.scenario.name)
def test_a_placement_law_has_its_own_champion(section):
    comparison, law = section.comparison, str(section.scenario.placement)
    where, told = section.scenario.name.partition("+")[0], section.scenario.rules.feedback
    if law == known.UNIFORM:
        # Longer records say who is best there.
        assert comparison.reference == bsbench.best("classic", feedback="ship").places[0].best.label
        return
    (place,) = bsbench.best(where, speed=0, placement=law).places
    assert place.feedback == str(told)
    first, second, *_ = sorted(comparison.results, key=lambda result: result.stats.mean)
    assert (place.best.label, place.runner_up.label) == (first.label, second.label)
    assert (place.best.mean, place.best.games) == (first.stats.mean, first.games)
    assert comparison.reference == first.label
    assert place.lead.paired
    words = shlex.split(place.command)
    assert words[words.index("--placement") + 1] == law
    shown = _run(where, "--feedback", str(told), "--placement", law).stdout
    assert_names(shown, law, first.label)
    # Who learns says so, since nobody else has games in a row.
    learns = [each.label for each in (first, second) if each.learning]
    assert ("learns" in shown) == bool(learns)
    assert all(f"{label}, which learns" in " ".join(shown.split()) for label in learns)


def test_what_the_page_says_of_laws():
    means = {
        section.name: {result.label: result.stats.mean for result in section.results}
        for section in laws()
    }
    assert means["border"]["hunt-line"] < means["border"]["lattice2"]
    assert {result.games for section in laws() for result in section.results} == {100_000}


def test_champions_are_said_to_be_those_of_uniform_layouts():
    (line,) = (each for each in _run().stdout.splitlines() if "champions of uniform" in each)
    assert_names(line, "--placement", "border", "edge:3")


@pytest.mark.parametrize("scenario", ["classic", "harbour", "sea-battle"])
def test_only_laws_of_the_scenario_are_named(scenario):
    named = {
        str(each.scenario.placement)
        for each in _by_law()
        if each.scenario.name.partition("+")[0] == scenario
    } - {"uniform"}
    (line,) = (each for each in _run(scenario).stdout.splitlines() if "champions of" in each)
    for law in {str(each.scenario.placement) for each in _by_law()} - {"uniform"}:
        assert (law in line) == (law in named)
    if named:
        with refused(*named, "edge:0.5"):
            bsbench.best(scenario, placement="edge:0.5")


def test_feedback_without_records_is_refused():
    with refused("sea-battle", "feedback told", "hit", "sunk", "ship"):
        bsbench.best("sea-battle", feedback="told")


def test_a_law_without_records_is_refused():
    with refused("direction-first", "border", "--placement direction-first"):
        bsbench.best(placement="direction-first")
    with refused("sea-battle", "hit", "sequential:longest"):
        bsbench.best("sea-battle", feedback="hit", placement="sequential")
    with refused("harbour", "classic", "--placement border"):
        bsbench.best("harbour", placement="border")


def test_without_records_there_is_no_answer(tmp_path, monkeypatch):
    for each in (known.known_results, known.known_rollouts):
        each.cache_clear()
    monkeypatch.setattr(known, "results_folder", lambda: tmp_path)
    try:
        with refused("results"):
            bsbench.best()
        prob, classic = bsbench.make_strategy("prob"), bsbench.find_scenario("classic")
        assert known.known_speed(prob, classic, 10) is None
    finally:
        for each in (known.known_results, known.known_rollouts):
            each.cache_clear()
