"""The placement law ``avoid``: how late a strategy shoots each cell, and what follows from it."""

from __future__ import annotations

import pytest

import bsbench
from bsbench.layouts import avoid, sampler_of
from bsbench.play import samplers
from bsbench.play.samplers import lateness, make_sampler
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.runs.exact import UnknownLaw, find_law
from bsbench.runs.records import load_result
from bsbench.runs.results import save_result
from tests.support import naive
from tests.support.refusals import refused

SMALL = Rules(5, 6, (3, 2, 2), touching=False, feedback=Feedback.SHIP)


@pytest.fixture(autouse=True)
def _measured_anew():
    yield
    samplers._avoiding.cache_clear()
    lateness.cache_clear()


def _late_by_twin(rules: Rules, all_shots: list[list[int]]) -> list[int]:
    """Return twice the sum of the numbers of shots at each cell; open ones share those left."""
    total = [0] * rules.cells
    for shots in all_shots:
        numbers = range(len(shots) + 1, rules.cells + 1)
        for cell in range(rules.cells):
            number = 1 + shots.index(cell) if cell in shots else sum(numbers) / len(numbers)
            total[cell] += int(2 * number)
    return total


@pytest.mark.parametrize("name", ["lattice", "random", "prob", "linear", "over9000"])
def test_lateness_is_that_of_the_twin(monkeypatch, name):
    monkeypatch.setattr(samplers, "GAMES", 60)
    drawn = sampler_of(SMALL, Placement()).draw(samplers._SEED, 0, 60)
    twin = naive.twin(name)
    all_shots = [
        naive.play(twin, SMALL, naive.decode(SMALL, codes), samplers._SEED, game)
        for game, codes in enumerate(drawn)
    ]
    found = lateness(SMALL, name)
    assert list(found) == _late_by_twin(SMALL, all_shots)
    assert sum(found) == 60 * SMALL.cells * (SMALL.cells + 1)


def test_lateness_of_learners(monkeypatch):
    monkeypatch.setattr(samplers, "GAMES", 40)
    drawn = sampler_of(SMALL, Placement()).draw(samplers._SEED, 0, 40)
    layouts = [naive.decode(SMALL, codes) for codes in drawn]
    all_shots = [
        shots
        for first in range(0, 40, 10)
        for shots in naive.play_learner(
            SMALL, layouts[first : first + 10], samplers._SEED, first, games_per_learner=10
        )
    ]
    found = lateness(SMALL, "over9000-adaptive,games_per_learner=10")
    assert list(found) == _late_by_twin(SMALL, all_shots)
    # A learner that would go on.
    long = naive.play_learner(SMALL, layouts, samplers._SEED, 0, games_per_learner=1_000_000)
    found = lateness(SMALL, "over9000-adaptive,games_per_learner=1000000")
    assert list(found) == _late_by_twin(SMALL, long)


@pytest.mark.parametrize("strength", [1, 3, 100])
def test_weights_of_slots_are_those_of_the_twin(strength):
    late = [1_000 + cell * 977 % 701 for cell in range(SMALL.cells)]
    weights = avoid.slot_weights(SMALL, late, strength)
    weigh = naive.late_weight(SMALL, late, strength)
    assert set(weights) == {3, 2}
    for length, found in weights.items():
        assert found.tolist() == [weigh(tuple(slot)) for slot in SMALL.slots(length)]
        assert found.max() == 100
        assert found.min() >= 1


def test_ships_lie_where_the_strategy_shoots_late():
    rules = find_scenario("classic").rules
    for strength, least in ((1, 3), (8, 6)):
        sampler = make_sampler(rules, Placement.parse(f"avoid:linear:{strength}"))
        rows = (sampler.draw(0, 0, 20_000) >> 1) // 10
        uniform = (sampler_of(rules, Placement()).draw(0, 0, 20_000) >> 1) // 10
        assert rows.mean() > uniform.mean() + least / 10
    means = [
        bsbench.run("lattice", games=20_000, placement=law).stats.mean
        for law in ("uniform", "avoid:lattice:2", "avoid:lattice")
    ]
    assert means[0] + 1 < means[1] < means[2] - 1


def test_layouts_are_the_same_wherever_they_are_drawn():
    law = Placement.parse("avoid:over9000:4")
    first = make_sampler(SMALL, law).draw(5, 0, 100)
    samplers._avoiding.cache_clear()
    lateness.cache_clear()
    assert (make_sampler(SMALL, law).draw(5, 40, 60) == first[40:]).all()
    results = [
        bsbench.run(
            "prob", Scenario(name="small", rules=SMALL, placement=law), games=3_000, threads=threads
        )
        for threads in (1, 2)
    ]
    assert (results[0].counts == results[1].counts).all()


def test_the_feedback_has_a_part_in_it():
    hit = Rules(5, 6, (3, 2, 2), touching=False, feedback=Feedback.HIT)
    assert lateness(SMALL, "lattice,no_touch=full") != lateness(SMALL, "lattice")
    law = Placement.parse("avoid:datagenetics")
    told, untold = (Scenario(name="small", rules=rules, placement=law) for rules in (SMALL, hit))
    assert told.layout_law != untold.layout_law
    assert (
        Scenario(name="small", rules=SMALL).layout_law
        == Scenario(name="small", rules=hit).layout_law
    )


def test_records_hold_the_law(tmp_path):
    scenario = Scenario(name="small", rules=SMALL).override(placement="avoid:lattice:2")
    assert scenario.name == "small+avoid:lattice:2"
    result = bsbench.run("prob", scenario, games=500)
    path, *_ = save_result(result, str(tmp_path / "record.json"))
    assert load_result(path).scenario == scenario


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("avoid:lattice", "avoid:lattice:8"),
        ("avoid:lattice:02", "avoid:lattice:2"),
        ("avoid:over9000,noise=0:3", "avoid:over9000,noise=0:3"),
    ],
)
def test_the_law_is_written_with_its_strength(text, law):
    assert str(Placement.parse(text)) == law
    assert Placement.parse(law) == Placement.parse(text)


@pytest.mark.parametrize(
    "option",
    [
        None,
        "",
        # The code of a user's strategy would run wherever a file names the law.
        *("mine.py:Mine", "package.module:Mine"),
        *("lattice:", "lattice:1.5", "lattice:-1", "lattice:0", "lattice:101", "lattice\n"),
    ],
)
def test_laws_that_are_refused(option):
    with refused("avoid"):
        Placement.parse("avoid" if option is None else f"avoid:{option}")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("avoid:latice", ["latice", "lattice"]),
        ("avoid:lattice,depth=3", ["lattice", "depth"]),
        ("avoid:over9000,noise=-1", ["over9000", "noise"]),
        ("avoid:over9000", ["over9000", "ship"]),
        # A record of a stranger would keep whoever verifies it busy for an hour.
        ("avoid:mcts", ["mcts", "10,000"]),
    ],
)
def test_strategies_that_cannot_be_avoided(text, named):
    rules = Rules(5, 6, (3, 2, 2), touching=False, feedback=Feedback.HIT)
    with refused(*named):
        make_sampler(rules, Placement.parse(text))


def test_a_plugin_is_not_avoided(monkeypatch):
    # Only the names in the folder of built-in strategies count: nothing else is imported.
    from bsbench.own import loading

    monkeypatch.setattr(loading, "installed", lambda: pytest.fail("looked for installed ones"))
    with refused("theirs"):
        make_sampler(SMALL, Placement.parse("avoid:theirs"))


def test_the_exact_law_of_linear_is_not_claimed():
    scenario = find_scenario("classic").override(placement="avoid:linear")
    with refused("linear", "avoid:linear:8", kind=UnknownLaw):
        find_law("linear", scenario)
