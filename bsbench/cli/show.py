"""``bsbench show``: print saved records again."""

from __future__ import annotations

from functools import partial
from typing import IO

import click

from bsbench.cli.exports import Exports, export_options
from bsbench.cli.options import GroupedCommand


@click.command("show", cls=GroupedCommand)
@click.argument("paths", metavar="RECORD...", nargs=-1, required=True)
@export_options("the histogram of one record, or a row for each of several,")
def show_command(paths: tuple[str, ...], exports: Exports) -> None:
    """Print saved records again.

    RECORD is a file, a folder, which is searched downwards, or a record that comes with bsbench:
    @classic/lattice, or @classic for all in that folder.

    \b
    Examples:
      bsbench show results/prob-harbour.json
      bsbench show @classic/lattice --export-csv -
    """
    from bsbench.cli.experiment import exportable, frame_of
    from bsbench.cli.table import print_result
    from bsbench.common.texts import for_terminal
    from bsbench.rules.placement import STREAM_VERSION
    from bsbench.runs.comparison import Comparison
    from bsbench.runs.finding import find_records
    from bsbench.runs.records import load_result

    exports.check()
    files = find_records(paths)
    results = [load_result(file) for file in files]

    def show(stream: IO[str]) -> None:
        for number, (file, result) in enumerate(zip(files, results, strict=True)):
            if number:
                click.echo(file=stream)
            print_result(result, stream)
            where = result.machine.get("processor", "an unknown processor")
            text = f"{file}: played {result.date} with bsbench {result.bsbench} on {where}"
            if result.stream_version != STREAM_VERSION:
                text += (
                    f"; layout stream {result.stream_version}: this version draws other layouts "
                    f"from the same seed (stream {STREAM_VERSION})"
                )
            click.echo(for_terminal(text), file=stream)

    # Each by itself: they may be of different games.
    panels = [Comparison((result,), result.label) for result in results]
    frame = results[0].histogram if len(results) == 1 else partial(frame_of, panels)
    exports.finish(exportable(panels, frame, ("scenario",)), quiet=False, show=show)
