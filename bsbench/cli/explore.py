"""``bsbench explore``: saved records as one page to explore."""

from __future__ import annotations

import click

from bsbench.cli.completion import RECORD
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import (
    GAMES,
    GroupedCommand,
    Rare,
    check_page,
    force_option,
    output_option,
    quiet_option,
    trust_option,
)
from bsbench.common.errors import BsbenchError


@in_section(Section.LOOK)
@click.command("explore", cls=GroupedCommand)
# Not required: click would report a missing one in several lines.
@click.argument("paths", type=RECORD, metavar="RESULTS...", nargs=-1)
@output_option(
    "HTML file to write; - is standard output.", default="explorer.html", show_default=True
)
@click.option("--scenario", metavar="NAME", help="Show only the results of this scenario.")
@click.option(
    "--paired",
    cls=Rare,
    type=GAMES,
    metavar="N",
    help="Play the first N games of each strategy again, to show which of two finishes first; 0 "
    "plays none. With as many as the records have, all differences get paired intervals.  "
    "[default: 20,000, and none of strategies that take long, such as mcts]",
)
@click.option("--no-games", cls=Rare, is_flag=True, help="Put no games to watch into the page.")
@trust_option
@force_option
@quiet_option
def explore_command(
    paths: tuple[str, ...],
    output: str,
    scenario: str | None,
    paired: int | None,
    no_games: bool,
    trust: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Write an HTML page to explore saved records in.

    The page is one file, which works offline, and on a phone.

    RESULTS are records, folders, which are searched downwards, or records that come with bsbench,
    such as @classic. Switch strategies on and off, choose the reference, point at a
    distribution for exact shares, see all pairs, and watch games of any length. For each strategy,
    the page holds its shortest, longest and median game, and those at the 5 % and 95 % marks;
    for all other games, it shows the command.

    \b
    Examples:
      bsbench explore @classic -o classic.html
      bsbench explore results/harbour --paired 1e6
      bsbench explore mine.json @classic/lattice --no-games -o - > page.html
    """
    if not paths:
        raise BsbenchError("no results are named: give records, or folders of them")
    if output != "-":
        check_page(output, "an explorer")

    from bsbench.cli.waiting import status
    from bsbench.common.files import check_export, write_text
    from bsbench.present.explorer.again import play_again
    from bsbench.present.explorer.page import page_text
    from bsbench.present.explorer.scenes import only, scenes_of
    from bsbench.reproduce.gathering import gather

    if output != "-":
        check_export(output, force)
    report = gather(paths, trust)
    scenes = scenes_of(only(report.sections, scenario))

    def say(text: str) -> None:
        if not quiet:
            click.echo(text, err=True)

    with status(quiet) as show:
        played = [play_again(scene, paired, not no_games, trust, show, say) for scene in scenes]
    text = page_text(report.title, played, say)
    if output == "-":
        click.echo(text, nl=False)
        return
    write_text(output, text)
    if not quiet:
        click.echo(f"saved {output}")
