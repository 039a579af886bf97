"""Runs of salvos: turns and shots are both counted, recorded, merged and exported."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest

import bsbench
from bsbench.common.journal import Journal
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.samplers import make_sampler
from bsbench.roster import make_variant
from bsbench.rules.layout import layout_texts
from bsbench.rules.scenario import Scenario, find_scenario, scenario_from_dict, scenario_options
from bsbench.runs import panel
from bsbench.runs.comparing import play
from bsbench.runs.cores import Run
from bsbench.runs.exact import find_law
from bsbench.runs.experiment import Experiment
from bsbench.runs.records import read_record
from tests.support.fuzzing import ended
from tests.support.helpers import assert_chi_square
from tests.support.refusals import assert_refused, refused

POND = Scenario("6x6", fleet=[3, 2], shots=3, answers="joint", name="pond")
PLAYERS = ["random", "over9000", "salvo"]


@pytest.mark.parametrize("player", PLAYERS)
def test_turns_and_shots_are_those_of_the_games(player):
    result = bsbench.run(player, POND, games=2_000, seed=3)
    simulator = Simulator(
        POND.rules, make_sampler(POND.rules, POND.placement), make_variant(player), 3, 64
    )
    played = np.concatenate([m for _, m in simulator.play(iter([Block(0, 2_000)]))])
    assert result.moves.tolist() == played[:, 0].tolist()
    assert result.tally.shots.tolist() == np.bincount(played[:, 1], minlength=37).tolist()
    assert result.shots.mean == played[:, 1].mean()
    assert result.stats.mean == played[:, 0].mean()
    # A turn has three shots, but the last one up to the last hit.
    assert (played[:, 1] > 3 * (played[:, 0] - 1)).all() or player == "salvo"
    assert (played[:, 1] <= 3 * played[:, 0]).all()
    row = result.to_frame().iloc[0]
    assert (row["mean"], row["shots"]) == (result.stats.mean, result.shots.mean)


def test_single_shots_are_as_ever():
    plain = find_scenario("classic")
    given = Scenario(shots=1, answers="each", name="classic", summary=plain.summary)
    assert given.rules == plain.rules
    assert not given.rules.salvos
    record = bsbench.run("random", "classic", games=10).to_dict()
    assert {"shots", "answers"}.isdisjoint({**record, **record["scenario"]})
    assert bsbench.run("random", "classic", games=10).shots is None


@pytest.mark.parametrize("player", ["random", "salvo"])
def test_a_turn_of_one_shot_with_a_joint_answer_is_a_single_shot(player):
    """The counts say which ship is hit, and so when one sinks, and where."""
    single = bsbench.run(player, "classic", games=300)
    joint = bsbench.run(player, "classic", answers="joint", games=300)
    assert joint.scenario.rules.salvos
    assert single.moves.tolist() == joint.moves.tolist()
    assert joint.tally.shots.tolist() == joint.counts.tolist()


def test_results_do_not_depend_on_threads_or_ranges():
    whole = bsbench.run("salvo", POND, games=3_000, threads=1)
    again = bsbench.run("salvo", POND, games=3_000, threads=3)
    parts = [
        bsbench.run("salvo", POND, games=games, first_game=first)
        for first, games in ((0, 1_000), (1_000, 2_000))
    ]
    merged = parts[0] + parts[1]
    for other in (again, merged):
        assert other.tally.digest == whole.tally.digest
        assert other.tally.shots.tolist() == whole.tally.shots.tolist()
    assert whole.moves[:1_000].tolist() == parts[0].moves.tolist()


def _shots_of(result) -> list[int]:
    """Return the shots of each game of a result, played one by one."""
    sampler = make_sampler(result.scenario.rules, result.scenario.placement)
    player = make_variant(result.label)
    simulator = Simulator(result.scenario.rules, sampler, player, result.seed, 64)
    ((_, played),) = simulator.play(iter([Block(result.first_game, result.games)]))
    return played[:, 1].tolist()


@pytest.fixture
def small_steps(monkeypatch):
    """Let blocks and chunks be of few games, and journals be written after each."""
    for name in ("_FIRST_SECONDS", "_SECONDS", "_MOST_SECONDS"):
        monkeypatch.setattr("bsbench.common.journal." + name, 0.0)
    monkeypatch.setattr("bsbench.play.lockstep.SMALLEST_BLOCK", 8)
    monkeypatch.setattr(panel, "CHUNK", 70)


@pytest.mark.parametrize("ends_with", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("keep_moves", [True, False])
def test_an_interrupted_run_goes_on_from_its_journal(tmp_path, small_steps, ends_with, keep_moves):
    """In any chunk, in the first strategy and in the second, and with two threads."""
    players = make_variant("over9000"), make_variant("salvo")
    experiment = Experiment(players, (POND,), games=200, first_game=30, keep_moves=keep_moves)
    (whole,) = play(experiment, threads=1)
    path = tmp_path / "a.journal"
    begun = []
    for most in (20, 50, 90, 230, 260, 10**9):
        journal = Journal.open(path, experiment.about(), resume=True)
        games = dict.fromkeys(("over9000", "salvo"), 0)

        def watch(now, most=most, games=games):
            games[now.label] = now.done
            if sum(games.values()) > most:
                raise ends_with

        with contextlib.suppress(RuntimeError, KeyboardInterrupt):
            (found,) = play(experiment, threads=1 + most % 20 // 10, journal=journal, watch=watch)
            # After Ctrl-C, the games that all have played are there.
            for result in found.results:
                assert result.games == found.games
                fired = np.bincount(_shots_of(result), minlength=37)
                assert result.tally.shots.tolist() == fired.tolist()
        begun.append(games["over9000"])
        journal.close()
    assert begun == sorted(begun)
    assert len({*begun}) > 3
    for result, again in zip(whole.results, found.results, strict=True):
        assert again.tally.digest == result.tally.digest
        fired = _shots_of(again)
        assert again.tally.shots.tolist() == np.bincount(fired, minlength=37).tolist()
        assert again.tally.shots.tolist() == result.tally.shots.tolist()
        assert (again.moves is None) is not keep_moves
    assert found.differences == whole.differences


def test_ctrl_c_while_a_comparison_is_extended(tmp_path, small_steps):
    """Nobody knows the shots of single games of a record, so none of its games are cut off."""
    players = make_variant("random"), make_variant("over9000")
    records = [bsbench.run("random", POND, games=300), bsbench.run("over9000", POND, games=100)]
    played = {}

    def watch(now):
        played[now.label] = now.done
        if played.get("over9000", 0) > 140:
            raise KeyboardInterrupt

    before = {(each.label, POND, 0): each for each in records}
    experiment = Experiment(players, (POND,), games=400)
    journal = Journal.open(tmp_path / "a.journal", experiment.about(), resume=True)
    (found,) = play(experiment, threads=1, watch=watch, before=before, journal=journal)
    journal.close()
    first, second = found.results
    assert first.games == 300
    assert 100 < second.games < 200
    for result in found.results:
        fired = _shots_of(result)
        assert result.tally.shots.tolist() == np.bincount(fired, minlength=37).tolist()
    journal = Journal.open(tmp_path / "a.journal", experiment.about(), resume=True)
    (found,) = play(experiment, threads=1, before=before, journal=journal)
    journal.close()
    (whole,) = play(experiment, threads=1)
    for result, again in zip(whole.results, found.results, strict=True):
        assert again.tally.digest == result.tally.digest
        assert again.tally.shots.tolist() == result.tally.shots.tolist()


def test_a_record_says_turns_and_shots(tmp_path):
    result = bsbench.run("salvo", "topcoder", games=500)
    record = json.loads(json.dumps(result.to_dict()))
    assert record["scenario"]["shots"] == 6
    assert record["scenario"]["answers"] == "joint"
    again = read_record(record)
    assert again.tally.shots.tolist() == result.tally.shots.tolist()
    assert again.scenario == result.scenario
    listed = record["shots"]
    for wrong, named in (
        ({"shots": None}, ["shots"]),
        ({"shots": [*listed, 0]}, ["shots", "board"]),
        ({"shots": [1, *listed[1:]]}, ["shots", "board"]),
        ({"shots": [*listed[:-1], listed[-1] + 1]}, ["shots", "games"]),
        # More shots than the turns have, and fewer than there are turns.
        ({"shots": [0] * 100 + [500]}, ["shots", "turns"]),
        ({"scenario": {**record["scenario"], "shots": 1, "answers": "each"}}, ["counts"]),
    ):
        with refused(*named):
            read_record({**record, **wrong})
    del record["shots"]
    with refused("shots"):
        read_record(record)
    single = bsbench.run("random", "classic", games=10).to_dict()
    with refused("shots"):
        read_record({**single, "shots": [0] * 101})


def test_the_exact_law_of_turns_is_that_of_shots():
    scenario = find_scenario("classic").override(shots=7, answers="joint")
    for player in ("random", "linear"):
        law = find_law(player, scenario)
        assert law.sum() == pytest.approx(1)
        result = bsbench.run(player, scenario, games=100_000, seed=5)
        often = 100_000 * law >= 5
        (first,) = np.flatnonzero(often)[:1]
        rare = law[:first].sum()
        expected, observed = law[often].copy(), result.counts[often].copy()
        expected[0] += rare
        observed[0] += result.counts[:first].sum()
        assert_chi_square(observed, 100_000 * expected)
        assert abs(result.stats.mean - law @ np.arange(101)) < 4 * result.stats.half_width / 1.96


def test_scenarios_say_how_a_turn_goes():
    topcoder = find_scenario("topcoder")
    assert find_scenario("classic").override(shots="afloat").rules.most_shots == 5
    assert scenario_options(topcoder.override(shots=2))[2:] == ["--shots", "2"]
    assert scenario_from_dict(topcoder.to_dict()) == topcoder
    assert (POND.rules.fewest_moves, POND.rules.whole_board, POND.rules.reach) == (2, 12, 34)
    assert topcoder.rules.whole_board == 17
    assert Scenario("6x6", fleet=[3, 2], shots=36).rules.whole_board == 1
    assert Scenario(shots="12") == Scenario(shots=np.int64(12))
    assert type(Scenario(shots=np.int64(12)).rules.shots) is int
    big = topcoder.override(board="30x30")
    assert bsbench.run("over9000", big, games=5).games == 5


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ({"shots": 37}, ["36", "37"]),
        ({"shots": 2.5}, ["shots", "2.5"]),
        ({"answers": "joint", "feedback": "sunk"}, ["joint", "feedback sunk"]),
    ],
)
def test_rules_that_contradict_each_other_are_refused(parts, named):
    with refused(*named):
        Scenario("6x6", fleet=[3, 2], **parts)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["run", "random", "--shots", "afloat"], ["match"]),
        (["optimum", "--board", "4x4", "--fleet", "3", "--shots", "2"], ["2 shots a turn"]),
        (["odds", "--scenario", "topcoder", "-o", "x.html"], ["--output"]),
    ],
)
def test_what_is_about_single_shots_refuses_salvos(words, named, in_folder):
    assert_refused(ended(*words), *named)


def test_all_are_those_that_play_salvos():
    words = ("compare", "all", "--scenario", "topcoder", "-n", "20", "--export-json", "-", "-q")
    record = json.loads(ended(*words).stdout)
    players = {each["label"] for each in record["strategies"]}
    assert players == {"random", "linear", "over9000", "salvo"}


@pytest.mark.ci
@pytest.mark.parametrize("law", ["avoid:prob", "avoid:over9000"])
def test_layouts_avoid_the_single_shots_of_a_strategy(law):
    single = Scenario(placement=law)
    salvos = Scenario(placement=law, shots=4, answers="joint")
    drawn = [make_sampler(each.rules, each.placement).draw(0, 0, 50) for each in (single, salvos)]
    assert np.array_equal(*drawn)
    assert bsbench.run("random", salvos, games=20).games == 20


def test_moves_compare_where_turns_have_as_many_shots():
    single, joint = Scenario(), Scenario(answers="joint")
    two, three = (Scenario(shots=shots) for shots in (2, 3))
    assert len({each.move_law for each in (single, joint, two, three)}) == 4
    assert two.move_law == two.override(answers="joint").move_law
    assert two.move_law == two.override(feedback="hit").move_law


def test_other_turns_do_not_merge():
    one = bsbench.run("random", POND, games=5)
    five = bsbench.run("random", POND.override(shots=5), games=5, first_game=5)
    with refused("rule shots", "3", "5"):
        one + five


def test_intervals_of_shots_are_those_of_the_games(tmp_path):
    pond = Scenario("4x4", fleet=[3, 2], touching=True)
    turns = pond.override(shots=3)
    single, salvos = (bsbench.run("linear", each, exact=True) for each in (pond, turns))
    assert salvos.shots.mean_text == single.stats.mean_text
    assert salvos.shots.half_width == 0
    # Games that depend on each other: nothing is known of the sums of their shots.
    layouts = make_sampler(pond.rules, pond.placement).draw(0, 0, 40)
    lines = layout_texts(layouts, pond.rules)
    path = tmp_path / "people.txt"
    path.write_text("\n".join(["[anna]", *lines[:20], "[ben]", *lines[20:]]))
    found = bsbench.run("random", turns.override(placement=f"file:{path}:20"), games=100)
    assert np.isnan(found.shots.half_width)
    assert found.shots.median_low is None
    independent = bsbench.run("random", turns.override(placement=f"file:{path}"), games=100)
    assert independent.shots.half_width > 0


def test_shots_are_forgotten_with_the_turns():
    run = Run(make_variant("random"), POND, 0, 1)
    run.most_kept = 50
    run.play_to(50)
    assert run.notes.between(0, 50).shape == (50,)
    run.play_to(60)
    assert (run.notes.between(0, 60), run.log.between(0, 60)) == (None, None)
    assert run.tally.shots.sum() == 60
    run.close()
    runs = [Run(make_variant(name), POND, 0, 1) for name in ("random", "linear")]
    together = panel.Panel(runs, most_kept=0, chunk=20)
    together.play(lambda played: min(played + 40, 80), 80)
    assert [run.notes.first_game for run in runs] == [80, 80]
    assert [run.tally.shots.sum() for run in runs] == [80, 80]
