"""Results as tables on the terminal."""

from __future__ import annotations

import sys
from typing import IO

from bsbench.results import Result


def print_result(result: Result, file: IO[str] | None = None) -> None:
    """Print what was played, its statistics as a table, and the time it took."""
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(file=file or sys.stdout, highlight=False)
    # Figures are never cut: on a narrower terminal the lines are broken by itself.
    console.width = max(console.width, 80)
    rules, stats = result.scenario.rules, result.stats
    console.print(
        f"[bold]{escape(result.label)}[/] on [bold]{escape(result.scenario.name)}[/]: "
        f"{rules.board} board, "
        f"fleet {rules.fleet_text}, {'' if rules.touching else 'no '}touching, "
        f"feedback {rules.feedback}, {escape(str(result.scenario.placement))} layouts, "
        f"seed {result.seed}"
    )
    if result.partial:
        console.print(
            f"[yellow]partial:[/] interrupted after {stats.games:,} of {result.requested:,} games"
        )
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
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
    console.print(
        f"played in {result.play_seconds:.2f} s on {result.threads} "
        f"thread{'s' if result.threads > 1 else ''}, after {result.setup_seconds:.2f} s of "
        "compiling or loading kernels"
    )
