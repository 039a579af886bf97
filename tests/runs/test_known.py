"""What the bundled records say of speeds."""

from __future__ import annotations

import pytest

from bsbench.roster import as_strategy, make_variant
from bsbench.rules.scenario import find_scenario
from bsbench.runs.finding import find_records
from bsbench.runs.known import (
    again_seconds,
    expected_seconds,
    known_results,
    known_seconds,
    known_speed,
)
from bsbench.runs.records import load_result


def _of(scenario: str, feedback: str, label: str) -> dict[int, float]:
    return {
        each.games: each.speed
        for each in known_results()
        if (each.scenario, each.feedback, each.label) == (scenario, feedback, label)
    }


def test_the_speed_of_a_player_is_that_of_the_record_that_is_most_alike():
    classic, gym = find_scenario("classic"), find_scenario("gym-6x6")
    lattice2, games = make_variant("lattice2"), 1_000_000
    slowest = min(each.speed for each in known_results() if each.label == "lattice2")
    for told in ("hit", "sunk"):
        there = known_speed(lattice2, classic.override(feedback=told), games)
        assert {games: there} == _of("classic", told, "lattice2")
    # Elsewhere, and with other parameters, the slowest record: rather too long than too short.
    assert known_speed(lattice2, gym, games) == slowest
    assert known_speed(make_variant("lattice2,rounds=5"), classic, games) == slowest


def test_of_several_records_that_counts_with_about_as_many_games():
    """A player that keeps its decisions becomes faster."""
    where, label = find_scenario("classic").override(feedback="hit"), "posterior pattern=lattice"
    speeds = _of("classic", "hit", label)
    assert len(speeds) == 2
    for games, speed in speeds.items():
        for asked in (games // 2, games, games * 2):
            assert known_speed(make_variant(label.replace(" ", ",")), where, asked) == speed


def test_time_is_games_by_speed_and_threads():
    prob, classic = make_variant("prob"), find_scenario("classic")
    speed = known_speed(prob, classic, 3_000_000)
    assert known_seconds(prob, classic, 3_000_000, 4) == pytest.approx(3_000_000 / speed / 4)
    shooters = [prob, make_variant("linear"), as_strategy(lambda view: view.open_cells[0])]
    assert expected_seconds(shooters, [classic, classic], 50, 4) == {
        "prob": 2 * known_seconds(prob, classic, 50, 4),
        "linear": 2 * known_seconds(shooters[1], classic, 50, 4),
        "function": None,
    }


def test_nothing_is_known_of_a_strategy_of_ones_own():
    mine = as_strategy(lambda view: view.open_cells[0])
    assert known_speed(mine, find_scenario("classic"), 10) is None
    assert known_seconds(mine, find_scenario("classic"), 10) is None


def test_games_that_are_played_again_take_as_long_as_before():
    result = load_result(find_records(["@classic/prob"])[0])
    assert again_seconds(result, result.games, result.threads) == pytest.approx(result.play_seconds)
    assert again_seconds(result, 1, 1) == pytest.approx(again_seconds(result, 3, 3))
