"""Playing until an interval is narrow enough: what ends it, and that the interval still covers."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import bsbench
from bsbench.present.progress import Figures
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs.records import read_record
from bsbench.runs.rounds import first_look, round_for
from tests.support.fuzzing import ended
from tests.support.refusals import assert_names, refused

TINY = Scenario(name="tiny", rules=Rules(2, 3, (2,), touching=True))


def test_a_run_ends_when_the_interval_is_narrow_enough():
    result = bsbench.run("random", "classic", until=0.1, seed=2)
    assert result.stats.half_width <= 0.1
    assert (result.requested, result.partial, result.until) == (result.games, False, 0.1)
    # Not many more games than it takes: the width goes with the root of their number.
    needed = result.games * (result.stats.half_width / 0.1) ** 2
    assert needed <= result.games <= 1.1 * needed
    whole = bsbench.run("random", "classic", games=result.games, seed=2)
    assert (result.counts == whole.counts).all()


def test_learners_are_whole_and_the_units():
    result = bsbench.run("over9000-adaptive,games_per_learner=50", until=0.4)
    assert result.games % 50 == 0
    totals = result.moves.reshape(-1, 50).mean(axis=1)
    half_width = 1.96 * totals.std(ddof=1) / math.sqrt(len(totals))
    assert result.stats.half_width == pytest.approx(half_width, rel=1e-3)
    assert half_width <= 0.4
    assert len(totals) >= 32


def test_rounds_are_whole_units_and_grow_no_faster_than_they_may():
    assert first_look(1, 10**8) == 4_096
    assert first_look(1_000, 10**8) == 32_000
    assert first_look(300, 10**8) == 9_600
    assert first_look(1, 100) == 100
    assert round_for(0.1, 5_000, 0.09, 1, 10**8) == 5_000
    assert round_for(0.1, 5_000, 0.12, 1, 10**8) == math.ceil(1.02 * 5_000 * 1.44)
    assert round_for(0.1, 5_000, 9.0, 1, 10**8) == 20_000
    assert round_for(0.1, 6_000, 0.11, 300, 10**8) == 7_500
    assert round_for(0.1, 5_000, 9.0, 1, 12_345) == 12_345
    assert round_for(0.1, 5_000, math.nan, 1, 10**8) == 20_000


def test_a_comparison_ends_when_all_differences_are_known():
    names = ["prob", "smart", "linear"]
    comparison = bsbench.compare(names, until=0.1, seed=3)
    widths = [difference.half_width for difference in comparison.differences]
    assert 0.09 < max(widths) <= 0.1
    assert not comparison.partial
    assert comparison.until == 0.1
    whole = bsbench.compare(names, games=comparison.games, seed=3)
    assert comparison.differences == whole.differences


def test_the_record_tells_what_was_asked_for():
    result = bsbench.run("random", "classic", until=0.2)
    record = json.loads(json.dumps(result.to_dict()))
    assert record["until"] == 0.2
    assert read_record(record).until == 0.2
    assert "until" not in bsbench.run("random", "classic", games=10).to_dict()
    for wrong in (0, -1, "wide", True, math.inf):
        with refused("until"):
            read_record(record | {"until": wrong})


def _said(width: str, *words: str) -> str:
    """Return the line of a command's output on a half-width that was asked for."""
    result = ended(*words, codes=(0,))
    (line,) = (each for each in result.stdout.splitlines() if each.startswith(f"± {width} "))
    return line


def test_the_commands_say_which_ended_it(in_folder):
    games = bsbench.run("linear", "classic", until=0.3).games
    run = ("run", "-s", "linear", "--scenario", "classic", "--force", "--until")
    both = ("compare", "linear", "random", "--until")
    for line in (_said("0.3", *run, "0.3"), _said("0.3", "show", "results/linear-classic.json")):
        assert_names(line, f"{games:,}")
        assert "not" not in line.split()
    for line in (_said("0.1", *run, "0.1", "-n", "5000"), _said("0.3", *both, "0.3", "-n", "5000")):
        assert_names(line, "not", "5,000")
    assert "not" not in _said("0.3", *both, "0.3").split()


def _coverage(repetitions: int) -> float:
    # A ship of 2 on 2x3 cells: linear needs 31 / 7 moves over the 7 layouts.
    held = 0
    for seed in range(repetitions):
        stats = bsbench.run("linear", TINY, until=0.03, seed=seed, threads=1).stats
        assert stats.half_width <= 0.03
        held += abs(stats.mean - 31 / 7) <= stats.half_width
    return held / repetitions


def test_the_interval_covers_although_it_ended_the_run(pytestconfig):
    runs = 8_000 if pytestconfig.option.all_cases else 2_000
    # That of 8,000 is a hundredth.
    assert abs(_coverage(runs) - 0.95) <= 4 * np.sqrt(0.95 * 0.05 / runs)


def test_a_width_that_no_run_reaches_ends_at_the_cap():
    # Their ratio, and its square, are too large for a float.
    for until in (1e-200, 5e-324):
        result = bsbench.run("random", "classic", until=until, games=5_000)
        assert (result.games, result.requested, result.partial) == (5_000, 5_000, False)
        assert round_for(until, 4_096, 0.5, 1, 10**9) == 4 * 4_096
        assert Figures(61.2, 0.5, 0.5, until).needed(1_000) >= 10**18
    assert round_for(0.1, 4_096, math.nan, 1, 10**9) == 4 * 4_096
