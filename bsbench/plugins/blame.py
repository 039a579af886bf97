"""Whose line is to blame when a user's code goes wrong."""

from __future__ import annotations

import linecache
import traceback
from pathlib import Path

from bsbench.errors import Fault

_PACKAGE = str(Path(__file__).parent.parent)


def broken(lane: int, error: BaseException) -> Fault:
    """Return the fault that an error in the user's code is."""
    message = str(error).strip().partition("\n")[0]
    kind = type(error).__name__
    return Fault(lane, f"{kind}: {message}" if message else kind, blamed_line(error))


def blamed_line(error: BaseException) -> str:
    """Return the innermost line of an error's traceback that is not bsbench's, with its file."""
    if isinstance(error, SyntaxError) and error.filename:
        return _line_text(error.filename, error.lineno or 0, "", error.text or "")
    return line_of(traceback.extract_tb(error.__traceback__))


def line_of(stack: traceback.StackSummary) -> str:
    """Return the innermost line of a stack that is the user's, with its file; empty if none is.

    That is outside of bsbench and of the interpreter's library.
    """
    library = str(Path(traceback.__file__).parent)
    for frame in reversed(stack):
        place = frame.filename
        installed = place.startswith(library) and "site-packages" not in place
        if not installed and not place.startswith((_PACKAGE, "<frozen")):
            return _line_text(place, frame.lineno or 0, frame.name, frame.line or "")
    return ""


def _line_text(filename: str, number: int, function: str, text: str) -> str:
    path = Path(filename)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    where = f", in {function}" if function not in ("", "<module>") else ""
    text = text.strip() or linecache.getline(filename, number).strip()
    return f"{path}, line {number}{where}: {text}"
