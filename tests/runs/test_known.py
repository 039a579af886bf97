"""What the bundled records say of speeds."""

from __future__ import annotations

from bsbench.roster import as_strategy, make_variant
from bsbench.rules.scenario import find_scenario
from bsbench.runs.known import known_results, known_speed


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


def test_nothing_is_known_of_a_strategy_of_ones_own():
    mine = as_strategy(lambda view: view.open_cells[0])
    assert known_speed(mine, find_scenario("classic"), 10) is None
