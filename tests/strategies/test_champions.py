"""What `lattice2` finds, weighs and believes, and what the documents say of it."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from bsbench.kernels.density import no_evidence
from bsbench.kernels.numbers import lane_of_words
from bsbench.kernels.runs import learn_runs
from bsbench.rules.board import HIT, MISS, Feedback, Rules
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
    found = re.findall(r"\| ([\d,]+) \| ([−+]\S+ ± \S+) \|", pages.read_page("lattice2"))
    assert len(found) >= 10
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
