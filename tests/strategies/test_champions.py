"""What `lattice2` finds, weighs and believes, and what the documents say of it."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from bsbench.counting.evidence import Answer, Evidence
from bsbench.counting.posterior import find_posterior
from bsbench.kernels.beliefs import no_beliefs, update_beliefs
from bsbench.kernels.density import (
    count_afloat,
    learn,
    no_evidence,
    scales,
    set_factors,
    weigh_slots,
)
from bsbench.kernels.halos import forget_owners, halos_of, no_owners, note_owners, weigh_halos
from bsbench.kernels.numbers import lane_of_words
from bsbench.kernels.pattern import find_multipliers, pattern_of
from bsbench.kernels.runs import learn_runs
from bsbench.rules.board import HIT, MISS, SUNK, Feedback, Rules
from bsbench.stats import interval_text
from bsbench.studies.best.sheet import mean_text
from tests import pages
from tests.docs.test_blocks import COMMANDS
from tests.pages.champion import (
    REPORTED,
    champions,
    fast_players,
    fresh_players,
    lowest,
    slow_players,
)
from tests.pages.lower_bound import bound_of
from tests.pages.winners_curse import tuning
from tests.support import ROOT
from tests.support.refusals import names


def _shot(rules: Rules, answers: dict[int, int]):
    """Return the evidence after some shots in the first of 64 lanes, told hit or miss."""
    evidence = no_evidence(rules, 64, True, True)
    open_hits = np.zeros(64, np.int64)
    for cell, outcome in answers.items():
        cells, outcomes = np.full(64, -1), np.zeros(64, np.uint8)
        cells[0], outcomes[0] = cell, outcome
        learn_runs(cells, outcomes, evidence, open_hits)
    return evidence, open_hits


@pytest.mark.parametrize(
    ("fleet", "found"),
    [
        # A run of 2 with room for 4 is the ship of 2, unless one of 3 or 4 is afloat.
        ((5, 2, 1), True),
        ((4, 2, 1), False),
        ((3, 2, 1), False),
        ((2, 2, 1), True),
    ],
)
def test_a_run_is_a_ship_when_no_longer_one_has_room(fleet, found):
    rules = Rules(6, 6, fleet, touching=False)
    # The third row: water at both ends, and two hits between.
    answers = {12: MISS, 17: MISS, 14: HIT, 15: HIT}
    evidence, open_hits = _shot(rules, answers)
    assert open_hits[0] == (0 if found else 2)
    assert evidence.afloat[1, 0, 0] == fleet.count(2) - found
    dry = lane_of_words(evidence.dry[:1], 0).reshape(6, 6)
    assert dry[1:4, 1:5].any() == (not found)


# Kernels that strategies inline are compiled for these tests alone, for 25 seconds: so they are
# slow. The test with the twin of `lattice2` has the same kernels.


def _weighed(rules: Rules, strength: float, weigh: bool):
    evidence, _ = _shot(rules, {8: MISS, 14: HIT, 21: MISS})
    room = scales(rules, True, 1 << 63)
    count_afloat(evidence, 0, room)
    set_factors(evidence, 0, room, 5)
    if weigh:
        weigh_slots(evidence, 0, room)
    else:
        weigh_halos(evidence, 0, room, halos_of(rules, strength), None)
    return room.score[:, 0].copy()


@pytest.mark.slow
def test_halos_without_strength_are_plain_density():
    rules = Rules(7, 6, (4, 3, 3, 2, 1), touching=False)
    plain = _weighed(rules, 0.0, weigh=True)
    assert plain.max() > 0
    np.testing.assert_allclose(_weighed(rules, 0.0, weigh=False), plain, rtol=1e-12)
    changed = _weighed(rules, 1.0, weigh=False)
    # The sum over all slots, and so over all cells, is that of each length.
    assert changed.sum() == pytest.approx(plain.sum())
    assert not np.allclose(changed, plain)


def _scores(evidence, owners) -> np.ndarray:
    rules = Rules(evidence.rows, evidence.cols, tuple(evidence.fleet.tolist()), touching=False)
    room = scales(rules, True, 1 << 63)
    count_afloat(evidence, 0, room)
    set_factors(evidence, 0, room, 5)
    weigh_halos(evidence, 0, room, halos_of(rules, 1.0), owners)
    return room.score[:, 0].copy()


@pytest.mark.slow
def test_a_ship_that_is_named_lies_on_its_hits():
    rules = Rules(7, 7, (4, 3, 2), touching=False, feedback=Feedback.SHIP)
    evidence, owners = no_evidence(rules, 64, True, True), no_owners(rules, 64)
    cell, ship, slot = np.full((3, 64), -1)
    outcome = np.zeros(64, np.uint8)

    def shoot(at: int, does: int, sunk: int = -1) -> None:
        cell[0], outcome[0], ship[0], slot[0] = at, does, 2, sunk
        learn(cell, outcome, ship, slot, evidence)
        note_owners(cell, outcome, ship, slot, evidence, owners)

    shoot(24, HIT)
    beside, two_away = [17, 23, 25, 31], [10, 22, 26, 38]
    told, only_sinkings = (_scores(evidence, known) for known in (owners, None))
    # Only the ship of 2 can lie beside the hit; two cells away, only the others can.
    np.testing.assert_allclose(told[beside], told[beside].max())
    assert (told[two_away] < only_sinkings[two_away]).all()
    # All four slots of the ship of 2 hold the hit, which counts 5 times.
    assert told[beside].sum() == pytest.approx(4 * 5)
    shoot(25, SUNK, 2 * 24)
    assert not owners.hits.any()
    np.testing.assert_array_equal(_scores(evidence, owners), _scores(evidence, None))
    forget_owners(np.arange(1), owners)
    assert (owners.unhit == ~np.uint64(0)).all()


def _believed(rules: Rules, answers: dict[int, int], rounds: int):
    evidence = no_evidence(rules, 64, True, False)
    for cell, outcome in answers.items():
        evidence.unshot[0, cell] = 0
        if outcome == MISS:
            evidence.dry[0, cell] = 0
        else:
            evidence.struck[0, cell] = ~np.uint64(0)
    pattern = pattern_of(rules, [{}] * 4)
    find_multipliers(evidence.dry[0], 0, 0, 0, rules.rows, rules.cols, pattern)
    ones = [1.0] * max(rules.fleet)
    beliefs = no_beliefs(rules, 64, ones, ones, 0.5)
    update_beliefs(evidence, 0, rounds, pattern, beliefs)
    return beliefs.score[0, :, 0]


def _exact(rules: Rules, answers: dict[int, int]):
    given = [Answer(cell, outcome) for cell, outcome in answers.items()]
    return find_posterior(Evidence(rules, given)).probabilities


@pytest.mark.slow
def test_beliefs_in_one_ship_are_exact():
    rules = Rules(5, 5, (3,), touching=True)
    for answers in ({}, {7: MISS}, {7: MISS, 12: HIT}):
        exact = _exact(rules, answers)
        # With a hit, odds grow to their limit round by round.
        np.testing.assert_allclose(_believed(rules, answers, 40), exact, atol=1e-3)


@pytest.mark.slow
def test_beliefs_are_close_to_exact_probabilities():
    rules = Rules(8, 8, (4, 3, 2), touching=True)
    answers = {0: MISS, 9: MISS, 27: HIT, 30: MISS, 44: MISS, 51: MISS, 53: MISS, 36: MISS}
    exact, believed = _exact(rules, answers), _believed(rules, answers, 60)
    open_cells = np.setdiff1d(np.arange(64), list(answers))
    assert exact[open_cells].max() > 0.3
    assert np.abs(believed - exact)[open_cells].max() < 0.05
    assert np.abs(believed - exact)[open_cells].mean() < 0.01


def test_what_is_said_of_the_best_players():
    sections = {section.scenario.name: section for section in champions()}
    told = {section.scenario.rules.feedback for section in sections.values()}
    assert told == {Feedback.HIT, Feedback.SUNK, Feedback.SHIP}
    for name, section in sections.items():
        assert {(result.seed, result.partial) for result in section.results} == {(2027, False)}
        assert {result.games for result in section.results} == {1_000_000}
        found = dict(zip(section.results, section.comparison.differences, strict=True))
        (second,) = (result for result in found if result.label == "lattice2")
        difference = found[second]
        # Told what sank, it is hardly better than `lattice` where ships may touch.
        level = name == "classic+sunk"
        assert difference.mean + (-1 if level else 1) * difference.half_width < 0


def test_the_page_names_the_best_players_by_their_means():
    page = pages.read_page("champion")
    for feedback in REPORTED:
        best = lowest("classic", feedback, fast_players())
        assert names(page, best.label.split()[0])
        assert f" {best.mean:.2f}" in page
    for each in fresh_players():
        assert f"- {mean_text(each)} " in page


def test_the_page_on_the_bound_names_it_and_the_best_player():
    best = lowest("classic", Feedback.SHIP, fast_players())
    text, bound = pages.read_page("lower-bound"), float(bound_of("classic", Feedback.SHIP))
    assert f" {np.floor(100 * bound) / 100:.2f} " in text
    assert f" {best.mean:.2f}." in text


def test_what_was_tried_is_as_in_its_log():
    log = pd.read_csv(ROOT / "results" / "tried" / "lattice2.csv")
    assert len(log) == 53
    measured = set(zip(log["games"].astype(str), log["difference ± standard error"], strict=True))
    found = re.findall(r"\| ([\d,]+) \| ([−+]\S+ ± \S+) \|", pages.read_page("tried"))
    assert len(found) > 10
    for games, difference in found:
        assert any(games == each and difference in str(text) for each, text in measured), difference


def test_players_with_rollouts_are_judged_by_games_that_chose_nothing():
    fresh = fresh_players()
    assert sorted((each.scenario, str(each.feedback)) for each in fresh) == [
        ("classic", "ship"),
        ("classic", "sunk"),
        ("gym-10x10", "sunk"),
    ]
    for each in fresh:
        assert each.seed == 2028
        # What the page on rollouts says that they save.
        assert each.gap is not None
        assert 0.2 < -each.gap.mean < 0.305
        before = [
            other.seed
            for other in slow_players()
            if (other.label, other.scenario, other.feedback)
            == (each.label, each.scenario, each.feedback)
            and other != each
        ]
        assert before == [2027]


def test_what_is_said_of_the_search_on_gym():
    text, record = pages.read_page("winners-curse"), tuning("lattice2-gym-10x10")
    (words,) = (words for _, words in COMMANDS if "results/tuning/lattice2-gym-10x10" in words)
    assert record["vary"] == [words[at + 1] for at, word in enumerate(words) if word == "--vary"]
    assert record["budget"]["games"] == float(words[words.index("--games") + 1])
    assert record["seed"] == int(words[words.index("--seed") + 1])
    final = record["final"]
    gained = interval_text(-final["difference"]["mean"], final["difference"]["half_width"])
    assert all(names(text, told) for told in (f"{final['games']:,}", gained))
