"""The base class of players."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.connect4.position import Position
from bsbench.kernels.random import stream_key
from bsbench.matches import player as base
from bsbench.matches.player import Games

Boards = npt.NDArray[np.uint64]
"""Boards of some games, shape ``(n, 2)``: stones of the player to move, and of both."""

Columns = npt.NDArray[np.int64]
"""A column, 0 to 6, for each of some games, shape ``(n,)``."""

Played = npt.NDArray[np.int8]
"""Columns played in each of some games, 0 to 6, as many in all: shape ``(n, plies)``."""


@dataclass(frozen=True)
class Analysis:
    """A player's analysis of one position.

    Attributes
    ----------
    best : int
        The column it plays, 0 to 6.
    scores : mapping of int to int or float
        What each column that is not full is worth to it, from the left; empty for a player that
        gives no scores.
    nodes : int
        Boards looked at.
    """

    best: int
    scores: Mapping[int, int | float]
    nodes: int


class Player(base.Player):
    """Chooses columns in many games at once, one move in each.

    The built-in players are `BoardPlayer`; those of users are in `bsbench.connect4.own`.
    """

    scores_mean: ClassVar[str] = ""
    """What the scores of its analysis are; empty if it gives none."""

    def try_move(self) -> None:
        """Choose a column near the end of a game."""
        Player.analyse(self, Position.parse("361557451431717345575732171622"))

    @abstractmethod
    def choose_after(self, played: Played, boards: Boards, games: Games) -> Columns:
        """Return the column to play in each of some games; none of them is over.

        Parameters
        ----------
        played : ndarray of int8, shape (n, plies)
            Columns played so far, 0 to 6. Not to be changed, as the others are not. May be empty
            for a player that is not a user's own.
        boards : ndarray of uint64, shape (n, 2)
            Stones of the player to move, and of both: see `bsbench.connect4.position`.
        games : ndarray of int64, shape (n,)
            The games' numbers, on which random numbers depend. A pair of games has the same
            number: in one of them, the player is `first`, in the other `second`.

        Returns
        -------
        ndarray of int64, shape (n,)
            Columns, 0 to 6.

        Raises
        ------
        Fault
            If a user's player fails; its lane is the place of the game.
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
        played = np.array([position.played], np.int8)
        (column,) = self.choose_after(played, board_of(position), np.array([game]))
        return Analysis(int(column), {}, self.nodes - before)

    def verdict(self, position: Position, analysis: Analysis) -> str:
        """Return in a sentence what the scores mean for the position; empty if nothing more."""
        return ""


class BoardPlayer(Player):
    """Chooses a column from what is on the board, and nothing else.

    Such a player is one file in this folder, named like the player, with one subclass; bsbench
    finds it there. The docstring gives the idea in one line, then the source, and how ambiguities
    were settled. Parameters are the public fields of a dataclass, each made by
    `bsbench.common.parameters.parameter`.

    Players share no state, and slow parts run in kernels, which don't block other threads.

    The columns must depend neither on which games are asked for together nor on earlier calls. So
    random numbers come from streams that depend on the game's number and the move: in a kernel,
    ``stream_of_move(key, game, stones)`` of `bsbench.connect4.kernels.chance` with the key
    `stream_key`.
    """

    def begin(self, seed: int) -> None:
        """Make ready to play under a seed; overriding methods call this one first."""
        super().begin(seed)
        self._key = stream_key(f"connect4 {self.name}", seed)

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
            As for `choose_after`.
        games : ndarray of int64, shape (n,)

        Returns
        -------
        ndarray of int64, shape (n,)
            Columns, 0 to 6.
        """

    def choose_after(self, played: Played, boards: Boards, games: Games) -> Columns:
        """Return the column to play in each of some games, whatever the way there."""
        return self.choose(boards, games)


def board_of(position: Position) -> Boards:
    """Return a position as the board of one game."""
    return np.array([[position.mover, position.stones]], np.uint64)
