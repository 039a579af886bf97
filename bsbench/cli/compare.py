"""``bsbench compare``: strategies and saved records, each against a reference."""

from __future__ import annotations

import dataclasses
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Unpack

import click

from bsbench.cli.completion import CONTESTANT
from bsbench.cli.ending import end_interrupted
from bsbench.cli.exports import Exports, export_options
from bsbench.cli.games import GamesExport, games_options
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import (
    GroupedCommand,
    Rare,
    game_options,
    grouped,
    quiet_option,
    sort_option,
    wide_option,
)
from bsbench.cli.playing import progress_bar
from bsbench.cli.saving import SaveOptions, saving_options, say_resume
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import is_command, read_variant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.runs.comparison import Comparison, Order
    from bsbench.runs.request import RangeOptions, Request
    from bsbench.runs.results import Result

_WAYS = 3
"""Scenarios that an error lists at most."""

_CHARTS = ("ranking", "ahead", "ecdf")
"""Kinds of charts beside the records of a comparison."""

_HOW = [
    click.option(
        "--reference",
        metavar="NAME",
        help="Strategy to compare the others with: as given above, or its label.  "
        "[default: the first]",
    ),
    sort_option,
    click.option(
        "--fail-if",
        "conditions",
        cls=Rare,
        multiple=True,
        metavar="CONDITION",
        help="End with exit code 1 if this holds for a strategy's mean, sd, median, low (5 %), "
        "high (95 %), best or worst: 'mean > +0.5' (with a sign, the difference to the "
        "reference), 'mean > +2%' (of the reference's) or 'worst >= 90'; may be repeated. "
        "Intervals are ignored.",
    ),
]
_KEEP_MOVES = click.option(
    "--keep-moves/--no-keep-moves",
    cls=Rare,
    default=None,
    help="With --output: save the move count of each game, or of none.  [default: of runs of up "
    "to 4,194,304 games]",
)


@in_section(Section.PLAY, Keeps.COMMON)
@click.command("compare", cls=GroupedCommand)
# Not required: click would report a missing one in several lines.
@click.argument("variants", type=CONTESTANT, metavar="STRATEGY|RECORD...", nargs=-1)
@grouped("How they are compared", _HOW)
@game_options(
    "that of the records, else the home that all strategies share, else classic",
    default_games="those of the first record, else 100,000; with --until, 100,000,000",
    default_seed="that of the first record, else 0",
    until="each difference",
)
@saving_options(None)
@grouped("What is saved", [_KEEP_MOVES])
@wide_option
@export_options()
@games_options
@quiet_option
# One parameter for each option, since click passes them by name.
def compare_command(
    variants: tuple[str, ...],
    scenarios: tuple[str, ...] | None,
    games: int | None,
    seeds: tuple[int, ...] | None,
    order: Order | None,
    conditions: tuple[str, ...],
    keep: SaveOptions,
    exports: Exports,
    games_export: GamesExport,
    wide: bool,
    quiet: bool,
    **options: Unpack[RangeOptions],
) -> None:
    """Compare strategies and saved records on the same games.

    Each is compared with the reference. Parameters follow a strategy's name after commas, without
    spaces; 'all' stands for all built-in strategies that can play. Differences are taken game by
    game, which needs far fewer games than comparing means. The table has the best first; the line
    below says which strategy needs the fewest moves, if that is clear. Saved records take part,
    too, game by game if they are of the same seed and their move counts are kept, else by their
    means: files, folders, and those that come with bsbench, such as @classic/lattice. Of a folder
    with several scenarios, --scenario chooses. After Ctrl-C or SIGTERM, only games that every
    strategy has finished are compared. A strategy that breaks the rules or crashes is left out, and
    the exit code is 1; with --output, the games it played before have a record.

    \b
    Examples:
      bsbench compare random linear smart prob
      bsbench compare over9000 over9000,noise=0,edge_weight=1 --games 1e6
      bsbench compare smart prob --reference prob --export-md - -q
      bsbench compare results/prob-harbour.json smart --fail-if 'mean > +0.5'
      bsbench compare @classic/lattice my_file.py:Mine
    """
    from bsbench.runs.request import Request

    request = Request.of(scenarios, seeds, games=games, **options)
    # Errors in these are reported before the wait for numba.
    for variant in variants:
        if not _may_be_record(variant):
            read_variant(variant)
    _ = request.bases
    if request.keep_moves is not None and not keep.save:
        raise BsbenchError("--keep-moves saves move counts beside records: give --output, too")

    from bsbench.cli.experiment import (
        ALL,
        Prepared,
        frame_of,
        strategies_for,
    )
    from bsbench.runs.comparing import compare
    from bsbench.runs.conditions import Condition
    from bsbench.runs.contestants import line_up, scenarios_for, terms_of
    from bsbench.runs.experiment import experiment_of
    from bsbench.runs.results import Result

    limits = [Condition.read(text) for text in conditions]
    given = _expanded(variants, request)
    in_folders = len(given) > len(variants)
    if ALL in given:
        known = [each.name for each in strategies_for((ALL,), request, quiet)]
        at = given.index(ALL)
        given[at : at + 1] = [name for name in known if name not in given]
    contestants, reference = line_up(given, request.reference, request.limits)
    shooters = [each for each in contestants if not isinstance(each, Result)]
    records = [each for each in contestants if isinstance(each, Result)]
    where, note = scenarios_for(request, shooters)
    if records:
        request.check_single("a comparison with records")
        if request.exact:
            raise BsbenchError(
                "strategies play the games of the records they are compared with: leave out --exact"
            )
        if request.first_game:
            raise BsbenchError("records are compared from their first game: leave out --first-game")
        if not request.scenarios:
            if in_folders:
                _check_one_scenario(records)
            where, note = (terms_of(records).scenario.override(**request.changes),), ""
        # Errors that would stop it later are reported before the games are played.
        terms = terms_of(contestants, where[0], request.games, request.seed, request.until)
        request = dataclasses.replace(request, games=terms.games, seeds=(terms.seed,))
    among_strategies = reference if reference in [each.label for each in shooters] else None
    request = dataclasses.replace(request, reference=among_strategies)
    experiment = experiment_of(request, shooters, where)
    charts = {} if records else {f"-{kind}": partial(_chart, kind) for kind in _CHARTS}
    prepared = Prepared.of(
        experiment, request, keep, exports, quiet, charts, games_export, in_folder=True
    )
    # Records that may not play again are refused before anything is played.
    games_export.players(records)
    if note and not quiet:
        click.echo(note, err=True)
    with prepared.journal() if not records else nullcontext() as journal:
        try:
            if not records:
                panels = prepared.play(journal)
            else:
                labels = [shooter.label for shooter in shooters]
                with progress_bar(labels, experiment.games, quiet) as progress:
                    panels = (
                        compare(
                            contestants,
                            where[0],
                            games=terms.games,
                            seed=terms.seed,
                            threads=request.threads,
                            engine=request.engine,
                            reference=reference,
                            keep_moves=request.keep_moves,
                            timeout=request.timeout,
                            progress=progress,
                        ),
                    )
        except KeyboardInterrupt:
            click.echo(
                "Interrupted before two strategies had played: there is nothing to compare.",
                err=True,
            )
            if journal is not None and not quiet:
                say_resume()
            end_interrupted()
        prepared.deliver(panels, journal, frame_of, frame_of, order, wide)
    prepared.end(panels)
    failures = [
        failure for panel in panels for limit in limits for failure in limit.failures(panel)
    ]
    for failure in failures:
        click.echo(failure, err=True)
    if failures or any(panel.faults for panel in panels):
        sys.exit(1)


def _may_be_record(variant: str) -> bool:
    """Return whether a contestant may be a record or a folder of them; nothing is imported."""
    from bsbench.runs.finding import BUNDLED

    is_file = variant.lower().endswith(".json") and not is_command(variant)
    return is_file or variant.startswith(BUNDLED)


def _expanded(variants: tuple[str, ...], request: Request) -> list[str]:
    """Return the contestants, with the records of folders and of bsbench as files.

    Of several records in a folder, only those on the scenario that is asked for take part.

    Raises
    ------
    BsbenchError
        If a folder has no such records.
    """
    from bsbench.roster import is_strategy
    from bsbench.runs.finding import find_records
    from bsbench.runs.records import load_result

    asked = request.scenarios_or(None) if request.scenarios else ()
    laws = [scenario.move_law for scenario in asked]
    found: list[str] = []
    for variant in variants:
        folder = os.path.isdir(variant) and not is_strategy(variant)
        if not (folder or _may_be_record(variant)):
            found.append(variant)
            continue
        paths = find_records([variant])
        if laws and len(paths) > 1:
            paths = [path for path in paths if load_result(path).scenario.move_law in laws]
            if not paths:
                raise BsbenchError(
                    f"no record of {variant} was played on "
                    f"{' or '.join(scenario.name for scenario in asked)}: choose another scenario"
                )
        found += map(str, paths)
    return found


def _check_one_scenario(records: Sequence[Result]) -> None:
    """Refuse records of several scenarios, and say how to choose one."""
    from bsbench.rules.scenario import scenario_options

    # Of each law the one with the most feedback, as those that play get.
    by_feedback = sorted(records, key=lambda each: each.scenario.rules.feedback)
    scenarios = {each.scenario.move_law: each.scenario for each in by_feedback}
    if len(scenarios) > 1:
        ways = [shlex.join(scenario_options(each)) for each in scenarios.values()]
        raise BsbenchError(
            f"the records are of {len(ways)} scenarios, which don't compare: choose one with "
            f"{' or '.join(ways[:_WAYS])}{', …' if ways[_WAYS:] else ''}; 'bsbench report' shows "
            "each of them"
        )


def _chart(kind: str, panel: Comparison) -> Figure:
    from bsbench.present.charts import Needs, find_chart

    chart = find_chart(kind)
    return chart.function(panel if chart.needs is Needs.COMPARED else panel.results)
