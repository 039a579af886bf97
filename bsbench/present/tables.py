"""Tables of results, with the same texts on the terminal, in Markdown and in HTML.

A table of several strategies has the columns in `COLUMNS`, in that order, made of the figures
that CSV, JSON and pandas hold, too (`Comparison.rows`). This module formats them, and adds the
notes below the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bsbench.common.texts import as_markdown_code, for_markdown, for_terminal
from bsbench.present.sheets import WORDS as WORDS
from bsbench.present.verdicts import clear_verdicts, games_needed, verdict
from bsbench.runs.exact import QUICK, exact_law
from bsbench.runs.results import Result, counted
from bsbench.stats import (
    Counts,
    Difference,
    Race,
    decimals_of,
    exact_text,
    goodness_of_fit,
    interval_text,
)

if TYPE_CHECKING:
    from bsbench.rules.scenario import Scenario
    from bsbench.runs.comparison import Comparison

_MOST_LISTED = 20
"""Names or numbers in a sentence."""

Row = Mapping[str, Any]
"""The figures of a strategy, by their names in CSV."""


_DECIMALS = "decimals"
"""Among the figures of a row: how many decimals its column has."""


class Cell(NamedTuple):
    """A cell of a table: what it shows, and what its column is sorted by."""

    text: str
    value: float | str | None


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    header : str
    key : str
        The figure that the column is sorted by.
    text : callable
        Returns what the cell of a row shows; empty where nothing is known.
    of : callable or None
        Returns the number of games of which the figure is a share, if it is one.
    half_width : str
        The figure that is its half width, if it has an interval.
    brief : bool
        Whether the terminal shows it without ``--wide``.
    """

    header: str
    key: str
    text: Callable[[Row], str]
    of: Callable[[Row], int] | None = None
    half_width: str = ""
    brief: bool = False

    def cells(self, rows: Sequence[Row]) -> list[Cell]:
        """Return the cells of rows; figures with an interval have as many decimals in all rows."""
        if not self.half_width:
            return [self.cell(row) for row in rows]
        decimals = decimals_of(row[self.half_width] for row in rows if "±" in self.text(row))
        return [self.cell({**row, _DECIMALS: decimals}) for row in rows]

    def cell(self, row: Row) -> Cell:
        """Return the cell of a row."""
        text = self.text(row)
        if not text:
            return Cell("", None)
        return Cell(text, row[self.key] / self.of(row) if self.of else row[self.key])


class Table(NamedTuple):
    """The cells of a table by the headers of its columns, and the notes below it."""

    columns: dict[str, list[Cell]]
    notes: list[str]

    @property
    def texts(self) -> dict[str, list[str]]:
        """What the cells show."""
        return {name: [cell.text for cell in cells] for name, cells in self.columns.items()}


_NOT_ALL_OWN = " †"
"""Stands behind the name of a strategy that did not choose all of its moves itself."""


def name_of(result: Result) -> str:
    """Return the label of a result as tables show it, marked if not all moves are its own."""
    return _marked(result.figures())


def _marked(row: Row) -> str:
    return f"{row['label']}{_NOT_ALL_OWN if row.get('own_share', 1) < 1 else ''}"


def _own_text(share: float) -> str:
    """Return a share in percent, which is 100 only if it is whole."""
    return "100" if share == 1 else f"{min(100 * share, 99.9):.1f}"


def _own_share_text(row: Row) -> str:
    share = row.get("own_share", math.nan)
    # Beside rows of other strategies, a frame has NaN.
    return "" if math.isnan(share) else _own_text(share)


def own_notes(results: Iterable[Result]) -> Iterable[str]:
    """Yield how strategies that may fail to choose, such as language models, chose their moves."""
    for result in results:
        rules, moves = result.scenario.rules, counted([result])
        if lost := result.forfeits:
            yield (
                f"{result.label} failed in {len(lost):,} of {result.games:,} games, which count as "
                f"{rules.forfeit} {moves} each: {_enumerated([*map(str, lost)])}"
            )
        if (chosen := result.answers) is None:
            continue
        mark, rest = "", ""
        if chosen.fallbacks:
            mark = f"{_NOT_ALL_OWN.strip()} "
            rest = f"; the other {chosen.fallbacks:,} are random cells, since no answer was valid"
        yield (
            f"{mark}{result.label} chose {_own_text(chosen.own_share)} % of its {chosen.moves:,} "
            f"{moves} itself{rest}"
        )
        facts = [
            f"{chosen.answers:,} answers, {chosen.unreadable:,} unreadable, "
            f"{chosen.repeated:,} of cells shot before"
        ]
        if chosen.tokens_in is not None and chosen.tokens_out is not None:
            facts.append(f"{chosen.tokens_in:,} tokens in, {chosen.tokens_out:,} out")
        if chosen.milliseconds is not None:
            facts.append(f"{chosen.milliseconds / 1000:,.1f} s of answering")
        yield f"{result.label}: {'; '.join(facts)}"


def _shots_text(row: Row) -> str:
    # Beside rows of single shots, a frame has NaN.
    shots = row.get("shots", math.nan)
    return "" if math.isnan(shots) else f"{shots:.2f}"


def _is_reference(row: Row) -> bool:
    return bool(row["label"] == row["reference"])


def _mean_text(row: Row) -> str:
    if row.get("exact"):
        return exact_text(row["mean"])
    return interval_text(row["mean"], row["half_width"], row.get(_DECIMALS))


def _difference_text(row: Row) -> str:
    """Return the difference; marks stand in front, so that figures stay in line."""
    if _is_reference(row):
        return "reference"
    if row["wins"] == row["losses"] == 0:
        return "= 0"
    if row.get("exact"):
        return f"{row['difference']:+.4f}"
    difference = Difference(row["difference"], row["difference_half_width"])
    text = difference.text_to(row.get(_DECIMALS))
    clear = difference.significant or math.isnan(difference.half_width)
    return f"{'' if clear else '≈ '}{'' if row['paired'] else '* '}{text}"


def _race_text(row: Row) -> str:
    if _is_reference(row) or not row["paired"]:
        return ""
    return _percents(_paired_games(row), row["wins"], row["ties"], row["losses"])


def _paired_games(row: Row) -> int:
    return int(row["wins"] + row["ties"] + row["losses"])


def _first_text(row: Row) -> str:
    if row["first_alone"] is None:
        return ""
    return _percents(row["games_of_all"], row["first_alone"], row["first_tied"])


def _percents(games: int, *numbers: int) -> str:
    return "/".join(f"{100 * number / games:.1f}" for number in numbers)


def _rank_text(row: Row) -> str:
    """Return the interval of a rank."""
    if row["rank"] is None:
        return ""
    low, high = row["rank_low"], row["rank_high"]
    return f"{low}" if low == high else f"{low}–{high}"


def _dominance_text(row: Row) -> str:
    return "" if _is_reference(row) else row["dominance"]


_INTERVAL = " ± 95 %"
"""How headers of figures with an interval end."""

RANK = "rank"
"""The column that has the intervals of ranks."""

_SHOTS = "shots"
"""The column that has shots where moves are turns."""

COLUMNS = (
    Column("strategy", "label", _marked, brief=True),
    Column("scenario", "scenario", lambda row: row["scenario"], brief=True),
    Column(f"mean{_INTERVAL}", "mean", _mean_text, half_width="half_width", brief=True),
    Column(_SHOTS, "shots", _shots_text, brief=True),
    Column("sd", "sd", lambda row: "–" if math.isnan(row["sd"]) else f"{row['sd']:.2f}"),
    Column("median", "median", lambda row: f"{row['median']}", brief=True),
    Column("5 %", "low", lambda row: f"{row['low']}"),
    Column("95 %", "high", lambda row: f"{row['high']}"),
    Column("best", "best", lambda row: f"{row['best']}"),
    Column("worst", "worst", lambda row: f"{row['worst']}"),
    Column(
        "seed", "seed", lambda row: "all" if row["seed"] is None else f"{row['seed']}", brief=True
    ),
    Column("games", "games", lambda row: f"{row['games']:,}", brief=True),
    Column(
        "games/s", "games_per_second", lambda row: f"{row['games_per_second']:,.0f}", brief=True
    ),
    Column("own %", "own_share", _own_share_text, brief=True),
    Column(
        f"difference{_INTERVAL}",
        "difference",
        _difference_text,
        half_width="difference_half_width",
        brief=True,
    ),
    Column(RANK, "rank", _rank_text, brief=True),
    Column("won/tied/lost %", "wins", _race_text, _paired_games),
    Column("first/tied %", "first_alone", _first_text, lambda row: row["games_of_all"]),
    Column("dominance", "dominance", _dominance_text),
)
"""All columns, in order: first what a strategy is by itself, then against others."""

_CIRCUMSTANCES = ("scenario", "seed", "games")
"""Columns of what was played. They are hidden where all rows have the same there."""

DIFFERENCE = f"difference{_INTERVAL}"
"""The first of the columns on a strategy against others."""


def header_of(column: Column, rows: Iterable[Row]) -> str:
    """Return the header of a column; that of exact figures says nothing of intervals."""
    exact = all(row.get("exact") for row in rows)
    return column.header.removesuffix(_INTERVAL) if exact else column.header


_DOMINANCE = {
    "ahead, behind": "more, fewer games finished after any number of {moves}",
    "mostly": "except where chance could explain it",
    "crossing": "each leads over part of the range",
    "not clear": "chance could explain every lead",
    "not tested": "a strategy learns from game to game",
}
"""What the words in the column on dominance mean."""


def shots_note(result: Result) -> str:
    """Return what is counted where moves are turns."""
    which = result.scenario.rules.shots_text
    return f"shots: on average, {which}; mean, median and the like beside them are of turns"


def shots_column(results: Sequence[Result]) -> dict[str, list[str]]:
    """Return the column that has shots where moves are turns, by its header; else nothing."""
    texts = ["" if each.shots is None else f"{each.shots.mean:.2f}" for each in results]
    return {_SHOTS: texts} if any(texts) else {}


def shots_text(results: Sequence[Result]) -> str:
    """Return in words what that column says; nothing where moves are not turns."""
    texts = next(iter(shots_column(results).values()), [])
    of_each = [f"{each.label} {text}" for each, text in zip(results, texts, strict=False) if text]
    which = results[0].scenario.rules.shots_text if of_each else ""
    return f"{_enumerated(of_each)} shots on average, {which}" if of_each else ""


def result_columns(result: Result) -> dict[str, list[str]]:
    """Return the table of one result by itself, without its name."""
    row = result.figures()
    left_out = ("label", "scenario", "seed")
    shown = [column for column in COLUMNS if column.key in row and column.key not in left_out]
    return {header_of(column, [row]): [column.text(row)] for column in shown}


def comparison_table(
    comparison: Comparison, left_out: Collection[str] = (), brief: bool = False
) -> Table:
    """Return the table of a comparison, without the columns of these headers, or only brief ones.

    A column with nothing in it is left out, as are ranks; and the scenario, and seeds and numbers
    of games where all are the same: they stand in `played_text`.
    """
    return experiment_table([comparison], ("sd", RANK, *left_out), brief=brief)


def experiment_table(
    panels: Sequence[Comparison],
    left_out: Collection[str] = (),
    shown: Collection[str] = (),
    brief: bool = False,
) -> Table:
    """Return one table of all panels of an experiment: each compared with its own reference.

    Parameters
    ----------
    panels : sequence of Comparison
        One at least. Where they have one result each, nothing is compared.
    left_out : collection of str
        Headers of columns that are left out.
    shown : collection of str
        Headers of columns that are shown although all rows have the same there.
    brief : bool
        Whether only brief columns are shown.
    """
    rows = [row | {"games_of_all": panel.games} for panel in panels for row in panel.rows]
    hidden = {*left_out}
    hidden |= {key for key in _CIRCUMSTANCES if len({row[key] for row in rows}) == 1}
    most = max(len(panel.results) for panel in panels)
    if most < 2:
        hidden.add(DIFFERENCE)
    if most < 3:
        # With two strategies, it is the same as won/tied/lost.
        hidden.add("first/tied %")
    if most < (3 if brief else 2):
        hidden.add(RANK)
    table = Table({}, [])
    for column in COLUMNS:
        cells = column.cells(rows)
        is_there = column.header not in hidden and (column.brief or not brief)
        if column.header in shown or (is_there and any(cell.text for cell in cells)):
            table.columns[header_of(column, rows)] = cells
    texts = table.texts
    moves = counted(result for panel in panels for result in panel.results)
    notes = [line for panel in panels for line in _words(panel, texts, moves) if line]
    if _SHOTS in texts:
        notes.append(shots_note(panels[0].results[0]))
    for panel in panels:
        where = f"{panel.results[0].scenario.name}, {_seed_text(panel)}: " if panels[1:] else ""
        notes += [f"{where}{line}" for line in _circumstances(panel)]
    table.notes.extend(dict.fromkeys(notes))
    return table


def _words(comparison: Comparison, texts: Mapping[str, Sequence[str]], moves: str) -> Iterable[str]:
    """Yield what the words and marks in a table mean: a line, and one on wins and one on words."""
    differences = next((texts[name] for name in texts if name.startswith("difference")), [])
    reference = comparison.reference
    marks = []
    if differences:
        how = ", game by game" if all(comparison.paired) else ""
        marks.append(f"difference: mean {moves} minus those of {reference}{how}")
    if any("≈" in cell for cell in differences):
        marks.append("≈ may be chance")
    if any("*" in cell for cell in differences):
        marks.append("* by the means, not game by game")
    if "= 0" in differences:
        marks.append("= 0 in every game")
    if any(cell[0] in "+-" and "±" not in cell for cell in differences) and not comparison.exact:
        marks.append("no ±: too few games or learners")
    if comparison.results[0].scenario.placement.games_in_a_row > 1:
        marks.append("± over people, or over learners of several")
    elif any(result.learning for result in comparison.results):
        marks.append("± of a strategy that learns: over learners")
    yield "; ".join(marks)
    shares = []
    if "won/tied/lost %" in texts:
        shares.append(f"won/tied/lost: games with fewer, as many, more {moves} than {reference}")
    if "first/tied %" in texts:
        shares.append(f"first/tied: games with fewer {moves} than all others, as few as another")
    if any("–" in cell for cell in texts.get(RANK, ())):
        shares.append("rank: 95 % interval, for all comparisons together")
    yield "; ".join(shares)
    shapes = " ".join(texts.get("dominance", []))
    found = [
        f"{words}: {meaning.format(moves=moves)}"
        for words, meaning in _DOMINANCE.items()
        if any(word in shapes for word in words.split(", "))
    ]
    if found:
        yield f"dominance over {reference}: {'; '.join(found)}"


def _circumstances(comparison: Comparison) -> Iterable[str]:
    """Yield notes on alarms, interruptions, faults, intervals, records and unequal answers."""
    yield from alarm_texts(comparison.results)
    yield from own_notes(comparison.results)
    if comparison.exact:
        yield "exact: each layout was played once by each strategy; nothing is estimated"
    if comparison.margin is not None:
        yield (
            "until clear: the 95 % intervals of all differences hold together, whenever it ends; "
            f"equal: within {comparison.margin:g}"
        )
    if comparison.partial and not any(each.fault for each in comparison.played):
        missing = f"; not played: {_enumerated(comparison.missing)}" if comparison.missing else ""
        yield f"partial: {interrupted_text(comparison.games, comparison.requested)}{missing}"
    elif isinstance(comparison.until, int | float):
        widths = [difference.half_width for difference in comparison.differences]
        reached = all(width <= comparison.until for width in widths)
        yield _until_text(comparison.until, comparison.games, reached)
    for result, found, race in zip(
        comparison.results, comparison.differences, comparison.races, strict=True
    ):
        if found.from_range and race is not None:
            yield f"{result.label}: {range_text(found, race, result)}"
    if comparison.from_records and comparison.played:
        yield f"from records: {_enumerated(comparison.from_records)}"
    recorded = set(comparison.from_records)
    cut = [r.label for r in comparison.results if r.partial and r.label in recorded and not r.fault]
    if cut:
        yield f"interrupted before all games were played: {_enumerated(cut)}"
    if faulty := [f"{r.label}: {ending_text(r)}" for r in comparison.results if r.fault]:
        yield _enumerated(faulty, "; ")
    streams = {each.label: each.stream_version for each in comparison.results}
    if len(set(streams.values())) > 1:
        of_each = _enumerated([f"{label} ({version})" for label, version in streams.items()])
        yield f"not all were played on the same layout stream: {of_each}; a seed means other games"
    for what in ("feedback", "answers"):
        told: dict[str, list[str]] = {}
        for each in comparison.results:
            told.setdefault(str(getattr(each.scenario.rules, what)), []).append(each.label)
        if len(told) > 1:
            given = [f"{kind} for {_enumerated(labels)}" for kind, labels in told.items()]
            yield f"not all were given the same {what}: {'; '.join(given)}"


def range_text(difference: Difference, race: Race, result: Result) -> str:
    """Return why the interval of a result's difference comes from the range of move counts."""
    games, differ = f"{race.games:,} games", race.wins + race.losses
    if not differ:
        found = f"none of {games} differs"
    elif differ == 1:
        found = f"only 1 of {games} differs"
    elif 2 * differ < race.games:
        found = f"only {differ:,} of {games} differ"
    else:
        found = f"{games} may have missed rare, large differences"
    move = counted([result], "move")
    return f"{found}: ± {difference.half_width:.3g} from the range of {move} counts"


def _enumerated(texts: Sequence[str], separator: str = ", ") -> str:
    """Return texts on a line; of very many the first, and how many more there are."""
    more = len(texts) - _MOST_LISTED
    shown = separator.join(texts[:_MOST_LISTED])
    return f"{shown} and {more:,} more" if more > 0 else shown


def played_text(results: Sequence[Result], in_full: bool = False) -> str:
    """Return what was played, on a line: games, scenario and seed; in full, rules and threads."""
    games, seeds = ({getattr(each, key) for each in results} for key in ("games", "seed"))
    scenario = results[0].scenario
    number = f"{listed(r.games for r in results)} game{'s' if games != {1} else ''}"
    each = " each" if len(results) > 1 else ""
    place = f"{scenario.name}: {rules_text(scenario)}" if in_full else scenario.name
    threads = f", {threads_text(results[0].threads)}" if in_full else ""
    # Without commas, to be copied.
    listed_seeds = _enumerated(
        [str(seed) for seed in dict.fromkeys(r.seed for r in results)], " / "
    )
    seed = f"seed{'s' if len(seeds) > 1 else ''} {listed_seeds}"
    return f"{number}{each} on {place}, {seed}{threads}"


def listed(numbers: Iterable[int]) -> str:
    """Return numbers in words, each once; of very many the first, and how many more there are."""
    return _enumerated([f"{number:,}" for number in dict.fromkeys(numbers)], " / ")


def experiment_notes(panels: Sequence[Comparison], table: Table) -> list[str]:
    """Return the lines below the table of an experiment: its notes, and what was played."""
    together: dict[tuple[Scenario, int], list[Result]] = {}
    for panel in panels:
        if panel.seed is None:
            continue
        together.setdefault((panel.results[0].scenario, panel.games), []).extend(panel.results)
    return [*table.notes, *(played_text(each, in_full=True) for each in together.values())]


def markdown_text(columns: Mapping[str, Sequence[str]], notes: Iterable[str]) -> str:
    """Return a table in Markdown, as for a README, and below it notes."""
    # Each on a line of its own: two spaces at the end break it.
    below = "  \n".join(map(for_markdown, notes))
    return f"{markdown_table(columns)}\n\n{below}\n" if below else f"{markdown_table(columns)}\n"


def latex_text(columns: Mapping[str, Sequence[str]], notes: Iterable[str]) -> str:
    """Return a table for LaTeX, in the style of the package booktabs; notes are comments."""
    import pandas as pd

    figures = [not words for words in map(_is_of_words, columns)]
    table = pd.DataFrame({name: list(cells) for name, cells in columns.items()}).style
    table = table.hide(axis="index").format(escape="latex").format_index(escape="latex", axis=1)
    text = table.to_latex(
        hrules=True, column_format="".join("r" if right else "l" for right in figures)
    )
    for character, command in _IN_LATEX.items():
        text = text.replace(character, command)
    lines = [f"% {for_terminal(note)}" for note in notes]
    return "\n".join([r"% \usepackage{booktabs}", *lines, text])


_IN_LATEX = {
    "±": r"$\pm$",
    "≈": r"$\approx$",
    "–": "--",
    "µ": r"$\mu$",
    "·": r"$\cdot$",
    "†": r"$\dagger$",
}
"""Characters that tables have and that not every engine of LaTeX knows."""


def _is_of_words(header: str) -> bool:
    return header in WORDS


def markdown_table(columns: Mapping[str, Sequence[str]], words: Collection[str] = WORDS) -> str:
    """Return a table in Markdown: strategies as code, figures on the right."""
    cells = [
        [name, *map(as_markdown_code if name == "strategy" else for_markdown, texts)]
        for name, texts in columns.items()
    ]
    header, *rows = zip(*cells, strict=True)
    alignment = ["---" if name in words else "---:" for name in columns]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, alignment, *rows])


def rules_text(scenario: Scenario) -> str:
    """Return the rules and the placement law of a scenario."""
    rules = scenario.rules
    parts = [
        f"{rules.board} board",
        f"fleet {rules.fleet_text}",
        rules.apart.short,
        f"feedback {rules.feedback}",
        rules.turn_text,
        "repeated shots count" if rules.repeats else "",
        scenario.placement.of_layouts(),
    ]
    return ", ".join(filter(None, parts))


def interrupted_text(games: int, requested: int) -> str:
    """Return how much was played of what was asked for."""
    return f"interrupted after {games:,} of {requested:,} games"


def time_text(seconds: float) -> str:
    """Return a time in a unit that suits it, to three digits."""
    if math.isnan(seconds):
        return "–"
    units = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
    unit, size = next((each for each in units.items() if seconds >= each[1]), ("ns", 1e-9))
    value = seconds / size
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"


def threads_text(threads: int) -> str:
    """Return a number of threads in words."""
    return f"{threads} thread{'s' if threads > 1 else ''}"


def _until_text(until: float, games: int, reached: bool) -> str:
    if reached:
        return f"± {until:g} reached after {games:,} games"
    return f"± {until:g} not reached: {games:,} games are the limit"


def alarm_texts(results: Iterable[Result]) -> Iterable[str]:
    """Yield what is too good to be true about some results: see `bsbench.runs.alarms`."""
    for result in results:
        for alarm in result.alarms:
            yield f"alarm: {result.label}: {alarm}"


def result_notes(result: Result) -> Iterable[str]:
    """Yield what is known of a result beyond its table, and the time it took."""
    yield from alarm_texts([result])
    yield from own_notes([result])
    if result.shots is not None:
        yield shots_note(result)
    law = exact_law(result.label, result.scenario, QUICK)
    if result.exact:
        yield (
            f"exact: each of {result.games:,} layouts was played once (with distinguishable "
            f"ships); mean {result.mean_as_fraction}"
        )
    elif law is not None:
        mean = law @ np.arange(len(law))
        yield f"exact law: mean {mean:.4f}, {goodness_of_fit(result.counts, law).text}"
    if result.first_game:
        end = result.first_game + result.games - 1
        yield f"games {result.first_game:,} to {end:,} of seed {result.seed}"
    if result.learning is not None and result.learning.learners == 1:
        yield (
            f"one learner: no interval; play more than {result.games_per_learner:,} games for one"
        )
    yield (
        f"played in {result.play_seconds:.2f} s on {threads_text(result.threads)}, after "
        f"{result.setup_seconds:.2f} s of setup (kernels, a first game)"
    )


def ending_text(result: Result) -> str:
    """Return how a run ended, if not by the number of its games; else nothing."""
    if result.fault is not None:
        problem = " ".join(result.fault.problem.split())
        return (
            f"partial: {result.games:,} of {result.requested:,} games, then a fault in game "
            f"{result.fault.game:,}: {problem}"
        )
    if result.partial:
        return f"partial: {interrupted_text(result.games, result.requested)}"
    if result.until is None:
        return ""
    return _until_text(result.until, result.games, result.stats.half_width <= result.until)


def settling_text(comparison: Comparison) -> str:
    """Return how many games the differences that are not significant need; or nothing."""
    needed = []
    for row in comparison.rows if comparison.margin is None else ():
        gap = Difference(row["difference"], row["difference_half_width"])
        if row["paired"] and 0 < abs(gap.mean) <= gap.half_width:
            needed.append(f"{games_needed(gap, _paired_games(row))} games for {row['label']}")
    return (
        "≈ may be chance: to show a difference as large as it looks, play about "
        f"{_enumerated(needed)}"
        if needed
        else ""
    )


def verdict_lines(panels: Sequence[Comparison]) -> list[str]:
    """Return what each panel of an experiment found, a line each, where strategies compare."""
    compared = [panel for panel in panels if len(panel.results) > 1]
    seeds = len({panel.seed for panel in compared}) > 1
    return [
        f"{f'{_seed_text(panel)}: ' if seeds else ''}{line}"
        for panel in compared
        for line in ([verdict(panel)] if panel.margin is None else clear_verdicts(panel))
    ]


def _seed_text(panel: Comparison) -> str:
    return "all seeds together" if panel.seed is None else f"seed {panel.seed}"


BARS = " ▁▂▃▄▅▆▇█"
"""Of a sparkline: nothing at all, and eighths of the largest."""


def sparkline(counts: Counts, least: int, most: int, width: int) -> str:
    """Return a histogram of move counts on one line.

    Parameters
    ----------
    counts : ndarray of int64, shape (n,)
        Number of games by move count.
    least, most : int
        The move counts of the first and the last character.
    width : int
        Characters at most; fewer where there are fewer move counts.

    Examples
    --------
    >>> sparkline(np.array([0, 0, 1, 4, 8, 4, 0]), 2, 6, 10)
    '▁▄█▄ '
    """
    cells = most - least + 1
    width = min(width, cells)
    shown = np.zeros(cells, np.int64)
    part = counts[least : most + 1]
    shown[: len(part)] = part
    place = np.arange(cells) * width // cells
    # The mean of the move counts of a character: characters have one more or less of them.
    heights = np.bincount(place, shown, width) / np.bincount(place, minlength=width)
    levels = np.round(8 * heights / heights.max()).astype(int)
    return "".join(BARS[level] for level in np.where(heights > 0, np.maximum(levels, 1), 0))


def spark_column(results: Sequence[Result], width: int) -> dict[str, list[str]]:
    """Return a column of sparklines on one scale, which its header shows.

    Parameters
    ----------
    results : sequence of Result
    width : int
        Characters at most.
    """
    least = min(result.stats.best for result in results)
    most = max(result.stats.worst for result in results)
    lines = [sparkline(result.counts, least, most, width) for result in results]
    return {spark_header(least, most, len(lines[0]), counted(results)): lines}


def spark_line(result: Result, width: int) -> str:
    """Return the distribution of one result, with the ends of its scale on either side."""
    least, most = result.stats.best, result.stats.worst
    return f"{least} {sparkline(result.counts, least, most, width)} {most} {counted([result])}"


def spark_header(least: int, most: int, width: int, moves: str) -> str:
    """Return the ends of the scale, and between them what it counts, if there is room."""
    room = width - len(f"{least}{most}")
    word = moves if room >= len(moves) + 2 else ""
    return f"{least}{word.center(max(room, 1))}{most}"
