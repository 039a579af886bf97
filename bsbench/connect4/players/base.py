"""The base class of players."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.common.parameters import Configurable
from bsbench.connect4.position import Position
from bsbench.kernels.random import stream_key

Boards = npt.NDArray[np.uint64]
"""Boards of some games, shape ``(n, 2)``: stones of the player to move, and of both."""

Columns = npt.NDArray[np.int64]
"""A column, 0 to 6, for each of some games, shape ``(n,)``."""

Games = npt.NDArray[np.int64]
"""Numbers of some games, shape ``(n,)``."""


@dataclass(frozen=True)
class Analysis:
    """A player's analysis of one position.

    Attributes
    ----------
    best : int
        The column it plays, 0 to 6.
    scores : mapping of int to int
        What each column that is not full is worth to it, from the left; empty for a player that
        gives no scores.
    nodes : int
        Boards looked at.
    """

    best: int
    scores: Mapping[int, int]
    nodes: int


class Player(Configurable, ABC):
    """Chooses columns in many games at once, one move in each, from what is on the boards.

    A player is one file in this folder, named like the player, with one subclass; bsbench finds it
    there. The docstring gives the idea in one line, then the source, and how ambiguities were
    settled. Parameters are the public fields of a dataclass, each made by
    `bsbench.common.parameters.parameter`.

    `begin` is called first. Several threads may then play at once, each with a `copy`: players
    share no state, and slow parts run in kernels, which don't block other threads.

    The columns must depend neither on which games are asked for together nor on earlier calls. So
    random numbers come from streams that depend on the game's number and the move: in a kernel,
    ``stream_of_move(key, game, stones)`` of `bsbench.connect4.kernels.chance` with the key
    `stream_key`.
    """

    role = "player"

    source: ClassVar[str]
    """Who proposed it, and where."""

    scores_mean: ClassVar[str] = ""
    """What the scores of its analysis are; empty if it gives none."""

    def begin(self, seed: int) -> None:
        """Make ready to play under a seed; overriding methods call this one first."""
        self._nodes = np.zeros(1, np.int64)
        self._key = stream_key(f"connect4 {self.name}", seed)

    @property
    def nodes(self) -> int:
        """Boards it has looked at since `begin`; 0 if it looks no further than the next move.

        Kernels add to the array ``_nodes``, shape ``(1,)``.
        """
        return int(self._nodes[0])

    @property
    def stream_key(self) -> np.uint64:
        """The key of this player's own random streams, for kernels."""
        return self._key

    @abstractmethod
    def choose(self, boards: Boards, games: Games) -> Columns:
        """Return the column to play in each of some games; none of them is over.

        Parameters
        ----------
        boards : ndarray of uint64, shape (n, 2)
            Stones of the player to move, and of both: see `bsbench.connect4.position`. Not to be
            changed.
        games : ndarray of int64, shape (n,)
            The games' numbers, on which random numbers depend. A pair of games has the same
            number: in one of them, the player is `first`, in the other `second`.

        Returns
        -------
        ndarray of int64, shape (n,)
            Columns, 0 to 6.
        """

    def analyse(self, position: Position, game: int = 0) -> Analysis:
        """Return the column it plays in one position that is not over, and its scores.

        Parameters
        ----------
        position : Position
        game : int
            Number of the game it stands in, on which random numbers depend.
        """
        before = self.nodes
        (column,) = self.choose(board_of(position), np.array([game]))
        return Analysis(int(column), {}, self.nodes - before)

    def verdict(self, position: Position, analysis: Analysis) -> str:
        """Return in a sentence what the scores mean for the position; empty if nothing more."""
        return ""


def board_of(position: Position) -> Boards:
    """Return a position as the board of one game."""
    return np.array([[position.mover, position.stones]], np.uint64)
