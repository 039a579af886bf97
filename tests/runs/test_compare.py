"""Comparisons: differences against numpy, learners, records, races, exports, the command."""

from __future__ import annotations

import dataclasses
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
from bsbench.roster import make_variant
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparing import compare
from bsbench.runs.comparison import Comparison, Firsts, _common_moves
from bsbench.runs.contestants import shared_home
from bsbench.runs.records import load_result
from bsbench.runs.results import save_result
from bsbench.stats import Difference
from tests.support.refusals import assert_refused, refused

NORMAL_95 = 1.959963984540054
PLAIN = "over9000,edge_weight=1,noise=0"
LEARNER = "over9000-adaptive,games_per_learner=50"
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
        ([PLAIN, LEARNER], 50),
        ([LEARNER, PLAIN], 50),
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
@pytest.mark.parametrize("columns", [40, 60, 80])
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
    assert max(map(len, lines)) <= columns
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


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["prob"], ["two", "prob"]),
        (["prob", "linear", "prob"], ["prob", "twice"]),
        (["prob", "linear", "--keep-moves"], ["--output"]),
        (["prob", "linear", "--export-csv", "a", "--export-md", "./a"], ["--export-csv"]),
    ],
)
def test_bad_input_gets_one_sentence_and_code_2(in_folder, arguments, named):
    assert_refused(_run(*arguments), *named)
    assert os.listdir() == []


def _press_ctrl_c(monkeypatch, label: str, games: int) -> None:
    @contextmanager
    def progress_bar(*_):
        yield _interrupt(label, games)

    monkeypatch.setattr("bsbench.cli.delivery.progress_bar", progress_bar)
    monkeypatch.setattr("bsbench.cli.experiment._SHOWN_EVERY", 0.0)


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


def _saved(name: str, keep_moves: bool = True, path: str | None = None, **options) -> str:
    result = bsbench.run(name, keep_moves=keep_moves, **{"games": 3_000, "seed": 2} | options)
    return str(save_result(result, path)[0])


def test_the_race_is_that_of_a_plain_count():
    names = ["smart", "prob", "smart-random", "linear"]
    comparison = compare(names, games=2_000, seed=4, reference="prob")
    games = list(zip(*(result.moves.tolist() for result in comparison.results), strict=True))
    for place, race in enumerate(comparison.races):
        wins = sum(moves[place] < moves[1] for moves in games)
        ties = sum(moves[place] == moves[1] for moves in games)
        assert (race.wins, race.ties, race.losses) == (wins, ties, len(games) - wins - ties)
    for place, firsts in enumerate(comparison.firsts):
        first = [moves for moves in games if moves[place] == min(moves)]
        alone = sum(moves.count(min(moves)) == 1 for moves in first)
        assert firsts == Firsts(alone, len(first) - alone)
    frame = comparison.to_frame()
    assert frame["wins"].tolist() == [race.wins for race in comparison.races]
    assert frame["paired"].all()
    assert frame["dominance"].tolist() == [each.verdict for each in comparison.dominances]
    assert frame["dominance"][3] == "behind"


@pytest.mark.parametrize("change", [{"exact": True}, {"first_game": 5}])
def test_a_comparison_with_a_result_plays_its_games(change):
    result = bsbench.run("linear", games=20, seed=4)
    with refused("'exact'", "'first_game'"):
        compare([result, "smart"], **change)


def test_common_games_begin_with_a_whole_unit():
    early, late = (bsbench.run("linear", games=40, first_game=first) for first in (0, 7))
    one, other = _common_moves(5, early, late)
    assert one.tolist() == other.tolist() == early.moves[10:40].tolist()


def test_rounds_change_nothing(monkeypatch):
    monkeypatch.setattr("bsbench.runs.comparing._SMALLEST_ROUND", 100)
    monkeypatch.setattr("bsbench.runs.comparing._FEWEST_LEARNERS", 1)
    seen: list[Progress] = []
    rounds = compare(["smart", "prob"], games=6_400, progress=seen.append, threads=1)
    told = [(now.label, now.done) for now in seen if not now.setting_up]
    ends = [(label, end) for end in (100, 400, 1_600, 6_400) for label in ("smart", "prob")]
    assert [each for each in told if each in ends] == ends
    for result in rounds.results:
        alone = bsbench.run(result.strategy, games=6_400, keep_moves=True)
        assert (result.moves == alone.moves).all()


def test_records_with_moves_are_compared_game_by_game(in_folder):
    paths = [_saved(name) for name in ("smart", "prob")]
    comparison = compare(paths)
    whole = compare(["smart", "prob"], games=3_000, seed=2)
    assert comparison.paired == (True, True)
    assert comparison.differences == whole.differences
    assert comparison.races == whole.races
    assert comparison.from_records == ("smart", "prob")
    assert (comparison.played, comparison.partial) == ((), False)
    results = [load_result(path) for path in paths]
    assert compare(results, reference="prob").differences[1].mean == 0


def test_strategies_play_the_games_of_the_records(in_folder):
    path = _saved("prob", placement="sequential")
    comparison = compare([path, "smart"])
    played = comparison.results[1]
    assert played.scenario.name == "harbour+sequential:longest"
    assert (played.games, played.seed, comparison.paired) == (3_000, 2, (True, True))
    assert comparison.played == (played,)
    longer = compare([path, "smart"], games=5_000)
    assert [result.games for result in longer.results] == [3_000, 5_000]
    # The games that both have played.
    assert longer.differences == comparison.differences
    assert longer.games == 3_000
    elsewhere = compare([path, "smart"], seed=3)
    assert elsewhere.paired == (True, False)


def test_of_very_many_there_are_no_ranks():
    run = bsbench.run("linear", "classic", games=10)
    results = [dataclasses.replace(run, seed=seed) for seed in range(65)]
    assert compare(results).ranks == (None,) * 65


def test_who_is_first_of_many_takes_little_memory(monkeypatch):
    games = 20_000
    monkeypatch.setattr("bsbench.runs.comparison._AT_ONCE", games)
    run = bsbench.run("linear", "classic", games=games, keep_moves=True)
    results = [dataclasses.replace(run, label=f"linear ({number})") for number in range(50)]
    comparison = Comparison(tuple(results), results[0].label)
    assert all(comparison.paired)
    tracemalloc.start()
    firsts = comparison.firsts
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert firsts == (Firsts(0, games),) * 50
    # All strategies at once would be a byte for each game of each.
    assert peak < 50 * games / 5


@pytest.mark.parametrize("options", [{"keep_moves": False}, {"seed": 3}])
def test_others_are_compared_by_their_means(in_folder, options):
    paths = [_saved("prob"), _saved("smart", **options)]
    comparison = compare(paths)
    prob, smart = (result.stats for result in comparison.results)
    assert comparison.paired == (True, False)
    assert comparison.races[1] is None
    assert comparison.firsts == (None, None)
    difference = comparison.differences[1]
    assert difference.mean == smart.mean - prob.mean
    assert difference.half_width == math.hypot(smart.half_width, prob.half_width)
    frame = comparison.to_frame()
    assert frame["wins"].isna().tolist() == [False, True]
    assert frame["first_alone"].isna().all()
    assert re.search(r"^smart .* \* \+\d", _run(*paths).stdout, re.MULTILINE)


def test_a_record_of_a_strategy_that_plays_too_has_a_name_of_its_own(in_folder):
    path = _saved("prob", path="before.json")
    comparison = compare(["prob", path, load_result(path)])
    assert [result.label for result in comparison.results] == ["prob", "prob (before)", "prob (2)"]
    assert comparison.same == (True, True, True)
    assert compare(["smart", path], reference=path).reference == "prob"


def test_shooters_that_were_told_more_take_part(in_folder):
    scenario = bsbench.find_scenario("harbour")
    told = scenario.override(feedback=bsbench.Feedback.SUNK)
    paths = [
        _saved("prob", scenario=scenario),
        _saved("lattice", scenario=told, path="lattice.json"),
    ]
    # It makes no difference to one that needs less.
    plain = compare([paths[0], "smart"])
    assert (compare([*paths, "smart"]).results[2].counts == plain.results[1].counts).all()


def test_learners_of_records_are_units(in_folder):
    path = _saved(LEARNER, path="learner.json", games=1_000)
    comparison = compare([path, "over9000"])
    whole = compare([LEARNER, "over9000"], games=1_000, seed=2)
    assert comparison.differences == whole.differences


def test_what_does_not_compare_is_refused(in_folder):
    prob = _saved("prob")
    classic = _saved("prob", scenario="classic", path="classic.json")
    for arguments, named in (
        ((prob, classic), ["prob", "harbour", "classic"]),
        ((prob, "smart", "--board", "12x12"), ["prob", "harbour"]),
        ((prob, "smart", "--until", "0.1"), ["--until"]),
    ):
        assert_refused(_run(*arguments), *named)


def test_of_a_folder_with_several_scenarios_one_is_chosen(in_folder):
    for number, place in enumerate(["harbour", "harbour", "classic", "classic"]):
        name = "prob" if number % 2 else "linear"
        _saved(name, scenario=place, games=50, path=f"results/{number}.json")
    assert_refused(_run("results"), "--scenario", "classic", "harbour")
    for options in (["--scenario", "classic"], ["--scenario", "harbour"]):
        chosen = _run("results", *options)
        assert chosen.exit_code == 0, chosen.output
        assert re.findall(r"^(linear|prob) +\d", chosen.stdout, re.MULTILINE) == ["prob", "linear"]
    assert_refused(_run("results", "--scenario", "gym-10x10"), "results", "gym-10x10")


def test_move_counts_of_another_run_are_refused(in_folder):
    results = [bsbench.run(name, games=3_000, seed=2) for name in ("prob", "smart")]
    prob, smart = (save_result(result)[0] for result in results)
    assert compare([prob, smart]).differences == compare(results).differences
    record = json.loads(prob.read_text())
    for moves in (json.loads(smart.read_text())["moves"], "", "junk", 3):
        prob.write_text(json.dumps(record | {"moves": moves}))
        with refused(str(prob), "moves"):
            compare([prob, smart])


def test_the_json_holds_table_histograms_and_provenance():
    comparison = compare(["smart", "prob", "linear"], games=500, seed=3, reference="prob")
    record = comparison.to_dict()
    assert record["scenario"] == bsbench.find_scenario("harbour").to_dict()
    assert (record["seed"], record["games"], record["partial"]) == (3, 500, False)
    frame = comparison.to_frame()
    for row, (_, told) in zip(record["strategies"], frame.iterrows(), strict=True):
        assert row["label"] == told["label"]
        assert sum(row["counts"]) == 500
        assert row["summary"]["mean"] == told["mean"]
        assert row["difference"]["mean"] == told["difference"]
        assert row["race"] == {key: told[key] for key in ("wins", "ties", "losses")}
        assert row["first"] == {"alone": told["first_alone"], "tied": told["first_tied"]}
        assert row["dominance"]["verdict"] == told["dominance"]


def test_the_json_of_records_has_no_nan(in_folder):
    paths = [_saved("prob", keep_moves=False), _saved("smart", games=1)]
    record = json.loads(json.dumps(compare(paths).to_dict(), allow_nan=False))
    smart = record["strategies"][1]
    assert smart["from_record"]
    assert smart["difference"]["half_width"] is None
    assert smart["race"] is smart["first"] is None


def test_the_frame_of_a_partial_comparison():
    result = bsbench.run("prob", games=100, keep_moves=True)
    partial = dataclasses.replace(result, requested=200)
    # A record may be of a run that was cut short; the comparison was not.
    comparison = compare([partial, "smart"])
    assert not comparison.partial
    assert isinstance(comparison.to_frame(), pd.DataFrame)


def test_learners_that_begin_alike_are_not_taken_for_each_other():
    # In 100 games, one learner of 100 and one of 1,000 play the same: so do their digests.
    short, fast, long = bsbench.compare(
        [f"over9000-adaptive,{each}games_per_learner=100" for each in ("", "growth=0.1,")]
        + ["over9000-adaptive"],
        "classic",
        games=100,
        keep_moves=False,
    ).results
    assert short.tally.digest == long.tally.digest
    assert Comparison((short, fast), short.label).paired == (True, True)
    assert Comparison((long, fast), long.label).paired == (True, False)
