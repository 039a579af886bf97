"""Comparisons with records, races, exports in full, and records of what was compared."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import tracemalloc

import pandas as pd
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.progress import Progress
from bsbench.present.tables import comparison_table
from bsbench.runs.comparing import compare
from bsbench.runs.comparison import Comparison, Firsts, _common_moves
from bsbench.runs.records import load_result
from bsbench.runs.results import Result, save_result
from tests.support.refusals import assert_refused, refused

LEARNER = "over9000-adaptive,games_per_learner=50"


def _run(*arguments: str):
    return CliRunner().invoke(main, ["compare", *arguments], prog_name="bsbench")


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


def test_an_early_interrupt_leaves_games_that_all_played():
    def progress(now: Progress) -> None:
        if now.label == "prob" and now.done > 30_000:
            raise KeyboardInterrupt

    comparison = compare(["smart", "prob", "linear"], games=100_000, progress=progress)
    assert (comparison.partial, comparison.missing, comparison.games) == (True, (), 25_000)
    assert comparison.requested == 100_000


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


def _records_of_one_strategy(number: int) -> list[Result]:
    run = bsbench.run("linear", "classic", games=10)
    return [dataclasses.replace(run, seed=seed) for seed in range(number)]


def test_many_records_are_compared_without_looking_at_pairs_of_them(monkeypatch):
    looks = []
    partial = Result.partial.fget
    monkeypatch.setattr(
        Result, "partial", property(lambda result: looks.append(result) or partial(result))
    )
    work = []
    for number in (50, 100):
        looks.clear()
        comparison = dataclasses.replace(compare(_records_of_one_strategy(number)), from_records=())
        comparison_table(comparison)
        work.append(len(looks))
    assert work[1] <= 2 * work[0]


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
    assert [result.label for result in comparison.results] == [
        "prob",
        "prob (before)",
        "prob (2)",
    ]
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


def test_records_of_a_comparison_are_saved_and_not_overwritten(in_folder):
    arguments = ("smart", "prob", "-n", "500", "-o", "kept", "-q")
    assert _run(*arguments).exit_code == 0
    assert {"prob-harbour.json", "smart-harbour.json", "table.csv"} < {*os.listdir("kept")}
    again = _run(*arguments, "--keep-moves")
    assert_refused(again, "kept/smart-harbour.json", "--extend", "--force")
    assert _run(*arguments, "--keep-moves", "--force").exit_code == 0
    result = load_result("kept/smart-harbour.json")
    assert result.stats == bsbench.run("smart", games=500).stats
    assert (result.games, result.partial) == (500, False)
    assert_refused(_run("smart", "prob", "--keep-moves"), "--output")


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


def test_it_tells_how_many_games_would_settle_it():
    comparison = compare(["over9000,noise=0", "over9000,noise=0.0001"], games=300)
    difference = comparison.differences[1]
    assert not difference.significant
    result = _run("over9000,noise=0", "over9000,noise=0.0001", "-n", "300", "--scenario", "classic")
    games = int(re.search(r"More games .* about ([\d,]+),", result.stdout)[1].replace(",", ""))
    # Twice as many as would make the interval as wide as the difference.
    needed = 600 * (difference.half_width / difference.mean) ** 2
    assert needed <= games <= 1.1 * needed


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
