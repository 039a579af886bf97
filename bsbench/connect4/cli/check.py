"""``bsbench connect4 check``: whether a player keeps to the rules, and how good its moves are."""

from __future__ import annotations

import sys

import click

from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand, quiet_option
from bsbench.connect4.cli.options import make_players, seed_option, set_option, timeout_option


@in_section(Section.PLAYER)
@click.command("check", cls=GroupedCommand)
@click.argument("variant", metavar="PLAYER")
@click.option(
    "-n",
    "--positions",
    type=int,
    metavar="N",
    default=100,
    show_default=True,
    help="In how many positions it is asked.",
)
@set_option
@seed_option("Seed of the positions.")
@timeout_option
@quiet_option
def check_command(
    variant: str, positions: int, settings: tuple[str, ...], seed: int, timeout: float, quiet: bool
) -> None:
    """Check that a player plays by the rules and repeats moves.

    It is asked in positions with 0 to 30 stones, alone and together with others, again in another
    process, and plays whole games. Remarks say how fast it is, and how good its moves are; no
    player fails by them. Exit code 0 if all checks pass, 1 if not.

    \b
    Examples:
      bsbench connect4 check my_player.py:MyPlayer
      bsbench connect4 check 'cmd:./my_bot --level 3'
    """
    (player,) = make_players([variant], None, settings, timeout)

    from bsbench.connect4.own.checking import check_player

    report = check_player(player, positions, seed)
    if not quiet:
        from rich.console import Console
        from rich.text import Text

        console = Console(highlight=False, soft_wrap=True)
        styles = {"✓": "green", "✗": "bold red"}
        for line in str(report).split("\n"):
            console.print(Text.assemble((line[:1], styles.get(line[:1], "")), line[1:]))
        kept = "keeps to the rules" if report.passed else "does not keep to the rules"
        console.print(f"\n{report.player} {kept}")
    if not report.passed:
        sys.exit(1)
