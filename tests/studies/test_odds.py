"""Exact odds of positions, and the texts in which people write positions."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from bsbench.cli import main
from bsbench.common.errors import BsbenchError
from bsbench.counting.evidence import Contradiction, Evidence
from bsbench.counting.posterior import find_posterior
from bsbench.play.game import Move, board_after
from bsbench.roster import make_strategy
from bsbench.rules.board import HIT, MISS, NOTHING, SUNK, Feedback, Rules
from bsbench.rules.position import Answer, Position, answer_text
from bsbench.rules.reading import read_position
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.studies.odds.study import find_odds
from tests.counting.test_counting import positions
from tests.support import naive
from tests.support.refusals import names, refused

CLASSIC = find_scenario("classic").override(feedback="sunk").rules


def _answers(text, rules):
    return [*read_position(text, Scenario(rules=rules)).answers]


def _evidence(rules, told):
    return Evidence(rules, (Answer(*answer) for answer in told))


@settings(max_examples=150)
@given(positions())
def test_information_is_that_of_the_answers_on_all_layouts_left(position):
    rules, told = position
    odds = find_odds(Position(Scenario(rules=rules), tuple(Answer(*answer) for answer in told)))
    left = naive.layouts_left(rules, told)
    shots = [answer[0] for answer in told]
    for cell in range(rules.cells):
        if cell in shots:
            assert odds.information[cell] == 0
            continue
        answers = Counter(_seen(rules, left, layout, [*shots, cell]) for layout in left)
        shares = [count / len(left) for count in answers.values()]
        expected = -sum(share * math.log2(share) for share in shares)
        assert odds.information[cell] == pytest.approx(expected, abs=1e-12)


def _seen(rules, left, layout, shots):
    """Return the last answer, as those see it who don't distinguish ships that are all alike."""
    _, outcome, ship, slot = naive.answers(rules, layout, shots)[-1]
    if ship >= 0:
        ship = min(other for other in range(len(rules.fleet)) if _alike(rules, left, ship, other))
    return outcome, ship, slot


def _alike(rules, left, one, other):
    def exchanged(layout):
        places = list(layout)
        places[one], places[other] = places[other], places[one]
        return tuple(places)

    return rules.fleet[one] == rules.fleet[other] and {exchanged(x) for x in left} == set(left)


@settings(max_examples=100)
@given(positions())
def test_answers_are_read_as_they_are_written(position):
    rules, told = position
    answers = [Answer(*answer) for answer in told]
    texts = [answer_text(answer, rules) for answer in answers]
    read = [*Position.parse(" ".join(texts), Scenario(rules=rules)).answers]
    assert read == [_told(answer, rules) for answer in answers]
    assert not texts or _answers("\n".join(texts).upper(), rules) == read
    left = [find_posterior(Evidence(rules, each)).layouts for each in (read, answers)]
    assert left[0] == left[1]


def _told(answer, rules):
    """Return an answer without what nobody says, and what follows where ships keep apart."""
    reveals = rules.feedback.reveals
    ship = answer.ship if reveals.lengths else NOTHING
    return answer._replace(ship=ship, slot=answer.slot if reveals.cells else NOTHING)


@pytest.mark.parametrize(
    ("rules", "text", "answers"),
    [
        (CLASSIC, "B7=hit, C7=miss", [(16, HIT), (26, MISS)]),
        # The first of the ships of 3 that has not sunk.
        (
            CLASSIC,
            "A1=sunk:3 C1=sunk:3 e4=SUNK:2@E3-E4",
            [(0, SUNK, 2, -1, True), (20, SUNK, 3, -1, True), (43, SUNK, 4, 84)],
        ),
        (CLASSIC, "A1=sunk:3b", [(0, SUNK, 3)]),
        (find_scenario("classic").rules, "A1=hit:3b A2=hit:5", [(0, HIT, 3), (1, HIT, 0)]),
    ],
)
def test_answers_in_short(rules, text, answers):
    assert _answers(text, rules) == [Answer(*answer) for answer in answers]


@pytest.mark.parametrize(
    ("feedback", "text", "named"),
    [
        ("sunk", "B7", ["'B7'", "B7=miss"]),
        ("sunk", "K1=hit", ["K1"]),
        ("sunk", "B7=sunk", ["B7=sunk"]),
        ("sunk", "B7=sunk:6", ["B7=sunk:6", "5", "4", "3a", "3b", "2"]),
        ("sunk", "B7=hit:3", ["feedback sunk", "hit"]),
        ("sunk", "B7=hit@B6-B7", ["B7=hit@B6-B7"]),
        ("sunk", "B7=sunk:3@B6-B7", ["B6", "B7"]),
        ("ship", "B7=hit", ["feedback ship", "hit"]),
        ("told", "B7=sunk:3", ["feedback told", "B7=sunk", "length"]),
        ("length", "B7=sunk:3@B5-B7", ["feedback length", "where", "sunk"]),
        ("ship", "B7=hit:3", ["3a", "3b"]),
    ],
)
def test_answers_that_can_not_be_read(feedback, text, named):
    rules = find_scenario("classic").override(feedback=feedback).rules
    with refused(*named):
        Position.parse(text, Scenario(rules=rules))


@settings(max_examples=150)
@given(positions(), st.booleans(), st.booleans())
def test_a_printed_board_is_read_again(position, plain, beside):
    rules, told = position
    if rules.feedback == Feedback.SHIP or any(a[1] == SUNK and a[3] < 0 for a in told):
        return
    moves = [
        Move(cell, outcome, ship if ship >= 0 else None, _cells(rules, ship, slot))
        for cell, outcome, ship, slot in told
    ]
    text = str(board_after(rules, moves, scores=np.ones(rules.cells) if beside else None))
    if plain:
        for symbol, replacement in zip("·○✕■", ".ox#", strict=True):
            text = text.replace(symbol, replacement)
    sunk = [cell for move in moves for cell in move.sunk]
    lengths = [len(move.sunk) for move in moves if move.sunk]
    if len(_ways(rules, frozenset(sunk), sorted(lengths))) > 1:
        with refused(*(rules.cell_name(cell) for cell in sunk)):
            _answers(text, rules)
        return
    read = _answers(text, rules)
    again, before = find_posterior(Evidence(rules, read)), find_posterior(_evidence(rules, told))
    assert again.cells.tolist() == before.cells.tolist()
    assert again.unlabelled == before.unlabelled


def _ways(rules, cells, lengths):
    """Return the ways in which ships of some lengths fill cells exactly."""
    laid = itertools.product(*(naive.slots(rules.rows, rules.cols, n) for n in lengths))
    return {
        frozenset(ships)
        for ships in laid
        if sum(map(len, ships)) == len(cells) == len(set().union(*ships))
        and cells.issuperset(itertools.chain(*ships))
        and all(
            naive.excluded(rules, one).isdisjoint(other)
            for one, other in itertools.combinations(ships, 2)
        )
    }


def _cells(rules, ship, slot):
    if slot < 0:
        return ()
    layout = [0] * len(rules.fleet)
    layout[ship] = slot
    return naive.decode(rules, layout)[ship]


SMALL = Rules(2, 5, (3, 2, 1), touching=True, feedback=Feedback.SUNK)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (".....", ["2x5", "1 rows"]),
        ("..s..\n.....", ["board"]),
        ("####.\n.....", ["A1 A2 A3 A4"]),
        ("#.#..\n.....", ["A1 A3"]),
    ],
)
def test_boards_that_can_not_be_read(text, named):
    with refused(*named):
        _answers(text, SMALL)


@given(
    st.one_of(
        st.text(alphabet="·○✕■□.ox#s[] \nAB12;sunk", max_size=60),
        st.text(alphabet="AB1290=:@-,hitmsunk ", max_size=40),
        st.text(max_size=20),
    )
)
def test_no_text_is_read_without_a_sentence_or_a_position(text):
    try:
        answers = _answers(text, SMALL)
    except BsbenchError:
        return
    assert all(isinstance(answer, Answer) for answer in answers)


def test_the_line_below_a_board_says_which_ships_have_sunk():
    read = _answers("###..\n..ox.\nafloat 2 1; sunk 3", SMALL)
    assert [answer_text(answer, SMALL) for answer in read] == [
        *("B3=miss", "A1=hit", "A2=hit", "A3=sunk:3@A1-A3", "B4=hit")
    ]


@pytest.mark.parametrize(
    ("text", "named", "kind"),
    [
        ("A1=hit A1=miss", ["A1"], BsbenchError),
        ("D5=hit E5=sunk:2 D6=hit", ["D6=hit", "2"], Contradiction),
        ("A1=hit A2=sunk:2 C1=hit C2=sunk:2", ["C2"], Contradiction),
        ("A1=hit A10=hit J1=hit J10=hit E5=hit C7=hit", ["C7=hit"], Contradiction),
    ],
)
def test_contradictions_name_the_answer_that_can_not_be(text, named, kind):
    scenario = find_scenario("gym-10x10")
    with refused(*named, kind=kind):
        find_odds(Position.parse(text, scenario))


def test_answers_are_written_with_what_is_told():
    rules = find_scenario("classic").rules
    for feedback, text in (("told", "B3=hit B4=sunk"), ("length", "B3=hit B4=sunk:2")):
        told = replace(rules, feedback=feedback)
        answers = _answers(text, told)
        assert " ".join(answer_text(answer, told) for answer in answers) == text
    with refused("B4", "end of a ship", kind=Contradiction):
        Evidence(told, _answers("B4=sunk:2", told))
    with refused("length", "order", "E4=sunk"):
        _answers("\n".join(["■" * 2 + "·" * 8, *["·" * 10] * 9]), told)


def test_a_miss_can_leave_no_place():
    rules = Rules(1, 5, (3,), touching=True)
    with refused("A3", kind=Contradiction):
        Evidence(rules, _answers("A3=miss", rules))


def test_strategies_shoot_as_in_a_game():
    scenario = find_scenario("gym-10x10")
    told = [(44, 1, -1, -1), (45, 2, 4, 88), (0, 0, -1, -1)]
    odds = find_odds(Position(scenario, tuple(Answer(*answer) for answer in told)))
    strategy = make_strategy("datagenetics")
    # It shoots where, of the slots that are possible, most go through.
    given = odds.advice(strategy)
    assert given.strategy == "datagenetics"
    assert not odds.posterior.evidence.shot[given.cell]
    assert odds.posterior.probabilities[given.cell] > 0
    with refused("'linear'"):
        odds.advice(make_strategy("linear"))
    with refused("'over9000'", "feedback"):
        odds.advice(make_strategy("over9000"))


def _run(*arguments: str, typed: str = ""):
    return CliRunner(env={"COLUMNS": "200"}).invoke(
        main, ["odds", *arguments], input=typed, prog_name="bsbench"
    )


def test_odds_are_printed_and_exported(in_folder):
    Path("board.txt").write_text("..x..\n.....\no....\n.....\n.....\n")
    printed = _run("--scenario", "gym-5x5", "board.txt", "B3=hit", "-s", "all",
                   "--top", "2", "--export-json", "odds.json")  # fmt: skip
    assert printed.exit_code == 0, printed.output
    rules = find_scenario("gym-5x5").rules
    told = [(10, 0, -1, -1), (2, 1, -1, -1), (7, 1, -1, -1)]
    left = naive.layouts_left(rules, told)
    assert re.search(rf"^{len(left):,} ", printed.stdout, re.MULTILINE)
    record = json.loads(Path("odds.json").read_text())
    assert record["answers"] == ["C1=miss", "A3=hit", "B3=hit"]
    counts = np.sum(naive.ships_on_cells(rules, left), axis=0).tolist()
    assert [cell["layouts"] for cell in record["cells"]] == counts
    best = max(range(25), key=lambda cell: (cell not in (2, 7, 10), counts[cell], -cell))
    name = record["cells"][best]["cell"]
    table = [line.split() for line in printed.stdout.splitlines()]
    assert [name, f"{100 * counts[best] / len(left):.1f}", "%"] in [words[:3] for words in table]
    shooters = {given["strategy"] for given in record["advice"]}
    assert {"datagenetics", "prob", "smart"} <= shooters
    assert not {"linear", "random", "over9000-adaptive"} & shooters


def test_answers_are_asked_for_line_by_line():
    typed = "A1=miss B9=hit\nA2=miss, A3=hit\nA4=sunk:2\nA4=sunk:2\nundo\n\nquit\n"
    printed = _run("--scenario", "gym-5x5", "--interactive", typed=typed)
    assert printed.exit_code == 0, printed.output
    rules = find_scenario("gym-5x5").rules
    lines = [line for line in printed.stdout.splitlines() if line.endswith(" left")]
    expected = [
        len(naive.layouts_left(rules, told))
        for told in (
            [(1, 0, -1, -1), (2, 1, -1, -1)],
            [(1, 0, -1, -1), (2, 1, -1, -1), (3, 2, 1, -1)],
            [(1, 0, -1, -1), (2, 1, -1, -1)],
        )
    ]
    assert [int(line.split()[0].replace(",", "")) for line in lines] == expected
    # What can't be is said, and asked for again.
    told = printed.stdout.splitlines()
    for wrong in ("B9", "A4"):
        assert any(names(line, wrong) for line in told)
