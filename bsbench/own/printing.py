"""What strategies print: kept from the streams of bsbench, and reported once."""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Iterator

_LONGEST = 120
"""Characters of the first line that are kept."""

_MOST_KEPT = 10_000
"""Characters of what is printed for one shot, where that is kept."""


class Printed(io.TextIOBase):
    """A stream that remembers how much was written to it, and the first line.

    Attributes
    ----------
    lines : int
    first : str
        The first line that is not blank, shortened.
    keeps : bool
        Whether the text is kept, too, until it is taken.
    """

    def __init__(self) -> None:
        self.keeps = False
        self._kept = ""
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Begin again."""
        self.lines = 0
        self.first = ""
        self._complete = False

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str) -> int:
        """Take note of a text."""
        if not self._complete:
            # A line may come in pieces.
            line, end, _ = (self.first + text).lstrip().partition("\n")
            self.first = line[:_LONGEST]
            self._complete = end != ""
        self.lines += text.count("\n")
        if self.keeps:
            self._kept = (self._kept + text)[:_MOST_KEPT]
        return len(text)

    def take(self) -> str:
        """Return the text kept since it was last taken, or its beginning if it is very long."""
        text, self._kept = self._kept, ""
        return text

    def add(self, lines: int, first: str) -> None:
        """Take note of what was printed elsewhere; any thread may call this."""
        with self._lock:
            self.lines += lines
            self.first = self.first or first
            self._complete = self._complete or first != ""


def printed_text(who: str, lines: int, first: str) -> str:
    """Return a sentence on what ``who`` printed; empty if nothing was."""
    if not first and not lines:
        return ""
    if lines <= 1:
        return f"{who} printed a line, which is not shown: {first!r}"
    return f"{who} printed {lines:,} lines, which are not shown; the first: {first!r}"


@contextlib.contextmanager
def kept_quiet() -> Iterator[Printed]:
    """Keep what is printed to stdout and stderr from Python away from both."""
    printed = Printed()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        yield printed
