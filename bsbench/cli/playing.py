"""What commands that play games share: progress on stderr, and work in the background."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, Literal, TypeVar

import click

if TYPE_CHECKING:
    from bsbench.runs.results import Result


def echo_alarms(results: Iterable[Result]) -> None:
    """Print alarms on stderr, where no table is printed that has them beneath."""
    from bsbench.present.tables import alarm_texts

    for text in alarm_texts(results):
        click.echo(text, err=True)


@contextmanager
def progress_bar(
    labels: Iterable[str], games: int | None, quiet: bool
) -> Iterator[Callable[[str, int], None] | None]:
    """Show games played, rate and remaining time on stderr, one line per label.

    ``games`` is None where the number of games is not known in advance. Nothing is shown when
    stderr is no terminal. The function yielded takes the label of the strategy that plays, and
    the number of its games played so far.
    """
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
    from rich.table import Column
    from rich.text import Text

    class RateColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            rate = task.fields.get("rate")
            return Text(f"{rate:,.0f} games/s" if rate else "")

    with Progress(
        # Long labels are broken, so that there is room for the rest on 80 columns.
        TextColumn("{task.description}", table_column=Column(max_width=26, overflow="fold")),
        BarColumn(bar_width=20),
        TextColumn("{task.completed:,.0f} games") if games is None else TaskProgressColumn(),
        RateColumn(table_column=Column(justify="right", no_wrap=True)),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        tasks = {label: bar.add_task(label, total=games) for label in labels}
        # Blocks end in bursts, so the rate between two of them means nothing. The rate is measured
        # from the start of the strategy's round, which is the end of the round before.
        playing, begun, latest, before = "", time.monotonic(), time.monotonic(), 0.0

        def show(label: str, played: int) -> None:
            nonlocal playing, begun, latest, before
            if label != playing:
                playing, begun, before = label, latest, bar.tasks[tasks[label]].completed
            latest = time.monotonic()
            rate = (played - before) / max(latest - begun, 1e-9)
            bar.update(tasks[label], completed=played, rate=rate)

        yield show


@contextmanager
def status(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show on stderr, if it is a terminal, a line on work that has no progress bar."""
    if quiet or not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("") as line:
        yield lambda text: line.update(escape(text))


_Made = TypeVar("_Made")


def in_background(work: Callable[[], _Made]) -> _Made:
    """Return what ``work`` returns. Ctrl-C takes effect at once, even while a kernel runs."""
    ended: SimpleQueue[tuple[Literal[True], _Made] | tuple[Literal[False], BaseException]]
    ended = SimpleQueue()

    def run() -> None:
        try:
            ended.put((True, work()))
        except BaseException as error:
            ended.put((False, error))

    threading.Thread(target=run, daemon=True).start()
    outcome = ended.get()
    if outcome[0]:
        return outcome[1]
    raise outcome[1]
