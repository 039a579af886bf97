"""``bsbench worst``: the layout on which a strategy needs the most moves."""

from __future__ import annotations

from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.cli.exports import Exports, export_options, of_entries
from bsbench.cli.options import (
    GAMES,
    GroupedCommand,
    grouped,
    part_options,
    quiet_option,
    threads_option,
    timeout_option,
)
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import read_variant

if TYPE_CHECKING:
    from bsbench.runs.worst import Worst

_SOUGHT = [
    click.option(
        "--scenario",
        metavar="NAME|FILE",
        help="Rules: a name, or a TOML file. Its placement law draws the layouts that the search "
        "begins with.  [default: the strategy's home, else classic]",
    ),
    click.option(
        "-n",
        "--games",
        type=GAMES,
        metavar="N",
        help="Games after which the search ends. If there are no more layouts than that, all are "
        "played.  [default: 2,000,000; with --seconds, no limit]",
    ),
    click.option(
        "--seconds",
        type=float,
        metavar="SECONDS",
        help="Time after which the search ends, even if there are few layouts. The result then "
        "depends on the machine.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed of the search."),
]

_SAVED = [
    click.option(
        "-o", "--output", metavar="FILE", help="Save the layout that was found in this file."
    )
]


@click.command("worst", cls=GroupedCommand)
@click.argument("strategy", metavar="STRATEGY")
@grouped("What is played", _SOUGHT)
@part_options
@grouped("How it is played", [threads_option, timeout_option])
@grouped("What is saved", _SAVED)
@export_options()
@quiet_option
# One parameter for each option, since click passes them by name.
def worst_command(
    strategy: str,
    scenario: str | None,
    games: int | None,
    seconds: float | None,
    seed: int,
    threads: int | None,
    timeout: float,
    output: str | None,
    exports: Exports,
    quiet: bool,
    **changes: Any,
) -> None:
    """Find the layout on which STRATEGY needs the most moves.

    If there are few layouts, each is played, and the result is proven. Otherwise, a search begins
    at many random layouts, and moves one or two ships as long as the strategy does not need fewer
    moves. The same seed and games give the same result. For a strategy that uses random numbers,
    the search looks for the greatest mean; the mean that is shown is that of fresh games.

    \b
    Examples:
      bsbench worst lattice
      bsbench worst over9000,noise=0 --games 1e7 -o worst.txt
      bsbench worst prob --board 6x6 --fleet 3,2 --no-touching --feedback hit
    """
    from bsbench.rules.scenario import find_scenario, parse_parts

    # Errors in these are reported before the wait for numba.
    read_variant(strategy)
    parts = parse_parts(changes)
    where = None if scenario is None else find_scenario(scenario).override(**parts)

    from bsbench.cli.playing import status
    from bsbench.common.files import check_export, write_text
    from bsbench.present.worst import file_text, worst_columns, worst_notes
    from bsbench.roster import make_variant
    from bsbench.runs.request import limits_of, scenario_for
    from bsbench.runs.worst import worst

    shooter = make_variant(strategy, limits_of(timeout))
    exports.check([output])
    if output == "-":
        raise BsbenchError("layouts are written to a file: give -o FILE")
    if output is not None:
        check_export(output, exports.force)
    with status(quiet) as progress:
        found = worst(
            shooter,
            where or scenario_for(shooter).override(**parts),
            games=games,
            seconds=seconds,
            seed=seed,
            threads=threads,
            timeout=timeout,
            progress=progress,
        )
    columns, notes = partial(worst_columns, found), partial(worst_notes, found, output)
    exported = of_entries(found.to_dict, "worst", columns, notes)
    write = partial(write_text, text=file_text(found))
    exports.finish(exported, quiet, partial(_show, found, output), output, write)


def _show(found: Worst, output: str | None, stream: IO[str]) -> None:
    from bsbench.present.boards import coloured_board
    from bsbench.present.terminal import console_for, print_lines
    from bsbench.present.worst import worst_board, worst_heading, worst_notes

    console = console_for(stream)
    print_lines(console, [*worst_heading(found), ""])
    console.print(coloured_board(worst_board(found)))
    print_lines(console, ["", *worst_notes(found, output)])
    if output is None:
        how = "-o FILE saves the layout as a file, for 'bsbench replay' and --placement"
        print_lines(console, [how])
