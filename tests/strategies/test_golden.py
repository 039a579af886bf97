"""Every strategy plays the very games it has always played."""

from __future__ import annotations

import pytest

from bsbench.common.settings import read_variant
from bsbench.layouts import STREAM_VERSION
from bsbench.reproduce.plan import plan_names
from bsbench.roster import strategy_names
from tests import golden
from tests.support.helpers import strategies_of

WHEN = "docs/regenerating-results.md says when that is right"


def _mean(histogram: dict[str, int]) -> float:
    return sum(int(moves) * count for moves, count in histogram.items()) / sum(histogram.values())


# Learners play their games one after the other, which takes long: the slow tests have one of two.
GAMES_OF = [
    pytest.param(
        name,
        scenario,
        id=f"{name}-{scenario}",
        marks=pytest.mark.slow if (name, scenario) == ("over9000-adaptive", "harbour") else [],
    )
    for name in sorted({*strategy_names(), *golden.names()})
    for scenario in golden.scenarios_of(name)
]


@pytest.mark.parametrize(("name", "scenario"), GAMES_OF)
def test_move_counts_are_what_they_were(name, scenario):
    renew = f"'{golden.command(name)}' writes it"
    if name not in golden.names():
        pytest.skip(f"{name} has no golden histograms yet: {renew}")
    record = golden.read(name)
    if record["stream_version"] != STREAM_VERSION:
        pytest.fail(
            f"the golden histograms of {name} are of stream_version {record['stream_version']}, "
            f"and layouts now of {STREAM_VERSION}: {renew} again ({WHEN})"
        )
    expected = record["histograms"][scenario]
    assert sum(expected.values()) == record["games"] >= 2_000
    found = golden.histogram(name, scenario, record["games"])
    if found != expected:
        moves = min((m for m in {*found, *expected} if found.get(m) != expected.get(m)), key=int)
        pytest.fail(
            f"{name} on {scenario} no longer plays the games it did: {found.get(moves, 0)} games "
            f"of {moves} moves, and {expected.get(moves, 0)} before; mean {_mean(found):.4f}, and "
            f"{_mean(expected):.4f} before. Layouts, strategy or referee have changed, unless "
            f"that is meant, by mistake. {renew} again ({WHEN})"
        )


def test_all_strategies_with_results_have_golden_histograms():
    recorded = {
        read_variant(strategy)[0] for plan in plan_names() for strategy in strategies_of(plan)
    }
    assert recorded <= {*golden.names()} <= {*strategy_names()}
