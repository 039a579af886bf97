"""``bsbench bound``: a mean number of moves that no strategy beats."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.completion import SCENARIO
from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import rule_options

if TYPE_CHECKING:
    from bsbench.rules.scenario import Scenario


@in_section(Section.ODDS)
@study(
    "bound",
    [
        click.argument("scenario", type=SCENARIO, metavar="[SCENARIO]", default="classic"),
        rule_options,
    ],
    "the limits",
)
def bound_command(scenario: Scenario) -> Study:
    """Prove a lower bound on the mean moves of any strategy.

    No strategy needs fewer moves on average. All layouts are equally likely. The table shows how
    many layouts any strategy can finish at most, with so many misses or fewer. The bound follows
    from these limits; 'docs/lower-bound.md' has the proof. The default scenario is classic.

    \b
    Examples:
      bsbench bound
      bsbench bound gym-10x10
      bsbench bound --board 6x6 --fleet 3,2 --export-json -
    """
    from bsbench.studies.bound.study import FoundBound, bound_sheet

    scenario.check_uniform()
    scenario.rules.check_single_shots("a bound is known")
    return Study(partial(FoundBound.find, scenario), bound_sheet)
