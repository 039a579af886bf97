"""``bsbench rl``: agents that learn."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.ending import end_interrupted
from bsbench.cli.exports import Exports, export_options, of_entries
from bsbench.cli.group import CheckedGroup, Keeps, Section, in_section
from bsbench.cli.options import OUTPUT, GroupedCommand, grouped, picture_kind, quiet_option
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.rl.training import Progress


@in_section(Section.PLAYER)
@click.group("rl", cls=CheckedGroup)
def rl_command() -> None:
    """Train agents by reinforcement learning."""


@in_section(Section.PLAYER, Keeps.ROUND)
@rl_command.command("train")
@click.option(
    "--scenario",
    metavar="NAME|FILE",
    help="Rules and placement law to train on.  [default: gym-5x5]",
)
@click.option(
    "--steps",
    type=int,
    metavar="N",
    help="Total number of shots to train on.  [default: 400,000 on 5x5, 500,000 on 6x6, "
    "1,500,000 on 8x8, 2,500,000 on larger boards]",
)
@click.option("--seed", type=int, metavar="N", help="Seed of all random numbers.  [default: 0]")
@click.option(
    "-o",
    "--output",
    metavar="FILE.zip",
    help="Where the agent is saved; the next free number is appended if it exists.  "
    "[default: agents/ppo-SCENARIO.zip]",
)
@click.option("--resume", metavar="FILE.zip", help="Continue the training saved there.")
@quiet_option
def train_command(
    scenario: str | None,
    steps: int | None,
    seed: int | None,
    output: str | None,
    resume: str | None,
    quiet: bool,
) -> None:
    """Train an agent by MaskablePPO.

    The saved file is a strategy: name it wherever a command takes one. Training needs
    Stable-Baselines3 and torch (in a clone: pip install -e '.[rl]'); playing needs neither. The
    agent is saved after every round. After Ctrl-C, continue with --resume: the final weights are
    the same as without the interruption. The same seed gives the same agent on the same machine
    with the same libraries.

    \b
    Examples:
      bsbench rl train
      bsbench compare agents/ppo-gym-5x5.zip random prob
      bsbench rl train --scenario gym-8x8 --output mine.zip
      bsbench rl train --resume mine.zip --steps 10000000
    """
    if resume is not None and (scenario is not None or output is not None):
        raise BsbenchError(
            "--resume continues the training in its file: leave out --scenario and --output"
        )
    from bsbench.rules.scenario import find_scenario

    # A wrong scenario is reported before the wait for torch.
    place = find_scenario("gym-5x5" if scenario is None else scenario)

    from bsbench.rl.training import free_path, make_plan, resumed_plan, train

    if resume is None:
        plan, done = make_plan(place, steps, seed), 0
        path = str(free_path(output, place))
    else:
        plan, done = resumed_plan(resume, steps, seed)
        path = resume
    try:
        with _progress(plan.scenario.name, quiet) as progress:
            train(plan, path, done, progress)
    except KeyboardInterrupt:
        if not os.path.exists(path):
            raise
        click.echo(
            f"Interrupted. The last whole round is in {path}; continue with: "
            f"bsbench rl train --resume {shlex.quote(path)}",
            err=True,
        )
        end_interrupted()
    if not quiet:
        click.echo(f"saved {path}. Measure it:")
        click.echo(
            f"  bsbench compare {shlex.quote(path)} random hunt-target prob "
            f"--scenario {shlex.quote(plan.scenario.name)}"
        )
        click.echo("Its learning curve:")
        click.echo(f"  bsbench rl curve {shlex.quote(path)}")


@rl_command.command("curve", cls=GroupedCommand)
@click.argument("files", metavar="FILE.zip...", nargs=-1)
@grouped(
    OUTPUT,
    [
        click.option(
            "-o",
            "--output",
            metavar="PATH",
            help="Draw the learning curves as this picture: .png, .svg or .pdf.",
        )
    ],
)
@export_options()
@quiet_option
def curve_command(
    files: tuple[str, ...], output: str | None, exports: Exports, quiet: bool
) -> None:
    """Show how agents got better while 'bsbench rl train' trained them.

    Each row is a round of 65,536 shots: the games that ended in it, and how many shots they took on
    average. While it learns, an agent tries cells at random, so that these games are longer than
    those that it plays later.

    \b
    Examples:
      bsbench rl curve agents/ppo-gym-8x8.zip
      bsbench rl curve agents/*.zip -o curves.svg
      bsbench rl curve mine.zip --export-csv mine.csv
    """
    kind = picture_kind(output)
    if not files:
        raise BsbenchError("no agent is named: give the file of one, such as agents/mine.zip")
    exports.check([output])

    from bsbench.common.files import write_file
    from bsbench.present.terminal import console_for, print_table
    from bsbench.rl.curve import curve_columns, draw_curves, read_curves

    curves = read_curves(files)
    rows = [row for curve in curves for row in curve.rows()]
    columns = partial(curve_columns, curves)

    def write(path: str) -> None:
        from bsbench.present.charts import write_figure

        write_file(path, partial(write_figure, draw_curves(curves), kind=kind))

    found = of_entries(lambda: {"rounds": rows}, "rounds", columns)
    exports.finish(
        found,
        quiet,
        lambda file: print_table(console_for(file), columns(), ("agent",)),
        output,
        write,
    )


@contextmanager
def _progress(name: str, quiet: bool) -> Iterator[Progress | None]:
    """Show steps, recent mean shots and remaining time on stderr; off a terminal, now and then."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar(name) as show:
            yield show
    else:
        with _lines(name) as show:
            yield show


def _recent(mean: float, games: int) -> str:
    """Return how the games of this round went, if there are any."""
    return f", {mean:.1f} shots a game in the last {games:,}" if games else ""


@contextmanager
def _lines(name: str) -> Iterator[Progress]:
    from bsbench.present.progress import duration_text, log_lines

    latest = f"{name}: training begins"
    begun: tuple[float, int] | None = None

    def show(done: int, steps: int, mean: float, games: int) -> None:
        nonlocal latest, begun
        now = time.monotonic()
        latest = f"{name}: {done:,} of {steps:,} steps{_recent(mean, games)}"
        if begun is None:
            begun = now, done
        elif done > begun[1]:
            left = (now - begun[0]) / (done - begun[1]) * (steps - done)
            latest += f", about {duration_text(left)} left"

    with log_lines(lambda: latest, sys.stderr):
        yield show


@contextmanager
def _bar(name: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TextColumn("{task.completed:,.0f} steps{task.fields[late]}"),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(name, total=None, late="")

        def show(done: int, steps: int, mean: float, games: int) -> None:
            bar.update(task, completed=done, total=steps, late=_recent(mean, games))

        yield show
