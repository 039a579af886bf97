"""``bsbench report``: an HTML file of saved records."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from bsbench.cli.completion import RECORD
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand, force_option, output_option, trust_option
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
@click.option(
    "--replays",
    is_flag=True,
    help="Also write a page for each strategy's game of median length, in the folder 'replays' "
    "beside the report.",
)
@trust_option
@force_option
def report_command(
    paths: tuple[str, ...],
    output: str,
    reference: str | None,
    replays: bool,
    trust: bool,
    force: bool,
) -> None:
    """Write saved records as a report: one HTML file.

    The file works offline. It has a verdict, charts, tables, and where the results come from.

    RESULTS are records, folders, which are searched downwards, or records that come with bsbench,
    such as @classic. A section has the records of one scenario in one folder, best first. For a
    folder that 'bsbench reproduce' wrote, the report is the folder's own. Records are linked where
    they lie in the report's folder or below it.

    \b
    Examples:
      bsbench report @harbour
      bsbench report results/
      bsbench report results/classic -o classic.html --replays
      bsbench report prob-harbour.json smart-harbour.json -o mine.html
    """
    if not paths:
        raise BsbenchError("no results are named: give records, or folders of them")

    if replays and output == "-":
        raise BsbenchError("--replays writes pages beside the report: name a file with --output")

    from bsbench.common.files import check_export, write_text
    from bsbench.present.report import draw
    from bsbench.present.report.render import html_text
    from bsbench.present.report.replays import write_replays
    from bsbench.reproduce.gathering import gather

    if output != "-":
        check_export(output, force)
    report = gather(paths, trust, reference)
    if output == "-":
        click.echo(html_text(report, draw(report)), nl=False)
        return
    folder = Path(output).parent
    if replays:
        report = write_replays(report, folder, trust, force, partial(click.echo, err=True))
    write_text(output, html_text(report, draw(report), folder))
    pages = sum(len(section.replays) for section in report.sections)
    click.echo(f"saved {output}{f', and {pages} replays beside it' if pages else ''}")
