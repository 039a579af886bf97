"""Strategies that play salvos against their twins, turn by turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bsbench.play.session import Session
from bsbench.roster import find_strategy, strategy_names
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import find_scenario
from bsbench.strategies.base import FixedOrder
from tests.support import naive
from tests.support.helpers import draw_layouts, rules
from tests.support.naive.salvos import TurnRecord, answer_turn, play_salvos
from tests.support.naive.strategies import salvo_twin, variants

NAMES = [
    name
    for name in strategy_names()
    if find_strategy(name)().plays_salvos and not issubclass(find_strategy(name), FixedOrder)
]


def _classic(shots, answers) -> Rules:
    return find_scenario("classic").override(shots=shots, answers=answers).rules


APART = Rules(8, 7, (4, 3, 2, 1, 1), False, Feedback.SHIP, shots=4)
SMALL = Rules(5, 6, (3, 2, 1, 1), True, Feedback.SHIP, shots=3)

BOARDS = {
    "classic-5-each": _classic(5, "each"),
    "classic-5-joint": _classic(5, "joint"),
    "classic-2-joint": _classic(2, "joint"),
    "classic-10-each": _classic(10, "each"),
    "apart": APART,
    "apart-joint": replace(APART, answers="joint"),
    "small": SMALL,
    "small-joint": replace(SMALL, answers="joint"),
    "single-joint": replace(SMALL, shots=1, answers="joint"),
    "afloat": Rules(4, 9, (4, 3, 2, 2), True, Feedback.SHIP, shots="afloat"),
    "all-at-once": Rules(3, 4, (2, 2), True, Feedback.SHIP, shots=12),
    # The second turn may have more shots than there are cells to fire at.
    "more-than-left": Rules(6, 6, (4, 3, 2), True, Feedback.SHIP, shots=24, answers="joint"),
}

LARGE = [name for name in BOARDS if name.startswith("classic")]

# On the larger boards, the quick tests have the first variant of each strategy only.
CASES = [
    pytest.param(
        name,
        parameters,
        board,
        id="-".join([name, *map(str, parameters.values()), board]),
        marks=[pytest.mark.slow] if parameters != variants(name)[0] and board in LARGE else [],
    )
    for name in NAMES
    for parameters in variants(name)
    for board in BOARDS
]


def _allowed(board: Rules):
    """Return how many shots each turn may have: in "afloat", fewer as the game goes on."""
    if isinstance(board.shots, int):
        return lambda game, turn: board.most_shots
    return lambda game, turn: max(board.most_shots - (turn + game % 3) // 2, 1)


def turns_fired(board: Rules, strategy, codes, seed: int, lanes: int) -> list[list[list[int]]]:
    """Return all turns of games on known layouts; each lane plays one game after another."""
    codes, allowed = np.asarray(codes), _allowed(board)
    session = Session(strategy.copy(), board, lanes, seed)
    turns: list[list[list[int]]] = [[] for _ in codes]
    waiting = list(range(len(codes)))
    free = list(range(lanes))
    while True:
        fresh = [waiting.pop(0) for _ in range(min(len(free), len(waiting)))]
        if fresh:
            dealt = np.array(free[: len(fresh)])
            session.deal(dealt, np.array(fresh), codes[fresh])
        view, live = session.view, np.flatnonzero(session.view.live)
        if not len(live):
            return turns
        for lane in live:
            game = int(session.games[lane])
            view.allowed[lane] = allowed(game, len(turns[game]))
        cells = session.choose()
        for lane in live:
            turns[session.games[lane]].append([int(cell) for cell in cells[lane] if cell >= 0])
        free = session.fire(cells).tolist()


def _compare(name, parameters, board: Rules, games: int, seed: int, lanes: int) -> None:
    codes = draw_layouts(board, games, seed=seed)
    strategy = find_strategy(name)(**parameters)
    for game, turns in enumerate(turns_fired(board, strategy, codes, seed, lanes)):
        ships = naive.decode(board, codes[game])
        expected = play_salvos(
            salvo_twin(name), board, ships, seed, game, _allowed(board), **parameters
        )
        assert turns == expected


def test_some_strategies_play_salvos():
    assert {"over9000", "salvo"} <= set(NAMES)


@pytest.mark.parametrize("lanes", [1, 64])
@pytest.mark.parametrize(("name", "parameters", "board"), CASES)
def test_agrees_with_the_twin_turn_by_turn(name, parameters, board, lanes):
    games = 2 if board in LARGE else 4
    _compare(name, parameters, BOARDS[board], games, seed=1, lanes=lanes)


@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 50), data=st.data())
def test_agrees_with_the_twin_on_drawn_boards(name, seed, data):
    drawn = data.draw(rules(max_side=6))
    board = replace(
        drawn,
        feedback=Feedback.SHIP,
        shots=data.draw(st.integers(1, drawn.cells)),
        answers=data.draw(st.sampled_from(["each", "joint"])),
    )
    if not board.salvos:
        board = replace(board, answers="joint")
    _compare(name, data.draw(st.sampled_from(variants(name))), board, 3, seed, lanes=2)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("answers", ["each", "joint"])
def test_lanes_do_not_matter_in_salvos(name, answers):
    board, strategy = _classic(5, answers), find_strategy(name)()
    codes = draw_layouts(board, 200, seed=3)
    few = turns_fired(board, strategy, codes, seed=3, lanes=7)
    assert few == turns_fired(board, strategy, codes, seed=3, lanes=200)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("answers", ["each", "joint"])
def test_a_turn_is_explained(name, answers):
    board = replace(APART, answers=answers)
    codes = draw_layouts(board, 1, seed=5)
    ships = naive.decode(board, codes[0])
    for parameters in variants(name):
        session = Session(find_strategy(name)(**parameters), board, 1, 0)
        session.deal(np.array([0]), np.array([0]), codes)
        record = TurnRecord(board, parameters.get("no_touch", "sunk"))
        while session.view.live[0]:
            cells = session.choose()
            turn = [int(cell) for cell in cells[0] if cell >= 0]
            insight = session.insight(0)
            open_cells = record.candidates()
            assert np.flatnonzero(~insight.closed).tolist() == open_cells
            assert (insight.scores[insight.closed] == -1).all()
            # The first cell of a turn is one with the highest score.
            highest = insight.scores[open_cells].max()
            assert insight.scores[turn[0]] >= highest - 1e-12
            water = np.prod([1 - np.array(c) / total for total, c in record.factors()], axis=0)
            assert insight.chances == pytest.approx(1 - water)
            # Shots that are fired in the meantime change nothing about it.
            session.fire(cells)
            assert session.chances(np.array([0]))[0] == pytest.approx(1 - water)
            record.note(turn, answer_turn(board, ships, turn))
