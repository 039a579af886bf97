"""What is shown of something that was found: on the terminal, and in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from bsbench.rules.drawing import BoardView

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORDS = ("strategy", "scenario", "name", "title", "player", "stage")
"""Columns of words; all others are figures."""

Columns = Mapping[str, Sequence[str]]
"""The cells of a table by the headers of its columns."""


@dataclass(frozen=True)
class Sheet:
    """A table with what stands above and below it.

    Attributes
    ----------
    columns : mapping
        The table.
    finding : str
        What was found, in a sentence; stands first.
    heading, notes : sequence of str
        Lines above and below it.
    board : BoardView or None
        What the terminal shows in place of the table.
    texts : sequence of str or None
        What is written in the cells of the board that have a score; see `boards.coloured_board`.
    caption : str
        The line below the board.
    figure : callable or None
        Draws the chart of its own, for notebooks.
    show, markdown : callable or None
        Prints it to a stream, and returns it in Markdown, where it is more than one table.
    seen : bool
        Whether whoever gave the command has seen it already: then the terminal shows nothing.
    more : mapping
        A second table, for the terminal alone.
    more_notes : sequence of str
    words : collection of str
        Columns that are no figures.
    faults : sequence of str
        Lines for stderr, even where nothing is printed.
    alarms : sequence of str
        Those of the notes that stderr has where nothing is printed.
    """

    columns: Columns
    heading: Sequence[str] = ()
    notes: Sequence[str] = ()
    board: BoardView | None = None
    texts: Sequence[str] | None = None
    caption: str = ""
    more: Columns = field(default_factory=dict)
    more_notes: Sequence[str] = ()
    words: Collection[str] = WORDS
    faults: Sequence[str] = ()
    alarms: Sequence[str] = ()
    finding: str = ""
    figure: Callable[[], Figure] | None = None
    show: Callable[[IO[str] | None], object] | None = None
    markdown: Callable[[], str] | None = None
    seen: bool = False

    @property
    def all_notes(self) -> Sequence[str]:
        """The lines that files have below the table."""
        lines = (self.finding, *self.heading, self.caption, *self.notes)
        return [line for line in lines if line]
