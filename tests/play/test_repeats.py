"""Repeated shots that count: each is a wasted move, told as a miss, and reveals nothing.

Players that fire at every cell twice, in the order of `linear`, need 2 m - 1 moves where that needs
m: whatever kind of player they are, their games are known to the last move.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import bsbench
from bsbench import Scenario, StrategyError
from bsbench.common.journal import Journal
from bsbench.env import BattleshipEnv, BattleshipVectorEnv
from bsbench.env.two_player import TwoPlayerEnv
from bsbench.play.game import play_game
from bsbench.play.lockstep import moves_dtype
from bsbench.play.referee import Referee
from bsbench.play.samplers import make_sampler
from bsbench.present.human import HumanGame
from bsbench.present.replaying import replay
from bsbench.roster import as_strategy
from bsbench.rules.board import HIT, MISS, NOTHING, SUNK, Feedback, Rules
from bsbench.rules.drawing import MISSED, OPEN, STRUCK, SUNKEN, board_text
from bsbench.runs import heat
from bsbench.runs.chances import ChanceFinder
from bsbench.runs.comparing import play_together
from bsbench.runs.experiment import Experiment
from bsbench.runs.games import parts_of
from bsbench.runs.records import load_result
from bsbench.runs.results import save_result
from bsbench.strategies.view import View
from bsbench.studies.check.study import check_strategy
from bsbench.studies.verify.study import verify
from tests.support.naive import layouts
from tests.support.refusals import refused

POND = Scenario("4x4", fleet=[3, 1], touching=False, feedback="sunk", repeats="count", name="pond")

TWICE = """
from dataclasses import dataclass

import bsbench
import numpy as np
from bsbench import BatchStrategy, Strategy

class Plain:
    def shoot(self, view):
        return len(view.shots) // 2

class Turns:
    def salvo(self, view):
        return [len(view.shots) // 2]

class Batch(BatchStrategy):
    def shoot(self, view):
        return view.shots // 2

class Agent:
    def select_action(self, observation):
        return int(observation["move_count"][0]) // 2

class Kernels(Strategy):
    name, source, home = "kernels", "made for tests", "classic"
    def copy(self):
        return Kernels()
    def begin(self, rules, lanes, seed):
        pass
    def deal(self, lanes, games):
        pass
    def shoot(self, view):
        return view.shots // 2

class Anywhere:
    def reset(self, rules, rng):
        self.rng = rng
    def shoot(self, view):
        return self.rng.randrange(view.rules.cells)

@dataclass
class Learns(Anywhere):
    games_per_learner: int = bsbench.parameter(5, "games in a row")
"""

BOT = """
import sys

many, shots = sys.argv[1:] == ["many"], {}
for line in sys.stdin:
    place, words = "", line.split()
    if words[0].isdigit():
        place = words.pop(0)
    match words:
        case ["bsbench", *_]:
            print(*["games 4"] * many, "ready", sep="\\n", flush=True)
        case ["rules", *_]:
            print("ready", flush=True)
        case ["game", *_]:
            shots[place] = 0
        case ["shoot", *places]:
            cells = []
            for each in places if many else [""]:
                cells.append(shots[each] // 2)
                shots[each] += 1
            print(*cells, flush=True)
        case ["quit"]:
            break
"""


@pytest.fixture
def own(tmp_path) -> str:
    (tmp_path / "twice.py").write_text(TWICE)
    (tmp_path / "bot.py").write_text(BOT)
    return str(tmp_path / "twice.py")


@pytest.mark.parametrize("feedback", ["hit", "sunk", "ship"])
def test_on_all_layouts_and_orders_of_three_shots_a_repeated_one_reveals_nothing(feedback):
    rules = Rules(2, 3, (2, 1), touching=True, feedback=feedback, repeats="count")
    orders = list(product(range(rules.cells), repeat=3))
    facts = Feedback.parse(feedback).reveals
    for ships in layouts.all_layouts(rules):
        view = View(rules, len(orders))
        referee = Referee(view)
        codes = np.array([layouts.encode(rules, ships)] * len(orders), np.int32)
        referee.deal(np.arange(len(orders)), codes)
        over = np.zeros(len(orders), np.bool_)
        for number in range(3):
            cells = np.array([order[number] for order in orders])
            ended = referee.fire(cells).tolist()
            for lane, order in enumerate(orders):
                before, shot = set(order[:number]), set(order[: number + 1])
                if over[lane]:
                    continue
                on = [place for place, ship in enumerate(ships) if order[number] in ship]
                hit = bool(on) and order[number] not in before
                sinks = hit and shot.issuperset(ships[on[0]])
                told = (hit and facts.ships) or (sinks and facts.sinkings)
                assert view.cell[lane] == order[number]
                assert view.shots[lane] == number + 1
                assert view.outcome[lane] == (
                    SUNK if sinks and facts.sinkings else HIT if hit else MISS
                )
                assert view.ship[lane] == (on[0] if told else NOTHING)
                assert (view.slot[lane] != NOTHING) == (sinks and facts.sinkings)
                over[lane] = shot.issuperset(cell for ship in ships for cell in ship)
                assert (lane in ended, not view.live[lane]) == (over[lane], over[lane])


@pytest.mark.ci
@pytest.mark.skipif(sys.platform != "linux", reason="bots and thinkers are for POSIX")
@pytest.mark.parametrize("player", ["Plain", "Turns", "Batch", "Agent", "Kernels", "one", "many"])
def test_players_of_all_kinds_waste_moves(own, player):
    spec = f"{own}:{player}"
    if player in ("one", "many"):
        spec = f"cmd:{sys.executable} -S {Path(own).with_name('bot.py')} {player}"
    linear = bsbench.run("linear", POND, games=60, seed=2).moves
    result = bsbench.run(spec, POND, games=60, seed=2, threads=1)
    assert result.moves.tolist() == (2 * linear - 1).tolist()
    assert result.moves.max() > POND.rules.cells
    with pytest.raises(StrategyError, match="was shot before"):
        bsbench.run(spec, POND.override(repeats="refused"), games=60, seed=2, threads=1)


@pytest.mark.ci
def test_the_strategies_that_come_with_bsbench_play_the_same_games():
    for name in ("prob", "random", "lattice2", "hunt-target"):
        once, counted = (
            bsbench.run(name, POND.override(repeats=repeats), games=100).moves
            for repeats in ("refused", "count")
        )
        assert once.tolist() == counted.tolist()
    assert "exact law: mean 13.6" in str(bsbench.run("random", POND, games=100))


def test_a_view_shows_what_the_first_shot_at_a_cell_did(own):
    told = []

    class Watches:
        def shoot(self, view):
            told.append((view.hits, view.misses, view.open_cells, view.outcomes, view.board))
            return len(view.shots) // 2

    again = replay(Watches, POND, seed=2, scores=False)
    ships = layouts.decode(
        POND.rules, make_sampler(POND.rules, POND.placement).draw(2, 0, 1)[0].tolist()
    )
    on = {cell for ship in ships for cell in ship}
    assert again.fault is None
    assert len(told) == again.turns > 16
    for number, (hits, misses, open_cells, outcomes, drawn) in enumerate(told):
        shot = range(-(-number // 2))
        assert hits == tuple(cell for cell in shot if cell in on)
        assert misses == tuple(cell for cell in shot if cell not in on)
        assert open_cells == tuple(range(len(shot), 16))
        assert [*map(bool, outcomes)] == [
            place % 2 == 0 and place // 2 in on for place in range(number)
        ]
        marks = [MISSED if cell in shot else OPEN for cell in range(16)]
        for ship in ships:
            for cell in on.intersection(ship, shot):
                marks[cell] = SUNKEN if set(ship) <= {*shot} else STRUCK
        assert drawn == board_text(4, 4, dict(enumerate(marks)))


@pytest.mark.skipif(sys.platform != "linux", reason="bots are for POSIX")
def test_a_bot_whose_game_never_ends_loses_as_many_moves_as_a_game_may_have(own, tmp_path):
    stuck = tmp_path / "stuck.py"
    stuck.write_text(BOT.replace("shots[each] // 2", "0"))
    result = bsbench.run(f"cmd:{sys.executable} -S {stuck} one,restart=3", POND, games=3)
    assert result.forfeits == (0, 1, 2)
    assert result.moves.tolist() == [POND.rules.most_moves] * 3 == [640] * 3
    assert "count as 640 moves each" in str(result)


def test_random_cells_need_as_many_moves_as_a_collector_of_coupons(own):
    """The last of n cells of N is hit after N (1 + 1/2 + … + 1/n) moves in the mean."""
    result = bsbench.run(f"{own}:Anywhere", POND, threads=1, games=1_000)
    expected = 16 * sum(1 / each for each in range(1, 5))
    assert abs(result.stats.mean - expected) < 4 * result.stats.sd / 1_000**0.5
    assert result.moves.max() > 100


@pytest.mark.ci
def test_records_hold_games_that_are_longer_than_the_board(own, tmp_path):
    result = bsbench.run(f"{own}:Anywhere", POND, threads=1, games=300, seed=1, keep_moves=True)
    assert moves_dtype(POND.rules) is np.uint16
    assert len(result.counts) == POND.rules.most_moves + 1
    (path,) = save_result(result, str(tmp_path / "own.json"))
    again = load_result(path)
    assert again.scenario.rules.repeats == "count"
    assert not verify(again, as_strategy(f"{own}:Anywhere")).problem
    assert again.moves.tolist() == result.moves.tolist()
    parts = [
        bsbench.run(
            f"{own}:Anywhere", POND, threads=1, games=150, seed=1, first_game=first, keep_moves=True
        )
        for first in (0, 150)
    ]
    assert (parts[0] + parts[1]).moves.tolist() == result.moves.tolist()
    (part,) = parts_of(result, as_strategy(f"{own}:Anywhere"), shots=True)
    ends = np.cumsum(part.fired)
    assert part.fired.tolist() == result.moves.tolist()
    sampler = make_sampler(POND.rules, POND.placement)
    for game in (0, 7):
        moves = play_game(as_strategy(f"{own}:Anywhere"), POND.rules, sampler, 1, game)
        cells = part.shots[ends[game] - part.fired[game] : ends[game]]
        assert [move.cell for move in moves] == cells.tolist()


@pytest.mark.ci
def test_learners_differences_and_journals_hold_them_too(own, tmp_path):
    result = bsbench.run(f"{own}:Learns", POND, games=300, seed=1, threads=1)
    assert result.games_per_learner == 5
    (path,) = save_result(result, str(tmp_path / "own.json"))
    assert load_result(path).counts.tolist() == result.counts.tolist()
    both = bsbench.compare([f"{own}:Anywhere", "prob"], POND, games=300, seed=1, threads=1)
    anywhere, prob = both.results
    assert anywhere.moves.max() - prob.moves.min() > POND.rules.cells
    assert both.pairs[0].difference.mean == pytest.approx(anywhere.stats.mean - prob.stats.mean)
    strategy = as_strategy(f"{own}:Anywhere")
    experiment = Experiment((strategy,), (POND,), (1,), games=300, keep_moves=True)
    for _ in range(2):
        with Journal.open(tmp_path / "a", experiment.about(), resume=True) as journal:
            found = play_together(experiment, 1, 60.0, journal=journal)
        assert found.results[0].moves.tolist() == anywhere.moves.tolist()


@pytest.mark.ci
def test_a_replay_shows_first_shots_and_knows_odds_and_opinions(own):
    again = replay(
        f"{own}:Plain",
        POND,
        seed=2,
        odds=True,
        opinions=["datagenetics", "hunt-target", "lattice2"],
    )
    linear = replay(
        "linear", POND, seed=2, odds=True, opinions=["datagenetics", "hunt-target", "lattice2"]
    )
    assert again.turns == 2 * linear.turns - 1
    for shots in range(1, linear.turns):
        boards = again.board(2 * shots - 1), again.board(2 * shots), linear.board(shots)
        assert boards[0].marks == boards[1].marks == boards[2].marks
    assert any(STRUCK in linear.board(shots).marks for shots in range(linear.turns))
    assert again.chances[0].cells.tolist() == linear.chances[0].cells.tolist()
    for shot, chances in enumerate(linear.chances[1:], 1):
        for each in (again.chances[2 * shot - 1], again.chances[2 * shot]):
            assert each.cells.tolist() == chances.cells.tolist()
    estimated = [ChanceFinder(POND, 0).find(each.moves) for each in (again, linear)]
    for shot, chances in enumerate(estimated[1][1:], 1):
        assert estimated[0][2 * shot].cells.tolist() == chances.cells.tolist()
    for ours, theirs in zip(again.opinions, linear.opinions, strict=True):
        assert len(ours.hints) == again.turns
        assert [each.cell for each in ours.hints][::2] == [each.cell for each in theirs.hints]


@pytest.mark.ci
@pytest.mark.parametrize("invalid", ["penalty", "terminate", "raise"])
def test_environments_count_a_repeated_shot_and_show_no_more(invalid):
    env = BattleshipEnv(POND, invalid_action=invalid, rewards="shots")
    vector = BattleshipVectorEnv(3, POND, invalid_action=invalid, rewards="shots")
    env.reset(seed=4)
    vector.reset(seed=4)
    ships = layouts.decode(
        POND.rules, make_sampler(POND.rules, POND.placement).draw(4, 0, 1)[0].tolist()
    )
    cell = ships[0][0]
    shown, *_, info = env.step(cell)
    board = shown["attack_board"].copy()
    assert info["outcome"] == HIT
    assert board.flat[cell] == STRUCK
    vector.step(np.full(3, cell))
    for count in (2, 3):
        shown, reward, over, late, info = env.step(cell)
        assert (reward, over, late) == (-1, False, False)
        assert shown["attack_board"].tolist() == board.tolist()
        assert shown["move_count"].tolist() == [count] == [info["shots"]]
        assert (info["outcome"], info["ship"], info["invalid_actions"]) == (MISS, NOTHING, 0)
        assert env.observation_space.contains(shown)
        many, rewards, *_, infos = vector.step(np.full(3, cell))
        assert rewards.tolist() == [-1] * 3
        assert infos["shots"].tolist() == [count] * 3
        assert many["attack_board"][0].tolist() == board.tolist()
    for each in (cell for ship in ships for cell in ship[ship == ships[0] :]):
        *_, over, _, info = env.step(each)
    assert over
    assert info["shots"] == 3 + 3


def test_what_has_no_repeated_shots_says_so(own):
    with refused("one shot", "repeats='refused'"):
        POND.override(shots=2)
    for refusing in (
        lambda: HumanGame(POND, 1),
        lambda: heat.shots("prob", POND, games=10),
        lambda: TwoPlayerEnv(POND),
        lambda: check_strategy(f"{own}:Plain", POND),
    ):
        with refused("repeats='refused'"):
            refusing()
    with refused("repeats", "'maybe'", "count"):
        Scenario("4x4", fleet=[2], repeats="maybe")


def test_the_rule_is_left_out_where_it_has_its_default():
    once = POND.override(repeats="refused")
    assert "repeats" not in once.to_dict()
    assert POND.to_dict()["repeats"] == "count"
    assert once.rules.most_moves == once.rules.cells == 16
    assert POND.rules.layout_rules == once.rules.layout_rules
    assert Rules(250, 250, (2,), touching=True, repeats="count").most_moves == 2**16 - 1
