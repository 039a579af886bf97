"""Plans of what `bsbench reproduce` plays."""

from __future__ import annotations

import pytest

from bsbench.common.errors import BsbenchError
from bsbench.reproduce.folder import check_plan
from bsbench.reproduce.plan import find_plan, plan_names

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


def test_a_plan_is_one_part_unless_it_has_several(tmp_path):
    plan = find_plan(
        _write(
            tmp_path,
            'title = "Mine"\ntext = "Why."\nscenario = "pond.toml"\nstrategies = ["random", '
            '"linear"]\ncharts = ["ecdf"]\nfeedback = "ship"\n',
        )
    )
    assert (plan.name, plan.command) == ("mine", "bsbench reproduce mine.toml")
    assert (plan.title, plan.text) == ("Mine", "Why.")
    (part,) = plan.parts
    assert (part.name, part.title, part.text) == ("", "", "")
    assert (part.games, part.seed, part.reference) == (100_000, 0, None)
    assert (part.strategies, part.charts) == (("random", "linear"), ("ecdf",))
    assert part.scenario.name == "pond+ship"


def test_parts_take_what_they_leave_out_from_the_plan(tmp_path):
    plan = find_plan(
        _write(
            tmp_path,
            """
            title = "Whole"
            text = "Of all."
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
    first, second = plan.parts
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
        "over9000,noise=0.0",
        "over9000,edge_weight=1.0,noise=0.0",
        "over9000,edge_weight=1.2,noise=0.0",
        "over9000,edge_weight=1.4,noise=0.0",
        "linear",
    )
    assert swept.reference == "over9000 noise=0.0"
    assert unswept.strategies == ("over9000,noise=0", "linear")
    assert unswept.reference is None
    assert other.reference == "linear"
    assert "over9000,edge_weight=1.0,noise=1.0" in other.strategies
    check_plan(plan)


def test_a_sweep_runs_no_code_of_strangers(tmp_path):
    (tmp_path / "theirs.py").write_text("raise SystemExit('their code runs')\n")
    path = _write(
        tmp_path,
        f'title = "T"\nscenario = "classic"\nstrategies = ["{tmp_path}/theirs.py:X"]\n'
        'sweep = ["noise=1"]\n',
    )
    with pytest.raises(BsbenchError, match="which is not built in: its code would run"):
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


def test_files_of_layouts_are_seen_from_the_plan(tmp_path, monkeypatch):
    (tmp_path / "plans").mkdir()
    path = _write(
        tmp_path / "plans",
        'title = "T"\nscenario = "classic"\nstrategies = ["random", "linear"]\n'
        'placement = "file:../pond.txt"\n',
    )
    monkeypatch.chdir(tmp_path)
    assert str(find_plan(path).parts[0].scenario.placement) == "file:pond.txt"
    monkeypatch.chdir(tmp_path / "plans")
    assert str(find_plan("mine.toml").parts[0].scenario.placement) == "file:../pond.txt"


def test_games_and_seed_given_are_those_of_all_parts_and_of_the_command():
    plan = find_plan("harbour", games=50, seed=9)
    assert {(part.games, part.seed) for part in plan.parts} == {(50, 9)}
    assert plan.command == "bsbench reproduce harbour --games 50 --seed 9"


@pytest.mark.parametrize("name", plan_names())
def test_bundled_plans_can_be_played(name):
    plan = find_plan(name)
    check_plan(plan)
    assert plan.command == f"bsbench reproduce {name}"
    # Strategies that count all layouts take their time.
    least = 5_000 if name == "posterior" else 200_000
    assert all(part.games >= least for part in plan.parts)


def test_the_bundled_ones_are_there():
    assert {"classic", "edge", "efficiency-harbour", "harbour", "parameters"} <= set(plan_names())


WHOLE = 'title = "T"\nscenario = "classic"\nstrategies = ["random", "linear"]\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "the key 'title' is missing"),
        ('title = "T"', "the key 'scenario' is missing"),
        ('title = "T"\nscenario = "classic"', "the key 'strategies' is missing"),
        (WHOLE + "game = 3", "unknown key 'game': did you mean 'games'?"),
        (WHOLE + 'name = "x"', "unknown key 'name'"),
        (WHOLE + "games = 1e6", "the key 'games' wants a whole number from 0, not 1000000.0"),
        (WHOLE + 'charts = "ecdf"', "the key 'charts' wants a list of texts such as"),
        (WHOLE + "charts = [3]", "the key 'charts' wants a list of texts such as"),
        (WHOLE + "parts = [3]", "the key 'parts[0]' wants a table, not 3"),
        (WHOLE + "parts = []", "the list of parts is empty"),
        (WHOLE + "[[parts]]\nseeds = 1", "unknown key 'seeds' in 'parts[0]': did you mean 'seed'?"),
        (WHOLE + '[[parts]]\nname = "../x"', "the part's name '../x' begins names of files"),
        (WHOLE + "[[parts]]\n[[parts]]", "two parts have no name"),
        (WHOLE + '[[parts]]\nname="a"\n[[parts]]\nname="a"', "two parts are named 'a'"),
        (WHOLE + "fleet = [99]", "99"),
        ('title = "T"\nscenario = "classik"\nstrategies = ["random"]', "did you mean 'classic'?"),
        ('title = "T"\nscenario = "classic"\nstrategies = []', "is an empty list"),
        (
            'title = "T"\nscenario = "classic"\nstrategies = [1]',
            "the key 'strategies' wants a list of texts",
        ),
        (WHOLE + 'sweep = "noise=1"', "the key 'sweep' wants a list of texts such as"),
        (WHOLE + 'sweep = ["noise=1"]', "none of the strategies random, linear has a parameter"),
        (WHOLE + 'sweep = ["noise"]', "unreadable sweep 'noise'"),
    ],
)
def test_wrong_plans_are_refused_by_file_and_key(tmp_path, content, words):
    path = _write(tmp_path, content)
    with pytest.raises(BsbenchError) as caught:
        find_plan(path)
    assert words in str(caught.value)
    assert path in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('strategies = ["random", "linaer"]', "did you mean 'linear'?"),
        ('strategies = ["random", "random"]', "named twice"),
        ('strategies = ["random"]', "a comparison takes two strategies or more"),
        ('strategies = ["random", "linear"]\nreference = "prob"', "none of the strategies"),
        ('strategies = ["random", "linear"]\ngames = 0', "can't play 0 games"),
        ('strategies = ["random", "lattice"]\nfeedback = "hit"', "needs feedback 'sunk'"),
        ('strategies = ["random", "linear"]\ncharts = ["ekdf"]', "did you mean 'ecdf'?"),
        ('strategies = ["random", "linear"]\ncharts = ["ecdf:random"]', "is of all: write ecdf"),
        ('strategies = ["random", "linear"]\ncharts = ["sweep"]', "a strategy: give a sweep"),
        ('strategies = ["random", "linear"]\ncharts = ["sweep:linear"]', "all: write sweep"),
        ('strategies = ["random", "linear"]\ncharts = ["shots"]', "write shots:STRATEGY"),
        ('strategies = ["random", "linear"]\ncharts = ["shots:prob"]', "none of the strategies"),
        ('strategies = ["bob", "linear"]\ncharts = ["reliability"]', "computes no probabilities"),
    ],
)
def test_plans_that_can_not_be_played_are_refused(tmp_path, content, words):
    path = _write(tmp_path, f'title = "T"\nscenario = "classic"\n{content}\n')
    with pytest.raises(BsbenchError) as caught:
        check_plan(find_plan(path))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("clasic", "unknown plan 'clasic': did you mean 'classic'?"),
        ("nowhere.toml", "can't read the plan nowhere.toml: No such file"),
    ],
)
def test_what_is_not_there_is_named(in_folder, name, words):
    with pytest.raises(BsbenchError, match=words.replace("?", r"\?")):
        find_plan(name)
