"""What benchmarks measure, not how fast it is."""

from __future__ import annotations

import pytest

from benchmarks.measuring import amount_within, play
from bsbench.roster import make_strategy
from bsbench.rules.scenario import find_scenario
from bsbench.runs.results import Result


def test_half_a_measurement_is_none(monkeypatch):
    monkeypatch.setattr(Result, "partial", property(lambda self: True))
    with pytest.raises(KeyboardInterrupt):
        play(make_strategy("linear"), find_scenario("gym-5x5"), games=10)


@pytest.mark.parametrize(
    ("seconds", "trials", "amount"),
    [(0.5, [1_000, 10_000, 100_000], 500_000), (1e-3, [1_000], 1_000), (1e-5, [1_000], 10)],
)
def test_trials_grow_until_they_tell(seconds, trials, amount):
    tried = []

    def microsecond_each(count):
        tried.append(count)
        return 1e-6 * count

    assert amount_within(microsecond_each, seconds) == amount
    assert tried == trials
