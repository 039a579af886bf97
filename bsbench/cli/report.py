"""``bsbench report``: saved records as one page of HTML."""

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
@click.command("report", cls=GroupedCommand)
# Not required: click would report a missing one in several lines.
@click.argument("paths", type=RECORD, metavar="RESULTS...", nargs=-1)
@output_option(
    "HTML file to write; - is standard output.", default="report.html", show_default=True
)
@click.option(
    "--reference",
    metavar="NAME",
    help="Label of the strategy to compare the others with.  [default: that of their comparison, "
    "if it is known, else the best]",
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
def report_command(
    paths: tuple[str, ...],
    output: str,
    reference: str | None,
    scenario: str | None,
    paired: int | None,
    no_games: bool,
    trust: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Write saved records as one HTML page.

    The page is one file, which works offline, and on a phone. It has a verdict, a table, and where
    the results come from; in a browser with scripts, also charts of those strategies that you
    choose, all against all, and games to watch.

    RESULTS are records, folders, which are searched downwards, or records that come with bsbench,
    such as @classic; or the record of one match. For each strategy, the page holds its shortest,
    longest and median game, and those at the 5 % and 95 % marks; for all other games, it shows the
    command.

    \b
    Examples:
      bsbench report @classic -o classic.html
      bsbench report results/harbour --paired 1e6
      bsbench report mine.json @classic/lattice --no-games -o - > page.html
    """
    if not paths:
        raise BsbenchError("no results are named: give records, or folders of them")
    if output != "-":
        check_page(output, "a report")

    from bsbench.cli.waiting import status
    from bsbench.common.files import check_export, write_text
    from bsbench.present.page.again import play_again
    from bsbench.present.page.html import page_text
    from bsbench.present.page.scenes import scenes_of
    from bsbench.present.report import ReportPage
    from bsbench.reproduce.gathering import gather
    from bsbench.runs.finding import only
    from bsbench.studies.match.sheet import saved_sheet

    if output != "-":
        check_export(output, force)
    lead = saved_sheet(paths[0]) if len(paths) == 1 else None
    if lead is None:
        report = gather(paths, trust, reference)
        scenes = scenes_of(only(report.sections, scenario))
    elif (reference, scenario, paired, no_games) == (None, None, None, False):
        report, scenes = ReportPage(lead.heading[0], "", ()), []
    else:
        raise BsbenchError(
            f"{paths[0]} is the record of a match: its page has no reference, scenario or games to "
            "choose, so leave these options out"
        )

    def say(text: str) -> None:
        if not quiet:
            click.echo(text, err=True)

    with status(quiet) as show:
        played = [play_again(scene, paired, not no_games, trust, show, say) for scene in scenes]
    text = page_text(report, played, say, lead)
    if output == "-":
        click.echo(text, nl=False)
        return
    write_text(output, text)
    if not quiet:
        click.echo(f"saved {output}")
