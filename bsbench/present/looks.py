"""How strategies look: colours and lines of charts, reports and pages.

A family of strategies, such as ``lattice``, ``lattice2`` and ``lattice-net``, has a hue; inside it,
its members differ in lightness and line. A built-in strategy looks the same in every chart and on
every page, whatever stands beside it.

Any two colours differ by at least 18 in CIELAB, and those of dark pages by 13, also as seen without
red, green or blue cones (simulated after G. M. Machado et al., IEEE TVCG 15, 2009, table 1,
severity 1): a search over lightness and chroma found them, and `tests/present/test_looks.py`
computes it. `TONES` has all colours that a chart may use, and what becomes of them in the dark.
This file needs no matplotlib.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple
from zlib import crc32

from bsbench.common.errors import BsbenchError
from bsbench.roster import find_strategy, strategy_names
from bsbench.rules.drawing import parts_of

COLOURS = {
    "blue": "#5685e9",
    "vermilion": "#f0722b",
    "green": "#6bbe89",
    "purple": "#c664b4",
    "orange": "#fcab19",
    "blue-dark": "#063c7d",
    "vermilion-dark": "#a94a11",
    "green-dark": "#246a42",
    "purple-dark": "#612857",
    "orange-dark": "#a9814b",
    "blue-light": "#a6b7fa",
    "vermilion-darkest": "#692b06",
    "black": "#000000",
    "grey": "#8c8c8c",
}
"""By name, on light ground: up to the hyphen it is the hue."""

_IN_THE_DARK = {
    "blue": "#669efc",
    "vermilion": "#e58950",
    "green": "#7af4b7",
    "purple": "#ed86c8",
    "orange": "#e9d263",
    "blue-dark": "#5b81c6",
    "vermilion-dark": "#cd631b",
    "green-dark": "#329166",
    "purple-dark": "#c55ba1",
    "orange-dark": "#c3ad13",
    "blue-light": "#a1bcfe",
    "vermilion-darkest": "#fcb38a",
    "black": "#f2f2f2",
    "grey": "#919191",
}

Dashes = tuple[float, tuple[float, ...]]

LINES: dict[str, Dashes] = {
    "solid": (0, ()),
    "dashed": (0, (4.5, 2)),
    "dotted": (0, (1, 1.3)),
    "dashdot": (0, (6, 1.5, 1, 1.5)),
    "longdashed": (0, (11, 3)),
    "dashdotdot": (0, (6, 1.5, 1, 1.5, 1, 1.5)),
    "sparse": (0, (1, 3.5)),
    "dashdashdot": (0, (4, 1.5, 4, 1.5, 1, 1.5)),
}
"""By name: offset, then lengths of strokes and gaps in line widths. The first ones are the easiest
to read, and are given first."""


class Look(NamedTuple):
    """Colour on light ground, as ``#rrggbb``, and line, as matplotlib takes it."""

    colour: str
    linestyle: Dashes

    @property
    def style(self) -> dict[str, Any]:
        """Return the arguments of a line of matplotlib."""
        return {"color": self.colour, "linestyle": self.linestyle}

    @property
    def hue(self) -> str:
        """Return the hue, which a family shares."""
        return self.name.partition("-")[0]

    @property
    def name(self) -> str:
        """Return the name of the colour; pages have it as the CSS variable ``--look-NAME``."""
        return next(name for name, colour in COLOURS.items() if colour == self.colour)

    def dashes(self, width: float) -> str:
        """Return the line as ``stroke-dasharray`` of SVG, for a line of that width."""
        return dashes_of(self.linestyle, width)


def dashes_of(line: Dashes, width: float) -> str:
    """Return a line as ``stroke-dasharray`` of SVG, for a line of that width."""
    return " ".join(f"{width * length:g}" for length in line[1]) or "none"


_ALL_LOOKS = [Look(colour, line) for line in LINES.values() for colour in COLOURS.values()]


def look(label: str) -> Look:
    """Return the look of a strategy that stands alone, by its name or label.

    Raises
    ------
    BsbenchError
        If the strategy's own file names an unknown colour or line.
    """
    return looks([label])[0]


def looks(labels: Iterable[str]) -> list[Look]:
    """Return the looks of strategies that are shown together, all different.

    A strategy has the `look` of its own file. Further variants of it take what is free of its hue.
    A strategy without a look has one that its name decides, of a hue that no other one has, as long
    as there is one; of two that would have the same, the second takes the next.

    Parameters
    ----------
    labels : iterable of str
        Names, or labels with parameters. There are 112 looks; more labels than that share them.

    Raises
    ------
    BsbenchError
        If a strategy's own file names an unknown colour or line.

    Examples
    --------
    >>> [(each.name, each.dashes(2)) for each in looks(["prob", "lattice", "lattice slots=2"])]
    [('green-dark', 'none'), ('blue', 'none'), ('blue-dark', 'none')]
    """
    labels = list(labels)
    found: dict[str, Look] = {}
    # Those without parameters first: a variant takes nobody's look.
    order = sorted(dict.fromkeys(labels), key=lambda label: " " in label)
    wished = {label: own_look(label) for label in order}
    for label in sorted(order, key=lambda label: wished[label] is None):
        wish, taken = wished[label], set(found.values())
        if wish is None:
            used = {each.hue for each in taken}
            start = crc32(label.encode()) % len(COLOURS)
            turned = [*_ALL_LOOKS[start : len(COLOURS)], *_ALL_LOOKS[:start], *_ALL_LOOKS]
            choice = sorted(turned, key=lambda each: each.hue in used)
        else:
            choice = [wish, *sorted(_ALL_LOOKS, key=lambda each: each.hue != wish.hue)]
        found[label] = next((each for each in choice if each not in taken), choice[0])
    return [found[label] for label in labels]


def darkened(colour: str) -> str:
    """Return a colour dark enough for small text on white."""
    parts = (round(0.62 * part) for part in parts_of(colour))
    return "#{:02x}{:02x}{:02x}".format(*parts)


class Tone(NamedTuple):
    """What becomes of a colour of charts: a variable of CSS, and its value in the dark."""

    variable: str
    dark: str


GROUND = "#ffffff"
INK = "#222222"
"""Titles, labels and marks."""
SOFT = "#555555"
"""Small text: captions, notes, the version."""
EDGE = "#888888"
"""Axes and thin lines."""
GRID = "#e6e6e6"
ON_LIGHT, ON_DARK = "#111111", "#fefefe"
"""Text on the cells of heat maps, whose colours are the same in the dark."""

_GREYS = {
    INK: "#e6e7e8",
    "#333333": "#d6d8da",
    "#444444": "#c9ccd0",
    "#4a4a4a": "#c3c6ca",
    SOFT: "#b6babf",
    "#666666": "#a8adb3",
    "#777777": "#9ba0a7",
    EDGE: "#858b93",
    "#999999": "#7b8189",
    "#aaaaaa": "#6d737b",
    "#bbbbbb": "#636971",
    "#cccccc": "#565c64",
    "#d2d2d2": "#4c5259",
    "#d9d9d9": "#42474e",
    "#dddddd": "#3d4249",
    GRID: "#31353b",
    "#e9e9e9": "#2c3036",
}

TONES: dict[str, Tone] = {
    GROUND: Tone("--page", "#16181b"),
    ON_LIGHT: Tone("--on-light", ON_LIGHT),
    ON_DARK: Tone("--on-dark", ON_DARK),
    **{grey: Tone(f"--grey-{grey[1:3]}", dark) for grey, dark in _GREYS.items()},
    # Names beside lines are darker than the lines, where the ground is light.
    **{
        darkened(colour): Tone(f"--look-{name}-text", _IN_THE_DARK[name])
        for name, colour in COLOURS.items()
    },
    **{colour: Tone(f"--look-{name}", _IN_THE_DARK[name]) for name, colour in COLOURS.items()},
}
"""All colours that charts may use, but for those of pixels, such as heat maps: by ``#rrggbb`` in
small letters, how pages call them (`palette.css` has the same values), and what they are in the
dark."""


def own_look(label: str) -> Look | None:
    """Return the look that a strategy's file wishes for, if there is one, by its name or label."""
    name = label.partition(" ")[0]
    # A record may be of a strategy that is not installed.
    strategy = find_strategy(name) if name in strategy_names() else None
    own = vars(strategy).get("look") if strategy else None
    if own is None:
        return None
    colour, line = own
    if colour not in COLOURS or line not in LINES:
        raise BsbenchError(
            f"strategy {name!r} has an unknown look {own!r}: its colour must be one of "
            f"{', '.join(COLOURS)}, and its line one of {', '.join(LINES)}"
        )
    return Look(COLOURS[colour], LINES[line])
