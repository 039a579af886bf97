"""How charts are written: formats, styles, widths, light and dark."""

from __future__ import annotations

import base64
import io
import itertools
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.image import imread
from matplotlib.text import Text
from PIL import Image, ImageChops, ImageFilter

from bsbench.present.charts import (
    CHARTS,
    STYLES,
    drawn_for,
    house_style,
    kinds,
    new_figure,
    read_width,
    write_figure,
)
from bsbench.present.looks import GROUND, INK, SOFT, TONES
from bsbench.rules.drawing import parts_of
from bsbench.runs.records import load_results
from tests.present.test_boxes import _given
from tests.support.browsing import NEEDS_BROWSER, contrast, emulate
from tests.support.refusals import names, refused

SVG = "{http://www.w3.org/2000/svg}"

HOSTILE = '</text><script>alert(1)</script> "&#222222;" style="fill: #222222"'


def _drawn(kind: str):
    """Return a chart of any kind, of results that nobody has played but for a learner."""
    return CHARTS[kind].function(*_given(kind, 2))


def _file(figure, kind: str, **how) -> bytes:
    file = io.BytesIO()
    write_figure(figure, file, kind, **how)
    return file.getvalue()


@pytest.fixture(scope="module")
def records():
    return load_results(["results/classic"])


@house_style()
def _plain(title: str = "A title", size=None):
    figure = new_figure()
    if size:
        figure.set_size_inches(*size)
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="#000000", label="black")
    axes.set_title(title)
    axes.set_xlabel("moves")
    axes.legend()
    return figure


@pytest.mark.parametrize("kind", kinds())
def test_an_svg_has_live_text_and_colours_of_pages_alone(kind):
    figure = _drawn(kind)
    root = ET.fromstring(_file(figure, "svg"))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text
    assert len(root.find(f"{SVG}desc").text) > len(root.find(f"{SVG}title").text)
    texts = ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]
    shown = [
        line
        for each in figure.findobj(Text)
        if each.get_visible()
        for line in each.get_text().split("\n")
    ]
    assert len(texts) > 8
    assert set(texts) <= set(shown)
    # All others would stay as they are in the dark.
    styles = [each.get("style", "") for each in root.iter()]
    colours = {colour for style in styles for colour in re.findall(r"#[0-9a-fA-F]{3,8}\b", style)}
    assert colours - {"#0"} <= set(TONES)
    named = re.findall(r"var\((--[\w-]+), (#\w+)\)", " ".join(styles))
    assert named
    assert all(TONES[colour].variable == variable for variable, colour in named)
    (style,) = (each.text for each in root.iter(f"{SVG}style"))
    for _, colour in named:
        assert f"{TONES[colour].variable}: {TONES[colour].dark}" in style
    # Without text as text, there would be outlines of letters.
    assert not [each for each in root.iter() if "DejaVu" in each.get("id", "")]


def test_texts_of_an_svg_are_as_wide_as_in_the_layout_and_can_not_break_out():
    figure = _plain(HOSTILE)
    text = _file(figure, "svg").decode()
    root = ET.fromstring(text)
    assert not list(root.iter(f"{SVG}script"))
    found = [each for each in root.iter(f"{SVG}text") if each.text == HOSTILE]
    assert len(found) == 1
    figure.set_dpi(72)
    drawn = figure.axes[0].get_tightbbox()
    assert 100 < float(found[0].get("textLength")) <= drawn.width + 100
    assert all(each.get("textLength") for each in root.iter(f"{SVG}text"))
    assert root.find(f"{SVG}title").text == HOSTILE
    assert "font-family" not in "".join(each.get("style", "") for each in root.iter())
    assert root.get("font-family").endswith("sans-serif")


def test_a_png_says_in_words_what_it_shows():
    with Image.open(io.BytesIO(_file(_plain("Fewer µ … than before"), "png"))) as png:
        assert png.text["Title"] == "Fewer µ … than before"
        said = png.text["Description"]
        assert all(names(said, name) for name in ("Fewer µ … than before", "moves", "black"))
        assert set(png.text) == {"Title", "Description"}


def test_a_pdf_has_its_fonts_and_no_dates():
    content = _file(_plain(), "pdf")
    assert content.startswith(b"%PDF-")
    assert b"/FontFile2" in content
    assert b"/CIDFontType2" in content or b"/TrueType" in content
    assert not re.search(rb"/(CreationDate|ModDate|Producer)\b", content)
    assert content == _file(_plain(), "pdf")


QUICK_FILES = {("histogram", "png"), ("efficiency", "svg")}


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        pytest.param(kind, form, marks=[] if (kind, form) in QUICK_FILES else pytest.mark.slow)
        for kind in kinds()
        for form in ("png", "svg")
    ],
)
def test_every_chart_drawn_again_is_the_same_file(kind, form):
    first = _file(_drawn(kind), form)
    # Nor does it matter what was written of the figure before.
    figure = _drawn(kind)
    for other in ("svg", "png", form):
        again = _file(figure, other)
    assert again == first
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9}):
        assert _file(_drawn(kind), form) == first


def _read(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content)).convert("RGB")


def _of_svg(content: bytes, size: tuple[int, int], browser, folder: Path) -> Image.Image:
    """Return an SVG as pixels, drawn by Chromium with the letters of the other pictures."""
    font = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans")
    faces = "".join(
        f"@font-face {{ font-family: 'DejaVu Sans'; font-weight: {weight}; "
        f"src: url({Path(f'{font}{end}.ttf').as_uri()}) }}"
        for weight, end in (("normal", ""), ("bold", "-Bold"))
    )
    shape = f"display: block; width: {size[0]}px; height: auto"
    style = f"{faces} body {{ margin: 0; overflow: hidden }} svg {{ {shape} }}"
    drawing = content.decode().partition("?>")[2]
    page = folder / "picture.html"
    page.write_text(f"<!doctype html><style>{style}</style>{drawing}", encoding="utf-8")
    # Whatever an earlier test has asked for: in the dark, colours are others.
    emulate(browser, size[0])
    screen = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.get(page.as_uri())
    browser.execute_async_script("document.fonts.ready.then(arguments[0])")
    return _read(base64.b64decode(browser.execute_cdp_cmd("Page.captureScreenshot", {})["data"]))


def _missing(picture: Image.Image, other: Image.Image) -> int:
    """Return how many pixels of a picture have colours that another lacks thereabouts."""
    # Programs draw edges a little differently: two pixels to all sides, of which an inch has 100.
    low, high = (other.filter(each(5)) for each in (ImageFilter.MinFilter, ImageFilter.MaxFilter))
    less, more = ImageChops.subtract(low, picture), ImageChops.subtract(picture, high)
    return int((np.asarray(ImageChops.lighter(less, more)).max(axis=2) > 80).sum())


def check_same(png: Image.Image, drawn: Image.Image) -> None:
    """Check that a picture shows all that a PNG shows, there, and nothing else."""
    small = png.width // 2, png.height // 2
    one, two = (each.resize(small, Image.Resampling.BOX) for each in (png, drawn))
    assert _missing(one, two) < 40
    assert _missing(two, one) < 40


WIDTHS = 84 / 25.4, 8
FORMATTED = [(style, inches) for style in ("light", "paper", "slides") for inches in WIDTHS]
# Each kind in one style and width, and each style and width with two kinds or more.
PAIRED = list(zip(kinds(), itertools.cycle(FORMATTED), strict=False))


def _name_of_format(value) -> str:
    return value if isinstance(value, str) else f"{value[0]} {value[1]:.1f}"


@pytest.fixture
def unhinted(monkeypatch):
    """Let letters of a PNG be as wide as in all other pictures: not rounded to whole pixels."""
    read = matplotlib.rc_params_from_file
    unhinted = {"text.hinting": "no_hinting"}
    monkeypatch.setattr(
        matplotlib, "rc_params_from_file", lambda *a, **b: {**read(*a, **b), **unhinted}
    )


@NEEDS_BROWSER
@pytest.mark.usefixtures("unhinted")
@pytest.mark.parametrize(("kind", "formatted"), PAIRED, ids=_name_of_format)
def test_an_svg_shows_what_the_png_shows(kind, formatted, browser, tmp_path):
    with drawn_for(*formatted):
        figure = _drawn(kind)
    png = _read(_file(figure, "png"))
    check_same(png, _of_svg(_file(figure, "svg"), png.size, browser, tmp_path))


def test_widths_have_units():
    widths = {"84mm": 84 / 25.4, "12cm": 12 / 2.54, "6 in": 6, "345pt": 345 / 72, "1600px": 8}
    for text, inches in widths.items():
        assert read_width(text) == pytest.approx(inches)
    for text in ("84", "-84mm", "84 miles", "5mm", "9e3mm", "inf in", ""):
        with refused(text or "''"):
            read_width(text)


@pytest.mark.parametrize("style", STYLES)
def test_widths_are_those_of_the_files(style):
    for inches in (84 / 25.4, 6):
        with drawn_for(style, inches):
            figure = _plain()
        png = imread(io.BytesIO(_file(figure, "png")))
        assert abs(png.shape[1] - 200 * inches) <= 1
        box = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+) ", _file(figure, "pdf"))
        assert float(box[1]) == pytest.approx(72 * inches, abs=0.01)
        root = ET.fromstring(_file(figure, "svg"))
        assert float(root.get("width").removesuffix("pt")) == pytest.approx(72 * inches, rel=1e-3)
        # Letters of 10 points are of this many in the file.
        scale = float(root.get("width").removesuffix("pt")) / float(root.get("viewBox").split()[2])
        least = min(STYLES[style].scale, 0.7)
        assert least - 0.01 <= scale <= STYLES[style].scale + 0.01


def test_dark_pictures_have_a_dark_ground_and_light_text():
    figure = _plain()
    light, dark = (imread(io.BytesIO(_file(figure, "png", dark=dark))) for dark in (False, True))
    assert light.shape == dark.shape
    ground = parts_of(TONES[GROUND].dark)
    assert (np.round(255 * light[0, 0, :3]) == 255).all()
    assert (np.round(255 * dark[0, 0]).astype(int) == [*ground, 255]).all()
    assert max(ground) < 64
    for ink in (INK, SOFT, "#666666"):
        assert contrast(_rgb(ink), _rgb(GROUND)) >= 4.5
        assert contrast(_rgb(TONES[ink].dark), _rgb(TONES[GROUND].dark)) >= 4.5
    # The line is black by day, and near to white by night.
    assert dark[..., :3].max() > 0.9
    assert _file(figure, "png") == _file(_plain(), "png")
    with drawn_for("dark"):
        asked = _plain()
    assert _file(asked, "png") == _file(figure, "png", dark=True)
    assert b"var(" not in _file(asked, "svg")
    assert TONES[GROUND].dark.encode() in _file(asked, "svg")


def _rgb(colour: str) -> str:
    return f"rgb{tuple(parts_of(colour))}"
