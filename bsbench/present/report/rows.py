"""The table of a section as its HTML shows it: bars in cells, values to sort by, links.

What the cells say is the table of `bsbench.present.tables`, the same as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from bsbench.present.looks import Look, looks
from bsbench.present.report import ReportSection
from bsbench.present.report.bars import BarAxis, axis_of, forest, length_bar, stacked_bar
from bsbench.present.tables import COLUMNS, Cell, Row, header_of
from bsbench.present.verdicts import standing
from bsbench.runs.results import counted, move_range

OUTCOMES = {"wins": "won", "ties": "tied", "losses": "lost"}
"""The parts of a stacked bar, in order, and how they are called."""

_DOMINANCE = {"ahead": -2, "mostly ahead": -1, "mostly behind": 1, "behind": 2}
"""What words on dominance are sorted by; all others are between them."""


class ReportCell(NamedTuple):
    """A cell: its text, what its column is sorted by, and a picture, which may be empty."""

    text: str
    value: float | str | None
    picture: Markup = Markup()


@dataclass(frozen=True)
class ReportRow:
    """A row of the table.

    Attributes
    ----------
    label : str
        Of the strategy, as results have it.
    best : bool
        Whether no other strategy is clearly better.
    cells : tuple of ReportCell
        By column, without the strategy's name.
    name : str
        The strategy's name as tables show it.
    look : Look
        That of the charts beside the table.
    """

    label: str
    best: bool
    cells: tuple[ReportCell, ...]
    name: str
    look: Look


@dataclass(frozen=True)
class Lines:
    """The rows of a section, and what their bars mean.

    Attributes
    ----------
    headers : tuple of str
        Of the columns after the strategy's name.
    wide : tuple of bool
        Which columns have bars.
    rows : tuple of ReportRow
        Best first.
    legend : Markup
        What the bars of these columns mean.
    sorted_by : int
        The column by which the rows are in ascending order.
    """

    headers: tuple[str, ...]
    wide: tuple[bool, ...]
    rows: tuple[ReportRow, ...]
    legend: Markup
    sorted_by: int


Picture = Callable[[Row, Cell], ReportCell]


def lines_of(section: ReportSection) -> Lines:
    """Return the rows of a section, best first."""
    ranked = section.ranked
    columns = dict(section.table.columns)
    names = columns.pop("strategy")
    pictures, legends = _pictures(section, ranked.rows)
    keys = {header_of(column, ranked.rows): column.key for column in COLUMNS}
    shown = {
        header: [
            pictures[keys[header]](row, cell) if keys[header] in pictures else ReportCell(*cell)
            for row, cell in zip(ranked.rows, cells, strict=True)
        ]
        for header, cells in columns.items()
    }
    found = standing(section.comparison)
    alone = len(ranked.results) == 1
    best = {found.best.label, *(found.ranked.results[place].label for place in found.rivals)}
    labels = [row["label"] for row in ranked.rows]
    rows = tuple(
        ReportRow(row["label"], not alone and row["label"] in best, cells, name.text, look)
        for row, name, cells, look in zip(
            ranked.rows, names, zip(*shown.values(), strict=True), looks(labels), strict=True
        )
    )
    headers = tuple(shown)
    wide = tuple(any(cell.picture for cell in cells) for cells in shown.values())
    of = [keys[header] for header in headers]
    used = [legend for key, legend in legends.items() if key in of]
    return Lines(headers, wide, rows, Markup(" ").join(used), of.index("mean"))


def _pictures(
    section: ReportSection, rows: tuple[dict[str, Any], ...]
) -> tuple[dict[str, Picture], dict[str, Markup]]:
    """Return what makes the cells of a column, and what its bars mean, by its figure's name."""
    rules, moves = section.scenario.rules, counted(section.results)
    reach = move_range(section.results)
    lengths = BarAxis(reach[0], reach[-1])
    last = "the whole board" if reach[-1] == rules.whole_board else "the longest game"
    axis = axis_of(
        (row["difference"], row["difference_half_width"]) for row in rows if not _reference(row)
    )

    def mean(row: Row, cell: Cell) -> ReportCell:
        return ReportCell(*cell, length_bar(row["mean"], lengths))

    def difference(row: Row, cell: Cell) -> ReportCell:
        if _reference(row):
            return ReportCell(cell.text, 0.0, forest(0.0, 0.0, axis))
        return ReportCell(*cell, forest(row["difference"], row["difference_half_width"], axis))

    def race(row: Row, cell: Cell) -> ReportCell:
        if _reference(row):
            return ReportCell(cell.text, 0.0)
        if not cell.text:
            return ReportCell(*cell)
        numbers = [int(row[name]) for name in OUTCOMES]
        # The reference wins and loses nothing against itself: it stands between the others.
        balance = (numbers[0] - numbers[2]) / sum(numbers)
        return ReportCell(cell.text, balance, stacked_bar(numbers, OUTCOMES))

    def dominance(row: Row, cell: Cell) -> ReportCell:
        return ReportCell(cell.text, _DOMINANCE.get(cell.text, 0))

    legends = {
        "mean": escape(
            f"Bars: mean {moves} from {reach[0]}, a perfect game, to {reach[-1]}, {last}."
        ),
        "difference": escape(
            f"Differences: with their 95 % intervals, on an axis from {_end(axis.low)} to "
            f"{_end(axis.high)} {moves} with a line at 0."
        ),
        "wins": Markup(" ").join(
            Markup('<span class="key {0}"></span>\N{NO-BREAK SPACE}{1}').format(name, word)
            for name, word in OUTCOMES.items()
        ),
    }
    pictures: dict[str, Picture] = {
        "mean": mean,
        "difference": difference,
        "wins": race,
        "dominance": dominance,
    }
    return pictures, legends


def _end(value: float) -> str:
    return f"{value:+.3g}" if value else "0"


def _reference(row: Row) -> bool:
    return bool(row["label"] == row["reference"])
