"""A game, as far as finding, starting, asking, timing and blaming its players goes.

Shooting is one game, placing ships another. Each has one object, called ``GAME``, in a module that
a thinker imports by name. Nothing else here knows which games there are.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bsbench.common.errors import BsbenchError

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
