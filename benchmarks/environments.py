"""What plays the environments as fast as they go: that of gym-battleship, one board, and many.

Shots are chosen beforehand: every cell in a random order, over and over. A game takes no more
shots than there are cells, wherever in that order it begins, so that none is at a cell shot before.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.measuring import amount_within
from benchmarks.seed_env import SeedEnv
from bsbench.env import BattleshipEnv, BattleshipVectorEnv

BOARDS = 1024
CELLS = 100

Play = Callable[[int], int]
"""Does something so many times, and returns how much of what is counted that came to."""


def _steps_of_one(env: SeedEnv | BattleshipEnv) -> Play:
    order = np.random.default_rng(0).permutation(CELLS).tolist()
    env.reset(seed=0)
    place = 0

    def play(steps: int) -> int:
        nonlocal place
        for _ in range(steps):
            _, _, terminated, _, _ = env.step(order[place])
            place = (place + 1) % CELLS
            if terminated:
                env.reset()
        return steps

    return play


def _steps_of_many(copy: bool) -> Play:
    env = BattleshipVectorEnv(BOARDS, copy=copy)
    rng = np.random.default_rng(0)
    # Row by row, the actions of a step.
    orders = np.array([rng.permutation(CELLS) for _ in range(BOARDS)]).T.copy()
    env.reset(seed=0)
    place = 0

    def play(steps: int) -> int:
        nonlocal place
        resets = 0
        for _ in range(steps):
            _, _, terminated, _, _ = env.step(orders[place])
            place = (place + 1) % CELLS
            resets += np.count_nonzero(terminated)
        # The step after the end of a game begins another, and is no shot.
        return steps * BOARDS - resets

    return play


def _resets_of_one(env: SeedEnv) -> Play:
    env.reset(seed=0)

    def play(resets: int) -> int:
        for _ in range(resets):
            env.reset()
        return resets

    return play


def _resets_of_many() -> Play:
    env = BattleshipVectorEnv(BOARDS)
    env.reset(seed=0)

    def play(resets: int) -> int:
        for _ in range(resets):
            env.reset()
        return resets * BOARDS

    return play


def measurements(seconds: float) -> dict[tuple[str, str], Callable[[], float]]:
    """Return what measures rates, each within so many seconds, by what is done and where.

    Those of the seed's environment come first.
    """
    plays = {
        ("shots", "seed"): _steps_of_one(SeedEnv()),
        ("shots", "one board"): _steps_of_one(BattleshipEnv()),
        ("shots", f"{BOARDS:,} boards"): _steps_of_many(copy=True),
        ("shots", f"{BOARDS:,} boards, not copied"): _steps_of_many(copy=False),
        ("resets", "seed"): _resets_of_one(SeedEnv()),
        ("resets", f"{BOARDS:,} boards"): _resets_of_many(),
    }
    return {key: _rate_of(play, seconds) for key, play in plays.items()}


def _rate_of(play: Play, seconds: float) -> Callable[[], float]:
    def taken(times: int) -> float:
        begun = time.perf_counter()
        play(times)
        return time.perf_counter() - begun

    taken(1)  # compiles
    fitting = amount_within(taken, seconds, 10)

    def rate() -> float:
        begun = time.perf_counter()
        done = play(fitting)
        return done / (time.perf_counter() - begun)

    return rate
