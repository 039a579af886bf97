"""``bsbench connect4 grade``: compare a file of solved positions with the solver."""

from __future__ import annotations

from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.cli.ending import end_interrupted
from bsbench.cli.exports import Exportable, Exports, export_options, of_entries
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import GroupedCommand
from bsbench.cli.playing import in_background, status
from bsbench.common.settings import read_settings

if TYPE_CHECKING:
    from bsbench.connect4.grading import Solved

_SHOWN = 10
"""Wrong lines that are shown one by one."""


@in_section(Section.ODDS, Keeps.SOLVED)
@click.command("grade", cls=GroupedCommand)
@click.argument("file")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the player perfect, such as table_bits=24; may be repeated.",
)
@export_options("the wrong lines")
@click.pass_context
def grade_command(
    context: click.Context, file: str, settings: tuple[str, ...], exports: Exports
) -> None:
    """Solve the positions in FILE, and compare the scores.

    The command compares the scores of the solver with those in FILE. A line holds the columns
    played, 1 to 7, and the score: 22 minus the number of stones that the winner has placed when the
    game ends, negative if the player to move loses, 0 for a draw. That is how the public test sets
    of solvers are written. Empty lines, and what follows #, are ignored. FILE may be -, for
    standard input.

    The command prints how many are right and wrong, the times, and the nodes. The exit code is 1
    if any is wrong. Ctrl-C ends early and prints what was graded.

    \b
    Examples:
      bsbench connect4 grade Test_L3_R1
      echo '2252576253462244111563365343671351441 -1' | bsbench connect4 grade -
    """
    from bsbench.common.reading import read_input
    from bsbench.connect4.grading import read_tasks, solve_task, summary
    from bsbench.connect4.players.perfect import Perfect
    from bsbench.connect4.position import Position

    exports.check()
    name = "standard input" if file == "-" else file
    tasks = read_tasks(read_input(file).split("\n"), name)
    solver = Perfect.configured(read_settings(settings))
    solver.begin(0)
    # Compiling or loading kernels is no part of the time.
    solver.worth(Position.parse("414141"))
    solved: list[Solved] = []
    interrupted = False
    try:
        with status(quiet=exports.to_stdout) as show:
            for task in tasks:
                show(f"{len(solved)} of {len(tasks)} positions")
                solved.append(in_background(partial(solve_task, solver, task)))
    except KeyboardInterrupt:
        interrupted = True
    wrong = [each for each in solved if not each.right]
    if solved:
        figures = summary(solved)
        # Alone on standard output, it is what a program reads.
        show = partial(_print_grade, figures, wrong)
        exports.finish(_exportable(figures, wrong), quiet=exports.to_stdout, show=show)
    if interrupted:
        click.echo(f"interrupted after {len(solved)} of {len(tasks)} positions", err=True)
        end_interrupted()
    context.exit(1 if wrong else 0)


def _exportable(figures: dict[str, Any], wrong: list[Solved]) -> Exportable:
    """Return what exports a grading: a row for each wrong line."""

    def record() -> dict[str, Any]:
        return figures | {"wrong_lines": [each.to_dict() for each in wrong]}

    def columns() -> dict[str, list[str]]:
        rows = record()["wrong_lines"]
        return {name: [str(row[name]) for row in rows] for name in (rows[0] if rows else ())}

    return of_entries(record, "wrong_lines", columns)


def _print_grade(figures: dict[str, Any], wrong: list[Solved], stream: IO[str]) -> None:
    for each in wrong[:_SHOWN]:
        click.echo(
            f"line {each.task.line}: {each.task.position.text} is worth {each.score}, "
            f"not {each.task.score}",
            file=stream,
        )
    if len(wrong) > _SHOWN:
        click.echo(f"and {len(wrong) - _SHOWN:,} more", file=stream)
    count = figures["positions"]
    positions = "position" if count == 1 else "positions"
    click.echo(
        f"{count:,} {positions}: {figures['right']:,} right, {figures['wrong']:,} wrong",
        file=stream,
    )
    mean, median, longest = (1000 * figures[key] for key in ("mean", "median", "longest"))
    click.echo(
        f"{figures['seconds']:.3g} s: {mean:.3g} ms each on average, median {median:.3g}, "
        f"longest {longest:.3g}",
        file=stream,
    )
    click.echo(
        f"{figures['nodes']:,} nodes, {figures['nodes'] / count:,.0f} each, "
        f"{figures['nodes_per_second'] / 1e6:.1f} million per second",
        file=stream,
    )
