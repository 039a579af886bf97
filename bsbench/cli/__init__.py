"""The command line: each command parses, calls the library, and prints.

One file for each command, or for some short ones, imported when it is asked for. numba, pandas,
matplotlib and rich are imported inside the functions that use them, so that ``--help`` is instant.
Several share:

`group`
    a group of commands, and checks of their values;
`options`
    options, and the help that lists them under headings;
`completion`
    what the shell completes;
`exports`
    the options ``--export-…``, and what they write;
`saving`
    where results are saved, what may be replaced, and the journal beside them;
`delivery`
    what all that play have in common: a `Study` says what is found and shown, `deliver` the rest;
`experiment`
    the study that ``run`` and ``compare`` are;
`laws`
    what ``run --exact`` is where laws are computed;
`waiting`
    progress on stderr, and work in the background;
`ending`
    Ctrl-C, signals, and results that can't be saved.
"""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

import click

import bsbench
from bsbench.cli.ending import CLOSED, UNSAVED, end_interrupted, listening
from bsbench.cli.group import CommandGroup
from bsbench.common.discovery import study_packages
from bsbench.common.errors import BsbenchError, BsbenchWarning, FrontEnd, reason, serving
from bsbench.common.files import no_empty_folders
from bsbench.common.texts import PLAIN_ERRORS, for_screen

_NAMES = (
    *("run", "compare", "chart", "show", "report", "merge", "reproduce"),
    *("replay", "play", "list", "new", "layouts", "solve", "cache", "cite", "docs"),
    "connect4",
)
_SHORT = dict.fromkeys(("show", "merge", "cite"), "records") | dict.fromkeys(
    ("cache", "docs"), "installed"
)
# By name only: `bsbench.connect4` imports this subpackage, so it can't import it.
_MODULES = {name: f"{__name__}.{_SHORT.get(name, name)}" for name in _NAMES}
_MODULES["connect4"] = "bsbench.connect4.cli"


def _commands() -> dict[str, str]:
    """Return the modules of all commands by name."""
    studies = {
        folder.name: f"{package}.command"
        for package, folder in study_packages().items()
        if os.path.isfile(folder / "command.py")
    }
    return _MODULES | studies


class _BadInput(click.ClickException):
    """What a command ends with on bad input: a sentence, and no traceback."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the sentence, broken between words."""
        click.echo(for_screen(f"Error: {self.message}", sys.stderr), file=file, err=True)


@contextmanager
def _failures() -> Iterator[list[OSError]]:
    """Yield the errors of the standard streams, as they come: other errors are of the same type."""
    failed: list[OSError] = []
    buffers = [stream.buffer for stream in (sys.stdout, sys.stderr) if hasattr(stream, "buffer")]

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def watch(*given: Any) -> Any:
            try:
                return call(*given)
            except OSError as error:
                failed.append(error)
                raise

        return watch

    before = [(each.write, each.flush) for each in buffers]
    for each in buffers:
        # All that is printed comes through these two.
        each.write, each.flush = watched(each.write), watched(each.flush)  # type: ignore[method-assign]
    try:
        yield failed
    finally:
        for each, calls in zip(buffers, before, strict=True):
            each.write, each.flush = calls  # type: ignore[method-assign]


_show_other_warning = warnings.showwarning


def _show_warning(message: Warning | str, category: type[Warning], *details: Any) -> None:
    """Print a warning of bsbench as a sentence, and others as they are."""
    if issubclass(category, BsbenchWarning):
        click.echo(for_screen(f"Warning: {message}", sys.stderr), err=True)
    else:
        _show_other_warning(message, category, *details)


# Imports make hundreds of thousands of objects that stay. By default the collector goes through
# them after every 700, and several times as Python ends.
gc.set_threshold(1_000_000)
atexit.register(gc.freeze)
# Idle threads of numpy's linear algebra, which few commands use, wait busily for 2^26 cycles.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "16")


def _open_standard_streams() -> None:
    """Open those that are closed, to nothing: the next file opened would get their numbers."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


class _Group(CommandGroup):
    """Commands that end with one sentence and exit code 2 on bad input."""

    def main(self, *args: Any, **named: Any) -> Any:
        """Run a command; see `click.Command.main`."""
        _open_standard_streams()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors=PLAIN_ERRORS)
        with _failures() as failed, no_empty_folders():
            try:
                return super().main(*args, **named)
            except (SystemExit, OSError) as error:
                if any(each.errno == errno.EPIPE for each in failed):
                    # click and rich end with 1, which is an answer here. Python flushes at its end.
                    for stream in (sys.stdout, sys.stderr):
                        with suppress(OSError):
                            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
                    sys.exit(CLOSED)
                if isinstance(error, OSError) and any(error is each for each in failed):
                    with suppress(OSError):
                        click.echo(f"Error: can't print: {reason(error)}", err=True)
                    sys.exit(UNSAVED)
                raise

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with listening(), serving(FrontEnd.COMMAND_LINE), warnings.catch_warnings():
                warnings.simplefilter("always", BsbenchWarning)
                warnings.showwarning = _show_warning  # type: ignore[assignment]
                return super().invoke(ctx)
        except BsbenchError as error:
            raise _BadInput(str(error)) from error
        except KeyboardInterrupt:
            click.echo("Interrupted; nothing was saved.", err=True)
            end_interrupted()


@click.group(
    cls=_Group,
    modules=_commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""
    'compare' says who needs the fewest moves; 'run' is the same, and saves. 'match' says who beats
    whom.

    'bsbench help COMMAND' explains a command, 'bsbench docs' opens the manual. In bash, this line
    makes the tab key complete names; also for zsh and fish:

    \b
      eval "$(_BSBENCH_COMPLETE=bash_source bsbench)"
    """,
)
@click.version_option(bsbench.__version__, "--version", message="bsbench %(version)s")
def main() -> None:
    """Measure Battleship shooting strategies, millions of games at a time."""
