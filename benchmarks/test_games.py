"""Games and layouts per second on one core, warm."""

from __future__ import annotations

import itertools

import pytest

import bsbench
from bsbench.layouts import make_sampler
from bsbench.placement import Placement

GAMES = 200_000
LAYOUTS = 50_000


@pytest.mark.parametrize("scenario", ["classic", "harbour"])
@pytest.mark.parametrize("strategy", bsbench.strategy_names())
def test_games(benchmark, strategy, scenario):
    bsbench.run(strategy, scenario, games=1)
    run = benchmark.pedantic(
        bsbench.run, (strategy, scenario), {"games": GAMES, "threads": 1}, rounds=5
    )
    benchmark.extra_info["games per second"] = round(run.games_per_second)


@pytest.mark.parametrize("law", ["uniform", "sequential", "edge"])
@pytest.mark.parametrize("scenario", ["classic", "harbour", "gym-10x10"])
def test_layouts(benchmark, scenario, law):
    sampler = make_sampler(bsbench.find_scenario(scenario).rules, Placement.parse(law))
    sampler.draw(0, 0, 1)
    first = itertools.count(0, LAYOUTS)
    benchmark.pedantic(lambda: sampler.draw(0, next(first), LAYOUTS), rounds=10)
    benchmark.extra_info["layouts per second"] = round(LAYOUTS / benchmark.stats["median"])
