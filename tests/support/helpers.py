"""What several tests use: drawn rules, known layouts, games move by move."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from bsbench.common import journal
from bsbench.common.errors import BsbenchError
from bsbench.layouts import Sampler, sampler_of
from bsbench.play.lockstep import LARGEST_BLOCK, Block, Simulator
from bsbench.play.referee import Referee
from bsbench.reproduce.plan import find_plan
from bsbench.roster import make_strategy
from bsbench.rules.board import TOUCHING, Feedback, Rules, fleet_fits
from bsbench.rules.placement import Placement
from bsbench.runs.results import Result
from bsbench.strategies import Strategy
from bsbench.strategies.view import View


@st.composite
def rules(draw, max_side: int = 8, max_ships: int = 5, touching=None) -> Rules:
    """Boards of up to max_side, with a fleet that fits and is not too hard to lay."""
    rows = draw(st.integers(1, max_side))
    cols = draw(st.integers(1, max_side))
    longest = max(rows, cols)
    fleet = draw(st.lists(st.integers(1, min(longest, 6)), min_size=1, max_size=max_ships))
    touching = draw(st.sampled_from([*TOUCHING]) if touching is None else st.just(touching))
    feedback = draw(st.sampled_from(Feedback))
    try:
        drawn = Rules(rows, cols, tuple(fleet), touching, feedback)
    except BsbenchError:
        assume(False)
    fullest = {True: 0.6, "corners": 0.4, False: 0.35}[touching]
    assume(drawn.ship_cells <= fullest * drawn.cells or len(fleet) == 1)
    assume(fleet_fits(drawn))
    return drawn


def strategies_of(plan: str) -> list[str]:
    """Return the strategies of a bundled plan: those that its results are of."""
    return [strategy for part in find_plan(plan).parts for strategy in part.strategies]


SHORT_ROLLOUTS = {"playouts": 8, "screening": 4, "candidates": 4, "finalists": 1}
SHORT_ROLLOUTS |= {"hunt_ships": 0, "target_ships": 1}


def quick_strategy(name: str) -> Strategy:
    """Return a strategy for many games: with its defaults, unless each of them takes long."""
    return make_strategy(name, SHORT_ROLLOUTS if name == "mcts" else {})


class KnownLayouts(Sampler):
    """A sampler that gives layouts out of a list, game by game."""

    def __init__(self, rules: Rules, codes) -> None:
        super().__init__(rules)
        self._codes = np.array(codes, np.int32)

    def draw(self, seed: int, first_game: int, games: int):
        return self._codes[first_game : first_game + games]


def draw_layouts(rules: Rules, games: int, seed: int = 0, law: str = "uniform"):
    """Return layouts of some games, as slot codes."""
    return sampler_of(rules, Placement.parse(law)).draw(seed, 0, games)


def move_counts(rules: Rules, strategy: Strategy, codes, seed: int = 0, lanes: int = 64):
    """Return the move counts of games on known layouts."""
    simulator = Simulator(rules, KnownLayouts(rules, codes), strategy.copy(), seed, lanes)
    blocks = (
        Block(first, min(LARGEST_BLOCK, len(codes) - first))
        for first in range(0, len(codes), LARGEST_BLOCK)
    )
    return np.concatenate([moves for _, moves in simulator.play(blocks)])


def shots_fired(
    rules: Rules, strategy: Strategy, codes, seed: int = 0, in_turn: int = 1
) -> list[list[int]]:
    """Return all shots of games on known layouts, played side by side.

    Each lane plays so many games in turn, the first lane the first games: one, or all
    those of a learner.
    """
    codes = np.asarray(codes)
    lanes = len(codes) // in_turn
    view = View(rules, lanes)
    referee = Referee(view)
    player = strategy.copy()
    player.begin(rules, lanes, seed)
    everyone = np.arange(lanes)
    games = everyone * in_turn
    referee.deal(everyone, codes[games])
    player.deal(everyone, games.copy())
    shots: list[list[int]] = [[] for _ in codes]
    while view.live.any():
        cells = player.shoot(view)
        for lane in np.flatnonzero(view.live):
            shots[games[lane]].append(int(cells[lane]))
        won = referee.fire(cells).copy()
        games[won] += 1
        fresh = won[games[won] % in_turn != 0]
        if len(fresh):
            referee.deal(fresh, codes[games[fresh]])
            player.deal(fresh, games[fresh])
    return shots


def as_words(flags) -> np.ndarray:
    """Return a word for each row of flags, the flag of lane n as bit n."""
    octets = np.packbits(np.asarray(flags, np.bool_), axis=-1, bitorder="little")
    # One row gives a number, not an array without axes.
    return octets.view(np.uint64)[..., 0][()]


def assert_chi_square(observed, expected) -> None:
    """Fail when counts are further from the law than 4 standard errors of chi-square.

    Chi-square with k degrees of freedom has mean k and variance 2 k.
    """
    observed, expected = np.asarray(observed, float), np.asarray(expected, float)
    assert expected.min() >= 5, "too few games for chi-square"
    statistic = ((observed - expected) ** 2 / expected).sum()
    freedom = len(observed) - 1
    assert abs(statistic - freedom) <= 4 * np.sqrt(2 * freedom), (statistic, freedom)


def listen_to_ctrl_c() -> None:
    """Listen to Ctrl-C, in a process to come, even if whoever runs the tests ignores it.

    A shell does so for what is in the background, and `nohup` for a closed terminal.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@contextmanager
def started(*arguments: str, stderr: int = subprocess.PIPE):
    """Run Python with some arguments, listening to Ctrl-C; see to it that it ends."""
    with subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        start_new_session=True,
        preexec_fn=listen_to_ctrl_c,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def interrupt(process) -> tuple[int, str, str]:
    """Send Ctrl-C; return exit code, stdout and stderr."""
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    return process.returncode, stdout, stderr


def save_bare(result: Result, path: str | Path) -> Path:
    """Write a record without evidence and move counts, as those of very many games are."""
    record = result.to_dict()
    for key in ("firsts", "blocks", "moves"):
        record.pop(key, None)
    path = Path(path)
    path.write_text(json.dumps(record))
    return path


def sign_again(database: sqlite3.Connection) -> None:
    """Make all digests right again, as somebody could who changes a journal on purpose."""
    for table, columns in journal._CONTENT.items():
        query = f"SELECT rowid, {columns} FROM {table}"
        for rowid, *content in database.execute(query).fetchall():
            digest = journal._digest(*content)
            database.execute(f"UPDATE {table} SET digest = ? WHERE rowid = ?", (digest, rowid))
