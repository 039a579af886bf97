"""A league as a page of HTML: it loads nothing, and works without a network."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from bsbench.common.errors import BsbenchError
from bsbench.present.charts.ranking import ranking
from bsbench.present.pages import environment, hash_of, source
from bsbench.present.replaying import replay
from bsbench.present.replaying.page import page_text, script_text
from bsbench.present.report.render import inline_svg
from bsbench.present.tables import played_text, rules_text
from bsbench.runs.results import Result, counted
from bsbench.studies.league import sheet as texts
from bsbench.studies.league.study import Entrant, League, Table

_PACKAGE = __name__.rpartition(".")[0]
_REPORT = "bsbench.present.report"


_PATIENCE = 5.0
"""Seconds at most that a game is played again in which a player took too long."""


@dataclass(frozen=True)
class _Shown:
    """A game of a player, and what it is called; or why there is none."""

    title: str
    page: str = ""


def html_text(
    league: League, timeout: float, note: Callable[[str], object] = lambda text: None
) -> str:
    """Return a league as an HTML file.

    Parameters
    ----------
    league : League
    timeout : float
        Seconds that a game may take which is played again to be shown.
    note : callable, optional
        Called with a line on what is done.
    """
    timeout = min(timeout, league.seconds or timeout)
    sort, player = source(_REPORT, "sort.js"), script_text()
    sections = []
    for number, each in enumerate(league.players):
        note(f"a game of {each.name}")
        sections.append(_section(league, each, number, timeout))
    anchors = {player.name: f"player-{number}" for number, player in enumerate(league.players)}
    return (
        _environment()
        .get_template("league.html.jinja")
        .render(
            league=league,
            title=_title(league),
            summary=_summary(league),
            overall=texts.overall_columns(league) if len(league.tables) > 1 else None,
            tables=[_table(table, number, anchors) for number, table in enumerate(league.tables)],
            sections=sections,
            anchors=anchors,
            words=texts,
            style=Markup(
                source(_REPORT, "palette.css")
                + source(_REPORT, "report.css")
                + source(_PACKAGE, "league.css")
            ),
            script=Markup(sort),
            # A game stands in a frame of its own, whose script the policy of this page allows.
            hashes=[hash_of(sort), hash_of(player)],
        )
    )


@cache
def _environment() -> Environment:
    templates = environment(_PACKAGE)
    templates.filters["rows"] = lambda columns: zip(*columns, strict=True)
    return templates


def _title(league: League) -> str:
    where = ", ".join(table.scenario.name for table in league.tables)
    return f"A league of {len(league.players)} on {where}"


def _summary(league: League) -> list[str]:
    lines = []
    for table in league.tables:
        done, failed = len(table.results), len(table.failures)
        where = f" on {table.scenario.name}" if len(league.tables) > 1 else ""
        lines.append(f"{done} finished{where}, {failed} did not.")
    if limits := texts.limits_text(league):
        lines.append(f"{limits[0].upper()}{limits[1:]}.")
    return lines


def _table(table: Table, number: int, anchors: dict[str, str]) -> dict[str, Any]:
    """Return what the page shows of a scenario."""
    count = len(table.results)
    chart = None
    if count:
        title = f"Mean {counted(table.results)} on {table.scenario.name}"
        chart = inline_svg(ranking(table.comparison), f"ranking{number}-", title)
    cells = [
        [
            {
                "lines": texts.cell_lines(table, first, second),
                "kind": _kind(table, first, second),
            }
            for second in range(count)
        ]
        for first in range(count)
    ]
    return {
        "scenario": table.scenario,
        "counted": counted(table.results),
        "cross": texts.cross_text(table),
        "rules": rules_text(table.scenario),
        "played": played_text(table.results) if count else "",
        "columns": texts.ranking_columns(table) if count else None,
        "values": _values(table),
        "names": [result.label for result in table.results],
        "ranks": [standing.rank for standing in table.standings],
        "cells": cells if count > 1 else None,
        "notes": texts.notes(table),
        "failures": table.failures,
        "chart": chart,
    }


def _kind(table: Table, first: int, second: int) -> str:
    """Return how a cell of all against all is coloured."""
    difference = table.differences[first][second]
    if first == second or not difference.significant:
        return ""
    return "fewer" if difference.mean < 0 else "more"


def _values(table: Table) -> dict[str, list[Any]]:
    """Return by what the columns of a ranking are sorted, where that is not the text."""
    rows = table.standings
    return {
        "rank": [row.rank for row in rows],
        "mean ± 95 %": [row.result.stats.mean for row in rows],
        "rank 95 %": [row.low + row.high / 1e6 for row in rows],
        "to the best ± 95 %": [row.to_best.mean for row in rows],
        "first/tied %": ["" if row.firsts is None else row.firsts.alone for row in rows],
        texts.time_header(table): [
            "" if row.seconds_per_move is None else row.seconds_per_move for row in rows
        ],
    }


def _section(league: League, player: Entrant, number: int, timeout: float) -> dict[str, Any]:
    """Return what the page shows of a player."""
    standings = [
        (table.scenario.name, standing)
        for table in league.tables
        for standing in table.standings
        if standing.player is player
    ]
    failures = [
        (table.scenario.name, failure)
        for table in league.tables
        for failure in table.failures
        if failure.player == player.name
    ]
    strategy = player.strategy
    return {
        "player": player,
        "id": f"player-{number}",
        "strategy": strategy,
        "standings": [
            (where, standing, played_text([standing.result])) for where, standing in standings
        ],
        "alarms": [
            f"{where}: {alarm}" for where, standing in standings for alarm in standing.result.alarms
        ],
        "failures": [(where, failure, texts.failure_text(failure)) for where, failure in failures],
        "shown": _game_of(league, player, timeout),
    }


def _game_of(league: League, player: Entrant, timeout: float) -> _Shown | None:
    """Return the game of a player that is shown: that in which it failed, or the median one."""
    if player.strategy is None:
        return None
    for table in league.tables:
        fault = table.comparison.faults.get(player.name)
        results = {result.label: result for result in table.results}
        result = results.get(player.name) or (None if fault is None else fault.result)
        patience = timeout
        if fault is not None and fault.replay:
            game, title = fault.game, f"Game {fault.game}, in which it failed"
            patience = min(timeout, _PATIENCE)
        elif result is not None:
            game, moves = median_game(result)
            title = f"Its median game: game {game}, {moves} {counted([result])}"
        else:
            continue
        try:
            again = replay(
                player.strategy, table.scenario, seed=league.seed, game=game, timeout=patience
            )
        except BsbenchError as error:
            return _Shown(f"{title}, can't be shown: {error}")
        # With less time, a game that took too long ends earlier; what is said of it stays.
        wrong = again.fault and (fault or again.fault)
        shown = dataclasses.replace(again, strategy=player.name, fault=wrong)
        return _Shown(title, page_text([shown]))
    return None


def median_game(result: Result) -> tuple[int, int]:
    """Return the first game that took as many moves as the median, and these moves."""
    moves = int(result.stats.median)
    while not result.counts[moves]:
        moves -= 1
    return int(result.tally.firsts[moves]), moves
