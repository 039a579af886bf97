"""Results as tables, on the terminal and in Markdown."""

from __future__ import annotations

import math
import re
import sys
from typing import IO, TYPE_CHECKING

import numpy as np

from bsbench.exact import QUICK
from bsbench.results import Result
from bsbench.scenario import Scenario
from bsbench.stats import goodness_of_fit

if TYPE_CHECKING:
    from rich.table import Table

    from bsbench.bench import Report
    from bsbench.comparison import Comparison


def print_result(result: Result, file: IO[str] | None = None) -> None:
    """Print what was played, its statistics as a table, and the time it took."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(file=file or sys.stdout, highlight=False)
    # Figures are never cut: on a narrower terminal the lines are broken by itself.
    console.width = max(console.width, 80)
    stats = result.stats
    console.print(
        f"[bold]{escape(result.label)}[/] on [bold]{escape(result.scenario.name)}[/]: "
        f"{escape(_rules_text(result.scenario))}, seed {result.seed}"
    )
    if result.partial:
        console.print(f"[yellow]partial:[/] {_interrupted_text(stats.games, result.requested)}")
    table = _empty_table()
    columns = {
        "mean ± 95 %": stats.mean_text,
        "sd": f"{stats.sd:.2f}" if stats.games > 1 else "–",
        "median": f"{stats.median}",
        "5 %": f"{stats.low}",
        "95 %": f"{stats.high}",
        "best": f"{stats.best}",
        "worst": f"{stats.worst}",
        "games": f"{stats.games:,}",
        "games/s": f"{result.games_per_second:,.0f}",
    }
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row(*columns.values())
    console.print()
    console.print(table)
    console.print()
    law = result.exact_law(QUICK)
    if law is not None:
        mean = law @ np.arange(len(law))
        fit = goodness_of_fit(result.counts, law)
        console.print(f"exact law: mean {mean:.4f}, {fit.text}")
    learning = result.learning
    if learning is not None and len(learning.totals) == 1:
        console.print(
            f"one learner: no interval; play more than {learning.games_per_learner:,} games for one"
        )
    console.print(
        f"played in {result.play_seconds:.2f} s on {_threads_text(result.threads)}, after "
        f"{result.setup_seconds:.2f} s of compiling or loading kernels"
    )


def _empty_table() -> Table:
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))


def _rules_text(scenario: Scenario) -> str:
    rules = scenario.rules
    return (
        f"{rules.board} board, fleet {rules.fleet_text}, "
        f"{'' if rules.touching else 'no '}touching, feedback {rules.feedback}, "
        f"{scenario.placement} layouts"
    )


def _interrupted_text(games: int, requested: int) -> str:
    return f"interrupted after {games:,} of {requested:,} games"


def _threads_text(threads: int) -> str:
    return f"{threads} thread{'s' if threads > 1 else ''}"


def print_comparison(comparison: Comparison, file: IO[str] | None = None) -> None:
    """Print a row for each strategy, and below what was played."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file or sys.stdout, highlight=False)
    # Into a file or a pipe, no line has to be broken.
    console.width = max(console.width, 80) if console.is_terminal else 160
    columns = _comparison_columns(comparison)
    table = _empty_table()
    for name in columns:
        table.add_column(name, justify="left" if name == "strategy" else "right", no_wrap=True)
    # Figures are never cut: labels are broken to what room these leave.
    figures = [max(map(len, (name, *columns[name]))) for name in list(columns)[1:]]
    taken = sum(2 + width for width in figures) + 1
    room = max(console.width - taken, 10)
    console.width = max(console.width, taken + room)
    for label, *cells in zip(*columns.values(), strict=True):
        # Not as markup: labels may be anything.
        table.add_row(*map(Text, (_broken(label, room), *cells)))
    console.print(table)
    console.print()
    for line in _comparison_notes(comparison):
        console.print(line, markup=False)


def _broken(label: str, width: int) -> str:
    """Break a label that is too long: at spaces, and its words after punctuation."""
    if len(label) <= width:
        return label
    piece = rf".{{1,{width}}}$|.{{1,{width - 1}}}[-_=]|.{{1,{width}}}"
    return "\n".join(part for word in label.split() for part in re.findall(piece, word))


def comparison_markdown(comparison: Comparison) -> str:
    """Return a table in Markdown, as for a README, and below it what was played."""
    columns = _comparison_columns(comparison)
    columns["strategy"] = [f"`{label}`" for label in columns["strategy"]]
    alignment = ["---", *["---:"] * (len(columns) - 1)]
    rows = [columns, alignment, *zip(*columns.values(), strict=True)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    # Each on a line of its own: two spaces at the end break it.
    return "\n".join([*lines, "", "  \n".join(_comparison_notes(comparison)), ""])


def _comparison_columns(comparison: Comparison) -> dict[str, list[str]]:
    """Return the cells by column."""
    results = comparison.results
    return {
        "strategy": [result.label for result in results],
        "mean ± 95 %": [result.stats.mean_text for result in results],
        "median": [f"{result.stats.median}" for result in results],
        "5 %": [f"{result.stats.low}" for result in results],
        "95 %": [f"{result.stats.high}" for result in results],
        "difference ± 95 %": _difference_cells(comparison),
        "games/s": [f"{result.games_per_second:,.0f}" for result in results],
    }


def _difference_cells(comparison: Comparison) -> list[str]:
    """Return the differences; marks stand in front, so that figures stay in line."""
    cells = []
    for result, difference, same in zip(
        comparison.results, comparison.differences, comparison.same, strict=True
    ):
        if result.label == comparison.reference:
            cells.append("reference")
        elif same:
            cells.append("= 0")
        elif difference.significant or math.isnan(difference.half_width):
            cells.append(difference.text)
        else:
            cells.append(f"≈ {difference.text}")
    return cells


def _comparison_notes(comparison: Comparison) -> list[str]:
    """Return what stands below the table, line by line."""
    result = comparison.results[0]
    cells = _difference_cells(comparison)
    notes = []
    if any(cell.startswith("≈") for cell in cells):
        notes.append("≈ not significant: the interval holds 0")
    if "= 0" in cells:
        notes.append("= the same games: as many moves in every one")
    if any(cell[0] in "+-" and "±" not in cell for cell in cells):
        notes.append("no ±: a single learner, or game, doesn't tell how much is chance")
    if comparison.partial:
        missing = f"; not played: {', '.join(comparison.missing)}" if comparison.missing else ""
        told = _interrupted_text(comparison.games, result.requested)
        notes.append(f"partial: {told}{missing}")
    notes.append(
        f"{comparison.games:,} game{'s' if comparison.games > 1 else ''} each on "
        f"{result.scenario.name}: {_rules_text(result.scenario)}, seed {result.seed}, "
        f"{_threads_text(result.threads)}"
    )
    return notes


def print_speeds(report: Report, file: IO[str] | None = None) -> None:
    """Print a row for each strategy that was measured, and below how."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file or sys.stdout, highlight=False)
    console.width = max(console.width, 80) if console.is_terminal else 160
    columns = {
        "strategy": [speed.strategy for speed in report.speeds],
        "scenario": [speed.scenario for speed in report.speeds],
        "a million games": [f"{speed.seconds_per_million:,.1f} s" for speed in report.speeds],
        "games/s": [f"{speed.all_threads.games_per_second:,.0f}" for speed in report.speeds],
        "on 1 thread": [f"{speed.one_thread.games_per_second:,.0f}" for speed in report.speeds],
        "set-up": [f"{speed.setup_seconds:.2f} s" for speed in report.speeds],
    }
    if report.threads == 1:
        del columns["on 1 thread"]
    table = _empty_table()
    for name in columns:
        is_text = name in ("strategy", "scenario")
        table.add_column(name, justify="left" if is_text else "right", overflow="fold")
    for cells in zip(*columns.values(), strict=True):
        table.add_row(*map(Text, cells))
    console.print(table)
    console.print()
    measured = [speed.all_threads for speed in report.speeds]
    least, most = (choose(pace.games for pace in measured) for choose in (min, max))
    played = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    seconds = sum(pace.seconds for pace in measured) / len(measured)
    for line in (
        f"on {_threads_text(report.threads)} of {report.origin['machine']['processor']}, layouts "
        "included",
        f"measured: {played} games in about {seconds:.1f} s; a million games: extrapolated",
        "set-up: compiling kernels (the first time) or loading them, and tables; not in the rest",
    ):
        console.print(line, markup=False)
