"""``bsbench card``: a picture of a result, to share."""

from __future__ import annotations

from functools import partial

import click

from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand, force_option, quiet_option


@in_section(Section.LOOK)
@click.command("card", cls=GroupedCommand)
@click.argument("results", metavar="RECORD...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    help="Picture to write, .png, or a folder.  [default: results/SCENARIO-card.png]",
)
@force_option
@quiet_option
def card_command(results: tuple[str, ...], output: str | None, force: bool, quiet: bool) -> None:
    """Draw a picture for a post: what was found, and by what command.

    It has 1200 by 630 pixels. A dark one is written beside it: NAME-dark.png. RECORD is a file, a
    folder, or a record that comes with bsbench, such as @classic. All must be of one scenario; one
    record alone is drawn as a distribution. For SVG or PDF, use 'bsbench chart --kind card'.

    \b
    Examples:
      bsbench card @classic
      bsbench card @classic/lattice2 -o lattice2.png
    """
    from bsbench.cli.ending import uninterrupted
    from bsbench.cli.playing import status
    from bsbench.common.errors import BsbenchError
    from bsbench.common.files import check_export, file_name, output_place, write_file
    from bsbench.present.charts import find_chart, write_figure
    from bsbench.runs.records import load_results

    base = output
    if output is not None and output.lower().endswith(".png"):
        base = output[: -len(".png")]
    elif output is not None and "." in output.rpartition("/")[2].strip("."):
        raise BsbenchError(f"a card is a PNG: end {output!r} in .png, or give a folder")
    records = load_results(results)
    with status(quiet) as show:
        show("drawing card")
        figure = find_chart("card").draw(records)
    name = records[0].scenario.name if len(records) > 1 else records[0].default_name()
    folder, stem = output_place(base, file_name(f"{name}-card"))
    paths = {dark: folder / f"{stem}{'-dark' if dark else ''}.png" for dark in (False, True)}
    for path in paths.values():
        check_export(path, force)
    with uninterrupted():
        for dark, path in paths.items():
            write_file(path, partial(write_figure, figure, kind="png", dark=dark))
    if not quiet:
        click.echo(f"saved {paths[False]} and {paths[True].name}")
