"""The sampler of any placement law: that of ``avoid`` takes games of the strategy avoided.

How late that strategy shoots each cell is measured in `GAMES` games on uniform layouts, under a
seed of their own: whole numbers, so that the same layouts come out on every machine.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import read_variant, suggestion
from bsbench.kernels.lanes import GROUP
from bsbench.layouts import Sampler, avoid, sampler_of
from bsbench.layouts.mix import Mix
from bsbench.play.lockstep import Block, Simulator
from bsbench.rules.board import Rules
from bsbench.rules.placement import Placement
from bsbench.strategies import Strategy, built_in_strategy, strategy_names
from bsbench.strategies.base import Cells
from bsbench.strategies.view import View

GAMES = 10_000
"""Games in which it is measured how late a strategy shoots each cell: on 10x10 cells, the standard
error is 0.3 shots at most."""

_LANES = 4 * GROUP
"""Games in lockstep of a strategy that does not learn."""

_SEED = 9000
"""Of these games: any number that users hardly choose, so that they are no games of theirs."""


def make_sampler(rules: Rules, placement: Placement) -> Sampler:
    """Return the sampler of a placement law; one made before may serve again.

    Raises
    ------
    BsbenchError
        If layouts can't be drawn, or the strategy that the law ``avoid`` names is not built in,
        has no such parameters, takes long, or can't play under these rules.
    """
    if placement.law != "avoid" and not placement.is_mixed:
        return sampler_of(rules, placement)
    try:
        return (_mixed if placement.is_mixed else _avoiding)(rules, placement)
    except BsbenchError as error:
        # It may name a strategy that only the law knows of.
        raise BsbenchError(f"the placement law {str(placement)!r}: {error}") from None


@lru_cache(4)
def _avoiding(rules: Rules, placement: Placement) -> Sampler:
    variant, _, strength = str(placement.option).rpartition(":")
    return avoid.sampler_of(rules, lateness(rules, variant), int(strength))


@lru_cache(4)
def _mixed(rules: Rules, placement: Placement) -> Sampler:
    return Mix([(weight, make_sampler(rules, part)) for weight, part in placement.parts])


@lru_cache(16)
def lateness(rules: Rules, variant: str) -> tuple[int, ...]:
    """Return how late a built-in strategy shoots each cell, over `GAMES` games.

    Parameters
    ----------
    rules : Rules
    variant : str
        ``NAME,PARAMETER=VALUE,…``

    Returns
    -------
    tuple of int, shape (cells,)
        Twice the sum over all games of the number of the shot at that cell. Cells that are open
        when a game ends count as shot after it in any order: each with the mean of these numbers.

    Raises
    ------
    BsbenchError
        If it is not built in, has no such parameters, takes long, or can't play under these rules.
    """
    # It shoots as it does at single shots, whatever a turn of the game is.
    rules = replace(rules.layout_rules, feedback=rules.feedback)
    strategy = _avoided(rules, variant)
    # A learner plays in one lane.
    lanes = GROUP if strategy.games_per_learner > 1 else _LANES
    total = np.zeros(rules.cells, np.int64)
    is_open = np.ones((lanes, rules.cells), np.bool_)

    def note(view: View, live: Cells) -> None:
        cells = view.cell[live]
        # float64 holds these sums exactly: they are far below 2^53.
        total[:] += np.bincount(cells, 2 * view.shots[live], rules.cells).astype(np.int64)
        is_open[live, cells] = False
        over = live[~view.live[live]]
        left = view.shots[over] + 1 + rules.cells
        total[:] += left @ is_open[over]
        is_open[over] = True

    uniform = sampler_of(rules, Placement())
    simulator = Simulator(
        rules, uniform, strategy, _SEED, lanes, largest_block=GAMES, observer=note
    )
    for _ in simulator.play(iter([Block(0, GAMES)])):
        pass
    return tuple(total.tolist())


def _avoided(rules: Rules, variant: str) -> Strategy:
    """Return the strategy that a law avoids, if it can play under these rules."""
    name, settings = read_variant(variant)
    if name not in strategy_names():
        # Never one of a user: its code would run wherever a file names the law.
        hint = suggestion(name, strategy_names(), "there are")
        raise BsbenchError(f"there is no built-in strategy {name!r}: {hint}")
    strategy = built_in_strategy(name).configured(settings)
    if strategy.takes_long:
        raise BsbenchError(
            f"layouts can't avoid {name!r}: it thinks too long to play {GAMES:,} games first; "
            "avoid another strategy"
        )
    strategy.check_fits(rules)
    return strategy
