"""How commands end: signals, results that can't be saved, and exit codes.

Ctrl-C, SIGTERM and SIGHUP all end a command early, by a `KeyboardInterrupt`. What it played is then
saved and shown. `docs/when-a-command-ends.md` lists the exit codes.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, TypeVar

import click

from bsbench.common.errors import WriteError, reason

if TYPE_CHECKING:
    from bsbench.common.journal import Journal

UNSAVED = 3
"""Exit code if results can't be written where they were asked for."""

CLOSED = 128 + 13
"""Exit code if whoever reads what is printed has left, by which shells report SIGPIPE."""

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that end a command. Windows has no SIGHUP."""

_AT_ONCE = 1.0
"""Seconds within which several signals count as one: a terminal that closes sends SIGHUP, and
its shell sends another; systemd sends SIGTERM and SIGHUP."""

_Made = TypeVar("_Made")


class _Heard:
    """The signals that a command has received."""

    def __init__(self) -> None:
        self.first: int | None = None
        self.held = False
        self._since = 0.0

    def hear(self, number: int, frame: FrameType | None) -> None:
        """Interrupt the command at the first signal, and end it hard at the next one."""
        if self.first is None:
            if _in_callback_of_llvm(frame):
                _send_again(number)
                return
            self.first, self._since = number, time.monotonic()
            if not self.held:
                raise KeyboardInterrupt
        elif time.monotonic() - self._since > _AT_ONCE:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)


_heard = _Heard()


def _in_callback_of_llvm(frame: FrameType | None) -> bool:
    """Return whether a frame is part of a compilation, where an exception may get lost.

    LLVM calls Python to pass on machine code; ctypes prints what is raised there and drops it.
    """
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("llvmlite."):
            return True
        frame = frame.f_back
    return False


def _send_again(number: int) -> None:
    """Send a signal to the main thread, a moment later."""

    def send() -> None:
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident or 0, number)
        else:
            signal.raise_signal(number)

    timer = threading.Timer(0.01, send)
    timer.daemon = True
    timer.start()


@contextmanager
def listening() -> Iterator[None]:
    """Turn the signals that end a command into a `KeyboardInterrupt`.

    Signals that are ignored remain so: SIGHUP under ``nohup``, Ctrl-C in the background.
    """
    global _heard
    _heard, before = _Heard(), {}
    if threading.current_thread() is threading.main_thread():
        for name in _ENDING:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, _heard.hear)
    try:
        yield
    except ImportError:
        # A module in C makes that of an interruption.
        if _heard.first is None:
            raise
        raise KeyboardInterrupt from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let a first signal pass: saving takes a second, and an interruption would lose the run."""
    before, _heard.held = _heard.held, True
    try:
        yield
    finally:
        _heard.held = before


def end_interrupted() -> NoReturn:
    """End with the exit code by which shells report a signal: 130 for Ctrl-C, 143 for SIGTERM."""
    sys.exit(128 + (_heard.first or signal.SIGINT))


class Saving:
    """Writes results; those that can't be written go to a temporary folder."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._remedy = ""
        self._folder: str | None = None

    def __call__(self, write: Callable[[str], _Made], place: str) -> _Made | None:
        """Return what ``write`` returns for a place; None if there is no place at all.

        Parameters
        ----------
        write : callable
            Takes a path. If it raises WriteError, it is called again with a path of the same
            name in the temporary folder.
        place : str
            A path; with a slash at its end, a folder.
        """
        try:
            return write(place)
        except WriteError as error:
            problem = str(error)
        try:
            if self._folder is None:
                self._folder = tempfile.mkdtemp(prefix="bsbench-")
            written = write(os.path.join(self._folder, os.path.basename(place)))
        except (WriteError, OSError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            self.problems.append(f"{problem}; a temporary folder failed, too: {why}")
            return None
        self.problems.append(f"{problem}; saved in {self._folder} instead")
        return written

    def end_journal(self, journal: Journal) -> None:
        """Remove the journal of what has been played to the end, unless something is not saved."""
        if not (self.problems and journal.is_kept):
            journal.discard()
        else:
            self._remedy = (
                f"{journal.path} stays: when files can be written there, the same command with "
                "--resume saves all that is missing"
            )

    def report(self) -> None:
        """Print what could not be written, where it is instead, and what to do."""
        for problem in dict.fromkeys(self.problems):
            click.echo(f"Error: {problem}", err=True)
        if self._remedy:
            click.echo(self._remedy, err=True)


@contextmanager
def saving() -> Iterator[Saving]:
    """Save and show results, whatever goes wrong.

    Results are saved before they are shown, since standard output may fail, too. If they
    can't be saved where they were asked for, they are shown all the same, and the exit code is
    `UNSAVED`.
    """
    save = Saving()
    with uninterrupted():
        try:
            yield save
        finally:
            save.report()
    if save.problems:
        sys.exit(UNSAVED)
