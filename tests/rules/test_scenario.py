from __future__ import annotations

import pytest

from bsbench.common.errors import BsbenchError
from bsbench.rules.board import Feedback
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import (
    find_scenario,
    parse_board,
    parse_parts,
    scenario_from_dict,
    scenario_names,
)
from tests.support import ROOT

GOOD = {"board": "10x10", "fleet": [5, 4], "touching": True, "feedback": "hit"}


def test_the_built_in_scenarios():
    assert list(scenario_names()) == [
        "classic",
        *(f"gym-{n}x{n}" for n in range(5, 13)),
        "harbour",
    ]
    classic, harbour = find_scenario("classic").rules, find_scenario("harbour").rules
    assert classic.fleet == (5, 4, 3, 3, 2)
    assert (classic.touching, classic.feedback) == (True, Feedback.SHIP)
    assert harbour.fleet == (5, 4, 3, 3, 2, 2, 1, 1)
    assert (harbour.touching, harbour.feedback) == (False, Feedback.HIT)
    for name in scenario_names():
        scenario = find_scenario(name)
        assert scenario.placement == Placement("uniform")
        assert scenario.source
        assert scenario.summary


@pytest.mark.parametrize(
    ("name", "fleet"),
    [
        ("gym-5x5", (3, 2)),
        ("gym-7x12", (3, 2)),
        ("gym-12x8", (3, 3, 2)),
        ("gym-9x9", (3, 3, 2)),
        ("gym-10x12", (5, 4, 3, 3, 2)),
        ("gym-12x12", (5, 4, 3, 3, 2)),
    ],
)
def test_fleets_of_the_gym_family_adapt_to_the_smaller_side(name, fleet):
    rules = find_scenario(name).rules
    assert rules.fleet == fleet
    assert (rules.touching, rules.feedback) == (False, Feedback.SUNK)
    assert name == f"gym-{rules.board}"


def test_a_scenario_survives_the_round_trip_through_its_dict():
    for name in scenario_names():
        scenario = find_scenario(name)
        assert scenario_from_dict(scenario.to_dict()) == scenario


def test_overrides_change_the_name():
    scenario = find_scenario("harbour").override(
        board=(8, 9),
        fleet=(4, 3),
        touching=True,
        feedback=Feedback.SHIP,
        placement=Placement("sequential", "fleet"),
    )
    assert scenario.name == "harbour+8x9+4-3+touching+ship+sequential:fleet"
    assert scenario.rules.board == "8x9"
    assert scenario.placement == Placement("sequential", "fleet")
    listed = find_scenario("harbour").override(placement=Placement("file", "some/where/ten.txt"))
    assert (listed.name, str(listed.placement)) == (
        "harbour+file:ten.txt",
        "file:some/where/ten.txt",
    )
    beside = find_scenario("harbour").override(placement=Placement("file", "x"))
    assert beside.name == "harbour+file:x"
    same = find_scenario("harbour").override(
        touching=False, feedback=Feedback.HIT, placement=Placement()
    )
    assert same == find_scenario("harbour") == find_scenario("harbour").override()


def test_overrides_are_checked_and_may_be_text():
    classic = find_scenario("classic")
    parts = {"board": "8x9", "fleet": "4,3", "feedback": "sunk", "placement": "edge"}
    changed = classic.override(**parts)
    assert changed.name == "classic+8x9+4-3+sunk+edge:3"
    values = parse_parts(parts)
    assert changed == classic.override(**values)
    for wrong in ({"feedbak": "hit"}, {"touching": "no"}, {"fleet": [5, 4.5]}, {"board": (8,)}):
        with pytest.raises(BsbenchError, match=r"feedbak|touching|fleet|board"):
            classic.override(**wrong)


def test_parts_are_read_from_text():
    texts = {"board": "8x9", "fleet": "4,3", "touching": False, "feedback": "ship"}
    parts = {"board": (8, 9), "fleet": (4, 3), "touching": False, "feedback": Feedback.SHIP}
    assert parse_parts(texts) == parts
    # As in a TOML file; what is not given is left out, and what is no part is ignored.
    assert parse_parts({"fleet": [5, 4], "placement": "edge:5", "board": None, "games": 3}) == {
        "fleet": (5, 4),
        "placement": Placement("edge", "5"),
    }
    for part, text in (("board", "8"), ("fleet", "4;3"), ("feedback", "all"), ("placement", "up")):
        with pytest.raises(BsbenchError, match=f"un(readable|known) .*{text}"):
            parse_parts({part: text})


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("uniform", "uniform"),
        ("sequential", "sequential:longest"),
        ("edge", "edge:3"),
        ("edge:3.0", "edge:3"),
        ("edge:.50", "edge:0.5"),
        ("edge:0100", "edge:100"),
        ("edge:1000000000", "edge:1000000000"),
        ("edge:0.000000001", "edge:0.000000001"),
        ("file:a:b/c d.txt", "file:a:b/c d.txt"),
    ],
)
def test_placement_laws_are_resolved(text, resolved):
    placement = Placement.parse(text)
    assert str(placement) == resolved
    assert Placement.parse(resolved) == placement
    law, _, option = text.partition(":")
    assert Placement(law, option or None) == placement


def test_a_scenario_file_needs_only_its_rules(tmp_path):
    path = tmp_path / "pond.toml"
    path.write_text('board = "4x6"\nfleet = [3]\ntouching = false\nfeedback = "sunk"\n')
    scenario = find_scenario(str(path))
    assert (scenario.name, scenario.rules.rows, scenario.rules.cols) == ("pond", 4, 6)
    assert str(scenario.placement) == "uniform"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"flet": [3]}, "unknown key 'flet': did you mean 'fleet'"),
        ({"zzz": 1}, "unknown key 'zzz': known are name, summary"),
        ({"name": ""}, "the name '' is empty"),
        ({"name": "a\nb"}, "can't be printed on a line"),
        ({"board": None}, "the key 'board' is missing"),
        ({"board": 10}, "the key 'board' wants text"),
        ({"board": "0x10"}, "1 to 250 rows, not 0"),
        ({"board": "ten by ten"}, "'board' wants text such as \"10x10\", not 'ten by ten'"),
        ({"board": "999999999999x1"}, "unreadable board"),
        ({"fleet": [3, -1]}, "'fleet' wants a list of whole numbers from 1, not"),
        ({"fleet": [3, 2.5]}, "the key 'fleet' wants a list of whole numbers from 1, not"),
        ({"fleet": [True]}, "the key 'fleet' wants a list of whole numbers from 1, not"),
        ({"fleet": []}, "the fleet is empty"),
        ({"fleet": [11]}, "length 11 can't fit on a 10x10"),
        ({"fleet": [5] * 21}, "105 ship cells are more than the 100 cells"),
        ({"touching": "no"}, "the key 'touching' wants true or false"),
        ({"feedback": "loud"}, 'the key .feedback. wants "hit", "sunk" or "ship", not .loud.'),
        ({"placement": "uniform:fast"}, "unknown option 'fast' of the placement law 'uniform'"),
        ({"placement": "sequential:random"}, "choose longest, shortest, fleet"),
        (
            {"placement": "nowhere"},
            "'nowhere': choose uniform, sequential, edge, file, avoid or each",
        ),
        ({"placement": "edge:0"}, "'edge' is a positive decimal number such as 0.5 or 3, not '0'"),
        ({"placement": "edge:-3"}, "a positive decimal number such as 0.5 or 3, not '-3'"),
        ({"placement": "edge:"}, "a positive decimal number such as 0.5 or 3, not ''"),
        ({"placement": "edge:0.0"}, "a positive decimal number"),
        ({"placement": "edge:nan"}, "a positive decimal number"),
        ({"placement": "edge:1/3"}, "a positive decimal number"),
        ({"placement": "edge:1000000001"}, "factor 1000000001 is too large or too fine"),
        ({"placement": "edge:0.1234567891"}, "factor 0.1234567891 is too large or too fine"),
        ({"placement": "edge:" + "9" * 5000}, "too large or too fine"),
        ({"placement": "file"}, "'file' wants the path of its layouts: file:PATH"),
        ({"placement": "file: "}, "'file' wants the path of its layouts"),
        # Passes the test of area, and only a full search shows it.
        ({"board": "4x4", "fleet": [3, 3, 2], "touching": False}, "every way to lay it out"),
    ],
)
def test_wrong_scenarios_are_refused_in_one_sentence(change, words):
    table = {key: value for key, value in {**GOOD, **change}.items() if value is not None}
    with pytest.raises(BsbenchError, match=words) as caught:
        scenario_from_dict(table)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("board = [", "is not valid TOML"),
        ("\xff\xfe", "is not a text in UTF-8"),
        ('board = "4x4"\n', "the key 'fleet' is missing"),
    ],
)
def test_damaged_scenario_files_are_named(tmp_path, content, words):
    path = tmp_path / "bad.toml"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(BsbenchError, match=words) as caught:
        find_scenario(str(path))
    assert "bad.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("clasic", "unknown scenario 'clasic': did you mean 'classic'"),
        ("zzz", "built in are classic, gym-5x5"),
        ("gym-4x9", "there is no gym-4x9: sides go from 5 to 12"),
        ("gym-5x13", "there is no gym-5x13"),
        ("missing.toml", "can't read the scenario file missing.toml"),
    ],
)
def test_unknown_scenarios_are_refused(name, words):
    with pytest.raises(BsbenchError, match=words):
        find_scenario(name)


def test_parse_board():
    assert parse_board("10x12") == (10, 12)


def test_every_file_in_configs_is_a_built_in_scenario():
    files = sorted(ROOT.joinpath("configs").glob("*.toml"))
    assert [path.stem for path in files] == ["classic", "gym", "harbour"]
