"""``bsbench show``: print saved records again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from bsbench.cli.completion import RECORD
from bsbench.cli.delivery import Study, deliver
from bsbench.cli.exports import Exports, GamesExport, export_options, games_options
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand, sort_option, trust_option, wide_option

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
