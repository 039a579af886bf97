"""One large board, solved scan by scan: 18 x 18 harbours beside each other."""

from __future__ import annotations

import pytest

import bsbench
from bsbench.layouts import make_sampler
from bsbench.solve import Problem, solve

SIDE, TILE = 200, 11


@pytest.fixture(scope="module")
def ships() -> tuple[tuple[int, ...], ...]:
    harbour = bsbench.find_scenario("harbour")
    layouts = make_sampler(harbour.rules, harbour.placement).draw(0, 0, (SIDE // TILE) ** 2)
    found = []
    for tile, codes in enumerate(layouts):
        down, across = divmod(tile, SIDE // TILE)
        for code, length in zip(codes.tolist(), harbour.rules.fleet, strict=True):
            row, col = divmod(code // 2, harbour.rules.cols)
            first = (row + TILE * down) * SIDE + col + TILE * across
            step = SIDE if code % 2 else 1
            found.append(tuple(first + part * step for part in range(length)))
    return tuple(found)


@pytest.mark.parametrize("strategy", ["linear", "smart", "prob"])
def test_solve_200x200(benchmark, ships, strategy):
    problem = Problem(strategy, SIDE, SIDE, ships)
    player = bsbench.find_strategy(strategy)()
    solve(Problem(strategy, 2, 2, ((0,),)), player)  # compiles
    solution = benchmark.pedantic(solve, (problem, player), rounds=1 if strategy == "prob" else 5)
    assert solution.board.count("+") == len(ships) // 8 * 21
