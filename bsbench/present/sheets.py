"""What is shown of something that was found: on the terminal, and in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from bsbench.rules.drawing import BoardView

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
        What the terminal shows in place of the table; files have the table without the heading.
    in_words : bool
        Whether the terminal shows no table.
    cut : str or None
        The column before which a table is cut that is too wide for the terminal.
    more : mapping
        A second table, for the terminal alone.
    more_notes : sequence of str
    words : collection of str
        Columns that are no figures.
    alarms : sequence of str
        Lines for stderr, even where nothing is printed.
    """

    columns: Columns
    heading: Sequence[str] = ()
    notes: Sequence[str] = ()
    board: BoardView | None = None
    cut: str | None = None
    more: Columns = field(default_factory=dict)
    more_notes: Sequence[str] = ()
    words: Collection[str] = WORDS
    alarms: Sequence[str] = ()
    finding: str = ""
    in_words: bool = False

    @property
    def all_notes(self) -> Sequence[str]:
        """The lines that files have below the table."""
        first = [self.finding] if self.finding else []
        return [*first, *(() if self.board else self.heading), *self.notes]
