"""``bsbench league``: players on the same games, ranked, each against every other."""

from __future__ import annotations

import sys
from functools import partial
from typing import IO, TYPE_CHECKING, Unpack

import click

from bsbench.cli.ending import end_interrupted, saving
from bsbench.cli.exports import Exportable, Exports, export_options
from bsbench.cli.options import (
    GroupedCommand,
    check_page,
    game_options,
    grouped,
    picture_kind,
    quiet_option,
)
from bsbench.cli.playing import echo_alarms, progress_bar, status
from bsbench.cli.saving import Keep, kept_record, saving_options
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import read_bytes, read_variant

if TYPE_CHECKING:
    from bsbench.rules.scenario import Scenario
    from bsbench.runs.request import GameOptions
    from bsbench.runs.results import Result
    from bsbench.studies.league.study import League

_LEAST_MEMORY = 16 << 20
"""Bytes: with less, hardly any code can be imported."""

_WHO = [
    click.option(
        "--with",
        "records",
        multiple=True,
        metavar="RECORD",
        help="Let a saved record, or a folder of them, take part as it is, such as @classic; may "
        "be repeated.",
    ),
]
_LIMITS = [
    click.option(
        "--limit-seconds",
        "seconds",
        type=float,
        metavar="SECONDS",
        help="Time that a player may think in all its games on a scenario, on all threads "
        "together.",
    ),
    click.option(
        "--limit-memory",
        "memory",
        metavar="SIZE",
        help="Memory that the process of a strategy of yours may take beyond that of Python and "
        "numpy, such as 512M or 1G. Linux only.",
    ),
    click.option(
        "--trust-kernels",
        is_flag=True,
        help="With limits: admit strategies of yours that run inside bsbench, although limits "
        "do not apply to them.",
    ),
]
_PAGES = [
    click.option(
        "--report",
        metavar="FILE",
        help="Write a page of HTML with a section and a game of each player.",
    ),
    click.option("--chart", metavar="PATH", help="Draw the ranking to a .png, .svg or .pdf file."),
]


@click.command("league", cls=GroupedCommand)
# Not required: click would report a missing one in several lines.
@click.argument("variants", metavar="PLAYER...", nargs=-1)
@grouped("Who plays", _WHO)
@game_options(
    "the home that all players share, else classic",
    "Games of each player on each scenario.",
    "1,000",
    scenarios=True,
)
@grouped("Limits", _LIMITS)
@saving_options(None, several=False)
@grouped("What is saved", _PAGES)
@export_options()
@quiet_option
# One parameter for each option, since click passes them by name.
def league_command(
    variants: tuple[str, ...],
    records: tuple[str, ...],
    scenarios: tuple[str, ...] | None,
    games: int | None,
    seeds: tuple[int, ...] | None,
    seconds: float | None,
    memory: str | None,
    trust_kernels: bool,
    keep: Keep,
    report: str | None,
    chart: str | None,
    exports: Exports,
    quiet: bool,
    **options: Unpack[GameOptions],
) -> None:
    """Let players play the same games, rank them, and compare each with every other.

    PLAYERs are strategies, built in or your own. A file of yours may be named without its class if
    it has one strategy: FILE.py; the player then has the name of the file. A player that can't be
    loaded, breaks the rules, crashes or takes too long does not end the league: it is listed
    below the ranking, with the line of its code. Exit code 0 if at least one player has finished,
    else 1.

    \b
    Examples:
      bsbench league random linear smart prob
      bsbench league students/*.py --limit-seconds 60 --report class.html
      bsbench league mine.py all --scenario classic,harbour -n 10000 -o league
      bsbench league mine.py --with @classic
    """
    from bsbench.runs.request import Request

    request = Request.of(scenarios, seeds, games=games, **options)
    # Errors in these are reported before the wait for numba.
    for variant in variants:
        read_variant(variant)
    kind = picture_kind(chart)
    if report:
        check_page(report, "the report of a league")
    if len(request.seeds) > 1:
        raise BsbenchError(f"a league has one seed, and {len(request.seeds)} are given: name one")
    if chart and len(request.scenarios) > 1:
        raise BsbenchError(
            "--chart draws the ranking of one scenario, and several are given: --report has all"
        )
    size = _memory(memory)
    limited = seconds is not None or size is not None
    if seconds is not None and not 0 < seconds < 1e9:
        raise BsbenchError(f"--limit-seconds takes a number above 0, not {seconds:g}")
    if limited and request.engine != "local":
        raise BsbenchError("limits hold on this machine alone: leave out --engine or the limits")
    _ = request.bases
    if not variants:
        raise BsbenchError("a league takes players: name strategies, or files of your own")

    from bsbench.cli.experiment import ALL, Shown, scenario_note, strategies_for
    from bsbench.own.thinker import Limits, longest_start
    from bsbench.runs.contestants import shared_home
    from bsbench.runs.finding import find_records
    from bsbench.runs.records import check_copies, load_result
    from bsbench.runs.request import check_timeout
    from bsbench.studies.league.study import (
        GAMES,
        about_league,
        check_records,
        enter,
        play_league,
    )

    named = list(variants)
    if ALL in named:
        everyone = [each.name for each in strategies_for((ALL,), {}, request, quiet)]
        at = named.index(ALL)
        named[at : at + 1] = [name for name in everyone if name not in named]
    found = []
    for text in records:
        paths = find_records([text])
        for path in paths:
            given = text if len(paths) == 1 else f"{text.rstrip('/')}/{path.stem}"
            found.append((given, load_result(path)))
    check_copies(found)
    timeout = check_timeout(request.timeout)
    longest = min(timeout, seconds or timeout)
    limits = Limits(longest, longest_start(longest), size, not limited or trust_kernels)
    with status(quiet) as show:
        players = enter(named, found, limits, lambda text: show(f"loading {text}"))
    shooters = [player.strategy for player in players if player.strategy is not None]
    request.check(shooters)
    home = shared_home(shooters)
    places = request.scenarios_or(home)
    players = check_records(players, places)
    exports.check([report, chart])
    if not (request.scenarios or quiet) and shooters:
        click.echo(scenario_note(shooters, places[0], home), err=True)
    most, seed = request.games or GAMES, request.seed or 0
    about = partial(about_league, players, places, seed, limits, seconds)

    def name(scenario: Scenario, seed: int, label: str) -> str:
        return f"{label} {scenario.name}" if len(places) > 1 else label

    lines = [
        name(scenario, seed, player.name)
        for scenario in places
        for player in players
        if player.strategy is not None
    ]
    with kept_record(keep, exports, "league", about, request.secret_seed) as kept:
        try:
            with progress_bar(lines, most, quiet) as bar:
                league = play_league(
                    players,
                    places,
                    games=most,
                    seed=seed,
                    threads=request.threads,
                    engine=request.engine,
                    timeout=request.timeout,
                    seconds=seconds,
                    memory=size,
                    watch=None if bar is None else Shown(bar, name),
                    journal=kept.journal,
                )
        except KeyboardInterrupt:
            click.echo(
                "Interrupted before two players had played: there is nothing to compare.", err=True
            )
            end_interrupted()
        with saving() as save:
            kept.finish(save, league, _exportable(league), print_league, quiet)
            if quiet:
                echo_alarms(_results(league))
            if chart and league.tables[0].results:
                from bsbench.common.files import write_file
                from bsbench.present.charts import write_figure
                from bsbench.present.charts.ranking import ranking

                drawn = partial(write_figure, ranking(league.tables[0].comparison), kind=kind)
                save(partial(write_file, write=drawn), chart)
            if report:
                from bsbench.common.files import write_text
                from bsbench.studies.league.page import html_text

                with status(quiet) as show:
                    text = html_text(league, request.timeout, show)
                save(partial(write_text, text=text), report)
                if not (quiet or save.problems):
                    click.echo(f"saved {report}", file=exports.table_stream)
    if league.partial:
        end_interrupted()
    if not any(table.comparison.played for table in league.tables):
        sys.exit(1)


def _memory(text: str | None) -> int | None:
    """Return the bytes that are asked for.

    Raises
    ------
    BsbenchError
        If that is too little to begin with, or can't be limited here.
    """
    if text is None:
        return None
    from bsbench.own.thinking import can_limit_memory

    size = read_bytes(text)
    if size < _LEAST_MEMORY:
        raise BsbenchError(
            f"with --limit-memory {text}, hardly any code could be imported: allow "
            f"{_LEAST_MEMORY >> 20}M or more"
        )
    if not can_limit_memory():
        raise BsbenchError("memory can be limited on Linux alone: leave out --limit-memory")
    return size


def _results(league: League) -> list[Result]:
    return [result for table in league.tables for result in table.results]


def _exportable(league: League) -> Exportable:
    """Return what exports a league."""
    from bsbench.studies.league import sheet as texts

    return Exportable(
        partial(texts.frame, league),
        league.to_dict,
        partial(texts.stacked_columns, league),
        partial(texts.all_notes, league),
        partial(texts.markdown_text, league),
    )


def print_league(league: League, file: IO[str] | None = None) -> None:
    """Print the ranking of each scenario, all against all, and what went wrong."""
    from bsbench.present.terminal import console_for, print_lines, print_table, table_width
    from bsbench.studies.league import sheet as texts

    console = console_for(file)
    width = console.width
    for table in league.tables:
        if len(league.tables) > 1:
            console.print(table.scenario.name, style="bold", markup=False)
            console.print()
        if table.results:
            columns = texts.ranking_columns(table)
            console.width = max(width, table_width(columns))
            print_table(console, columns, texts.WORDS)
            console.width = width
        if len(table.results) > 1:
            columns = texts.cross_columns(table)
            if table_width(columns) <= width:
                print_table(console, columns, texts.WORDS)
                print_lines(console, [texts.CROSS])
            else:
                print_lines(
                    console, ["all against all is too wide for this terminal: see it with --report"]
                )
        print_lines(console, texts.notes(table))
        if table.results and (table.failures or len(league.tables) > 1):
            console.print()
        for failure in table.failures:
            after = f" after {failure.games:,} games" if failure.games else ""
            console.print(
                f"{failure.player} did not finish{after}: {texts.failure_text(failure)}",
                style="red",
                markup=False,
            )
            lines = [failure.line, failure.replay and f"see it with: {failure.replay}"]
            print_lines(console, [f"  {line}" for line in lines if line])
        if table.failures and (len(league.tables) > 1 or texts.limits_text(league)):
            console.print()
    if len(league.tables) > 1:
        console.print("overall", style="bold")
        console.print()
        print_table(console, texts.overall_columns(league), texts.WORDS)
        print_lines(console, [texts.OVERALL])
    print_lines(console, filter(None, [texts.limits_text(league)]))
