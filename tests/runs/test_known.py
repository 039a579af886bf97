"""What the bundled records say of speeds."""

from __future__ import annotations

import pytest

from bsbench.roster import as_strategy, make_variant
from bsbench.rules.scenario import find_scenario
from bsbench.runs.known import known_results, known_seconds, known_speed


def _of(scenario: str, feedback: str, label: str) -> list[float]:
    return [
        each.speed
        for each in known_results()
        if (each.scenario, each.feedback, each.label) == (scenario, feedback, label)
    ]


def test_the_speed_of_a_player_is_that_of_the_record_that_is_most_alike():
    classic, gym = find_scenario("classic"), find_scenario("gym-6x6")
    lattice2 = make_variant("lattice2")
    slowest = min(each.speed for each in known_results() if each.label == "lattice2")
    for told in ("hit", "sunk", "ship"):
        there = known_speed(lattice2, classic.override(feedback=told))
        assert there == min(_of("classic", told, "lattice2"))
    # Elsewhere, and with other parameters, the slowest record: rather too long than too short.
    assert known_speed(lattice2, gym) == slowest
    assert known_speed(make_variant("lattice2,rounds=5"), classic) == slowest
    assert known_speed(make_variant("posterior,pattern=lattice"), classic) == min(
        _of("classic", "ship", "posterior pattern=lattice")
    )


def test_time_is_games_by_speed_and_threads():
    prob, classic = make_variant("prob"), find_scenario("classic")
    speed = known_speed(prob, classic)
    assert known_seconds(prob, classic, 3_000_000, 4) == pytest.approx(3_000_000 / speed / 4)


def test_nothing_is_known_of_a_strategy_of_ones_own():
    mine = as_strategy(lambda view: view.open_cells[0])
    assert known_speed(mine, find_scenario("classic")) is None
    assert known_seconds(mine, find_scenario("classic"), 10) is None
