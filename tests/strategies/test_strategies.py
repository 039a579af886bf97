"""Every strategy, found by discovery, against its plain-Python twin and the contract."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bsbench.common.settings import read_variant
from bsbench.roster import as_strategy, find_strategy, strategy_names
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import find_scenario
from bsbench.strategies import Strategy
from bsbench.strategies.base import FixedOrder, Planner
from tests.support import naive
from tests.support.helpers import (
    assert_chi_square,
    draw_layouts,
    move_counts,
    rules,
    shots_fired,
    strategies_of,
)
from tests.support.naive.density import RecordByShip
from tests.support.naive.strategies import boards, plays, slowness, takes_long, variants
from tests.support.naive.strategies.over9000 import PLAIN
from tests.support.refusals import refused

NAMES = strategy_names()
RECORDED = sorted(strategies_of("classic"))

CASES = [
    pytest.param(name, parameters, id="-".join([name, *map(str, parameters.values())]))
    for name in NAMES
    for parameters in variants(name)
]

# The quick tests have the first variant of each strategy, and over9000 with exact products.
# The slow ones have the others, too, and strategies that take long.
QUICK_CASES = [
    pytest.param(*case.values, id=case.id, marks=[] if is_quick else pytest.mark.slow)
    for case in CASES
    for name, parameters in [case.values]
    for is_quick in [parameters in (variants(name)[0], PLAIN) and not takes_long(name)]
]


def _first(name: str) -> Strategy:
    """Return the strategy with the first of its variants."""
    return find_strategy(name)(**variants(name)[0])


def _games(name: str, usual: int) -> int:
    return max(usual // slowness(name), 2)


def _compare(name: str, parameters, board: Rules, games: int, seed: int) -> None:
    """Play some games with the strategy and with its twin, and compare all shots."""
    if not plays(name, board):
        pytest.skip(f"the twin of {name} plays on small boards only")
    codes = draw_layouts(board, games, seed=seed)
    played = shots_fired(board, find_strategy(name)(**parameters), codes, seed)
    for game, shots in enumerate(played):
        ships = naive.decode(board, codes[game])
        assert shots == naive.play(naive.twin(name), board, ships, seed, game, **parameters)


def _needing(name: str, board: Rules) -> Rules:
    """Return the rules with feedback raised to what the strategy needs."""
    feedback = max(board.feedback, find_strategy(name).needs)
    return Rules(board.rows, board.cols, board.fleet, board.touching, feedback)


def test_the_twin_counts_as_the_example_of_its_source():
    # "Over 9000": 7 places for the ship of 3, one through the corner, three through the
    # middle of the right column; the digits are hits on the ships of 4 and 5, 0 a miss.
    rows = ["xxx0x", "4440x", "xx0xx", "x5xxx", "xxx0x"]
    record = RecordByShip(Rules(5, 5, (3, 4, 5), touching=True), "sunk")
    for cell, seen in enumerate("".join(rows)):
        if seen != "x":
            record.note(cell, naive.Reply(seen != "0", {"4": 1, "5": 2}.get(seen)))
    total, counts = record.factors()[0]
    assert (total, counts[0], counts[14]) == (7, 1, 3)


@pytest.mark.quick
@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 50), data=st.data())
def test_agrees_with_the_twin_move_by_move(name, seed, data):
    drawn = data.draw(rules(**boards(name)))
    parameters = data.draw(st.sampled_from(variants(name)))
    board = _needing(name, drawn)
    assume(find_strategy(name)(**parameters).plays(board))
    _compare(name, parameters, board, _games(name, 4), seed)


@pytest.mark.parametrize("feedback", ["told", "length"])
@pytest.mark.parametrize(
    "name", ["posterior", "lattice2", "datagenetics", "hard-ai", "lattice", "hunt-line"]
)
@pytest.mark.parametrize("fleet", [(3, 2), (2, 2, 1), (3, 2, 2)], ids=str)
def test_what_is_told_of_a_sinking_is_used_as_the_twin_uses_it(name, feedback, fleet):
    board = Rules(4, 4, fleet, True, feedback)
    if find_strategy(name)().plays(board):
        _compare(name, {}, board, 40, seed=5)
    else:
        with refused("length of a ship", "told"):
            shots_fired(board, find_strategy(name)(), draw_layouts(board, 1, seed=5), 5)


@pytest.mark.parametrize(("name", "parameters"), QUICK_CASES)
@pytest.mark.parametrize(
    "scenario", ["classic", "harbour", pytest.param("gym-6x9", marks=pytest.mark.slow)]
)
def test_agrees_with_the_twin_on_real_scenarios(name, parameters, scenario):
    board = _needing(name, find_scenario(scenario).rules)
    _compare(name, parameters, board, _games(name, 130), seed=1)


# The quick test of large boards has more words of 64 cells.
@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_agrees_with_the_twin_on_a_scenario_of_12x12_cells(name, parameters):
    board = _needing(name, find_scenario("gym-12x12").rules)
    _compare(name, parameters, board, _games(name, 250), seed=1)


@pytest.mark.parametrize(("name", "parameters"), QUICK_CASES)
def test_agrees_with_the_twin_on_a_large_board(name, parameters):
    board = _needing(name, Rules(20, 20, (6, 5, 4, 3, 2, 2), touching=False))
    _compare(name, parameters, board, _games(name, 12), seed=0)


@pytest.mark.parametrize(("name", "parameters"), QUICK_CASES)
def test_agrees_with_the_twin_on_a_large_fleet(name, parameters):
    _compare_on_a_large_fleet(name, parameters, touching=False)


@pytest.mark.parametrize(("name", "parameters"), QUICK_CASES)
def test_agrees_with_the_twin_on_a_large_fleet_that_may_touch(name, parameters):
    _compare_on_a_large_fleet(name, parameters, touching=True)


def _compare_on_a_large_fleet(name: str, parameters, touching: bool) -> None:
    # The ships' numbers of slots multiply to more than 64 bits hold.
    board = _needing(name, Rules(20, 20, (5, 6, 4, 4, 1, 3, 3, 2, 2), touching))
    assert math.prod(len(board.slots(length)) for length in board.fleet) > 1 << 64
    _compare(name, parameters, board, 1, seed=6)


@pytest.mark.parametrize(("name", "parameters"), [("over9000", PLAIN), ("bob", {})])
def test_agrees_with_the_twin_on_the_longest_ships(name, parameters):
    # Twice the length bounds the slots through a cell: past 255, they are counted in 16 bits.
    board = _needing(name, Rules(1, 250, (130, 3), touching=True))
    _compare(name, parameters, board, 3, seed=3)


def test_a_ship_may_be_longer_than_the_board_is_high():
    _compare("hunt-line", {"step": 0, "room": True}, Rules(1, 25, (15, 3), touching=False), 9, 4)


def test_a_cell_is_drawn_among_as_many_as_a_byte_does_not_count():
    _compare("hunt-line", {"step": 1}, Rules(16, 16, (5,), touching=True), 3, seed=2)


@pytest.mark.parametrize(
    ("scenario", "no_touch", "growth"),
    [
        ("classic", "sunk", 0.01),
        ("classic", "sunk", 0.5),
        ("gym-6x9", "ignore", 0.5),
        ("gym-6x9", "full", 3.0),
    ],
)
def test_learners_agree_with_the_twin_move_by_move(scenario, no_touch, growth):
    learners, games = 3, 8
    parameters = {"growth": growth, "games_per_learner": games, "no_touch": no_touch}
    board = _needing("over9000-adaptive", find_scenario(scenario).rules)
    codes = draw_layouts(board, learners * games, seed=2)
    strategy = find_strategy("over9000-adaptive")(**parameters)
    played = shots_fired(board, strategy, codes, seed=2, in_turn=games)
    layouts = [naive.decode(board, code) for code in codes]
    for first in range(0, len(codes), games):
        mine = slice(first, first + games)
        assert played[mine] == naive.play_learner(board, layouts[mine], 2, first, **parameters)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 20), (20, 1), (2, 3)])
def test_thin_and_tiny_boards(name, rows, cols):
    board = Rules(rows, cols, (1,), touching=False, feedback=Feedback.SHIP)
    codes = [[2 * cell] for cell in range(board.cells)]
    for game, shots in enumerate(shots_fired(board, _first(name), codes)):
        assert shots[-1] == game
        assert len(set(shots)) == len(shots)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scenario", ["classic", "gym-6x9"])
def test_games_played_in_advance_are_those_played_shot_by_shot(name, scenario):
    # The simulator asks a strategy with a fixed order for all its shots at once.
    board = _needing(name, find_scenario(scenario).rules)
    codes = draw_layouts(board, 600, seed=4)
    strategy = _first(name)
    shots = shots_fired(board, strategy, codes, seed=4)
    assert move_counts(board, strategy, codes, seed=4).tolist() == [len(game) for game in shots]
    strategy.begin(board, 1, seed=4)
    if isinstance(strategy, FixedOrder):
        orders = strategy.orders(np.arange(600))
        for game, fired in enumerate(shots):
            order = orders[game if len(orders) > 1 else 0].tolist()
            assert order[: len(fired)] == fired
            assert sorted(order) == list(range(board.cells))


@pytest.mark.parametrize("name", NAMES)
def test_is_described_and_stands_in_a_file_of_its_name(name):
    strategy = find_strategy(name)
    assert strategy.name == name
    assert strategy.__module__ == f"bsbench.strategies.{name.replace('-', '_')}"
    assert strategy.source
    assert isinstance(strategy.needs, Feedback)
    assert strategy().idea.endswith(".")
    assert "Source:" in (strategy.__doc__ or "")
    if strategy.home:
        assert find_scenario(strategy.home).rules.feedback >= strategy.needs


def test_random_ignores_the_layout():
    # The exact law of a random shooter has nothing to do with where ships are:
    # P(T = t) = C(t-1, n-1) / C(N, n), here n = 2 ship cells among N = 6.
    board = Rules(2, 3, (2,), touching=True)
    games = 60_000
    moves = move_counts(board, find_strategy("random")(), [[0]] * games, lanes=2048)
    observed = np.bincount(moves, minlength=7)[2:]
    assert_chi_square(observed, [games * (t - 1) / 15 for t in range(2, 7)])


def test_unknown_strategies_are_refused_with_a_hint():
    with refused("'smrt'", "'smart'"):
        find_strategy("smrt")
    with refused("'xyzzy'", *NAMES):
        find_strategy("xyzzy")
    with refused("FILE.py", "FILE.py:CLASS", "cmd:COMMAND"):
        find_strategy("my_file")


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_labels_can_be_typed(name, parameters):
    strategy = find_strategy(name)(**parameters)
    again = as_strategy(strategy.label)
    assert (type(again), again.parameters) == (type(strategy), strategy.parameters)


def test_files_and_folders_that_are_no_strategy_say_how_to_name_them(in_folder):
    # A name that reads as a label with settings is that of the file, if there is one.
    assert read_variant("hunter y=1.py") == ("hunter", {"y": "1.py"})
    Path("hunter y=1.py").touch()
    assert read_variant("hunter y=1.py") == ("hunter y=1.py", {})
    Path("students").mkdir()
    Path("my_bot.js").touch()
    with refused("students", "students/*.py"):
        find_strategy("students")
    with refused("my_bot.js", "cmd:./my_bot"):
        find_strategy("my_bot.js")


def test_parameters_are_the_fields_of_a_dataclass():
    import dataclasses

    @dataclasses.dataclass
    class Weighted(Strategy):
        """A test."""

        weight: float = 2.0
        name = "weighted"

        def shoot(self, view):
            return view.shots

    assert Weighted().parameters == {"weight": 2.0}
    assert Weighted(3.0).copy() == Weighted(3.0)
    assert find_strategy("linear")().parameters == {}


def test_a_class_that_is_never_asked_to_shoot_defines_no_shoot():
    class Asked:
        def shoot(self, view):
            return view.shots

    for base in (FixedOrder, Planner):
        with pytest.raises(TypeError, match=base.__name__):
            type("Own", (base,), {"shoot": Asked.shoot})
        with pytest.raises(TypeError, match=base.__name__):
            type("Own", (Asked, base), {})
    assert type("Own", (Asked, Strategy), {}).shoot is Asked.shoot
