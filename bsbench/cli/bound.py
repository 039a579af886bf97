"""``bsbench bound``: a mean number of moves that no strategy beats."""

from __future__ import annotations

from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.cli.exports import Exports, export_options, of_entries
from bsbench.cli.options import GroupedCommand, quiet_option, rule_options

if TYPE_CHECKING:
    from bsbench.counting.bounds import Bound
    from bsbench.rules.scenario import Scenario


@click.command("bound", cls=GroupedCommand)
@click.argument("name", metavar="[SCENARIO]", default="classic")
@rule_options
@export_options("the limits")
@quiet_option
def bound_command(name: str, exports: Exports, quiet: bool, **changes: Any) -> None:
    """Prove a lower bound on the mean number of moves: no strategy beats it.

    All layouts are equally likely. The table shows how many layouts any strategy can finish at
    most, with so many misses or fewer. The bound follows from these limits; 'docs/lower-bound.md'
    has the proof. The default scenario is classic.

    \b
    Examples:
      bsbench bound
      bsbench bound gym-10x10
      bsbench bound --board 6x6 --fleet 3,2 --export-json -
    """
    from bsbench.rules.scenario import find_scenario, parse_parts

    # A wrong scenario is reported before numba is loaded, which takes a second.
    scenario = find_scenario(name).override(**parse_parts(changes))

    from bsbench.cli.playing import in_background, status
    from bsbench.counting.bounds import find_bound
    from bsbench.present.bounds import bound_columns, bound_heading, bound_notes, bound_record
    from bsbench.runs.odds import check_law

    check_law(scenario)
    exports.check()
    with status(quiet) as progress:
        bound = in_background(partial(find_bound, scenario.rules, progress))
    found = of_entries(
        partial(bound_record, scenario, bound),
        "limits",
        partial(bound_columns, bound),
        lambda: [*bound_heading(scenario, bound), *bound_notes(bound)],
    )
    exports.finish(found, quiet, partial(print_bound, scenario, bound))


def print_bound(scenario: Scenario, bound: Bound, stream: IO[str]) -> None:
    """Print a bound, and the limits that it rests on."""
    from bsbench.present.bounds import bound_columns, bound_heading, bound_notes
    from bsbench.present.terminal import console_for, print_lines, print_table

    console = console_for(stream)
    print_lines(console, [*bound_heading(scenario, bound), ""])
    print_table(console, bound_columns(bound))
    print_lines(console, bound_notes(bound))
