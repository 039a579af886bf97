"""bsbench as a library: what a user at a Python prompt sees."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import os
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import bsbench
from bsbench import BsbenchError, Scenario
from bsbench.cli import main
from bsbench.rules.scenario import find_scenario
from tests.support import ROOT
from tests.support.refusals import refused

POND = Scenario("5x5", fleet=[3, 2], name="pond")


# The front door


def test_only_public_names_are_listed():
    assert set(dir(bsbench)) == {*bsbench.__all__, "__version__"}
    space: dict[str, object] = {}
    exec("from bsbench import *", space)
    assert set(bsbench.__all__) <= space.keys()


# Keywords


NOT_KEYWORDS = {
    # Who plays is given before.
    *("variants", "named", "given", "config", "origin", "trust", "record"),
    # Where it is saved, and what is printed: methods of the result.
    *("curve", "references", "order", "conditions", "quiet", "help"),
}
ALSO = {"strategy", "strategies", "first", "second", "vary", "progress", "journal"}
CALLED = {"scenarios": "scenario", "seeds": "seed", "sweeps": "sweep"}


@pytest.mark.parametrize("name", ["run", "compare", "tune"])
def test_keywords_are_those_of_the_options(name):
    command = main.get_command(click.Context(main), name)
    saving = {"What is saved", "Output"}
    options = {
        CALLED.get(each.name, each.name)
        for each in command.params
        if getattr(each, "heading", "") not in saving and each.name not in NOT_KEYWORDS
    }
    keywords = set(inspect.signature(getattr(bsbench, name)).parameters) - ALSO
    assert keywords - {"keep_moves"} == options - ALSO


# Wrong arguments


# `tests/test_fuzz_python.py` calls all that is public with anything.
WRONG = [
    lambda: bsbench.run([]),
    lambda: bsbench.run(["prob", 3]),
    lambda: bsbench.run("prob", []),
    lambda: bsbench.make_strategy("prob", {3: 3}),
    lambda: bsbench.run("over9000", sweep=["noise"]),
    lambda: bsbench.compare("prob", "random"),
    lambda: bsbench.compare(["prob", "random"], until="clear", margin="x"),
    lambda: bsbench.tune("over9000", "noise=0:1"),
    lambda: bsbench.load("@nothing"),
    lambda: bsbench.merge([3]),
    lambda: bsbench.Results([3]),
    lambda: bsbench.Scenario((8, "8")),
    lambda: bsbench.Scenario("8x8", fleet=["3"]),
    lambda: bsbench.Scenario("8x8", rules=POND.rules, feedback="hit"),
    lambda: POND.override(bord="8x8"),
    lambda: bsbench.Rules("8", 8, (3,), True),
    lambda: bsbench.replay("linear", odds=slice(3)),
    lambda: bsbench.check_strategy("linear", scenario=0),
    lambda: bsbench.run("linear", POND, games=9).save("x\0"),
    lambda: bsbench.run("linear", POND, games=9).plot(7),
]


@pytest.mark.parametrize("call", range(len(WRONG)))
def test_a_wrong_argument_gets_a_sentence(call, in_folder):
    with refused():
        WRONG[call]()


@pytest.mark.parametrize("name", ["run", "compare", "tune", "replay"])
def test_an_unknown_keyword_is_refused_with_a_similar_one(name):
    with refused(f"{name}()", "'feedbak'", "'feedback'", kind=TypeError):
        getattr(bsbench, name)("linear", "random", feedbak="hit")
    keywords = inspect.signature(getattr(bsbench, name)).parameters
    described = re.findall(r"^(\w.*?) : ", inspect.getdoc(getattr(bsbench, name)), re.MULTILINE)
    assert set(keywords) == {each for names in described for each in names.split(", ")}


# Options in messages: the same ones, as each front end writes them


FAR = "tcp://127.0.0.1:9"
MISUSES = [
    (lambda: bsbench.run("linear", exact=True, games=10), "run linear --exact -n 10"),
    (lambda: bsbench.run("linear", placement="each", until=1.0),
     "run linear --placement each --until 1"),
    (lambda: bsbench.run("linear", seed=1, secret_seed=True), "run linear --seed 1 --secret-seed"),
    (lambda: bsbench.run("linear", threads=2, engine=FAR),
     f"run linear --threads 2 --engine {FAR}"),
    (lambda: bsbench.tune("over9000", []), "tune over9000"),
    # In a process of its own.
    (lambda: bsbench.check_strategy("mine.py:Nowhere"), "check mine.py:Nowhere"),
]  # fmt: skip
NOWHERE = """
import bsbench

class Nowhere(bsbench.FixedOrder):
    name = "nowhere"

    def orders(self, games):
        raise NotImplementedError

    def fits(self, rules):
        return False
"""
TYPED = r"(?<![\w-])--([a-z][a-z-]*)"


@pytest.mark.parametrize(
    ("misuse", "words"),
    [
        pytest.param(*each, marks=[pytest.mark.slow] * each[1].startswith("check"), id=each[1])
        for each in MISUSES
    ],
)
def test_each_front_end_names_options_in_its_own_words(in_folder, misuse, words):
    Path("mine.py").write_text(NOWHERE)
    with pytest.raises(BsbenchError) as error:
        misuse()
    in_python = str(error.value)
    ended = CliRunner().invoke(main, shlex.split(words))
    assert ended.exit_code == 2, ended.output
    typed = {name.replace("-", "_") for name in re.findall(TYPED, ended.stderr)}
    functions = (getattr(bsbench, name) for name in ("run", "compare", "tune"))
    keywords = {name for each in functions for name in inspect.signature(each).parameters}
    assert typed
    assert typed <= keywords
    assert not re.search(TYPED, in_python)
    for name in typed:
        assert re.search(rf"'{name}'|\b{name}=", in_python), in_python
        assert not re.search(rf"'{name}'|\b{name}=", ended.stderr), ended.stderr


def test_a_name_that_is_taken_can_be_replaced_only_where_one_can_say_so(in_folder):
    result, game = bsbench.run("linear", POND, games=9), bsbench.replay("linear", POND)
    for each, name in ((result, "a"), (bsbench.Results([result]), "b"), (game, "c.html")):
        each.save(name)
        with refused() as error:
            each.save(name)
        has_force = "force" in inspect.signature(each.save).parameters
        assert ("force=True" in str(error.value)) == has_force


# Ways to say it


def test_a_scenario_is_made_of_its_parts():
    made = Scenario((8, 8), fleet="4,3,2", touching=False, feedback="sunk")
    assert made == Scenario("8x8", fleet=[4, 3, 2], touching=False, feedback="sunk")
    assert eval(repr(made)) == made
    assert Scenario().rules == find_scenario("classic").rules
    names = bsbench.scenario_names()
    assert "harbour" in names
    assert bsbench.find_scenario(made) is made


def test_parts_of_the_scenario_are_keywords():
    parts = {"board": "5x5", "fleet": [3, 2], "touching": False, "feedback": "hit"}
    expected = find_scenario("classic").override(**parts)
    played = [
        bsbench.run("linear", "classic", games=3, **parts),
        bsbench.compare(["linear", "random"], "classic", games=3, **parts).results[1],
        bsbench.replay("linear", "classic", **parts),
    ]
    assert [each.scenario for each in played] == [expected] * 3


class Downwards:
    def shoot(self, view):
        return view.open_cells[-1]


def downwards(view):
    return view.open_cells[-1]


def test_a_strategy_may_be_a_function_a_class_or_an_object():
    given = [downwards, lambda view: view.open_cells[-1], Downwards, Downwards(), "linear"]
    counts = [bsbench.run(each, POND, games=50).counts.tolist() for each in given]
    assert counts[0] == counts[1] == counts[2] == counts[3] != counts[4]
    assert bsbench.run(downwards, POND, games=5).label == "downwards"
    stateful = Downwards()
    stateful.memory = 3
    with refused("'memory'"):
        bsbench.run(stateful)
    with pytest.raises(bsbench.StrategyError, match=r"cell 0 \(A1\)"):
        bsbench.run(lambda view: 0, POND, games=5)


def test_several_runs_give_results(in_folder):
    results = bsbench.run(["linear", "random"], [POND, "gym-5x5"], seed="0,1", games=20)
    assert [(each.label, each.scenario.name, each.seed) for each in results[:3]] == [
        ("linear", "pond", 0),
        ("random", "pond", 0),
        ("linear", "pond", 1),
    ]
    assert (len(results), len(results.comparisons)) == (8, 4)
    assert list(results.to_frame()["label"]) == [each.label for each in results]
    alone = bsbench.run("random", POND, seed=1, games=20)
    assert (results[3].counts == alone.counts).all()
    results.save("eight")
    assert set(bsbench.load("eight")) == set(results)
    swept = bsbench.run("over9000", "classic", sweep={"noise": [0, 0.1]}, games=5)
    assert swept.to_frame()["noise"].tolist() == [0.0, 0.1]
    assert isinstance(bsbench.run(["linear"], POND, games=3), bsbench.Results)


def test_results_add_up_and_come_back_equal(in_folder):
    first = bsbench.run("linear", POND, games=60, keep_moves=False)
    second = bsbench.run("linear", POND, games=40, first_game=60)
    both = first + second
    assert (both.counts == bsbench.run("linear", POND, games=100).counts).all()
    with refused("games 0 to 59"):
        first + first
    for each in (first, second, both):
        again = bsbench.load(each.save(f"{each.first_game}-{each.games}"))
        assert (again, hash(again)) == (each, hash(each))
    assert first != second
    with refused("0-60.json"):
        first.save("0-60")
    first.save("0-60", force=True)


# What is shown


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append(tag)
        assert not any(name.startswith("on") for name, _ in attributes)


@pytest.fixture(scope="module")
def shown():
    compared = bsbench.compare(["linear", "random"], POND, games=200)
    return {
        "Result": compared.results[0],
        "Comparison": compared,
        "Results": bsbench.Results(compared.results),
    }


@pytest.mark.parametrize("kind", ["Result", "Comparison", "Results"])
def test_an_object_shows_itself(kind, shown):
    each = shown[kind]
    assert repr(each).startswith(f"<{kind}")
    assert len(repr(each)) < 200
    assert "linear" in str(each)
    assert r"\toprule" in each.to_latex()
    page, tags = each._repr_html_(), Tags()
    tags.feed(page)
    assert {"table", "svg"} <= set(tags.found)
    assert "script" not in tags.found
    assert each.to_frame()["mean"].notna().all()
    assert each.plot().axes


# What is documented


def _modules():
    # The check of a strategy takes long, and the search of a tuning; other tests run them.
    slow = {"runs.check", "runs.tuning"}
    return [
        pytest.param(f"bsbench.{module}", marks=[pytest.mark.slow] * (module in slow))
        for module in sorted(set(bsbench._MODULE_OF.values()))
    ]


@pytest.mark.parametrize("module", _modules())
def test_examples_of_public_names_are_true(module, in_folder):
    names = {"bsbench": bsbench, **{name: getattr(bsbench, name) for name in bsbench.__all__}}
    found = importlib.import_module(module)
    failed, _ = doctest.testmod(found, extraglobs=names, optionflags=doctest.ELLIPSIS)
    assert not failed


def test_the_tour_runs_as_written(in_folder, capsys):
    guide = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    space: dict[str, object] = {}
    checked = 0
    for block in re.findall(r"```python\n(.*?)```", guide, re.DOTALL):
        for node in ast.parse(block).body:
            code = ast.unparse(node)
            lines = block.splitlines()[node.lineno - 1 : node.end_lineno]
            if isinstance(node, ast.Try):
                node = node.handlers[0].body[-1]
                setup = code.replace(ast.unparse(node), f"shown = {ast.unparse(node)}")
                exec(setup, space)
                value = space["shown"]
            elif isinstance(node, ast.Expr):
                value = eval(code, space)
            else:
                exec(code, space)
                continue
            _, arrow, shown = lines[-1].partition("# → ")
            printed = capsys.readouterr().out
            if arrow:
                assert shown == (repr(value) if value is not None else printed.rstrip("\n"))
                checked += 1
    assert checked >= 12


# Completion


@pytest.mark.parametrize(
    ("words", "expected", "missing"),
    [
        ("run pro", "prob", "harbour"),
        ("run --scenario cla", "classic", "harbour"),
        ("compare @ classic/latt", "@classic/lattice", "classic/lattice"),
        ("show @classic/", "@classic/lattice", "@classic/reproduce"),
    ],
)
def test_the_shell_completes(words, expected, missing):
    found = [each.value for each in _completed(words)]
    assert expected in found
    assert missing not in found


def _completed(words):
    from click.shell_completion import ShellComplete

    *arguments, incomplete = words.split(" ")
    return ShellComplete(main, {}, "bsbench", "_BSBENCH_COMPLETE").get_completions(
        arguments, incomplete
    )


def test_completion_imports_nothing_slow():
    code = (
        "import sys\nfrom bsbench.cli import main\n"
        "try: main(prog_name='bsbench')\nexcept SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    words = {"COMP_WORDS": "bsbench run over9000-a", "COMP_CWORD": "2"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | words | {"_BSBENCH_COMPLETE": "bash_complete", "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "plain,over9000-adaptive" in done.stdout
    assert not {"numba", "pandas", "matplotlib"} & set(done.stderr.split())
