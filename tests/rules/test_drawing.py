"""Boards as text and as HTML: what is drawn is what is known, and is never taken for markup."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import colormaps

from bsbench.rules.drawing import (
    HIDDEN,
    MISSED,
    STRUCK,
    SUNKEN,
    SYMBOLS,
    BoardView,
    cell_name,
    heat_colour,
    parts_of,
    read_cell,
    shares_of,
    text_colour,
)
from tests.present.test_looks import EYES, _seen
from tests.support.refusals import refused

HOSTILE = "<script>alert(1)</script>\"'&"


@given(rows=st.integers(1, 250), cols=st.integers(1, 250), data=st.data())
def test_names_of_cells_are_read_again(rows, cols, data):
    cell = data.draw(st.integers(0, rows * cols - 1))
    name = cell_name(cell, cols)
    assert read_cell(name, rows, cols) == read_cell(f" {name.lower()} ", rows, cols) == cell


@pytest.mark.parametrize("name", ["", "B", "7B", "B0", "K1", "A11", "B７", "ß1"])
def test_what_is_no_cell_is_told(name):
    with refused("A1 to J10"):
        read_cell(name, 10, 10)


BOARD = BoardView(
    rows=3,
    cols=4,
    fleet=(3, 2),
    marks=np.array([MISSED, STRUCK, 0, 0, SUNKEN, 0, 0, 0, SUNKEN, 0, 0, 0]),
    sunk=(1,),
    next_shot=2,
    ships=((1, 2, 3), (4, 8)),
    scores=np.array([-1, -1, 8.0, 4.0, -1, 2.0, 0, 0, -1, 0, 0, 0]),
    title=HOSTILE,
)


def test_a_board_is_drawn_as_text():
    assert str(BOARD).splitlines() == [
        HOSTILE,
        "   1  2  3  4        1   2   3   4",
        "A  ○  ✕ [□] □    A   ○   ✕ 100  50",
        "B  ■  ·  ·  ·    B   ■  25   0   0",
        "C  ■  ·  ·  ·    C   ■   0   0   0",
        "afloat 3; sunk 2; next shot A3",
    ]


@pytest.mark.parametrize("next_shot", [0, 119, 3239])
def test_brackets_stand_around_the_next_shot_and_move_nothing(next_shot):
    bare = BoardView(27, 120, (1,), [0] * 3240)
    lines, pointed = (
        str(bare).splitlines()[:-1],
        str(bare.__class__(27, 120, (1,), bare.marks, None, next_shot)),
    )
    shown = pointed.splitlines()[:-1]
    for line, other in zip(lines, shown, strict=True):
        assert line.rstrip() == other.replace("[", " ").replace("]", " ").rstrip()
    row, col = divmod(next_shot, 120)
    before = re.split(r"\[", shown[row + 1])[0]
    # Names of rows take 2 characters, and each column 4.
    assert len(before) == 2 + 4 * col + 2


def test_what_has_sunk_is_told_only_where_the_shooter_is():
    def status(fleet, sunk):
        return BoardView(9, 9, fleet, [0] * 81, sunk).status

    assert status((2, 1), None) == "fleet 2 1; what has sunk is not known"
    assert status((2, 1), ()) == "afloat 2 1"
    assert status((2, 2), (1, 0)) == "sunk 2 2"
    assert status((1,) * 21, ()) == "afloat 21 ships"


class _Reader(HTMLParser):
    """Collects tags and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.titles: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.titles += [value for name, value in attributes if name == "title"]
        assert {name for name, _ in attributes} <= {"style", "title", "scope"}

    def handle_data(self, data):
        self.texts.append(data)


def test_a_board_is_html_without_anything_active():
    reader = _Reader(BOARD._repr_html_())
    assert set(reader.tags) == {"div", "table", "tr", "th", "td"}
    assert "".join(reader.texts).startswith(HOSTILE)
    assert reader.tags.count("td") == 2 * 12
    assert reader.titles[:4] == [
        "A1: miss",
        "A2: hit",
        "A3: ship cell not found",
        "A4: ship cell not found",
    ]
    assert "A4: score 4, 50% of the highest" in reader.titles
    drawn = [text for text in reader.texts if text in SYMBOLS + HIDDEN]
    assert "".join(drawn[:12]) == "○✕□□■···■···"


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"marks": [0] * 7}, ["marks", "6", "7"]),
        ({"marks": [0] * 5 + [-1]}, ["mark"]),
        ({"marks": [0] * 5 + [5]}, ["mark"]),
        ({"marks": [0] * 6, "scores": [1.0]}, ["scores", "6", "1"]),
    ],
)
def test_boards_that_are_none_are_refused(values, named):
    with refused(*named):
        BoardView(2, 3, (2,), **values)


def test_shares_are_of_the_greatest():
    assert shares_of([-1, 0, 5, 10]) == [-1, 0, 0.5, 1]
    assert shares_of([-1, 0, 0]) == [-1, 0, 0]
    assert shares_of([-1, -1]) == [-1, -1]


STEPS = [heat_colour(step / 8) for step in range(9)]


@pytest.mark.parametrize("eye", EYES)
def test_the_scale_is_told_apart_by_all_eyes(eye):
    for index, first in enumerate(STEPS):
        for second in STEPS[index + 1 :]:
            assert np.linalg.norm(_seen(first, eye) - _seen(second, eye)) >= 8, (first, second)


@pytest.mark.parametrize("ground", [*STEPS, "#000000", "#ffffff", "#767676"])
def test_numbers_stand_out_on_colours(ground):
    def light(colour):
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return np.dot((0.2126, 0.7152, 0.0722), linear)

    low, high = sorted((light(ground), light(text_colour(ground))))
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_drawing_needs_nothing_heavy():
    code = "import sys, bsbench.rules.drawing; assert not {'numpy', 'rich'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_scale_is_that_of_charts():
    shown = colormaps["viridis"]
    for share in np.linspace(0, 1, 30):
        assert [*parts_of(heat_colour(share))] == pytest.approx(
            [255 * part for part in shown(share)[:3]], abs=6
        )
    assert heat_colour(-1) == heat_colour(0)
    assert heat_colour(2) == heat_colour(1)
    lightness = [_seen(heat_colour(step / 20), "usual")[0] for step in range(21)]
    assert (np.diff(lightness) > 0).all()
