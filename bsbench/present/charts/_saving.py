"""How figures are written: PNG, SVG with text and colours that follow the reader's, and PDF."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from html import escape
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase
from matplotlib.backends import backend_mixed, backend_svg
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.figure import Figure

import bsbench
from bsbench.common.errors import BsbenchError, option
from bsbench.common.files import write_file
from bsbench.present.charts._layout import house_style, settle
from bsbench.present.charts._sheets import DPI, Style, asked_style
from bsbench.present.looks import TONES

# They have no types.
_mixed: Any = backend_mixed
_svg: Any = backend_svg

_POINTS = 72
"""In an inch."""

_FONTS = "'DejaVu Sans', Verdana, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
"""The first one is that of the layout; Verdana's letters are as wide."""


class HouseFigure(Figure):
    """A figure in the style, and of the width, that was asked for when it was made.

    Attributes
    ----------
    style : Style
    facts : list of str
        What the picture shows, in words, for readers who can't see it, besides all its texts.
    """

    def __init__(self, **how: Any) -> None:
        self.style = asked_style.get()
        self.facts: list[str] = []
        super().__init__(**how)
        self.set_size_inches(*self.get_size_inches())

    def set_size_inches(self, w: Any, h: float | None = None, forward: bool = True) -> None:
        """Set the size that a chart has by itself; of another width, it is less high or higher."""
        width, height = w if h is None else (w, h)
        if self.style.inches is not None:
            wanted = self.style.inches / self.style.scale
            # Where there is less room beside each other, more stands one above the other.
            height *= (wanted / width) ** 0.25
            width = wanted
        super().set_size_inches(width, height, forward)

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Return the picture, and how wide a notebook shows it: half its pixels, so it is sharp."""
        file = io.BytesIO()
        write_figure(self, file, "png")
        return file.getvalue(), {"width": round(self.style.scale * self.get_figwidth() * DPI / 2)}


def refuse(figure: Figure, inches: float) -> NoReturn:
    """Refuse to draw a figure that is narrower than so many inches of its layout.

    Raises
    ------
    BsbenchError
        Always.
    """
    letters = figure.style.letters if isinstance(figure, HouseFigure) else 1
    raise BsbenchError(
        "so many names and figures don't fit such a width: give "
        f"{option('width', f'{math.ceil(25.4 * letters * inches)}mm')}, or fewer results"
    )


def stretch(figure: Figure, inches: float) -> None:
    """Make a figure higher; what stands below its title stays there."""
    before = figure.get_figheight()
    figure.set_figheight(before + inches)
    for text in figure.texts:
        x, y = text.get_position()
        if y > 0.5:
            text.set_position((x, 1 - (1 - y) * before / figure.get_figheight()))


def write_figure(figure: Figure, file: IO[bytes], kind: str, *, dark: bool | None = None) -> None:
    """Write a figure; the same figure gives the same bytes.

    Parameters
    ----------
    figure : Figure
    file : file object
    kind : str
        ``png``, ``svg`` or ``pdf``. The text of an SVG is text, and its colours are variables of
        CSS: it is dark where the reader's pages are.
    dark : bool, optional
        Whether the ground is dark. Default: by the figure's style.
    """
    style = figure.style if isinstance(figure, HouseFigure) else Style()
    if dark is not None:
        style = style._replace(dark=dark)
    with house_style():
        settle(figure)
        {"png": _write_png, "svg": _write_svg, "pdf": _write_pdf}[kind](figure, file, style)


def save_figure(figure: Figure, folder: Path, name: str, formats: Sequence[str]) -> list[Path]:
    """Write a figure in some formats, all under one name; pictures of that name are replaced.

    Parameters
    ----------
    figure : Figure
    folder : Path
        An existing folder.
    name : str
        Without suffix.
    formats : sequence of str
        Any of ``png``, ``svg`` and ``pdf``.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    WriteError
        If they can't be written.
    """
    paths = []
    for kind in formats:
        paths.append(folder / f"{name}.{kind}")
        write_file(paths[-1], partial(write_figure, figure, kind=kind))
    return paths


def title_of(figure: Figure) -> str:
    """Return the title of a figure on one line."""
    titles = (axes.get_title(loc="left") or axes.get_title() for axes in figure.axes)
    return " ".join((figure.get_suptitle() or next(filter(None, titles), "")).split())


def description(figure: Figure) -> str:
    """Return in words what a figure shows: its texts, in sentences."""
    shown = [title_of(figure)]
    if isinstance(figure, HouseFigure):
        shown += figure.facts
    for axes in figure.axes:
        for name, axis in (("Across", axes.xaxis), ("Upwards", axes.yaxis)):
            if axis.get_visible() and axis.get_label_text():
                shown.append(f"{name}: {axis.get_label_text()}")
        shown += filter(None, (_words_on(axis) for axis in (axes.yaxis, axes.xaxis)))
        shown += (text.get_text() for text in axes.texts)
        if legend := axes.get_legend():
            shown += (text.get_text() for text in legend.get_texts())
    shown += (text.get_text() for text in figure.texts)
    lines = (" ".join(text.split()) for text in shown)
    # Numbers in cells of a board are too many to be heard one by one.
    said = dict.fromkeys(line for line in lines if re.search(r"[^\W\d_]", line))
    return ". ".join(line.rstrip(".") for line in said) + "."


def _words_on(axis: Any) -> str:
    """Return the words that stand along an axis, if they are not numbers, from top or left."""
    texts = [text.get_text() for text in axis.get_ticklabels()]
    if not any(re.search(r"[^\W\d_]{2}", text) for text in texts):
        return ""
    return ", ".join(
        " ".join(text.split()) for text in texts[:: -1 if axis.axis_name == "y" else 1]
    )


class _Seen:
    """A renderer for another: in the colours of the dark, if asked; it notes how wide texts are."""

    def __init__(self, renderer: Any, dark: bool) -> None:
        self._renderer = renderer
        self._dark = dark
        self.widths: list[float] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._renderer, name)

    def draw_path(self, gc: GraphicsContextBase, path: Any, to: Any, face: Any = None) -> None:
        self._renderer.draw_path(self._pen(gc), path, to, self._colour(face))

    def draw_markers(
        self, gc: GraphicsContextBase, marker: Any, of_marker: Any, path: Any, to: Any, face: Any
    ) -> None:
        pen, face = self._pen(gc), self._colour(face)
        self._renderer.draw_markers(pen, marker, of_marker, path, to, face)

    def draw_path_collection(
        self,
        gc: GraphicsContextBase,
        to: Any,
        paths: Any,
        transforms: Any,
        offsets: Any,
        to_offsets: Any,
        faces: Any,
        edges: Any,
        *more: Any,
        **named: Any,
    ) -> None:
        faces, edges = (
            np.reshape([self._colour(each) for each in colours], (-1, 4))
            for colours in (faces, edges)
        )
        where = to, paths, transforms, offsets, to_offsets
        self._renderer.draw_path_collection(self._pen(gc), *where, faces, edges, *more, **named)

    def draw_text(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        s: str,
        prop: Any,
        *more: Any,
        **named: Any,
    ) -> None:
        self.widths.append(self._renderer.get_text_width_height_descent(s, prop, False)[0])
        self._renderer.draw_text(self._pen(gc), x, y, s, prop, *more, **named)

    def _pen(self, gc: GraphicsContextBase) -> GraphicsContextBase:
        if not self._dark:
            return gc
        pen: GraphicsContextBase = self._renderer.new_gc()
        pen.copy_properties(gc)
        pen.set_foreground(self._colour(gc.get_rgb()), isRGBA=True)
        return pen

    def _colour(self, colour: Any) -> Any:
        tone = TONES.get(to_hex(colour)) if self._dark and colour is not None else None
        return colour if tone is None else (*to_rgb(tone.dark), to_rgba(colour)[3])


@contextmanager
def _seen(figure: Figure, dark: bool) -> Iterator[None]:
    """Let a figure be drawn through `_Seen`."""
    if dark:
        # In place of the method, for this one figure.
        draw: Any = figure.draw
        vars(figure)["draw"] = lambda renderer: draw(_Seen(renderer, dark))
    try:
        yield
    finally:
        vars(figure).pop("draw", None)


def _write_png(figure: Figure, file: IO[bytes], style: Style) -> None:
    about = {"Title": title_of(figure), "Description": description(figure)}
    # Neither date nor version of the library.
    known = {**about, "Software": None}
    more: dict[str, Any] = {"metadata": known, "pil_kwargs": {"dpi": (DPI, DPI)}}
    with _seen(figure, style.dark):
        figure.savefig(file, format="png", dpi=DPI * style.scale, **more)


def _draw(figure: Figure, onto: Any, dark: bool) -> list[float]:
    """Draw a figure in points; return how wide its texts are."""
    dpi = figure.dpi
    try:
        # First: after pixels, the renderer returns to what it found.
        figure.dpi = _POINTS
        # Heat maps are pixels.
        renderer: Any = _Seen(
            _mixed.MixedModeRenderer(figure, *figure.get_size_inches(), DPI, onto), dark
        )
        figure.draw(renderer)
    finally:
        figure.dpi = dpi
    renderer.finalize()
    widths: list[float] = renderer.widths
    return widths


def _write_pdf(figure: Figure, file: IO[bytes], style: Style) -> None:
    # It imports fontTools, which takes as long as all else that draws.
    from matplotlib.backends import backend_pdf

    writer: Any = backend_pdf
    about = {"Title": title_of(figure), "Subject": description(figure)}
    about |= {"Creator": f"bsbench {bsbench.__version__}"}
    # Neither date nor version of the library.
    pdf = writer.PdfFile(file, metadata={**about, "Producer": None, "CreationDate": None})
    width, height = figure.get_size_inches()
    pdf.newPage(style.scale * width, style.scale * height)
    # Lines are cut where the page ends, in the units that are drawn in: those of the layout.
    pdf.width, pdf.height = width, height
    pdf.output(style.scale, 0, 0, style.scale, 0, 0, writer.Op.concat_matrix)
    _draw(figure, writer.RendererPdf(pdf, DPI, height, width), style.dark)
    pdf.finalize()
    pdf.close()


def _write_svg(figure: Figure, file: IO[bytes], style: Style) -> None:
    width, height = (_POINTS * inches for inches in figure.get_size_inches())
    buffer = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    onto = _svg.RendererSVG(width, height, buffer, image_dpi=DPI, metadata=nothing)
    widths = iter(_draw(figure, onto, style.dark))
    used: set[str] = set()

    def variable(match: re.Match[str]) -> str:
        tone = TONES.get(match[0])
        if style.dark or tone is None or tone.dark == match[0]:
            return match[0]
        used.add(match[0])
        return f"var({tone.variable}, {match[0]})"

    def tag(match: re.Match[str]) -> str:
        text = re.sub(r"(?<=: )#[0-9a-f]{6}(?=[;\"])", variable, match[0])
        if text.startswith("<text "):
            text = re.sub(r"; font-family: [^;\"]*", "", text)
            long = next(widths)
            # In another font, too, a text ends where it should.
            how = f'textLength="{long:.2f}" lengthAdjust="spacingAndGlyphs" ' if long else ""
            text = re.sub(r' transform="rotate\(-0 [^"]*"', "", f"<text {how}{text[6:]}")
        return text

    # In texts and attributes, angle brackets are escaped.
    drawn = re.sub(r"<[a-z][^<>]*>", tag, buffer.getvalue())
    ink = re.sub("#.*", variable, TONES["#000000"].dark if style.dark else "#000000")
    head = (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{style.scale * width:.4g}pt" height="{style.scale * height:.4g}pt" '
        f'viewBox="0 0 {width:.7g} {height:.7g}" role="img" font-family="{_FONTS}" '
        f'style="fill: {ink}; stroke-linejoin: round">\n'
        f"<title>{escape(title_of(figure))}</title>\n<desc>{escape(description(figure))}</desc>\n"
    )
    if used:
        tones = [TONES[each] for each in TONES if each in used]
        dark = "; ".join(f"{tone.variable}: {tone.dark}" for tone in tones)
        head += f"<style>@media (prefers-color-scheme: dark) {{ svg {{ {dark} }} }}</style>\n"
    body = drawn[drawn.index("</defs>") + len("</defs>") :].lstrip()
    file.write((head + body).encode())
