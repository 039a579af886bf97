"""``bsbench solve``: the problem "Spot the ships"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.cli.delivery import Study, drawing, study
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import picture_kind
from bsbench.common.errors import BsbenchError
from bsbench.common.found import Ending

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from bsbench.play.spot_the_ships import Scan, Solution
    from bsbench.present.sheets import Sheet


@in_section(Section.ODDS)
@study(
    "solve",
    [
        click.argument("file", default="-"),
        click.option("--trace", is_flag=True, help="Print each scan and what led to it."),
        click.option(
            "--all", "compare", is_flag=True, help="Compare linear, smart, prob and smart-random."
        ),
        click.option("--seed", type=int, help="For smart-random, with --all.  [default: 0]"),
        click.option(
            "--chart",
            metavar="PATH",
            help="Draw the final board (with --all, four), and the likelihood, to a .png, .svg or "
            ".pdf file.",
        ),
    ],
)
def solve_command(
    file: str, trace: bool, compare: bool, seed: int | None, chart: str | None
) -> Study:
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

    from bsbench.common.reading import read_input
    from bsbench.play.spot_the_ships import STRATEGIES, read_problem, solve, trace_text
    from bsbench.roster import find_strategy

    problem = read_problem(read_input(file))
    names = (*STRATEGIES, "smart-random") if compare else (problem.strategy,)

    def show(scan: Scan) -> None:
        click.echo(trace_text(scan, problem) + "\n")

    def find(progress: object) -> Solved:
        watch = show if trace else None
        return Solved([solve(problem, find_strategy(name)(), seed or 0, watch) for name in names])

    def figure(found: Solved) -> Figure:
        from bsbench.present.charts.board import board

        return board(found.solutions)

    return Study(find, Solved.sheet, in_background=False, files={chart: drawing(figure, kind)})


@dataclass(frozen=True)
class Solved(Ending):
    """The solutions of a problem: of one strategy, or of all."""

    solutions: Sequence[Solution]

    def columns(self) -> dict[str, list[Any]]:
        """Return the table: a row for each strategy."""
        boards = [solution.board for solution in self.solutions]
        return {
            "strategy": [solution.strategy for solution in self.solutions],
            "scans": [solution.scans for solution in self.solutions],
            "spotted": [board.count("+") for board in boards],
            "eliminated": [solution.eliminated for solution in self.solutions],
            "never scanned": [board.count(".") for board in boards],
        }

    def table(self) -> pd.DataFrame:
        """Return what CSV and Parquet hold."""
        import pandas as pd

        return pd.DataFrame(self.columns()).rename(columns={"never scanned": "never_scanned"})

    def to_dict(self) -> dict[str, Any]:
        """Return the record."""
        rows = self.table().to_dict("records")
        boards = [solution.board for solution in self.solutions]
        return {"solutions": [{**row, "board": b} for row, b in zip(rows, boards, strict=True)]}

    def sheet(self) -> Sheet:
        """Return what is shown: the board of one strategy, the table of several."""
        from bsbench.present.sheets import Sheet

        texts = {name: list(map(str, cells)) for name, cells in self.columns().items()}

        def show(stream: IO[str] | None) -> None:
            solution = self.solutions[0]
            click.echo(f"{solution.scans}\n{solution.board}", file=stream)

        return Sheet(texts, show=show if len(self.solutions) == 1 else None)
