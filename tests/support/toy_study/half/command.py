"""``bsbench half``: after how many moves half of all games are over."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.completion import SCENARIO, STRATEGY
from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GAMES, timeout_option

if TYPE_CHECKING:
    from bsbench.rules.scenario import Scenario
    from bsbench.strategies import Strategy


@in_section(Section.ODDS)
@study(
    "half",
    [
        click.argument("strategies", type=STRATEGY, nargs=-1, required=True),
        click.option("--scenario", type=SCENARIO, help="Rules.  [default: the first's home]"),
        click.option("-n", "--games", type=GAMES, default=1_000, help="Games of each strategy."),
        click.option("--seed", type=int, default=0, help="Seed of the layouts."),
        timeout_option(),
    ],
)
def half_command(
    strategies: Sequence[Strategy], scenario: Scenario, games: int, seed: int, timeout: float
) -> Study:
    """Find after how many moves half of all games are over."""
    from bsbench.studies.half.sheet import half_sheet
    from bsbench.studies.half.study import half

    return Study(partial(half, strategies, scenario, games, seed), half_sheet)
