"""How strategies look that are shown together: colours and lines of charts, reports and pages.

Six of the seven colours are of M. Okabe and K. Ito, "Color Universal Design", 2008 (yellow is too
pale on white); green has less blue than theirs, so that it differs more from purple where green
cones are missing. Any two differ by at least 17 in CIELAB, and those of dark pages by 25, also as
seen without red, green or blue cones (simulated after G. M. Machado et al., IEEE TVCG 15, 2009,
table 1, severity 1); `tests/present/test_looks.py` computes it.

Charts are drawn in light colours. `TONES` has all colours that a chart may use, and what becomes
of them in the dark. This file needs no matplotlib.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from bsbench.common.errors import BsbenchError
from bsbench.roster import find_strategy, strategy_names
from bsbench.rules.drawing import parts_of

COLOURS = {
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "green": "#009E59",
    "purple": "#CC79A7",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "black": "#000000",
}
"""By name, on light ground."""

GREY = "#8C8C8C"
"""Of strategies that have no colour."""

_IN_THE_DARK = {
    "black": "#F0F0F0",
    "grey": "#8D939B",
    "blue": "#448FDE",
    "vermilion": "#E3662D",
    "green": "#36D697",
    "purple": "#BD76A5",
    "orange": "#FFC94E",
    "sky": "#ACD2FE",
}

_ALL = {**COLOURS, "grey": GREY}

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
    def name(self) -> str:
        """Return the name of the colour; pages have it as the CSS variable ``--look-NAME``."""
        return next(name for name, colour in _ALL.items() if colour == self.colour)

    def dashes(self, width: float) -> str:
        """Return the line as ``stroke-dasharray`` of SVG, for a line of that width."""
        return dashes_of(self.linestyle, width)


def dashes_of(line: Dashes, width: float) -> str:
    """Return a line as ``stroke-dasharray`` of SVG, for a line of that width."""
    return " ".join(f"{width * length:g}" for length in line[1]) or "none"


def look(label: str) -> Look:
    """Return the look of a strategy that stands alone, by its name or label.

    Raises
    ------
    BsbenchError
        If the strategy's own file names an unknown colour or line.
    """
    return looks([label])[0]


def looks(labels: Iterable[str]) -> list[Look]:
    """Return the looks of strategies that are shown together.

    The first seven have a colour each, all different: that of the `look` in the strategy's file, if
    no earlier one has it, else the next one that is free, with a solid line. All others are grey,
    with different lines.

    Parameters
    ----------
    labels : iterable of str
        Those that matter most first, such as the best.

    Raises
    ------
    BsbenchError
        If a strategy's own file names an unknown colour or line.

    Examples
    --------
    >>> [(each.name, each.dashes(2)) for each in looks(["prob", "prob skew=1", "smart"])]
    [('blue', 'none'), ('vermilion', 'none'), ('orange', 'none')]
    """
    labels = list(labels)
    different = list(dict.fromkeys(labels))
    first, rest = different[: len(COLOURS)], different[len(COLOURS) :]
    lines = list(LINES.values())
    found = {label: Look(GREY, lines[at % len(lines)]) for at, label in enumerate(rest)}
    free = list(COLOURS.values())
    for label in first:
        given = own_look(label)
        if given is not None and given.colour in free:
            found[label] = given
            free.remove(given.colour)
    for label in first:
        if label not in found:
            found[label] = Look(free.pop(0), LINES["solid"])
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
        for name, colour in _ALL.items()
    },
    **{colour.lower(): Tone(f"--look-{name}", _IN_THE_DARK[name]) for name, colour in _ALL.items()},
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
