"""What a game with two sides says of itself, and games of it in progress."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.settings import check_numbers
from bsbench.matches.faults import PlayerError
from bsbench.matches.formats import LeagueRecord, MatchRecord
from bsbench.matches.player import Games, Player

GOES_ON, WON, DRAWN = 0, 1, 2
"""The state of a game after a move; `WON` is won by the side that moved."""


class Table(ABC):
    """Pairs of games in progress, side by side: games i and i + pairs are from one opening.

    Attributes
    ----------
    lengths : ndarray of int8, shape (2 * pairs,)
        Moves made in each game.
    """

    lengths: npt.NDArray[np.int8]

    @abstractmethod
    def to_move(self, games: Games) -> npt.NDArray[np.bool_]:
        """Return for some games whether `second` is to move; False is `first`."""

    @abstractmethod
    def ask(self, player: Any, games: Games, numbers: Games) -> Games:
        """Return the moves of a player in some games, whose openings have numbers.

        Raises
        ------
        Fault
            If a user's player fails; its lane is the place among the games.
        """

    @abstractmethod
    def play(self, games: Games, moves: Games) -> Games:
        """Make a move in each of some games; return `GOES_ON`, `WON` or `DRAWN` for each.

        Raises
        ------
        BsbenchError
            If a move is not allowed; a sentence that goes on after the player's name.
        """

    @abstractmethod
    def where(self, game: int) -> str:
        """Return what was played in a game, in words: ``after 4455``."""


class TwoSided(ABC):
    """A game with two sides, `first` and `second`."""

    name: ClassVar[str]
    """Of its group of commands."""

    match_form: ClassVar[type[MatchRecord]]
    """What records of matches hold."""

    league_form: ClassVar[type[LeagueRecord]]
    """What records of leagues hold."""

    length: ClassVar[str]
    """The key of `match_form` that has the lengths of games, by what they are counted in."""

    longest: ClassVar[int]
    """Moves of a game at most: up to 127."""

    opening_plies: ClassVar[int]
    """Moves of a random opening by default."""

    most_plies: ClassVar[int]
    """The same at most."""

    @abstractmethod
    def as_player(self, given: Any) -> Player:
        """Return a player that is given as it is, as text, or as a user's class.

        Raises
        ------
        BsbenchError
            If it is none.
        """

    @abstractmethod
    def all_players(self) -> Sequence[Player]:
        """Return the players of a league of all."""

    @abstractmethod
    def deal(self, seed: int, first: int, pairs: int, plies: int, followed: bool) -> Table:
        """Begin pairs of games, from openings with ``plies`` moves, by number from ``first`` on.

        With ``followed``, a user's player will ask for all moves made.
        """

    @abstractmethod
    def opening(self, seed: int, pair: int, plies: int) -> Any:
        """Return the position from which a pair of games begins, by its number from 0 on."""

    def check_match(
        self, games: int, opening_plies: int | None, seed: int, threads: int | None
    ) -> tuple[int, int, int, int]:
        """Return the numbers of a match, openings and threads filled in.

        Raises
        ------
        BsbenchError
            If one is out of range.
        """
        games, seed, threads = check_numbers(games, seed, threads)
        if games % 2:
            raise BsbenchError(
                f"can't play {games:,} games: each opening is played twice, with sides changed, so "
                "ask for an even number"
            )
        plies = self.opening_plies if opening_plies is None else opening_plies
        if not 0 <= plies <= self.most_plies:
            raise BsbenchError(
                f"an opening can't have {plies} random moves: ask for 0 to {self.most_plies}"
            )
        return games, plies, seed, threads

    def fault(
        self,
        players: Sequence[Player],
        index: int,
        match: tuple[int, int, int],
        where: str,
        fault: Fault,
    ) -> PlayerError:
        """Return the error that a fault in a game of a match is.

        Parameters
        ----------
        players : sequence of 2 Player
        index : int
            Which of them has failed.
        match : tuple of 3 int
            The seed, moves of an opening, and the number of the game: 2 i and 2 i + 1 are from
            opening i.
        where : str
            After which moves: see `Table.where`.
        fault : Fault
        """
        seed, plies, number = match
        names = " ".join(shlex.quote(player.spec) for player in players)
        options = f"--seed {seed} --opening {plies} --game {number}"
        where = f"game {number} of seed {seed}, {where}"
        command = f"bsbench {self.name} replay {names} {options}"
        return PlayerError(players[index].label, where, fault, command)
