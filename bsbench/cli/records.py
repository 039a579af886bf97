"""``bsbench show``, ``merge``, ``cite``: records printed again, joined, and in a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from bsbench.cli.completion import RECORD
from bsbench.cli.delivery import Study, deliver
from bsbench.cli.ending import saving
from bsbench.cli.exports import Exports, GamesExport, export_options, games_options
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import (
    GroupedCommand,
    force_option,
    keep_moves_option,
    output_option,
    quiet_option,
    sort_option,
    trust_option,
    wide_option,
)
from bsbench.cli.saving import written_to
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.runs.comparison import Comparison, Order
    from bsbench.runs.results import Result


@in_section(Section.LOOK)
@click.command("show", cls=GroupedCommand)
@click.argument("paths", type=RECORD, metavar="RECORD...", nargs=-1, required=True)
@sort_option
@wide_option
@trust_option
@export_options("the histogram of one record, or a row for each of several,")
@games_options
def show_command(
    paths: tuple[str, ...],
    order: Order | None,
    wide: bool,
    exports: Exports,
    games_export: GamesExport,
    trust: bool,
) -> None:
    """Print a saved record, or one table per scenario for several.

    RECORD is a file, a folder, which is searched downwards, or a record that comes with bsbench:
    @classic/lattice, or @classic for all in that folder.

    \b
    Examples:
      bsbench show results/prob-harbour.json
      bsbench show results
      bsbench show @classic/lattice --export-csv -
      bsbench show results/prob-harbour.json --export-games games.parquet
    """
    from bsbench.cli.experiment import Played, frame_of
    from bsbench.common.texts import for_screen
    from bsbench.present.terminal import print_experiment, print_result
    from bsbench.runs.comparison import Comparison
    from bsbench.runs.finding import find_records
    from bsbench.runs.records import load_result

    exports.check([games_export.place])
    files = find_records(paths)
    results = [load_result(file) for file in files]
    players = games_export.players(results, trust=trust)
    printed = [each.sorted(order or "best") for each in _by_scenario(files, results)]

    def show(stream: IO[str]) -> None:
        if len(results) == 1:
            print_result(results[0], stream)
            click.echo(for_screen(_origin(files[0], results[0]), stream), file=stream)
            return
        for number, panel in enumerate(printed):
            if number:
                click.echo(file=stream)
            print_experiment([panel], stream, in_full=False, wide=wide)

    # Each by itself: they may be of different games.
    panels = [Comparison((result,), result.label) for result in results]
    single = len(results) == 1
    frame = (lambda _: results[0].histogram()) if single else frame_of
    found = Played(panels, panels, panels if single else printed, 0, frame, ("scenario",))
    study = Study(lambda progress: found, lambda found: replace(found.sheet(), show=show))
    deliver(found, study, exports, quiet=False)
    games_export.write(results, players, quiet=False)


def _by_scenario(files: Sequence[Path], results: Sequence[Result]) -> list[Comparison]:
    """Return a comparison of the records on each scenario, whatever feedback they were given."""
    from bsbench.runs.comparing import compare
    from bsbench.runs.comparison import Comparison

    places: dict[object, list[int]] = {}
    for place, result in enumerate(results):
        places.setdefault(result.scenario.move_law, []).append(place)
    return [
        compare([files[place] for place in of_one], reference=_reference(of_one, files, results))
        if len(of_one) > 1
        else Comparison((results[of_one[0]],), results[of_one[0]].label)
        for of_one in places.values()
    ]


def _reference(places: Sequence[int], files: Sequence[Path], results: Sequence[Result]) -> str:
    """Return the record that others were compared with game by game, or else the best."""
    compared = {each["digest"] for place in places if (each := results[place].against) is not None}
    best = min(places, key=lambda place: results[place].stats.mean)
    known = (place for place in places if results[place].tally.digest in compared)
    return str(files[next(known, best)])


def _origin(file: Path, result: Result) -> str:
    """Return when and where a record was played."""
    from bsbench.rules.placement import STREAM_VERSION

    where = result.machine.get("processor", "an unknown processor")
    text = f"{file}: played {result.date} with bsbench {result.bsbench} on {where}"
    if result.stream_version != STREAM_VERSION:
        text += (
            f"; layout stream {result.stream_version}: this version draws other layouts "
            f"from the same seed (stream {STREAM_VERSION})"
        )
    return text


@in_section(Section.KEEP)
@click.command("merge", cls=GroupedCommand)
@click.argument("records", type=RECORD, metavar="RECORD...", nargs=-1, required=True)
@output_option("Record to write, with or without .json.", required=True)
@force_option
@keep_moves_option
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


@in_section(Section.KEEP)
@click.command("cite", cls=GroupedCommand)
@click.argument("paths", type=RECORD, metavar="[RECORD]...", nargs=-1)
def cite_command(paths: tuple[str, ...]) -> None:
    """Print BibTeX, and for each RECORD a paragraph for a paper.

    The paragraph, for the methods section, says what was played and how, so that others can play it
    again: rules, placement law, games, seed, versions, and the digest of all move counts. RECORD is
    a file, a folder, or a record that comes with bsbench, such as @classic/lattice.

    \b
    Examples:
      bsbench cite
      bsbench cite results/prob-harbour.json
      bsbench cite @classic/lattice > methods.txt
    """
    from bsbench.common.texts import for_terminal
    from bsbench.present.citing import bibtex, methods
    from bsbench.runs.finding import find_records
    from bsbench.runs.records import load_result

    if not paths:
        click.echo(bibtex(year=f"{date.today().year}"))
        return
    results = [load_result(file) for file in find_records(paths)]
    # One entry for each version, of the year in which it was used last.
    years = {result.bsbench: result.date[:4] for result in sorted(results, key=lambda r: r.date)}
    for version, year in years.items():
        click.echo(for_terminal(bibtex(version, year=year)))
    for result in results:
        click.echo(for_terminal(f"\n{methods(result)}"))
