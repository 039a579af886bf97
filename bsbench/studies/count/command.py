"""``bsbench count``: how many layouts there are, and where their ships lie."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

import click

from bsbench.cli.exports import Exports, export_options
from bsbench.cli.options import GroupedCommand, quiet_option, rule_options

if TYPE_CHECKING:
    from bsbench.rules.scenario import Parts


@click.command("count", cls=GroupedCommand)
@click.argument("name", metavar="[SCENARIO]", default="classic")
@rule_options
@export_options("the probabilities of cells")
@quiet_option
def count_command(name: str, exports: Exports, quiet: bool, **parts: Unpack[Parts]) -> None:
    """Count all layouts of SCENARIO exactly, and show how likely each cell holds a ship.

    Every layout is equally likely. Without SCENARIO, it is classic. 'bsbench odds' does the same
    after some shots.

    \b
    Examples:
      bsbench count
      bsbench count harbour
      bsbench count --board 8x8 --fleet 4,3,2 --no-touching --export-csv -
    """
    from bsbench.rules.scenario import find_scenario, parse_parts

    # A wrong scenario is reported before numba is loaded, which takes a second.
    scenario = find_scenario(name).override(**parse_parts(parts))

    from bsbench.cli.playing import in_background, status
    from bsbench.studies.odds.command import exportable, print_map
    from bsbench.studies.odds.study import find_odds

    exports.check()
    with status(quiet) as progress:
        odds = in_background(partial(find_odds, scenario, progress=progress))
    exports.finish(exportable(odds), quiet, partial(print_map, odds))
