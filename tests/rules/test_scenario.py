from __future__ import annotations

import pytest

from bsbench.rules.board import Feedback, Rules
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import (
    Scenario,
    ScenarioFile,
    find_scenario,
    parse_parts,
    scenario_from_dict,
    scenario_names,
)
from tests.support import ROOT
from tests.support.damage import check_refusals
from tests.support.refusals import refused

GOOD = {"board": "10x10", "fleet": [5, 4], "touching": True, "feedback": "hit"}


def test_the_built_in_scenarios():
    assert list(scenario_names()) == [
        "classic",
        *(f"gym-{n}x{n}" for n in range(5, 13)),
        "harbour",
        "sea-battle",
        "topcoder",
    ]
    classic, harbour = find_scenario("classic").rules, find_scenario("harbour").rules
    assert classic.fleet == (5, 4, 3, 3, 2)
    assert (classic.touching, classic.feedback) == (True, Feedback.SHIP)
    assert harbour.fleet == (5, 4, 3, 3, 2, 2, 1, 1)
    assert (harbour.touching, harbour.feedback) == (False, Feedback.HIT)
    sea = Rules(10, 10, (4, 3, 3, 2, 2, 2, 1, 1, 1, 1), False, Feedback.SUNK, again=True)
    assert find_scenario("sea-battle").rules == sea
    for name in scenario_names():
        scenario = find_scenario(name)
        assert scenario.placement == Placement("uniform")
        assert scenario_from_dict(scenario.to_dict()) == scenario


@pytest.mark.parametrize(
    ("name", "fleet"),
    [("gym-5x5", (3, 2)), ("gym-12x8", (3, 3, 2)), ("gym-12x12", (5, 4, 3, 3, 2))],
)
def test_fleets_of_the_gym_family_adapt_to_the_smaller_side(name, fleet):
    rules = find_scenario(name).rules
    assert rules.fleet == fleet
    assert (rules.touching, rules.feedback) == (False, Feedback.SUNK)
    assert name == f"gym-{rules.board}"


def test_overrides_change_the_name():
    scenario = find_scenario("harbour").override(
        board=(8, 9),
        fleet=(4, 3),
        touching=True,
        feedback=Feedback.SHIP,
        placement=Placement("sequential", "fleet"),
    )
    assert scenario.name == "harbour+8x9+4-3+touching+ship+sequential:fleet"
    listed = find_scenario("harbour").override(placement=Placement("file", "some/where/ten.txt"))
    assert listed.name == "harbour+file:ten.txt"
    assert str(listed.placement) == "file:some/where/ten.txt"
    weighed = find_scenario("harbour").override(placement="weights:some/where/hot.csv")
    assert weighed.name == "harbour+weights:hot.csv"
    many = find_scenario("classic")
    for ships, shown in ((20, "-".join(["1"] * 20)), (21, "21-ships")):
        assert many.override(fleet=(1,) * ships).name == f"classic+{shown}"
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
    for named, wrong in (
        ("feedbak", {"feedbak": "hit"}),
        ("touching", {"touching": "no"}),
        ("fleet", {"fleet": [5, 4.5]}),
        ("board", {"board": (8,)}),
    ):
        with refused(named):
            classic.override(**wrong)
        with refused(named):
            Scenario(**wrong)
    with refused("board", "twice"):
        Scenario("10x10", board="8x8")


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
        with refused(part, text):
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
        ("edge:0.000000001", "edge:0.000000001"),
        ("file:a:b/c d.txt", "file:a:b/c d.txt"),
        ("weights:a:5", "weights:a:5"),
        ("direction-first", "direction-first:anew"),
        ("pick:spread:010", "pick:spread:10"),
    ],
)
def test_placement_laws_are_resolved(text, resolved):
    placement = Placement.parse(text)
    assert str(placement) == resolved
    assert Placement.parse(resolved) == placement
    law, _, option = text.partition(":")
    assert Placement(law, option or None) == placement


def test_a_scenario_file_needs_only_its_board_and_fleet(tmp_path):
    path = tmp_path / "pond.toml"
    path.write_text('board = "4x6"\nfleet = [3]\n')
    scenario = find_scenario(str(path))
    assert (scenario.name, scenario.rules.rows, scenario.rules.cols) == ("pond", 4, 6)
    assert str(scenario.placement) == "uniform"
    assert scenario.rules == find_scenario("classic").override(board="4x6", fleet="3").rules


def test_whatever_is_wrong_in_a_scenario_is_refused_by_its_key(tmp_path):
    path = tmp_path / "pond.toml"
    check_refusals(lambda path: find_scenario(str(path)), GOOD, ScenarioFile, path)


@pytest.mark.parametrize(
    ("named", "change"),
    [
        ("name", {"name": ""}),
        ("name", {"name": "a\nb"}),
        ("rows", {"board": "0x10"}),
        ("board", {"board": "999999999999x1"}),
        ("fleet", {"fleet": []}),
        ("11", {"fleet": [11]}),
        ("105", {"fleet": [5] * 21}),
        *(
            ("placement", {"placement": text})
            for text in (
                *("uniform:fast", "sequential:random", "nowhere", "file: "),
                *("edge:0", "edge:-3", "edge:", "edge:nan", "edge:1e3"),
                *("border:2", "direction-first:longest", "weights", "weights: "),
                *("pick", "pick:spread", "pick:far:3", "pick:border:1", "pick:border:1001"),
            )
        ),
        *(
            ("factor", {"placement": text})
            for text in ("edge:1000000001", "edge:0.1234567891", f"edge:{'0' * 40}3")
        ),
        # Passes the test of area, and only a full search shows it.
        ("fleet", {"board": "4x4", "fleet": [3, 3, 2], "touching": False}),
    ],
)
def test_wrong_scenarios_are_refused_in_one_sentence(named, change):
    with refused(named):
        scenario_from_dict(GOOD | change)


def test_a_fleet_that_fits_on_no_board_is_refused():
    with refused("fleet"):
        Scenario(name="pond", rules=Rules(3, 3, (2, 2, 1), touching=False))


def test_the_rules_of_a_scenario_are_rules():
    with refused("rules", "'classic'"):
        Scenario(name="pond", rules="classic")


@pytest.mark.parametrize(
    ("named", "content"),
    [("TOML", "board = ["), ("UTF-8", "\xff\xfe"), ("fleet", 'board = "4x4"\n')],
)
def test_damaged_scenario_files_are_named(tmp_path, named, content):
    path = tmp_path / "bad.toml"
    path.write_bytes(content.encode("latin-1"))
    with refused("bad.toml", named):
        find_scenario(str(path))


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("clasic", "classic"),
        ("zzz", "gym-5x5"),
        ("gym-4x9", "5"),
        ("gym-5x13", "12"),
        ("missing.toml", "missing.toml"),
    ],
)
def test_unknown_scenarios_are_refused(name, named):
    with refused(name, named):
        find_scenario(name)


def test_every_file_in_configs_is_a_built_in_scenario():
    files = sorted(ROOT.joinpath("configs").glob("*.toml"))
    assert [path.stem for path in files] == ["classic", "gym", "harbour", "sea-battle", "topcoder"]
