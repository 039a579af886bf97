"""Speeds as text: for the terminal, and for tables in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable

from bsbench.present.sheets import Sheet
from bsbench.present.tables import threads_text
from bsbench.studies.bench.study import SpeedReport


def speed_sheet(report: SpeedReport) -> Sheet:
    """Return what is shown of speeds: a row for each strategy that was measured."""
    return Sheet(speed_columns(report), notes=[*speed_notes(report)])


def speed_columns(report: SpeedReport) -> dict[str, list[str]]:
    """Return the table of speeds: a row for each strategy that was measured."""
    speeds = report.speeds
    columns = {
        "strategy": [speed.strategy for speed in speeds],
        "scenario": [speed.scenario for speed in speeds],
        "a million games": [f"{speed.seconds_per_million:,.1f} s" for speed in speeds],
        "games/s": [f"{speed.all_threads.games_per_second:,.0f}" for speed in speeds],
        "on 1 thread": [f"{speed.one_thread.games_per_second:,.0f}" for speed in speeds],
        "set-up": [f"{speed.setup_seconds:.2f} s" for speed in speeds],
    }
    if report.threads == 1:
        del columns["on 1 thread"]
    return columns


def speed_notes(report: SpeedReport) -> Iterable[str]:
    """Yield how speeds were measured."""
    measured = [speed.all_threads for speed in report.speeds]
    least, most = (choose(pace.games for pace in measured) for choose in (min, max))
    played = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    seconds = sum(pace.seconds for pace in measured) / len(measured)
    yield (f"on {threads_text(report.threads)} of {report.machine['processor']}, layouts included")
    yield f"measured: {played} games in about {seconds:.1f} s; a million games: extrapolated"
    yield "set-up: compiling kernels (the first time) or loading them, and tables; not in the rest"
    if report.partial:
        yield f"partial: interrupted after {len(measured)} of {report.requested} strategies"
