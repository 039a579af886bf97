"""``bsbench league``: players on the same games, ranked, each against every other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.completion import CONTESTANT
from bsbench.cli.delivery import Study, drawing, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import Rare, check_page, game_options, grouped, picture_kind
from bsbench.cli.saving import Kept, saving_options
from bsbench.cli.waiting import status
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.common.journal import Journal
    from bsbench.common.progress import Watch
    from bsbench.rules.scenario import Scenario
    from bsbench.runs.request import Request
    from bsbench.studies.league.study import League

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
        cls=Rare,
        metavar="SIZE",
        help="Memory that the process of a strategy of yours may take beyond that of Python and "
        "numpy, such as 512M or 1G. Linux only.",
    ),
    click.option(
        "--trust-kernels",
        cls=Rare,
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


@in_section(Section.PLAY, Keeps.COMMON)
@study(
    "league",
    [
        # Not required: click would report a missing one in several lines.
        click.argument("variants", type=CONTESTANT, metavar="PLAYER...", nargs=-1),
        grouped("Who plays", _WHO),
        game_options(
            "the home that all players share, else classic",
            "Games of each player on each scenario.",
            "1,000",
            scenarios=True,
        ),
        grouped("Limits", _LIMITS),
        saving_options(None, several=False),
        grouped("What is saved", _PAGES),
    ],
)
def league_command(
    variants: tuple[str, ...],
    records: tuple[str, ...],
    request: Request,
    seconds: float | None,
    memory: str | None,
    trust_kernels: bool,
    report: str | None,
    chart: str | None,
    quiet: bool,
) -> Study:
    """Rank players, and compare each with every other.

    All play the same games. PLAYERs are strategies, built in or your own. A file of yours may be
    named without its class if it has one strategy: FILE.py; the player then has the name of the
    file. A player that can't be loaded, breaks the rules, crashes or takes too long does not end
    the league: it is listed below the ranking, with the line of its code. Exit code 0 if at least
    one player has finished, else 1.

    \b
    Examples:
      bsbench league random linear smart prob
      bsbench league students/*.py --limit-seconds 60 --report class.html
      bsbench league mine.py all --scenario classic,harbour -n 10000 -o league
      bsbench league mine.py --with @classic
    """
    # Errors in these are reported before the wait for numba.
    kind = picture_kind(chart)
    if report:
        check_page(report, "the report of a league")
    if len(request.seeds) > 1:
        raise BsbenchError(f"a league has one seed, and {len(request.seeds)} are given: name one")
    if chart and len(request.scenarios) > 1:
        raise BsbenchError(
            "--chart draws the ranking of one scenario, and several are given: --report has all"
        )

    from bsbench.cli.experiment import GamesShown, with_all
    from bsbench.runs.contestants import scenarios_for
    from bsbench.runs.finding import find_records
    from bsbench.runs.records import check_copies, load_result
    from bsbench.studies.league.printing import league_sheet
    from bsbench.studies.league.study import (
        GAMES,
        about_league,
        check_records,
        enter,
        play_league,
        read_limits,
    )

    limits = read_limits(request, seconds, memory, trust_kernels)
    named = with_all(variants, request, quiet)
    found = []
    for text in records:
        paths = find_records([text])
        for path in paths:
            given = text if len(paths) == 1 else f"{text.rstrip('/')}/{path.stem}"
            found.append((given, load_result(path)))
    check_copies(found)
    with status(quiet) as show:
        players = enter(named, found, limits, lambda text: show(f"loading {text}"))
    shooters = [player.strategy for player in players if player.strategy is not None]
    request.check(shooters, [])
    places, note = scenarios_for(request, shooters)
    players = check_records(players, places)
    most, seed = request.games or GAMES, request.seed or 0

    def name(scenario: Scenario, seed: int, label: str) -> str:
        return f"{label} {scenario.name}" if len(places) > 1 else label

    def find(progress: Watch | None, journal: Journal | None) -> League:
        return play_league(
            players,
            places,
            games=most,
            seed=seed,
            **request.how,
            seconds=seconds,
            memory=limits.memory,
            watch=None if progress is None else GamesShown(progress, name),
            journal=journal,
        )

    def write_report(league: League, path: str) -> None:
        from bsbench.common.files import write_text
        from bsbench.studies.league.page import html_text

        with status(quiet) as show:
            text = html_text(league, request.timeout, show)
        write_text(path, text)

    def write_chart(league: League, path: str) -> bool:
        ranked = bool(league.tables[0].results)
        if ranked:
            drawing(_ranking, kind)(league, path)
        return ranked

    return Study(
        find,
        league_sheet,
        in_background=False,
        note=note,
        bars=[
            name(scenario, seed, player.name)
            for scenario in places
            for player in players
            if player.strategy is not None
        ],
        games=most,
        interrupted="Interrupted before two players had played: there is nothing to compare.",
        kept=Kept(
            "league",
            partial(about_league, players, places, seed, limits, seconds),
            request.secret_seed,
        ),
        files={chart: write_chart, report: write_report},
    )


def _ranking(league: League) -> Figure:
    from bsbench.present.charts.ranking import ranking

    return ranking(league.tables[0].comparison)
