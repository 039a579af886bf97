"""Who leads early, who leads late: games finished by each shot, minus those of a reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from bsbench.common.texts import short_names
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    MOST_LINES,
    entitle,
    footnote,
    minus,
    move_axis,
    names,
    new_chart,
    one_scenario,
    signed,
    title_names,
)
from bsbench.present.charts._labels import Name, list_names, place_names
from bsbench.present.charts._layout import folded, house_style
from bsbench.present.charts._rows import too_few
from bsbench.present.looks import looks
from bsbench.present.scale import contenders
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result, counted, move_range
from bsbench.stats import half_width

NEEDS = Needs.COMPARED

_SEEN = 0.01
"""Of the largest difference: what is smaller can't be seen."""

_Shares = npt.NDArray[np.float64]


@house_style()
def ahead(results: Comparison | Sequence[Result]) -> Figure:
    """Draw by how much more games than a reference each result has finished by each shot.

    Above zero a strategy has finished more games than the reference, below it fewer. The reference
    is that of the comparison, or else the result with the smallest mean. The grey band is what
    randomness explains: 95 % of the differences at a shot, if strategies were alike and did not
    play the same games. Strategies that are far away are left out, and named below
    with their figures.

    Parameters
    ----------
    results : Comparison or sequence of Result
        At least two.

    Raises
    ------
    BsbenchError
        If there is one result only, or they are not of one scenario: their move counts don't
        compare.
    """
    known = results.results if isinstance(results, Comparison) else list(results)
    too_few(known, "ahead")
    one_scenario(known)
    called = dict(zip(map(id, known), names(known), strict=True))
    reference = min(known, key=lambda each: each.stats.mean)
    if isinstance(results, Comparison):
        reference = results.compared_with
    span = move_range(known)
    # No game is over one shot before the perfect game.
    moves = np.arange(span.start - 1, span.stop)
    base = np.cumsum(reference.counts)[moves] / reference.games
    fewest = min(each.games for each in known)
    chance = 100 * half_width(np.sqrt(base * (1 - base) * (1 / fewest + 1 / reference.games)))
    exact = all(each.exact for each in known)
    if exact:
        # Of all layouts, nothing is left to randomness.
        chance[:] = 0
    others = sorted(
        (each for each in known if each is not reference), key=lambda each: each.stats.mean
    )
    leads = {id(each): 100 * (np.cumsum(each.counts)[moves] / each.games - base) for each in others}
    places = contenders([float(abs(leads[id(each)]).max()) for each in others])
    drawn = [others[place] for place in places][: MOST_LINES - 1]
    ranked = sorted([reference, *drawn], key=lambda each: each.stats.mean)
    styles = dict(zip(map(id, ranked), looks(called[id(each)] for each in ranked), strict=True))
    figure, axes = new_chart()
    axes.fill_between(moves, -chance, chance, color="#e9e9e9", linewidth=0, zorder=0.4)
    name, own = called[id(reference)], styles[id(reference)]
    axes.axhline(0, linewidth=1.6, zorder=1.5, label=name, **own.style)
    largest = np.max([abs(leads[id(each)]) for each in drawn], axis=0)
    seen = np.flatnonzero(largest >= _SEEN * largest.max())
    # Late shots at which all are alike would be a third of the chart.
    end = min(moves[seen[-1]] + 3, span[-1])
    late = np.column_stack((moves, 0.0 * moves))[(moves < end) & (moves > 0.4 * end)]
    labels = [Name(folded(name, 36), late, own.colour)]
    for each in drawn:
        name, style, lead = called[id(each)], styles[id(each)], leads[id(each)]
        line = np.column_stack((moves, lead))
        axes.plot(*line.T, linewidth=1.7, label=f"{name} {_extremes(lead, moves)}", **style.style)
        text = folded(f"{name} {_extremes(lead, moves)}", 36)
        # The name is tied to where no other line is near.
        beside = [0 * base, *(leads[id(other)] for other in drawn if other is not each)]
        gap = np.min([abs(lead - other) for other in beside], axis=0)
        labels.append(Name(text, line[gap >= 0.6 * gap.max()], style.colour))
    axes.margins(y=0.08)
    move_axis(axes, known)
    axes.set_ylabel("percentage points ahead")
    axes.yaxis.set_major_formatter(signed)
    axes.set_xlim(right=end + 1.5)
    shot = counted(known, "shot")
    text = f"grey: what randomness explains, at each {shot}, of {fewest:,} games"
    if exact:
        text = f"exact: of all {fewest:,} layouts"
    elif chance.max() < _SEEN * largest.max():
        text = f"randomness explains {chance.max():.1g} points at most, of {fewest:,} games"
    if left := [called[id(each)] for each in others if each not in drawn]:
        far = [_extremes(leads[id(each)], moves) for each in others if each not in drawn]
        who = ", ".join(map(" ".join, zip(short_names(left, 24), far, strict=True)))
        text += f"; farther away, and left out: {who}"
    footnote(figure, f"names with the largest differences, and their {shot}s; {text}")
    short_of = dict(zip(map(id, known), title_names(known), strict=True))
    shown = {short_of[id(each)]: leads[id(each)] for each in drawn}
    title = _finding(short_of[id(reference)], shown, chance, moves, shot)
    entitle(axes, title, known, most=len(known))
    if not place_names(axes, labels):
        list_names(axes)
    return figure


def _extremes(lead: _Shares, moves: npt.NDArray[np.intp]) -> str:
    """Return how far a strategy is ahead at most, and behind, and when."""
    ends = [at for at in (int(lead.argmax()), int(lead.argmin())) if round(lead[at], 1)]
    said = [minus(f"{lead[at]:+.1f} ({moves[at]})") for at in dict.fromkeys(ends)]
    return ", ".join(said) or "0"


def _finding(
    reference: str,
    leads: dict[str, _Shares],
    chance: _Shares,
    moves: npt.NDArray[np.intp],
    shot: str = "shot",
) -> str:
    """Return who is ahead of the reference, and when: at which shot, or turn."""
    # At the ends, where hardly a game is over, the band is too narrow for so many shots.
    clear = {name: np.where(abs(lead) > chance.max(), lead, 0.0) for name, lead in leads.items()}
    # Of those as far ahead, the best.
    name = max(clear, key=lambda name: round(clear[name].max(), 1))
    lead = clear[name]
    if not any(each.any() for each in clear.values()):
        return f"No clear difference to {reference} at any {shot}"
    if lead.max() == 0:
        nearest = min(clear, key=lambda each: -clear[each].min())
        lead = clear[nearest]
        if not lead.any():
            return f"Nobody is ahead of {reference} at any {shot}"
        return (
            f"Nobody is ahead of {reference} at any {shot}; {nearest} comes nearest, up to "
            f"{_points(lead, moves, shot)} behind"
        )
    if lead.min() == 0:
        most = _points(lead, moves, shot)
        return f"{name} is never behind {reference}, and up to {most} ahead"
    signs = np.sign(lead[lead != 0])
    front, back = _points(lead, moves, shot), _points(-lead, moves, shot)
    if np.count_nonzero(np.diff(signs)) > 1:
        return (
            f"{name} and {reference} take turns: {name} is up to {front} ahead, and up to {back} "
            "behind"
        )
    early = [(name, front), (reference, back)]
    if lead.argmax() > lead.argmin():
        early.reverse()
    (leader, most), (follower, later) = early
    return (
        f"At first {leader} is ahead of {follower}, by up to {most}; later {follower} is, by up "
        f"to {later}"
    )


def _points(lead: _Shares, moves: npt.NDArray[np.intp], shot: str) -> str:
    """Return how far ahead, and when."""
    at = int(abs(lead).argmax()) if lead.max() <= 0 else int(lead.argmax())
    return f"{abs(lead[at]):.1f} points ({shot} {moves[at]})"
