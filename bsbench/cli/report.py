"""``bsbench report``: an HTML file of saved records."""

from __future__ import annotations

import click

from bsbench.cli.options import force_option, trust_option
from bsbench.common.errors import BsbenchError


@click.command("report")
# Not required: click would report a missing one in several lines.
@click.argument("paths", metavar="RESULTS...", nargs=-1)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="report.html",
    show_default=True,
    help="HTML file to write; - is standard output.",
)
@trust_option
@force_option
def report_command(paths: tuple[str, ...], output: str, trust: bool, force: bool) -> None:
    """Put saved records into one HTML file that works offline: tables, charts, provenance.

    RESULTS are records, folders, which are searched downwards, or records that come with bsbench,
    such as @classic. Each scenario gets a table and a chart of its own. For a folder that
    'bsbench reproduce' wrote, the report is the folder's own.

    \b
    Examples:
      bsbench report @harbour
      bsbench report results/
      bsbench report prob-harbour.json smart-harbour.json -o mine.html
    """
    if not paths:
        raise BsbenchError("no results are named: give records, or folders of them")

    from bsbench.common.files import check_export, write_text
    from bsbench.present.report import draw
    from bsbench.present.report.render import html_text
    from bsbench.reproduce.folder import gather
    from bsbench.runs.finding import find_records

    if output != "-":
        check_export(output, force)
    report = gather(find_records(paths, reports=True), trust)
    text = html_text(report, draw(report))
    if output == "-":
        click.echo(text, nl=False)
    else:
        write_text(output, text)
        click.echo(f"saved {output}")
