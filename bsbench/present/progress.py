"""Progress: how far games are, on a terminal, in a notebook, or as lines in a log.

A terminal and a notebook show bars. Elsewhere lines are written at intervals that grow, so that
the log of a night stays short.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from bsbench.common.progress import Progress, Watch
from bsbench.common.texts import for_terminal, plain
from bsbench.stats import interval_text

_FIRST_LINE = 10.0
_GROWTH = 1.5
_LONGEST_GAP = 300.0
"""Seconds until the first line of a log, the factor of the gaps between lines, and the longest."""

_NAME, _NARROW_NAME = 24, 18
"""Letters of a name on a line, and on a line of a narrow terminal."""

_WITH_BARS = 80
"""Columns of a terminal that has room for bars and rates."""

SETTING_UP = "setting up and playing the first games"
"""Until a block of games is over: kernels are loaded, and a slow strategy thinks."""

COMPILING = "compiling (once)"
"""While numba compiles; what it has compiled is kept for later runs."""

_MOST_NAMED = 3
"""Players that a line names."""


class _Compiler:
    """Knows whether numba compiles, in whichever thread, as far as numba has been imported."""

    def __init__(self) -> None:
        self._going = self._done = 0
        self._heard = False

    def notify(self, event: Any) -> None:
        """Take an event of numba: a compilation, maybe within another, begins or ends."""
        # One that ends may have begun before anybody listened.
        self._going = max(0, self._going + (1 if event.is_start else -1))
        self._done += not (event.is_start or self._going)

    def in_place_of(self, text: str) -> str:
        """Return what is done: compiling, with the number of the kernel, or else ``text``."""
        return f"{COMPILING}: kernel {self._done + 1}" if self.text == COMPILING else text

    @property
    def text(self) -> str:
        """What is done until a block of games is over."""
        if not self._heard and (events := sys.modules.get("numba.core.event")) is not None:
            # Without importing numba for a base class.
            events.Listener.register(_Compiler)
            events.register("numba:compile", self)
            self._heard = True
        return COMPILING if self._going > 0 else SETTING_UP


_compiler = _Compiler()


def doing_text(text: str) -> str:
    """Return what is done now, and with it which kernel is compiled, if one is."""
    return text if _compiler.text != COMPILING else f"{text}; {_compiler.in_place_of('')}"


def logged_text(text: str) -> str:
    """Return the same for a log, where lines that are the same are written once."""
    return COMPILING if _compiler.text == COMPILING else text


@dataclass(frozen=True)
class Figures:
    """What is known of a run in progress, beside its games.

    Attributes
    ----------
    mean, half_width : float
        Of the moves, with a 95 % interval; NaN if not known.
    width, goal : float or None
        The half-width that decides when the run ends, now and then.
    """

    mean: float = math.nan
    half_width: float = math.nan
    width: float = math.nan
    goal: float | None = None

    @property
    def text(self) -> str:
        """What is known; empty if nothing is."""
        if math.isnan(self.mean):
            return ""
        text = interval_text(self.mean, self.half_width)
        if self.goal is None:
            return text
        now = (
            ""
            if math.isnan(self.width) or self.width == self.half_width
            else f"± {self.width:.2g} of "
        )
        return f"{text}, {now or 'goal '}± {self.goal:g}"

    def needed(self, games: int) -> int | None:
        """Return about how many games reach the goal, given those played; None if unknown."""
        if self.goal is None or math.isnan(self.width):
            return None
        # Half-widths shrink with the root of the games. More games than can be played are enough.
        return max(games, math.ceil(games * min(self.width / self.goal, 1e9) ** 2))


def leading_text(known: Mapping[str, Figures]) -> str:
    """Return who needs the fewest moves so far; empty if only one has played."""
    if len(known) < 2:
        return ""
    best = sorted(known, key=lambda label: known[label].mean)[:_MOST_NAMED]
    texts = (
        f"{label} {interval_text(known[label].mean, known[label].half_width)}" for label in best
    )
    return f"fewest so far: {', '.join(texts)}"


@contextmanager
def progress(
    labels: Iterable[str] = (), games: int | None = None, file: IO[str] | None = None
) -> Iterator[Watch]:
    """Show progress as it suits the place.

    Parameters
    ----------
    labels : iterable of str
        What will play, in order; others join when they begin.
    games : int or None
        Games of each; None if that is not known before.
    file : file, optional
        Default: standard error.

    Yields
    ------
    callable
        Takes a `bsbench.common.progress.Progress`.

    Examples
    --------
    >>> with progress(["prob", "smart"], 100_000) as show:  # doctest: +SKIP
    ...     bsbench.compare(["prob", "smart"], games=100_000, progress=show)
    """
    file = file or sys.stderr
    shown = _bars if file.isatty() or _in_notebook() else _lines
    with shown(list(labels), games, file) as show:
        yield show


def _in_notebook() -> bool:
    """Return whether this is a notebook that can show what changes."""
    if "ipykernel" not in sys.modules:
        return False
    return importlib.util.find_spec("ipywidgets") is not None


class _Pace:
    """The rate of what plays now.

    Blocks end in bursts, so that the rate between two of them means nothing. It is measured
    from the start of the strategy's round, which is the end of the round before, or from its first
    block, if it was set up before that.
    """

    def __init__(self) -> None:
        self._label = ""
        self._begun = self._latest = time.monotonic()
        self._before = 0
        self._set_up = True

    def rate(self, now: Progress, before: int) -> float:
        """Return games a second, 0 if unknown; ``before`` are those that were shown last."""
        moment = time.monotonic()
        if now.label != self._label:
            self._label, self._begun, self._before = now.label, self._latest, before
        if now.setting_up:
            self._set_up = False
        elif not self._set_up:
            self._begun, self._before, self._set_up = moment, now.done, True
        self._latest = moment
        return (now.done - self._before) / max(moment - self._begun, 1e-9)


@contextmanager
def _bars(labels: list[str], games: int | None, file: IO[str]) -> Iterator[Watch]:
    from rich import progress as rich
    from rich.console import Console, RenderableType
    from rich.progress import (
        BarColumn,
        ProgressColumn,
        Task,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column
    from rich.text import Text

    class Field(ProgressColumn):
        def __init__(self, name: str, justify: str = "left") -> None:
            super().__init__(Column(no_wrap=True, justify=justify))  # type: ignore[arg-type]
            self._name = name

        def render(self, task: Task) -> Text:
            text = task.fields.get(self._name, "")
            # It is drawn again and again while nothing else is heard.
            text = _compiler.in_place_of(text) if text == SETTING_UP else text
            return Text(plain(text, console.encoding))

    # A notebook has its own place for output.
    console = Console(file=file) if file.isatty() else Console()
    # Long labels are broken, so that there is room for the rest on 80 columns, and without bars
    # and rates on fewer.
    narrow = console.width < _WITH_BARS
    longest = _NARROW_NAME if narrow else _NAME
    least = min(longest, max(map(len, labels), default=0))
    named = Column(min_width=least, max_width=longest, overflow="fold")
    leading = ""

    class Bars(rich.Progress):
        def get_renderables(self) -> Iterator[RenderableType]:
            yield from super().get_renderables()
            if leading:
                text = plain(for_terminal(leading), console.encoding)
                yield Text(text, no_wrap=True, overflow="ellipsis")

    with Bars(
        TextColumn("{task.description}", table_column=named),
        *([] if narrow else [BarColumn(bar_width=10)]),
        TextColumn("{task.completed:,.0f} games") if games is None else TaskProgressColumn(),
        *([] if narrow else [Field("rate", "right")]),
        TimeRemainingColumn(compact=True),
        Field("so_far"),
        console=console,
        transient=True,
    ) as bar:
        tasks = {label: bar.add_task(for_terminal(label), total=games) for label in labels}
        if labels:
            bar.update(tasks[labels[0]], so_far=SETTING_UP)
        pace = _Pace()

        def show(now: Progress) -> None:
            nonlocal leading
            label, leading = now.label, now.leading or leading
            if label not in tasks:
                tasks[label] = bar.add_task(for_terminal(label), total=games)
            rate = pace.rate(now, int(bar.tasks[tasks[label]].completed))
            bar.update(
                tasks[label],
                completed=now.done,
                total=games or now.total,
                rate=f"{rate:,.0f} games/s" if rate else "",
                so_far=SETTING_UP if now.setting_up else now.note,
            )

        yield show


@contextmanager
def _lines(labels: list[str], games: int | None, file: IO[str]) -> Iterator[Watch]:
    played_before = dict.fromkeys(labels, 0)
    pace = _Pace()
    begun = time.monotonic()
    latest: tuple[Progress, float] | None = None

    def show(now: Progress) -> None:
        nonlocal latest
        rate = pace.rate(now, played_before.get(now.label, 0))
        played_before[now.label] = now.done
        latest = now, rate

    def line() -> str:
        if latest is None:
            return f"{_compiler.text}, for {duration_text(time.monotonic() - begun)} so far"
        return _line(games, *latest)

    with log_lines(line, file):
        yield show


@contextmanager
def log_lines(line: Callable[[], str], file: IO[str]) -> Iterator[None]:
    """Write lines to a log, at intervals that grow, while something goes on.

    Parameters
    ----------
    line : callable
        Returns what is to be written now; nothing is if that is empty, or was written before.
    file : file
    """
    ended = threading.Event()

    def write() -> None:
        gap, written = _FIRST_LINE, {""}
        while not ended.wait(gap):
            text = line()
            try:
                if text not in written:
                    encoding = getattr(file, "encoding", None)
                    print(plain(for_terminal(text), encoding), file=file, flush=True)
            except (OSError, ValueError):
                return  # nobody reads it any more
            written.add(text)
            gap = min(gap * _GROWTH, _LONGEST_GAP)

    # In a thread of its own, so that there are lines while nothing ends.
    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()


def _line(games: int | None, now: Progress, rate: float) -> str:
    """Return a line of a log; ``games`` are those of each that plays, if known."""
    if now.setting_up:
        # Whoever plays: a log says it once.
        return logged_text(f"{now.label}: {SETTING_UP}")
    parts = [f"{now.label}: {now.done:,} games"]
    total = games or now.total
    if games is not None:
        parts[0] = f"{now.label}: {now.done:,} of {games:,} games ({100 * now.done / games:.1f} %)"
    if rate > 0:
        parts.append(f"{rate:,.0f} games/s")
        if total is not None and now.done < total:
            about = "" if games else "about "
            parts.append(f"{about}{duration_text((total - now.done) / rate)} left")
    text = ", ".join(filter(None, [*parts, now.note]))
    return "; ".join(filter(None, [text, now.leading]))


def duration_text(seconds: float) -> str:
    """Return a time in units that people count in: ``40 s``, ``12 min``, ``3.5 h``, ``2.1 d``."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    if seconds < 99.5 * 60:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.1f} d"
