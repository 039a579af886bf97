"""Leagues: who is ranked where, who failed and why, and what is said of each two."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.errors import BsbenchWarning
from bsbench.common.journal import Journal
from bsbench.common.settings import read_bytes
from bsbench.own.thinker import Limits
from bsbench.present.tables import time_text
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.stats import Difference
from bsbench.studies.league.page import html_text
from bsbench.studies.league.sheet import notes, ranking_columns
from bsbench.studies.league.study import (
    Entrant,
    about_league,
    check_records,
    enter,
    play_league,
    rank_intervals,
)
from tests.support.browsing import NEEDS_BROWSER, barriers, contrast, emulate, requests
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
            self.boards.append([0] * 1_000_000)
""",
    "eve": "import numpi",
    "hal": "import time\ntime.sleep(3600)",
    "jo": "numbers = [0] * 200_000_000" + GOOD,
    "kim": "import bsbench\nclass Kernels(bsbench.Strategy):\n    def shoot(self, view): ...",
}
# What the problem names, and the line to blame. Other files that are no strategy:
# tests/own/test_plugins.py.
FAILED = {
    "ben": (["IndexError", "list index out of range"], "ben.py, line 4, in shoot"),
    "cleo": (["1.5 s"], "line 6"),
    "dan": (["MemoryError"], "dan.py, line 7, in shoot"),
    "eve": (["students/eve.py", "ModuleNotFoundError"], "line 1: import numpi"),
    "hal": (["students/hal.py", "1.5 s"], "line 2: time.sleep"),
    "jo": (["students/jo.py", "MemoryError"], "jo.py, line 1"),
    "kim": (["students/kim.py"], ""),
}


def _league(*arguments: str):
    return CliRunner().invoke(main, ["league", *arguments], prog_name="bsbench")


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
        (folder / "other").mkdir()
        (folder / "other" / "ada.py").write_text(GOOD)
        files = [*(f"students/{name}.py" for name in STUDENTS), "other/ada.py"]
        limits = ["--limit-seconds", "1.5", "--limit-memory", "512M", "--scenario"]
        exports = [f"--export-{kind}=class.{kind}" for kind in ("json", "csv", "md", "latex")]
        output = ["--report", "class.html", "--chart", "class.svg", *exports]
        found = _league(*files, "random", *limits, _pond(folder), "-n", "60", *output)
    assert found.exit_code == 0, found.output
    return folder, found.stdout


@linux
def test_a_failure_ends_no_league_and_its_row_says_why(played):
    folder, printed = played
    record = json.loads((folder / "class.json").read_text())
    (pond,) = record["scenarios"]
    failed = {each["player"]: each for each in pond["failed"]}
    assert failed.keys() == FAILED.keys()
    for name, (named, line) in FAILED.items():
        assert_sentence(failed[name]["problem"], *named)
        assert line in failed[name]["line"]
        assert failed[name]["given"] == f"students/{name}.py"
        assert re.search(f"^{name} .*{re.escape(named[0])}", printed, re.MULTILINE)
    assert "bsbench replay --strategy students/ben.py --" in printed
    assert [line.split()[-1] for line in printed.splitlines()[-2:]] == ["class.svg", "class.html"]
    ranked = [(each["player"], each["rank"], each["label"]) for each in pond["ranking"]]
    assert ranked == [
        ("students/ada", 1, "hunter"),
        ("other/ada", 1, "hunter"),
        ("random", 3, "random"),
    ]


@linux
def test_all_forms_have_the_same_players(played):
    folder, printed = played
    frame = pd.read_csv(folder / "class.csv")
    assert list(frame["player"])[:3] == ["students/ada", "other/ada", "random"]
    assert set(frame["player"][3:]) == set(FAILED)
    assert frame["rank"].isna().sum() == len(FAILED)
    for text in (printed, *((folder / f"class.{kind}").read_text() for kind in ("md", "latex"))):
        assert re.search(r"students/ada.*other/ada", text, re.DOTALL)
    markdown = (folder / "class.md").read_text()
    assert "| 1 | students/ada |  | = 0, 0/100/0 |" in markdown
    assert re.search(r"^\| ben \| 0 \| .*IndexError: list index out of range \| ", markdown, re.M)
    assert (folder / "class.svg").read_text().startswith("<?xml")


@linux
def test_the_page_has_a_section_and_a_game_of_each(played):
    folder, _ = played
    text = (folder / "class.html").read_text()
    sections = re.findall(r'<section class="player" id="player-(\d+)">\s*<h3>(.*?)</h3>', text)
    names = ["students/ada", *FAILED, "other/ada", "random"]
    assert sections == [(str(number), name) for number, name in enumerate(names)]
    games = re.findall(r"<summary>(.*?)</summary>", text)
    # The game in which each of three failed, and the median game of each that is ranked.
    assert len(games) == 6
    assert len([each for each in games if each.startswith("Game 0")]) == 3
    assert len([each for each in games if "median" in each]) == 3
    # Each frame's script is one that the page allows.
    policy = re.search(r"script-src ([^\"]*)\"", text)[1].replace("'", "").split()
    framed = re.findall(r"script-src &#39;(sha256-[^&]*)&#39;", text)
    assert len(framed) == 6
    assert set(framed) == {policy[1]}
    assert str(folder) not in re.sub(r"see it with.*", "", text)


def test_every_two_are_compared_on_the_same_games():
    players = enter(["linear", "random", "smart", "prob"])
    league = play_league(players, [POND], games=500, seed=3)
    (table,) = league.tables
    moves = {
        name: bsbench.run(name, POND, games=500, seed=3, keep_moves=True).moves.astype(int)
        for name in ("linear", "random", "smart", "prob")
    }
    names = [result.label for result in table.results]
    assert [moves[name].mean() for name in names] == sorted(each.mean() for each in moves.values())
    for i, first in enumerate(names):
        for j, second in enumerate(names):
            each = moves[first] - moves[second]
            race = table.races[i][j]
            assert (race.wins, race.losses) == ((each < 0).sum(), (each > 0).sum())
            assert table.differences[i][j].mean == pytest.approx(each.mean())
            if i != j:
                width = 1.959963984540054 * each.std(ddof=1) / math.sqrt(500)
                assert table.differences[i][j].half_width == pytest.approx(width)
    assert sum(standing.firsts.alone for standing in table.standings) < 500


@pytest.mark.parametrize(("seconds", "known"), [(0.99, False), (1.01, True)])
def test_the_time_of_a_move_is_told_where_play_took_long_enough(seconds, known):
    """Below some seconds, it is mostly the time to start threads."""
    league = play_league(enter(["linear", "random"]), [POND], games=50, seed=3)
    (table,) = league.tables
    first, second = (
        dataclasses.replace(result, play_seconds=each, threads=2)
        for result, each in zip(table.results, (seconds, 0.01), strict=True)
    )
    compared = dataclasses.replace(table.comparison, results=(first, second))
    table = dataclasses.replace(table, comparison=compared)
    league = dataclasses.replace(league, tables=(table,))
    expected = 2 * seconds / (50 * first.stats.mean) if known else None
    standings = [each for each in table.standings if each.result is first]
    assert [each.seconds_per_move for each in standings] == [pytest.approx(expected)]
    record = league.to_dict()["scenarios"][0]["ranking"]
    assert [each["seconds_per_move"] for each in record] == [standings[0].seconds_per_move, None]
    columns = ranking_columns(table)
    assert columns.get("a move") == ([time_text(expected), ""] if known else None)
    assert any("a move" in note for note in notes(table)) == known
    assert (">a move<" in html_text(league, 5.0)) == known


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


def test_over_several_scenarios_means_are_divided_by_the_best():
    scenarios = [POND, dataclasses.replace(POND, name="lake", rules=Rules(6, 6, (3, 2), True))]
    league = play_league(enter(["random", "linear", "over9000-pairs"]), scenarios, games=200)
    means = {
        name: [bsbench.run(name, each, games=200).stats.mean for each in scenarios]
        for name in ("random", "linear")
    }
    ratio = np.sqrt(np.prod(means["random"]) / np.prod(np.minimum(*means.values())))
    assert [row.player for row in league.overall] == ["linear", "random"]
    assert league.overall[1].ratio == pytest.approx(ratio, rel=0.2)
    assert [failure.player for failure in league.tables[1].failures] == ["over9000-pairs"]
    assert_sentence(league.tables[1].failures[0].problem, "feedback")


def test_records_join_paired_where_their_games_are_known(in_folder):
    kept = bsbench.run("smart", POND, games=300, seed=2, keep_moves=True)
    means = bsbench.run("prob", POND, games=300, seed=2, keep_moves=False)
    elsewhere = bsbench.run("prob", "gym-5x5", games=10)
    players = enter(
        ["linear", "prob"], [("a.json", kept), ("b.json", means), ("c.json", elsewhere)]
    )
    assert [player.name for player in players] == ["linear", "prob", "smart", "prob (record)"]
    players = check_records(players, [POND])
    (table,) = play_league(players, [POND], games=300, seed=2).tables
    names = [result.label for result in table.results]
    smart, linear, record = (names.index(each) for each in ("smart", "linear", "prob (record)"))
    assert table.races[smart][linear].games == 300
    assert table.races[linear][record] is None
    with refused("pond", "gym-5x5"):
        check_records(enter(["linear"], [("c.json", elsewhere)]), [POND])
    with refused("players"):
        check_records(enter([], [("a.json", kept)]), [POND])


SLOW = """
import time
class Slow:
    def shoot(self, view):
        time.sleep(0.002)
        return view.open_cells[0]
"""


def test_time_that_is_used_up_ends_a_player_after_whole_games(in_folder):
    (in_folder / "slow.py").write_text(SLOW)
    league = play_league(enter(["slow.py", "linear"]), [POND], games=5_000, seconds=0.5, threads=2)
    (table,) = league.tables
    (failure,) = table.failures
    assert (failure.player, failure.replay) == ("slow", "")
    assert_sentence(failure.problem, "0.5 s")
    assert 1 <= failure.games < 1_000
    part = table.comparison.faults["slow"].result
    assert (part.label, part.games) == ("slow", failure.games)
    assert [result.games for result in table.results] == [5_000]


FICKLE = """
from pathlib import Path
Path("imported").open("a").write("x")
if len(Path("imported").read_text()) > 1:
    raise OSError("only once")
"""


def test_whatever_keeps_a_player_from_playing_on_is_its_fault(in_folder):
    (in_folder / "fickle.py").write_text(FICKLE + GOOD)
    (table,) = play_league(enter(["fickle.py", "linear"]), [POND], games=9, threads=2).tables
    (failure,) = table.failures
    assert_sentence(failure.problem, "fickle.py", "OSError", "only once")
    assert failure.line.startswith("fickle.py, line 5")
    assert [result.label for result in table.results] == ["linear"]


def test_names_and_sources_of_any_length_end_no_league(in_folder):
    (in_folder / "name.py").write_text(GOOD.replace("class Hunter", f"class {'A' * 2_000}"))
    source = f"{GOOD}    source = {'s' * 5_000!r}\n"
    (in_folder / "source\x1b[31m.py").write_text(source)
    players = enter(["name.py", "source\x1b[31m.py"])
    (table,) = play_league(players, [POND], games=9, threads=1).tables
    (failure,) = table.failures
    assert_sentence(failure.problem, "100")
    (standing,) = table.standings
    assert standing.player.given == "source\\x1b[31m.py"
    assert len(standing.player.strategy.source) == 1_000


def test_a_file_whose_name_has_a_comma_is_named(in_folder):
    (in_folder / "a,b.py").write_text(GOOD)
    with refused("'a,b.py'", "comma"):
        enter(["a,b.py"])


def test_an_interrupted_league_goes_on(in_folder):
    (in_folder / "mine.py").write_text(GOOD)
    players, limits = enter(["linear", "mine.py", "random"]), Limits()
    about = about_league(players, [POND], 0, limits, None)
    seen = []

    def watch(now):
        seen.append(now)
        if now.label == "mine" and now.done > 100:
            raise KeyboardInterrupt

    journal = Journal.open(in_folder / "a.journal", about)
    league = play_league(players, [POND], games=600, watch=watch, journal=journal)
    journal.close()
    assert league.partial
    before = len(seen)
    journal = Journal.open(in_folder / "a.journal", about, resume=True)
    again = play_league(players, [POND], games=600, journal=journal, watch=seen.append)
    journal.close()
    assert not again.partial
    assert next(now.done for now in seen[before:] if not now.setting_up) > 30
    whole = play_league(players, [POND], games=600)
    for one, other in zip(again.tables[0].results, whole.tables[0].results, strict=True):
        assert (one.label, one.moves.tolist()) == (other.label, other.moves.tolist())


def test_where_nobody_finishes_all_rows_are_printed(in_folder):
    for name in ("ben", "eve"):
        (in_folder / f"{name}.py").write_text(STUDENTS[name])
    output = ["--export-json", "a.json", "--report", "a.html", "--chart", "a.svg", "-o", "kept"]
    found = _league("ben.py", "eve.py", "-n", "9", "--scenario", "gym-5x5", *output)
    assert found.exit_code == 1, found.output
    assert re.search("^ben .*game 0.*IndexError", found.stdout, re.MULTILINE)
    assert re.search("^eve .*eve.py", found.stdout, re.MULTILINE)
    assert "partial" not in found.stdout
    # There is nothing to draw.
    saved = [line.split()[-1] for line in found.stdout.splitlines()[-2:]]
    assert saved == ["kept.json", "a.html"]
    assert not (in_folder / "a.svg").exists()
    assert json.loads((in_folder / "a.json").read_text())["scenarios"][0]["ranking"] == []
    assert sorted(each.name for each in in_folder.glob("kept*")) == ["kept.json"]


def test_parameters_and_classes_name_players(in_folder):
    (in_folder / "two.py").write_text(
        "from dataclasses import dataclass\n@dataclass\nclass Step:\n    step: int = 2\n"
        "    def shoot(self, view): return view.open_cells[0]\n" + GOOD
    )
    (in_folder / "b").mkdir()
    (in_folder / "b" / "two.py").write_text(GOOD)
    given = ["two.py:Step,step=3", "two.py:Step", "two.py:Hunter", "b/two.py:Hunter", "b/two.py"]
    names = [player.name for player in enter(given)]
    assert names == ["step step=3", "step", "hunter (two.py)", "hunter (b/two.py)", "two"]
    with refused("'b/two'"):
        enter(["b/two.py", "b/two.py"])


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("", ["players"]),
        ("lineer", ["'lineer'", "'linear'"]),
        ("linear linear", ["'linear'"]),
        ("linear --seed 1,2", ["seed"]),
        ("linear --limit-memory 1", ["'1'", "512M"]),
        ("linear --limit-memory 1M", ["16M"]),
        ("linear --limit-seconds 0", ["--limit-seconds", "0"]),
        ("linear --timeout nan", ["nan"]),
        ("linear --limit-seconds nan", ["--limit-seconds", "nan"]),
        ("linear --limit-seconds 9 --engine tcp://a:1", ["limits"]),
        ("linear --report a.txt", ["'a.txt'", ".html"]),
        ("linear --scenario classic,harbour --chart a.png", ["--chart"]),
        ("linear --with none.json", ["none.json"]),
        ("linear --report a.html --export-csv a.html", ["--export-csv", "a.html"]),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(in_folder, arguments, named):
    assert_refused(_league(*arguments.split(), "-q"), *named)
    assert not list(in_folder.iterdir())


def test_amounts_of_memory():
    assert [read_bytes(text) for text in ("64k", "1.5G", "2 MiB")] == [65536, 3 << 29, 2 << 20]


def test_kernels_play_without_limits(in_folder):
    (in_folder / "kim.py").write_text(STUDENTS["kim"])
    (with_limits,) = enter(["kim.py"], limits=Limits(trust_kernels=False))
    assert_sentence(with_limits.problem, "trust_kernels=True")
    (player,) = enter(["kim.py"])
    assert isinstance(player, Entrant)
    assert player.strategy is not None


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


def test_a_missing_file_is_a_mistake_and_no_player(in_folder):
    with refused("nosuch.py"):
        enter(["nosuch.py", "linear"])


@linux
def test_bots_have_names_of_their_own_and_the_same_limits(in_folder):
    (in_folder / "bot.py").write_text(BOT)
    (in_folder / "bot.py").chmod(0o755)
    (in_folder / "mine.py").write_text(GOOD)
    command = "cmd:./bot.py"
    found = enter([command, f"{command} x", "mine.py"], limits=Limits(memory=1 << 27))
    assert [player.name for player in found] == ["bot", "bot arguments=x", "mine"]
    with pytest.warns(BsbenchWarning, match="'bot arguments=x' .* 5 lines"):
        (table,) = play_league(found, [POND], games=20, threads=1).tables
    assert [result.label for result in table.results] == ["bot", "mine"]
    assert table.differences[0][1].mean == 0
    (failure,) = table.failures
    assert_sentence(failure.problem, "memory")
    assert "MemoryError" in failure.line


HOSTILE = "<img src=x onerror='window.broken=1'>"


@NEEDS_BROWSER
def test_the_page_in_a_browser(browser, in_folder):
    from selenium.webdriver.common.by import By

    (in_folder / "mine.py").write_text(GOOD)
    (in_folder / f"{HOSTILE}.py").write_text(
        f"class Mine:\n    def shoot(self, view):\n        1 / 0 # {HOSTILE}"
    )
    players = enter(["mine.py", f"{HOSTILE}.py", "random", "prob"])
    league = play_league(players, [POND], games=50)
    (in_folder / "class.html").write_text(html_text(league, 10.0), encoding="utf-8")
    emulate(browser, 1200)
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get((in_folder / "class.html").as_uri())
    assert not barriers(browser)
    (game, *_) = browser.find_elements(By.TAG_NAME, "details")
    game.click()
    frame = game.find_element(By.TAG_NAME, "iframe")
    browser.execute_script("arguments[0].scrollIntoView()", frame)
    browser.switch_to.frame(frame)
    assert "mine on pond" in browser.find_element(By.TAG_NAME, "h1").text
    browser.find_element(By.ID, "last").click()
    assert re.fullmatch(r"(\d+) / \1", browser.find_element(By.ID, "position").text)
    browser.switch_to.default_content()
    names = [each.text for each in browser.find_elements(By.CSS_SELECTOR, ".player h3")]
    assert names == ["mine", HOSTILE, "random", "prob"]
    assert browser.execute_script("return window.broken") is None
    link = browser.find_element(By.CSS_SELECTOR, ".ranking a")
    assert link.get_attribute("href").endswith("#player-3")
    for width, scheme in ((1200, "light"), (1200, "dark"), (400, "dark")):
        emulate(browser, width, scheme)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        for selector in (".cross .fewer", ".cross .more", ".fault", ".note"):
            cell = browser.find_element(By.CSS_SELECTOR, selector)
            ground = cell.value_of_css_property("background-color")
            if ground == "rgba(0, 0, 0, 0)":
                ground = browser.find_element(By.TAG_NAME, "body").value_of_css_property(
                    "background-color"
                )
            assert contrast(cell.value_of_css_property("color"), ground) >= 4.5
    assert not browser.get_log("browser")
    assert all(url.startswith(("file:", "about:")) for url in requests(browser))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(12.345, "12.3 s"), (0.5, "500 ms"), (1.5e-6, "1.50 µs"), (8e-8, "80.0 ns"), (0, "0.00 ns")],
)
def test_times_have_three_digits_and_a_unit(seconds, text):
    assert time_text(seconds) == text
