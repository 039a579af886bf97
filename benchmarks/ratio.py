"""Compare the speed of two versions of bsbench: ``python -m benchmarks.ratio BASE``.

Each version plays in a process of its own. The two take turns: in a round, both play the same games
of a strategy, one right after the other, so that what slows the machine slows both. The ratio of a
round is that of their processor times, on one core and with kernels compiled before.
"""

from __future__ import annotations

import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

import click

from benchmarks.measuring import STRATEGIES, amount_within
from benchmarks.parts import ROOT
from bsbench.present.tables import markdown_table
from bsbench.stats.intervals import quantile_ranks

SCENARIO = "classic"

FEWEST_ROUNDS = 6
"""Fewer ratios give no interval for their median."""


class Player:
    """A version of bsbench, in a process of its own."""

    def __init__(self, tree: Path) -> None:
        # That of this checkout, since the other version may have another one or none.
        children = Path(__file__).with_name("children.py")
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(children)],
            env=os.environ | {"PYTHONPATH": str(tree)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._tree = tree

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def check(self) -> None:
        """Refuse a folder that has no bsbench, so that another one was imported."""
        place = self._said()["place"]
        if not Path(place).is_relative_to(self._tree.resolve()):
            raise click.ClickException(f"there is no bsbench in {self._tree}, but in {place}")

    def play(self, strategy: str, games: int) -> dict[str, Any]:
        """Return the ``seconds`` that games took, and their ``moves``; or the ``problem``."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([strategy, SCENARIO, games]) + "\n")
        self._process.stdin.flush()
        return self._said()

    def seconds(self, strategy: str, games: int) -> float:
        return self.play(strategy, games)["seconds"]

    def _said(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise click.ClickException("a version of bsbench has ended; see above")
        said: dict[str, Any] = json.loads(line)
        return said


def interval(ratios: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the median of the law of independent ratios."""
    ranks = quantile_ranks(len(ratios), 0.5)
    assert ranks is not None
    low, high = ranks
    ordered = sorted(ratios)
    return ordered[low - 1], ordered[high - 1]


def compared(base: Player, head: Player, strategy: str, rounds: int, seconds: float) -> list[str]:
    """Return a row of the table: strategy, ratio, interval, whether the games are the same."""
    first = {"base": base.play(strategy, 1), "head": head.play(strategy, 1)}
    for side, said in first.items():
        if "problem" in said:
            return [strategy, "–", "–", f"{side}: {said['problem'].partition(':')[0]}"]
    games = amount_within(partial(base.seconds, strategy), seconds, 100)
    ratios, same = [], True
    for number in range(rounds):
        # In turn the first one: it may find the machine in another state.
        sides = (base, head) if number % 2 else (head, base)
        said = {side: side.play(strategy, games) for side in sides}
        ratios.append(said[base]["seconds"] / said[head]["seconds"])
        same = same and said[base]["moves"] == said[head]["moves"]
    low, high = interval(ratios)
    shown = f"{statistics.median(ratios):.2f}", f"{low:.2f} to {high:.2f}"
    return [strategy, *shown, "yes" if same else "NO"]


@contextmanager
def tree_of(version: str) -> Iterator[Path]:
    """Yield the folder of a version: one that is there, or a git revision of this checkout."""
    if Path(version).is_dir():
        yield Path(version).absolute()
        return
    command = ["git", "-C", str(ROOT), "archive", version, "--", "bsbench", "configs"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise click.ClickException(f"{version} is no folder, and git says: {done.stderr.decode()}")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("base")
@click.argument("head", default=str(ROOT))
@click.option(
    "-s", "--strategy", "strategies", multiple=True, default=STRATEGIES, show_default=True
)
@click.option("--rounds", type=click.IntRange(FEWEST_ROUNDS), default=15, show_default=True)
@click.option("--seconds", type=float, default=0.3, show_default=True, help="Of each turn.")
def main(base: str, head: str, strategies: tuple[str, ...], rounds: int, seconds: float) -> None:
    """Print how fast HEAD is, relative to BASE, as Markdown.

    Each is a folder or a git revision. HEAD is this checkout by default.
    """
    with ExitStack() as stack:
        trees = [stack.enter_context(tree_of(version)) for version in (base, head)]
        players = [stack.enter_context(Player(tree)) for tree in trees]
        for player in players:
            player.check()
        rows = [compared(*players, name, rounds, seconds) for name in dict.fromkeys(strategies)]
    heads = "strategy", "speed, head to base", "95 %", "same games"
    columns = dict(zip(heads, zip(*rows, strict=True), strict=True))
    click.echo(markdown_table(columns))
    click.echo(
        f"\nThe median of {rounds} ratios, with the 95 % interval of that median. Above 1, the "
        "head is faster. Both played the same games in turns, on one core, with kernels compiled "
        f"before, on `{SCENARIO}`."
    )


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.ratio")
