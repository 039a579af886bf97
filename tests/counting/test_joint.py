"""Exact counts after turns with one answer each: against lists of all layouts."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bsbench.counting import posterior as counting
from bsbench.counting.evidence import Contradiction, Evidence
from bsbench.counting.posterior import find_posterior
from bsbench.rules.board import Rules
from bsbench.rules.drawing import BoardView
from bsbench.rules.position import Answer, JointAnswer, Position, answer_text
from bsbench.rules.reading import read_position
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.studies.odds.sheet import odds_board, odds_sheet
from bsbench.studies.odds.study import find_odds
from tests.counting.test_counting import EACH_METHOD
from tests.support import naive
from tests.support.helpers import rules
from tests.support.refusals import refused

POND = Rules(6, 6, (3, 2), touching=False, feedback="ship", shots=3, answers="joint")


def hits_of(layout, cells) -> tuple[int, ...]:
    """Return how many cells are of each ship."""
    return tuple(len(set(ship) & set(cells)) for ship in layout)


@st.composite
def turns(draw):
    """Rules of a small board with joint answers, all layouts, and turns on one of them."""
    drawn = draw(rules(max_side=6, max_ships=3))
    assume(math.prod(len(drawn.slots(length)) for length in drawn.fleet) <= 10_000)
    most = draw(st.integers(1, min(drawn.cells, 7)))
    drawn = replace(drawn, feedback="ship", shots=most, answers="joint")
    layouts = list(naive.all_layouts(drawn))
    layout = layouts[draw(st.integers(0, len(layouts) - 1))]
    order = draw(st.permutations(range(drawn.cells)))
    told, fired = [], 0
    for _ in range(draw(st.integers(0, 4))):
        cells = tuple(order[fired : fired + draw(st.integers(1, most))])
        fired += len(cells)
        if cells:
            told.append(JointAnswer(cells, hits_of(layout, cells)))
    return drawn, layouts, told


@EACH_METHOD
@settings(max_examples=120, deadline=None)
@given(position=turns())
def test_layouts_left_after_turns_are_counted_as_listed(method, position):
    drawn, layouts, told = position
    with pytest.MonkeyPatch.context() as patch:
        if method == "frontier":
            patch.setattr(counting, "within_joins", lambda evidence: False)
        found = find_posterior(Evidence(drawn, told))
    left = [each for each in layouts if all(hits_of(each, t.cells) == t.hits for t in told)]
    assert found.layouts == len(left)
    assert found.ships.tolist() == naive.ships_on_cells(drawn, left)
    sunk = [sum(turn.hits[ship] for turn in told) for ship in range(len(drawn.fleet))]
    assert found.over == (sunk == [*drawn.fleet])
    sampled = {naive.decode(drawn, codes) for codes in found.sample(20).tolist()}
    assert sampled <= set(left)
    # What one more shot would reveal: which ship it hits, if any.
    for cell in range(drawn.cells):
        by_ship: dict[object, int] = {}
        for layout in left:
            hit = [length for ship, length in zip(layout, drawn.fleet, strict=True) if cell in ship]
            by_ship[hit[0] if hit else 0] = by_ship.get(hit[0] if hit else 0, 0) + 1
        shot = any(cell in turn.cells for turn in told)
        if len(set(drawn.fleet)) == len(drawn.fleet):
            counts = sorted(filter(None, found.outcomes(cell)))
            assert counts == ([len(left)] if shot else sorted(by_ship.values()))


def test_turns_are_read_as_they_are_written():
    classic = find_scenario("classic").override(shots=3, answers="joint").rules
    texts = ["A1+C3+E5=4:2+3b:1", "B7=0", "J10+J9=2:2"]
    where = Scenario(rules=classic)
    told = [*Position.parse(" ".join(texts), where).answers]
    assert told[0] == JointAnswer((0, 22, 44), (0, 2, 0, 1, 0))
    assert told[1] == JointAnswer((16,), (0, 0, 0, 0, 0))
    assert [answer_text(each, classic) for each in told] == texts
    assert [*read_position(" ".join(texts).upper(), where).answers] == told
    with refused("a board", "of one turn"):
        read_position(str(BoardView(10, 10, classic.fleet, (0,) * 100)), where)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("A1=hit:3", ["A1=hit:3", "A1+C3+E5=4:2"]),
        ("A1+A2=3:1+3:1", ["3", "twice"]),
        ("A1=4:1", ["4", "fleet"]),
        ("A1=3:2", ["more hits than shots"]),
        ("A1=3:12", ["more hits than shots"]),
        ("A1+B2=3:2+2:1", ["more hits than shots"]),
        ("A1=3:1!", ["A1=3:1!", "A1+C3+E5=4:2"]),
        ("A1+Z9=0", ["Z9"]),
    ],
)
def test_turns_that_are_none_are_refused(text, named):
    with refused(*named):
        Position.parse(text, Scenario(rules=POND))


@pytest.mark.parametrize(
    ("told", "kind", "named"),
    [
        ([JointAnswer((0, 0), (0, 0))], None, ["A1", "twice"]),
        ([JointAnswer((0,), (0, 0)), JointAnswer((1, 0), (0, 0))], None, ["A1", "twice"]),
        ([JointAnswer((0, 1, 2, 3), (0, 0))], None, ["3", "4"]),
        ([JointAnswer((), (0, 0))], None, ["without a shot"]),
        ([JointAnswer((0, 14), (2, 0))], Contradiction, ["A1+C3", "length 3", "2 times"]),
        ([Answer(0, 0)], None, ["one answer for all shots"]),
    ],
)
def test_turns_that_cant_be_are_refused(told, kind, named):
    with refused(*named, **({} if kind is None else {"kind": kind})):
        Evidence(POND, told)
    with refused("an answer for each shot"):
        Evidence(replace(POND, answers="each"), [JointAnswer((0,), (0, 0))])


def test_the_board_of_odds_shows_which_shots_are_clear():
    scenario = find_scenario("classic").override(shots=3, answers="joint")
    found = find_odds(Position.parse("A1+C3+E5=4:1+2:1 B7+B8+B9=0 E6=2:1", scenario))
    rows = str(odds_board(found)).splitlines()
    assert rows[1].split()[1] == "?"
    assert rows[3].split()[3] == "?"
    assert rows[5].split()[5:7] == ["■", "■"]
    assert rows[2].split()[7:10] == ["○"] * 3
    sheet = odds_sheet(found, 3)
    assert "afloat 5 4 3 3; sunk 2" in sheet.caption
    assert len(sheet.more["shot"]) == 3
