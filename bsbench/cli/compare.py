"""``bsbench compare``: strategies and saved records, each against a reference."""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.completion import CONTESTANT
from bsbench.cli.delivery import Study, study
from bsbench.cli.exports import GamesExport, games_options
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import (
    Rare,
    check_page,
    game_options,
    grouped,
    keep_moves_option,
    sort_option,
    wide_option,
)
from bsbench.cli.saving import SaveOptions, saving_options
from bsbench.cli.waiting import status
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import read_variant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.cli.experiment import Played
    from bsbench.common.progress import Watch
    from bsbench.runs.comparison import Comparison, Order
    from bsbench.runs.request import Request
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
        "[default: the best]",
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
_STRANGERS = [
    click.option(
        "--keep-going",
        is_flag=True,
        help="Leave out strategies that can't be loaded or can't play on, instead of ending with "
        "exit code 2.",
    ),
    click.option(
        "--limit-seconds",
        type=float,
        metavar="SECONDS",
        help="Time that each strategy may take for all its games under a seed, on all threads "
        "together.",
    ),
    click.option(
        "--limit-memory",
        cls=Rare,
        metavar="SIZE",
        help="Memory that a process of a strategy of yours may take beyond Python and numpy, such "
        "as 512M or 1G. Linux only.",
    ),
    click.option(
        "--trust-kernels",
        cls=Rare,
        is_flag=True,
        help="With limits: admit strategies of yours that run inside bsbench, although limits do "
        "not hold for them.",
    ),
]
_REPORT = click.option(
    "--report",
    metavar="FILE.html",
    help="Write the page of 'bsbench report': also who failed and where, and games of each.",
)


@in_section(Section.PLAY, Keeps.COMMON)
@study(
    "compare",
    [
        # Not required: click would report a missing one in several lines.
        click.argument("given", type=CONTESTANT, metavar="STRATEGY|RECORD...", nargs=-1),
        grouped("How they are compared", _HOW),
        game_options(
            "that of the records, else the home that all strategies share, else classic",
            default_games="those of the first record, else 100,000; with --until, 100,000,000",
            default_seed="that of the first record, else 0",
            until="each difference",
        ),
        grouped("Strategies of others", _STRANGERS),
        saving_options(None),
        grouped("What is saved", [_REPORT, keep_moves_option]),
        wide_option,
    ],
    more=[games_options],
)
def compare_command(
    given: tuple[str, ...],
    request: Request,
    order: Order | None,
    conditions: tuple[str, ...],
    report: str | None,
    keep: SaveOptions,
    games_export: GamesExport,
    wide: bool,
    quiet: bool,
) -> Study:
    """Compare strategies and saved records on the same games.

    Each is compared with the best, or with --reference, game by game: that needs far fewer games
    than comparing means. The table has the best first; the line below says which strategy needs the
    fewest moves, if that is clear.

    A strategy's parameters follow its name after commas, without spaces; 'all' stands for all
    built-in strategies that can play. A file of yours with one strategy may be named without its
    class, FILE.py. Saved records are files, folders, and those that come with bsbench, such as
    @classic/lattice; of a folder with several scenarios, --scenario chooses. Records of other games
    are compared by their means.

    With --until clear, games go on until it is clear of each strategy and the reference (by
    default the first) which one is better; the exit code is 1 if they end before. A strategy that
    breaks the rules, crashes or takes too long is left out, and the exit code is 1; what went
    wrong, with the line of its code, stands below the table. With --output, the games it played
    before have a record. After Ctrl-C or SIGTERM, only games that every strategy has finished are
    compared.

    \b
    Examples:
      bsbench compare random linear smart prob
      bsbench compare datagenetics hard-ai --until clear
      bsbench compare over9000 over9000,noise=0,edge_weight=1 --games 1e6
      bsbench compare smart prob --reference prob --export-md - -q
      bsbench compare prob smart --reference prob --fail-if 'mean > +0.5'
      bsbench compare @classic/lattice my_file.py:Mine
      bsbench compare students/*.py --keep-going --report class.html
    """
    from bsbench.runs.finding import is_record

    # Errors in these are reported before the wait for numba.
    for variant in given:
        if not is_record(variant):
            read_variant(variant)
    if request.keep_moves is not None and not keep.save:
        raise BsbenchError("--keep-moves saves move counts beside records: give --output, too")
    if report:
        check_page(report, "a report")

    from bsbench.cli.experiment import frame_of, study_of, with_all
    from bsbench.runs import comparing
    from bsbench.runs.conditions import Condition
    from bsbench.runs.contestants import line_up, scenarios_for, with_records
    from bsbench.runs.experiment import experiment_of
    from bsbench.runs.results import Result

    limits = [Condition.read(text) for text in conditions]
    relative = next((each for each in limits if each.of_difference or each.in_percent), None)
    if relative is not None and request.reference is None:
        raise BsbenchError(
            f"the condition {relative.text!r} is about a reference: name that with --reference"
        )
    expanded = _expanded(given, request)
    named = with_all(expanded, request, quiet)
    with status(quiet) as show:
        show("loading strategies")
        contestants, reference, refused = line_up(
            named, request.reference, request.limits, request.keep_going
        )
    shooters = [each for each in contestants if not isinstance(each, Result)]
    records = [each for each in contestants if isinstance(each, Result)]
    if not request.scenarios and len(expanded) > len(given):
        _check_one_scenario(records)
    request = with_records(request, records)
    where, note = scenarios_for(request, shooters)
    among_strategies = reference if reference in [each.label for each in shooters] else None
    asked = dataclasses.replace(request, reference=among_strategies)
    experiment = experiment_of(asked, shooters, where, refused)
    play = None
    if records:
        # Records that may not play again are refused before anything is played.
        games_export.players(records)

        def play(progress: Watch | None) -> tuple[Comparison, ...]:
            with_reference = dataclasses.replace(experiment, reference=reference)
            how = {**request.how, "watch": progress, "contestants": contestants}
            return comparing.play(with_reference, **how)

    def write_report(found: Played, path: str) -> None:
        from bsbench.common.files import write_text
        from bsbench.present.page.again import play_again
        from bsbench.present.page.html import page_text
        from bsbench.present.page.scenes import scenes_of
        from bsbench.reproduce.gathering import report_of

        players = {shooter.label: shooter for shooter in shooters}
        timeout = min(request.timeout, request.limit_seconds or request.timeout)
        page = report_of(found.panels)
        with status(quiet) as show:
            played = [
                play_again(scene, 0, True, note=show, known=players, timeout=timeout)
                for scene in scenes_of(page.sections)
            ]
        write_text(path, page_text(page, played))

    return study_of(
        experiment,
        asked,
        {} if records else {f"-{kind}": partial(_chart, kind) for kind in _CHARTS},
        games_export,
        files={report: write_report},
        play=play,
        order=order,
        in_folder=True,
        note=note,
        interrupted="Interrupted before two strategies had played: there is nothing to compare.",
        frame=frame_of,
        wide=wide,
        limits=limits,
    )


def _expanded(variants: tuple[str, ...], request: Request) -> list[str]:
    """Return the contestants, with the records of folders and of bsbench as files.

    Of several records in a folder, only those on the scenario that is asked for take part.

    Raises
    ------
    BsbenchError
        If a folder has no such records.
    """
    from bsbench.roster import is_strategy
    from bsbench.runs.finding import find_records, is_record
    from bsbench.runs.records import load_result

    asked = request.scenarios_or(None) if request.scenarios else ()
    laws = [scenario.move_law for scenario in asked]
    found: list[str] = []
    for variant in variants:
        folder = os.path.isdir(variant) and not is_strategy(variant)
        if not (folder or is_record(variant)):
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
