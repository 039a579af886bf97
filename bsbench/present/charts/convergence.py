"""How the mean settles: the mean of all games so far, with its 95 % interval."""

from __future__ import annotations

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
from bsbench.present.charts._labels import Name, name_ends
from bsbench.present.charts._layout import folded, house_style
from bsbench.runs.results import Result, counted
from bsbench.runs.tally import block_ranges
from bsbench.stats import half_width, interval_texts, standard_error

NEEDS = Needs.EACH

_POINTS = 60
"""Numbers of games at which a mean is drawn, evenly spread on the axis."""

_SPAN = 10_000
"""The axis begins at this part of all games."""

_FEWEST = 10
"""Games at which it begins at least, and so do intervals."""

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
    six results, the best are drawn.

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
    names = []
    reach: list[float] = []
    known = 0
    texts = interval_texts(
        (each.stats.mean for each, _, _ in shown), (each.stats.half_width for each, _, _ in shown)
    )
    if all(each.exact for each in given):
        texts = [each.stats.mean_text for each, _, _ in shown]
    for (result, name, look), text in zip(shown, texts, strict=True):
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
        else:
            known += 1
            low, high = path.mean - path.width, path.mean + path.width
            axes.fill_between(path.games, low, high, color=look.colour, alpha=0.16, linewidth=0)
            marker = "o" if len(path.games) < 8 else None
            style: dict[str, Any] = {"marker": marker, "markersize": 3.5, "label": name}
            axes.plot(path.games, path.mean, linewidth=1.6, **style, **look.style)
        # One of fewer games than where the axis begins has a name all the same.
        line = np.column_stack((path.games, path.mean))
        line = line[path.games >= min(begin, path.games[-1])]
        names.append(Name(folded(f"{name}\n{text}", 20), line, look.colour))
        # From where the axis begins, intervals are seen in full, but none of very few games.
        seen = path.games >= min(10 * begin, path.games[-1])
        width = np.nan_to_num(path.width[seen])
        reach += [float((path.mean[seen] - width).min()), float((path.mean[seen] + width).max())]
    bottom, top = min(reach), max(reach)
    space = 0.06 * (top - bottom) or 0.5
    axes.set_ylim(bottom - space, top + space)
    axes.set_xlim(begin, max(most, 1.01 * begin))
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
    entitle(axes, _finding(given, texts), drawn, played=played_text(given))
    name_ends(axes, names)
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


def _finding(results: Sequence[Result], texts: Sequence[str]) -> str:
    """Return the means of the best two, and whether they are apart."""
    moves = counted(results)
    if len(results) == 1:
        (name,) = title_names(results)
        return f"{name} needs {texts[0]} {moves} after {games_text(results[0].games)}"
    ranked = compared(results)
    best, second = title_names(ranked.results)[:2]
    least, more = (text.partition(" ±")[0] for text in texts[:2])
    if ranked.exact or ranked.differences[1].significant:
        return f"{best} needs {least} {moves}, {second} {more}"
    return f"{best} and {second} are not clearly apart: {least} and {more} {moves}"
