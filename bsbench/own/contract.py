"""A game, as far as finding, starting, asking, timing and blaming its players goes.

Shooting is one game, placing ships another. Each has one object, called ``GAME``, in a module that
a thinker imports by name: that of shooting is here, that of placing in `bsbench.own.placing`.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.own.describing import KERNELS, KINDS, METHODS, Description, describe
from bsbench.rules.board import NOTHING, Rules
from bsbench.strategies.view import View

if TYPE_CHECKING:
    from bsbench.own.choosing import Cells, Chooser
    from bsbench.own.declaring import Declaration


class GameKind(ABC):
    """What users' players play."""

    name: ClassVar[str]
    """In the greeting of a program: ``bsbench NAME 1``."""

    role: ClassVar[str]
    """What plays it, in a word: ``strategy``."""

    roles: ClassVar[str]
    """The same for several: ``strategies``."""

    methods: ClassVar[tuple[str, ...]]
    """Methods of a user's class: each of them chooses moves."""

    wanted: ClassVar[str]
    """These methods, in words."""

    description: ClassVar[type[Declaration]]
    """What a user's class says of itself."""

    @property
    def place(self) -> str:
        """The module that has the game as ``GAME``."""
        return type(self).__module__

    @abstractmethod
    def describe(self, player: type, called: str) -> Declaration:
        """Return what a user's class says of itself.

        Raises
        ------
        BsbenchError
            If it can't play, or what it declares makes no sense.
        """

    @abstractmethod
    def read_rules(self, content: dict[str, Any]) -> Any:
        """Return rules, a dataclass, by its fields.

        If players show scores, the attribute ``cells`` says how many: one for each move.
        """

    @abstractmethod
    def chooser(self, kind: str) -> type[Chooser] | None:
        """Return what plays a kind of class; None if it runs inside bsbench alone."""

    def policy(self, place: str, called: str) -> type:
        """Return the policy in a file, which holds no code.

        Raises
        ------
        BsbenchError
            If it can't be played; the policies of most games can't.
        """
        raise BsbenchError(f"{called} can't be a {self.role}: write FILE.py:NAME or cmd:COMMAND")

    @abstractmethod
    def view(self, rules: Any, lanes: int) -> Any:
        """Return an object with `arrays`, which have an entry for each lane."""

    @abstractmethod
    def arrays(self, rules: Any) -> tuple[str, ...]:
        """Return the names of the arrays of a view that are sent to another process.

        See `bsbench.own.wire.room_for`.
        """

    def moves(self, rules: Any, lanes: int) -> Cells:
        """Return room for the moves of all lanes: int64, a number each, or a row of numbers."""
        return np.zeros(lanes, np.int64)


def game_at(place: str) -> GameKind:
    """Return the game of a module."""
    game: GameKind = importlib.import_module(place).GAME
    return game


class Battleship(GameKind):
    """Shots on one board; `bsbench.own.choosing.Chooser` chooses them in many games."""

    name = "battleship"
    role = "strategy"
    roles = "strategies"
    methods = METHODS
    wanted = "a method shoot(self, view), or, as an agent has, select_action(self, observation)"
    description = Description

    def describe(self, player: type, called: str) -> Description:
        """Return what a user's class says of itself: see `bsbench.own.describing.describe`."""
        return describe(player, called)

    def read_rules(self, content: dict[str, Any]) -> Rules:
        """Return the rules by their fields."""
        return Rules(**content)

    def chooser(self, kind: str) -> type[Chooser] | None:
        """Return what plays a kind of class; None for `KERNELS`. Imports nothing else."""
        if kind == KERNELS:
            return None
        module, _, name = KINDS[kind].rpartition(".")
        found: type[Chooser] = getattr(importlib.import_module(module), name)
        return found

    def policy(self, place: str, called: str) -> type:
        """Return the policy in a file: see `bsbench.own.policies`, which imports much."""
        found: type = importlib.import_module("bsbench.own.policies").policy_class(place, called)
        return found

    def view(self, rules: Rules, lanes: int) -> View:
        """Return a view of no games yet."""
        return View(rules, lanes)

    def arrays(self, rules: Rules) -> tuple[str, ...]:
        """Return the names of the arrays of a view."""
        turns = ("allowed", "turns", "hits") if rules.salvos else ()
        return "shots", "cells", "ships", "slots", "outcomes", "live", "asked", *turns

    def moves(self, rules: Rules, lanes: int) -> Cells:
        """Return room for a shot in each lane, or for a turn: see `Strategy.salvo`."""
        if rules.salvos:
            return np.full((lanes, rules.most_shots), NOTHING, np.int64)
        return super().moves(rules, lanes)


GAME = Battleship()
