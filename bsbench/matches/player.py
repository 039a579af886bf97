"""The base of all players of games with two sides."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.common.parameters import Configurable, changed_settings
from bsbench.common.settings import setting_text

Games = npt.NDArray[np.int64]
"""Numbers of some games, shape ``(n,)``."""


class Player(Configurable, ABC):
    """Chooses moves in many games at once, one move in each.

    A match calls `begin` once, then lets it choose again and again in all games in which the
    player is to move, and calls `close` at the end. Several threads may do so at once, each with a
    `copy`. How it is asked belongs to the game: `bsbench.matches.game.Table.ask`.
    """

    role = "player"

    source: ClassVar[str]
    """Who proposed it, and where."""

    in_leagues: ClassVar[tuple[Mapping[str, int], ...]] = ({},)
    """The settings with which it takes part in a league of all players."""

    own: ClassVar[bool] = False
    """Whether a user's own code plays."""

    @property
    def spec(self) -> str:
        """What makes it again, as written on the command line."""
        return ",".join([self.name, *changed_settings(self)])

    @property
    def games_at_once(self) -> int:
        """The number of games that it plays at once, at most."""
        return 1 << 20

    def clock(self) -> float:
        """Return what measures the seconds of its moves: processor time of the asking thread."""
        return time.thread_time()

    def begin(self, seed: int) -> None:
        """Make ready to play under a seed; overriding methods call this one first."""
        self._nodes = np.zeros(1, np.int64)

    def close(self) -> None:
        """Give back what `begin` has taken."""

    def kill(self) -> None:
        """Give it back at once, whatever the player does; any thread may call this."""

    @property
    def nodes(self) -> int:
        """Boards it has looked at since `begin`; 0 if it looks no further than the next move.

        Kernels add to the array ``_nodes``, shape ``(1,)``.
        """
        return int(self._nodes[0])

    @abstractmethod
    def try_move(self) -> None:
        """Choose a move somewhere, so that kernels are compiled or loaded."""

    def over(self, games: Games, second: npt.NDArray[np.bool_], outcomes: Games) -> None:
        """Hear that games have ended.

        Parameters
        ----------
        games : ndarray of int64, shape (n,)
            Numbers of their openings.
        second : ndarray of bool, shape (n,)
            Whether the player was `second` there.
        outcomes : ndarray, shape (n,)
            1 if it has won, 0 for a draw, -1 if it has lost.
        """


def player_record(player: Player, **more: Any) -> dict[str, Any]:
    """Return a player and more about it, for records and journals."""
    keys = ("label", "name", "source", "parameters")
    return {key: getattr(player, key) for key in keys} | more


def labels_of(players: Sequence[Player]) -> list[str]:
    """Return labels that always name a parameter that varies among players of one name."""
    labels = []
    for player in players:
        alike = [each.parameters for each in players if each.name == player.name]
        declared = player.declared()
        shown = [
            setting_text(name, value)
            for name, value in player.parameters.items()
            if value != declared[name].default or any(each[name] != value for each in alike)
        ]
        labels.append(" ".join([player.name, *shown]))
    return labels
