"""``bsbench solve``: the problem "Spot the ships"."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.options import force_option, picture_kind
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.play.spot_the_ships import Scan, Solution


@click.command("solve")
@click.argument("file", default="-")
@click.option("--trace", is_flag=True, help="Print each scan and what led to it.")
@click.option(
    "--all", "compare", is_flag=True, help="Compare linear, smart, prob and smart-random."
)
@click.option("--seed", type=int, help="For smart-random, with --all.  [default: 0]")
@click.option(
    "--chart",
    metavar="PATH",
    help="Draw the final board (with --all, four), and the likelihood, to a .png or .svg file.",
)
@force_option
def solve_command(
    file: str, trace: bool, compare: bool, seed: int | None, chart: str | None, force: bool
) -> None:
    """Solve a board of the problem "Spot the ships", from FILE or standard input.

    The input is the strategy (linear, smart or prob); rows, columns (250 at most)
    and number of ships; then row, column, size (1 to 5) and E or S for each ship,
    counted from 0. The output is the number of scans and the final board: "+" is a
    spotted ship cell, "X" water or eliminated, "." a cell never scanned.

    \b
    Example:
      echo 'prob  5 6 2  1 1 4 E  3 3 2 S' | bsbench solve --trace
    """
    if trace and compare:
        raise BsbenchError("--trace follows one strategy and --all runs four: choose one of them")
    if seed is not None and not compare:
        raise BsbenchError("only smart-random uses random numbers: give --seed with --all")
    if seed is not None and seed < 0:
        raise BsbenchError(f"a seed is a non-negative integer, not {seed}")
    kind = picture_kind(chart)

    from bsbench.common.files import check_export, write_file
    from bsbench.common.reading import read_input
    from bsbench.play.spot_the_ships import STRATEGIES, read_problem, solve, trace_text
    from bsbench.roster import find_strategy

    if chart:
        check_export(chart, force)
    problem = read_problem(read_input(file))
    if compare:
        names = (*STRATEGIES, "smart-random")
        solutions = [solve(problem, find_strategy(name)(), seed or 0) for name in names]
    else:

        def show(scan: Scan) -> None:
            click.echo(trace_text(scan, problem) + "\n")

        strategy = find_strategy(problem.strategy)()
        solutions = [solve(problem, strategy, watch=show if trace else None)]
    # The chart first: it is written even when the reader of the output has closed the pipe.
    if chart:
        from bsbench.present.charts import write_figure
        from bsbench.present.charts.board import board

        write_file(chart, partial(write_figure, board(solutions), kind=kind))
    if compare:
        _print_comparison(solutions)
    else:
        click.echo(f"{solutions[0].scans}\n{solutions[0].board}")


def _print_comparison(solutions: list[Solution]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("strategy")
    for column in ("scans", "spotted", "eliminated", "never scanned"):
        table.add_column(column, justify="right")
    for solution in solutions:
        marks = solution.board
        table.add_row(
            solution.strategy,
            str(solution.scans),
            str(marks.count("+")),
            str(solution.eliminated),
            str(marks.count(".")),
        )
    console = Console(highlight=False)
    console.width = max(console.width, 80)
    console.print(table)
