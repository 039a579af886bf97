"""``bsbench compare``: several strategies on the same games."""

from __future__ import annotations

import sys
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bsbench.cli.options import game_options, quiet_option
from bsbench.cli.playing import progress_bar, uninterrupted
from bsbench.errors import BsbenchError
from bsbench.settings import read_variant

if TYPE_CHECKING:
    from bsbench.strategies import Strategy


@click.command("compare")
# Not required: click would tell a missing one in several lines.
@click.argument("variants", metavar="STRATEGY...", nargs=-1)
@game_options("the home that all of them share, else classic")
@click.option(
    "--reference",
    metavar="NAME",
    help="The strategy, as it is given or by its label, that the others are compared with.  "
    "[default: the first]",
)
@click.option(
    "--sort",
    "order",
    type=click.Choice(["given", "mean", "name"]),
    default="given",
    show_default=True,
    help="Order of the rows.",
)
@click.option("--export-csv", metavar="FILE", help="Write the table as CSV; - is standard output.")
@click.option(
    "--export-markdown", metavar="FILE", help="Write the table as Markdown; - is standard output."
)
@quiet_option
def compare_command(
    variants: tuple[str, ...],
    reference: str | None,
    order: Any,
    export_csv: str | None,
    export_markdown: str | None,
    quiet: bool,
    **request: Any,
) -> None:
    """Compare strategies on the same games, each with the reference.

    Parameters follow a strategy's name after commas, without spaces. Differences are
    taken game by game, which needs far fewer games than comparing means. Ctrl-C ends
    early and compares the games that all have played.

    \b
    Examples:
      bsbench compare random linear smart prob
      bsbench compare over9000 over9000,noise=0,edge_weight=1 --games 1000000
      bsbench compare smart prob --reference prob --export-markdown - -q
    """
    from bsbench.scenario import DEFAULT, PARTS, find_scenario

    # What is wrong in these is told before the wait for numba.
    for variant in variants:
        read_variant(variant)
    base = None if request["scenario"] is None else find_scenario(request["scenario"])
    exports = [path for path in (export_csv, export_markdown) if path is not None]
    if len(exports) > len(set(map(Path, exports))):
        raise BsbenchError(
            "--export-csv and --export-markdown name the same place: give each its own"
        )

    from bsbench.cli.table import comparison_markdown, print_comparison
    from bsbench.comparison import compare, line_up, shared_home
    from bsbench.engine import check_request
    from bsbench.results import check_export, write_file

    games, seed, threads = request["games"], request["seed"], request["threads"]
    shooters, reference = line_up(variants, reference)
    home = shared_home(shooters)
    scenario = (base or find_scenario(home or DEFAULT)).override(
        **{part: request[part] for part in PARTS}
    )
    # What would stop it later on is told before the games are played.
    check_request(games, seed, threads)
    for path in exports:
        if path != "-":
            check_export(path)
    if base is None and not quiet:
        click.echo(f"scenario {scenario.name} ({_why(shooters, home)})", err=True)
    try:
        with progress_bar([shooter.label for shooter in shooters], games, quiet) as progress:
            comparison = compare(
                shooters,
                scenario,
                games=games,
                seed=seed,
                threads=threads,
                reference=reference,
                progress=progress,
            ).sorted(order)
    except KeyboardInterrupt:
        click.echo(
            "Interrupted before two strategies had played: there is nothing to compare.", err=True
        )
        sys.exit(130)
    with uninterrupted():
        texts = {}
        if export_csv is not None:
            texts[export_csv] = comparison.csv_text()
        if export_markdown is not None:
            texts[export_markdown] = comparison_markdown(comparison)
        to_stdout = texts.pop("-", None)
        # Files are written first: what goes wrong after that loses no game.
        for path, text in texts.items():
            write_file(path, methodcaller("write", text.encode()))
        if not quiet:
            # Standard output is for the export alone when it goes there.
            print_comparison(comparison, sys.stdout if to_stdout is None else sys.stderr)
        if to_stdout is not None:
            click.echo(to_stdout, nl=False)
    if comparison.partial:
        # As a shell reports a command ended by Ctrl-C.
        sys.exit(130)


def _why(shooters: list[Strategy], home: str | None) -> str:
    """Return why the scenario is what it is when none was named."""
    at_home = dict.fromkeys(shooter.name for shooter in shooters if shooter.home)
    names = ", ".join(at_home)
    if home:
        return f"home of {names}"
    if at_home:
        return f"the default, since {names} don't share a home"
    return "the default, since there is no home of any"
