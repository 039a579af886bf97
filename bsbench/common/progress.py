"""How far something is: one kind of event for the terminal, for logs, and for users' functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """How far something is.

    Its text is a line that says so.

    Attributes
    ----------
    label : str
        What goes on: the label of the strategy that plays, or a step such as ``counting layouts``.
    done : int
        How much of it is done; of a strategy, the games that it has played so far.
    total : int or None
        How much there is to do; None if that is not known.
    note : str
        What is known so far.
    unit : str
        What is counted.
    setting_up : bool
        Whether it is being set up: nothing is done since.
    leading : str
        Who is best so far, of several that play.

    Examples
    --------
    >>> print(Progress("prob", 4_096, 100_000))
    prob: 4,096 of 100,000 games
    """

    label: str
    done: int = 0
    total: int | None = None
    note: str = ""
    unit: str = "games"
    setting_up: bool = False
    leading: str = ""

    def __str__(self) -> str:
        much = f"{self.done:,} of {self.total:,}" if self.total else f"{self.done:,}"
        parts = [f"{much} {self.unit}" if self.done or self.total else "", self.note]
        return ": ".join(filter(None, [self.label, ", ".join(filter(None, parts))]))


Watch = Callable[[Progress], object]
"""Called now and then with how far something is, from the calling thread."""


def ignored(now: Progress) -> None:
    """Tell nobody."""
