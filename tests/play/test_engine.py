from __future__ import annotations

import threading

import numpy as np
import pytest

import bsbench
from bsbench.common.errors import StrategyError
from bsbench.kernels.slots import fill_boards
from bsbench.layouts import Sampler
from bsbench.layouts.classes import Classes
from bsbench.play import lockstep
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.samplers import make_sampler
from bsbench.roster import make_strategy, strategy_names
from bsbench.rules.board import Feedback
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import find_scenario
from bsbench.runs import cores, running
from bsbench.strategies import Strategy
from tests.support.helpers import quick_strategy
from tests.support.refusals import assert_sentence, refused


def _made(name: str) -> Strategy:
    """Return a strategy; of one that learns, many learners of few games, which play faster."""
    strategy = quick_strategy(name)
    has_learners = "games_per_learner" in strategy.parameters
    return make_strategy(name, {"games_per_learner": 50}) if has_learners else strategy


@pytest.mark.parametrize("strategy", strategy_names())
def test_results_do_not_depend_on_threads_lanes_or_blocks(monkeypatch, strategy):
    # Rollouts take long: no more games than there are in two blocks.
    games = 1_200 if strategy == "mcts" else 4_500
    reference = running.run(_made(strategy), games=games, seed=3, threads=1, keep_moves=True)
    for threads, lanes, block in ((2, 512, 1_024), (3, 700, 1_000), (5, 64, 4_000)):
        monkeypatch.setattr(lockstep, "default_lanes", lambda rules, lanes=lanes: lanes)
        monkeypatch.setattr(lockstep, "SMALLEST_BLOCK", block)
        other = running.run(_made(strategy), games=games, seed=3, threads=threads, keep_moves=True)
        assert (other.moves == reference.moves).all()
        assert (other.counts == reference.counts).all()
    assert (np.bincount(reference.moves, minlength=101) == reference.counts).all()


def test_all_strategies_meet_the_same_layouts(monkeypatch):
    dealt: dict[str, dict[int, list[int]]] = {}
    original = Classes.fill

    def spy(self, key, first_game, layouts, boards=None):
        failed = original(self, key, first_game, layouts, boards)
        if boards is None:
            boards = np.zeros((len(layouts), 2), np.uint64)
            fill_boards(layouts, np.array(self.rules.fleet), self.rules.cols, boards)
        dealt[name].update(enumerate(boards.tolist(), start=first_game))
        return failed

    monkeypatch.setattr(Classes, "fill", spy)
    harbour = bsbench.find_scenario("harbour").override(feedback=Feedback.SHIP)
    for name in strategy_names():
        if not make_strategy(name).fits(harbour.rules):
            continue
        dealt[name] = {}
        running.run(quick_strategy(name), harbour, games=500, seed=5)
    assert all(len(layouts) == 500 for layouts in dealt.values())
    assert all(layouts == dealt["linear"] for layouts in dealt.values())


@pytest.mark.parametrize("strategy", strategy_names())
def test_a_strategy_uses_no_more_feedback_than_it_declares(strategy):
    kind = bsbench.find_strategy(strategy)
    told, least = (
        find_scenario("harbour").override(feedback=feedback)
        for feedback in (Feedback.SHIP, kind.needs)
    )
    if kind.uses and (kind.takes_long or not _made(strategy).fits(told.rules)):
        pytest.skip("it makes use of all feedback that there is, where it plays")
    plain = running.run(_made(strategy), least, games=2_000, keep_moves=True)
    informed = running.run(_made(strategy), told, games=2_000, keep_moves=True)
    if kind.uses and kind.needs == Feedback.HIT:
        assert informed.stats.mean < plain.stats.mean - 1
    else:
        assert (informed.moves == plain.moves).all()


class Demanding(Strategy):
    """Wants to know what sank."""

    name = "demanding"
    source = "this test"
    needs = Feedback.SUNK

    def shoot(self, view):
        return view.shots


def test_homes_and_defaults():
    assert running.run("prob", games=10).scenario.name == "harbour"
    assert running.run("linear", games=10).scenario.name == "classic"
    sequential = running.run("prob", games=10, placement="sequential")
    assert sequential.scenario.name == "harbour+sequential:longest"
    assert running.run(Demanding(), "gym-5x5", games=10).strategy == "demanding"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"games": 10.5}, ["games", "10.5"]),
        ({"threads": "2"}, ["threads", "'2'"]),
        ({"strategy": Demanding(), "scenario": "harbour"}, ["'demanding'", "sunk"]),
    ],
)
def test_numbers_must_be_whole(arguments, named):
    with refused(*named):
        running.run(**{"strategy": "linear", "games": 10, **arguments})


def test_numpy_integers_and_paths_are_taken(tmp_path):
    path = tmp_path / "pond.toml"
    path.write_text('board = "4x6"\nfleet = [3]\ntouching = false\nfeedback = "hit"\n')
    result = running.run("linear", path, games=np.int64(10), seed=np.int64(3))
    assert type(result.to_dict()["seed"]) is int
    assert result.scenario.name == "pond"


def test_threads_end_when_one_can_not_be_started(monkeypatch):
    started = []
    original = threading.Thread.start

    def start(self):
        if len(started) == 2:
            raise RuntimeError("no more threads")
        started.append(self)
        original(self)

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(RuntimeError, match="no more threads"):
        running.run("prob", games=10_000_000, threads=3)
    assert not any(thread.is_alive() for thread in started)


def test_a_stop_is_heeded_between_layouts(monkeypatch):
    # A fleet that is hard to lay can keep the sampler busy for minutes.
    scenario = find_scenario("classic")
    sampler = make_sampler(scenario.rules, scenario.placement)
    drawn: list[int] = []

    class Slow(Sampler):
        def draw(self, seed, first_game, games):
            drawn.append(games)
            return sampler.draw(seed, first_game, games)

    simulator = Simulator(
        scenario.rules, Slow(scenario.rules), bsbench.find_strategy("linear")(), 0, 4_096
    )
    blocks = iter([Block(0, 16_000)])
    assert list(simulator.play(blocks, lambda: len(drawn) >= 3)) == []
    assert sum(drawn) < 16_000


def test_blocks_larger_than_there_is_room_for_are_refused():
    rules = bsbench.find_scenario("gym-5x5").rules
    sampler = make_sampler(rules, Placement())
    simulator = Simulator(rules, sampler, bsbench.find_strategy("lattice")(), 0, 64, 100)
    assert [block.games for block, _ in simulator.play(iter([Block(0, 100)]))] == [100]
    with pytest.raises(ValueError, match=r"101.*100"):
        next(simulator.play(iter([Block(0, 101)])))


def test_one_long_game_does_not_stop_the_others():
    # With `random` on a board of 100 cells, blocks of 8 games on 400 lanes end out of order,
    # and more of them are in play than may be.
    scenario = find_scenario("classic")
    sampler = make_sampler(scenario.rules, scenario.placement)
    strategy = bsbench.find_strategy("random")

    def play(block: int, lanes: int):
        blocks = (Block(first, block) for first in range(0, 1_600, block))
        simulator = Simulator(scenario.rules, sampler, strategy(), 1, lanes)
        played = list(simulator.play(blocks))
        assert [block.first_game for block, _ in played] == list(range(0, 1_600, block))
        return np.concatenate([moves for _, moves in played])

    assert (play(8, 400) == play(1_600, 37)).all()


@pytest.mark.parametrize("moves", [0, 2, 101])
def test_move_counts_that_cannot_be_are_a_fault(monkeypatch, moves):
    class Reached(Simulator):
        """A game of a strategy that changed the referee's own numbers."""

        def play(self, blocks, stopped=lambda: False):
            for block, counts in super().play(blocks, stopped):
                if block.first_game <= 10 < block.first_game + block.games > 1:
                    counts[10 - block.first_game] = moves
                yield block, counts

    monkeypatch.setattr(cores, "Simulator", Reached)
    with pytest.raises(StrategyError) as caught:
        bsbench.run("linear", "harbour", games=50, threads=1)
    assert caught.value.game == 10
    assert_sentence(caught.value.problem, f"{moves} moves", "21 cells", "100")
