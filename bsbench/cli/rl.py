"""``bsbench rl``: agents that learn."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from bsbench.cli.ending import end_interrupted
from bsbench.cli.group import CheckedGroup
from bsbench.cli.options import quiet_option
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.rl.training import Progress


@click.group("rl", cls=CheckedGroup)
def rl_command() -> None:
    """Train agents by reinforcement learning."""


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
    Stable-Baselines3 and torch (pip install 'bsbench[rl]'); playing needs neither. The agent is
    saved after every round. After Ctrl-C, continue with --resume: the final weights are the same
    as without the interruption. The same seed gives the same agent on the same machine with the
    same libraries.

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
        with _progress_bar(plan.scenario.name, quiet) as progress:
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


@contextmanager
def _progress_bar(name: str, quiet: bool) -> Iterator[Progress | None]:
    """Show steps, recent mean moves and remaining time on stderr, if it is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
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

        def show(done: int, steps: int, mean: float) -> None:
            late = f", {mean:.1f} moves a game" if mean == mean else ""
            bar.update(task, completed=done, total=steps, late=late)

        yield show
