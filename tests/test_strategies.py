"""Every strategy, found by discovery, against its plain-Python twin and the contract."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bsbench.errors import BsbenchError
from bsbench.rules import Feedback, Rules
from bsbench.scenario import find_scenario
from bsbench.strategies import Strategy, find_strategy, strategy_names
from tests import naive
from tests.helpers import assert_chi_square, draw_layouts, move_counts, rules, shots_fired

NAMES = strategy_names()

# The samples of "Spot the ships", section 8: strategy, rows, columns, ships as
# row column size E|S, and the number of scans. The text lost the number of sample 3;
# its board shows all 16 cells scanned, as a ship in the last corner demands.
SAMPLES = [
    ("linear", 5, 6, "1 1 4 E 3 3 2 S", 28),
    ("smart", 5, 6, "1 1 4 E 3 3 2 S", 18),
    ("prob", 5, 6, "1 1 4 E 3 3 2 S", 11),
    ("linear", 4, 4, "1 1 1 E 3 0 4 E", 16),
    ("smart", 3, 10, "0 0 2 E 2 0 1 E 2 5 5 E 0 6 4 E 1 3 1 E", 20),
    ("prob", 10, 10, "0 0 1 E 1 2 2 E 3 3 3 S 4 5 4 S 9 4 5 E", 58),
]


def _twin(name: str):
    return getattr(naive, name.replace("-", "_"))


def _needing(name: str, board: Rules) -> Rules:
    """Return the rules with feedback raised to what the strategy needs."""
    feedback = max(board.feedback, find_strategy(name).needs)
    return Rules(board.rows, board.cols, board.fleet, board.touching, feedback)


@pytest.mark.parametrize(("name", "rows", "cols", "ships", "scans"), SAMPLES)
def test_samples_of_the_source(name, rows, cols, ships, scans):
    tokens = ships.split()
    codes, fleet = [], []
    for row, col, size, orientation in zip(*(tokens[i::4] for i in range(4)), strict=True):
        codes.append(2 * (int(row) * cols + int(col)) + (orientation == "S"))
        fleet.append(int(size))
    board = Rules(rows, cols, tuple(fleet), touching=False)
    assert move_counts(board, find_strategy(name)(), [codes]).tolist() == [scans]


@pytest.mark.parametrize("name", NAMES)
@given(drawn=rules(), seed=st.integers(0, 50))
@settings(max_examples=150)
def test_agrees_with_the_twin_move_by_move(name, drawn, seed):
    drawn = _needing(name, drawn)
    codes = draw_layouts(drawn, 8, seed=seed)
    for game, shots in enumerate(shots_fired(drawn, find_strategy(name)(), codes, seed)):
        assert shots == naive.play(_twin(name), drawn, naive.decode(drawn, codes[game]), seed, game)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scenario", ["classic", "harbour", "gym-6x9", "gym-12x12"])
def test_agrees_with_the_twin_on_real_scenarios(name, scenario):
    board = _needing(name, find_scenario(scenario).rules)
    codes = draw_layouts(board, 250, seed=1)
    for game, shots in enumerate(shots_fired(board, find_strategy(name)(), codes, 1)):
        assert shots == naive.play(_twin(name), board, naive.decode(board, codes[game]), 1, game)


@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_the_twin_on_a_large_board(name):
    board = _needing(name, Rules(20, 20, (6, 5, 4, 3, 2, 2), touching=False))
    codes = draw_layouts(board, 12)
    for game, shots in enumerate(shots_fired(board, find_strategy(name)(), codes)):
        assert shots == naive.play(_twin(name), board, naive.decode(board, codes[game]), 0, game)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 20), (20, 1), (2, 3)])
def test_thin_and_tiny_boards(name, rows, cols):
    board = Rules(rows, cols, (1,), touching=False, feedback=Feedback.SHIP)
    codes = [[2 * cell] for cell in range(board.cells)]
    for game, shots in enumerate(shots_fired(board, find_strategy(name)(), codes)):
        assert shots[-1] == game
        assert len(set(shots)) == len(shots)


@pytest.mark.parametrize("name", NAMES)
def test_lanes_do_not_matter(name):
    board = _needing(name, find_scenario("harbour").rules)
    codes = draw_layouts(board, 1500, seed=3)
    one_by_one = move_counts(board, find_strategy(name)(), codes[:40], seed=3, lanes=1)
    few = move_counts(board, find_strategy(name)(), codes, seed=3, lanes=70)
    many = move_counts(board, find_strategy(name)(), codes, seed=3, lanes=1100)
    assert (few == many).all()
    assert (few[:40] == one_by_one).all()


@pytest.mark.parametrize("name", NAMES)
def test_move_counts_lie_between_the_fleet_and_the_board(name):
    board = _needing(name, find_scenario("classic").rules)
    moves = move_counts(board, find_strategy(name)(), draw_layouts(board, 2000))
    assert moves.min() >= board.ship_cells
    assert moves.max() <= board.cells


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


def test_linear_law_by_full_enumeration():
    board = Rules(4, 5, (3, 2), touching=False)
    layouts = list(naive.all_layouts(board))
    codes = [naive.encode(board, layout) for layout in layouts]
    moves = move_counts(board, find_strategy("linear")(), codes)
    assert moves.tolist() == [max(max(ship) for ship in layout) + 1 for layout in layouts]


def test_unknown_strategies_are_refused_with_a_hint():
    with pytest.raises(BsbenchError, match="unknown strategy 'smrt': did you mean 'smart'"):
        find_strategy("smrt")
    with pytest.raises(BsbenchError, match="unknown strategy 'xyzzy': choose one of linear,"):
        find_strategy("xyzzy")


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
