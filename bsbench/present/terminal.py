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

    from bsbench.present.sheets import Columns, Sheet
    from bsbench.runs.comparison import Comparison
    from bsbench.runs.results import Result


_MINOR = ("games/s", "sd", "best", "worst", "5 %", "95 %", "median")
"""Columns that leave a table, in that order, where a label would have to be broken."""

_LEAVING = (
    *_MINOR,
    *("source", "placement", "games so far", "drawn", "own %", "rank", "games"),
    "difference",
)
"""Columns that leave it, in that order, where a figure would have to be cut."""

_LEAST_ROOM = 12
"""Characters of a word on a line, at least."""

_NARROWEST_BARS, _WIDEST_BARS = 10, 20
"""Characters of a sparkline in a table."""

_LABELS = "strategy"
"""The column of labels."""

_WIDEST_LINE = 60
"""Characters of a sparkline on a line of its own."""

_NARROWEST = 40
"""Columns for which text and tables are laid out, at least."""


def console_for(file: IO[str] | None, width: int = 200) -> Console:
    """Return where to print: as wide as a terminal is; in a file or a pipe, ``width``."""
    from rich.console import Console

    console = Console(file=file or sys.stdout, highlight=False)
    console.width = max(console.width, _NARROWEST if console.is_terminal else width)
    return console


def print_table(
    console: Console,
    columns: Mapping[str, Sequence[str]],
    words: Collection[str] = tables.WORDS,
) -> Columns:
    """Print cells by the headers of their columns, and an empty line; figures are never cut.

    Nothing is printed where no column has a cell. Where the table is too wide, columns that say
    least leave it, words are broken, and what is still too wide goes on below.

    Returns
    -------
    mapping
        The columns that are printed.
    """
    if not any(columns.values()):
        return {}
    words = [fitting(console, word) for word in words]
    shown = _narrowed(_fitting(console, columns), console.width, words)
    for part in _parts(shown, console.width, words):
        _draw(console, part, words)
    return shown


def _fitting(console: Console, columns: Columns) -> dict[str, Sequence[str]]:
    """Return columns in characters that a terminal has."""
    return {
        fitting(console, name): [fitting(console, cell) for cell in cells]
        for name, cells in columns.items()
    }


def _narrowed(columns: Columns, width: int, words: Collection[str]) -> dict[str, Sequence[str]]:
    """Return columns without those that leave a table of this width."""
    shown = dict(columns)
    for name in _LEAVING:
        if table_width(shown, () if name in _MINOR else words) > width:
            shown.pop(name, None)
    return shown


def _parts(
    columns: Columns, width: int, words: Collection[str], repeated: Collection[str] = ()
) -> list[dict[str, Sequence[str]]]:
    """Return tables that fit, each with the columns up to the first one of words.

    Parameters
    ----------
    columns : mapping
    width : int
    words : collection of str
    repeated : collection of str
        Further columns that all tables have.
    """
    names = list(columns)
    first = next((place for place, name in enumerate(names) if name in words), 0)
    keys = {name: columns[name] for name in names if name in (*names[: first + 1], *repeated)}
    parts = [dict(keys)]
    for name in names:
        if table_width({**parts[-1], name: columns[name]}, words) > width and parts[-1] != keys:
            parts.append(dict(keys))
        parts[-1][name] = columns[name]
    return parts if parts[1:] else [dict(columns)]


def _draw(console: Console, columns: Columns, words: Collection[str]) -> None:
    """Print a table; columns of words are broken to fit, labels after punctuation."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    shown = dict(columns)
    if labels := shown.pop(_LABELS, None):
        room = max(console.width - table_width(shown) - 2, _LEAST_ROOM)
        columns = {**columns, _LABELS: [broken_label(label, room) for label in labels]}
    for name in columns:
        table.add_column(
            Text(name),
            justify="left" if name in words else "right",
            no_wrap=name not in words,
            overflow="fold",
        )
    for cells in zip(*columns.values(), strict=True):
        # Not as markup: labels may be anything.
        table.add_row(*map(Text, cells))
    width, console.width = console.width, max(console.width, table_width(columns, words))
    console.print(table)
    console.width = width
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
    console = console_for(file)
    scenario = result.scenario
    name = f"{tables.name_of(result)} on {scenario.name}"
    print_lines(
        console, [f"{name}: {tables.rules_text(scenario)}, seed {result.seed}"], bold=len(name)
    )
    print_lines(console, [*filter(None, [tables.ending_text(result)]), ""])
    print_table(console, tables.result_columns(result))
    if _has_bars(console) and result.stats.best < result.stats.worst:
        width = min(console.width - len(tables.spark_line(result, 0)), _WIDEST_LINE)
        print_lines(console, [tables.spark_line(result, width), ""])
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

    Where it is too wide, it is narrowed as `print_table` does. With ``wide``, it is split instead:
    move counts, and comparison with the reference. Scenario and seed are repeated only where rows
    differ there. Where there is room for it, the first part has the distribution of move counts of
    the rows' results, as far as given.
    """
    width, fitted = console.width, _fitting(console, columns)
    shown = {name: fitted[name] for name in (_LABELS, "scenario", "seed") if name in fitted}
    differ = [name for name, cells in shown.items() if len(set(cells)) > 1]
    shown |= fitted
    if not wide:
        shown = _narrowed(shown, width, tables.WORDS)
    names = list(shown)
    against = next((at for at, name in enumerate(names) if name.startswith("difference")), None)
    parts = [shown]
    if table_width(shown, () if wide else tables.WORDS) > width and against is not None:
        keys = (_LABELS, *differ)
        parts = [
            {name: shown[name] for name in names[:against]},
            {name: shown[name] for name in names if name in (*keys, *names[against:])},
        ]
    bars = {}
    if results and _has_bars(console):
        bars = _bars(results, width - table_width(parts[0]))
    for whole in parts:
        for part in _parts(whole, width, tables.WORDS, differ):
            _draw(console, _with_bars(part, bars), (*tables.WORDS, *bars))
            bars = {}


def _has_bars(console: Console) -> bool:
    """Return whether a terminal has the characters of sparklines."""
    return plain(tables.BARS, console.encoding) == tables.BARS


def _bars(results: Sequence[Result], room: int) -> dict[str, list[str]]:
    """Return a column of sparklines that fits, or nothing."""
    width = min(room - 2, _WIDEST_BARS)
    column = tables.spark_column(results, width) if width >= _NARROWEST_BARS else {}
    return column if len(next(iter(column), "")) >= _NARROWEST_BARS else {}


def _with_bars(columns: Columns, bars: Columns) -> dict[str, Sequence[str]]:
    """Return columns with that of sparklines after the last one of move counts."""
    names = list(columns)
    at = names.index("worst") + 1 if "worst" in names else len(names)
    pairs = list(columns.items())
    return dict([*pairs[:at], *bars.items(), *pairs[at:]])


def table_width(columns: Columns, broken: Collection[str] = ()) -> int:
    """Return the width of columns, with what separates them.

    Parameters
    ----------
    columns : mapping
    broken : collection of str
        Columns whose words may stand on several lines.
    """
    width = -1
    for name, cells in columns.items():
        whole = max(len(line) for cell in (name, *cells) for line in cell.split("\n"))
        width += 2 + (min(whole, _LEAST_ROOM) if name in broken else whole)
    return width


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
    below = [*sheet.notes, *sheet.more_notes]
    if sheet.board is None:
        print_table(console, sheet.columns, sheet.words)
    else:
        console.print(coloured_board(sheet.board, texts=sheet.texts))
        print_lines(console, filter(None, [sheet.caption]))
        if sheet.more or below:
            console.print()
    print_table(console, sheet.more, sheet.words)
    print_lines(console, below)
