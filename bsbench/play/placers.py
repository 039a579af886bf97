"""Files of layouts by placers: placement laws, and programs of users that place ships."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.layouts import Codes
from bsbench.layouts.file import LARGEST, MOST_LINES
from bsbench.own.adapter import Adapter, StandIn
from bsbench.own.placer import Shooter, placer_of
from bsbench.play.game import moves_of
from bsbench.play.samplers import make_sampler
from bsbench.play.session import Session
from bsbench.rules.board import Rules
from bsbench.rules.layout import FORMS
from bsbench.rules.placement import LAWS, Placement
from bsbench.strategies import Strategy


def layouts_file(
    placers: Sequence[str],
    rules: Rules,
    games: int,
    seed: int,
    timeout: float,
    watch: Callable[[str], object],
    against: Strategy | None = None,
    form: str = "lines",
) -> str:
    """Return the text of a file of layouts, with a group for each placer in turn.

    Parameters
    ----------
    placers : sequence of str
        Placement laws, and users' placers as for `bsbench.own.placer.placer_of`.
    rules : Rules
    games : int
        Layouts of each.
    seed : int
    timeout : float
        Seconds that a user's placer may take for a layout.
    watch : callable
        Called with the name of each placer before it begins.
    against : Strategy, optional
        Shoots at each layout before the next is placed; users' placers may learn from its shots.
    form : str
        One of `~bsbench.rules.layout.FORMS`.

    Raises
    ------
    BsbenchError
        If the file would be too large to be read, there is no such placer, or one fails.
    StrategyError
        If what shoots breaks the rules, or a user's code fails.
    """
    ship = f"{rules.rows} {rules.cols} {max(rules.fleet)} E  "
    most = min(MOST_LINES, LARGEST // (len(ship) * len(rules.fleet))) // len(placers) - 2
    if games > most:
        raise BsbenchError(
            f"{games:,} layouts of each placer are too many for a file: ask for up to {most:,}"
        )
    lines: list[str] = []
    # All are found before the first one takes its time.
    for name, draw in [_found(placer, timeout, against) for placer in placers]:
        watch(name)
        lines += [f"[{name}]", *(FORMS[form](each, rules) for each in draw(rules, games, seed))]
    return "".join(f"{line}\n" for line in lines)


def _found(
    placer: str, timeout: float, against: Strategy | None
) -> tuple[str, Callable[[Rules, int, int], Codes]]:
    """Return what a placer is called, and what returns its layouts."""
    if placer.partition(":")[0] in LAWS or not re.search("[.:]", placer):
        law = Placement.parse(placer)
        return str(law), lambda rules, games, seed: make_sampler(rules, law).draw(seed, 0, games)
    made = placer_of(placer, timeout)

    def placed(rules: Rules, games: int, seed: int) -> Codes:
        if against is None:
            return made.layouts(rules, games, seed)
        shooter = against.copy()
        if isinstance(shooter, Adapter):
            shooter.timeout = timeout
        with closing(shooter) if isinstance(shooter, StandIn) else nullcontext():
            return made.layouts(rules, games, seed, shooter_of(shooter, rules, seed))

    return made.label, placed


def shooter_of(strategy: Strategy, rules: Rules, seed: int) -> Shooter:
    """Return what plays games of a strategy, one at a time, on given layouts."""
    session = Session(strategy, rules, 1, seed)
    return lambda game, layout: [move.cell for move in moves_of(session, game, layout[np.newaxis])]
