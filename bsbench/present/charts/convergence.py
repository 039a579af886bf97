"""How the mean settles: the mean of all games so far, with its 95 % interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    compared,
    entitle,
    footnote,
    games_text,
    log_axis,
    mean_words,
    new_chart,
    played_text,
    title_names,
    with_looks,
)
from bsbench.present.charts._labels import Name, place_names
from bsbench.present.charts._layout import folded, house_style
from bsbench.runs.results import Result, counted
from bsbench.runs.tally import block_ranges
from bsbench.stats import exact_text, half_width, interval_text, standard_error

NEEDS = Needs.EACH

_POINTS = 60
"""Numbers of games at which a mean is drawn, evenly spread on the axis."""

_SPAN = 10_000
"""The axis begins at this part of all games."""

_FEWEST = 10
"""Games at which it begins at least, and so do intervals."""

_SURE = 30
"""Games from which on an interval of means can be trusted, whatever the law of move counts."""

_Numbers = npt.NDArray[np.float64]


class _Path(NamedTuple):
    """Means and the half-widths of their intervals against games; both shape (n,)."""

    games: _Numbers
    mean: _Numbers
    width: _Numbers


@house_style()
def convergence(results: Result | Sequence[Result]) -> Figure:
    """Draw the mean of the first n games, with its 95 % interval, against n.

    It is known from the move counts where these are kept (`Result.moves`), else after each block of
    2^20 games, from the sums in the record. Where there are no sums of fewer games than all, the
    dotted lines show the interval that so many games give, around the final mean. Of more than
    seven results, the best are drawn.

    Parameters
    ----------
    results : Result or sequence of Result
        Of one scenario.

    Raises
    ------
    BsbenchError
        If they are not of one scenario: their move counts don't compare.
    """
    given = [results] if isinstance(results, Result) else list(results)
    shown, _ = with_looks(given)
    most = max(result.games for result, _, _ in shown)
    begin = min(max(_FEWEST, most / _SPAN), most)
    figure, axes = new_chart()
    names, lines = [], []
    reach: list[float] = []
    known = 0
    paths = {}
    for result, name, look in shown:
        path = _path(result)
        final = result.stats.mean
        axes.axhline(final, color=look.colour, linewidth=0.8, alpha=0.6, zorder=0.6)
        if path is None:
            at = np.geomspace(min(begin, result.games), result.games, _POINTS)
            path = _Path(
                at, np.full(_POINTS, final), result.stats.half_width * np.sqrt(at[-1] / at)
            )
            for sign in (-1, 1):
                dots: dict[str, Any] = {"color": look.colour, "linewidth": 1.2, "ls": (0, (1, 2))}
                dots["label"] = name if sign < 0 else None
                axes.plot(path.games, final + sign * path.width, **dots)
                lines.append(np.column_stack((path.games, final + sign * path.width)))
        else:
            known += 1
            low, high = path.mean - path.width, path.mean + path.width
            axes.fill_between(path.games, low, high, color=look.colour, alpha=0.16, linewidth=0)
            marker = "o" if len(path.games) < 8 else None
            style: dict[str, Any] = {"marker": marker, "markersize": 3.5, "label": name}
            axes.plot(path.games, path.mean, linewidth=1.6, **style, **look.style)
        paths[result.label] = path
        line = np.column_stack((path.games, path.mean))[path.games >= begin]
        lines.append(line)
        text = folded(f"{name} {result.stats.mean_text}", 40)
        names.append(Name(text, line[-max(len(line) // 3, 1) :], look.colour))
        # From where the axis begins, intervals are seen in full, but none of very few games.
        seen = path.games >= min(10 * begin, path.games[-1])
        width = np.nan_to_num(path.width[seen])
        reach += [float((path.mean[seen] - width).min()), float((path.mean[seen] + width).max())]
    bottom, top = min(reach), max(reach)
    space = 0.06 * (top - bottom) or 0.5
    axes.set_ylim(bottom - space, top + space)
    # Names need room at the ends of lines.
    axes.set_xlim(begin, max(most, 1.01 * begin) * (max(most, 2) / begin) ** 0.12)
    log_axis(axes.xaxis)
    axes.set_xlabel("games played")
    axes.set_ylabel(mean_words(given))
    notes = ["thin: the mean of all games"]
    if known:
        notes.insert(0, "line: mean of the games so far; shade: its 95 % interval")
    if known < len(shown):
        notes.append(
            "dotted: the 95 % interval that so many games give, where the record has no sums of "
            "fewer games than all"
        )
    if len(shown) < len(given):
        notes.append(f"the best {len(shown)} of {len(given):,} are drawn")
    footnote(figure, "; ".join(notes))
    drawn = [result for result, _, _ in shown]
    entitle(axes, _finding(given, paths), drawn, played=played_text(given))
    place_names(axes, names, lines)
    return figure


def _path(result: Result) -> _Path | None:
    """Return the means of ever more games, if they are known."""
    if result.kept_moves is not None:
        return _of_moves(result)
    # Without sums, a record may speak of more blocks than fit in memory.
    if not result.tally.has_evidence:
        return None
    sizes = np.array([len(each) for each in block_ranges(result.first_game, result.games)])
    if len(sizes) < 2:
        return None
    games = np.cumsum(sizes).astype(float)
    moves, squares = (np.cumsum(result.tally.blocks[:, of].astype(float)) for of in (0, 1))
    mean = moves / games
    error = np.sqrt((squares / games - mean**2) / (games - 1))
    if result.learning is not None:
        # Games of a learner depend on each other, and blocks don't say which are whose.
        error[:] = np.nan
    return _Path(games, mean, half_width(error))


def _of_moves(result: Result) -> _Path:
    assert result.kept_moves is not None
    unit, moves = result.games_per_learner, result.kept_moves.astype(np.float64)
    ends = np.geomspace(min(_FEWEST, len(moves)), len(moves), 4 * _POINTS).round().astype(int)
    # Whole learners, if there are any.
    ends = np.unique(np.append(np.maximum(ends // unit * unit, min(unit, len(moves))), len(moves)))
    total, squares = np.cumsum(moves), np.cumsum(moves**2)
    mean = total[ends - 1] / ends
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt((squares[ends - 1] / ends - mean**2).clip(0) / (ends - 1))
    if unit > 1:
        begins = np.arange(0, len(moves), unit)
        totals = np.add.reduceat(moves, begins)
        sizes = np.diff(np.append(begins, len(moves)))
        count = -(-ends // unit)
        error = np.array([standard_error(totals[:n], sizes[:n]) for n in count])
    return _Path(ends.astype(float), mean, half_width(error))


def _finding(results: Sequence[Result], paths: dict[str, _Path]) -> str:
    """Return after how many games the best two are apart; of one result, its interval."""
    moves = counted(results)
    if len(results) == 1:
        (result,) = results
        stats, (name,) = result.stats, title_names(results)
        text = f"{name} needs {stats.mean_text} {moves} after {games_text(result.games)}"
        early = result.games // 100
        if early < _FEWEST or math.isnan(stats.half_width):
            return text
        there = interval_text(stats.mean, 10 * stats.half_width).partition("± ")[2]
        return f"{text}; a hundredth of them leaves ± {there}"
    ranked = compared(results)
    best, second = ranked.results[:2]
    difference = ranked.differences[1]
    pair = " and ".join(title_names(ranked.results)[:2])
    if ranked.exact:
        return f"{pair} differ by {exact_text(abs(difference.mean))} {moves} over all layouts"
    if not difference.significant:
        return f"{pair} are not clearly apart after {games_text(min(best.games, second.games))}"
    # The interval shrinks with the root of the games.
    games = min(best.games, second.games)
    enough = games * (difference.half_width / difference.mean) ** 2
    show = f"about {float(f'{enough:.1g}'):,.0f} games show it"
    # An interval of a few games is no sure one.
    if enough < _SURE:
        show = f"{_SURE} games are enough to show it"
    return f"{pair} differ by {difference.text.lstrip('+')} {moves}: {show}"
