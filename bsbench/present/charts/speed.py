"""Efficiency and speed: mean moves and games per second, a row for each strategy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from bsbench.common.texts import short, short_names
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import footnote, log_axis
from bsbench.present.charts._layout import figure_of, house_style
from bsbench.present.charts._rows import Column, Ranking, give_room, row_axes, write_columns
from bsbench.present.looks import GROUND, SOFT
from bsbench.present.verdicts import LONGEST_IN_TITLE
from bsbench.runs.results import Result, counted

NEEDS = Needs.RESULTS

_MOST = 40
"""Rows at most."""


@house_style()
def speed(results: Sequence[Result]) -> Figure:
    """Draw how many games a second each result of one scenario plays, a row each, the best first.

    Points of those that nobody surpasses in both, mean moves and speed, are filled. Of more than
    40, the best are shown. Speeds are those of the records: of their machines and threads, start-up
    not counted.

    Raises
    ------
    BsbenchError
        If the results are not of one scenario: their move counts don't compare.
    """
    table = Ranking(results, _MOST)
    (axes,), places = row_axes(table.called)
    frontier = _frontier(table.shown)
    for place, each, look in zip(places, table.shown, table.styles, strict=True):
        face = look.colour if each in frontier else GROUND
        style: dict[str, Any] = {"markersize": 7, "color": look.colour, "markerfacecolor": face}
        axes.plot([each.games_per_second], [place], "o", **style)
    axes.set_xscale("log")
    axes.margins(x=0.06)
    # The margins of a logarithmic axis.
    axes.autoscale_view(scaley=False)
    log_axis(axes.xaxis, narrow=True)
    axes.set_xlabel("games per second (higher is better)")
    rates = Column("games/s", [_rate(each) for each in table.shown], SOFT)
    write_columns(axes, places, [Column("mean", table.means), rates])
    figure = figure_of(axes)
    note = "filled: nobody is both faster and better; "
    footnote(figure, note + _machines(table.shown))
    table.entitle(figure, _finding(table))
    give_room(figure, places)
    return figure


def _frontier(results: Sequence[Result]) -> list[Result]:
    """Return those that nobody surpasses in both, mean and speed, the fastest first."""
    found: list[Result] = []
    for each in sorted(results, key=lambda result: -result.games_per_second):
        if not found or each.stats.mean < found[-1].stats.mean:
            found.append(each)
    return found


def _finding(table: Ranking) -> str:
    """Return who needs the fewest moves and who plays fastest."""
    called = short_names(table.called, LONGEST_IN_TITLE)
    place = max(range(len(called)), key=lambda place: table.shown[place].games_per_second)
    moves, best, fastest = counted(table.shown), table.shown[0], table.shown[place]
    name, mean, rate = called[0], table.means[0], f"{_rate(best)} games a second"
    if len(called) == 1:
        return f"{name}: {mean} {moves}, {rate}"
    if not place:
        return f"{name} needs the fewest {moves}, {mean}, and plays fastest, {rate}"
    return (
        f"{name} needs the fewest {moves}: {mean}, at {rate}; {called[place]} plays fastest: "
        f"{_rate(fastest)}"
    )


def _rate(result: Result) -> str:
    rate = float(f"{result.games_per_second:.2g}")
    return f"{rate:,.10g}"


def _machines(results: Sequence[Result]) -> str:
    """Return on how many threads and which processor the records were played, if alike."""
    threads = {result.threads for result in results}
    processors = {str(result.machine.get("processor")) for result in results}
    if len(threads) > 1 or len(processors) > 1:
        return "speeds are of several machines or numbers of threads, and compare only roughly"
    (count,), (processor,) = threads, processors
    return f"speeds are of {count} thread{'s' if count > 1 else ''}, {short(processor)}"
