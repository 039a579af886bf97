"""``bsbench run``: play games of one strategy."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import IO, TYPE_CHECKING

import click

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.results import Result


@click.command("run")
@click.option("-s", "--strategy", required=True, metavar="NAME", help="Who shoots.")
@click.option(
    "-n", "--games", type=int, default=100_000, show_default=True, help="How many games to play."
)
@click.option(
    "--scenario",
    metavar="NAME|FILE",
    help="Rules and placement law: a name, or a TOML file.  [default: the strategy's home, "
    "else classic]",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Which layouts to meet.")
@click.option(
    "--placement",
    metavar="LAW",
    help="Placement law in place of the scenario's: uniform, "
    "sequential[:longest|:shortest|:fleet], edge[:FACTOR] (a ship on the border weighs FACTOR, "
    "default 3) or file:PATH (layouts listed in a file).",
)
@click.option("--board", metavar="RxC", help="Board in place of the scenario's, such as 8x8.")
@click.option(
    "--fleet", metavar="LENGTHS", help="Fleet in place of the scenario's, such as 5,4,3,3,2."
)
@click.option(
    "--touching/--no-touching",
    default=None,
    help="Whether ships may touch, in place of the scenario's rule.",
)
@click.option(
    "--feedback",
    metavar="KIND",
    help="Feedback in its place: hit, sunk (also what sank) or ship (also which ship is hit).",
)
@click.option("--threads", type=int, metavar="N", help="Threads to play on.  [default: all cores]")
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    help="Record to write, charts beside it.  [default: results/STRATEGY-SCENARIO.json]",
)
@click.option("--keep-moves", is_flag=True, help="Save the move count of each game, too.")
@click.option(
    "--export-csv",
    metavar="FILE",
    help="Write the histogram as CSV (strategy,scenario,moves,games); - is standard output.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def run_command(
    strategy: str,
    games: int,
    scenario: str | None,
    seed: int,
    placement: str | None,
    board: str | None,
    fleet: str | None,
    touching: bool | None,
    feedback: str | None,
    threads: int | None,
    output: str | None,
    keep_moves: bool,
    export_csv: str | None,
    quiet: bool,
) -> None:
    """Play games of one strategy; print, save and chart their move counts.

    Saves a record (JSON) and a histogram (PNG, SVG). Ctrl-C ends early and keeps
    what was played.

    \b
    Examples:
      bsbench run --strategy prob --games 1000000
      bsbench run -s smart --placement sequential:longest --seed 7
      bsbench run -s random --scenario classic --export-csv - -q
    """
    from bsbench.scenario import DEFAULT, find_scenario

    # A wrong scenario is told before the wait for numba.
    base = None if scenario is None else find_scenario(scenario)

    from bsbench.engine import check_request, run
    from bsbench.results import check_export, csv_text, output_place, save_result, write_csv
    from bsbench.strategies import find_strategy

    shooter = find_strategy(strategy)
    resolved = (base or find_scenario(shooter.home or DEFAULT)).override(
        board=board, fleet=fleet, touching=touching, feedback=feedback, placement=placement
    )
    # Whatever would keep the results from being saved is told before they are played.
    check_request(games, seed, threads)
    if export_csv not in (None, "-"):
        check_export(export_csv)
    output_place(output, strategy)
    if base is None and not quiet:
        why = "home of" if shooter.home else "the default, since there is no home of"
        click.echo(f"scenario {resolved.name} ({why} {strategy})", err=True)
    with _progress_bar(strategy, games, quiet) as progress:
        result = run(
            shooter(),
            resolved,
            games=games,
            seed=seed,
            threads=threads,
            keep_moves=keep_moves,
            progress=progress,
        )
    with _uninterrupted():
        # The record is written first: what goes wrong after that loses no game.
        paths = save_result(result, output, _charts(result))
        # Standard output is for the CSV alone when it goes there.
        to_stdout = export_csv != "-"
        if not quiet:
            from bsbench.cli.table import print_result

            print_result(result, sys.stdout if to_stdout else sys.stderr)
            others = ", ".join(path.name for path in paths[1:])
            click.echo(f"saved {paths[0]}, and beside it {others}", err=not to_stdout)
        if not to_stdout:
            click.echo(csv_text(result), nl=False)
        elif export_csv is not None:
            write_csv(result, export_csv)
    if result.partial:
        # As a shell reports a command ended by Ctrl-C.
        sys.exit(130)


def _charts(result: Result) -> dict[str, Callable[[IO[bytes]], None]]:
    """Return what writes the histogram, by suffix; it is drawn when first written."""

    @cache
    def figure() -> Figure:
        from bsbench.charts.histogram import histogram

        return histogram(result)

    def write(kind: str, file: IO[bytes]) -> None:
        from bsbench.charts import write_figure

        write_figure(figure(), file, kind)

    return {f".{kind}": partial(write, kind) for kind in ("png", "svg")}


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait: saving takes a second, and undone it would lose the run."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _progress_bar(label: str, games: int, quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """Show games played, rate and time left on stderr; nothing when that is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class RateColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:,.0f} games/s" if task.speed else "")

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        RateColumn(),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(label, total=games)
        yield lambda played: bar.update(task, completed=played)
