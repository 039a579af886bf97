"""``bsbench rollouts``: how many moves rollouts save."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GAMES, threads_option

if TYPE_CHECKING:
    from bsbench.rules.scenario import Scenario
    from bsbench.strategies import Strategy


@in_section(Section.ODDS)
@study(
    "rollouts",
    [
        click.argument("strategy", metavar="STRATEGY"),
        click.argument("scenario", metavar="SCENARIO"),
        click.option(
            "--feedback",
            metavar="KIND",
            help="Feedback in place of the scenario's: sunk (also what sank) or ship (also which "
            "ship each hit is on).",
        ),
        click.option(
            "-n",
            "--games",
            type=GAMES,
            metavar="N",
            default="100",
            help="How many games to play.  [default: 100]",
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="Seed of the layouts."),
        threads_option,
    ],
)
def rollouts_command(
    strategy: Strategy,
    scenario: Scenario,
    games: int,
    seed: int,
    threads: int | None,
) -> Study:
    """Measure how many moves the rollouts of mcts save.

    STRATEGY is mcts, with parameters after commas. Wherever mcts does not shoot the cell that its
    base would, the base plays both cells to the end, on layouts that the choice has not seen. On
    average, the sum of these differences along a game is the difference of the two means. It takes
    far fewer games than to compare the means; see docs/rollouts.md.

    \b
    Examples:
      bsbench rollouts mcts gym-6x6
      bsbench rollouts mcts,playouts=2000,screening=300 classic --export-json -
    """
    from bsbench.studies.rollouts.sheet import worth_sheet
    from bsbench.studies.rollouts.study import worth

    find = partial(worth, strategy, scenario, games=games, seed=seed, threads=threads)
    return Study(find, worth_sheet)
