"""Playing until it is clear who is better: verdicts in words, and how often they are wrong."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench import Comparison
from bsbench.cli import main
from bsbench.common.errors import Fault
from bsbench.common.progress import Progress
from bsbench.present.verdicts import clear_verdicts
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.runs import comparing
from bsbench.stats import PairedSums, log_capital, sequence_interval
from bsbench.strategies.random import Random
from tests.stats.test_sequential import LAWS, LIMIT, REACH, law_of, most_that_miss
from tests.support import ROOT
from tests.support.refusals import assert_refused, refused

TINY = Scenario(name="tiny", rules=Rules(2, 3, (2,), touching=True))
SMALL = find_scenario("gym-5x5")
LEARNER = "over9000-adaptive,games_per_learner=50"


class Other(Random):
    """As random as random, by other lots."""

    name = "other"


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


def clear(*strategies: Any, scenario: Any = None, **options: Any) -> Comparison:
    return bsbench.compare(strategies, scenario, until="clear", **options)


def _run(*arguments: str):
    words = ["compare", *arguments, "--until", "clear"]
    return CliRunner().invoke(main, words, prog_name="bsbench")


def _numbers(text: str) -> set[float]:
    """Return the numbers that a text has."""
    return {float(each.replace(",", "")) for each in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)}


def test_a_clear_one_ends_at_the_first_look():
    result = clear("prob", "smart", seed=5)
    assert (result.verdicts, result.games, result.partial) == ((None, "more"), 4_096, False)
    moves = [
        bsbench.run(name, "harbour", games=4_096, seed=5, keep_moves=True).moves.astype(int)
        for name in ("smart", "prob")
    ]
    difference, found = moves[0] - moves[1], result.differences[1]
    assert found.mean == pytest.approx(difference.mean(), rel=1e-12)
    values, counts = np.unique(difference, return_counts=True)
    low, high = found.interval
    # Move counts on harbour are 21 to 100.
    assert (low, high) == sequence_interval(values.astype(float), counts, 79)
    assert high - low == pytest.approx(2 * 3.67 * difference.std(ddof=1) / 64, rel=0.1)
    assert found.half_width == max(high - found.mean, found.mean - low)
    # The winner is named first.
    (text,) = clear_verdicts(result)
    assert text.startswith("prob ")
    assert _numbers(text) == {round(found.mean, 2), round(low, 2), round(high, 2), 4_096}
    other = clear("smart", "prob", seed=5)
    assert (other.verdicts, clear_verdicts(other)) == ((None, "fewer"), [text])
    assert other.differences[1].interval == (-high, -low)


def test_several_share_what_one_interval_may_miss():
    result = clear("linear", "prob", "random", "smart", scenario="classic", reference="prob")
    assert result.verdicts == ("more", None, "more", "more")
    assert result.games == 4_096
    for each, found in zip(result.results, result.differences, strict=True):
        if each.label != "prob":
            moves = each.moves - result.results[1].moves
            values, counts = np.unique(moves, return_counts=True)
            assert found.interval == sequence_interval(values.astype(float), counts, 83, 3)
    assert [text.split()[:2] for text in clear_verdicts(result)] == [["prob", "needs"]] * 3


def test_sharing_widens_as_its_limit_says():
    values, counts = np.array([-1.0, 0.0, 2.0]), np.array([200, 500, 100])
    one, ten = (sequence_interval(values, counts, REACH, each) for each in (1, 10))
    assert ten[0] < one[0] < 0 < one[1] < ten[1]


def test_all_play_until_the_last_is_clear():
    result = clear(Random(), "linear", Other(), scenario=TINY)
    assert result.verdicts == (None, "fewer", "equal")
    assert {each.games for each in result.results} == {result.games}
    assert result.games > clear(Random(), "linear", scenario=TINY).games == 4_096


class Failing(Random):
    """As random as random, until it fails."""

    name = "failing"
    fails = 0

    def orders(self, games):
        if (late := np.flatnonzero(games >= self.fails)).size:
            raise Fault(int(late[0]), "it fails")
        return super().orders(games)


@pytest.mark.parametrize("fails", [100, 5_000])
def test_a_reference_that_fails_does_not_end_the_games_of_others(fails, monkeypatch):
    monkeypatch.setattr(Failing, "fails", fails)
    others = Random(), Mixed()
    result = clear(Failing(), Other(), *others, scenario=TINY, games=10**6)
    assert (result.reference, [*result.faults]) == ("other", ["failing"])
    assert result.verdicts == (None, "equal", "fewer")
    games = result.games
    assert games > 8_192
    moves = {each: bsbench.run(each, TINY, games=games, keep_moves=True).moves for each in others}
    other = bsbench.run(Other(), TINY, games=games, keep_moves=True).moves.astype(int)
    for strategy, found in zip(others, result.differences[1:], strict=True):
        values, counts = np.unique(moves[strategy] - other, return_counts=True)
        # Four were named: each misses in a third of 5 % at most.
        assert found.interval == sequence_interval(values.astype(float), counts, 4, 3)


def test_no_difference_is_said_with_what_it_may_hide():
    result = clear("over9000", "over9000,no_touch=full", scenario="classic")
    assert (result.verdicts, result.games) == ((None, "equal"), 16_384)
    low, high = result.differences[1].interval
    assert (result.differences[1].mean, low) == (0, -high)
    (text,) = clear_verdicts(result)
    assert {0.05, 16_384, -0.032} <= _numbers(text.replace("9000", ""))


@pytest.mark.ci
def test_the_guide_shows_what_the_commands_say():
    guide = (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8")
    section = guide.split("## Until it is clear")[1].split("## Sweeps")[0]
    commands = re.findall(r"^bsbench compare (\S+) (\S+) --until clear$", section, re.MULTILINE)
    quoted = re.findall(r'says: "(.*?)"', " ".join(section.split()))
    assert len(commands) == len(quoted) == 2
    assert [clear_verdicts(clear(*pair)) for pair in commands] == [[each] for each in quoted]


@pytest.mark.parametrize(("games", "decided"), [(8, False), (9, True)])
def test_nine_games_are_the_fewest_that_may_decide(games, decided):
    low, _ = sequence_interval(np.array([83.0]), np.array([games]), 83)
    assert (low > 0) == decided


def test_equals_are_within_the_margin():
    result = clear(Random(), Other(), scenario=SMALL, margin=0.1)
    assert result.verdicts == (None, "equal")
    low, high = result.differences[1].interval
    assert -0.1 <= low <= 0 <= high <= 0.1
    assert {0.1, result.games} <= _numbers(*clear_verdicts(result))
    # The games of each look: all before it were not enough.
    assert math.log2(result.games / 4_096).is_integer()


def test_learners_are_whole_and_the_units(tmp_path):
    result = clear("over9000", LEARNER, margin=6.0, games=50_017)
    assert result.games % 50 == 0
    first, second = (each.moves for each in result.results)
    difference = (second - first).reshape(-1, 50).mean(axis=1)
    assert len(difference) >= 32
    found = result.differences[1]
    assert found.mean == pytest.approx(difference.mean(), rel=1e-12)
    values, counts = np.unique(difference, return_counts=True)
    reach = result.results[0].scenario.rules.reach
    interval = sequence_interval(values, counts, reach)
    assert found.interval == pytest.approx(interval, rel=1e-9)
    # Records keep no more of learners than without.
    assert "by_total" not in json.dumps(result.results[1].against)


def _interrupt(games: int):
    def progress(now: Progress) -> None:
        if not now.setting_up and now.done > games:
            raise KeyboardInterrupt

    return progress


def test_an_interrupted_one_tells_what_it_knows():
    pair = (Random(), Other())
    result = clear(*pair, scenario=SMALL, margin=0.001, games=10**6, progress=_interrupt(20_000))
    assert result.partial
    assert (result.verdicts, result.requested) == ((None, "unclear"), 10**6)
    assert 16_384 <= result.games < 10**6
    assert {len(each.moves) for each in result.results} == {result.games}
    moves = result.results[1].moves - result.results[0].moves
    assert result.differences[1].mean == pytest.approx(moves.mean(), rel=1e-12)


def test_another_reference_has_no_verdicts():
    turned = clear("prob", "smart", "linear", seed=5).with_reference("smart")
    assert (turned.verdicts, turned.until) == ((None,) * 3, None)


def _many(first, second, scenario, margin: float, count: int) -> tuple[Counter, list[Comparison]]:
    found = [
        clear(first, second, scenario=scenario, margin=margin, seed=n, threads=1)
        for n in range(count)
    ]
    return Counter(each.verdicts[1] for each in found), found


def _seldom(count: int) -> float:
    """Return 5 % and 4 standard errors."""
    return count * most_that_miss(count)


@pytest.mark.ci
def test_equals_are_seldom_told_apart(pytestconfig):
    count = 1_000 if pytestconfig.option.all_cases else 100
    verdicts, found = _many(Random(), Other(), SMALL, 0.15, count)
    assert verdicts["fewer"] + verdicts["more"] <= _seldom(count)
    assert verdicts["unclear"] == 0
    intervals = [each.differences[1].interval for each in found]
    assert sum(low <= 0 <= high for low, high in intervals) >= count - _seldom(count)


@pytest.mark.ci
def test_a_difference_that_is_known_is_found_and_covered(pytestconfig):
    count = 1_000 if pytestconfig.option.all_cases else 100
    verdicts, found = _many(Mixed(), Random(), TINY, 0.005, count)
    assert len({each.games for each in found}) >= 2, "they end at different looks"
    assert verdicts["more"] >= 0.999 * count
    intervals = [each.differences[1].interval for each in found]
    assert sum(low <= GAP <= high for low, high in intervals) >= count - _seldom(count)


@pytest.mark.slow
@pytest.mark.parametrize("law", ["one side is rare", "1 in 60 is large", "heavy"])
def test_several_equals_are_seldom_told_apart(law):
    """The reference takes as many moves in each game, and 60 others as many on average.

    Of many comparisons, at each look, only those differences are looked at as comparisons do which
    the interval of one alone tells apart: that of several is the wider one.
    """
    values, chances = law_of(LAWS[law])
    random, others, runs, played = np.random.default_rng(60), 60, 2_000, 0
    asked: Any = SimpleNamespace(strategies=range(1 + others), margin=0.05)
    seen = np.zeros((runs, others, 2 * REACH + 1), np.int64)
    alone, wrong = np.zeros(runs, bool), np.zeros(runs, bool)
    for look in (4_096, 8_192, 16_384, 32_768, 65_536):
        seen[..., values.astype(int) + REACH] += random.multinomial(
            look - played, chances, (runs, others)
        )
        played = look
        capital = log_capital(values, seen[..., values.astype(int) + REACH], 0.0, REACH)
        for run, place in np.argwhere(capital >= LIMIT):
            panel: Any = SimpleNamespace(pairs={0: PairedSums(seen[run, place])})
            alone[run] = True
            # Whoever looks may end it here.
            wrong[run] |= comparing._in_sequence(panel, asked)[0].decided(0.05) != "unclear"
    print(f"wrong: {wrong.sum()} of {runs}; with the intervals of one each, {alone.sum()}")
    assert wrong.mean() <= 0.05
    assert alone.mean() > most_that_miss(runs), "without sharing, too many are wrong"


def test_a_margin_may_be_given_beside_a_run_file(in_folder):
    Path("a.toml").write_text('strategy = ["smart", "prob"]\nuntil = "clear"\nseed = 5')
    words = ["--margin", "0.2", "--no-save", "--export-json", "-", "-q"]
    found = CliRunner().invoke(main, ["run", "--config", "a.toml", *words])
    assert found.exit_code == 0, found.output
    record = json.loads(found.stdout)
    assert (record["games"], record["margin"], record["until"]) == (4_096, 0.2, "clear")
    results = bsbench.run(["smart", "prob"], seed=5, until="clear", margin=0.2)
    assert results[1].games == 4_096
    (comparison,) = results.comparisons
    for each, gap, verdict in zip(
        record["strategies"], comparison.differences, comparison.verdicts, strict=True
    ):
        difference = each["difference"]
        assert difference["verdict"] == verdict
        if verdict is not None:
            assert (difference["low"], difference["high"]) == gap.interval
    for words, named in (
        ("run prob --until clear", ["two"]),
        ("compare prob smart --until soon", ["--until", "soon", "clear"]),
        ("compare prob smart --until 0.1 --margin 0.1", ["--margin", "--until clear"]),
    ):
        assert_refused(CliRunner().invoke(main, words.split()), *named)
    with refused("margin"):
        clear("linear", "random", margin="0.1")


def test_an_undecided_one_has_exit_code_1():
    arguments = ("over9000", "over9000,noise=0.0001", "--margin", "0.0001", "-n", "5000")
    result = _run(*arguments)
    assert result.exit_code == 1
    assert "5,000 games" in result.stdout.splitlines()[-1]


@pytest.mark.ci
def test_a_record_is_extended_to_a_finer_margin(in_folder):
    words = ("over9000", "over9000,no_touch=full", "--no-charts")
    assert _run(*words, "-o", "x", "--margin", "0.5").exit_code == 0
    known = _run(*words, "-o", "y", "--no-keep-moves")
    assert known.exit_code == 0, known.output
    assert _run(*words, "-o", "x", "--extend").exit_code == 0
    games = [
        {json.loads(path.read_text())["games"] for path in Path(name).glob("*.json")}
        for name in ("x", "y")
    ]
    assert games == [{16_384}] * 2
    assert_refused(_run(*words, "-o", "y", "--margin", "0.001", "--extend"), "--until clear")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["prob", "smart", "-n", "8"], ["8 games", "9"]),
        (["over9000", LEARNER, "-n", "449"], ["449 games", "450"]),
        (["prob", "smart", "--seed", "1,2"], ["--until clear", "one seed"]),
        (["prob", "smart", "--placement", "each"], ["--until"]),
    ],
)
def test_bad_input_gets_one_sentence_and_code_2(in_folder, arguments, named):
    assert_refused(_run(*arguments), *named)


def test_a_board_full_of_ships_leaves_no_difference():
    full = Scenario(name="full", rules=Rules(2, 3, (3, 3), touching=True))
    result = clear("linear", "random", scenario=full)
    assert (result.verdicts[1], result.differences[1].interval) == ("equal", (0, 0))
