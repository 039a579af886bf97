"""``bsbench check``: whether a strategy keeps to the contract."""

from __future__ import annotations

import sys

import click

from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand, quiet_option


@in_section(Section.PLAYER)
@click.command("check", cls=GroupedCommand)
@click.argument("strategy", metavar="STRATEGY")
@click.option(
    "--scenario",
    metavar="NAME|FILE",
    help="The only scenario to check it on.  [default: its home, else classic, then others]",
)
@click.option(
    "-n", "--games", type=int, help="How many games on the first scenario.  [default: 24]"
)
@click.option("--seed", type=int, default=0, metavar="N", help="Seed of the layouts.")
@click.option(
    "--timeout",
    type=float,
    metavar="SECONDS",
    help="How long a strategy may take for one game, and one with numba kernels for one call, "
    "compiling not counted.  [default: 10]",
)
@quiet_option
def check_command(
    strategy: str,
    scenario: str | None,
    games: int | None,
    seed: int,
    timeout: float | None,
    quiet: bool,
) -> None:
    """Check that a strategy plays by the rules and repeats games.

    The strategy plays some games several times: again, in batches of other sizes, in another
    order, beside a copy of itself. The games must be the same, shot by shot, and what the
    strategy declares must hold. A failure is reported with the game, the move, and the command
    that shows it. A user's own strategy is checked in another process, which it may end or block.
    This finds mistakes, not cheats: see docs/trust.md. Exit code 0 if all checks pass, 1 if not.

    \b
    Examples:
      bsbench check prob
      bsbench check my_file.py:MyStrategy
      bsbench check my_file.py:MyStrategy --scenario harbour --games 500
    """
    from bsbench.rules.scenario import find_scenario

    # A wrong scenario is reported before the wait for numba.
    place = None if scenario is None else find_scenario(scenario)

    from bsbench.studies.check.study import GAMES, TIMEOUT, check_strategy

    report = check_strategy(
        strategy,
        place,
        GAMES if games is None else games,
        seed,
        TIMEOUT if timeout is None else timeout,
    )
    colours = {"✓": "green", "✗": "red", "!": "yellow"}
    if quiet:
        for alarm in report.alarms:
            click.echo(f"alarm: {alarm}", err=True)
    else:
        for line in f"{report}\n\n{report.text}".split("\n"):
            click.echo(click.style(line[:1], fg=colours.get(line[:1])) + line[1:])
    if not report.passed:
        sys.exit(1)
