"""What is shown of a league, and how the terminal shows it."""

from __future__ import annotations

from functools import partial
from typing import IO

from bsbench.common.errors import option
from bsbench.present.sheets import Sheet
from bsbench.present.tables import alarm_texts
from bsbench.present.terminal import console_for, print_lines, print_table, table_width
from bsbench.studies.league import sheet as texts
from bsbench.studies.league.study import League


def league_sheet(league: League) -> Sheet:
    """Return what is shown of a league: the terminal and Markdown have all its tables."""
    results = [result for table in league.tables for result in table.results]
    return Sheet(
        texts.stacked_columns(league),
        notes=texts.all_notes(league),
        alarms=[*alarm_texts(results)],
        show=partial(print_league, league),
        markdown=partial(texts.markdown_text, league),
    )


def print_league(league: League, file: IO[str] | None = None) -> None:
    """Print the ranking of each scenario, all against all, and what went wrong."""
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
                print_lines(console, [texts.cross_text(table)])
            else:
                where = option("report")
                text = f"all against all is too wide for this terminal: see it with {where}"
                print_lines(console, [text])
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
        print_lines(console, [texts.overall_text(league)])
    print_lines(console, filter(None, [texts.limits_text(league)]))
