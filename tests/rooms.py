"""The rooms of the package, as a picture: ``python -m tests.rooms`` draws it."""

from __future__ import annotations

import ast
from html import escape

from tests.pages import ROOT
from tests.test_imports import LAYERS, PACKAGE

PICTURE = ROOT / "docs" / "rooms.svg"

_WIDTH, _FLOOR, _GAP = 960, 46, 6


def sentence(room: str) -> str:
    """Return what the first sentence of a room's docstring says of it."""
    file = PACKAGE / room / "__init__.py"
    text = file if file.exists() else PACKAGE / f"{room}.py"
    said = ast.get_docstring(ast.parse(text.read_text(encoding="utf-8"))) or ""
    return said.partition("\n\n")[0].replace("\n", " ").rstrip(".").replace("`", "")


def picture() -> str:
    """Return the rooms as SVG, the lowest floor at the bottom; each may import from below it."""
    floors = [sorted(layer - {"__main__"}) for layer in LAYERS]
    height = len(floors) * (_FLOOR + _GAP) + _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="sans-serif" role="img">',
        "<title>The rooms of the package bsbench, floor by floor</title>",
        "<style>rect{fill:#f2f6fa;stroke:#5b7a99}text{fill:#1a1a1a;font-size:13px}"
        ".name{font-weight:bold;font-size:14px}"
        "@media(prefers-color-scheme:dark){rect{fill:#1d2733;stroke:#7d9bbb}text{fill:#e8e8e8}}"
        "</style>",
    ]
    for number, rooms in enumerate(reversed(floors)):
        top = _GAP + number * (_FLOOR + _GAP)
        width = (_WIDTH - _GAP * (len(rooms) + 1)) / len(rooms)
        for place, room in enumerate(rooms):
            left = _GAP + place * (width + _GAP)
            room_text = escape(_fitting(sentence(room), width))
            parts.append(
                f'<rect x="{left:g}" y="{top}" width="{width:g}" height="{_FLOOR}" rx="5"/>'
                f'<text class="name" x="{left + 10:g}" y="{top + 18}">{room}</text>'
                f'<text x="{left + 10:g}" y="{top + 36}">{room_text}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])


def _fitting(text: str, width: float) -> str:
    """Return a text that fits a box, as far as characters are 6.3 pixels wide."""
    room = int((width - 20) / 6.3)
    if len(text) <= room:
        return text
    return f"{text[: room - 1].rpartition(' ')[0].rstrip(',:;')} …"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
