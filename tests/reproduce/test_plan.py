"""Plans of what `bsbench reproduce` plays."""

from __future__ import annotations

import tomllib

import pytest

from bsbench.reproduce.folder import check_plan
from bsbench.reproduce.plan import PlanRecord, find_plan, plan_names
from tests.support.damage import check_refusals
from tests.support.refusals import refused

POND = """
board = "6x6"
fleet = [3, 2]
touching = true
feedback = "sunk"
"""


def _write(folder, text: str) -> str:
    (folder / "pond.toml").write_text(POND, encoding="utf-8")
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    return str(folder / "mine.toml")


def test_parts_take_what_they_leave_out_from_the_plan(tmp_path):
    plan = find_plan(
        _write(
            tmp_path,
            """
            title = "Whole"
            text = "Of all."
            charts = ["ecdf"]
            scenario = "harbour"
            strategies = ["smart", "prob"]
            games = 7
            seed = 3
            reference = "prob"

            [[parts]]
            title = "First"

            [[parts]]
            name = "second"
            placement = "edge:2"
            strategies = ["random", "prob"]
            games = 9
            """,
        )
    )
    assert (plan.name, plan.command) == ("mine", "bsbench reproduce mine.toml")
    assert (plan.title, plan.text) == ("Whole", "Of all.")
    first, second = plan.parts
    assert first.charts == second.charts == ("ecdf",)
    assert (first.title, first.text, second.title) == ("First", "", "")
    assert (first.strategies, second.strategies) == (("smart", "prob"), ("random", "prob"))
    assert [(part.games, part.seed, part.reference) for part in plan.parts] == [
        (7, 3, "prob"),
        (9, 3, "prob"),
    ]
    assert [part.scenario.name for part in plan.parts] == ["harbour", "harbour+edge:2"]


def test_a_sweep_adds_its_points(tmp_path):
    plan = find_plan(
        _write(
            tmp_path,
            """
            title = "Sweeps"
            scenario = "classic"
            strategies = ["over9000,noise=0", "linear"]
            sweep = ["edge_weight=1:1.4:0.2"]

            [[parts]]

            [[parts]]
            name = "none"
            sweep = []

            [[parts]]
            name = "other"
            reference = "linear"
            sweep = ["edge_weight=1", "noise=0,1"]
            """,
        )
    )
    swept, unswept, other = plan.parts
    assert swept.strategies == (
        "over9000,edge_weight=1.0,noise=0.0",
        "over9000,edge_weight=1.2,noise=0.0",
        "over9000,edge_weight=1.4,noise=0.0",
        "linear",
    )
    assert swept.reference == "over9000 edge_weight=1.0 noise=0.0"
    assert unswept.strategies == ("over9000,noise=0", "linear")
    assert unswept.reference is None
    assert other.reference == "linear"
    assert "over9000,edge_weight=1.0,noise=1.0" in other.strategies
    check_plan(plan)
    # A plan without parts has one, with what else is left out.
    (part,) = find_plan(_write(tmp_path, WHOLE)).parts
    assert (part.name, part.games, part.seed, part.reference) == ("", 100_000, 0, None)


def test_a_sweep_runs_no_code_of_strangers(tmp_path):
    (tmp_path / "theirs.py").write_text("raise SystemExit('their code runs')\n")
    path = _write(
        tmp_path,
        f'title = "T"\nscenario = "classic"\nstrategies = ["{tmp_path}/theirs.py:X"]\n'
        'sweep = ["noise=1"]\n',
    )
    with refused("mine.toml", "trust=True"):
        find_plan(path)


def test_a_sweep_of_a_strategy_of_ones_own_finds_it(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from dataclasses import dataclass\n@dataclass\nclass Mine:\n    start: int = 0\n"
        "    def shoot(self, view):\n        return view.open_cells[self.start]\n"
    )
    path = _write(
        tmp_path,
        f'title = "T"\nscenario = "classic"\nstrategies = ["{tmp_path}/mine.py:Mine"]\n'
        'sweep = ["start=0,1"]\n',
    )
    plan = find_plan(path, trust=True)
    (part,) = plan.parts
    assert part.strategies == (f"{tmp_path}/mine.py:Mine", f"{tmp_path}/mine.py:Mine,start=1")
    check_plan(plan)


@pytest.mark.parametrize("law", ["file", "weights"])
def test_files_of_laws_are_seen_from_the_plan(tmp_path, monkeypatch, law):
    (tmp_path / "plans").mkdir()
    path = _write(
        tmp_path / "plans",
        'title = "T"\nscenario = "classic"\nstrategies = ["random", "linear"]\n'
        f'placement = "{law}:../pond.txt"\n',
    )
    monkeypatch.chdir(tmp_path)
    assert str(find_plan(path).parts[0].scenario.placement) == f"{law}:pond.txt"
    monkeypatch.chdir(tmp_path / "plans")
    assert str(find_plan("mine.toml").parts[0].scenario.placement) == f"{law}:../pond.txt"


@pytest.mark.parametrize("name", plan_names())
def test_bundled_plans_can_be_played(name):
    plan = find_plan(name)
    check_plan(plan)
    assert plan.command == f"bsbench reproduce {name}"
    # Strategies that count all layouts take their time.
    least = 5_000 if name == "posterior" else 200_000
    assert all(part.games >= least for part in plan.parts)


def test_games_and_seed_given_are_those_of_all_parts_and_of_the_command():
    plan = find_plan("harbour", games=50, seed=9)
    assert {(part.games, part.seed) for part in plan.parts} == {(50, 9)}
    assert plan.command == "bsbench reproduce harbour --games 50 --seed 9"


WHOLE = 'title = "T"\nscenario = "classic"\nstrategies = ["random", "linear"]\n'
PARTS = WHOLE + '[[parts]]\nname = "a"\n[[parts]]\nname = "b"\n'


def test_whatever_is_wrong_in_a_plan_is_refused_by_its_key(tmp_path):
    path = tmp_path / "mine.toml"
    check_refusals(lambda path: find_plan(str(path)), tomllib.loads(PARTS), PlanRecord, path)


@pytest.mark.parametrize(
    ("named", "content"),
    [
        ("scenario", 'title = "T"'),
        ("strategies", 'title = "T"\nscenario = "classic"\nstrategies = []'),
        ("name", WHOLE + 'name = "x"'),
        ("parts", WHOLE + "parts = []"),
        ("parts", WHOLE + "[[parts]]\n" * 201),
        ("../x", WHOLE + '[[parts]]\nname = "../x"'),
        ("a", WHOLE + '[[parts]]\nname="a"\n[[parts]]\nname="a"'),
        ("99", WHOLE + "fleet = [99]"),
        ("classic", 'title = "T"\nscenario = "classik"\nstrategies = ["random"]'),
        ("noise", WHOLE + 'sweep = ["noise"]'),
    ],
)
def test_wrong_plans_are_refused_by_file_and_key(tmp_path, named, content):
    path = _write(tmp_path, content)
    with refused(path, named):
        find_plan(path)


@pytest.mark.parametrize(
    ("named", "content"),
    [
        ("linear", 'strategies = ["random", "linaer"]'),
        ("random", 'strategies = ["random", "random"]'),
        ("two", 'strategies = ["random"]'),
        ("prob", 'strategies = ["random", "linear"]\nreference = "prob"'),
        ("0", 'strategies = ["random", "linear"]\ngames = 0'),
        ("sunk", 'strategies = ["random", "lattice"]\nfeedback = "hit"'),
        ("ecdf", 'strategies = ["random", "linear"]\ncharts = ["ekdf"]'),
        ("sweep", 'strategies = ["random", "linear"]\ncharts = ["sweep:linear"]'),
        ("shots:STRATEGY", 'strategies = ["random", "linear"]\ncharts = ["shots"]'),
        ("prob", 'strategies = ["random", "linear"]\ncharts = ["shots:prob"]'),
    ],
)
def test_plans_that_can_not_be_played_are_refused(tmp_path, named, content):
    path = _write(tmp_path, f'title = "T"\nscenario = "classic"\n{content}\n')
    with refused(named):
        check_plan(find_plan(path))
