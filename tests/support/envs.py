"""What tests of environments share: a layout, sets of cells as actions, and equality."""

from __future__ import annotations

import numpy as np
from gymnasium.utils.env_checker import data_equivalence

from bsbench.env import BattleshipEnv
from bsbench.rules.scenario import Scenario, find_scenario

# Ships of 3 and 2 on 5x5:
#      1  2  3  4  5
#   A  #  #  #  .  .
#   B  .  .  .  .  .
#   C  .  .  .  .  #
#   D  .  .  .  .  #
LAYOUT = [[0, 1, 2], [(2, 4), (3, 4)]]


def _salvos(scenario: str, shots: int, answers: str = "each") -> Scenario:
    feedback = {"each": "sunk", "joint": "ship"}[answers]
    return find_scenario(scenario).override(shots=shots, answers=answers, feedback=feedback)


EACH = _salvos("gym-5x5", 3)
JOINTLY = _salvos("gym-5x5", 3, "joint")
SINGLE = _salvos("gym-5x5", 1, "joint")
CLASSIC = find_scenario("classic").override(shots=5)
HARBOUR = find_scenario("harbour").override(shots=4)


def name_of(value) -> str:
    """Return what a parameter is called in the name of a test."""
    return value.name if isinstance(value, Scenario) else getattr(value, "__name__", str(value))


def agree(ours, theirs) -> None:
    """Fail unless both are the same, types and shapes included."""
    assert data_equivalence(ours, theirs, exact=True), (ours, theirs)


def small(scenario: Scenario | str = "gym-5x5", **arguments) -> BattleshipEnv:
    """Return an environment of 5x5 whose only layout is the one above, at its first game."""
    env = BattleshipEnv(scenario, layouts=[LAYOUT], **arguments)
    env.reset(seed=0)
    return env


def cells(*numbers: int, board: int = 25) -> np.ndarray:
    """Return a set of cells as an action."""
    return np.isin(np.arange(board), numbers).astype(np.int8)


def some(mask, allowed, rng) -> np.ndarray:
    """Return a legal set of cells: up to as many open ones as allowed."""
    (is_open,) = np.nonzero(mask)
    chosen = rng.choice(is_open, rng.integers(1, min(allowed, len(is_open)) + 1), replace=False)
    return cells(*chosen.tolist(), board=len(mask))
