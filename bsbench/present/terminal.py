"""Tables on the terminal; `bsbench.present.tables` has their texts."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import IO, TYPE_CHECKING

from bsbench.common.texts import broken_text, for_terminal, plain
from bsbench.present import tables

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from bsbench.present.sheets import Columns, Sheet
    from bsbench.runs.comparison import Comparison
    from bsbench.runs.results import Result


_LEAST_TOLD = ("median", "games/s")
"""Columns that are left out, in that order, where a table is too wide."""

_LEAST_ROOM = 8
"""Characters of a label on a line, at least."""

_NARROWEST_BARS, _WIDEST_BARS = 10, 20
"""Characters of a sparkline in a table."""

_WIDEST_LINE = 60
"""Characters of a sparkline on a line of its own."""


def console_for(file: IO[str] | None, width: int = 200) -> Console:
    """Return where to print: at least 80 columns, as narrower terminals break lines themselves.

    Into a file or a pipe, tables may have that width.
    """
    from rich.console import Console

    console = Console(file=file or sys.stdout, highlight=False)
    console.width = max(console.width, 80 if console.is_terminal else width)
    return console


def empty_table() -> Table:
    """Return a table in the style of all tables, without columns."""
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))


def print_table(
    console: Console, columns: Mapping[str, Sequence[str]], words: Collection[str] = tables.WORDS
) -> None:
    """Print cells by the headers of their columns, and an empty line; figures are never cut.

    Nothing is printed where no column has a cell.
    """
    from rich.text import Text

    if not any(columns.values()):
        return

    table = empty_table()
    for name in columns:
        table.add_column(
            Text(fitting(console, name)),
            justify="left" if name in words else "right",
            no_wrap=name not in words,
            overflow="fold",
        )
    for cells in zip(*columns.values(), strict=True):
        # Not as markup: labels may be anything.
        table.add_row(*(Text(fitting(console, cell)) for cell in cells))
    console.print(table)
    console.print()


def fitting(console: Console, text: str) -> str:
    """Return text in characters that a terminal has, and does not obey."""
    return plain(for_terminal(text), console.encoding)


def print_lines(console: Console, lines: Iterable[str], bold: int = 0) -> None:
    """Print lines; files and pipes get them whole, a terminal broken between words.

    Parameters
    ----------
    console : Console
    lines : iterable of str
    bold : int
        Characters at the beginning of each line that are bold.
    """
    from rich.text import Text

    for line in lines:
        text = fitting(console, line)
        shown = Text(broken_text(text, console.width) if console.is_terminal else text)
        shown.stylize("bold", 0, bold)
        console.print(shown, soft_wrap=True)


def print_result(result: Result, file: IO[str] | None = None) -> None:
    """Print what was played, its statistics as a table, and the time it took."""
    console = console_for(file, width=80)
    scenario = result.scenario
    name = f"{tables.name_of(result)} on {scenario.name}"
    print_lines(
        console, [f"{name}: {tables.rules_text(scenario)}, seed {result.seed}"], bold=len(name)
    )
    print_lines(console, [*filter(None, [tables.ending_text(result)]), ""])
    columns = tables.result_columns(result)
    # Only figures of very many games are wider.
    console.width = max(console.width, table_width(columns))
    print_table(console, columns)
    if _has_bars(console) and result.stats.best < result.stats.worst:
        print_lines(console, [tables.spark_line(result, _WIDEST_LINE), ""])
    print_lines(console, tables.result_notes(result))


def print_experiment(
    panels: Sequence[Comparison],
    file: IO[str] | None = None,
    shown: Collection[str] = (),
    in_full: bool = True,
    wide: bool = False,
) -> None:
    """Print a row for each run, and below what was played and found.

    Parameters
    ----------
    panels : sequence of Comparison
    file : file, optional
        Default: standard output.
    shown : collection of str
        As for `bsbench.present.tables.experiment_table`.
    in_full : bool
        Whether one run alone is printed by `print_result`.
    wide : bool
        Whether all columns are printed.
    """
    if in_full and len(panels) == 1 == len(panels[0].results):
        print_result(panels[0].results[0], file)
        return
    console = console_for(file)
    table = tables.experiment_table(panels, ("sd",), shown, brief=not wide)
    results = [result for panel in panels for result in panel.results]
    print_strategies(console, table.texts, results, wide)
    print_lines(console, tables.experiment_notes(panels, table))
    if found := tables.verdict_lines(panels):
        print_lines(console, ["", *found], bold=max(map(len, found)))


def print_strategies(
    console: Console,
    columns: Mapping[str, Sequence[str]],
    results: Sequence[Result] = (),
    wide: bool = False,
) -> None:
    """Print a table of strategies.

    Where it is too narrow, columns that say least are left out. With ``wide``, the table is split
    in two instead: move counts, and comparison with the reference. The second part repeats
    scenario and seed only where rows differ there. Where there is room for it, the first part has
    the distribution of move counts of the rows' results, as far as given.
    """
    width = console.width
    figures = {
        fitting(console, name): [fitting(console, cell) for cell in cells]
        for name, cells in columns.items()
    }
    labels = figures.pop("strategy")
    where: dict[str, list[str]] = {
        name: figures.pop(name) for name in ("scenario", "seed") if name in figures
    }
    whole = table_width({"strategy": labels}) - 1
    for name in () if wide else _LEAST_TOLD:
        if table_width(where | figures) + whole > width:
            figures.pop(name, None)
    names = list(figures)
    compared = [place for place, name in enumerate(names) if name.startswith("difference")]
    cut = compared[0] if compared else len(names)
    first = where | {name: figures[name] for name in names[:cut]}
    if table_width(where | figures) + whole <= width:
        first, cut = where | figures, len(names)
    bars = {}
    if results and _has_bars(console):
        bars = _bars(results, width - table_width(first) - whole)
    for part in filter(None, (names[:cut], names[cut:])):
        shown = where | {name: figures[name] for name in part}
        where = {name: cells for name, cells in where.items() if len(set(cells)) > 1}
        if part[0] == names[0]:
            shown = _with_bars(shown, bars)
        # Figures are never cut: labels are broken to fit the remaining width.
        room = max(width - table_width(shown) - 1, _LEAST_ROOM)
        console.width = max(width, table_width(shown) + room + 1)
        print_table(
            console,
            {"strategy": [broken_label(label, room) for label in labels], **shown},
            (*tables.WORDS, *bars),
        )


def _has_bars(console: Console) -> bool:
    """Return whether a terminal has the characters of sparklines."""
    return plain(tables.BARS, console.encoding) == tables.BARS


def _bars(results: Sequence[Result], room: int) -> dict[str, list[str]]:
    """Return a column of sparklines that fits, or nothing."""
    width = min(room - 2, _WIDEST_BARS)
    column = tables.spark_column(results, width) if width >= _NARROWEST_BARS else {}
    return column if len(next(iter(column), "")) >= _NARROWEST_BARS else {}


def _with_bars(columns: dict[str, list[str]], bars: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return columns with that of sparklines after the last one of move counts."""
    names = list(columns)
    at = names.index("worst") + 1 if "worst" in names else len(names)
    return {
        **{name: columns[name] for name in names[:at]},
        **bars,
        **{name: columns[name] for name in names[at:]},
    }


def table_width(columns: Mapping[str, Sequence[str]]) -> int:
    """Return the width of columns, with what separates them."""
    return sum(
        2 + max(len(line) for cell in (name, *cells) for line in cell.split("\n"))
        for name, cells in columns.items()
    )


def broken_label(label: str, width: int) -> str:
    """Break a label that is too long: at spaces, and its words after punctuation."""
    if len(label) <= width:
        return label
    piece = rf".{{1,{width}}}$|.{{1,{width - 1}}}[-_=]|.{{1,{width}}}"
    return "\n".join(part for word in label.split() for part in re.findall(piece, word))


def print_settling(comparison: Comparison) -> None:
    """Print on stderr how many games the differences that are not significant need.

    Nothing, if the verdict says it of the best and the second.
    """
    text = tables.settling_text(comparison)
    needed = "would show which is better: about"
    if text and not any(needed in line for line in tables.verdict_lines([comparison])):
        print_lines(console_for(sys.stderr), [text])


def print_sheet(sheet: Sheet, stream: IO[str] | None = None) -> None:
    """Print what is shown; figures are never cut."""
    from bsbench.present.boards import coloured_board

    if sheet.seen:
        return
    if sheet.show is not None:
        sheet.show(stream)
        return
    console = console_for(stream)
    if sheet.finding:
        print_lines(console, [sheet.finding], bold=len(sheet.finding))
        console.print()
    if sheet.heading:
        print_lines(console, [*sheet.heading, ""])
    parts: list[Columns] = []
    below = [*sheet.notes, *sheet.more_notes]
    if sheet.board is not None:
        console.print(coloured_board(sheet.board, texts=sheet.texts))
        print_lines(console, filter(None, [sheet.caption]))
        if sheet.more or below:
            console.print()
    else:
        parts = [sheet.columns]
        if sheet.cut and table_width(sheet.columns) > console.width:
            names = list(sheet.columns)
            cut = names.index(sheet.cut)
            kept = [name for name in names[:cut] if name in sheet.words]
            parts = [
                {name: sheet.columns[name] for name in part}
                for part in (names[:cut], [*kept, *names[cut:]])
            ]
    if sheet.more:
        parts.append(sheet.more)
    if sheet.cut:
        console.width = max(console.width, *map(table_width, parts))
    for part in parts:
        print_table(console, part, sheet.words)
    print_lines(console, below)
