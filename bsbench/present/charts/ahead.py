"""Who is ahead early and who late: games finished by each shot, less those of a reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from bsbench.common.errors import BsbenchError
from bsbench.common.texts import short_names
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import (
    entitle,
    footnote,
    move_axis,
    new_chart,
    title_names,
    with_looks,
)
from bsbench.present.charts._labels import Name, place_names
from bsbench.present.charts._layout import folded, house_style
from bsbench.present.looks import look
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result
from bsbench.stats import half_width

NEEDS = Needs.COMPARED

_NEAREST = 3
_FARTHEST = 5.0
"""Those up to so many times as far from the reference as the third nearest are shown: beside
others, all else would be flat."""

_MOST_FAR = 8
"""Strategies left out that are named."""

_Shares = npt.NDArray[np.float64]


@house_style()
def ahead(results: Comparison | Sequence[Result]) -> Figure:
    """Draw by how much more games than a reference each result has finished by each shot.

    Above zero a strategy has finished more games than the reference, below it fewer. The reference
    is that of the comparison, or else the result with the smallest mean. The grey band is what
    randomness explains: 95 % of the differences at a shot, if strategies were alike and did not
    play the same games. Strategies that are far away are left out, and named below.

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
    if len(known) < 2:
        raise BsbenchError("the chart 'ahead' compares results with each other: give two or more")
    named, _ = with_looks(known)
    reference = min(known, key=lambda each: each.stats.mean)
    if isinstance(results, Comparison):
        reference = next(each for each in known if each.label == results.reference)
    rules = known[0].scenario.rules
    moves = np.arange(rules.ship_cells - 1, rules.cells + 1)
    base = np.cumsum(reference.counts)[moves] / reference.games
    fewest = min(each.games for each in known)
    chance = 100 * half_width(np.sqrt(base * (1 - base) * (1 / fewest + 1 / reference.games)))
    exact = all(each.exact for each in known)
    if exact:
        # Of all layouts, nothing is left to randomness.
        chance[:] = 0
    leads = {
        name: 100 * (np.cumsum(each.counts)[moves] / each.games - base)
        for each, name, _ in named
        if each is not reference
    }
    near = _near(leads)
    figure, axes = new_chart()
    axes.fill_between(moves, -chance, chance, color="#e9e9e9", linewidth=0, zorder=0.4)
    own = look(reference.label)
    axes.axhline(0, linewidth=1.6, zorder=1.5, label=reference.label, **own.style)
    ends = np.column_stack((moves[[0, -1]], [0, 0]))
    late = np.column_stack((moves, 0.0 * moves))[int(0.75 * len(moves)) :]
    labels, lines = [Name(folded(reference.label, 36), late, own.colour)], [ends]
    for _, name, style in named:
        if name in near:
            line = np.column_stack((moves, leads[name]))
            axes.plot(*line.T, linewidth=1.7, label=name, **style.style)
            # The name is tied to where no other line is near.
            others = [0 * base, *(leads[other] for other in near if other != name)]
            gap = np.min([abs(leads[name] - other) for other in others], axis=0)
            labels.append(Name(folded(name, 36), line[gap >= 0.6 * gap.max()], style.colour))
            lines.append(line)
    axes.margins(y=0.08)
    move_axis(axes, rules)
    axes.set_ylabel("games finished, less the reference's\n(percentage points; above 0: ahead)")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:+.10g}" if value else "0")
    text = f"grey: what randomness explains, at each shot, of {fewest:,} games"
    if exact:
        text = f"exact: of all {fewest:,} layouts"
    if far := [name for name in leads if name not in near]:
        who = ", ".join(short_names(far, 24))
        text += (
            f"; far away, and left out: {who if len(far) <= _MOST_FAR else f'{len(far)} others'}"
        )
    footnote(figure, text)
    called = dict(zip(map(id, known), title_names(known), strict=True))
    shown = {called[id(each)]: leads[name] for each, name, _ in named if name in near}
    title = _finding(called[id(reference)], shown, chance, moves)
    entitle(axes, title, known)
    place_names(axes, labels, lines)
    return figure


def _near(leads: dict[str, _Shares]) -> list[str]:
    """Return who is not far from the reference, of those that are compared with it."""
    reach = {name: float(abs(lead).max()) for name, lead in leads.items()}
    ranked = sorted(reach.values()) or [0.0]
    most = _FARTHEST * ranked[min(_NEAREST, len(ranked)) - 1]
    return [name for name in leads if reach[name] <= most]


def _finding(
    reference: str, leads: dict[str, _Shares], chance: _Shares, moves: npt.NDArray[np.intp]
) -> str:
    """Return who is ahead of the reference, and when."""
    # At the ends, where hardly a game is over, the band is too narrow for so many shots.
    clear = {name: np.where(abs(lead) > chance.max(), lead, 0.0) for name, lead in leads.items()}
    name = max(clear, key=lambda name: clear[name].max())
    lead = clear[name]
    if not any(each.any() for each in clear.values()):
        return f"No clear difference to {reference} at any shot"
    if lead.max() == 0:
        nearest = min(clear, key=lambda each: -clear[each].min())
        most = -clear[nearest].min()
        if not most:
            return f"Nobody is ahead of {reference} at any shot"
        return (
            f"Nobody is ahead of {reference} at any shot; {nearest} comes nearest, "
            f"up to {_points(most)} behind"
        )
    if lead.min() == 0:
        return f"{name} is never behind {reference}, and up to {_points(lead.max())} ahead"
    signs = np.sign(lead[lead != 0])
    if np.count_nonzero(np.diff(signs)) > 1:
        ahead, behind = (moves[at] for at in (lead.argmax(), lead.argmin()))
        return (
            f"{name} and {reference} take turns: {name} is up to {_points(lead.max())} ahead (shot "
            f"{ahead}), and up to {_points(-lead.min())} behind (shot {behind})"
        )
    early = name, reference
    if lead.argmax() > lead.argmin():
        early, lead = (reference, name), -lead
    # The last shot before the other one takes over.
    top, bottom = int(lead.argmax()), int(lead.argmin())
    last = int(moves[top + np.flatnonzero(lead[top : bottom + 1] > 0)[-1]])
    leader, follower = early
    return (
        f"Up to shot {last} {leader} is ahead of {follower}, by {_points(lead.max())} at most; "
        f"later {follower} is, by {_points(-lead.min())}"
    )


def _points(share: float) -> str:
    text = f"{share:.1f}" if share >= 0.95 else f"{share:.1g}"
    return f"{text} point{'' if text == '1' else 's'}"
