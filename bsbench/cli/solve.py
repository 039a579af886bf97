"""``bsbench solve``: the problem "Spot the ships"."""

from __future__ import annotations

from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.cli.ending import saving
from bsbench.cli.exports import Exportable, Exports, export_options
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand, picture_kind
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    import pandas as pd

    from bsbench.play.spot_the_ships import Scan, Solution


@in_section(Section.ODDS)
@click.command("solve", cls=GroupedCommand)
@click.argument("file", default="-")
@click.option("--trace", is_flag=True, help="Print each scan and what led to it.")
@click.option(
    "--all", "compare", is_flag=True, help="Compare linear, smart, prob and smart-random."
)
@click.option("--seed", type=int, help="For smart-random, with --all.  [default: 0]")
@click.option(
    "--chart",
    metavar="PATH",
    help="Draw the final board (with --all, four), and the likelihood, to a .png, .svg or .pdf "
    "file.",
)
@export_options()
# One parameter for each option, since click passes them by name.
def solve_command(
    file: str,
    trace: bool,
    compare: bool,
    seed: int | None,
    chart: str | None,
    exports: Exports,
) -> None:
    """Solve a board of the problem "Spot the ships".

    The board is in FILE, or comes from standard input. The input is the strategy (linear, smart or
    prob); rows, columns (250 at most) and number of ships; then row, column, size (1 to 5) and E or
    S for each ship, counted from 0. The output is the number of scans and the final board: "+" is a
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

    from bsbench.common.files import write_file
    from bsbench.common.reading import read_input
    from bsbench.play.spot_the_ships import STRATEGIES, read_problem, solve, trace_text
    from bsbench.roster import find_strategy

    exports.check([chart])
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
    found = _exportable(solutions)
    with saving() as save:
        exports.write(save, found)
        _print(solutions, compare, exports.table_stream)
        exports.echo(found)


def _columns(solutions: list[Solution]) -> dict[str, list[Any]]:
    """Return the table of solutions: a row for each strategy."""
    boards = [solution.board for solution in solutions]
    return {
        "strategy": [solution.strategy for solution in solutions],
        "scans": [solution.scans for solution in solutions],
        "spotted": [board.count("+") for board in boards],
        "eliminated": [solution.eliminated for solution in solutions],
        "never scanned": [board.count(".") for board in boards],
    }


def _exportable(solutions: list[Solution]) -> Exportable:
    """Return what exports solutions."""

    def frame() -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(_columns(solutions)).rename(columns={"never scanned": "never_scanned"})

    def record() -> dict[str, Any]:
        rows = frame().to_dict("records")
        boards = [solution.board for solution in solutions]
        return {"solutions": [{**row, "board": b} for row, b in zip(rows, boards, strict=True)]}

    def texts() -> dict[str, list[str]]:
        return {name: list(map(str, cells)) for name, cells in _columns(solutions).items()}

    return Exportable(frame, record, texts)


def _print(solutions: list[Solution], compare: bool, stream: IO[str]) -> None:
    from bsbench.present.terminal import console_for, print_table

    if not compare:
        click.echo(f"{solutions[0].scans}\n{solutions[0].board}", file=stream)
        return
    columns = {name: list(map(str, cells)) for name, cells in _columns(solutions).items()}
    print_table(console_for(stream, width=80), columns)
