"""What is published about Battleship, and what bsbench measures: a dot for each mean and median."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bsbench import __version__
from bsbench.common.texts import short
from bsbench.present.charts import Needs
from bsbench.present.charts._drawing import entitle_figure, footnote
from bsbench.present.charts._layout import figure_of, house_style, wide
from bsbench.present.charts._rows import ROW, SIZE, give_room, row_axes
from bsbench.present.looks import COLOURS, EDGE, GROUND, INK, SOFT
from bsbench.studies.survey import study
from bsbench.studies.survey.rule import Word

NEEDS = Needs.NOTHING
PLAY = study.survey

_DOT = 0.1
"""Inches from one dot to the next."""

_PILE = 1.2
"""Inches that the dots of a row are high at most: in higher piles, they overlap."""

_WIDE = 6.5
"""Inches: the legend of a wider figure has two columns."""

_ELSEWHERE = ("optimum", "larger boards")
"""Groups of figures on boards of other sizes."""

_LOOKS = {
    Word.AGREES: (COLOURS["green-dark"], "agrees"),
    Word.OTHER: (COLOURS["green"], "agrees under another reading of its rules"),
    Word.LITTLE: (COLOURS["grey"], "too few games to tell"),
    Word.BETWEEN: (COLOURS["orange"], "between two readings"),
    Word.DIFFERS: (COLOURS["vermilion"], "differs"),
    Word.IMPOSSIBLE: (COLOURS["purple"], "out of reach on uniform layouts"),
    Word.ELSEWHERE: (GROUND, "player not here"),
}
"""Colours of dots, and what they mean."""

_SAME = {Word.CUT: Word.OTHER, Word.FEW: Word.LITTLE, Word.WINNERS: Word.ELSEWHERE}
"""Verdicts that look like others."""

_NAMED = (Word.DIFFERS, Word.IMPOSSIBLE, Word.BETWEEN)
"""Verdicts whose dots have names."""

_Dots: TypeAlias = defaultdict[tuple[str, str], list[tuple[float, float]]]
"""Where dots stand, by how they look and by what kind of figure they are."""


@house_style()
def survey(found: study.Verdicts) -> Figure:
    """Draw each published mean and median on a board of 100 cells, in a row for its kind of player.

    Lines are means that bsbench measures under the readings of these figures; the one within a move
    of most figures of its row has its number. Dots where bsbench shows something else have names.

    Parameters
    ----------
    found : Verdicts
    """
    claims = [
        each
        for each in found.claims
        if each.claim.kind in ("mean", "median", "winners")
        and each.claim.group not in _ELSEWHERE
        and each.verdict.word != Word.UNPLAYED
    ]
    groups = list(dict.fromkeys(each.claim.group for each in claims))
    rows = {name: [each for each in claims if each.claim.group == name] for name in groups}
    middle = {name: statistics.median(map(_value, row)) for name, row in rows.items()}
    groups.sort(key=lambda name: -middle[name])
    (axes,), _ = row_axes(groups)
    values = [_value(each) for each in claims]
    axes.set_xlim(min(values) - 2, max(values) + 2)
    figure = figure_of(axes)
    # Inches of the axes, but for names on the left.
    across = figure.get_figwidth() - 0.5 - max(wide(name, SIZE + 0.5) for name in groups)
    inch = (axes.get_xlim()[1] - axes.get_xlim()[0]) / max(across, 1)
    foot, places, edges = 0.0, [], []
    dots: _Dots = defaultdict(list)
    for name in reversed(groups):
        high = _draw_row(axes, rows[name], foot, inch, dots)
        places.append(foot + high / 2)
        foot += high
        edges.append(foot)
    axes.hlines(edges, *axes.get_xlim(), color=EDGE, lw=0.6, alpha=0.5, zorder=0.5)
    axes.set_ylim(0, foot)
    axes.set_yticks(places[::-1], groups)
    axes.get_yticklabels()[0].set_fontweight("normal")
    axes.set_xlabel("moves until the fleet has sunk")
    axes.tick_params(axis="x", top=True, labeltop=True)
    agree = sum(_look(each) in (Word.AGREES, Word.OTHER) for each in claims)
    entitle_figure(
        figure,
        f"{agree} of {len(claims)} published figures agree with what bsbench measures",
        "a dot for each published mean or median of shots on 100 cells; a line is our mean under a "
        "reading of its rules",
        __version__,
    )
    style: dict[str, Any] = {"mec": INK, "mew": 0.6, "ms": 5.5, "zorder": 3}
    for word, (colour, says) in _LOOKS.items():
        medians = dots[word, "median"]
        means = [*dots[word, "mean"], *dots[word, "winners"]]
        if means or medians:
            label = f"{says} ({len(means) + len(medians)})"
            axes.plot(*np.reshape(means, (-1, 2)).T, "o", color=colour, label=label, **style)
            axes.plot(*np.reshape(medians, (-1, 2)).T, "D", color=colour, **style | {"ms": 4.2})
    columns = 2 if figure.get_figwidth() > _WIDE else 1
    below = 0, -0.55 / foot
    axes.legend(loc="upper left", bbox_to_anchor=below, ncols=columns, fontsize=SIZE - 0.5)
    footnote(
        figure,
        "diamonds: medians; named: what differs, is out of reach, or lies between readings; bold: "
        f"our mean with most figures of its row within a move; {agree} of {len(claims)}: with "
        "those that agree under another reading",
    )
    give_room(figure, [foot / ROW - 1.2])
    return figure


def _value(judged: study.JudgedClaim) -> float:
    return float(judged.claim.text)


def _look(judged: study.JudgedClaim) -> str:
    """Return the verdict that a dot looks like."""
    return _SAME.get(judged.verdict.word, judged.verdict.word)


def _draw_row(
    axes: Axes,
    row: Sequence[study.JudgedClaim],
    foot: float,
    inch: float,
    dots: _Dots,
) -> float:
    """Draw a row above a foot, but for its dots; return how high it is, in inches.

    ``dots`` gets where they stand; ``inch`` is in moves.
    """
    named = sorted((each for each in row if _look(each) in _NAMED), key=_value)
    height = foot + _DOT
    for each in named:
        dots[_look(each), each.claim.kind].append((_value(each), height))
        for longest in (34, 22, 14):
            text = f"{short(each.source.name, longest)}: {each.claim.text}"
            room = (wide(text, SIZE - 1.5) + 0.1) * inch
            right = _value(each) + room < axes.get_xlim()[1]
            if right or _value(each) - room > axes.get_xlim()[0]:
                break
        style: dict[str, Any] = {"ha": "left" if right else "right", "va": "center_baseline"}
        style |= {"fontsize": SIZE - 1.5, "color": INK, "textcoords": "offset points"}
        style |= {"bbox": {"facecolor": GROUND, "edgecolor": "none", "pad": 0.5}}
        axes.annotate(text, (_value(each), height), (6 if right else -6, 0), **style)
        height += 1.5 * _DOT
    others = sorted((each for each in row if each not in named), key=_value)
    style = {"ha": "center", "va": "bottom", "fontsize": SIZE - 1, "color": SOFT}
    # Of each lane, the figure that its last dot has.
    lasts: list[float] = []
    lanes = []
    for value in map(_value, others):
        lane = next((n for n, last in enumerate(lasts) if value - last >= _DOT * inch), len(lasts))
        lasts[lane:] = [value, *lasts[lane + 1 :]]
        lanes.append(lane)
    step = min(_DOT, _PILE / max(len(lasts), 1))
    for each, lane in zip(others, lanes, strict=True):
        dots[_look(each), each.claim.kind].append((_value(each), height + lane * step))
    top = height + len(lasts) * step
    ours = dict(_ours(row))
    if ours:
        decides = Counter(name for name, _ in _ours(row))
        near = {
            name: sum(abs(_value(each) - mean) <= 1 for each in row) for name, mean in ours.items()
        }
        usual = max(ours, key=lambda name: (near[name], decides[name]))
        mean = ours.pop(usual)
        axes.plot([mean, mean], [foot, top + 0.04], color=COLOURS["blue"], lw=1.6, zorder=1.5)
        axes.text(mean, top + 0.04, f"{mean:.2f}", **style)
    axes.vlines([*ours.values()], foot, top, color=COLOURS["blue-light"], lw=0.8, zorder=1)
    return top + 0.26 - foot


def _ours(row: Sequence[study.JudgedClaim]) -> Iterator[tuple[str, float]]:
    """Yield the name and the mean of the reading that decides each mean."""
    for each in row:
        nearest, is_here = each.verdict.nearest, each.verdict.word != Word.ELSEWHERE
        if nearest is not None and is_here and each.claim.kind == "mean":
            yield nearest.reading, nearest.ours
