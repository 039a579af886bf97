"""``bsbench optimum``: the least mean that any strategy can reach, on small boards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.completion import SCENARIO
from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import (
    GAMES,
    Rare,
    games_option,
    rule_options,
    seed_option,
    strategies_option,
    threads_option,
    timeout_option,
)
from bsbench.cli.saving import Kept, saving_options

if TYPE_CHECKING:
    from bsbench.rules.position import Position
    from bsbench.strategies import Strategy


@in_section(Section.ODDS, Keeps.BOUNDS)
@study(
    "optimum",
    [
        click.argument("position", type=SCENARIO, metavar="[SCENARIO|POSITION]", default="classic"),
        rule_options,
        strategies_option(
            "Strategy whose regret is shown; may be repeated.  [default: all built-in ones that "
            "can play]"
        ),
        games_option(
            "Random games of a strategy that uses random numbers; others play each layout once.",
            "100,000",
            default="100000",
        ),
        seed_option("Seed of these games."),
        click.option(
            "--states",
            "states",
            cls=Rare,
            type=GAMES,
            metavar="N",
            default="20000000",
            help="States that the search may look at before it gives up.  [default: 20,000,000]",
        ),
        threads_option,
        timeout_option(),
        saving_options(None, several=False),
    ],
    "a row for each strategy",
)
def optimum_command(
    position: Position,
    strategies: Sequence[Strategy],
    games: int,
    seed: int,
    states: int,
    threads: int | None,
    timeout: float,
) -> Study:
    """Find the least mean number of moves that is possible.

    The board must be small, such as 4x4 with two ships, and all layouts equally likely. The result
    is proven: the search considers all that shots can reveal. The command also shows all optimal
    first shots, and the regret of strategies: how many more moves than the least mean they need on
    average. A position such as '5x5 3-2 touching hit: B2=miss', or a file with one, gives the least
    mean of the moves to come, and the best next shots.

    \b
    Examples:
      bsbench optimum --board 4x4 --fleet 3,2
      bsbench optimum '5x5 3-2 touching hit: B2=miss'
      bsbench optimum --board 5x5 --fleet 3,2 --touching no --feedback hit
    """
    from bsbench.runs.experiment import about_games
    from bsbench.studies.optimum.sheet import optimum_sheet
    from bsbench.studies.optimum.study import find_regrets

    find = partial(
        find_regrets,
        position,
        strategies or None,
        games=games,
        seed=seed,
        threads=threads,
        states=states,
        timeout=timeout,
    )
    known = {"position": str(position)} if position.answers else {}
    about = partial(
        about_games, strategies, [position.scenario], [seed], games=games, optimum=True, **known
    )
    return Study(find, optimum_sheet, in_background=False, kept=Kept("optimum", about))
