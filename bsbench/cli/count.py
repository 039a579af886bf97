"""``bsbench count``: how many layouts there are, and where their ships lie."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.cli.exports import Exportable, Exports, export_options, of_entries
from bsbench.cli.options import GroupedCommand, quiet_option, rule_options

if TYPE_CHECKING:
    from bsbench.play.advice import Hint
    from bsbench.runs.odds import Odds


@click.command("count", cls=GroupedCommand)
@click.argument("name", metavar="[SCENARIO]", default="classic")
@rule_options
@export_options("the probabilities of cells")
@quiet_option
def count_command(name: str, exports: Exports, quiet: bool, **changes: Any) -> None:
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
    scenario = find_scenario(name).override(**parse_parts(changes))

    from bsbench.cli.playing import in_background, status
    from bsbench.runs.odds import find_odds

    exports.check()
    with status(quiet) as progress:
        odds = in_background(partial(find_odds, scenario, progress=progress))
    exports.finish(exportable(odds), quiet, partial(print_map, odds))


def exportable(odds: Odds, hints: Sequence[Hint] = ()) -> Exportable:
    """Return what exports odds: each cell is a row of the frame."""
    from bsbench.present.odds import UNIT, odds_columns, odds_heading, odds_notes

    def notes() -> list[str]:
        return [*odds_heading(odds), UNIT, *odds_notes(odds, hints)]

    return of_entries(partial(odds.to_dict, hints), "cells", partial(odds_columns, odds), notes)


def print_map(odds: Odds, stream: IO[str]) -> None:
    """Print how many layouts there are, and how likely each cell holds a ship."""
    from bsbench.present.boards import coloured_board
    from bsbench.present.odds import UNIT, odds_board, odds_heading, percent_texts
    from bsbench.present.terminal import console_for, print_lines

    console = console_for(stream)
    print_lines(console, [*odds_heading(odds), ""])
    board = odds_board(odds)
    console.print(coloured_board(board, texts=percent_texts(odds)))
    print_lines(console, [f"{UNIT}; {board.status}" if odds.answers else UNIT])
