"""Lower bounds on the mean number of moves: no strategy beats them."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.counting import bounds
from bsbench.counting.bounds import find_bound
from bsbench.counting.searches import Searches
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import find_scenario, scenario_from_dict
from tests.docs.test_guide import assert_shown
from tests.pages import lower_bound
from tests.support import ROOT
from tests.support.naive import bounds as naive
from tests.support.naive.layouts import all_layouts
from tests.support.refusals import refused

RECORDS = ROOT / "results" / "lower-bound"
PAGE = (ROOT / "docs" / "lower-bound.md").read_text(encoding="utf-8")

TINY = [
    (1, 5, (2,), True),
    (1, 7, (3, 2), True),
    (1, 8, (3, 2), False),
    (2, 4, (2, 2), True),
    (2, 4, (2, 2), False),
    (3, 3, (1,), True),
    (3, 3, (2,), True),
    (3, 3, (3,), True),
    (3, 3, (2, 1), True),
    (3, 3, (2, 1), False),
    (3, 3, (2, 1), "corners"),
    (3, 3, (2, 2), "corners"),
    (3, 3, (3, 2), True),
    (3, 3, (3, 2), False),
    (3, 3, (3, 3), True),
    (3, 3, (3, 2, 1), True),
    (3, 4, (3, 2), True),
    (3, 4, (3, 2), False),
    (3, 4, (3, 2), "corners"),
    (3, 4, (2, 2), False),
    (4, 4, (3,), True),
    (4, 4, (4,), True),
    (4, 4, (4, 2), False),
    (4, 4, (3, 3), False),
    (5, 5, (5,), True),
]


def _tiny(boards):
    """Return boards as parameters of a test; perfect play takes long on all but the smallest."""
    return [
        pytest.param(each, marks=pytest.mark.slow if each[0] * each[1] > 9 else ())
        for each in boards
    ]


@pytest.mark.parametrize("tiny", _tiny(TINY), ids=str)
def test_no_shooter_beats_the_bound(tiny):
    rules = Rules(*tiny, Feedback.SHIP)
    bound = find_bound(rules)
    misses, finished = naive.perfect_play(rules)
    assert 0 <= bound.misses <= Fraction(misses, bound.layouts)
    assert bound.moves == rules.ship_cells + bound.misses
    # Not only the mean: for each number of misses, nobody finishes more layouts.
    assert (np.array(bound.finished) >= finished).all()


@pytest.mark.ci
@pytest.mark.parametrize("tiny", _tiny(each for each in TINY if each[3] is not True), ids=str)
def test_no_shooter_who_learns_of_hits_and_misses_alone_beats_its_bound(tiny):
    rules = Rules(*tiny, Feedback.HIT)
    bound = find_bound(rules)
    misses, finished = naive.perfect_play(rules)
    assert bound.misses <= Fraction(misses, bound.layouts)
    assert (np.array(bound.finished) >= finished).all()
    counter = bounds._Counter(rules)
    assert all((counter.told_apart(known) >= finished).all() for known in range(len(rules.fleet)))
    more = find_bound(replace(rules, feedback=Feedback.SUNK))
    assert more.moves <= bound.moves
    assert (more.any_feedback, bound.any_feedback) == (True, False)


def test_answers_tell_more_apart_than_searches_on_large_boards_without_touching():
    hit = find_bound(replace(find_scenario("gym-6x6").rules, feedback=Feedback.HIT))
    assert hit.rests_on[0] == "answers 3 2"
    assert hit.finished[:4] == tuple(math.comb(misses + 5, 5) for misses in range(4))
    assert hit.moves > find_bound(find_scenario("gym-6x6").rules).moves


@pytest.mark.parametrize("tiny", [(2, 4, (2, 2), True), (3, 3, (3, 2), True)], ids=str)
def test_the_bound_is_that_of_the_feedback_that_reveals_most(tiny):
    found = [Rules(*tiny, feedback) for feedback in Feedback]
    means = [naive.perfect_play(rules)[0] for rules in found]
    assert means == sorted(means, reverse=True)
    bound, *others = [find_bound(rules).moves for rules in found]
    assert set(others) == {bound}


@pytest.mark.slow
def test_the_bound_of_one_short_ship_is_what_perfect_play_reaches():
    rules = Rules(4, 4, (2,), True, Feedback.SHIP)
    misses, finished = naive.perfect_play(rules)
    bound = find_bound(rules)
    assert bound.misses == Fraction(misses, bound.layouts) == Fraction(98, 24)
    assert list(bound.finished) == finished


def test_each_choice_of_slots_gives_a_correct_limit():
    rules = Rules(3, 3, (3, 2), touching=True, feedback=Feedback.SHIP)
    _, finished = naive.perfect_play(rules)
    counter = bounds._Counter(rules)
    for of_three in range(7):
        for of_two in range(5):
            limits = counter.finished({3: of_three, 2: of_two})
            assert (limits >= finished).all(), (of_three, of_two)
    assert counter.finished({3: 0, 2: 0}).tolist() == [counter.posterior.layouts] * 5


@pytest.mark.parametrize(("length", "most"), [(2, 1), (2, 2), (2, 3), (3, 4), (4, 5), (5, 7)])
def test_few_of_the_chosen_slots_contain_the_same_cell(length, most):
    rules = Rules(8, 8, (length,), touching=True)
    chosen = bounds._Counter(rules).chosen(length, most)
    slots = rules.slots(length)
    load = np.zeros(rules.cells, int)
    for i in np.flatnonzero(chosen):
        load[slots[i]] += 1
    assert load.max() == most
    # As many as fit, almost: what is missing is at the border, where fewer slots are.
    assert chosen.sum() >= 0.75 * min(len(slots), most * rules.cells / length)


@pytest.mark.parametrize(
    ("fleet", "touching", "alone"),
    [
        ((3, 2), True, 2),
        ((3, 2), False, 2),
        ((3, 2), True, 3),
        ((4, 1, 2), True, 2),
        ((3, 2), "corners", 2),
    ],
)
def test_slots_without_a_full_cell_are_added_to_the_chosen_ones(fleet, touching, alone):
    rules = Rules(5, 5, fleet, touching)
    counter = bounds._Counter(rules)
    slots = [tuple(slot) for slot in rules.slots(alone)]
    chosen = counter.chosen(alone, 2 * alone - 1)
    others = {}
    for layout in all_layouts(rules):
        ships = dict(zip(fleet, layout, strict=True))
        others.setdefault(tuple(ships[each] for each in fleet if each != alone), set()).add(
            ships[alone]
        )
    crowded = 0
    for free in others.values():
        load = Counter(cell for slot in free for cell in slot)
        for slot, is_chosen in zip(slots, chosen, strict=True):
            full = max(load[cell] for cell in slot) == 2 * alone
            crowded += slot in free and not is_chosen and full
    assert counter._crowded(alone) == crowded > 0


@pytest.mark.parametrize(
    "ships",
    [
        [(1, 1)],
        [(2, 4)],
        [(3, 5)],
        [(5, 10)],
        [(2, 3), (1, 1), (1, 1)],
        [(3, 6), (2, 4)],
        pytest.param([(3, 4), (3, 6), (2, 2)], marks=pytest.mark.slow),
        pytest.param([(4, 7), (3, 2, 1), (2, 4)], marks=pytest.mark.slow),
        pytest.param([(4, 4, 3), (3, 3, 3), (2, 2, 1)], marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_limits_on_searches_are_those_of_the_definition(ships):
    found = Searches(8).most_finished(*ships)
    assert found.tolist() == [naive.most_finished(t, tuple(ships)) for t in range(8)]


def test_limits_on_searches_by_hand():
    # A hit cell has four neighbours; the ship of two is on one of them: 0 to 3 misses.
    assert Searches(6).most_finished((2, 2, 2)).tolist() == [1, 2, 3, 4, 4, 4]
    assert Searches(6).most_finished((2, 4)).tolist() == [1, 3, 6, 10, 14, 18]
    # In one direction, one miss shows where a ship lies.
    assert Searches(3).most_finished((5, 5, 0)).tolist() == [1, 5, 5]
    with refused("9 ships", "99 misses"):
        Searches(100).most_finished(*[(5, 10)] * 9)


def test_a_bound_of_a_scenario_is_printed_and_exported(in_folder):
    command = ["bound", "gym-6x6", "-q", "--export-json", "bound.json", "--export-md", "-"]
    printed = CliRunner().invoke(main, command, prog_name="bsbench")
    assert printed.exit_code == 0, printed.output
    record = json.loads((in_folder / "bound.json").read_text())
    scenario = find_scenario("gym-6x6")
    bound = find_bound(scenario.rules)
    assert record["schema"] == "bsbench-bound-1"
    assert Fraction(record["moves"]["fraction"]) == bound.moves > scenario.rules.ship_cells
    assert [each["layouts"] for each in record["limits"]] == list(bound.finished)
    # Means are rounded down, limits up.
    (moves,) = [line.split()[5] for line in printed.stdout.splitlines() if "needs" in line]
    assert 0 <= bound.moves - Fraction(moves) < Fraction(1, 1000)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) for name in ("classic", "gym-10x10-hit")]
)
def test_records_hold_what_the_command_finds(name):
    record = _record(name)
    bound = find_bound(scenario_from_dict(record["scenario"]).rules)
    assert [each["layouts"] for each in record["limits"]] == list(bound.finished)
    assert Fraction(record["moves"]["fraction"]) == bound.moves


def test_the_page_shows_what_the_command_prints():
    ((command, shown),) = re.findall(r"```sh\nbsbench (.*)\n```\n\n```text\n([^`]*)```", PAGE)
    words = shlex.split(command)
    printed = CliRunner(env={"COLUMNS": "200"}).invoke(main, words, prog_name="bsbench")
    assert_shown(shown, printed.output)
    assert f" {len(TINY)} tiny boards" in PAGE


def test_the_page_shows_records_of_its_scenarios():
    for (scenario, feedback), name in lower_bound.RECORDS.items():
        rules = scenario_from_dict(_record(name)["scenario"]).rules
        shown = find_scenario(scenario).override(feedback=feedback).rules
        assert replace(rules, feedback=feedback) == shown
        # A bound under `hit` holds for no other feedback.
        assert rules.feedback != Feedback.HIT or feedback == Feedback.HIT


def _record(name):
    return json.loads((RECORDS / f"{name}.json").read_text())
