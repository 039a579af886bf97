"""What all charts share: titles, notes, names of results, and axes of moves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from bsbench.common.errors import BsbenchError
from bsbench.common.texts import short, short_names
from bsbench.present.charts._layout import figure_of, fitting
from bsbench.present.charts._saving import HouseFigure
from bsbench.present.looks import Look, looks
from bsbench.present.verdicts import LONGEST_IN_TITLE, best_first
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result, counted, move_range

_TITLE, _CAPTION, _NOTE = 12, 9, 8
"""Of letters, in points."""

MOST_NAMED = 20
"""Results with a name in a chart where each has a place of its own. More could not be read."""

MOST_LINES = 6
"""Results with a name where lines lie over each other: more could not be told apart."""

_BEST_OF_MANY = 12
"""Results that keep their names where there are more than `MOST_NAMED`."""


def entitle(
    axes: Axes,
    title: str,
    results: Sequence[Result],
    more: str = "",
    played: str | None = None,
    most: int = MOST_NAMED,
) -> None:
    """Write the title, under it what was played, and the version of bsbench.

    Parameters
    ----------
    axes : Axes
    title : str
        What is found, or drawn, and on which scenario.
    results : sequence of Result
        Of one scenario.
    more : str
        More of the rules, such as ``, feedback hit``, or nothing.
    played : str, optional
        Games and seed. Default: those of the results, and how many of them have names.
    most : int
        As `best_of` takes it.
    """
    played = played_text(results) if played is None else played
    named, rest = best_of(results, most)
    if rest:
        played = f"{played}; names: the best {len(named)} of {len(results):,}"
    figure = figure_of(axes)
    text = caption_text(results[0].scenario, more, played)
    entitle_figure(figure, title, text, versions_text(results))


def entitle_figure(figure: Figure, title: str, played: str, version: str) -> None:
    """Write a title over all axes, under it what was played, and the version of bsbench."""
    width, height = figure.get_size_inches()
    if isinstance(figure, HouseFigure) and figure.style.signed:
        played += f"; bsbench {version}"
    title = fitting(title, width - 0.25, _TITLE, bold=True)
    played = fitting(played, width - 0.25, _CAPTION)
    # Empty lines keep room for what was played.
    room = "\n" * (played.count("\n") + 1)
    style: dict[str, Any] = {"x": 0.1 / width, "ha": "left", "va": "top"}
    figure.suptitle(title + room, fontsize=_TITLE, fontweight="bold", **style)
    below = 1 - (0.2 * (title.count("\n") + 1) + 0.09) / height
    figure.text(y=below, s=played, fontsize=_CAPTION, color="#555555", **style)


def versions_text(results: Sequence[Result]) -> str:
    """Return the versions of bsbench that the results are of."""
    return ", ".join(sorted({result.bsbench for result in results}))


def caption_text(scenario: Scenario, more: str, played: str) -> str:
    """Return what is played, on a line: scenario, board, fleet, layouts, games and seed."""
    rules = scenario.rules
    turns = f"{rules.turn_text}, " if rules.salvos else ""
    return (
        f"{short(scenario.name)}: {rules.board} board, fleet {rules.fleet_text}, "
        f"{rules.apart.short}{more}, {turns}"
        f"{scenario.placement.of_layouts(partial(short, longest=24))}; {played}"
    )


def footnote(figure: Figure, text: str) -> None:
    """Write below a chart how to read it, in small letters."""
    inches = figure.get_figwidth()
    text = fitting(text, inches - 0.25, _NOTE)
    style: dict[str, Any] = {"x": 0.1 / inches, "ha": "left", "linespacing": 1.35}
    figure.supxlabel(text, fontsize=_NOTE, color="#555555", **style)


def one_scenario(results: Sequence[Result]) -> Scenario:
    """Return the scenario that all results are of.

    Raises
    ------
    BsbenchError
        If there is more than one: 17 ship cells and 21 make different games, and their move
        counts don't compare. Nor do those under different feedback.
    """
    found = Counter(result.scenario.name for result in results)
    first = results[0].scenario
    if any(result.scenario != first for result in results):
        counted = ", ".join(f"{games} of {short(name)}" for name, games in found.items())
        alike = " (of one name, but not the same)" if len(found) == 1 else ""
        raise BsbenchError(
            f"results of different scenarios don't belong on one axis: there are {counted}{alike}; "
            "give those of one"
        )
    return first


def compared(results: Comparison | Sequence[Result]) -> Comparison:
    """Return results of one scenario, the best first, each compared with the best.

    Parameters
    ----------
    results : Comparison or sequence of Result
        Those of a comparison are compared game by game where it is known of the best.

    Raises
    ------
    BsbenchError
        If they are not of one scenario, or two are of the same games.
    """
    if not isinstance(results, Comparison):
        one_scenario(results)
        names(results)
        # By a name, a comparison finds the first one that has it.
        best = min(results, key=lambda result: result.stats.mean)
        results = Comparison((best, *(each for each in results if each is not best)), best.label)
    one_scenario(results.results)
    return best_first(results)


def names(results: Sequence[Result]) -> list[str]:
    """Return distinct names of the results of one chart: labels, with seeds where labels are alike.

    Raises
    ------
    BsbenchError
        If two are of the same strategy and seed, and so of the same games.
    """
    labels = Counter(result.label for result in results)
    found = [
        result.label if labels[result.label] == 1 else f"{result.label} (seed {result.seed})"
        for result in results
    ]
    for name, times in Counter(found).items():
        if times > 1:
            raise BsbenchError(
                f"{name} is given {times} times: give one result of each strategy and seed"
            )
    return found


def title_names(results: Sequence[Result]) -> list[str]:
    """Return the names of the results of one chart, short enough for a title, and distinct.

    Raises
    ------
    BsbenchError
        As `names`.
    """
    return short_names(names(results), LONGEST_IN_TITLE)


def played_text(results: Sequence[Result]) -> str:
    """Return how many games each result is of, and of which seed, for the caption.

    Of results that differ in it, it says which are of how many games: those of the fewest, if not
    all can be named.
    """
    games = sorted({result.games for result in results})
    seeds = sorted({result.seed for result in results})
    of_seeds = ", ".join(map(str, seeds[:5])) + (", …" if seeds[5:] else "")
    return (
        f"{_games_text(results, games)}"
        f"{' (partial)' if any(result.partial for result in results) else ''}, "
        f"seed{'s' if len(seeds) > 1 else ''} {of_seeds}"
    )


def games_text(games: int) -> str:
    """Return a number of games in words."""
    return f"{games:,} game{'s' if games != 1 else ''}"


def _games_text(results: Sequence[Result], games: Sequence[int]) -> str:
    """Return whose games are how many."""
    if len(games) == 1:
        return f"{games_text(games[0])}{' each' if len(results) > 1 else ''}"
    most = max(games, key=lambda number: sum(result.games == number for result in results))
    others = [result for result in results if result.games != most]
    if len(others) > 2:
        return f"{games[0]:,} to {games_text(games[-1])} each"
    called = short_names((each.label for each in others), 24)
    exceptions = ", ".join(
        f"{name} {each.games:,}" for name, each in zip(called, others, strict=True)
    )
    return f"{games_text(most)} each ({exceptions})"


def with_looks(
    results: Sequence[Result], most: int = MOST_LINES
) -> tuple[list[tuple[Result, str, Look]], list[Result]]:
    """Return results of one chart, each with its name and its look, and the rest: `best_of`.

    Raises
    ------
    BsbenchError
        If they are not of one scenario, or two are of the same games.
    """
    one_scenario(results)
    named = dict(zip(map(id, results), names(results), strict=True))
    shown, rest = best_of(results, most)
    labels = [named[id(each)] for each in shown]
    return list(zip(shown, labels, looks(labels), strict=True)), rest


def best_of(results: Sequence[Result], most: int = MOST_NAMED) -> tuple[list[Result], list[Result]]:
    """Return the results that a chart names, and the rest, which it shows in grey.

    Parameters
    ----------
    results : sequence of Result
    most : int
        Up to so many are all named; of more, those with the smallest means: as many, but no more
        than 12.

    Returns
    -------
    list of Result, list of Result
        In ascending order of means.
    """
    ranked = sorted(results, key=lambda result: result.stats.mean)
    if len(results) <= most:
        return ranked, []
    number = min(most, _BEST_OF_MANY)
    return ranked[:number], ranked[number:]


def rest_text(rest: Sequence[Result]) -> str:
    """Return how a chart calls the results that it does not name."""
    return f"the other {len(rest):,}"


def move_axis(axes: Axes, results: Sequence[Result]) -> None:
    """Let x be moves, as `move_range` has them, and mark perfect game and whole board."""
    rules, moves = results[0].scenario.rules, move_range(results)
    axes.set_xlim(moves[0] - 1.5, moves[-1] + 1.5)
    for mark in (rules.fewest_moves, rules.whole_board):
        axes.axvline(mark, color="#888888", linewidth=0.8, linestyle=(0, (1, 2)), zorder=0.5)
    label_moves(axes, results)


def label_moves(axes: Axes, results: Sequence[Result]) -> None:
    """Label x with moves, whole numbers, and say which are the fewest and the most."""
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(move_words(results))


def move_words(results: Sequence[Result]) -> str:
    """Return how an axis of moves is called: which are the fewest and the most."""
    rules, moves = results[0].scenario.rules, counted(results)
    return f"{moves} ({rules.fewest_moves} is a perfect game, {rules.whole_board} the whole board)"


def mean_words(results: Sequence[Result]) -> str:
    """Return how an axis of mean moves is called."""
    return f"mean {counted(results)} (lower is better)"


def signed(value: float, _: object = None) -> str:
    """Return a difference on an axis, with its sign."""
    return minus(f"{value:+.10g}") if value else "0"


def minus(text: str) -> str:
    """Return figures with a true minus."""
    return text.replace("-", "\N{MINUS SIGN}")


def plain(value: float, _: object = None) -> str:
    """Return a number of an axis without powers of ten."""
    return f"{value:,.10g}"


def _compact(value: float, _: object = None) -> str:
    """Return a number of an axis in few letters."""
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:,.3g}{letter}"
    return f"{value:.3g}"


def log_axis(axis: Axis, *, narrow: bool = False) -> None:
    """Make an axis logarithmic, with plain numbers as far apart as can be read.

    Parameters
    ----------
    axis : Axis
        Of axes on which everything is drawn: how far it reaches decides which numbers it has.
    narrow : bool
        Whether there is room for few, short numbers: 10k, 1M.
    """
    axes = axis.axes
    (axes.set_xscale if axis is axes.xaxis else axes.set_yscale)("log")
    low, high = axis.get_view_interval()
    decades = math.log10(high / low)
    if decades < 1:
        axis.set_major_locator(MaxNLocator(3 if narrow else 6))
    else:
        subs = (1, 2, 5) if decades < 3 and not narrow else (1,)
        # Numbers stand side by side: on a narrow chart, few have room.
        most = int(figure_of(axes).get_figwidth()) if axis is axes.xaxis else None
        axis.set_major_locator(
            LogLocator(subs=subs, numticks=3 if narrow else most and max(most, 3))
        )
    axis.set_major_formatter(FuncFormatter(_compact if narrow else plain))
    axis.set_minor_formatter(NullFormatter())
    if decades < 1:
        axis.set_minor_locator(NullLocator())


def new_chart() -> tuple[Figure, Axes]:
    """Return an empty figure with one pair of axes."""
    figure = new_figure()
    return figure, figure.subplots()


def new_figure() -> Figure:
    """Return an empty figure that needs no screen."""
    figure = HouseFigure(layout="constrained")
    FigureCanvasAgg(figure)
    return figure
