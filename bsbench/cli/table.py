"""Results as tables, on the terminal and in Markdown."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import IO, TYPE_CHECKING

import numpy as np

from bsbench.exact import QUICK, exact_law
from bsbench.results import Result
from bsbench.scenario import Scenario
from bsbench.stats import goodness_of_fit

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from bsbench.bench import SpeedReport
    from bsbench.comparison import Comparison
    from bsbench.dueling import Duel
    from bsbench.stats import Dominance
    from bsbench.strategies import Strategy

WORDS = ("strategy", "scenario", "name", "title", "player")
"""Columns of words; all others are figures."""


def print_result(result: Result, file: IO[str] | None = None) -> None:
    """Print what was played, its statistics as a table, and the time it took."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(file=file or sys.stdout, highlight=False)
    # Figures are never cut: on a narrower terminal the lines are broken by itself.
    console.width = max(console.width, 80)
    stats = result.stats
    console.print(
        f"[bold]{escape(result.label)}[/] on [bold]{escape(result.scenario.name)}[/]: "
        f"{escape(_rules_text(result.scenario))}, seed {result.seed}"
    )
    if result.partial:
        console.print(f"[yellow]partial:[/] {interrupted_text(stats.games, result.requested)}")
    if result.until is not None and not result.partial:
        console.print(_until_text(result.until, stats.games, stats.half_width <= result.until))
    table = empty_table()
    columns = {
        "mean ± 95 %": stats.mean_text,
        "sd": f"{stats.sd:.2f}" if stats.games > 1 else "–",
        "median": f"{stats.median}",
        "5 %": f"{stats.low}",
        "95 %": f"{stats.high}",
        "best": f"{stats.best}",
        "worst": f"{stats.worst}",
        "games": f"{stats.games:,}",
        "games/s": f"{result.games_per_second:,.0f}",
    }
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row(*columns.values())
    console.print()
    console.print(table)
    console.print()
    law = exact_law(result.strategy, result.scenario, QUICK)
    if law is not None:
        mean = law @ np.arange(len(law))
        fit = goodness_of_fit(result.counts, law)
        console.print(f"exact law: mean {mean:.4f}, {fit.text}")
    learning = result.learning
    if learning is not None and len(learning.totals) == 1:
        console.print(
            f"one learner: no interval; play more than {learning.games_per_learner:,} games for one"
        )
    console.print(
        f"played in {result.play_seconds:.2f} s on {threads_text(result.threads)}, after "
        f"{result.setup_seconds:.2f} s of compiling or loading kernels"
    )


def console_for(file: IO[str] | None) -> Console:
    """Return where to print: at least 80 columns, as narrower terminals break lines themselves."""
    from rich.console import Console

    console = Console(file=file or sys.stdout, highlight=False)
    # Into a file or a pipe, no line has to be broken.
    console.width = max(console.width, 80) if console.is_terminal else 200
    return console


def empty_table() -> Table:
    """Return a table in the style of all tables, without columns."""
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))


def print_table(
    console: Console, columns: Mapping[str, Sequence[str]], words: Collection[str] = WORDS
) -> None:
    """Print cells by the headers of their columns, and an empty line; figures are never cut."""
    from rich.text import Text

    table = empty_table()
    for name in columns:
        table.add_column(
            name,
            justify="left" if name in words else "right",
            no_wrap=name not in words,
            overflow="fold",
        )
    for cells in zip(*columns.values(), strict=True):
        # Not as markup: labels may be anything.
        table.add_row(*map(Text, cells))
    console.print(table)
    console.print()


def print_lines(console: Console, lines: Iterable[str]) -> None:
    """Print lines as they are."""
    for line in lines:
        console.print(line, markup=False)


def _rules_text(scenario: Scenario) -> str:
    rules = scenario.rules
    return (
        f"{rules.board} board, fleet {rules.fleet_text}, "
        f"{'' if rules.touching else 'no '}touching, feedback {rules.feedback}, "
        f"{scenario.placement} layouts"
    )


def interrupted_text(games: int, requested: int) -> str:
    """Return how much was played of what was asked for."""
    return f"interrupted after {games:,} of {requested:,} games"


def threads_text(threads: int) -> str:
    """Return a number of threads in words."""
    return f"{threads} thread{'s' if threads > 1 else ''}"


def _until_text(until: float, games: int, reached: bool) -> str:
    if reached:
        return f"± {until:g} reached after {games:,} games"
    return f"± {until:g} not reached: {games:,} games are all that were allowed"


def print_comparison(comparison: Comparison, file: IO[str] | None = None) -> None:
    """Print a row for each strategy, and below what was played.

    Where that is too wide, there are two tables: of move counts, and of what they are
    against the reference.
    """
    from rich.text import Text

    console = console_for(file)
    width = console.width
    labels = [result.label for result in comparison.results]
    alone, against = _count_columns(comparison), _against_columns(comparison)
    longest = max(map(len, labels))
    both = _broader(alone) + _broader(against) + max(longest, len("strategy")) + 1
    for figures in [alone | against] if both <= width else [alone, against]:
        table = empty_table()
        table.add_column("strategy", no_wrap=True)
        for name in figures:
            table.add_column(name, justify="right", no_wrap=True)
        # Figures are never cut: labels are broken to what room these leave.
        room = max(width - _broader(figures) - 1, 10)
        console.width = max(width, _broader(figures) + room + 1)
        for label, *cells in zip(labels, *figures.values(), strict=True):
            # Not as markup: labels may be anything.
            table.add_row(*map(Text, (_broken(label, room), *cells)))
        console.print(table)
        console.print()
    for line in _comparison_notes(comparison):
        console.print(line, markup=False)


def _broader(columns: dict[str, list[str]]) -> int:
    """Return the width of columns of figures, with what separates them."""
    return sum(2 + max(map(len, (name, *cells))) for name, cells in columns.items())


def _broken(label: str, width: int) -> str:
    """Break a label that is too long: at spaces, and its words after punctuation."""
    if len(label) <= width:
        return label
    piece = rf".{{1,{width}}}$|.{{1,{width - 1}}}[-_=]|.{{1,{width}}}"
    return "\n".join(part for word in label.split() for part in re.findall(piece, word))


def comparison_markdown(comparison: Comparison) -> str:
    """Return a table in Markdown, as for a README, and below it what was played."""
    columns = {
        "strategy": [f"`{result.label}`" for result in comparison.results],
        **_count_columns(comparison),
        **_against_columns(comparison),
    }
    alignment = ["---", *["---:"] * (len(columns) - 1)]
    rows = [columns, alignment, *zip(*columns.values(), strict=True)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    # Each on a line of its own: two spaces at the end break it.
    return "\n".join([*lines, "", "  \n".join(_comparison_notes(comparison)), ""])


def _count_columns(comparison: Comparison) -> dict[str, list[str]]:
    """Return the cells of each strategy by itself, by column."""
    results = comparison.results
    columns = {
        "mean ± 95 %": [result.stats.mean_text for result in results],
        "median": [f"{result.stats.median}" for result in results],
        "5 %": [f"{result.stats.low}" for result in results],
        "95 %": [f"{result.stats.high}" for result in results],
        "best": [f"{result.stats.best}" for result in results],
        "worst": [f"{result.stats.worst}" for result in results],
        "games": [f"{result.games:,}" for result in results],
        "games/s": [f"{result.games_per_second:,.0f}" for result in results],
    }
    if len(set(columns["games"])) == 1:
        del columns["games"]
    return columns


def _against_columns(comparison: Comparison) -> dict[str, list[str]]:
    """Return the cells of each strategy against the reference and all others, by column."""
    columns = {"difference ± 95 %": _difference_cells(comparison)}
    races = [
        None if result.label == comparison.reference or race is None else race.shares
        for result, race in zip(comparison.results, comparison.races, strict=True)
    ]
    if any(races):
        columns["win/tie/loss %"] = [_percent(*shares) if shares else "" for shares in races]
    # Of two, the first of all is the one that wins.
    if len(races) > 2 and any(comparison.firsts):
        columns["first/tied %"] = [
            _percent(first.alone / comparison.games, first.tied / comparison.games)
            for first in comparison.firsts
            if first
        ]
    columns["dominance"] = [
        "" if result.label == comparison.reference else _dominance_text(shapes)
        for result, shapes in zip(comparison.results, comparison.dominances, strict=True)
    ]
    return columns


def _percent(*shares: float) -> str:
    return "/".join(f"{100 * share:.1f}" for share in shares)


def _dominance_text(shapes: Dominance) -> str:
    """Return in a word who dominates, as far as chance does not explain it."""
    if shapes.played == "same":
        return "same"
    if math.isnan(shapes.chance):
        return "–"
    better, worse = (lead > shapes.chance for lead in (shapes.first_ahead, shapes.second_ahead))
    if better == worse:
        return "neither" if better else "≈"
    word = "better" if better else "worse"
    return word if shapes.played in ("first", "second") else f"{word}?"


def _difference_cells(comparison: Comparison) -> list[str]:
    """Return the differences; marks stand in front, so that figures stay in line."""
    cells = []
    for result, difference, same, paired in zip(
        comparison.results,
        comparison.differences,
        comparison.same,
        comparison.paired,
        strict=True,
    ):
        if result.label == comparison.reference:
            cells.append("reference")
        elif same:
            cells.append("= 0")
        else:
            clear = difference.significant or math.isnan(difference.half_width)
            cells.append(("" if clear else "≈ ") + ("" if paired else "* ") + difference.text)
    return cells


def _comparison_notes(comparison: Comparison) -> list[str]:
    """Return what stands below the table, line by line."""
    result = comparison.results[0]
    differences, shapes = (
        _difference_cells(comparison),
        _against_columns(comparison)["dominance"],
    )
    notes = []
    if any(cell.startswith("≈") for cell in differences):
        notes.append("≈ not significant: the interval holds 0")
    if any("*" in cell for cell in differences):
        notes.append(
            "* not paired: by the means, since the games, or who took how many moves in which, "
            "are not those of the reference"
        )
    if "= 0" in differences:
        notes.append("= the same games: as many moves in every one")
    if any(cell[0] in "+-" and "±" not in cell for cell in differences):
        notes.append("no ±: a single learner, or game, doesn't tell how much is chance")
    if any(comparison.firsts) and len(comparison.results) > 2:
        notes.append("first: before all others; tied: first with others, and none before")
    told = {
        "better": "a larger share finished within any number of moves",
        "worse": "a smaller share finished within any number of moves",
        "neither": "each leads somewhere",
        "≈": "no lead beyond chance",
        "?": "and a lead of the other that may be chance",
        "–": "learners, chance unknown",
    }
    found = [f"{word}: {meaning}" for word, meaning in told.items() if word in "".join(shapes)]
    if found:
        notes.append(f"dominance, against the reference: {'; '.join(found)}")
    if comparison.partial:
        missing = f"; not played: {', '.join(comparison.missing)}" if comparison.missing else ""
        told_games = interrupted_text(comparison.games, comparison.requested)
        notes.append(f"partial: {told_games}{missing}")
    elif comparison.until is not None:
        widths = [difference.half_width for difference in comparison.differences]
        reached = all(width <= comparison.until for width in widths)
        notes.append(_until_text(comparison.until, comparison.games, reached))
    if comparison.from_records:
        notes.append(f"from records: {', '.join(comparison.from_records)}")
    feedback = {each.label: str(each.scenario.rules.feedback) for each in comparison.results}
    if len(set(feedback.values())) > 1:
        listed = ", ".join(f"{label} ({kind})" for label, kind in feedback.items())
        notes.append(f"not all were told the same: {listed}")
    games = {each.games for each in comparison.results}
    number = f"{comparison.games:,} game{'s' if comparison.games > 1 else ''} each"
    seeds = sorted({each.seed for each in comparison.results})
    notes.append(
        f"{number if len(games) == 1 else 'games'} on "
        f"{result.scenario.name}: {_rules_text(result.scenario)}, "
        f"seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}, "
        f"{threads_text(result.threads)}"
    )
    return notes


def print_settling(comparison: Comparison) -> None:
    """Print on stderr how many games would tell differences from chance, where these don't.

    If a difference is what it looks like, twice the games at which its interval would
    just leave out 0 show it four times of five: 1.96 times the root of 2 is 0.8 standard
    errors beyond 1.96.
    """
    needed = []
    for result, difference, paired in zip(
        comparison.results, comparison.differences, comparison.paired, strict=True
    ):
        gap, width = abs(difference.mean), difference.half_width
        if paired and 0 < gap <= width:
            games = 2 * comparison.games * (width / gap) ** 2
            needed.append(f"{_about(games)} games for {result.label}")
    if needed:
        told = f"to tell a difference as large as it looks, play about {', '.join(needed)}"
        console_for(sys.stderr).print(f"≈ may be chance: {told}", markup=False)


def _about(games: float) -> str:
    """Return a number of games, rounded up to two digits."""
    if games > 1e10:
        return "more than 10,000,000,000"
    step = 10 ** max(math.floor(math.log10(games)) - 1, 0)
    return f"{math.ceil(games / step) * step:,}"


def why_text(shooters: Iterable[Strategy], home: str | None) -> str:
    """Return why the scenario is what it is when none was named."""
    at_home = dict.fromkeys(shooter.name for shooter in shooters if shooter.home)
    names = ", ".join(at_home)
    if home:
        return f"home of {names}"
    if at_home:
        return f"the default, since {names} don't share a home"
    return "the default, since there is no home of any"


def print_duel(duel: Duel, file: IO[str] | None = None) -> None:
    """Print the verdict in words, and below what it rests on."""
    console = console_for(file)
    console.print(duel.text, style="bold", markup=False)
    console.print()
    first, second = duel.first, duel.second
    wins, ties, losses = (f"{100 * share:.1f} %" for share in duel.race.shares)
    lines = [
        f"{first.label} {first.stats.mean:.2f}, {second.label} {second.stats.mean:.2f} moves on "
        f"average; {first.label} finishes first in {wins} of the games, {second.label} in "
        f"{losses}, both at once in {ties}"
    ]
    if duel.partial:
        lines.append(f"partial: {interrupted_text(duel.games, duel.most)}")
    lines.append(
        f"{duel.games:,} games each on {first.scenario.name}: {_rules_text(first.scenario)}, seed "
        f"{first.seed}, {threads_text(first.threads)}; "
        f"{first.play_seconds + second.play_seconds:.2f} s"
    )
    for line in lines:
        console.print(line, markup=False)


def print_speeds(report: SpeedReport, file: IO[str] | None = None) -> None:
    """Print a row for each strategy that was measured, and below how."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file or sys.stdout, highlight=False)
    console.width = max(console.width, 80) if console.is_terminal else 160
    columns = {
        "strategy": [speed.strategy for speed in report.speeds],
        "scenario": [speed.scenario for speed in report.speeds],
        "a million games": [f"{speed.seconds_per_million:,.1f} s" for speed in report.speeds],
        "games/s": [f"{speed.all_threads.games_per_second:,.0f}" for speed in report.speeds],
        "on 1 thread": [f"{speed.one_thread.games_per_second:,.0f}" for speed in report.speeds],
        "set-up": [f"{speed.setup_seconds:.2f} s" for speed in report.speeds],
    }
    if report.threads == 1:
        del columns["on 1 thread"]
    table = empty_table()
    for name in columns:
        is_text = name in ("strategy", "scenario")
        table.add_column(name, justify="left" if is_text else "right", overflow="fold")
    for cells in zip(*columns.values(), strict=True):
        table.add_row(*map(Text, cells))
    console.print(table)
    console.print()
    measured = [speed.all_threads for speed in report.speeds]
    least, most = (choose(pace.games for pace in measured) for choose in (min, max))
    played = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    seconds = sum(pace.seconds for pace in measured) / len(measured)
    for line in (
        f"on {threads_text(report.threads)} of {report.machine['processor']}, layouts included",
        f"measured: {played} games in about {seconds:.1f} s; a million games: extrapolated",
        "set-up: compiling kernels (the first time) or loading them, and tables; not in the rest",
    ):
        console.print(line, markup=False)
