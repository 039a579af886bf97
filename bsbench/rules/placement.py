"""Placement laws by name: how likely each layout is.

This module only names and checks them; `bsbench.layouts` draws. On the command
line and in scenario files a law is written ``law`` or ``law:option``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_line
from bsbench.common.texts import short, shortened

STREAM_VERSION = 3
"""Increased when a seed draws other layouts than before; results record it."""

HIDE = "472*avoid:over9000:4,305*avoid:over9000-adaptive:2,223*avoid:over9000-adaptive:4"
"""The law ``hide``, as ``mix`` has it: the best of the laws tried on ``classic``, see
results/value/classic.json and docs/value.md. Of the laws tried, no mixture costs more."""

_LARGEST_PART = 10**9
"""p and q at most, for a border factor p / q in lowest terms. The weight of all slots of a
ship then stays far below 2^64 on any board."""

MOST_IN_A_ROW = 1_000_000
"""Games in a row that depend on each other, at most."""

DEFAULT_STRENGTH = 8
"""Of the law ``avoid``."""

_MOST_STRENGTH = 100


@dataclass(frozen=True)
class Placement:
    """The probability law of layouts.

    Attributes
    ----------
    law : str
        ``uniform``: every layout of the labelled fleet equally likely.
        ``sequential``: ship by ship, each uniform among its slots still legal; when a ship
        has none left, the whole layout starts again.
        ``edge``: in proportion to the product of the ships' weights, the border factor
        for a ship wholly on a border row or column, else 1.
        ``file``: every layout listed in a text file equally likely; or the layouts of each person
        in it in order, every person equally likely.
        ``avoid``: in proportion to the product of the ships' weights, the larger the later a
        strategy shoots their cells.
        ``mix``: each layout by one of several laws, drawn with given weights.
        ``hide``: the mixture that costs the built-in strategies most on ``classic``: `HIDE`.
        ``each``: no random law: every layout of the labelled fleet in turn, game by game.
    option : str or None
        For ``sequential``, the order of the ships: ``longest`` (default) or ``shortest``
        first, or as in the ``fleet``. For ``edge``, the border factor, a positive
        decimal number (default 3). For ``file``, the path, relative to the current folder, and
        after a colon how many layouts of each person follow each other, ``people.txt:50``.
        For ``avoid``, a built-in strategy, ``NAME[,PARAMETER=VALUE…]``, and after a colon the
        strength, a whole number (default 8). For ``mix``, laws with whole weights, separated by
        commas: ``3*edge:3,avoid:lattice2:4``.

    Raises
    ------
    BsbenchError
        If there is no such law or option.
    """

    law: str = "uniform"
    option: str | None = None

    def __post_init__(self) -> None:
        if self.law not in _OPTION_OF:
            *others, last = _OPTION_OF
            raise BsbenchError(
                f"unknown placement law {self.law!r}: choose {', '.join(others)} or {last}"
            )
        object.__setattr__(self, "option", _OPTION_OF[self.law](self.option))

    @classmethod
    def parse(cls, text: str | Placement) -> Placement:
        """Return the law written as ``text``, or a law itself.

        Raises
        ------
        BsbenchError
            If there is no such law or option.
        """
        if isinstance(text, Placement):
            return text
        if not isinstance(text, str):
            raise BsbenchError(
                f"a placement law is a text such as 'sequential:longest', not {shortened(text)}"
            )
        law, colon, option = text.partition(":")
        return cls(law, option if colon else None)

    @property
    def parts(self) -> tuple[tuple[int, Placement], ...]:
        """The laws that are mixed, with their weights; else this law alone."""
        if self.law == "hide":
            return _read_parts(HIDE)
        return _read_parts(str(self.option)) if self.law == "mix" else ((1, self),)

    @property
    def is_mixed(self) -> bool:
        """Whether it consists of several laws."""
        return self.law in ("mix", "hide")

    @property
    def reads_feedback(self) -> bool:
        """Whether the law depends on what shots reveal, as how late a strategy shoots does."""
        return any(part.law == "avoid" for _, part in self.parts)

    @property
    def path(self) -> str | None:
        """The file of layouts, if it has one."""
        return parted(str(self.option))[0] if self.law == "file" else None

    @property
    def games_in_a_row(self) -> int:
        """How many games in a row depend on each other: those against one person; else 1."""
        return parted(str(self.option))[1] if self.law == "file" else 1

    def of_layouts(self, shorten: Callable[[str], str] = str) -> str:
        """Return what layouts are called, such as ``uniform layouts``."""
        return "each layout in turn" if self.law == "each" else f"{shorten(str(self))} layouts"

    def __str__(self) -> str:
        return self.law if self.option is None else f"{self.law}:{self.option}"


def _no_option(law: str, option: str | None) -> None:
    if option is not None:
        raise BsbenchError(
            f"unknown option {shortened(option)} of the placement law {law!r}: it takes none"
        )


def _order(option: str | None) -> str:
    orders = "longest", "shortest", "fleet"
    if option is not None and option not in orders:
        raise BsbenchError(
            f"unknown option {shortened(option)} of the placement law 'sequential': choose "
            f"{', '.join(orders)}"
        )
    return option or orders[0]


def _border_factor(option: str | None) -> str:
    """Return the factor as text, without superfluous zeros."""
    text = "3" if option is None else option
    if not re.fullmatch(r"[0-9]*\.?[0-9]+", text) or not text.strip("0."):
        raise BsbenchError(
            f"the border factor of the placement law 'edge' is a positive decimal number such as "
            f"0.5 or 3, not {shortened(text)}"
        )
    if len(text) > 40 or max(Fraction(text).as_integer_ratio()) > _LARGEST_PART:
        raise BsbenchError(
            f"the border factor {short(text)} is too large or too fine to weigh layouts exactly in "
            f"64 bits: as a fraction in lowest terms neither part may pass {_LARGEST_PART:,}"
        )
    return f"{Decimal(text).normalize():f}"


def parted(option: str) -> tuple[str, int]:
    """Return the path of the law ``file``, and how many layouts of a person follow each other."""
    path, _, number = option.rpartition(":")
    if path and re.fullmatch("[0-9]{1,9}", number):
        return path, int(number)
    return option, 1


def _path(option: str | None) -> str:
    if option is None or not option.strip():
        raise BsbenchError("the placement law 'file' wants the path of its layouts: file:PATH")
    check_line("the path of the layouts", option)
    path, in_a_row = parted(option)
    if not 1 <= in_a_row <= MOST_IN_A_ROW:
        raise BsbenchError(
            f"the placement law 'file' takes 1 to {MOST_IN_A_ROW:,} layouts of each person in a "
            f"row, not {in_a_row:,}"
        )
    # A path may itself end in a colon and a number.
    return path if in_a_row == 1 and parted(path) == (path, 1) else f"{path}:{in_a_row}"


def _avoided(option: str | None) -> str:
    """Return strategy and strength as text. Whether there is such a strategy is not checked."""
    match = re.fullmatch(
        r"(?P<strategy>[a-z0-9-]+(,[a-z_]+=[\w.+-]+)*)(:(?P<strength>[0-9]{1,3}))?",
        option or "",
        flags=re.ASCII,
    )
    if match is None:
        raise BsbenchError(
            "the placement law 'avoid' wants a built-in strategy, and if you like how strongly to "
            "avoid it, such as avoid:lattice or avoid:over9000,noise=0:2, "
            f"not {'nothing' if option is None else shortened(option)}"
        )
    strength = int(match["strength"] or DEFAULT_STRENGTH)
    if not 1 <= strength <= _MOST_STRENGTH:
        raise BsbenchError(
            f"the strength of the placement law 'avoid' is a whole number from 1 to "
            f"{_MOST_STRENGTH}, not {strength}"
        )
    return f"{match['strategy']}:{strength}"


_MIXED = "uniform", "sequential", "edge", "avoid"
"""Laws that may be mixed."""

_PART = re.compile(rf"(?:([0-9]{{1,9}})\*)?((?:{'|'.join(_MIXED)})(?::.*)?)", re.DOTALL)

_MOST_PARTS = 16

_HEAVIEST = 1_000_000
"""The sum of weights at most."""


def _read_parts(option: str) -> tuple[tuple[int, Placement], ...]:
    """Return the laws of a mixture with their weights.

    Raises
    ------
    BsbenchError
        If one can't be read.
    """
    # A comma within the option of a law is followed by a parameter.
    texts = re.split(rf",(?=(?:[0-9]+\*)?(?:{'|'.join(_MIXED)})(?:[:,]|$))", option)
    parts = []
    for text in texts:
        match = _PART.fullmatch(text)
        if match is None:
            raise BsbenchError(
                f"the placement law 'mix' wants laws with weights, such as 3*edge:3,uniform, of "
                f"{', '.join(_MIXED)}, not {shortened(text) if text else 'nothing'}"
            )
        parts.append((int(match[1] or 1), Placement.parse(match[2])))
    return tuple(parts)


def _parts(option: str | None) -> str:
    """Return laws and weights as text, in lowest terms."""
    parts = _read_parts(option or "")
    weights, laws = zip(*parts, strict=True)
    for law in laws:
        if laws.count(law) > 1:
            raise BsbenchError(f"the placement law 'mix' names {law} twice: add the weights")
    if not (2 <= len(laws) <= _MOST_PARTS and min(weights) > 0 and sum(weights) <= _HEAVIEST):
        raise BsbenchError(
            f"the placement law 'mix' takes 2 to {_MOST_PARTS} laws, whose weights are whole "
            f"numbers from 1 on, and {_HEAVIEST:,} in all at most"
        )
    common = math.gcd(*weights)
    return ",".join(f"{weight // common}*{law}" for weight, law in parts)


# Law: what checks its option and fills in the default.
_OPTION_OF: dict[str, Callable[[str | None], str | None]] = {
    "uniform": partial(_no_option, "uniform"),
    "sequential": _order,
    "edge": _border_factor,
    "file": _path,
    "avoid": _avoided,
    "mix": _parts,
    "hide": partial(_no_option, "hide"),
    "each": partial(_no_option, "each"),
}

LAWS: tuple[str, ...] = tuple(_OPTION_OF)
