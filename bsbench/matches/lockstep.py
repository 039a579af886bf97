"""Pairs of games in lockstep: a player is asked once for all games in which it is to move.

Threads play blocks of pairs; a block has as many as take about half a second.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.parallel import Shared, in_order
from bsbench.matches.faults import PlayerError
from bsbench.matches.game import GOES_ON, WON, Table, TwoSided
from bsbench.matches.player import Player

_LARGEST_BLOCK = 512
_BLOCK_SECONDS = 0.5


@dataclass(frozen=True)
class Effort:
    """The time and nodes that a player took to choose its moves.

    Attributes
    ----------
    moves, nodes : int
    seconds : float
        Processor time, of a single core.
    """

    moves: int = 0
    nodes: int = 0
    seconds: float = 0.0

    def __add__(self, other: Effort) -> Effort:
        return Effort(
            self.moves + other.moves, self.nodes + other.nodes, self.seconds + other.seconds
        )

    @property
    def seconds_per_move(self) -> float:
        """Processor time of a move; NaN without any."""
        return self.seconds / self.moves if self.moves else math.nan

    @property
    def nodes_per_second(self) -> float:
        """Nodes in a second of processor time; NaN for players that look at none."""
        return self.nodes / self.seconds if self.nodes and self.seconds else math.nan


class Block(NamedTuple):
    """Consecutive pairs of games that were played.

    Attributes
    ----------
    outcomes : ndarray of int8, shape (pairs, 2)
        1 if the first-named won, 0 for a draw, -1 if it lost: as `first`, and as `second`.
    lengths : ndarray of int8, shape (pairs, 2)
        Moves of each game.
    efforts : list of 2 Effort
    """

    outcomes: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.int8]
    efforts: list[Effort]


def compile_player(player: Player) -> None:
    """Compile the kernels of a player, or load them, by a move somewhere.

    A user's player begins, and ends, to see that it can.
    """
    trial = player.copy()
    with closing(trial):
        trial.begin(0)
        if not trial.own:
            trial.try_move()


def play_blocks(
    game: TwoSided,
    players: Sequence[Player],
    pairs: int,
    seed: int,
    plies: int,
    threads: int,
    begin: int = 0,
) -> Generator[Block, None, None]:
    """Play pairs on several threads, in larger blocks where pairs are quick; yield them in order.

    Parameters
    ----------
    game : TwoSided
    players : sequence of 2 Player
    pairs, seed, plies, threads : int
        ``plies`` are those of openings.
    begin : int
        The first pair that is played; those before it count among the ``pairs``.

    Raises
    ------
    PlayerError
        If a user's player fails.
    """
    size = 1
    taken: list[Player] = []

    def blocks() -> Iterator[tuple[int, int]]:
        first = begin
        while first < pairs:
            number = min(size, pairs - first)
            yield first, number
            first += number

    shared = Shared(blocks())

    def work(stopped: Callable[[], bool]) -> Iterator[tuple[int, int, Block]]:
        nonlocal size
        own = [player.copy() for player in players]
        taken.extend(own)
        with contextlib.ExitStack() as begun_players:
            for player in own:
                begun_players.callback(player.close)
                player.begin(seed)
            for first, number in shared:
                begun = time.perf_counter()
                course = _Course(game, own, seed, plies, first, number)
                block = course.block(stopped)
                if block is None:
                    return
                fitting = int(_BLOCK_SECONDS * number / max(time.perf_counter() - begun, 1e-9))
                # Two threads may do this at once: the size is a matter of speed only.
                size = min(max(fitting, 1), 4 * size, _LARGEST_BLOCK)
                yield first, number, block

    def abandon() -> None:
        for player in list(taken):
            player.kill()

    return in_order([work] * threads, begin, abandon)


class _Course:
    """Consecutive pairs of games, from their openings, by number from ``first`` on.

    Games 0 … pairs - 1 are those in which player 0 is `first`, the others those in which it is
    `second`::

        game     0   1   2   3   4   5        of three pairs
        number   0   1   2   0   1   2        of the opening, from the first of the block on
        first    a   a   a   b   b   b        players 0 and 1
    """

    def __init__(
        self, game: TwoSided, players: list[Player], seed: int, plies: int, first: int, pairs: int
    ) -> None:
        self._game, self._players = game, players
        self._seed, self._plies, self._pairs = seed, plies, pairs
        self._followed = any(player.own for player in players)
        self._table: Table = game.deal(seed, first, pairs, plies, self._followed)
        self._numbers = np.tile(np.arange(first, first + pairs), 2)
        # Of player 0.
        self._outcomes = np.zeros(2 * pairs, np.int8)
        self._efforts = [Effort(), Effort()]

    def block(self, stopped: Callable[[], bool]) -> Block | None:
        """Play all, in parts of as many games as both players play at once; None if stopped."""
        games = 2 * self._pairs
        part = min(player.games_at_once for player in self._players)
        for begin in range(0, games, part):
            live = np.arange(begin, min(begin + part, games))
            while len(live):
                if stopped():
                    return None
                live = self._play(live)
        outcomes, lengths = (
            each.reshape(2, self._pairs).T for each in (self._outcomes, self._table.lengths)
        )
        return Block(outcomes, lengths, self._efforts)

    def _play(self, live: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Play a move in each of some games; return those that go on."""
        goes_on = np.ones(len(live), np.bool_)
        # Player 0 is `second` in the second half.
        index_of = self._table.to_move(live) != (live >= self._pairs)
        for index, player in enumerate(self._players):
            here = np.flatnonzero(index_of == index)
            games = live[here]
            if not len(games):
                continue
            nodes, begun = player.nodes, player.clock()
            try:
                moves = self._table.ask(player, games, self._numbers[games])
            except Fault as fault:
                raise self._failed(index, int(games[fault.lane]), fault) from fault
            seconds = player.clock() - begun
            self._efforts[index] += Effort(len(games), player.nodes - nodes, seconds)
            try:
                made = self._table.play(games, moves)
            except BsbenchError as error:
                raise BsbenchError(f"player {player.label!r} {error}") from None
            ended = games[made != GOES_ON]
            self._outcomes[games[made == WON]] = 1 if index == 0 else -1
            goes_on[here] = made == GOES_ON
            if self._followed and len(ended):
                self._tell_ends(ended)
        return live[goes_on]

    def _tell_ends(self, ended: npt.NDArray[np.int64]) -> None:
        """Announce to both players which games have ended."""
        numbers, second = self._numbers[ended], ended >= self._pairs
        outcomes = self._outcomes[ended].astype(np.int64)
        self._players[0].over(numbers, second, outcomes)
        self._players[1].over(numbers, ~second, -outcomes)

    def _failed(self, index: int, game: int, fault: Fault) -> PlayerError:
        """Return the error that a fault in a game is."""
        number = int(2 * self._numbers[game] + (game >= self._pairs))
        match = self._seed, self._plies, number
        return self._game.fault(self._players, index, match, self._table.where(game), fault)
