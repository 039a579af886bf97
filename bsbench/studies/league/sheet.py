"""Leagues as text: tables of those that finished, of all against all, and of what went wrong.

`page` makes the page of HTML.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from bsbench.common.texts import for_markdown
from bsbench.present.tables import (
    COLUMNS,
    alarm_texts,
    interrupted_text,
    markdown_table,
    name_of,
    own_notes,
    played_text,
    shots_column,
    shots_note,
    threads_text,
    time_text,
)
from bsbench.runs.results import counted
from bsbench.stats import Difference, Race, decimals_of, interval_texts
from bsbench.studies.league.study import LEAST_SECONDS, Failure, League, Standing, Table

WORDS = ("player", "moves against", "turns against", "what went wrong", "line", "needs", "scenario")
"""Columns of words; all others are figures."""

(_OWN,) = (column for column in COLUMNS if column.key == "own_share")

UNPAIRED = "* by the means, not game by game"
"""What the mark at a difference means."""


def difference_text(difference: Difference, race: Race | None, decimals: int | None = None) -> str:
    """Return a difference with its interval, and with marks where it is not clear or not paired."""
    if _same(race):
        return "= 0"
    clear = difference.significant or math.isnan(difference.half_width)
    return f"{'' if clear else '≈ '}{'' if race else '* '}{difference.text_to(decimals)}"


def race_text(race: Race) -> str:
    """Return in how many of 100 games the first finishes before the second, with it, and after."""
    return "/".join(f"{100 * share:.0f}" for share in race.shares)


def rank_text(standing: Standing) -> str:
    """Return the interval of a rank."""
    if standing.low == standing.high:
        return f"{standing.low}"
    return f"{standing.low}–{standing.high}"


def ranking_columns(table: Table) -> dict[str, list[str]]:
    """Return the table of those that finished, the best first."""
    rows, own_time = table.standings, time_header(table)
    decimals = decimals_of(row.to_best.half_width for row in rows if not _same(row.race))
    columns = {
        "rank": [str(row.rank) for row in rows],
        "player": [name_of(row.result) for row in rows],
        "mean ± 95 %": interval_texts(
            (row.result.stats.mean for row in rows), (row.result.stats.half_width for row in rows)
        ),
        **shots_column(table.results),
        "rank 95 %": [rank_text(row) for row in rows],
        "to the best ± 95 %": [
            ""
            if row.result is table.results[0]
            else difference_text(row.to_best, row.race, decimals)
            for row in rows
        ],
        "first/tied %": [_firsts_text(row, table.comparison.games) for row in rows],
        "own %": [_OWN.text(row.result.figures()) for row in rows],
        "needs": [row.needs or "" for row in rows],
        own_time: [
            "" if (seconds := row.seconds_per_move) is None else time_text(seconds) for row in rows
        ],
    }
    if len(rows) < 2:
        del columns["rank 95 %"], columns["to the best ± 95 %"]
    for name in ("first/tied %", "own %"):
        if len(rows) < 2 or not any(columns[name]):
            del columns[name]
    if not any(columns[own_time]):
        del columns[own_time]
    return columns


def time_header(table: Table) -> str:
    """Return the header of the time that a player takes."""
    return f"a {counted(table.results, 'move')}"


def _same(race: Race | None) -> bool:
    """Return whether both took as many moves in every game."""
    return race is not None and race.ties == race.games


def _firsts_text(row: Standing, games: int) -> str:
    if row.firsts is None:
        return ""
    return f"{100 * row.firsts.alone / games:.0f}/{100 * row.firsts.tied / games:.0f}"


def cross_columns(table: Table, between: str = "\n") -> dict[str, list[str]]:
    """Return the table of all against all: of each in its row, against each in its column.

    ``between`` stands between the difference, and wins, ties and losses.
    """
    count = len(table.results)
    columns = {
        "": [str(row.rank) for row in table.standings],
        f"{counted(table.results)} against": [name_of(result) for result in table.results],
    }
    for second in range(count):
        # Headers are the keys: where two share a rank, the names distinguish them.
        rank = str(table.standings[second].rank)
        header = rank if rank not in columns else f"{rank} {table.results[second].label}"
        columns[header] = [between.join(cell_lines(table, first, second)) for first in range(count)]
    return columns


def cell_lines(table: Table, first: int, second: int) -> list[str]:
    """Return what stands in a cell of that table: the difference, and wins, ties and losses."""
    if first == second:
        return []
    race = table.races[first][second]
    decimals = decimals_of(
        differences[second].half_width
        for differences, races in zip(table.differences, table.races, strict=True)
        if not _same(races[second])
    )
    difference = difference_text(table.differences[first][second], race, decimals)
    return [difference, *([] if race is None else [race_text(race)])]


def failure_columns(table: Table) -> dict[str, list[str]]:
    """Return the table of those that did not finish."""
    rows = table.failures
    return {
        "player": [row.player for row in rows],
        "games": [f"{row.games:,}" for row in rows],
        "what went wrong": [failure_text(row) for row in rows],
        "line": [row.line for row in rows],
    }


def failure_text(failure: Failure) -> str:
    """Return what went wrong, and in which game."""
    game = "" if failure.game is None or not failure.replay else f"game {failure.game}: "
    return f"{game}{failure.problem}"


def overall_columns(league: League) -> dict[str, list[str]]:
    """Return the table over all scenarios."""
    rows = league.overall
    return {
        "rank": [str(1 + sum(other.ratio < row.ratio for other in rows)) for row in rows],
        "player": [row.player for row in rows],
        "to the best": [f"× {row.ratio:.4f}" for row in rows],
        "mean rank": [f"{row.mean_rank:.2f}" for row in rows],
    }


def overall_text(league: League) -> str:
    """Return what the figures over all scenarios mean."""
    moves = counted(result for table in league.tables for result in table.results)
    return (
        f"to the best: mean {moves} divided by those of the best player, as the geometric mean "
        "over all scenarios; players that did not finish on every scenario are left out"
    )


def notes(table: Table) -> list[str]:
    """Return the lines below the ranking of a scenario."""
    return [*_notes(table)]


def _notes(table: Table) -> Iterable[str]:
    comparison, results = table.comparison, table.results
    if not results:
        return
    if len(results) > 1:
        marks = [f"to the best: mean {counted(results)} more than those of the first"]
        pairs = [
            (table.differences[i][j], table.races[i][j])
            for i in range(len(results))
            for j in range(i)
        ]
        if any(not difference.significant for difference, race in pairs if not _same(race)):
            marks.append("≈ may be chance")
        if any(_same(race) for _, race in pairs):
            marks.append("= 0 in every game")
        if any(race is None for _, race in pairs):
            marks.append(UNPAIRED)
        yield "; ".join(marks)
        if any(difference.from_range for difference, _ in pairs):
            yield (
                "where games may have missed rare, large differences, ± comes from the range of "
                f"{counted(results, 'move')} counts"
            )
    if shots_column(results):
        yield shots_note(results[0])
    if comparison.from_records:
        yield f"from records: {', '.join(comparison.from_records)}"
    yield from alarm_texts(results)
    yield from own_notes(results)
    if comparison.partial:
        missing = f"; not played: {', '.join(comparison.missing)}" if comparison.missing else ""
        yield f"partial: {interrupted_text(comparison.games, comparison.requested)}{missing}"
    for what in ("feedback", "answers"):
        told = {each.label: str(getattr(each.scenario.rules, what)) for each in results}
        if len(set(told.values())) > 1:
            given = ", ".join(f"{label} ({kind})" for label, kind in told.items())
            yield f"not all were given the same {what}: {given}"
        elif what == "feedback":
            kind = table.scenario.rules.feedback
            yield f"all were given feedback {kind}; needs: the least with which a player can play"
    if any(times := [row.seconds_per_move for row in table.standings]):
        where = "; of records, where they were played" if comparison.from_records else ""
        short = f"; left out below {LEAST_SECONDS:g} s of play" if None in times else ""
        yield f"{time_header(table)}: time of one thread, that of bsbench included{where}{short}"
    threads = {result.threads for result in results}
    on = f", {threads_text(threads.pop())}" if len(threads) == 1 else ""
    yield f"{played_text(results, in_full=False)}{on}"


def cross_text(table: Table) -> str:
    """Return what stands in the cells of all against all."""
    return (
        f"in each row: mean {counted(table.results)} of a player minus those of the other, and % "
        "of the games in which it finishes first/ties/finishes later"
    )


def limits_text(league: League) -> str:
    """Return which limits held, or nothing."""
    parts = []
    if league.seconds is not None:
        parts.append(f"{league.seconds:g} s to think on a scenario")
    if league.memory is not None:
        parts.append(f"{league.memory / (1 << 20):,.0f} MB of memory")
    return f"limits of each player: {' and '.join(parts)}" if parts else ""


def stacked_columns(league: League) -> dict[str, list[str]]:
    """Return one ranking of all scenarios, for formats that have one table."""
    stacked: dict[str, list[str]] = {}
    tables = [(table, ranking_columns(table)) for table in league.tables]
    headers = dict.fromkeys(name for _, columns in tables for name in columns)
    for table, columns in tables:
        rows = len(table.standings)
        if len(league.tables) > 1:
            stacked.setdefault("scenario", []).extend([table.scenario.name] * rows)
        for name in headers:
            stacked.setdefault(name, []).extend(columns.get(name, [""] * rows))
    return stacked


def all_notes(league: League) -> list[str]:
    """Return the notes of all scenarios, each once, and what limits held."""
    lines = dict.fromkeys(line for table in league.tables for line in notes(table))
    return [*lines, *filter(None, [limits_text(league)])]


def markdown_text(league: League) -> str:
    """Return a league in Markdown: of each scenario the ranking, all against all, and failures."""
    parts = []
    if len(league.tables) > 1:
        parts += ["## Overall", _markdown(overall_columns(league)), overall_text(league)]
    for table in league.tables:
        parts.append(f"## {for_markdown(table.scenario.name)}")
        if table.results:
            parts.append(_markdown(ranking_columns(table)))
            parts.append("  \n".join(map(for_markdown, notes(table))))
        if len(table.results) > 1:
            parts += [_markdown(cross_columns(table, ", ")), for_markdown(cross_text(table))]
        if table.failures:
            parts += ["Did not finish:", _markdown(failure_columns(table))]
    if limits := limits_text(league):
        parts.append(for_markdown(limits))
    return "\n\n".join(parts) + "\n"


def _markdown(columns: Mapping[str, Sequence[str]]) -> str:
    return markdown_table(columns, WORDS)
