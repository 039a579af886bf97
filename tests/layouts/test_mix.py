"""The law ``mix``: each layout by one of several laws."""

from __future__ import annotations

import json
import math
from collections import Counter

import numpy as np
import pytest

import bsbench
from bsbench.common.errors import BsbenchError
from bsbench.kernels.slots import fill_boards
from bsbench.play.samplers import make_sampler
from bsbench.rules.placement import HIDE, Placement
from bsbench.rules.scenario import find_scenario
from bsbench.runs.exact import UnknownLaw, find_law
from bsbench.stats import goodness_of_fit
from tests.support import ROOT
from tests.support.naive.chance import Stream, stream_key
from tests.support.refusals import refused

RULES = find_scenario("gym-8x8").rules
MIXED = "mix:3*edge:9,avoid:prob:2,sequential"


def law_of(game: int, seed: int, parts) -> Placement:
    """Return the law of a game, plainly."""
    number = Stream(stream_key("mixed layouts", seed), game).draw(sum(each for each, _ in parts))
    for weight, law in parts:
        if number < weight:
            return law
        number -= weight
    raise AssertionError


@pytest.mark.parametrize("first", [0, 37])
def test_each_layout_is_that_of_the_law_that_is_drawn(first):
    parts = Placement.parse(MIXED).parts
    drawn = make_sampler(RULES, Placement.parse(MIXED)).draw(6, first, 60)
    seen = Counter()
    for game, codes in enumerate(drawn, first):
        law = law_of(game, 6, parts)
        seen[law.law] += 1
        assert codes.tolist() == make_sampler(RULES, law).draw(6, game, 1)[0].tolist()
    assert len(seen) == 3


def test_boards_are_those_of_the_layouts():
    sampler = make_sampler(RULES, Placement.parse(MIXED))
    boards = np.zeros((200, 1), np.uint64)
    fill_boards(sampler.draw(3, 5, 200), np.array(RULES.fleet), RULES.cols, boards)
    assert np.array_equal(sampler.draw_boards(3, 5, 200), boards)


def test_laws_are_drawn_by_their_weights():
    games = 40_000
    sampler = make_sampler(RULES, Placement.parse("mix:3*edge:9,7*uniform"))
    mine, _ = next(sampler._shares(1, 0, games))
    share = np.mean(mine)
    assert abs(share - 0.3) < 4 * math.sqrt(0.3 * 0.7 / games)


def test_linear_has_an_exact_law():
    scenario = find_scenario("classic").override(placement="mix:3*edge:3,uniform")
    result = bsbench.run("linear", scenario, games=100_000, seed=2)
    assert goodness_of_fit(result.counts, find_law("linear", scenario)).p > 1e-4
    only = find_law("linear", find_scenario("classic"))
    assert goodness_of_fit(result.counts, only).p < 1e-9
    with pytest.raises(UnknownLaw):
        find_law("linear", scenario.override(placement="mix:edge,avoid:prob"))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("mix:edge,uniform", "mix:1*edge:3,1*uniform"),
        ("mix:6*edge:3.0,4*uniform", "mix:3*edge:3,2*uniform"),
        (
            "mix:avoid:over9000,noise=0,edge_weight=2:4,2*sequential",
            "mix:1*avoid:over9000,noise=0,edge_weight=2:4,2*sequential:longest",
        ),
    ],
)
def test_a_mixture_has_one_text(given, text):
    assert str(Placement.parse(given)) == text
    assert Placement.parse(text) == Placement.parse(given)


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ("uniform", "2"),
        ("uniform,uniform", "uniform"),
        ("0*uniform,edge", "1"),
        ("uniform,1000000*edge", "1,000,000"),
        ("uniform,mix:edge,uniform", "'uniform,mix:edge'"),
        ("each,uniform", "'each'"),
        ("uniform,edge:0", "'edge'"),
        (",".join(f"edge:{number}" for number in range(1, 18)), "16"),
    ],
)
def test_what_is_no_mixture_is_refused(option, named):
    with refused(named):
        Placement.parse(f"mix:{option}")
    with pytest.raises(BsbenchError):
        Placement("mix", None)


def test_only_a_mixture_that_avoids_depends_on_feedback():
    for law, same in (("mix:edge,uniform", True), ("mix:edge,avoid:prob", False)):
        told = [
            find_scenario("classic").override(feedback=kind, placement=law).layout_law
            for kind in ("hit", "ship")
        ]
        assert (told[0] == told[1]) == same


def test_a_run_has_the_layouts_of_its_parts():
    found = bsbench.run("linear", "gym-8x8", placement=MIXED, games=300, seed=6)
    parts = Placement.parse(MIXED).parts
    apart = {
        law: bsbench.run("linear", "gym-8x8", placement=law, games=300, seed=6).moves
        for _, law in parts
    }
    wanted = [apart[law_of(game, 6, parts)][game] for game in range(300)]
    assert found.moves.tolist() == wanted


def test_hide_is_the_mixture_that_was_found():
    record = json.loads((ROOT / "results" / "value" / "classic.json").read_text("utf-8"))
    assert record["hide"] == f"mix:{HIDE}"
    hide, mixed = Placement.parse("hide"), Placement.parse(record["hide"])
    assert hide.parts == mixed.parts
    rules = find_scenario("classic").rules
    drawn = [make_sampler(rules, law).draw(4, 0, 30) for law in (hide, mixed)]
    assert np.array_equal(*drawn)
    assert str(hide) == "hide"
    with refused("'hide'"):
        Placement.parse("hide:3")
