"""What a check of a user's strategy or player finds."""

from __future__ import annotations

from dataclasses import dataclass

_MARKS = {True: "✓", False: "✗", None: "–"}


@dataclass(frozen=True)
class Finding:
    """Whether a strategy or player has one property.

    Attributes
    ----------
    what : str
        The property, as what it does: "fires at …".
    passed : bool or None
        None if it could not be checked, as where no game was played to the end.
    message : str
        What is wrong, where, and how to fix it; empty if nothing is. Lines after the first draw
        the board.
    """

    what: str
    passed: bool | None
    message: str = ""

    def __str__(self) -> str:
        lines = [f"    {line}".rstrip() for line in self.message.split("\n") if line]
        return "\n".join([f"{_MARKS[self.passed]} {self.what}", *lines])
