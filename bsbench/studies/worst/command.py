"""``bsbench worst``: the layout on which a strategy needs the most moves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.completion import STRATEGY
from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import (
    Decorator,
    games_option,
    grouped,
    output_option,
    part_options,
    scenario_option,
    seed_option,
    threads_option,
    timeout_option,
)
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.present.sheets import Sheet
    from bsbench.rules.scenario import Scenario
    from bsbench.strategies import Strategy

_SOUGHT: list[Decorator] = [
    scenario_option(
        "the strategy's home, else classic",
        "Rules: a name, or a TOML file. Its placement law draws the layouts that the search begins "
        "with",
    ),
    games_option(
        "Games after which the search ends. If there are no more layouts than that, all are "
        "played.",
        "2,000,000; with --seconds, no limit",
    ),
    click.option(
        "--seconds",
        type=float,
        metavar="SECONDS",
        help="Time after which the search ends, even if there are few layouts. The result then "
        "depends on the machine.",
    ),
    seed_option("Seed of the search."),
]

_SAVED = [output_option("Save the layout that was found in this file.")]


_HINT = "-o FILE saves the layout as a file, for 'bsbench replay' and --placement"


@in_section(Section.ODDS, Keeps.BEST)
@study(
    "worst",
    [
        click.argument("strategy", type=STRATEGY, metavar="STRATEGY"),
        grouped("What is played", _SOUGHT),
        part_options,
        grouped("How it is played", [threads_option, timeout_option()]),
        grouped("What is saved", _SAVED),
    ],
)
def worst_command(
    strategy: Strategy,
    scenario: Scenario,
    games: int | None,
    seconds: float | None,
    seed: int,
    threads: int | None,
    timeout: float,
    output: str | None,
) -> Study:
    """Find the layout on which STRATEGY needs the most moves.

    If there are few layouts, each is played, and the result is proven. Otherwise, a search begins
    at many random layouts, and moves one or two ships as long as the strategy does not need fewer
    moves. The same seed and games give the same result. For a strategy that uses random numbers,
    the search looks for the greatest mean; the mean that is shown is that of fresh games.

    \b
    Examples:
      bsbench worst lattice
      bsbench worst over9000,noise=0 --games 1e7 -o worst.txt
      bsbench worst prob --board 6x6 --fleet 3,2 --touching no --feedback hit
    """
    from bsbench.common.files import write_text
    from bsbench.studies.worst.sheet import file_text, worst_sheet
    from bsbench.studies.worst.study import Worst, worst

    if output == "-":
        raise BsbenchError("layouts are written to a file: give -o FILE")

    def write(found: Worst, path: str) -> None:
        write_text(path, file_text(found))

    def sheet(found: Worst) -> Sheet:
        shown = worst_sheet(found, output)
        return shown if output else replace(shown, more_notes=[_HINT])

    find = partial(
        worst,
        strategy,
        scenario,
        games=games,
        seconds=seconds,
        seed=seed,
        threads=threads,
        timeout=timeout,
    )
    return Study(find, sheet, in_background=False, files={output: write})
