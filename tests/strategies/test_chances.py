"""What strategies say of cells: how likely each holds a ship."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bsbench.common.errors import StrategyError
from bsbench.play.session import Session
from bsbench.roster import make_variant
from bsbench.rules.board import Feedback, Rules
from bsbench.strategies import Strategy
from bsbench.strategies.base import Insight
from tests.support import naive
from tests.support.helpers import draw_layouts
from tests.support.naive.density import RecordByShip, factor
from tests.support.naive.play import answer
from tests.support.refusals import assert_sentence

POND = Rules(5, 5, (3, 2, 2), touching=True, feedback=Feedback.SHIP)
APART = Rules(5, 6, (3, 2), touching=False, feedback=Feedback.SHIP)


def _chance(factors, cell: int) -> float:
    water = math.prod(total - counts[cell] for total, counts in factors)
    return 1 - water / math.prod(total for total, _ in factors)


def _factors_of_bob(rules, shots, ships):
    misses = {cell for cell in shots if not any(cell in ship for ship in ships)}
    return [
        factor(
            rules,
            [slot for slot in naive.slots(rules.rows, rules.cols, n) if misses.isdisjoint(slot)],
        )
        for n in rules.fleet
    ]


def _said(name: str, rules, ships, shots: list[int]):
    """Yield, before each shot, what is said of each cell."""
    record = RecordByShip(rules, "sunk")
    for number, cell in enumerate(shots):
        if name == "bob":
            factors = _factors_of_bob(rules, shots[:number], ships)
        else:
            factors = record.pair_factors() if name == "over9000-pairs" else record.factors()
        yield [_chance(factors, c) for c in range(rules.cells)]
        record.note(cell, answer(rules, ships, shots[: number + 1]))


@pytest.mark.parametrize("rules", [POND, APART], ids=["pond", "apart"])
@pytest.mark.parametrize("name", ["bob", "over9000", "over9000-pairs"])
def test_chances_are_those_of_the_plain_twin(name, rules):
    games, seed = 20, 4
    layouts = draw_layouts(rules, games, seed)
    expected = []
    for game, codes in enumerate(layouts):
        ships = naive.decode(rules, codes)
        shots = naive.play(naive.twin(name), rules, ships, seed, game)
        expected.append((shots, list(_said(name, rules, ships, shots))))
    session, lanes = Session(make_variant(name), rules, games, seed), np.arange(games)
    session.deal(lanes, lanes, layouts)
    for number in range(max(len(shots) for shots, _ in expected)):
        live = np.flatnonzero(session.view.live)
        session.step()
        for lane, said in zip(live.tolist(), session.chances(live), strict=True):
            shots, twin = expected[lane]
            is_open = sorted(set(range(rules.cells)) - set(shots[:number]))
            assert session.view.cell[lane] == shots[number]
            assert said[is_open] == pytest.approx([twin[number][cell] for cell in is_open])


def test_weights_noise_and_growth_leave_probabilities_as_they_are():
    shots = [7, 3]
    (layout,) = draw_layouts(POND, 1)
    said = []
    for text in ("over9000", "over9000,edge_weight=1,noise=0", "over9000-adaptive,growth=3"):
        session = Session(make_variant(text), POND, 1, 0)
        session.deal(np.array([0]), np.array([0]), layout[np.newaxis])
        for cell in shots:
            session.fire_instead(np.array([cell]))
        session.choose()
        said.append(session.chances(np.array([0]))[0])
    assert np.array_equal(said[0], said[1])
    assert np.array_equal(said[0], said[2])
    is_open = np.delete(np.arange(POND.cells), shots)
    assert (said[0][is_open] > 0).any()


class Halves(Strategy):
    """The first open cell; each is as likely as not, by its scores."""

    name = "halves"
    gives_chances = True

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        self.shots = np.zeros(lanes, np.int64)

    def deal(self, lanes, games):
        self.shots[lanes] = 0

    def shoot(self, view):
        self.shots += view.live
        return self.shots - 1

    def insight(self, lane):
        return Insight(scores=np.full(self.rules.cells, 0.5))


class Short(Halves):
    """Says too little."""

    name = "short"

    def chances(self, lanes):
        return np.ones(5)


def _first_insight(strategy):
    session = Session(strategy, POND, 1, 0)
    session.deal(np.array([0]), np.array([0]), draw_layouts(POND, 1))
    session.step()
    return session.insight(0)


def test_scores_that_are_probabilities_need_no_more():
    insight = _first_insight(Halves())
    assert (insight.chances == 0.5).all()
    assert insight.in_percent


def test_chances_of_another_shape_are_refused():
    with pytest.raises(StrategyError) as error:
        _first_insight(Short())
    assert_sentence(error.value.problem, "(5,)", "float64")
