"""``bsbench merge``: put records of ranges of games together."""

from __future__ import annotations

from functools import partial

import click

from bsbench.cli.completion import RECORD
from bsbench.cli.ending import saving
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand, Rare, force_option, output_option, quiet_option
from bsbench.cli.saving import written_to
from bsbench.common.errors import BsbenchError


@in_section(Section.KEEP)
@click.command("merge", cls=GroupedCommand)
@click.argument("records", type=RECORD, metavar="RECORD...", nargs=-1, required=True)
@output_option("Record to write, with or without .json.", required=True)
@force_option
@click.option(
    "--keep-moves/--no-keep-moves",
    cls=Rare,
    default=None,
    help="Whether to keep the move count of each game.  [default: of up to 4,194,304 games]",
)
@quiet_option
def merge_command(
    records: tuple[str, ...], output: str, force: bool, keep_moves: bool | None, quiet: bool
) -> None:
    """Join the records of parts of a run into one record.

    Each RECORD is a file or a folder of records, in any order. They are of the same strategy,
    parameters, scenario and seed, and of neighbouring ranges of games, such as 'bsbench run
    --first-game' plays on several machines. The result is the same as that of one run of all these
    games. Records that do not fit together are refused. If games are missing, the command that
    plays them is shown.

    \b
    Example:
      bsbench run -s prob -n 500000 -o a
      bsbench run -s prob -n 500000 --first-game 500000 -o b
      bsbench merge a.json b.json -o both
    """
    from bsbench.common.files import check_export, output_place
    from bsbench.present.terminal import print_result
    from bsbench.runs.pooling import merge
    from bsbench.runs.results import write_record

    folder, name = output_place(output, "")
    if not name:
        raise BsbenchError(f"{output} is a folder: name the record to write")
    path = folder / f"{name}.json"
    check_export(path, force)
    result = merge(records, keep_moves=keep_moves)
    with saving() as save:
        written = written_to(save, path, partial(write_record, result))
        if not quiet:
            print_result(result)
            for place in written:
                click.echo(f"saved {place}")
