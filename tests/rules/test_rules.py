from __future__ import annotations

import copy
import itertools
import operator as op
import pickle
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bsbench.common.errors import BsbenchError
from bsbench.rules.board import (
    TOUCHING,
    Facts,
    Feedback,
    Outcome,
    Rules,
    _slot_count,
    fleet_fits,
    slots_left,
)
from bsbench.rules.scenario import FeedbackName
from tests.support import naive
from tests.support.helpers import rules
from tests.support.refusals import refused


@pytest.mark.parametrize(
    ("rows", "cols", "fleet", "touching", "named"),
    [
        (0, 5, (1,), True, ["rows", "0"]),
        (5, -1, (1,), True, ["columns", "-1"]),
        (5, 251, (1,), True, ["columns", "251"]),
        (5, 5, (), True, ["fleet"]),
        (5, 5, (3, 0), True, ["length", "0"]),
        (5, 5, (-2,), True, ["length", "-2"]),
        (5, 5, (6,), True, ["length", "6", "5x5"]),
        (2, 2, (2, 2, 1), True, ["5", "4"]),
        (5, 5, (3, 3, 3, 3, 3), False, ["fleet", "5x5", "touching"]),
    ],
)
def test_wrong_rules_are_refused_in_one_sentence(rows, cols, fleet, touching, named):
    with refused(*named):
        Rules(rows, cols, fleet, touching)


def test_the_largest_and_the_smallest_board_are_allowed():
    assert Rules(250, 250, (5,), False).cells == 62_500
    assert Rules(1, 1, (1,), False).cells == 1


def test_feedback_is_ordered_by_what_it_tells():
    names = ["hit", "told", "length", "sunk", "ship"]
    assert sorted(map(Feedback.parse, reversed(names))) == [*Feedback] == names
    with refused("feedback", "all", *names):
        Feedback.parse("all")


def test_a_kind_of_feedback_says_what_it_reveals():
    assert [sum(kind.reveals) for kind in Feedback] == [0, 1, 2, 3, 4]
    for one, other in itertools.product(Feedback, repeat=2):
        assert one.reveals.cover(other.reveals) == (one >= other)
        assert one.reveals.shared(other.reveals) == min(one, other).reveals
    assert [Feedback.least(fact) for fact in Facts._fields] == [*Feedback][1:]
    assert Feedback.HIT.reveals.lacking(Feedback.LENGTH.reveals) == "that a ship has sunk"
    assert Feedback.TOLD.reveals.lacking(Feedback.SHIP.reveals).startswith("the length of a ship")
    assert Feedback.glossary() == (
        "hit (hit or miss), told (also that a ship sank), length (also its length), sunk (also "
        "which ship, and its cells) or ship (also which ship each hit is on)"
    )


@pytest.mark.parametrize("feedback", Feedback)
def test_where_ships_are_apart_the_cells_of_what_sank_follow(feedback):
    told = Rules(5, 6, (3, 2), True, feedback)
    apart = Rules(5, 6, (3, 2), False, feedback)
    assert told.reveals == feedback.reveals
    follows = {"hit": Feedback.HIT, "ship": Feedback.SHIP}.get(str(feedback), Feedback.SUNK)
    assert apart.reveals == follows.reveals
    assert apart.deduced == Rules(5, 6, (3, 2), False, follows)


def test_files_know_all_kinds_of_feedback():
    words, _ = get_args(FeedbackName)
    assert get_args(words) == tuple(map(str, Feedback))


@pytest.mark.parametrize("kind", Feedback)
def test_a_kind_of_feedback_is_copied_as_itself(kind):
    assert pickle.loads(pickle.dumps(kind)) is copy.deepcopy(kind) is Feedback(kind.value) is kind


def test_layouts_depend_on_all_rules_but_feedback():
    rules = Rules(5, 6, (3, 2), True, Feedback.SHIP)
    assert rules.layout_rules == Rules(5, 6, (3, 2), True, Feedback.HIT)


@pytest.mark.parametrize("kind", [Feedback, Outcome])
def test_feedback_and_outcomes_are_their_words(kind):
    compare = (op.eq, op.ne, op.lt, op.le, op.gt, op.ge)
    for one, other in itertools.product(kind, repeat=2):
        expected = [operator(one.value, other.value) for operator in compare]
        for right in (other, str(other), str(other).upper(), other.value):
            assert [operator(one, right) for operator in compare] == expected
        assert [operator(str(one), other) for operator in compare] == expected
        # Feedback is written as a word, an outcome as a number: so are they in sets and dicts.
        written = str if kind is Feedback else int
        assert (one in {written(other)}) == ({written(other): 1}.get(one) == 1) == (one is other)
        assert ({one: 1}.get(written(other)) == 1) == (one is other)
    for operator in compare:
        with refused(kind.__name__.lower(), "all"):
            operator(kind.HIT, "all")
    assert kind.HIT != None  # noqa: E711


def test_number_of_slots_on_a_10x10_board():
    board = Rules(10, 10, (1,), True)
    assert [len(board.slots(length)) for length in (5, 4, 3, 2, 1)] == [120, 140, 160, 180, 100]


@given(rules(), st.data())
def test_slots_and_neighbours_agree_with_the_twin(drawn, data):
    length = data.draw(st.sampled_from(drawn.fleet))
    assert [*map(tuple, drawn.slots(length))] == naive.slots(drawn.rows, drawn.cols, length)
    cell = data.draw(st.integers(0, drawn.cells - 1))
    around = naive.beside(drawn.rows, drawn.cols, cell, naive.AROUND)
    assert sorted(drawn.neighbours(cell)) == sorted(around)
    assert {cell, *drawn.closed_around(cell)} == naive.excluded(drawn, (cell,))


@given(
    st.integers(1, 4),
    st.integers(1, 4),
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.sampled_from([*TOUCHING]),
)
def test_fleet_fits_is_right_where_all_layouts_can_be_tried(rows, cols, fleet, touching):
    try:
        drawn = Rules(rows, cols, tuple(fleet), touching)
    except BsbenchError:
        return  # refused by length or area: nothing is left to search
    assert fleet_fits(drawn) is (next(naive.all_layouts(drawn), None) is not None)


def test_refusals_by_area_are_right():
    # What Rules refuses at once must be impossible, too: twin search without its check.
    class Unchecked:
        rows, cols, fleet, touching = 3, 3, (1, 1, 1, 1, 1), False

    with refused("touching"):
        Rules(3, 3, Unchecked.fleet, touching=False)
    assert next(naive.all_layouts(Unchecked), None) is None


def test_fleet_fits_gives_up_when_told_to():
    hard = Rules(12, 12, (4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2, 2), touching=False)
    assert fleet_fits(hard, effort=50) is None


@given(
    st.integers(1, 4),
    st.integers(1, 4),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.sampled_from([*TOUCHING]),
    st.data(),
)
def test_slots_left_are_those_of_layouts_that_begin_with_the_ships_laid(
    rows, cols, fleet, touching, data
):
    try:
        drawn = Rules(rows, cols, tuple(fleet), touching)
    except BsbenchError:
        return
    layouts = [naive.encode(drawn, layout) for layout in naive.all_layouts(drawn)]
    laid = []
    if layouts:
        layout = data.draw(st.sampled_from(layouts))
        laid = layout[: data.draw(st.integers(0, len(fleet) - 1))]
    following = {layout[len(laid)] for layout in layouts if layout[: len(laid)] == laid}
    assert slots_left(drawn, laid) == sorted(following)


def test_slots_left_are_all_that_are_not_proven_wrong():
    # Only in the corners of 3x3 lie four ships of 1; a search that gives up allows all nine cells.
    crowded = Rules(3, 3, (1, 1, 1, 1), touching=False)
    assert slots_left(crowded, []) == [0, 4, 12, 16]
    assert slots_left(crowded, [], effort=0) == list(range(0, 18, 2))
    assert slots_left(crowded, [8], effort=0) == []


@pytest.mark.parametrize(
    ("size", "fleet", "count"),
    [(5, (3, 2), 524), (6, (3, 2), 1_656), (7, (3, 2), 3_956), (8, (3, 3, 2), 2 * 187_628)],
)
def test_published_numbers_of_layouts_without_touching(size, fleet, count):
    # Counts by independent programs. They check the twin that
    # the tests of uniformity rely on; for the 8x8 board the last ship is counted only.
    board = Rules(size, size, fleet, touching=False)
    *first_ships, last = fleet
    found = 0
    layouts = naive.all_layouts(Rules(size, size, tuple(first_ships), touching=False))
    for ships in layouts:
        found += len(naive.possible(board, last, list(ships)))
    assert found == count


@pytest.mark.parametrize("size", [(1, 6), (6, 1), (2, 7), (4, 4)])
@pytest.mark.parametrize("length", [1, 2, 3, 6])
def test_slots_are_counted_without_listing_them(size, length):
    """A ship may be longer than one side, and than both."""
    count = _slot_count(Rules(*size, (1,), touching=True), length)
    assert count == len(naive.slots(*size, length))
