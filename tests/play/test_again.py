"""A hit gives another shot: turns end with a miss, and who wins is who needs fewer moves.

`winner` plays two sides literally, shot by shot; nothing here counts moves to find a winner.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

import numpy as np
import pytest

import bsbench
from bsbench.play.game import play_game
from bsbench.play.samplers import make_sampler
from bsbench.present.human import HumanGame
from bsbench.roster import make_strategy
from bsbench.rules.board import MISS, Rules
from bsbench.rules.scenario import Scenario, scenario_options
from bsbench.rules.slots import slot_code
from tests.support.naive import layouts
from tests.support.refusals import refused

AGAIN = Scenario("3x3", fleet=[2, 1], feedback="sunk", again=True)


def hits_of(layout: Sequence[Sequence[int]], order: Sequence[int]) -> tuple[bool, ...]:
    """Return which shots hit, up to the one that hits the last ship cell."""
    ships = {cell for ship in layout for cell in ship}
    last = max(order.index(cell) for cell in ships)
    return tuple(cell in ships for cell in order[: last + 1])


def winner(sides: Sequence[Sequence[bool]], last_turn: bool) -> tuple[int | None, list[int]]:
    """Play two sides, each with its hits in order; side 0 begins. Return who wins, and the turns.

    A side shoots until it misses or has hit all. None wins a draw.
    """
    fired, turns = [0, 0], [0, 0]
    while True:
        for side in (0, 1):
            turns[side] += 1
            while fired[side] < len(sides[side]):
                fired[side] += 1
                if not sides[side][fired[side] - 1]:
                    break
            done = [fired[each] == len(sides[each]) for each in (0, 1)]
            if any(done) and (side == 1 or not last_turn):
                return (None if all(done) else done.index(True)), turns


@pytest.mark.parametrize(("rows", "cols", "fleet"), [(2, 2, (1, 1)), (2, 3, (2, 1)), (2, 3, (2,))])
def test_of_all_layouts_and_orders_fewer_moves_win(rows, cols, fleet):
    rules = Rules(rows, cols, fleet, touching=True, again=True)
    games = {
        hits_of(layout, order)
        for layout in layouts.all_layouts(rules)
        for order in permutations(range(rules.cells))
    }
    assert len(games) > 3
    for one, other in product(games, repeat=2):
        moves = len(one), len(other)
        first, turns = winner([one, other], last_turn=False)
        assert first == (0 if moves[0] <= moves[1] else 1)
        assert turns[first] == rules.turns(moves[first])
        last, turns = winner([one, other], last_turn=True)
        assert last == (None if moves[0] == moves[1] else int(moves[0] > moves[1]))
        assert turns[last or 0] == rules.turns(min(moves))


@pytest.mark.parametrize("last_turn", [False, True])
def test_a_match_is_won_as_if_it_were_played_shot_by_shot(last_turn):
    games = 200
    found = bsbench.match(["random", "prob"], AGAIN, games=games, seed=3, last_turn=last_turn)
    meeting = found.meetings[0, 1]
    sampler = make_sampler(AGAIN.rules, AGAIN.placement)
    outcomes, lengths = [], []
    for game in range(games):
        sides = [
            tuple(
                move.outcome != MISS
                for move in play_game(make_strategy(name), AGAIN.rules, sampler, 3, number)
            )
            for name, number in (("random", game), ("prob", game ^ 1))
        ]
        won, turns = winner(sides[:: -1 if game % 2 else 1], last_turn)
        outcomes.append(0 if won is None else 1 if won == game % 2 else -1)
        lengths.append(turns[won or 0])
    assert meeting.outcomes.ravel().tolist() == outcomes
    assert meeting.turns == pytest.approx(np.mean(lengths))
    # What is a move has not changed.
    once = bsbench.match(
        ["random", "prob"], AGAIN.override(again=False), games=games, seed=3, last_turn=last_turn
    )
    assert found.scores[0, 1] == once.scores[0, 1]
    for ours, theirs in zip(found.results, once.results, strict=True):
        assert ours.moves.tolist() == theirs.moves.tolist()


@pytest.mark.ci
def test_a_person_shoots_again_after_a_hit_and_the_opponent_waits():
    scenario = Scenario("2x3", fleet=[2, 1], touching=True, feedback="hit", again=True)
    fleet = [slot_code([1, 4]), slot_code([0])]
    # `linear` shoots in order: hit, hit, miss, miss, hit.
    theirs = hits_of([[1, 4], [0]], range(6))
    seen = set()
    for order in permutations(range(6)):
        game = HumanGame(scenario, 5, versus="linear", fleet=fleet)
        ships = {cell for ship in game._ships for cell in ship}
        mine = hits_of([sorted(ships)], order)
        answered = 0
        for number, cell in enumerate(order[: len(mine)], 1):
            before = len(game.their_moves)
            game.fire(cell)
            done = number == len(mine)
            assert game.over == done
            assert game.again == (mine[number - 1] and not done)
            if not game.again:
                # The opponent's turn: until it misses, or has hit all.
                while answered < len(theirs):
                    answered += 1
                    if not theirs[answered - 1]:
                        break
            assert len(game.their_moves) == answered
            assert len(game.their_turn) == (0 if game.again else answered - before)
        won, turns = winner([mine, theirs], last_turn=True)
        assert game.lost == (won == 1)
        assert (game.their_count == game.turns) == (won is None)
        assert won == 1 or game.turns == turns[0]
        seen.add(won)
    assert seen == {0, 1, None}


def test_the_rule_is_left_out_where_it_has_its_default():
    once = AGAIN.override(again=False)
    assert AGAIN.to_dict()["again"] is True
    assert "again" not in once.to_dict()
    assert "--again" in scenario_options(AGAIN)
    assert AGAIN.rules.layout_rules == once.rules.layout_rules
    result = bsbench.run("prob", AGAIN, games=50)
    assert result.moves.tolist() == bsbench.run("prob", once, games=50).moves.tolist()


@pytest.mark.parametrize("parts", [{"shots": 3}, {"shots": "afloat"}, {"answers": "joint"}])
def test_a_turn_of_several_shots_gives_no_other(parts):
    with refused("another shot", "again=True", "shots=1", "answers='each'"):
        Scenario("5x5", fleet=[2, 1], feedback="ship", again=True, **parts)


def test_shots_until_a_miss_are_this_rule():
    with refused("'until-miss'", "'again'"):
        Scenario("5x5", fleet=[2, 1], shots="until-miss")
    with refused("again", "True", "'yes'"):
        Scenario("5x5", fleet=[2, 1], again="yes")
