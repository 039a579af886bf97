"""The gallery shows all kinds of charts, as their commands draw them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from bsbench.present.charts import kinds
from tests import pages
from tests.pages import gallery


def test_each_kind_of_chart_has_a_small_picture():
    assert {path.stem for path in gallery.FOLDER.iterdir()} == {*kinds()}
    for path in gallery.FOLDER.iterdir():
        assert path.stat().st_size <= 80 * 1024, path.name
        root = ElementTree.parse(path).getroot()
        width, height = map(float, root.attrib["viewBox"].split()[2:])
        # Heat maps lost their titles: pixels had changed the scale of what was drawn after them.
        for text in root.iter("{http://www.w3.org/2000/svg}text"):
            if {"x", "y"} <= text.attrib.keys():
                x, y = float(text.attrib["x"]), float(text.attrib["y"])
                assert 0 <= x <= width, (path.name, text.text)
                assert 0 <= y <= height, (path.name, text.text)


def test_the_page_has_each_kind():
    page = pages.read_page("gallery")
    assert re.findall(r"^## (\w+)$", page, flags=re.MULTILINE) == [*gallery.EXAMPLES]


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=[] if kind in ("ecdf", "learning") else pytest.mark.slow)
        for kind in gallery.EXAMPLES
    ],
)
def test_commands_draw_the_pictures_shown(kind, tmp_path):
    gallery.draw([kind], tmp_path)
    drawn, shown = (
        # Its texts: lines may differ in the last digit between versions of matplotlib.
        re.findall(r"<text[^>]*>(.*?)</text>", (folder / f"{kind}.svg").read_text("utf-8"))
        for folder in (tmp_path, gallery.FOLDER)
    )
    assert drawn == shown, "draw it by: python -m tests.pages.gallery"
