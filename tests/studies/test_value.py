"""The value of hiding against shooting on small boards."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from bsbench.roster import make_variant
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario
from bsbench.studies.value.board import BoardValue, board_value
from bsbench.studies.value.equilibrium import solve_exactly
from tests.support import naive
from tests.support.helpers import move_counts

pytest.importorskip("scipy", reason="needs bsbench[value]")
pytestmark = pytest.mark.ci

BOARDS = {
    ("1x4", "2", True, "ship"): "8/3",
    ("1x6", "2,2", True, "sunk"): "5",
    ("2x3", "2", True, "ship"): "25/7",
    ("3x3", "2", True, "ship"): "9/2",
    ("3x3", "3,2", True, "sunk"): "187/28",
    ("3x3", "3,2", True, "ship"): "187/28",
    ("3x3", "3,2", True, "hit"): "229/32",
    ("3x3", "2,2", True, "ship"): "935/148",
    ("4x4", "3", True, "ship"): "108/19",
    ("4x4", "3,2", False, "ship"): "10443/1304",
    ("4x4", "3,2", False, "sunk"): "1633/200",
    ("5x5", "4", True, "ship"): "166/23",
    ("6x6", "5", True, "ship"): "35/4",
}
"""Values as fractions; most were also found by a program that shares no code with this one."""

LONG = {
    ("4x4", "3,2", True, "ship"): "151/17",
    ("4x4", "3,2", True, "hit"): "11539971463/1212222304",
    ("5x5", "2", True, "ship"): "1159/135",
    ("6x6", "3", True, "ship"): "667/72",
}


@cache
def found(board: str, fleet: str, touching: bool, feedback: str) -> BoardValue:
    return board_value(scenario_of(board, fleet, touching, feedback), seconds=300)


def scenario_of(board: str, fleet: str, touching: bool, feedback: str) -> Scenario:
    any_rules = Rules(3, 3, (2,), touching=True)
    return Scenario(name="small", rules=any_rules).override(
        board=board, fleet=fleet, touching=touching, feedback=feedback
    )


@pytest.mark.parametrize(
    ("board", "value"), BOARDS.items(), ids=[" ".join(map(str, each)) for each in BOARDS]
)
def test_values_are_fractions(board, value):
    one = found(*board)
    assert one.proven
    assert one.low == one.high == Fraction(value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "value"), LONG.items(), ids=[" ".join(map(str, each)) for each in LONG]
)
def test_values_that_take_longer(board, value):
    one = found(*board)
    assert one.low == one.high == Fraction(value)


@pytest.mark.parametrize(
    "board", [each for each in BOARDS if each[0] in ("3x3", "2x3") and each[3] == "ship"]
)
def test_neither_side_can_do_better(board):
    one, rules = found(*board), scenario_of(*board).rules
    solution, responses = one.solution, one.solution.responses
    # The shooter's mixture costs no more than the value, whatever is hidden.
    for orbit, size in enumerate(responses.size):
        mean = sum(
            share * Fraction(int(tree[orbit]), int(size))
            for share, tree in zip(solution.mixture, solution.trees, strict=True)
        )
        assert mean + rules.ship_cells <= one.high
    assert sum(solution.mixture) == 1
    assert sum(solution.law) == 1
    assert min(*solution.mixture, *solution.law) >= 0
    # And no plan costs less than the value against the hider's law: all are tried.
    laid: dict[tuple, Fraction] = {}
    masks = responses.layouts.tolist()
    for number, orbit in enumerate(responses.orbit.tolist()):
        ships = tuple(
            tuple(c for c in range(rules.cells) if ship >> c & 1) for ship in masks[number]
        )
        # Ships of the same length are known apart, but not which is where.
        alike = {each for each in permutations(ships) if [*map(len, each)] == [*map(len, ships)]}
        for each in alike:
            laid[each] = solution.law[orbit] / int(responses.size[orbit]) / len(alike)

    @cache
    def least(layouts: tuple, shots: frozenset) -> Fraction:
        left = [each for each in layouts if not set().union(*each) <= shots]
        if not left:
            return Fraction(0)
        weight = sum((laid[each] for each in left), Fraction(0))
        best = None
        for cell in set().union(*(ship for each in left for ship in each)) - shots:
            fired, parts = shots | {cell}, {}
            for each in left:
                hit = next((k for k, ship in enumerate(each) if cell in ship), None)
                parts.setdefault(hit, []).append(each)
            rest = sum((least(tuple(part), fired) for part in parts.values()), Fraction(0))
            best = rest if best is None else min(best, rest)
        return weight + best

    assert least(tuple(laid), frozenset()) == one.low


def test_exact_mixtures_solve_any_game():
    rng = np.random.default_rng(7)
    for trees, orbits in ((3, 3), (5, 8), (9, 4), (12, 12)):
        costs, size = rng.integers(1, 9, (trees, orbits)), rng.integers(1, 5, orbits)
        law, mixture = solve_exactly(costs, size)
        means = [
            [Fraction(int(cost), int(each)) for cost, each in zip(row, size, strict=True)]
            for row in costs
        ]
        assert sum(law) == sum(mixture) == 1
        assert min(*law, *mixture) >= 0
        against = [sum(map(Fraction.__mul__, law, row)) for row in means]
        on = [sum(map(Fraction.__mul__, mixture, col)) for col in zip(*means, strict=True)]
        assert min(against) == max(on)


def test_the_record_says_how_it_is_hidden():
    record = found("3x3", "3,2", True, "ship").content()
    assert (record.layouts, record.proven) == (36, True)
    assert sum(Fraction(each.probability.fraction) for each in record.hiding) == 1
    # As that other program has them.
    assert round(record.border, 3) == 0.914
    assert round(record.uniform_border, 3) == 0.889
    assert record.uniform.fraction == "79/12"
    assert record.low.fraction == record.high.fraction == "187/28"
    assert sum(each.layouts for each in record.hiding) <= record.layouts


def _images(look, side: int):
    """Yield what turning and mirroring a square board makes of sets of cells."""
    for turned in range(8):

        def moved(cell, turned=turned):
            row, col = divmod(cell, side)
            row, col = (side - 1 - row, col) if turned & 1 else (row, col)
            row, col = (row, side - 1 - col) if turned & 2 else (row, col)
            row, col = (col, row) if turned & 4 else (row, col)
            return row * side + col

        yield frozenset(frozenset(map(moved, ship)) for ship in look)


@pytest.mark.parametrize(
    ("board", "player"),
    [
        (("3x3", "3,2", True, "ship"), "lattice2"),
        (("3x3", "3,2", True, "hit"), "prob"),
        (("4x4", "3", True, "ship"), "lattice2"),
    ],
)
def test_what_a_strategy_needs_against_the_hider(board, player):
    scenario, strategy = scenario_of(*board), make_variant(player)
    rules, side = scenario.rules, scenario.rules.rows
    record = board_value(scenario, seconds=300, against=[strategy]).content()
    layouts = list(naive.all_layouts(rules))
    codes = np.array([naive.encode(rules, ships) for ships in layouts], np.int32)
    moves = move_counts(rules, strategy, codes).tolist()
    joined = board[3] == "hit"
    of: dict[frozenset, list[int]] = {}
    for ships, count in zip(layouts, moves, strict=True):
        look = [{cell for ship in ships for cell in ship}] if joined else ships
        of.setdefault(frozenset(map(frozenset, look)), []).append(count)

    def mean_of(look) -> Fraction:
        counts = [count for image in {*_images(look, side)} for count in of[image]]
        return Fraction(sum(counts), len(counts))

    mean = Fraction(0)
    for hidden in record.hiding:
        words = hidden.layout.split()
        if joined:
            look = [{*map(int, words)}]
        else:
            look = []
            for row, col, size, way in zip(*(words[n::4] for n in range(4)), strict=True):
                first, step = int(row) * side + int(col), 1 if way == "E" else side
                look.append({first + step * part for part in range(int(size))})
        mean += Fraction(hidden.probability.fraction) * mean_of(look)
    (found,) = record.against
    assert Fraction(found.mean.fraction) == mean
    assert Fraction(found.worst.fraction) == max(map(mean_of, of))
    assert Fraction(record.low.fraction) <= mean <= Fraction(found.worst.fraction)


def test_bounds_hold_when_time_is_up():
    one = board_value(scenario_of("4x4", "3,2", True, "ship"), seconds=1.5)
    assert one.solution.uniform + 5 <= one.low <= Fraction(151, 17) <= one.high
    shown = str(one)
    if not one.proven:
        assert "not proven" in shown
