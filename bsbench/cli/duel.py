"""``bsbench duel``: two strategies, until it is clear which is better."""

from __future__ import annotations

import sys
from typing import Any

import click

from bsbench.cli.options import game_options, quiet_option
from bsbench.cli.playing import progress_bar, uninterrupted
from bsbench.errors import BsbenchError
from bsbench.settings import read_variant


@click.command("duel")
# Not required: click would tell a missing one in several lines.
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
@click.option("--json", "json_file", metavar="FILE", help="Write JSON; - is standard output.")
@quiet_option
def duel_command(
    variants: tuple[str, ...],
    margin: float,
    json_file: str | None,
    quiet: bool,
    **request: Any,
) -> None:
    """Let two strategies play the same games until it is clear which is better.

    Parameters follow a strategy's name after commas, without spaces. Looks are taken after
    4,096 games and each time after twice as many, at an interval of the mean difference that
    is made for being watched: a verdict that one is better is wrong in at most 5 % of duels
    of equals. The duel ends, too, when both are within the margin of each other.
    Exit code 0 if it was decided, 1 if not.

    \b
    Examples:
      bsbench duel datagenetics hard-ai
      bsbench duel over9000 over9000,noise=0.01 --margin 0.1 --json -
    """
    from bsbench.scenario import DEFAULT, PARTS, find_scenario

    # What is wrong in these is told before the wait for numba.
    for variant in variants:
        read_variant(variant)
    if len(variants) != 2:
        raise BsbenchError(f"a duel takes two strategies, not {len(variants)}: name two")
    base = None if request["scenario"] is None else find_scenario(request["scenario"])

    from bsbench.contestants import shared_home, why_text
    from bsbench.dueling import check_duel, duel
    from bsbench.engine import check_timeout
    from bsbench.results import check_export, json_text, write_file
    from bsbench.strategies import make_variant

    shooters = [make_variant(variant) for variant in variants]
    home = shared_home(shooters)
    scenario = (base or find_scenario(home or DEFAULT)).override(
        **{part: request[part] for part in PARTS}
    )
    games, seed, threads = check_duel(
        shooters, scenario, margin, request["games"], request["seed"] or 0, request["threads"]
    )
    check_timeout(request["timeout"])
    if json_file not in (None, "-"):
        check_export(json_file)
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
                games=games,
                seed=seed,
                threads=threads,
                timeout=request["timeout"],
                progress=progress,
            )
    except KeyboardInterrupt:
        click.echo("Interrupted before the first look: there is nothing to tell.", err=True)
        sys.exit(130)
    with uninterrupted():
        text = json_text(result.to_dict()) if json_file is not None else ""
        # The file is written first: what goes wrong after that loses no game.
        if json_file not in (None, "-"):
            write_file(json_file, lambda file: file.write(text.encode()))
        if not quiet:
            from bsbench.cli.table import print_duel

            # Standard output is for the JSON alone when it goes there.
            print_duel(result, sys.stderr if json_file == "-" else sys.stdout)
        if json_file == "-":
            click.echo(text, nl=False)
    if result.partial:
        # As a shell reports a command ended by Ctrl-C.
        sys.exit(130)
    if result.verdict == "unclear":
        sys.exit(1)
