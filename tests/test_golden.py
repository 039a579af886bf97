"""Every strategy, found by discovery, plays the very games it has always played."""

from __future__ import annotations

import pytest

from bsbench.layouts import STREAM_VERSION
from bsbench.roster import strategy_names
from tests import golden

RENEW = "'python -m tests.golden' makes them anew (CONTRIBUTING says when that is right)"


def _mean(histogram: dict[str, int]) -> float:
    return sum(int(moves) * count for moves, count in histogram.items()) / sum(histogram.values())


@pytest.mark.parametrize("scenario", golden.SCENARIOS)
@pytest.mark.parametrize("name", strategy_names())
def test_move_counts_are_what_they_were(name, scenario):
    record = golden.read()
    if record["stream_version"] != STREAM_VERSION:
        pytest.fail(
            f"golden histograms are of stream_version {record['stream_version']}, and layouts now "
            f"of {STREAM_VERSION}: {RENEW}"
        )
    expected = record["histograms"][scenario].get(name)
    if expected is None:
        pytest.fail(f"there is no golden histogram of {name} on {scenario} yet: {RENEW}")
    assert sum(expected.values()) == golden.games(name)
    found = golden.histogram(name, scenario)
    if found != expected:
        moves = min(
            (m for m in {*found, *expected} if found.get(m) != expected.get(m)),
            key=int,
        )
        pytest.fail(
            f"{name} on {scenario} no longer plays the games it did: {found.get(moves, 0)} games "
            f"of {moves} moves, and {expected.get(moves, 0)} before; mean {_mean(found):.4f}, and "
            f"{_mean(expected):.4f} before. Layouts, strategy or referee have changed, unless "
            f"that is meant, by mistake. {RENEW}"
        )
