"""Which line is to blame when a user's code fails, and how a process ended."""

from __future__ import annotations

import linecache
import os
import re
import signal
import traceback
from pathlib import Path

from bsbench.common.errors import Fault

_PACKAGE = str(Path(__file__).parent.parent)


def broken(lane: int, error: BaseException) -> Fault:
    """Return the fault that an error in the user's code is."""
    message = _message(error)
    kind = type(error).__name__
    return Fault(lane, f"{kind}: {message}" if message else kind, blamed_line(error))


def _of_numba(error: BaseException) -> bool:
    """Return whether a kernel could not be compiled."""
    return type(error).__module__.startswith("numba.")


def _message(error: BaseException) -> str:
    """Return the first line of an error's message that says what is wrong."""
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    if _of_numba(error) and len(lines) > 1 and lines[0].startswith("Failed in "):
        del lines[0]
        if lines[0].endswith(":"):
            # What follows is a call, as in "found for signature: >>> add(int64, unicode_type)".
            return " ".join(lines[:2])
    return lines[0] if lines else ""


def blamed_line(error: BaseException) -> str:
    """Return the innermost line of an error's traceback that is not bsbench's, with its file."""
    if isinstance(error, SyntaxError) and error.filename:
        return _line_text(error.filename, error.lineno or 0, "", error.text or "")
    if _of_numba(error):
        # The traceback ends where the kernel is called; only the error says its line.
        place = re.search(r'^File "(.+)", line (\d+):', str(error), flags=re.MULTILINE)
        if place:
            return _line_text(os.path.abspath(place[1]), int(place[2]), "", "")
    return line_of(traceback.extract_tb(error.__traceback__))


def line_of(stack: traceback.StackSummary) -> str:
    """Return the innermost line of a stack that is the user's, with its file; empty if none is.

    That is outside of bsbench and of the interpreter's library, and of installed packages if there
    is such a line: a strategy may be in a package, and a package that it calls is not to blame.
    """
    library = str(Path(traceback.__file__).parent)
    in_package = ""
    for frame in reversed(stack):
        place = frame.filename
        packaged = not {"site-packages", "dist-packages"}.isdisjoint(Path(place).parts)
        of_library = place.startswith(library) and not packaged
        # A thinker begins in a "<string>".
        if of_library or place.startswith((_PACKAGE, "<frozen", "<string>")):
            continue
        line = _line_text(place, frame.lineno or 0, frame.name, frame.line or "")
        if not packaged:
            return line
        in_package = in_package or line
    return in_package


def dumped_line(text: str) -> str:
    """Return the user's innermost line in what `faulthandler` wrote; empty if there is none."""
    frames = re.findall(r'File "(.+)", line (\d+) in (\S+)', text)
    # It writes the innermost line first.
    stack = [traceback.FrameSummary(file, int(line), name) for file, line, name in frames[::-1]]
    return line_of(traceback.StackSummary.from_list(stack))


def how_ended(code: int) -> str:
    """Return how a process ended, by its return code: ``exit code 3``, ``signal SIGKILL``."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        # Those of real time have numbers alone.
        return f"signal {-code}"


def _line_text(filename: str, number: int, function: str, text: str) -> str:
    path = Path(filename)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    where = f", in {function}" if function not in ("", "<module>") else ""
    text = text.strip() or linecache.getline(filename, number).strip()
    return f"{path}, line {number}{where}: {text}"
