"""What commands that play games share: progress on stderr, and work in the background."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Literal, TypeVar

from bsbench.common.progress import Progress, Watch


@contextmanager
def progress_bar(labels: Iterable[str], games: int | None, quiet: bool) -> Iterator[Watch | None]:
    """Show on stderr how far games are, unless quiet: see `bsbench.present.progress`.

    Parameters
    ----------
    labels : iterable of str
        What will play, in order.
    games : int or None
        Games of each; None where that is not known in advance.
    quiet : bool
    """
    if quiet:
        yield None
        return
    from bsbench.present.progress import progress

    with progress(labels, games) as show:
        yield show


@contextmanager
def status(quiet: bool) -> Iterator[Callable[[Progress | str], None]]:
    """Show on stderr, unless quiet, a line on work that has no progress bar.

    Where stderr is no terminal, lines are written at intervals.
    """
    if quiet:
        yield lambda now: None
        return
    from bsbench.present.progress import doing_text, log_lines, logged_text

    latest = ""

    def note(now: Progress | str) -> None:
        nonlocal latest
        latest = str(now)

    if not sys.stderr.isatty():
        with log_lines(lambda: logged_text(latest), sys.stderr):
            yield note
        return
    from rich.console import Console
    from rich.text import Text

    class Line:
        """Drawn again and again, also while nothing else is heard."""

        def __rich__(self) -> Text:
            return Text(doing_text(latest))

    with Console(stderr=True).status(Line()):
        yield note


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
