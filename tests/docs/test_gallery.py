"""Committed pictures show what their records say; the gallery has all kinds of charts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from bsbench.present.charts import house_style, kinds
from bsbench.present.charts._layout import settle
from bsbench.present.charts._saving import description, title_of
from bsbench.reproduce.plan import plan_names
from tests import drawn, pages
from tests.pages import gallery
from tests.rooms import PICTURE

SVG = "{http://www.w3.org/2000/svg}"

DOCS = pages.ROOT / "docs"

FOLDERS = sorted({path.parent for path in drawn.committed()} - {gallery.FOLDER, DOCS})


def test_each_kind_of_chart_has_a_small_picture():
    assert {path.stem for path in gallery.FOLDER.iterdir()} == {*kinds()}
    for path in gallery.FOLDER.iterdir():
        assert path.stat().st_size <= (120 if path.stem == "survey" else 80) * 1024, path.name
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


def _check_words(path: Path, figure: Figure) -> None:
    """Check that a picture has the title, and the texts, of a figure."""
    how = "draw it again, as docs/regenerating-results.md says"
    if path.suffix == ".png":
        with Image.open(path) as picture:
            words = [picture.text.get(key) for key in ("Title", "Description")]
    else:
        root = ElementTree.parse(path).getroot()
        words = [root.findtext(f"{SVG}{tag}") for tag in ("title", "desc")]
        texts = {"".join(each.itertext()) for each in root.iter(f"{SVG}text")}
        known = (each.get_text().split("\n") for each in figure.findobj(Text))
        assert texts <= {line for lines in known for line in lines}, f"{path}: {how}"
    assert words == [title_of(figure), description(figure)], f"{path}: {how}"


def test_pictures_in_the_docs_are_drawn_by_commands_or_are_screens():
    found = {path.name for path in drawn.committed() if path.parent == DOCS}
    # `tests.rooms` draws the last one.
    assert found <= {*drawn.SCREENS, PICTURE.name}


@pytest.mark.ci
@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(
            folder,
            marks=pytest.mark.slow if folder.name in plan_names() else [],
            id=folder.relative_to(drawn.ROOT).as_posix(),
        )
        for folder in FOLDERS
    ],
)
def test_committed_pictures_say_what_their_records_say(folder):
    figures = drawn.figures(folder)
    with house_style():
        for figure in figures.values():
            settle(figure)
    for path in drawn.committed():
        if path.parent == folder:
            # One that nothing draws is an error.
            _check_words(path, figures[path.stem.removesuffix("-dark")])
