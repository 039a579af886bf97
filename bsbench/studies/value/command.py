"""``bsbench value``: what hiding is worth against shooting."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.completion import SCENARIO, STRATEGY
from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import rule_options
from bsbench.cli.saving import Kept, saving_options

if TYPE_CHECKING:
    from bsbench.rules.scenario import Scenario
    from bsbench.strategies import Strategy


@in_section(Section.ODDS, Keeps.BOUNDS)
@study(
    "value",
    [
        click.argument("scenario", type=SCENARIO, metavar="[SCENARIO]", default="classic"),
        rule_options,
        click.option(
            "--against",
            "strategies",
            type=STRATEGY,
            metavar="STRATEGY",
            multiple=True,
            help="Show what this one needs where the hider hides as well as it can; may be "
            "repeated.",
        ),
        click.option(
            "--seconds",
            type=float,
            metavar="N",
            default=600,
            help="How long to search, at most.  [default: 600]",
        ),
        saving_options(None, several=False),
    ],
    "a row for each kind of layouts",
)
def value_command(scenario: Scenario, strategies: Sequence[Strategy], seconds: float) -> Study:
    """Find what hiding is worth against shooting.

    One side hides a fleet by any law, the other one shoots by any strategy: how many shots does it
    need if both choose as well as they can? The board must be small. The answer is exact, with a
    proof in fractions; when time is up, there are bounds. It needs the extra 'value'.

    \b
    Examples:
      bsbench value --board 4x4 --fleet 3,2
      bsbench value --board 5x5 --fleet 3 --feedback hit --against prob
    """
    from bsbench.runs.experiment import about_games
    from bsbench.studies.value.board import board_value
    from bsbench.studies.value.equilibrium import linear_program
    from bsbench.studies.value.sheet import sheet

    linear_program()
    find = partial(board_value, scenario, seconds=seconds, against=strategies)
    about = partial(about_games, strategies, [scenario], [], value=True)
    return Study(find, sheet, in_background=False, kept=Kept("value", about))
