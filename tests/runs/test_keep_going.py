"""Strategies of others: who is left out and why, what they may use, and the page of all."""

from __future__ import annotations

import json
import math
import re
import sys
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.errors import StrategyError
from bsbench.roster import as_strategy
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.stats import Difference, rank_intervals
from tests.support.refusals import assert_refused, assert_sentence, refused

linux = pytest.mark.skipif(sys.platform != "linux", reason="limits on memory need Linux")

POND = Scenario(name="pond", rules=Rules(5, 5, (3, 2), touching=True, feedback=Feedback.SUNK))

GOOD = """
class Hunter:
    def shoot(self, view):
        return view.open_cells[0]
"""
STUDENTS = {
    "ada": GOOD,
    "ben": """
class Hunter:
    def shoot(self, view):
        return [3, 1, 4][len(view.shots)]
""",
    "cleo": """
import time
class Sleeper:
    def shoot(self, view):
        while len(view.shots) == 1:
            time.sleep(0.1)
        return view.open_cells[0]
""",
    "dan": """
class Hoarder:
    def reset(self, rules, rng):
        self.boards = []
    def shoot(self, view):
        while True:
            self.boards.append([0] * 50_000_000)
""",
    "eve": "import numpi",
    "hal": "import time\ntime.sleep(3600)",
    "jo": "numbers = [0] * 200_000_000" + GOOD,
    "kim": "import bsbench\nclass Kernels(bsbench.Strategy):\n    def shoot(self, view): ...",
}
# What the problem names, and the line to blame. Other files that are no strategy:
# tests/own/test_plugins.py.
PLAYED = {
    "ben": (["IndexError", "list index out of range"], "ben.py, line 4, in shoot"),
    "cleo": (["1.5 s"], "line 6"),
    "dan": (["MemoryError"], "dan.py, line 7, in shoot"),
}
REFUSED = {
    "students/eve.py": (["ModuleNotFoundError"], "line 1: import numpi"),
    "students/hal.py": (["1.5 s"], "line 2: time.sleep"),
    "students/jo.py": (["MemoryError"], "jo.py, line 1"),
    "students/kim.py": (["trust"], ""),
}


def _compare(*arguments: str):
    return CliRunner().invoke(main, ["compare", *arguments], prog_name="bsbench")


def _pond(path) -> str:
    (path / "pond.toml").write_text(
        'name = "pond"\nboard = "5x5"\nfleet = [3, 2]\ntouching = true\nfeedback = "sunk"\n'
    )
    return "pond.toml"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Play a class of students, in a folder of its own; return the folder and what is printed."""
    folder = tmp_path_factory.mktemp("class")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        (folder / "students").mkdir()
        for name, code in STUDENTS.items():
            (folder / "students" / f"{name}.py").write_text(code)
        files = [f"students/{name}.py" for name in STUDENTS]
        limits = [
            "--limit-seconds",
            "1.5",
            "--limit-memory",
            "512M",
            "--threads",
            "1",
            "--scenario",
        ]
        output = ["--keep-going", "--report", "class.html", "--export-json", "class.json"]
        found = _compare(*files, "random", *limits, _pond(folder), "-n", "60", *output)
    assert found.exit_code == 1, found.output
    return folder, found


@pytest.mark.ci
@linux
def test_a_failure_ends_no_comparison_and_says_why(played):
    folder, found = played
    record = json.loads((folder / "class.json").read_text())
    assert record["faults"].keys() == {*PLAYED, *REFUSED}
    for name, (named, line) in {**PLAYED, **REFUSED}.items():
        problem, _, rest = record["faults"][name].partition("\n")
        assert_sentence(problem, name, *named)
        assert line in rest
        assert f"left out: {record['faults'][name]}" in found.stderr
    assert "bsbench replay --strategy students/ben.py --" in found.stderr
    ranks = {each["label"]: each["rank"]["place"] for each in record["strategies"]}
    assert ranks == {"ada": 1, "random": 2}


@pytest.mark.ci
@linux
def test_the_page_says_who_failed_and_where(played):
    folder, _ = played
    text = (folder / "class.html").read_text()
    faults = re.findall(r'(?s)<div class="fault">\s*<p><strong>(.*?)</strong>(.*?)</div>', text)
    assert {name for name, _ in faults} == {*PLAYED, *REFUSED}
    record = json.loads((folder / "class.json").read_text())["faults"]
    for name, said in faults:
        (line, *_) = re.findall(r"<pre>(.*?)</pre>", said) or [""]
        assert unescape(line) in record[name]
        assert ("--game 0</pre>" in said) == ("--game 0" in record[name])
    # The game in which each of three failed, and those of each that is ranked.
    assert len(re.findall("data-page", text.partition("<script")[0])) == 3
    data = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])
    (scene,) = data["scenes"]
    assert [each["label"] for each in scene["strategies"] if each["pages"]] == ["ada", "random"]
    assert all(each["rank"] for each in scene["strategies"])
    assert str(folder) not in text


def test_what_is_not_there_is_bad_input(in_folder):
    ended = _compare("cmd:./nosuchbot", "random", "linear", "--keep-going", "-n", "9")
    assert_refused(ended, "./nosuchbot")


@pytest.mark.ci
def test_without_keep_going_code_that_cannot_be_loaded_is_bad_input(in_folder):
    (in_folder / "eve.py").write_text(STUDENTS["eve"])
    (in_folder / "two.py").write_text("class A: ...\n")
    named = ["eve.py", "two.py", "linear", "random"]
    ended = _compare(*named, "-n", "9")
    assert ended.exit_code == 2
    assert "eve.py" in ended.stderr
    found = bsbench.compare(named, POND, games=9, keep_going=True, threads=1)
    assert [result.label for result in found.results] == ["linear", "random"]
    assert [*found.faults] == ["eve.py", "two.py"]
    with refused("eve.py", "ModuleNotFoundError", lines=2):
        bsbench.compare(["eve.py", "linear"], POND, games=9, keep_going=True, threads=1)


def test_every_two_are_compared_on_the_same_games():
    names = ["linear", "random", "smart", "prob"]
    found = bsbench.compare(names, POND, games=500, seed=3)
    moves = {
        name: bsbench.run(name, POND, games=500, seed=3, keep_moves=True).moves.astype(int)
        for name in names
    }
    differences, races = found.crossed()
    for i, first in enumerate(names):
        for j, second in enumerate(names):
            each = moves[first] - moves[second]
            assert (races[i][j].wins, races[i][j].losses) == ((each < 0).sum(), (each > 0).sum())
            assert differences[i][j].mean == pytest.approx(each.mean())
            if i != j:
                width = 1.959963984540054 * each.std(ddof=1) / math.sqrt(500)
                assert differences[i][j].half_width == pytest.approx(width)
    low, high = rank_intervals(differences)
    means = [moves[name].mean() for name in names]
    places = [1 + sum(other < mean for other in means) for mean in means]
    assert found.ranks == tuple(zip(places, low, high, strict=True))
    frame = found.to_frame()
    assert frame[["rank", "rank_low", "rank_high"]].values.tolist() == list(map(list, found.ranks))


def test_ranks_are_as_sure_as_their_differences():
    means, width = [50.0, 50.5, 60.0, 61.0], 0.9
    differences = [[Difference(one - other, width) for other in means] for one in means]
    low, high = rank_intervals(differences)
    assert low.tolist() == [1, 1, 3, 3]
    assert high.tolist() == [2, 2, 4, 4]
    # At 0.9, a difference of 1.0 alone is clear; beside others it is not.
    low, high = rank_intervals([row[2:] for row in differences[2:]])
    assert (low.tolist(), high.tolist()) == ([1, 2], [1, 2])
    unknown = [[Difference(0.0, math.nan)] * 2] * 2
    assert [ranks.tolist() for ranks in rank_intervals(unknown)] == [[1, 1], [2, 2]]
    assert [ranks.tolist() for ranks in rank_intervals([])] == [[], []]


SLOW = """
import time
class Slow:
    def shoot(self, view):
        time.sleep(0.002)
        return view.open_cells[0]
"""


def test_time_that_is_used_up_ends_a_strategy_after_whole_games(in_folder):
    (in_folder / "slow.py").write_text(SLOW)
    found = bsbench.compare(
        ["slow.py", "linear", "random"], POND, games=5_000, limit_seconds=0.5, threads=2
    )
    fault = found.faults["slow"]
    assert fault.replay == ""
    assert_sentence(fault.problem, "0.5 s")
    assert 1 <= fault.result.games < 1_000
    assert fault.result.label == "slow"
    assert [result.games for result in found.results] == [5_000] * 2


FICKLE = """
from pathlib import Path
Path("imported").open("a").write("x")
if len(Path("imported").read_text()) > 1:
    raise OSError("only once")
"""


def test_whatever_keeps_a_strategy_from_playing_on_is_its_fault(in_folder):
    (in_folder / "fickle.py").write_text(FICKLE + GOOD)
    named = ["fickle.py", "linear", "random"]
    found = bsbench.compare(named, POND, games=9, threads=2, keep_going=True)
    fault = found.faults["fickle"]
    assert_sentence(fault.problem, "fickle.py", "OSError", "only once")
    assert fault.line.startswith("fickle.py, line 5")
    assert [result.label for result in found.results] == ["linear", "random"]
    Path("imported").unlink()
    (in_folder / "fickle.py").write_text(f"{FICKLE}{GOOD}    again = True\n")
    with refused("fickle.py", "only once", lines=2):
        bsbench.compare(named, POND, games=9, threads=2)


@pytest.mark.ci
def test_where_nobody_can_play_on_all_say_why(in_folder):
    for name in ("ben", "eve", "sue"):
        (in_folder / f"{name}.py").write_text(STUDENTS[name if name == "eve" else "ben"])
    with pytest.raises(StrategyError) as failed:
        bsbench.compare(["ben.py", "eve.py", "sue.py"], POND, games=9, keep_going=True, threads=1)
    for name, named in (("ben", "IndexError"), ("sue", "IndexError"), ("eve.py", "numpi")):
        assert re.search(f"^strategy '{name}'.*{named}", str(failed.value), re.M)


@pytest.mark.ci
def test_a_file_gives_its_name_unless_a_class_is_named(in_folder):
    (in_folder / "two.py").write_text(
        "from dataclasses import dataclass\n@dataclass\nclass Step:\n    step: int = 2\n"
        "    def shoot(self, view): return view.open_cells[0]\n" + GOOD
    )
    for name in ("one", "random"):
        (in_folder / f"{name}.py").write_text(GOOD)
    (in_folder / "b").mkdir()
    (in_folder / "b" / "one.py").write_text(GOOD)
    (in_folder / "kim.py").write_text(STUDENTS["kim"])
    given = ["two.py:Step,step=3", "two.py:Step", "two.py:Hunter", "b/one.py", "one.py"]
    found = bsbench.compare([*given, "random.py"], POND, games=5, threads=1)
    labels = [result.label for result in found.results]
    assert labels == [
        "step step=3",
        "step",
        "hunter (two.py:Hunter)",
        "one (b/one.py)",
        "one (one.py)",
        # A built-in strategy has its name.
        "hunter (random.py)",
    ]
    assert as_strategy("kim.py").name == "kim"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("--limit-memory 1M", ["16M"]),
        ("--limit-seconds nan", ["--limit-seconds", "nan"]),
        ("--limit-seconds 9 --engine tcp://a:1", ["limits"]),
        ("--fail-if mean>101%", ["'mean>101%'", "--reference"]),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(in_folder, arguments, named):
    assert_refused(_compare("linear", "random", *arguments.split(), "-q"), *named)
    assert not list(in_folder.iterdir())


BOT = f"""#!{sys.executable}
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "game":
        cells = iter(range(100))
    elif word == "shoot":
        print(next(cells) if len(sys.argv) < 2 else bytearray(1 << 29), flush=True)
    elif word in ("bsbench", "rules"):
        print("ready", flush=True)
"""


@pytest.mark.ci
@linux
def test_programs_have_the_same_limits(in_folder):
    (in_folder / "bot.py").write_text(BOT)
    (in_folder / "bot.py").chmod(0o755)
    (in_folder / "mine.py").write_text(GOOD)
    command = "cmd:./bot.py"
    with pytest.warns(bsbench.common.errors.BsbenchWarning, match="'bot' .* 5 lines"):
        found = bsbench.compare(
            [command, f"{command} x", "mine.py"], POND, games=20, threads=1, limit_memory="128M"
        )
    assert [result.label for result in found.results] == ["bot", "mine"]
    fault = found.faults["bot arguments=x"]
    assert_sentence(fault.problem, "memory")
    assert "MemoryError" in fault.line


# The reference.


def _best(found) -> str:
    return min(found.results, key=lambda result: result.stats.mean).label


def test_unless_it_is_named_the_reference_is_the_best():
    names = ["random", "smart", "linear", "prob"]
    found = bsbench.compare(names, POND, games=3_000)
    assert found.reference == _best(found)
    named = bsbench.compare(names, POND, games=3_000, reference=found.reference)
    assert named.reference == found.reference
    assert [*map(str, found.differences)] == [*map(str, named.differences)]
    assert bsbench.compare(names, POND, games=3_000, reference="random").reference == "random"
    assert bsbench.compare([*found.results]).reference == found.reference


@pytest.mark.ci
def test_where_moves_are_forgotten_the_best_of_the_first_games_is_the_reference(monkeypatch):
    monkeypatch.setattr("bsbench.runs.panel.CHUNK", 1_000)
    names = ["random", "linear", "prob"]
    found = bsbench.compare(names, POND, games=70_000, keep_moves=False)
    assert found.reference == _best(found)
    assert found.paired == (True, True, True)
    named = bsbench.compare(names, POND, games=70_000, reference=found.reference)
    assert [*map(str, found.differences)] == [*map(str, named.differences)]
