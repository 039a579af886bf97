"""Scores that strategies tell of: those that led to the shot, and nothing made up."""

from __future__ import annotations

import numpy as np
import pytest

import bsbench
from bsbench.roster import strategy_names
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from tests.support.helpers import strategies_of
from tests.support.refusals import assert_sentence

POND = Scenario(name="pond", rules=Rules(6, 7, (4, 3, 2), touching=True, feedback=Feedback.SHIP))
APART = Scenario(name="apart", rules=Rules(7, 7, (3, 2, 2), touching=False, feedback=Feedback.SHIP))

WITHOUT = {"random", "linear", "smart", "smart-random", "hunt-target", "hunt-target-parity"}
"""Of the recorded strategies, those that don't count."""

RECORDED = strategies_of("classic")

# These tell a probability, a quotient of the integers which decide: rounding may part equals.
ROUNDED = {"bob", "over9000,edge_weight=1,noise=0", "over9000-pairs"}

# These know when few cells are left, all equally likely, or worth as much.
EXACT = {"posterior", "information", "salvo"}

# Kernels with or without noise are compiled apart, for up to 20 seconds.
VARIANTS = [
    *strategy_names(),
    pytest.param("over9000,edge_weight=1,noise=0", marks=pytest.mark.slow),
    pytest.param("over9000-pairs,noise=0.01", marks=pytest.mark.slow),
    "hard-ai,block_sunk=true",
    "datagenetics,hit_weight=30,no_touch=full",
    "over9000-adaptive,games_per_learner=3",
]


@pytest.mark.parametrize("scenario", [POND, APART], ids=lambda scenario: scenario.name)
@pytest.mark.parametrize("strategy", VARIANTS)
def test_the_shot_has_the_highest_score(strategy, scenario):
    for game in range(3, 6):
        again = bsbench.replay(strategy, scenario, seed=2, game=game)
        has_scores = again.moves[0].scores is not None
        is_recorded = strategy.partition(",")[0] in RECORDED
        if is_recorded:
            assert has_scores == (strategy not in WITHOUT)
        if not has_scores:
            assert all(move.scores is None for move in again.moves)
            continue
        shot: set[int] = set()
        for move in again.moves:
            assert move.scores is not None
            assert move.scores.shape == (scenario.rules.cells,)
            # What was shot has no score.
            assert (move.scores[sorted(shot)] < 0).all()
            if not move.waiting:
                highest = move.scores.max()
                slack = 1e-12 if strategy in ROUNDED else 0
                assert highest - slack <= move.scores[move.cell] <= highest
                if strategy not in EXACT:
                    assert len(set(move.scores[move.scores >= 0])) > 1 or len(shot) > 20
            shot.add(move.cell)
        # Of these, only prob has a list, and it hunts by scores.
        if is_recorded:
            assert any(move.waiting for move in again.moves) == (strategy == "prob")


@pytest.mark.parametrize("strategy", strategy_names())
def test_asking_for_scores_changes_no_move(strategy):
    asked = bsbench.replay(strategy, POND, seed=5, game=2)
    unasked = bsbench.replay(strategy, POND, seed=5, game=2, scores=False)
    assert asked.moves == unasked.moves
    assert all(move.scores is None for move in unasked.moves)


OWN = """
import numpy as np
import bsbench

class Last:
    def shoot(self, view):
        self.scores = [c / 2 for c in range(view.rules.cells)]
        return view.open_cells[-1]

class Some(Last):
    def shoot(self, view):
        cell = super().shoot(view)
        if len(view.shots) == 1:
            self.scores = None
        return cell

class Wrong(Last):
    def shoot(self, view):
        cell = super().shoot(view)
        self.scores = self.scores + [1]
        return cell

class Words(Last):
    def shoot(self, view):
        cell = super().shoot(view)
        self.scores = {"best": cell}
        return cell

class Many(bsbench.BatchStrategy):
    def shoot(self, view):
        numbers = np.arange(view.rules.cells).reshape(view.shot.shape[1:])
        self.scores = np.where(view.shot, -5, numbers)
        return self.scores.reshape(view.games, -1).argmax(axis=1)
"""


@pytest.fixture
def own(in_folder):
    (in_folder / "own.py").write_text(OWN)


@pytest.mark.parametrize("name", ["Last", "Many", "Some"])
def test_strategies_of_users_may_tell_theirs(own, name):
    again = bsbench.replay(f"own.py:{name}", POND, seed=1)
    assert again.fault is None
    for number, move in enumerate(again.moves):
        if name == "Some" and number == 1:
            assert move.scores is None
            continue
        is_open = np.ones(42, np.bool_)
        is_open[[earlier.cell for earlier in again.moves[:number]]] = False
        half = 1 if name == "Many" else 2
        assert move.scores.tolist() == np.where(is_open, np.arange(42) / half, -1).tolist()


@pytest.mark.parametrize("name", ["Wrong", "Words"])
def test_what_are_no_scores_is_told(own, name):
    again = bsbench.replay(f"own.py:{name}", POND)
    assert again.moves == ()
    assert_sentence(again.fault.problem, "scores", "42 cells")
    if name == "Wrong":
        # Nobody asks for them there.
        assert len(bsbench.replay(f"own.py:{name}", POND, scores=False).moves) > 3
