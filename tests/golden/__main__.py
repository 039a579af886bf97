"""Write the golden histograms of some strategies, or of all."""

from __future__ import annotations

import click

from bsbench.roster import find_strategy, strategy_names
from tests.golden import GAMES, write


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "-n",
    "--games",
    type=click.IntRange(min=1),
    help=f"Games per scenario: by default as many as in the file, or {GAMES:,}.",
)
def main(names: tuple[str, ...], games: int | None) -> None:
    """Write the golden histograms of strategies, by default of all."""
    for name in names:
        find_strategy(name)
    for name in names or strategy_names():
        print(f"wrote {write(name, games)}: commit it with the reason why it changed")


main(prog_name="python -m tests.golden")
