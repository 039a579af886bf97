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
from typing import NamedTuple

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
        ``weights``: in proportion to the product of the weights of all ship cells, which a text
        file has.
        ``direction-first``: ship by ship, each with a direction by a coin, and a slot of it.
        ``border``: every layout with all ship cells on the border equally likely.
        ``pick``: of some uniform layouts the one with the highest score, the first of equals.
        ``mix``: each layout by one of several laws, drawn with given weights.
        ``hide``: the mixture that costs the built-in strategies most on ``classic``: `HIDE`.
        ``each``: no random law: every layout of the labelled fleet in turn, game by game.
    option : str or None
        For ``sequential``, the order of the ships: ``longest`` (default) or ``shortest``
        first, or as in the ``fleet``. For ``edge``, the border factor, a positive
        decimal number (default 3). For ``file``, the path, relative to the current folder, and
        after a colon how many layouts of each person follow each other, ``people.txt:50``.
        For ``avoid``, a built-in strategy, ``NAME[,PARAMETER=VALUE…]``, and after a colon the
        strength, a whole number (default 8). For ``weights``, the path. For ``direction-first``,
        what happens to the direction if the slot is not free: both are drawn ``anew`` (default), or
        programs ``keep`` it. For ``pick``, one of `SCORES`, and after a colon how many layouts. For
        ``mix``, laws with whole weights, separated by commas: ``3*edge:3,avoid:lattice2:4``.

    Raises
    ------
    BsbenchError
        If there is no such law or option.
    """

    law: str = "uniform"
    option: str | None = None

    def __post_init__(self) -> None:
        if self.law not in LAWS:
            *others, last = LAWS
            raise BsbenchError(
                f"unknown placement law {self.law!r}: choose {', '.join(others)} or {last}"
            )
        object.__setattr__(self, "option", LAWS[self.law].read(self.option))

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
        """The file of layouts or weights, if it has one."""
        if self.law == "weights":
            return self.option
        return parted(str(self.option))[0] if self.law == "file" else None

    def moved(self, path: str) -> Placement:
        """Return this law with its file at another path."""
        in_a_row = f":{self.games_in_a_row}" if self.law == "file" else ""
        return Placement(self.law, f"{path}{in_a_row}")

    @property
    def games_in_a_row(self) -> int:
        """How many games in a row depend on each other: those against one person; else 1."""
        return parted(str(self.option))[1] if self.law == "file" else 1

    def of_layouts(self, shorten: Callable[[str], str] = str) -> str:
        """Return what layouts are called, such as ``uniform layouts``."""
        return "each layout in turn" if self.law == "each" else f"{shorten(str(self))} layouts"

    def __str__(self) -> str:
        return self.law if self.option is None else f"{self.law}:{self.option}"


def _choice(law: str, choices: tuple[str, ...], option: str | None) -> str | None:
    """Return the option, or the first of its choices, if there are any."""
    if option is not None and option not in choices:
        known = f"choose {', '.join(choices)}" if choices else "it takes none"
        raise BsbenchError(
            f"unknown option {shortened(option)} of the placement law {law!r}: {known}"
        )
    return option or next(iter(choices), None)


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


def _path(law: str, what: str, option: str | None) -> str:
    if option is None or not option.strip():
        raise BsbenchError(f"the placement law {law!r} wants the path of its {what}: {law}:PATH")
    check_line(f"the path of the {what}", option)
    return option


def _file(option: str | None) -> str:
    path, in_a_row = parted(_path("file", "layouts", option))
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


SCORES = {
    "spread": "the sum over pairs of ships of the least number of steps between their cells",
    "cluster": "the same, and the least sum is best",
    "parity": "ship cells of one colour of the checkerboard, of which there are more",
    "hostile": "the sum over ship cells of how likely each holds a ship, and the least is best",
    "border": "ship cells on the border",
}
"""Of the law ``pick``."""

_MOST_PICKED = 1_000
"""Layouts that one is picked from, at most."""


def _pick(option: str | None) -> str:
    score, _, number = (option or "").partition(":")
    few = re.fullmatch("[0-9]{1,9}", number) and 2 <= int(number) <= _MOST_PICKED
    if score not in SCORES or not few:
        raise BsbenchError(
            f"the placement law 'pick' wants a score of {', '.join(SCORES)}, and the number of "
            f"layouts to pick from, 2 to {_MOST_PICKED:,}, such as pick:spread:10, not "
            f"{'nothing' if option is None else shortened(option)}"
        )
    return f"{score}:{int(number)}"


_MIXED = "uniform", "sequential", "direction-first", "edge", "border", "avoid", "pick"
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


class _Law(NamedTuple):
    """What checks the option and fills in the default; how the law is written, what it means."""

    read: Callable[[str | None], str | None]
    text: str
    meaning: str


def _of_choices(law: str, meaning: str, *choices: str) -> _Law:
    text = f"{law}[:{'|:'.join(choices)}]" if choices else law
    return _Law(partial(_choice, law, choices), text, meaning)


LAWS: dict[str, _Law] = {
    "uniform": _of_choices("uniform", "every layout equally likely"),
    "sequential": _of_choices(
        "sequential",
        "ship by ship, in this order, each on a random free slot",
        *("longest", "shortest", "fleet"),
    ),
    "direction-first": _of_choices(
        "direction-first",
        "ship by ship, a coin for the direction, then a slot of it; if that is not free, both "
        "anew, or another slot of the direction",
        *("anew", "keep"),
    ),
    "edge": _Law(
        _border_factor, "edge[:FACTOR]", "a ship on the border weighs FACTOR, by default 3"
    ),
    "border": _of_choices("border", "all ship cells on the border"),
    "weights": _Law(
        partial(_path, "weights", "weights"),
        "weights:FILE",
        "the product of the weights of all ship cells, which the file has row by row",
    ),
    "pick": _Law(
        _pick, "pick:SCORE:K", f"of K uniform layouts the best one by {', '.join(SCORES)}"
    ),
    "avoid": _Law(
        _avoided, "avoid:STRATEGY[:STRENGTH]", "ships where it shoots late; by default strength 8"
    ),
    "mix": _Law(_parts, "mix:N*LAW,N*LAW", "by chance one of several laws"),
    "hide": _of_choices("hide", "the mixture that costs most on classic"),
    "file": _Law(_file, "file:PATH[:N]", "layouts listed in a file; N of each person in a row"),
    "each": _of_choices("each", "every layout of a small board in turn"),
}
"""By name, in the order of help and messages."""
