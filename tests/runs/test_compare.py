"""Comparisons: paired differences against numpy, learners as units, and the command."""

from __future__ import annotations

import io
import json
import math
import os
import re
import tracemalloc
from contextlib import contextmanager, nullcontext

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.progress import Progress
from bsbench.present.terminal import broken_label
from bsbench.present.verdicts import verdict
from bsbench.roster import make_variant
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparing import compare
from bsbench.runs.contestants import shared_home
from bsbench.runs.cores import Run
from bsbench.stats import Difference, decimals_of, interval_texts
from tests.support.refusals import assert_refused, refused

NORMAL_95 = 1.959963984540054
PLAIN = "over9000,edge_weight=1,noise=0"
TINY = Scenario(name="tiny", rules=Rules(2, 3, (2,), touching=True))


def _run(*arguments: str):
    return CliRunner().invoke(main, ["compare", *arguments], prog_name="bsbench")


def test_differences_agree_with_numpy():
    names = ["smart", "prob", "linear"]
    comparison = compare(names, "harbour", games=3_000, seed=4, reference="prob")
    moves = {
        name: bsbench.run(name, "harbour", games=3_000, seed=4, keep_moves=True).moves.astype(int)
        for name in names
    }
    assert [result.label for result in comparison.results] == names
    for result, difference in zip(comparison.results, comparison.differences, strict=True):
        assert (result.moves == moves[result.label]).all()
        expected = moves[result.label] - moves["prob"]
        assert difference.mean == pytest.approx(expected.mean(), rel=1e-12)
        half_width = NORMAL_95 * expected.std(ddof=1) / math.sqrt(3_000)
        assert difference.half_width == pytest.approx(half_width, rel=1e-12)
    assert comparison.same == (False, True, False)
    assert not comparison.partial


def test_the_difference_of_linear_and_random_is_exact():
    # A ship of 2 on 2x3 cells: linear needs 31 / 7 moves over the 7 layouts, random 14 / 3.
    comparison = compare(["random", "linear"], TINY, games=200_000, seed=1, reference="random")
    difference = comparison.differences[1]
    assert abs(difference.mean - (31 / 7 - 14 / 3)) <= 4 * difference.half_width / NORMAL_95
    assert difference.significant


@pytest.mark.parametrize(
    ("variants", "group"),
    [
        ([PLAIN, "over9000-adaptive,games_per_learner=50"], 50),
        (["over9000-adaptive,games_per_learner=50", PLAIN], 50),
        # Whole learners of both: their least common multiple.
        ([f"over9000-adaptive,growth=0.1,games_per_learner={n}" for n in (50, 40)], 200),
    ],
)
def test_learners_are_the_units(variants, group):
    reference = make_variant(variants[0]).label
    comparison = compare(variants, games=2_000, seed=2, reference=reference)
    first, second = (result.moves.astype(int) for result in comparison.results)
    means = (second - first).reshape(-1, group).mean(axis=1)
    difference = comparison.differences[1]
    assert difference.mean == pytest.approx(means.mean(), rel=1e-12)
    half_width = NORMAL_95 * means.std(ddof=1) / math.sqrt(len(means))
    assert difference.half_width == pytest.approx(half_width, rel=1e-12)


def test_a_single_learner_has_no_interval():
    alone = "over9000-adaptive,games_per_learner=500"
    comparison = compare([alone, PLAIN], games=500, reference=make_variant(alone).label)
    assert math.isnan(comparison.differences[1].half_width)


def test_strategies_that_play_alike_differ_by_nothing():
    # Where ships may touch, no_touch has no effect.
    variants = ["over9000", "over9000,no_touch=full"]
    comparison = compare(variants, "classic", games=500)
    assert comparison.same == (True, True)
    assert comparison.differences[0] == Difference(0, 0)
    # 500 games may have missed a rare difference of up to 83 moves.
    assert comparison.differences[1].mean == 0
    assert 3 * 83 / 500 < comparison.differences[1].half_width < 6.5 * 83 / 500


def test_the_summary_is_tidy():
    frame = compare(["prob", "smart", "linear"], games=1_000, reference="smart").to_frame()
    assert set(frame["reference"]) == {"smart"}
    assert frame["difference"].tolist() == pytest.approx(frame["mean"] - frame["mean"][1])
    assert frame["difference_half_width"][1] == 0
    assert frame["significant"].tolist() == [True, False, True]
    assert not frame["partial"].any()
    alone = bsbench.run("smart", "harbour", games=1_000).to_frame()
    columns = [column for column in alone if column != "games_per_second"]
    assert frame[columns].iloc[[1]].reset_index(drop=True).equals(alone[columns])


def test_rows_come_in_the_order_wanted():
    comparison = compare(["smart", "linear", "prob"], games=1_000, reference="smart")

    def labels(order):
        in_order = comparison.sorted(order)
        assert in_order.to_frame().set_index("label")["difference"]["smart"] == 0
        return [result.label for result in in_order.results]

    assert labels("given") == ["smart", "linear", "prob"]
    assert labels("best") == ["prob", "smart", "linear"]
    assert labels("name") == ["linear", "prob", "smart"]
    with refused("order", "bset", "best"):
        comparison.sorted("bset")


@pytest.mark.parametrize(
    ("variants", "home"),
    [
        (["smart", "prob"], "harbour"),
        (["linear", "prob"], "harbour"),
        (["over9000,noise=0", "bob", "random"], "classic"),
        (["prob", "bob"], None),
        (["linear", "random"], None),
    ],
)
def test_the_home_that_all_share(variants, home):
    assert shared_home(map(make_variant, variants)) == home


def _interrupt(label: str, games: int):
    """Return a progress function that is Ctrl-C at that game of that strategy."""

    def progress(now: Progress) -> None:
        if now.label == label and now.done >= games:
            raise KeyboardInterrupt

    return progress


def test_an_interrupt_compares_the_games_that_all_played():
    whole = compare(["smart", "prob", "linear"], games=40_000, seed=3, reference="prob")
    comparison = compare(
        ["smart", "linear", "prob"],
        games=40_000,
        seed=3,
        reference="prob",
        progress=_interrupt("smart", 3_000),
    )
    assert comparison.partial
    assert comparison.missing == ("linear",)
    assert 3_000 <= comparison.games < 40_000
    assert [result.label for result in comparison.results] == ["smart", "prob"]
    for result, full in zip(comparison.results, whole.results, strict=False):
        assert result.games == comparison.games
        assert result.requested == 40_000
        assert (result.moves == full.moves[: comparison.games]).all()
        assert (result.counts == np.bincount(result.moves, minlength=101)).all()
    assert comparison.to_frame()["partial"].all()


def test_an_interrupt_may_cut_learners():
    comparison = compare(
        ["over9000-adaptive,games_per_learner=300", "linear"],
        games=6_000,
        progress=_interrupt("linear", 1),
    )
    learner = comparison.results[0]
    assert comparison.games % 300 != 0
    assert learner.learning.games == comparison.games
    begun = learner.games % 300
    assert learner.learning.rest == learner.moves[-begun:].sum()
    assert learner.games_per_second > 0


@pytest.mark.parametrize("during", ["linear", "random"])
def test_an_interrupt_before_two_have_played_passes_on(monkeypatch, during):
    original = Run.play_to

    def play_to(self, *arguments):
        if self.strategy.name == during:
            raise KeyboardInterrupt
        original(self, *arguments)

    monkeypatch.setattr(Run, "play_to", play_to)
    with pytest.raises(KeyboardInterrupt):
        compare(["linear", "random"], games=10)


def test_the_command_prints_a_table_and_what_was_played():
    words = ("--seed", "3", "--sort", "best", "--wide")
    result = _run("prob", "smart", "random", "-n", "2000", *words)
    assert result.exit_code == 0, result.output
    assert result.stderr == "scenario harbour (home of prob, smart)\n"
    lines = [re.sub(" +", " ", line).strip() for line in result.stdout.splitlines()]
    comparison = compare(["prob", "smart", "random"], games=2_000, seed=3)
    summaries, gaps = [each.stats for each in comparison.results], comparison.differences
    means = interval_texts([s.mean for s in summaries], [s.half_width for s in summaries])
    decimals = decimals_of(gap.half_width for gap in gaps)
    for line, played, mean, gap in zip(lines[2:5], comparison.results, means, gaps, strict=True):
        stats = played.stats
        told = "reference" if played.label == "prob" else gap.text_to(decimals)
        figures = f"{mean} {stats.median} {stats.low} {stats.high}"
        assert line.startswith(f"{played.label} {figures} {stats.best} {stats.worst} ")
        assert f" {told} " in line
    assert lines[-1] == verdict(comparison)


@pytest.mark.parametrize(
    ("order", "printed", "held"),
    [
        ((), ["prob", "smart", "random"], ["random", "prob", "smart"]),
        (("--sort", "best"), ["prob", "smart", "random"], ["prob", "smart", "random"]),
        (("--sort", "given"), ["random", "prob", "smart"], ["random", "prob", "smart"]),
        (("--sort", "name"), ["prob", "random", "smart"], ["prob", "random", "smart"]),
    ],
)
def test_the_best_is_printed_first_and_data_are_as_given(in_folder, order, printed, held):
    exports = ("--export-csv", "a.csv", "--export-json", "a.json", "--export-md", "-")
    names = ("random", "prob", "smart", "--scenario", "classic", "-n", "200", "--force")
    result = _run(*names, *order, *exports)
    assert result.exit_code == 0, result.output
    assert re.findall(r"^\| `(\w+)`", result.stdout, re.MULTILINE) == printed
    shown = [line.split(" ")[0] for line in result.stderr.splitlines()]
    assert [name for name in shown if name in printed][:3] == printed
    assert pd.read_csv("a.csv")["label"].tolist() == held
    record = json.loads((in_folder / "a.json").read_text())
    assert [each["label"] for each in record["strategies"]] == held
    assert record["reference"] == "prob"


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("columns", [40, 80])
def test_the_table_fits_the_terminal_and_cuts_nothing(monkeypatch, columns, wide):
    from rich.console import Console

    monkeypatch.setattr(Console, "is_terminal", True)
    variants = ["random", "over9000-adaptive,growth=0.5,games_per_learner=25", PLAIN]
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(
        main,
        ["compare", *variants, "-n", "5000", "--sort", "given", "--export-csv", "-"]
        + ["--wide"] * wide,
    )
    assert result.exit_code == 0, result.output
    shown = re.sub(r"\x1b\[[\d;]*m", "", result.stderr)
    lines = shown[shown.index("strategy") :].splitlines()
    assert max(map(len, lines)) <= 80
    assert "…" not in shown
    frame = pd.read_csv(io.StringIO(result.stdout))
    # What stands at the ends of lines is whole.
    rates = [f" {rate:,.0f} " in f"{shown} " for rate in frame["games_per_second"]]
    assert all(rates) if wide else not any(rates)
    assert all(f" {mean:.2f} ±" in shown for mean in frame["mean"])
    first = "".join(re.split("  +", line)[0].replace(" ", "") for line in lines)
    assert "".join(frame["label"]).replace(" ", "") in first


@pytest.mark.parametrize(
    ("label", "width", "lines"),
    [
        ("prob", 4, ["prob"]),
        ("over9000 noise=0.0", 18, ["over9000 noise=0.0"]),
        ("over9000 noise=0.0", 17, ["over9000", "noise=0.0"]),
        ("hunt-target-parity", 16, ["hunt-target-", "parity"]),
        ("a games_per_learner=1000", 18, ["a", "games_per_learner=", "1000"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
    ],
)
def test_labels_are_broken_between_words(label, width, lines):
    assert broken_label(label, width).splitlines() == lines


@pytest.mark.parametrize("written", ["over9000,noise=0", "over9000 noise=0.0"])
def test_the_reference_is_named_as_written_or_by_its_label(written):
    result = _run("random", "over9000,noise=0", "-n", "100", "--reference", written)
    assert result.exit_code == 0, result.output
    assert re.search(r"^random .* \+\d", result.stdout, re.MULTILINE)


def test_exports(in_folder):
    result = _run("smart", "prob", "-n", "1000", "-q", "--export-csv", "a.csv")
    assert (result.exit_code, result.output) == (0, "")
    frame, expected = pd.read_csv("a.csv"), compare(["smart", "prob"], games=1_000).to_frame()
    columns = [column for column in expected if column != "games_per_second"]
    pd.testing.assert_frame_equal(frame[columns], expected[columns])


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], ["two"]),
        (["prob"], ["two", "prob"]),
        (["prob", "over9000,noise=x"], ["over9000", "noise", "x"]),
        (["prob", "over9000,noise"], ["noise", "NAME=VALUE"]),
        (["prob", "over9000,noise=0,noise=1"], ["noise", "twice"]),
        (["prob", "linear", "prob"], ["prob", "twice"]),
        (["over9000", "over9000,edge_weight=1.1"], ["over9000", "twice"]),
        (["prob", "linear", "--reference", "prb"], ["reference", "prb", "prob"]),
        (["prob", "over9000", "--scenario", "harbour"], ["over9000", "hit", "--feedback ship"]),
        (["prob", "linear", "--export-csv", "file"], ["file"]),
        (["prob", "linear", "--export-md", "no/x"], ["no"]),
        (["prob", "linear", "--export-csv", "-", "--export-md", "-"], ["--export-csv", "--export"]),
        (["prob", "linear", "--export-csv", "a", "--export-md", "./a"], ["--export-csv"]),
    ],
)
def test_bad_input_gets_one_sentence_and_code_2(in_folder, arguments, named):
    (in_folder / "file").write_text("")
    assert_refused(_run(*arguments), *named)
    assert os.listdir() == ["file"]


def _press_ctrl_c(monkeypatch, label: str, games: int) -> None:
    @contextmanager
    def progress_bar(*_):
        yield _interrupt(label, games)

    monkeypatch.setattr("bsbench.cli.delivery.progress_bar", progress_bar)
    monkeypatch.setattr("bsbench.cli.experiment._SHOWN_EVERY", 0.0)


def test_ctrl_c_compares_what_has_been_played(in_folder, monkeypatch):
    _press_ctrl_c(monkeypatch, "prob", 2_000)
    result = _run("smart", "prob", "linear", "-n", "40000", "--export-csv", "a.csv")
    assert result.exit_code == 130
    told = r"partial: interrupted after ([\d,]+) of 40,000 games; not played: linear"
    games = int(re.search(told, result.stdout)[1].replace(",", ""))
    frame = pd.read_csv("a.csv")
    assert frame["label"].tolist() == ["smart", "prob"]
    assert frame["games"].tolist() == [games, games]
    assert frame["partial"].all()


def test_ctrl_c_too_early_says_so(in_folder, monkeypatch):
    _press_ctrl_c(monkeypatch, "smart", 1)
    result = _run("smart", "prob", "-n", "40000", "--scenario", "harbour", "--export-csv", "a.csv")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr.startswith("Interrupted before two strategies had played")
    assert os.listdir() == []


@pytest.mark.parametrize(("bytes_free", "fits"), [(1600, True), (1599, False)])
def test_kept_moves_and_twice_as_much_for_statistics_must_fit(monkeypatch, bytes_free, fits):
    # A byte for each of 400 games of two strategies, and as much as two more take.
    monkeypatch.setattr("bsbench.runs.comparing.memory", lambda: bytes_free)
    with nullcontext() if fits else refused("memory", "keep_moves"):
        compare(["linear", "random"], games=400, keep_moves=True)


def test_a_table_needs_few_bytes_for_a_game():
    peaks = []
    for games in (100, 4_000_000, 8_000_000):  # the first one imports pandas
        names = ("linear", "random")
        results = [bsbench.run(name, "classic", games=games, keep_moves=True) for name in names]
        tracemalloc.start()
        bsbench.compare(results).to_frame()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # Beside move counts, a byte for each game.
    assert peaks[2] - peaks[1] < 1.5 * 4_000_000
