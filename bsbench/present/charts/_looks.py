"""How a strategy looks: the same colour and line in every chart, whatever stands beside it.

Colours are seven of the eight of M. Okabe and K. Ito, "Color Universal Design", 2008 (yellow
is too pale on white). Any two of them differ by at least 15 in CIELAB, also as seen without
red, green or blue cones (simulated after G. M. Machado et al., IEEE TVCG 15, 2009, table 1,
severity 1); `tests/test_charts.py` computes it. With solid and dashed lines they make 14
looks, which a strategy's own file may name; all others are derived from names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from bsbench.common.errors import BsbenchError
from bsbench.roster import find_strategy, strategy_names
from bsbench.rules.drawing import parts_of

COLOURS = {
    "black": "#000000",
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "orange": "#E69F00",
    "sky": "#56B4E9",
}

Dashes = tuple[float, tuple[float, ...]]

LINES: dict[str, Dashes] = {
    "solid": (0, ()),
    "dashed": (0, (4.5, 2)),
    "dashdot": (0, (6, 1.5, 1, 1.5)),
    "dashdotdot": (0, (6, 1.5, 1, 1.5, 1, 1.5)),
}
"""By name: offset, then lengths of strokes and gaps in line widths."""

_DERIVED_LINES = ("dashdot", "dashdotdot")
"""Of strategies without a look of their own, which so differ from all that have one."""

_VARIANT_LINES: tuple[Dashes, ...] = (
    (0, (1, 1.3)),
    (0, (9, 2)),
    (0, (2, 1)),
    (0, (9, 2, 2, 2)),
    (0, (1, 3)),
    (0, (4, 1.5, 4, 1.5, 1, 1.5)),
)


class Look(NamedTuple):
    """Colour, as ``#rrggbb``, and line, as matplotlib takes it."""

    colour: str
    linestyle: Dashes

    @property
    def style(self) -> dict[str, Any]:
        """Return the arguments of a line of matplotlib."""
        return {"color": self.colour, "linestyle": self.linestyle}


def look(label: str) -> Look:
    """Return the look of a strategy, by its name or label.

    A variant of a strategy has the colour of the strategy, and a line derived from the label.

    Raises
    ------
    BsbenchError
        If the strategy's own file names an unknown colour or line.
    """
    name, _, variant = label.partition(" ")
    colour, line = _named(name)
    return Look(colour, _VARIANT_LINES[_number(label, len(_VARIANT_LINES))] if variant else line)


def looks(labels: Iterable[str]) -> list[Look]:
    """Return the looks of strategies in one chart.

    They are those of `look`, but for variants that would look the same: of these, all
    but the first by label get the next line that is free, as long as there is one.
    """
    labels = list(labels)
    found: dict[str, Look] = {}
    for label in sorted(labels):
        chosen = look(label)
        if " " in label:
            first = _VARIANT_LINES.index(chosen.linestyle)
            lines = _VARIANT_LINES[first:] + _VARIANT_LINES[:first]
            free = (Look(chosen.colour, line) for line in lines)
            taken = {found[other] for other in found if other != label}
            chosen = next((each for each in free if each not in taken), chosen)
        found[label] = chosen
    return [found[label] for label in labels]


def darkened(colour: str) -> str:
    """Return a colour dark enough for small text on white."""
    parts = (round(0.62 * part) for part in parts_of(colour))
    return "#{:02x}{:02x}{:02x}".format(*parts)


def _named(name: str) -> tuple[str, Dashes]:
    """Return the look that a strategy's file gives it, else one derived from its name."""
    # A record may be of a strategy that is not installed.
    strategy = find_strategy(name) if name in strategy_names() else None
    own = vars(strategy).get("look") if strategy else None
    if own is None:
        numbers = _number(name, len(COLOURS)), _number(f"{name} line", len(_DERIVED_LINES))
        return list(COLOURS.values())[numbers[0]], LINES[_DERIVED_LINES[numbers[1]]]
    colour, line = own
    if colour not in COLOURS or line not in LINES:
        raise BsbenchError(
            f"strategy {name!r} has an unknown look {own!r}: its colour must be one of "
            f"{', '.join(COLOURS)}, and its line one of {', '.join(LINES)}"
        )
    return COLOURS[colour], LINES[line]


def _number(text: str, below: int) -> int:
    """Return a number that depends on the text alone, in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest()) % below
