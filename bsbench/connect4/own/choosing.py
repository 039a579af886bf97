"""Plays a user's class: an object for each game, wherever its code runs."""

from __future__ import annotations

import inspect
import operator
import os
import random
import time
from collections.abc import Mapping, Sequence
from typing import Any

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.settings import suggestion
from bsbench.connect4.own.view import View
from bsbench.own.blame import broken

_BOOLS = {"true": True, "yes": True, "false": False, "no": False}


class Chooser:
    """Plays a class with ``choose(view) -> column``, an object of it for each game.

    ``reset(rng)``, if it has one, is called when a game begins; ``rng`` is a `random.Random` that
    belongs to seed and game.

    Parameters
    ----------
    player : type
    settings : mapping of str to object
        What objects are made with. Text is read as what the default is.
    called : str
        The class, as its user calls it.

    Attributes
    ----------
    busy : tuple of int and float, or None
        Place of the game, and time when the user's code was entered, for a thread that watches.

    Raises
    ------
    BsbenchError
        If it is no player, or can't be made with these settings.
    """

    def __init__(self, player: type, settings: Mapping[str, Any], called: str) -> None:
        if not callable(getattr(player, "choose", None)):
            raise BsbenchError(
                f"{called} is not a player: it needs a method choose(self, view), which returns a "
                "column, 0 to 6"
            )
        self.player, self._process = player, os.getpid()
        self.settings = read_parameters(player, settings, called)
        self.busy: tuple[int, float] | None = None
        self._randoms: dict[int, int] = {}
        self._objects: dict[int, Any] = {}

    def begin(self, place: int, number: int) -> None:
        """Begin a game at a place; an object is made when it is first asked."""
        self._randoms[place] = number
        self._objects.pop(place, None)

    def choose(self, place: int, moves: Sequence[int]) -> int:
        """Return the column that the object of a game chooses.

        Raises
        ------
        Fault
            If it raises anything, or chooses no column that can be played; its lane is the place.
        """
        self.busy = place, time.monotonic()
        try:
            return self._checked(place, *self._asked(place, tuple(moves)))
        finally:
            self.busy = None

    def _asked(self, place: int, moves: tuple[int, ...]) -> tuple[View, Any]:
        view = View(moves)
        try:
            if place not in self._objects:
                made = self.player(**self.settings)
                if hasattr(made, "reset"):
                    made.reset(random.Random(self._randoms[place]))
                self._objects[place] = made
            return view, self._objects[place].choose(view)
        except BaseException as error:
            raise broken(place, error) from error
        finally:
            if os.getpid() != self._process:
                # The user's code has forked the process: the copy does not play.
                os._exit(0)

    def _checked(self, place: int, view: View, answer: Any) -> int:
        try:
            column = None if isinstance(answer, bool) else operator.index(answer)
        except TypeError:
            column = None
        if column is None:
            raise Fault(place, f"choose returned {_short(answer)}: it must return a column, 0 to 6")
        if column not in view.columns:
            what = "is full" if 0 <= column <= 6 else "is not on the board"
            room = ", ".join(map(str, view.columns))
            raise Fault(
                place, f"choose returned {column}: that column {what}; there is room in {room}"
            )
        return column


def read_parameters(player: type, settings: Mapping[str, Any], called: str) -> dict[str, Any]:
    """Return the values of a class's parameters, read as the type of their defaults.

    Raises
    ------
    BsbenchError
        If it has no such parameter, or a value is of the wrong kind.
    """
    try:
        known = inspect.signature(player).parameters
    except (TypeError, ValueError):
        known = {}  # type: ignore[assignment]
    values = {}
    for name, value in settings.items():
        if name not in known:
            hint = suggestion(name, known, "it has") if known else "it has none"
            raise BsbenchError(f"{called} has no parameter {name!r}: {hint}")
        default = known[name].default
        values[name] = value
        if isinstance(value, str) and isinstance(default, bool | int | float):
            kind = type(default)
            try:
                values[name] = _BOOLS[value.lower()] if kind is bool else kind(value)
            except (KeyError, ValueError):
                wanted = {bool: "true or false", int: "a whole number"}.get(kind, "a number")
                raise BsbenchError(
                    f"the parameter {name!r} of {called} wants {wanted}, not {value!r}"
                ) from None
    return values


def _short(answer: Any) -> str:
    """Return how an object is written, in short; its own code may fail even there."""
    if answer is None:
        return "nothing (None)"
    try:
        text = repr(answer)
    except Exception:
        text = "an object that can't be shown"
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    return f"{shown}, of type {type(answer).__name__}"
