"""``bsbench duel``: two strategies, until it is clear which is better."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.ending import end_interrupted, saving
from bsbench.cli.options import (
    check_exports,
    game_options,
    json_option,
    quiet_option,
    show_record,
)
from bsbench.cli.playing import echo_alarms, progress_bar
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import read_variant

if TYPE_CHECKING:
    from bsbench.runs.request import Request


@click.command("duel")
# Not required: click would report a missing one in several lines.
@click.argument("variants", metavar="STRATEGY STRATEGY", nargs=-1)
@game_options("the home that both share, else classic", "The most games to play.", "100,000,000")
@click.option(
    "--margin",
    type=float,
    default=0.05,
    show_default=True,
    metavar="MOVES",
    help="Strategies that differ by less are as good as each other.",
)
@json_option
@quiet_option
def duel_command(
    request: Request,
    variants: tuple[str, ...],
    margin: float,
    json_file: str | None,
    quiet: bool,
) -> None:
    """Let two strategies play the same games until it is clear which is better.

    Parameters follow a strategy's name after commas, without spaces. The mean difference is
    examined after 4,096, 8,192, 16,384, … games. Its interval stays valid under repeated
    examination: of duels between equally good strategies, at most 5 % end with a verdict that
    one is better.
    The duel also ends when the whole interval lies within the margin. Exit code 0 if there is a
    verdict, 1 if not.

    \b
    Examples:
      bsbench duel datagenetics hard-ai
      bsbench duel over9000 over9000,noise=0.01 --margin 0.1 --json -
    """
    # Errors in these are reported before the wait for numba.
    for variant in variants:
        read_variant(variant)
    if len(variants) != 2:
        raise BsbenchError(f"a duel takes two strategies, not {len(variants)}: name two")
    base = request.base

    from bsbench.cli.table import print_duel
    from bsbench.roster import make_variant
    from bsbench.runs.contestants import shared_home, why_text
    from bsbench.runs.dueling import check_duel, duel

    shooters = [make_variant(variant) for variant in variants]
    home = shared_home(shooters)
    scenario = request.scenario_or(home)
    check_duel(shooters, scenario, margin, request)
    check_exports(json_file)
    if base is None and not quiet:
        click.echo(f"scenario {scenario.name} ({why_text(shooters, home)})", err=True)
    first, second = shooters
    try:
        with progress_bar([first.label, second.label], None, quiet) as progress:
            result = duel(
                first,
                second,
                scenario,
                margin=margin,
                games=request.games,
                seed=request.seed or 0,
                threads=request.threads,
                timeout=request.timeout,
                progress=progress,
            )
    except KeyboardInterrupt:
        click.echo("Interrupted before the first look: there is nothing to report.", err=True)
        end_interrupted()
    with saving() as save:
        show_record(save, result.to_dict(), json_file, quiet, partial(print_duel, result))
        if quiet:
            echo_alarms([result.first, result.second])
    if result.partial:
        end_interrupted()
    if result.verdict == "unclear":
        sys.exit(1)
