"""Duels: verdicts in words, and how often they are wrong."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.progress import Progress
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.stats import sequence_interval
from bsbench.strategies.linear import Linear
from bsbench.strategies.random import Random
from bsbench.studies.duel.study import Duel, duel
from tests.support import ROOT
from tests.support.refusals import assert_refused, refused

TINY = Scenario(name="tiny", rules=Rules(2, 3, (2,), touching=True))
SMALL = find_scenario("gym-5x5")
LEARNER = "over9000-adaptive,games_per_learner=50"


class Other(Random):
    """As random as random, by other lots."""

    name = "other"


class Mirrored(Linear):
    """From the last cell to the first."""

    name = "mirrored"

    def orders(self, games):
        return np.ascontiguousarray(super().orders(games)[:, ::-1])


class Mixed(Random):
    """Linear in one game of eight, and else the very games of random."""

    name = "mixed"

    def orders(self, games):
        self._key = self._random_key
        orders = super().orders(games)
        orders[games % 8 == 0] = np.arange(self.rules.cells)
        return orders

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        random = Random()
        random.begin(rules, lanes, seed)
        self._random_key = random.stream_key


GAP = (14 / 3 - 31 / 7) / 8
"""Moves that mixed needs less than random on `TINY`: an eighth of what linear does."""


def _run(*arguments: str):
    return CliRunner().invoke(main, ["duel", *arguments], prog_name="bsbench")


def _numbers(text: str) -> set[float]:
    """Return the numbers that a text has."""
    return {float(each.replace(",", "")) for each in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)}


def test_the_public_names():
    assert bsbench.duel is duel
    assert bsbench.Duel is Duel


def test_a_clear_one_ends_at_the_first_look():
    result = duel("smart", "prob", seed=5)
    assert (result.decision, result.games, result.partial) == ("second", 4_096, False)
    moves = [
        bsbench.run(name, "harbour", games=4_096, seed=5, keep_moves=True).moves.astype(int)
        for name in ("smart", "prob")
    ]
    difference = moves[0] - moves[1]
    assert result.mean == pytest.approx(difference.mean(), rel=1e-12)
    values, counts = np.unique(difference, return_counts=True)
    low, high = result.low, result.high
    # Move counts on harbour are 21 to 100.
    assert (low, high) == sequence_interval(values.astype(float), counts, 79)
    assert high - low == pytest.approx(2 * 3.67 * difference.std(ddof=1) / 64, rel=0.1)
    # The winner is named first.
    assert result.text.startswith("prob ")
    assert _numbers(result.text) == {round(result.mean, 2), round(low, 2), round(high, 2), 4_096}
    other = duel("prob", "smart", seed=5)
    assert (other.decision, other.text) == ("first", result.text)
    assert (other.low, other.high) == (-high, -low)
    assert other.race.wins == result.race.losses == (difference > 0).sum()


def test_it_does_not_depend_on_threads():
    one, two = (duel("datagenetics", "over9000", seed=1, threads=n, games=10**5) for n in (1, 2))
    assert (one.games, one.mean, one.low, one.high) == (two.games, two.mean, two.low, two.high)


@pytest.mark.parametrize("pair", [("linear", "linear"), ("over9000", "over9000,no_touch=full")])
def test_no_difference_is_said_with_what_it_may_hide(pair):
    result = duel(*pair, "classic")
    assert (result.decision, result.games, result.mean) == ("close", 16_384, 0)
    assert result.low == -result.high
    # 0.05 is 5 % of 1 - 1 / 5,469, to the power of 16,384.
    said = result.text.replace(result.first.label, "").replace(result.second.label, "")
    assert _numbers(said) == {16_384, 95, 1, 5_469, 0.032}


def test_the_guide_shows_what_the_commands_say():
    guide = (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8")
    section = guide.split("## Duel")[1].split("## Statistics")[0]
    commands = re.findall(r"^bsbench duel (\S+) (\S+)$", section, flags=re.MULTILINE)
    quoted = re.findall(r'says: "(.*?)"', " ".join(section.split()))
    assert len(commands) == len(quoted) == 2
    assert [duel(*pair).text for pair in commands] == quoted


def test_no_difference_in_few_games_is_no_verdict():
    result = duel("linear", "linear", "classic", games=5_000)
    assert (result.decision, result.games) == ("unclear", 5_000)
    assert _numbers(result.text) == {5_000, 95, 1, 1_669, 0.1}


def test_learners_that_do_not_differ_are_counted_as_such():
    learner = "over9000-adaptive,games_per_learner=10"
    result = duel(learner, learner, "classic", margin=1, games=100_000)
    assert result.decision == "close"
    assert f"1 of {int(result.games / 10 / 2.9957):,} learners" in result.text


def test_a_board_full_of_ships_leaves_no_difference():
    result = duel(
        "linear", "random", Scenario(name="full", rules=Rules(2, 3, (3, 3), touching=True))
    )
    assert (result.decision, result.low, result.high) == ("close", 0, 0)


@pytest.mark.parametrize(("games", "decided"), [(8, False), (9, True)])
def test_nine_games_are_the_fewest_that_may_decide(games, decided):
    low, _ = sequence_interval(np.array([83.0]), np.array([games]), 83)
    assert (low > 0) == decided


def test_equals_are_within_the_margin():
    result = duel(Random(), Other(), SMALL, margin=0.1)
    assert result.decision == "close"
    assert -0.1 <= result.low <= 0 <= result.high <= 0.1
    assert {0.1, result.games} <= _numbers(result.text)
    # The games of each look: all before it were not enough.
    assert math.log2(result.games / 4_096).is_integer()


def test_a_small_difference_may_be_clear_and_within_the_margin():
    result = duel(Random(), Mixed(), TINY, margin=0.5)
    assert result.decision == "second"
    assert result.text.startswith("mixed ")
    assert 0.5 in _numbers(result.text)


def test_too_few_games_leave_it_unclear():
    result = duel(Random(), Other(), SMALL, margin=0.001, games=9_000)
    assert (result.decision, result.games, result.partial) == ("unclear", 9_000, False)
    assert 9_000 in _numbers(result.text)


def test_learners_are_whole_and_the_units():
    result = duel("over9000", LEARNER, margin=3.0, games=50_017)
    assert result.games % 50 == 0
    difference = (result.first.moves.astype(int) - result.second.moves).reshape(-1, 50).mean(axis=1)
    assert len(difference) >= 32
    assert result.mean == pytest.approx(difference.mean(), rel=1e-12)
    values, counts = np.unique(difference, return_counts=True)
    reach = result.first.scenario.rules.cells - result.first.scenario.rules.ship_cells
    interval = sequence_interval(values, counts, reach)
    assert (result.low, result.high) == pytest.approx(interval, rel=1e-9)


def _interrupt(games: int):
    def progress(now: Progress) -> None:
        if not now.setting_up and now.done > games:
            raise KeyboardInterrupt

    return progress


def test_an_interrupted_one_tells_what_it_knows():
    result = duel(Random(), Other(), SMALL, margin=0.001, games=10**6, progress=_interrupt(20_000))
    assert result.partial
    assert (result.decision, result.most) == ("unclear", 10**6)
    assert 16_384 <= result.games < 10**6
    assert len(result.first.moves) == len(result.second.moves) == result.games
    assert result.first.partial
    moves = result.first.moves.astype(int) - result.second.moves
    assert result.mean == pytest.approx(moves.mean(), rel=1e-12)
    with pytest.raises(KeyboardInterrupt):
        duel(Random(), Other(), SMALL, progress=_interrupt(0))


def _duels(first, second, scenario, margin: float, count: int) -> tuple[Counter, list[Duel]]:
    duels = [duel(first, second, scenario, margin=margin, seed=n, threads=1) for n in range(count)]
    return Counter(each.decision for each in duels), duels


EQUALS = [(Random(), Other()), (Linear(), Mirrored())]


def _seldom(count: int) -> float:
    """Return 5 % and 4 standard errors."""
    return 0.05 * count + 4 * math.sqrt(0.05 * 0.95 * count)


@pytest.mark.parametrize("pair", EQUALS, ids=["random", "linear"])
def test_equals_are_seldom_told_apart(pair, pytestconfig):
    count = 1_000 if pytestconfig.option.all_cases else 250
    verdicts, duels = _duels(*pair, SMALL, 0.1, count)
    assert verdicts["first"] + verdicts["second"] <= _seldom(count)
    assert verdicts["unclear"] == 0
    assert sum(each.low <= 0 <= each.high for each in duels) >= count - _seldom(count)


def test_a_difference_that_is_known_is_found_and_covered(pytestconfig):
    count = 1_000 if pytestconfig.option.all_cases else 250
    verdicts, duels = _duels(Random(), Mixed(), TINY, 0.005, count)
    assert len({each.games for each in duels}) >= 2, "they end at different looks"
    assert verdicts["second"] >= 0.999 * count
    assert sum(each.low <= GAP <= each.high for each in duels) >= count - _seldom(count)


def test_the_command_says_it_in_words(in_folder):
    result = _run("smart", "prob", "--seed", "5", "--export-json", "a.json")
    assert result.exit_code == 0, result.output
    expected = duel("smart", "prob", seed=5)
    lines = result.stdout.splitlines()
    assert lines[0] == expected.text
    wins, losses = expected.race.wins, expected.race.losses
    assert "smart" in lines[2]
    shares = [f"{100 * each / 4_096:.1f} %" for each in (wins, losses)]
    assert all(share in lines[2] for share in shares), (lines[2], shares)
    assert {"4,096", "harbour:", "10x10"} <= set(lines[3].split())
    assert "harbour" in result.stderr
    record = json.loads((in_folder / "a.json").read_text(encoding="utf-8"))
    assert record["schema"] == "bsbench-duel-2"
    assert (record["verdict"], record["text"], record["games"]) == ("second", lines[0], 4_096)
    assert record["difference"] == {
        "mean": expected.mean,
        "low": expected.low,
        "high": expected.high,
    }
    assert [sum(each["counts"]) for each in record["strategies"]] == [4_096, 4_096]
    assert list(record)[-1] == "date"


def test_the_command_says_what_it_saved(in_folder):
    result = _run("smart", "prob", "--seed", "5", "-o", "mine")
    assert "mine.json" in result.stdout.splitlines()[-1]
    assert json.loads((in_folder / "mine.json").read_text())["schema"] == "bsbench-duel-2"
    assert _run("smart", "prob", "--seed", "5", "-o", "mine", "--force", "-q").stdout == ""


def test_json_is_alone_on_standard_output():
    result = _run("linear", "linear", "--export-json", "-")
    assert json.loads(result.stdout)["verdict"] == "close"
    assert "16,384 games" in result.stderr
    result = _run("linear", "linear", "--export-json", "-", "-q")
    assert json.loads(result.stdout)["margin"] == 0.05
    assert result.stderr == ""


def test_an_undecided_one_has_exit_code_1():
    result = _run("random", "random", "--scenario", "gym-5x5")
    assert result.exit_code == 0
    arguments = ("over9000", "over9000,noise=0.0001", "--margin", "0.0001", "-n", "5000")
    result = _run(*arguments)
    assert result.exit_code == 1
    assert "5,000 games" in result.stdout.splitlines()[0]


def test_ctrl_c(monkeypatch, tmp_path):
    def press_after(games: int) -> None:
        @contextmanager
        def progress_bar(*_):
            yield _interrupt(games)

        monkeypatch.setattr("bsbench.cli.delivery.progress_bar", progress_bar)

    arguments = ("over9000", "over9000,noise=0.0001", "--margin", "0.0001", "-n", "1000000")
    press_after(10_000)
    result = _run(*arguments)
    assert result.exit_code == 130
    assert "partial" in result.stdout
    assert "--resume" not in result.stderr
    result = _run(*arguments, "-o", str(tmp_path / "kept"))
    assert (result.exit_code, (tmp_path / "kept.json").exists()) == (130, True)
    assert "--resume" in result.stderr.splitlines()[-1]
    press_after(0)
    result = _run(*arguments, "--scenario", "classic")
    assert (result.exit_code, result.stdout) == (130, "")
    assert "Interrupted" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], ["two", "0"]),
        (["prob"], ["two", "1"]),
        (["prob", "smart", "linear"], ["two", "3"]),
        (["prob", "smrt"], ["'smrt'", "'smart'"]),
        (["prob", "smart", "--margin", "0"], ["margin", "0"]),
        (["prob", "smart", "--margin", "nan"], ["margin", "nan"]),
        (["prob", "smart", "-n", "8"], ["8 games", "9"]),
        (["over9000", LEARNER, "-n", "449"], ["449 games", "450"]),
        (["prob", "smart", "-n", "0"], ["0 games"]),
        (["prob", "smart", "--seed", "-1"], ["seed", "-1"]),
        (["prob", "over9000", "--scenario", "harbour"], ["ship"]),
        (["prob", "smart", "--export-json", "file"], ["file", "--force"]),
        (
            ["prob", "smart", "--scenario", "classic", "-o", "a", "--export-csv", "a.json"],
            ["--export-csv", "a.json"],
        ),
        (["prob", "smart", "--export-json", "no/x"], ["no/x", "folder no"]),
    ],
)
def test_bad_input_gets_one_sentence_and_code_2(in_folder, arguments, named):
    (in_folder / "file").write_text("")
    assert_refused(_run(*arguments), *named)


def test_a_margin_is_a_number():
    with refused("margin"):
        duel("linear", "random", margin="0.1")


def test_what_is_saved_is_no_start_of_something_else(in_folder):
    words = ["duel", "linear", "-o", "du", "-q"]
    CliRunner().invoke(main, [*words, "random"], catch_exceptions=False)
    before = Path("du.json").read_bytes()
    done = CliRunner().invoke(main, [*words, "prob", "--resume"], catch_exceptions=False)
    assert_refused(done, "du.json")
    assert Path("du.json").read_bytes() == before
