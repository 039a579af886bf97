"""Positions as text, and everything in which people write positions and layouts."""

from __future__ import annotations

import random
import re
from contextlib import nullcontext
from itertools import cycle, product

import numpy as np
import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.common.errors import BsbenchError
from bsbench.layouts.file import read_layouts
from bsbench.rules.board import MISS, SUNK, TOUCHING, Feedback, Rules
from bsbench.rules.drawing import MISSED, OPEN, PLAIN, STRUCK, SUNKEN, board_text, cell_name
from bsbench.rules.layout import FORMS, read_ship
from bsbench.rules.position import Answer, JointAnswer, Position, answer_text, answers_on
from bsbench.rules.reading import read_position
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.rules.slots import slot_cells, slot_code
from tests.support import naive
from tests.support.refusals import names, refused

BOARDS = [(4, 5, (3, 2)), (6, 6, (3, 2, 2, 1)), (1, 9, (3, 2)), (10, 10, (5, 4, 3, 3, 2))]
TURNS = [{}, {}, {"shots": 3}, {"shots": "afloat", "answers": "joint"}, {"again": True}]
GAMES = [
    Scenario(rules=Rules(rows, cols, fleet, touching=touching, feedback=feedback, **turns))
    for rows, cols, fleet in BOARDS
    for touching in TOUCHING
    for feedback in Feedback
    for turns in TURNS
    if turns.get("answers") != "joint" or feedback == Feedback.SHIP
]


def _laid(rules, rng):
    """Return the cells of each ship of a random layout."""
    while True:
        taken, ships = set(), []
        for length in rules.fleet:
            ships.append(tuple(rng.choice(rules.slots(length))))
            if taken & set(ships[-1]):
                break
            taken |= {other for cell in ships[-1] for other in rules.closed_around(cell)}
            taken |= set(ships[-1])
        else:
            return tuple(ships)


def _random_position(scenario, rng):
    """Return a position of random shots, with its layout, by the plain twin of the rules."""
    rules = scenario.rules
    ships = _laid(rules, rng)
    shots = rng.sample(range(rules.cells), rng.randint(0, min(rules.cells, 30)))
    while {cell for ship in ships for cell in ship} <= {*shots[:-1]}:
        # Nobody shoots after the end.
        shots.pop()
    if rules.joint:
        turns = [shots[at : at + 3] for at in range(0, len(shots), 3)]
        answers = [
            JointAnswer(tuple(turn), tuple(len({*turn} & {*ship}) for ship in ships))
            for turn in turns
        ]
    else:
        answers = [Answer(*told) for told in naive.answers(rules, ships, shots)]
    return Position(scenario, tuple(answers), tuple(naive.encode(rules, ships)))


@pytest.mark.parametrize("games", [600, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_positions_are_read_as_they_are_written(games):
    rng = random.Random(56)
    for scenario in (scenario for scenario, _ in zip(cycle(GAMES), range(games), strict=False)):
        position = _random_position(scenario, rng)
        text = str(position)
        again = Position.parse(text)
        assert str(again) == text
        assert (again.rules, again.layout) == (position.rules, position.layout)
        assert again.answers == tuple(_written(each, position.rules) for each in position.answers)
        # What the layout answers, and not only what was told.
        given = answers_on(position.rules, position.layout, position.shots)
        assert tuple(given) == position.answers
        assert read_position(text, find_scenario("gym-5x5")) == again


def _written(answer, rules):
    """Return an answer without what follows from it, which is not written."""
    told = rules.feedback.reveals
    if isinstance(answer, JointAnswer) or told.cells:
        return answer
    return answer._replace(slot=-1, ship=answer.ship if told.lengths else -1)


@pytest.mark.parametrize(
    "text",
    [
        "classic: D4=hit:4 D5=miss C4=hit:4",
        "5x5 3-2 apart sunk: A1=miss C2=hit C1=hit C3=sunk:3@C1-C3 | 3:C1-C3 2:E4-E5",
        "topcoder: D5+E4+E5+E6+F5+G7=5:1+4a:2",
        "6x6 3-2-1 corners length again: | 3:A1-A3 2:C4-D4 1:F6",
        "gym-5x5: ; layouts=124 best=B2,C3 B2=1/3",
        "3x3 2 touching hit repeats: A1=hit A1=hit A2=hit",
    ],
)
def test_a_position_is_one_text(text):
    assert str(Position.parse(f"  {text.lower()} " if "best" not in text else text)) == text


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("A1=miss", ["rules", "classic"]),
        ("clasic: A1=miss", ["clasic", "classic"]),
        ("5x5 3-2 apart: A1=miss", ["feedback"]),
        ("5x5 3-2 apart near hit:", ["near"]),
        ("classic: A1=mist", ["A1=mist"]),
        ("classic:\nA1=miss\n  A2=mist", ["line 3", "character 3", "A2=mist"]),
        ("gym-5x5: A1=hit | 3:C1-C3 2:E1-E2", ["A1=hit", "A1=miss"]),
        ("gym-5x5: | 3:C1-C3", ["2", "missing"]),
        ("gym-5x5: | 3:C1-C4 2:E1-E2", ["3:C1-C4"]),
        ("gym-5x5: | 3:C1-C3 2:D1-D2", ["2:D1-D2", "touches"]),
        ("gym-5x5: | 3-C1", ["3-C1"]),
        ("gym-5x5: A1=miss; A2=miss", ["A2=miss", "layouts=285"]),
        ("3x3 2 touching hit: A1=hit A2=hit A3=miss", ["A3=miss", "end"]),
        ("3x3 2 touching ship 2-shots joint: A1+A2=2:2 A3=0", ["A3=0", "end"]),
        ("3x3 2 touching hit 3-shots: A1=hit A2=hit A3=miss", ["A3=miss", "end"]),
        ("5x5 3;2 apart sunk: A1=miss", ["3;2", "3-2"]),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, named):
    with refused(*named):
        Position.parse(text)


LETTERS = dict(zip((OPEN, MISSED, STRUCK, SUNKEN), ("0", "1", "2", "3"), strict=True))


def _forms(position, order):
    """Yield texts of a position in which people write it, by what they are called."""
    rules = position.rules
    marks = {}
    for answer in order:
        marks[answer.cell] = MISSED if answer.outcome == MISS else STRUCK
    sunk = [answer for answer in order if answer.outcome == SUNK]
    for answer in sunk:
        first, step = answer.slot >> 1, rules.cols if answer.slot & 1 else 1
        for part in range(rules.fleet[answer.ship]):
            marks[first + step * part] = SUNKEN
    drawn = board_text(rules.rows, rules.cols, marks)
    lengths = " ".join(str(rules.fleet[answer.ship]) for answer in sunk)
    below = f"\nsunk {lengths}" if sunk else ""
    plain = drawn
    for symbol, letter in PLAIN.items():
        plain = plain.replace(symbol, letter)
    bare = ["".join(line.split()[1:]) for line in plain.splitlines()[1:]]
    digits = [
        " ".join(LETTERS[marks.get(row * rules.cols + col, OPEN)] for col in range(rules.cols))
        for row in range(rules.rows)
    ]
    told = [answer_text(answer, rules).partition("=")[::2] for answer in order]
    yield "drawn", f"a title\n{drawn}{below}"
    yield "plain", f"# what I know\n{plain.replace('x', 'X').replace('o', 'O')}{below}"
    yield "bare", "\n".join(bare) + below
    yield "digits", "\n".join(digits) + below
    yield "comma", "\n".join(line.replace(" ", ",") for line in digits) + below
    yield "bars", "\n".join(f"| {' | '.join(line.split())} |" for line in digits) + below
    framed = [_barred(*"ABCDEF"[row], *line).replace(".", " ") for row, line in enumerate(bare)]
    yield "framed", _barred(" ", *"123456") + "".join(framed) + below
    yield "list", "shot,answer\n" + "\n".join(f"{cell},{answer}" for cell, answer in told)
    for base in (0, 1):
        cells = [divmod(answer.cell, rules.cols) for answer in order]
        lines = [
            f"{row + base},{col + base},{text}"
            for (row, col), (_, text) in zip(cells, told, strict=True)
        ]
        yield f"from {base}", f"row,col,answer # from {base}\n" + "\n".join(lines)


def _barred(*cells):
    """Return a row of a board with bars between its cells, and a line below it."""
    return f"| {' | '.join(cells)} |\n{'+---' * len(cells)}+\n"


@pytest.mark.parametrize("touching", TOUCHING)
def test_a_position_is_read_in_all_the_forms_that_people_have(touching):
    rng = random.Random(f"{touching}")
    rules = Rules(6, 6, (3, 2, 1), touching=touching, feedback="sunk")
    scenario = Scenario(rules=rules)
    read = 0
    while read < 300:
        position = _random_position(scenario, rng)
        if not position.answers:
            continue
        for name, text in _forms(position, position.answers):
            if name not in ("list", "from 0", "from 1") and not _clear(rules, position):
                # Where sunk ships lie side by side, a board leaves it open which they are.
                continue
            found = read_position(text, scenario)
            read += 1
            assert set(_left(rules, found)) == set(_left(rules, position)), name


@pytest.mark.parametrize(("rows", "cols"), [(1, 5), (5, 1), (3, 4), (5, 2), (2, 6)])
def test_ships_lie_in_slots_and_nowhere_else(rows, cols):
    for length in range(8):
        rules = Rules(rows, cols, (length if 0 < length <= max(rows, cols) else 1,), touching=True)
        slots = {slot_code(cells): cells for cells in rules.slots(length) if cells}
        ends = {(cells[0], cells[-1]): cells for cells in slots.values()}
        for first, last in product(range(rules.cells), repeat=2):
            text = f"{length}:{cell_name(first, cols)}-{cell_name(last, cols)}"
            right = ends.get((min(first, last), max(first, last)))
            with nullcontext() if right else refused(text):
                assert read_ship(rules, text) == (text, right)
        for code in range(-2, 2 * rules.cells + 2) if length in rules.fleet else ():
            with nullcontext() if code in slots else refused("ship"):
                Position(Scenario(rules=rules), (), (code,))
    with refused("overlaps"):
        Position(find_scenario("gym-5x5"), (), (0, 2))


def _clear(rules, position):
    """Return whether no two sunk ships lie side by side."""
    sunk = [answer for answer in position.answers if answer.outcome == SUNK]
    cells = [slot_cells(answer.slot, rules.fleet[answer.ship], rules.cols) for answer in sunk]
    near = [{side for cell in ship for side in rules.neighbours(cell)} for ship in cells]
    return not any(near[a] & {*cells[b]} for a in range(len(cells)) for b in range(a))


def _left(rules, position):
    """Return what is known: shots, hits, and the ships that have sunk, by length and place."""
    for answer in position.answers:
        yield answer.cell, answer.outcome != MISS
        if answer.outcome == SUNK:
            yield rules.fleet[answer.ship], answer.slot


WRONG = [
    ("A1,miss\nB2,hitt", ["line 2", "B2=hitt"]),
    ("A1,miss\nB2", ["line 2", "B2"]),
    ("1. A1=miss\n12. B2=hitt", ["line 2, character 5", "B2=hitt"]),
    ("1,1,miss", ["line 1", "from 0"]),
    ("# from 0\n5,0,miss", ["line 2", "5,0", "5x5"]),
    (".....\n..x..\n..Q..\n.....\n.....", ["line 3", "character 3", "'Q'"]),
    (".....\n..x..\n.....\n.....\n....", ["line 5", "4", "5"]),
    ("A . . . . .\nB . . . . .\n", ["2 rows"]),
    ("hello", ["line 1", "5x5"]),
    ("\n# a game\n\nDear sir,\nI shot B2.", ["line 4"]),
    ("", ["empty"]),
    ("# none", ["empty", "comments"]),
    (".....\n" * 6, ["line 6", "row too many"]),
    ("A . . . . .\nB . . . . .\nC . . . . .\nD . . . . .\nE . . . . .\nF . . . . .", ["line 6"]),
    (".....\n" * 5 + "\nA x x x x x", ["line 7", "row too many"]),
    ("# from 0\n# from 1\n1,1,miss", ["from 0", "from 1"]),
    ("row,col # rows from 0, columns from 1\n1,1,miss", ["from 0", "from 1"]),
    (".....\n. x . .\n.....\n.....\n.....", ["line 2", "4", "5", "| |x|o|"]),
    ("B2 hit!?\nC3 mist", ["line 1", "B2"]),
    ("I shot", ["line 1", "B2,hit", ". o x #"]),
    ("44400" + "\n00000" * 4, ["line 1, character 1", "layout", "file:board.txt"]),
    (".....\nAAA..\n.....\n.BB..\n.....", ["line 4, character 2", "layout", "file:board.txt"]),
    ("6x6 3-2 apart sunk:\n.....\n.....", ["line 2", "5", "6x6"]),
]


@pytest.mark.parametrize(("text", "named"), WRONG)
def test_what_is_no_position_is_refused_with_its_place(text, named):
    with refused(*named):
        read_position(text, find_scenario("gym-5x5"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('"shot","answer"\n"B2","hit"\n"C3","miss"', "gym-5x5: B2=hit C3=miss"),
        (
            "# mine\n4x4 3,2 apart hit: # these\nB2,hit\nC3,miss",
            "4x4 3-2 apart hit: B2=hit C3=miss",
        ),
        ("4X4 2-1 Touching HIT:\n....\n.x..\n....\n.o..", "4x4 2-1 touching hit: D2=miss B2=hit"),
        ("GYM-6x6: B2=hit", "gym-6x6: B2=hit"),
        ("topcoder:\nA1+C3,4a:1,3:1\nD1,0", "topcoder: A1+C3=4a:1+3:1 D1=0"),
        (
            "  1 2 3 4 5\nA . . . . .\nB . x . . .\nC . . . . .\nD . . . . .\nE . . . . .\n"
            "afloat 3 2\n\n. not shot, o miss, x hit, # sunk",
            "gym-5x5: B2=hit",
        ),
        (".....\n.x...\n" + ".....\n" * 3 + "2\n3 2 1\n- - -\n", "gym-5x5: B2=hit"),
        ("1. b2 - hit\n2. C3 – miss\n10) c1: miss", "gym-5x5: B2=hit C3=miss C1=miss"),
        ("1,B2,hit\n2;C3;miss", "gym-5x5: B2=hit C3=miss"),
        ("b2 = hit\nc3= miss, C1 =miss", "gym-5x5: B2=hit C3=miss C1=miss"),
        ("1. B2 = hit", "gym-5x5: B2=hit"),
        ("gym-6x6:\n 9) B2=hit\n10) c3 = miss", "gym-6x6: B2=hit C3=miss"),
        ("1) B2: hit\nC3 = miss", "gym-5x5: B2=hit C3=miss"),
        ("topcoder:\n1. A1+C3=4a:1+3:1\n2. D1 = 0", "topcoder: A1+C3=4a:1+3:1 D1=0"),
        (
            "  А Б В Г Д\n" + "".join(f"{row} . {'.*'[row == 3]} . . .\n" for row in range(1, 6)),
            "gym-5x5: C2=miss",
        ),
    ],
)
def test_what_people_write_beside_answers_is_read(text, told):
    assert str(read_position(text, find_scenario("gym-5x5"))) == told


def test_answers_go_on_from_those_before():
    before = Position.parse("9x9 2-2-1 touching sunk: A1=hit A2=sunk:2 C1=hit")
    after = before.followed_by("9x9 2-2-1 touching sunk: C2=sunk:2@C1-C2, D1=miss")
    assert after == Position.parse(f"{before} C2=sunk:2@C1-C2 D1=miss")
    # The second of the equal ships.
    assert [each.ship for each in after.answers] == [-1, 0, -1, 1, -1]


@pytest.mark.parametrize("feedback", ["length", "sunk"])
@pytest.mark.parametrize("touching", TOUCHING)
def test_a_ship_that_sank_needs_no_length_where_the_hits_say_it(touching, feedback):
    rng = random.Random(22)
    scenario = Scenario(rules=Rules(5, 5, (3, 2, 2, 1), touching=touching, feedback=feedback))
    read, refusals = 0, []
    while read < 60 or (touching is True and not refusals):
        full = Position.parse(f"{_random_position(scenario, rng)}".partition("|")[0])
        try:
            found = Position.parse(re.sub(r"sunk:[^ ]+", "sunk", str(full)))
        except BsbenchError as error:
            refusals.append(str(error))
            continue
        lengths = [
            [scenario.rules.fleet[each.ship] for each in told.answers if each.outcome == SUNK]
            for told in (found, full)
        ]
        assert lengths[0] == lengths[1], str(full)
        read += bool(lengths[0])
    # Where ships touch, a row of hits may be two of them.
    assert touching is True or not refusals
    assert all(names(said, "does not say which ship has sunk") for said in refusals)


def test_letters_of_ships_that_sank_are_given_to_all_or_none():
    Position.parse("9x9 2-2-1 touching sunk: A1=hit A2=sunk:2b C1=hit C2=sunk:2")
    with refused("C2=sunk:2b", "letters"):
        Position.parse("9x9 2-2-1 touching sunk: A1=hit A2=sunk:2 C1=hit C2=sunk:2b")


def test_damaged_files_are_refused_or_read_as_what_they_say():
    rng = random.Random(500)
    scenario = find_scenario("gym-6x6").override(feedback="sunk", touching=True)
    damaged = 0
    while damaged < 500:
        position = _random_position(scenario, rng)
        if len(position.answers) < 3:
            continue
        for _, text in _forms(position, position.answers):
            spot = rng.randrange(len(text))
            change = rng.choice(["", "Q", ".", "9", "\n", "=", text[spot] * 2])
            wrong = text[:spot] + change + text[spot + 1 :]
            damaged += 1
            try:
                found = read_position(wrong, scenario)
            except BsbenchError as error:
                said = str(error)
                assert "\n" not in said
                assert re.search(r"line \d|no board of 6x6|the (sunk )?cells [A-F]\d", said), said
                continue
            # What is read is a position: it can be written and read again.
            assert Position.parse(str(found)).answers == found.answers


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("touching", TOUCHING)
def test_layouts_are_read_in_all_forms_in_which_they_are_written(tmp_path, form, touching):
    rng = random.Random(form)
    rules = Rules(7, 6, (4, 3, 3, 1), touching=touching)
    ships = [_laid(rules, rng) for _ in range(30)]
    codes = [naive.encode(rules, layout) for layout in ships]
    path = tmp_path / "some.txt"
    texts = [FORMS[form](layout, rules) for layout in codes]
    path.write_text("# some\n[alice]\n" + "\n\n".join(texts) + "\n")
    found = read_layouts(str(path), rules).tolist()
    assert [sorted(layout) for layout in found] == [sorted(map(int, layout)) for layout in codes]
    assert [layout[0] for layout in found] == [layout[0] for layout in codes]
    if form != "boards":
        assert found == [list(map(int, layout)) for layout in codes]


def test_a_board_has_a_letter_for_each_of_61_ships(tmp_path):
    path = tmp_path / "many.txt"
    codes = [*range(0, 122, 2)]
    for ships in (61, 62):
        rules = Rules(1, 62, (1,) * ships, touching=True)
        if ships == 62:
            with refused("61", "62"):
                FORMS["boards"]([*codes, 122], rules)
            continue
        path.write_text(FORMS["boards"](codes, rules))
        assert read_layouts(str(path), rules).tolist() == [codes]


DRAWN = {
    "letters": "AAA..\n.....\n.BB..\n.....\n.....",
    "digits": "11100\n00000\n02200\n00000\n00000",
    "one symbol": "A X X X . .\nB . . . . .\nC . X X . .\nD . . . . .\nE . . . . .",
    "any head": "  А Б В Г Д\n1 S S S . .\n2 . . . . .\n3 . T T . .\n4 . . . . .\n5 . . . . .",
    "hashes": "###..\n.....\n.##..\n.....\n.....",
    "commas": "1,1,1,0,0\n0,0,0,0,0\n0,1,1,0,0\n0,0,0,0,0\n0,0,0,0,0",
    "position": "5x5 3-2 apart hit: A1=hit | 3:A1-A3 2:C2-C3",
    "bars": "|A|A|A| |~|\n| | | | | |\n|~|B|B|~| |\n|.|.|.|.|.|\n| | | | | |",
    "framed": "+---+---+---+---+---+---+\n|   | 1 | 2 | 3 | 4 | 5 |\n"
    "+---+---+---+---+---+---+\n| A | S | S | S |   |   |\n| B |   |   |   |   |   |\n"
    "+===+===+===+===+===+===+\n| C |   | T | T |   |   |\n| D |   |   |   |   |   |\n"
    "| E |   |   |   |   |   |\n+---+---+---+---+---+---+",
    "head": "  1 2 3 4 5\nA S S S . .\nB . . . . .\nC . T T . .\nD . . . . .\nE . . . . .",
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_board_with_ships_is_a_layout(tmp_path, name):
    path = tmp_path / "drawn.txt"
    path.write_text(DRAWN[name])
    assert read_layouts(str(path), find_scenario("gym-5x5").rules).tolist() == [[0, 22]]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("AAA..\n.....\n.BB..\n.....\n....", ["line 5", "5 rows of 5 cells", "4"]),
        ("AAAA.\n.....\n.BB..\n.....\n.....", ["line 1", "6 cells", "0 . - ~ are water", "5"]),
        ("AAA..\n.BB..\n.....\n.....\n.....", ["line 1", "touch"]),
        ("AAA..\n.....\n.BB..\n", ["line 4", "0"]),
        ("4x4 3-2 apart hit: | 3:A1-A3 2:C2-C3", ["line 1", "4x4 3-2 apart hit"]),
        ("AAA..\n.....\n.B?..\n.....\n.....", ["line 3, character 3", "'?'"]),
    ],
)
def test_a_drawn_board_that_is_no_layout_is_refused(tmp_path, text, named):
    path = tmp_path / "drawn.txt"
    path.write_text(text)
    with refused(str(path), *named):
        read_layouts(str(path), find_scenario("gym-5x5").rules)


def test_equal_ships_side_by_side_are_not_clear(tmp_path):
    path = tmp_path / "drawn.txt"
    path.write_text("XX.\nXX.\n...\n")
    with refused("not clear", "letter"):
        read_layouts(str(path), Rules(3, 3, (2, 2), touching=True))


GAME = """# my game
5x5 3-2 apart sunk: A1=miss C2=hit C1=hit
C3=sunk:3@C1-C3 E4=miss E1=hit E2=sunk:2@E1-E2 | 3:C1-C3 2:E1-E2
"""


def test_a_game_that_somebody_played_is_shown_with_exact_odds(tmp_path):
    path = tmp_path / "game.txt"
    path.write_text(GAME)
    page = tmp_path / "game.html"
    shown = CliRunner().invoke(main, ["replay", str(path), "-s", "linear"])
    assert shown.exit_code == 0, shown.output
    lines = shown.output.splitlines()
    position = read_position(GAME, find_scenario("classic"))
    told = []
    for number, answer in enumerate(position.answers, start=1):
        left = naive.layouts_left(position.rules, told)
        cells = [cell for layout in left for ship in layout for cell in ship]
        share = cells.count(answer.cell) / len(left)
        line = next(line for line in lines if line.split()[:1] == [str(number)])
        assert line.split()[1] == cell_name(answer.cell, 5)
        assert f"{share:.1%}" in line
        told.append(tuple(answer))
    # Row by row to E2.
    assert "linear needs 22 moves on this layout" in lines
    written = CliRunner().invoke(main, ["replay", str(path), "-s", "linear", "-o", str(page)])
    assert written.exit_code == 0, written.output
    assert "so far" not in written.output
    assert "A game that was played" in page.read_text()


def test_odds_say_how_far_they_are_off_whoever_else_plays(tmp_path):
    path = tmp_path / "game.txt"
    path.write_text(GAME)
    words = ["replay", str(path), "--odds", "1e-8"]
    alone = CliRunner().invoke(main, words).output.splitlines()
    beside = CliRunner().invoke(main, [*words, "-s", "linear", "-s", "random"]).output.splitlines()
    assert beside[:-2] == alone
    assert re.search(r"miss +about \d+\.\d% ± \d\.\d%$", alone[2])
    # By symmetry, four cells are the most likely ones.
    assert "best" not in alone[2]
    assert alone[-2].startswith("%: chance to hit, best: the most likely cell, about: estimated")
    assert re.search(r" 1 shot has no odds: too few random layouts .* --odds", alone[-1])


def test_a_half_played_game_goes_on_where_it_was(tmp_path):
    half = "5x5 3-2 apart sunk: A1=miss C2=hit"
    runner = CliRunner(env={"XDG_STATE_HOME": str(tmp_path)})
    shown = runner.invoke(main, ["play", "--typed", "--from", half], input="C3\nquit\n")
    assert "Saved after 3 shots" in shown.output
    again = runner.invoke(main, ["play", "--typed", "--resume"], input="quit\n")
    assert "Saved after 3 shots" in again.output
    path = tmp_path / "board.txt"
    path.write_text("shot,answer\nA1,miss\nC2,hit\n")
    more = ["--from", str(path), "--scenario", "gym-5x5", "--new"]
    shown = runner.invoke(main, ["play", "--typed", *more], input="quit\n")
    assert "Saved after 2 shots" in shown.output


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["replay", "classic: A1=miss", "-s", "prob"], ["layout", "|"]),
        (["replay", "classic: A1=miss", "--seed", "3"], ["--seed"]),
        (["replay", "classic: A1=miss", "--scenario", "gym-5x5"], ["--scenario", "rules"]),
        (["odds", "classic:", "A1=miss", "--scenario", "gym-5x5"], ["--scenario", "rules"]),
        (["optimum", "gym-5x5: A1=miss", "--board", "6x6"], ["rules"]),
        (["optimum", "gym-5x5: A1=miss", "-s", "prob"], ["first shot", "--strategy"]),
        (["optimum", "gym-5x5: A1=miss A1=miss"], ["A1"]),
        (["odds", "gym-5x5: A1=miss", "--scenario", "classic"], ["--scenario", "rules"]),
        (["replay", "gym-5x5: A1=miss", "--scenario", "classic"], ["--scenario", "rules"]),
        (["replay", "gym-5x5: A1=miss", "--placement", "edge"], ["--scenario", "rules"]),
        (["replay", "gym-5x5: A1=hit A2=hit A3=sunk:3 C1=hit C2=sunk:2 E5=miss"], ["E5=miss"]),
        (["replay", "5x5 3-2 apart ship 2-shots joint: A1+A2=3:1"], ["|", "joint"]),
        (["replay", "5x5 3-2 touching sunk: B3=hit C4=hit B4=sunk:2"], ["B4=sunk:2", "@A1-A3"]),
        (["replay", "classic:"], ["no shots"]),
        (["odds", "gym-5x5: A1=miss ; layouts=5 best=A1"], [";", "reference"]),
        (["odds", "missing.txt"], ["missing.txt"]),
        (["odds", "3x3 2 touching hit: A1=hit C3=hit"], ["C3=hit"]),
        (["replay", "3x3 2 touching hit: A1=hit C3=hit"], ["C3=hit"]),
        (["optimum", "3x3 2 touching hit: A1=hit C3=hit"], ["C3=hit"]),
    ],
)
def test_commands_refuse_positions_in_a_sentence(words, named):
    shown = CliRunner().invoke(main, words)
    assert shown.exit_code == 2
    assert all(names(shown.output, name) for name in named), shown.output


def test_marks_of_digits_are_answers_in_odds_and_ships_in_a_file_of_layouts(tmp_path):
    path = tmp_path / "digits.txt"
    path.write_text("0 0 0 0 0\n0 2 2 0 0\n0 0 1 0 0\n0 0 0 0 0\n0 0 0 0 0\n")
    shown = CliRunner().invoke(main, ["odds", "--scenario", "gym-5x5", str(path)])
    told = CliRunner().invoke(main, ["odds", "gym-5x5: C3=miss B2=hit B3=hit"])
    assert shown.exit_code == 0
    assert shown.output == told.output
    rules = Rules(5, 5, (2, 1), touching=True)
    assert np.array_equal(read_layouts(str(path), rules), [[12, 24]])


def test_four_commands_read_the_same_file(tmp_path):
    board, listed = tmp_path / "board.txt", tmp_path / "listed"
    board.write_text("4x4 2-1 apart sunk:\n....\n.o..\n....\n....\n")
    listed.write_text("4x4 2-1 apart sunk:\nB2,miss\n")
    runner = CliRunner(env={"XDG_STATE_HOME": str(tmp_path)})
    for command in ("odds", "optimum", "play --typed --new --from", "replay"):
        for path in (board, listed):
            shown = runner.invoke(main, [*command.split(), str(path)], input="quit\n")
            if command == "replay" and path == board:
                # The order of its shots is not known.
                assert shown.exit_code == 2
                assert names(shown.output, "order")
                continue
            assert shown.exit_code == 0, shown.output
            assert names(shown.output, "Saved after 1 shot" if "--from" in command else "4x4")
    more = runner.invoke(main, ["odds", str(listed), "C2=hit"])
    assert more.output == runner.invoke(main, ["odds", "4x4 2-1 apart sunk: B2=miss C2=hit"]).output


def test_rules_alone_are_a_position_without_answers():
    shown = CliRunner().invoke(main, ["optimum", "3x3 2 touching hit:"])
    assert shown.exit_code == 0, shown.output
    assert "9/2" in shown.output
