"""What a chart shows at any width: where its texts stand, and that its title is seen in it."""

from __future__ import annotations

import dataclasses
import io
import itertools
import math
import re
from functools import cache

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

from bsbench.common.errors import BsbenchError
from bsbench.common.texts import short_names
from bsbench.present.charts import CHARTS, Needs, drawn_for, kinds, read_width, write_figure
from bsbench.present.charts.ecdf import ecdf
from bsbench.present.charts.learning import learning_curve
from bsbench.present.charts.occupancy import occupancy
from bsbench.present.charts.shots import shots
from bsbench.present.charts.speed import speed
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs import heat
from bsbench.runs.comparison import Comparison
from bsbench.runs.records import load_results
from tests.present.test_charts import POND, _counted, _learners, _made, _on
from tests.support import ROOT

pytestmark = pytest.mark.ci

NAMES = 2, 4, 8, 16
WIDTHS = "84mm", "120mm", "180mm"
STYLES = "light", "paper", "slides"
QUICK = {(16, "84mm", "paper")}
TOLD = re.compile(r"[A-Za-z]*\d+(?:,\d{3})*(?:\.\d+)?")


@cache
def _classic():
    found = sorted(load_results([ROOT / "results/classic"]), key=lambda each: each.stats.mean)
    return {each.label: each for each in found}


def _results(count: int):
    """Return kept results of so many strategies: near each other, and far away."""
    found = list(_classic().values())
    if count == 4:
        return [_classic()[name] for name in ("lattice2", "lattice", "prob", "random")]
    return [found[place] for place in np.linspace(0, len(found) - 1, count).round().astype(int)]


def _given(kind: str, count: int):
    """Return what the function of a kind takes, of so many names: without a game."""
    chance = np.random.default_rng(count)
    side = {2: 3, 4: 6, 8: 10, 16: 16}[count]
    board = Scenario(name="board", rules=Rules(side, side, (2,), touching=True))
    cells = side * side
    match CHARTS[kind].needs:
        case Needs.NOTHING:
            return (CHARTS[kind].play(),)
        case Needs.SCENARIO:
            return (heat.Occupancy(board, 0, 10_000, chance.integers(900, 4_000, cells)),)
        case Needs.STRATEGY:
            shot = chance.integers(5_000, 9_999, cells)
            mean = chance.uniform(1, cells, cells)
            moments = [(shot * part).astype(np.int64) for part in (mean, mean**2 + 9)]
            return (heat.Shots(board, "lattice", 0, 10_000, shot, *moments),)
        case Needs.PAIR:
            names = list(_classic())[:: len(_classic()) // count][:2]
            moves = chance.integers(2, [[cells - 1], [cells + 1]], (2, 2_000))
            return tuple(_made(name, board, each) for name, each in zip(names, moves, strict=True))
        case Needs.COMPARISON:
            settings = [{"noise": at / 4} for at in range(count)]
            variants = [
                dataclasses.replace(
                    _made(f"over9000 noise={each['noise']}", board, chance.integers(4, 9, 200)),
                    parameters=each,
                )
                for each in settings
            ]
            return (Comparison(tuple(variants), variants[0].label),)
        case Needs.LEARNER:
            learner = _learners(300, 30)
            others = [
                _made(name, learner.scenario, chance.integers(20, 29, 900) - at // 3)
                for at, name in enumerate(list(_classic())[1:count])
            ]
            return learner, others
        case Needs.LAWS:
            # No more moves than the board has cells: beyond them, a tally writes anywhere.
            made = {
                name: _made(name, board, [4 + at]) for at, name in enumerate([*_classic()][:count])
            }
            laws = ("uniform", "avoid:{}")
            return (
                [_on(law.format(name), each, name) for name, each in made.items() for law in laws],
            )
        case _:
            return (_results(count),)


def _shown(figure) -> list[tuple[str, object]]:
    """Return all texts of a figure that are seen, with their boxes."""
    figure.draw_without_rendering()
    every = [text for axes in figure.axes if axes.get_visible() for text in axes.findobj(Text)]
    axes = [each for each in figure.axes if each.get_visible()]
    axis = [each for one in axes for each in (one.xaxis, one.yaxis)]
    of_ticks = {text for each in axis for text in each.findobj(Text) if text is not each.label}
    # Ticks beyond the limits have texts, too, which are not drawn.
    drawn = {
        text
        for each in axis
        for tick in each._update_ticks()
        for text in (tick.label1, tick.label2)
    }
    texts = {text for text in [*figure.findobj(Text), *every] if text.get_visible()}
    hidden = {text for one in figure.axes if one not in axes for text in one.findobj(Text)}
    seen = (texts - of_ticks - hidden) | {text for text in drawn if text.get_visible()}
    found = [(" ".join(each.get_text().split()), Text.get_window_extent(each)) for each in seen]
    return [(words, box) for words, box in found if words]


def _ink(figure):
    """Return where anything but text and grid is drawn, as an image with the lowest row first."""
    hidden = [each for each in figure.findobj(Text) if each.get_visible()]
    arrows = [
        each.arrow_patch for each in hidden if isinstance(each, Annotation) and each.arrow_patch
    ]
    lines = [line for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)
             for line in axis.get_gridlines()]  # fmt: skip
    seen = [(each, each.get_visible()) for each in lines]
    letters = [(each, each.get_alpha()) for each in hidden]
    for each, _ in seen:
        each.set_visible(False)
    for each in hidden:
        each.set_alpha(0)
    for each in arrows:
        each.set_alpha(1)
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[::-1, :, :3].astype(int)
    for each, was in seen:
        each.set_visible(was)
    for each, alpha in letters:
        each.set_alpha(alpha)
    return (pixels.max() - pixels).max(axis=2) > 90


def _faults(figure, compared=None) -> list[str]:
    """Return what is wrong with the texts of a chart that compares what has these names.

    They stand on others, on data, on a frame, or lead astray; or a title says what is not seen.
    """
    write_figure(figure, io.BytesIO(), "png")
    found = []
    title = " ".join(figure.get_suptitle().split())
    shown = _shown(figure)
    ink, canvas = _ink(figure), figure.bbox
    pictures = [axes.get_window_extent() for axes in figure.axes if axes.images]
    for words, box in shown:
        if not (
            canvas.x0 - 1 <= box.x0
            and box.x1 <= canvas.x1 + 1
            and canvas.y0 - 1 <= box.y0
            and box.y1 <= canvas.y1 + 1
        ):
            found.append(f"{words!r} leaves the picture")
        if "$" in words or "math" in words:
            found.append(f"{words!r} is no plain number")
    # A title over several axes ends with empty lines, on which stands what was played.
    texts = [(words, box) for words, box in shown if words != title]
    for words, box in texts:
        left, low, right, top = (
            round(at) for at in (box.x0 + 2, box.y0 + 2, box.x1 - 2, box.y1 - 2)
        )
        middle = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        on_picture = any(each.contains(*middle) for each in pictures)
        if not on_picture and ink[max(low, 0) : top, max(left, 0) : right].any():
            found.append(f"{words!r} stands on data or a frame")
    for (words, box), (others, other) in itertools.combinations(texts, 2):
        across = min(box.x1, other.x1) - max(box.x0, other.x0)
        down = min(box.y1, other.y1) - max(box.y0, other.y0)
        if across > 2 and down > 2:
            found.append(f"{words!r} stands on {others!r}")
    for axes in figure.axes:
        labels = [each for each in axes.texts if isinstance(each, Annotation) and each.get_text()]
        labels = [each for each in labels if each.xycoords == "data"]
        column = sorted((each for each in labels if each.arrow_patch), key=lambda each: each.xy[1])
        heights = [Text.get_window_extent(each).y0 for each in column]
        if heights != sorted(heights):
            found.append("names in a column are not in the order of their lines")
        points = [axes.transData.transform(each.xy) for each in labels]
        for label, point in zip(labels, points, strict=True):
            box = Text.get_window_extent(label)
            away = [_away(box, other) for other in points]
            if _away(box, point) > canvas.width / 4:
                found.append(f"{label.get_text()!r} is far from its point")
            if label not in column and _away(box, point) > min(away) + 2:
                found.append(f"{label.get_text()!r} is nearer to another point")
    unseen = _unseen(title, [words for words, _ in texts], compared) if compared is not None else []
    return found + [f"{each!r} is in the title alone" for each in unseen]


def _away(box, point) -> float:
    """Return how far a point is from a box."""
    across = max(box.x0 - point[0], 0, point[0] - box.x1)
    return math.hypot(across, max(box.y0 - point[1], 0, point[1] - box.y1))


def _unseen(title: str, others: list[str], labels) -> list[str]:
    """Return the names and numbers of a title that are not seen in the picture."""
    seen = " ".join(others)
    called = {name for length in (24, 28, 30, 36, 60) for name in short_names(labels, length)}
    names = [each for each in sorted(called, key=len, reverse=True) if each in title]
    rest, missing = title, []
    for name in names:
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", rest):
            rest = rest.replace(name, " ")
            missing += [] if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", seen) else [name]
    for told in TOLD.findall(rest):
        # A cell is named by its row and its column.
        parts = re.findall(r"^[A-Z](?=\d)|[\d.,]+$", told)
        missing += [told for part in parts if not re.search(rf"(?<![\d.]){part}(?![\d.]*\d)", seen)]
    return missing


def _told(kind: str, count: int, width: str, style: str) -> list[str]:
    """Return what is wrong with a chart of so many names."""
    given = _given(kind, count)
    with drawn_for(style, read_width(width)):
        try:
            figure = CHARTS[kind].function(*given)
        except BsbenchError as error:
            (needed,) = re.findall(r"\d+mm", str(error))
            with drawn_for(style, read_width(needed)):
                figure = CHARTS[kind].function(*given)
    several = getattr(given[0], "results", given[0] if isinstance(given[0], list) else given)
    several = [*several, *(given[-1] if isinstance(given[-1], list) else ())]
    return _faults(figure, {name for each in several if (name := getattr(each, "label", ""))})


@pytest.mark.parametrize(
    ("kind", "count", "width", "style"),
    [
        pytest.param(*each, marks=[] if each[1:] in QUICK else pytest.mark.slow)
        for each in itertools.product(kinds(), NAMES, WIDTHS, STYLES)
    ],
)
def test_what_a_chart_says_is_seen_at_any_width(kind, count, width, style):
    assert _told(kind, count, width, style) == []


def _odd() -> dict[str, Figure]:
    """Return charts of odd results: speeds and boards of all shapes, few games, other names."""
    pair = [_made("somebody", POND, [9, 10, 11, 12]), _made("else", POND, [9, 10, 11, 13])]
    found = {
        f"speeds {factor} apart": speed(
            [pair[0], dataclasses.replace(pair[1], play_seconds=factor)]
        )
        for factor in (1.02, 1e5)
    }
    found["learner"] = learning_curve(_learners(20, 5), pair[:1])
    # The guide at the median takes room on the left, and strikes out no name.
    found["guide"] = ecdf([_classic()[name] for name in ("lattice", "hunt-target")])
    for rows, cols in ((30, 6), (6, 30), (3, 3)):
        board = Scenario(name="odd", rules=Rules(rows, cols, (2,), touching=True))
        shot = np.arange(rows * cols) + 1
        found[f"shots {rows}x{cols}"] = shots(_counted(board, "new", len(shot), shot, shot**2))
        found[f"layouts {rows}x{cols}"] = occupancy(heat.Occupancy(board, 0, len(shot), shot - 1))
    return found


def test_odd_charts_are_readable():
    assert {name: faults for name, each in _odd().items() if (faults := _faults(each))} == {}
