"""Pairs of games in lockstep: a player is asked once for all games in which it is to move.

Threads play blocks of pairs; a block has as many as take about half a second.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.parallel import Shared, in_order
from bsbench.connect4.faults import PlayerError, fault_in_match
from bsbench.connect4.kernels.board import GOES_ON, WON, play_columns
from bsbench.connect4.openings import MOST_PLIES, drawn_openings
from bsbench.connect4.players import Player
from bsbench.connect4.position import CELLS, columns_text

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
    stones : ndarray of int8, shape (pairs, 2)
        On the board at the end.
    efforts : list of 2 Effort
    """

    outcomes: npt.NDArray[np.int8]
    stones: npt.NDArray[np.int8]
    efforts: list[Effort]


def compile_player(player: Player) -> None:
    """Compile the kernels of a player, or load them, by a move near the end of a game.

    A user's player begins, and ends, to see that it can.
    """
    trial = player.copy()
    with closing(trial):
        trial.begin(0)
        if not trial.own:
            columns, boards = drawn_openings(0, 0, 1, MOST_PLIES)
            trial.choose_after(columns.astype(np.int8), boards, np.zeros(1, np.int64))


def try_own(players: Iterable[Player]) -> None:
    """Let users' players begin, and end, so that one that can't is refused before all that is long.

    Raises
    ------
    BsbenchError
        If one can't be started.
    """
    for player in players:
        if player.own:
            compile_player(player)


def play_blocks(
    players: Sequence[Player], pairs: int, seed: int, plies: int, threads: int, begin: int = 0
) -> Generator[Block, None, None]:
    """Play pairs on several threads, in larger blocks where pairs are quick; yield them in order.

    Parameters
    ----------
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
                columns, boards = drawn_openings(seed, first, number, plies)
                block = _play_block(own, seed, first, columns, boards, stopped)
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


def _play_block(
    players: list[Player],
    seed: int,
    first: int,
    columns: npt.NDArray[np.int64],
    boards: npt.NDArray[np.uint64],
    stopped: Callable[[], bool],
) -> Block | None:
    """Play consecutive pairs from their openings, by number from ``first`` on; None if stopped.

    Games 0 … pairs - 1 are those in which player 0 is `first`, the others those in which it is
    `second`::

        game     0   1   2   3   4   5        of three pairs
        number   0   1   2   0   1   2        of the opening, from the first of the block on
        first    a   a   a   b   b   b        players 0 and 1

    They are played in parts of as many games as both players play at once.
    """
    pairs, plies = columns.shape
    games = 2 * pairs
    course = _Course(
        players=players,
        seed=seed,
        pairs=pairs,
        plies=plies,
        followed=any(player.own for player in players),
        played=np.zeros((games, CELLS), np.int8),
        boards=np.concatenate([boards, boards]),
        numbers=np.tile(np.arange(first, first + pairs), 2),
        outcomes=np.zeros(games, np.int8),
        stones=np.full(games, CELLS, np.int8),
        efforts=[Effort(), Effort()],
    )
    course.played[:, :plies] = np.concatenate([columns, columns])
    part = min(player.games_at_once for player in players)
    for begin in range(0, games, part):
        live = np.arange(begin, min(begin + part, games))
        for ply in range(plies, CELLS):
            if not len(live):
                break
            if stopped():
                return None
            live = course.play(live, ply)
    outcomes, stones = course.outcomes.reshape(2, pairs).T, course.stones.reshape(2, pairs).T
    return Block(outcomes, stones, course.efforts)


@dataclass(eq=False)
class _Course:
    """The games of a block, as far as they have been played.

    Attributes
    ----------
    players : list of 2 Player
    seed, pairs, plies : int
    followed : bool
        Whether a user's player plays. For others, the columns are not noted: that takes longer
        than a move of the quickest.
    played : ndarray of int8, shape (games, 42)
        Columns played, or at least those of the opening.
    boards : ndarray of uint64, shape (games, 2)
        Stones of the player to move, and of both.
    numbers : ndarray of int64, shape (games,)
        Of their openings.
    outcomes, stones : ndarray of int8, shape (games,)
        Outcomes for player 0; stones at the end.
    efforts : list of 2 Effort
    """

    players: list[Player]
    seed: int
    pairs: int
    plies: int
    followed: bool
    played: npt.NDArray[np.int8]
    boards: npt.NDArray[np.uint64]
    numbers: npt.NDArray[np.int64]
    outcomes: npt.NDArray[np.int8]
    stones: npt.NDArray[np.int8]
    efforts: list[Effort]

    def play(self, live: npt.NDArray[np.int64], ply: int) -> npt.NDArray[np.int64]:
        """Play a move in each of some games that have as many stones; return those that go on."""
        goes_on = np.ones(len(live), np.bool_)
        for index, player in enumerate(self.players):
            # Player 0 is to move at even plies as `first`, at odd ones as `second`.
            here = np.flatnonzero((live < self.pairs) == ((ply + index) % 2 == 0))
            games = live[here]
            if not len(games):
                continue
            asked, nodes, begun = self.boards[games], player.nodes, player.clock()
            played = self.played[games, :ply] if player.own else self.played[:0]
            try:
                chosen = player.choose_after(played, asked, self.numbers[games])
            except Fault as fault:
                raise self._failed(index, games, ply, fault) from fault
            seconds = player.clock() - begun
            self.efforts[index] += Effort(len(games), player.nodes - nodes, seconds)
            made = np.empty(len(games), np.int64)
            wrong = play_columns(asked, chosen, made)
            if wrong >= 0:
                raise BsbenchError(
                    f"player {player.label!r} plays column {chosen[wrong] + 1} of a board that has "
                    "no room there, in a game from the opening "
                    f"{columns_text(self.played[games[wrong], : self.plies].tolist())}"
                )
            self.boards[games] = asked
            won, ended = games[made == WON], games[made != GOES_ON]
            self.outcomes[won] = 1 if index == 0 else -1
            goes_on[here] = made == GOES_ON
            self.stones[ended] = ply + 1
            if self.followed:
                self.played[games, ply] = chosen
                self._tell_ends(index, ply, won, ended)
        return live[goes_on]

    def _tell_ends(
        self, index: int, ply: int, won: npt.NDArray[np.int64], ended: npt.NDArray[np.int64]
    ) -> None:
        """Announce to both players which games have ended by a move of one of them."""
        drawn = np.setdiff1d(ended, won)
        for mover, player in ((True, self.players[index]), (False, self.players[1 - index])):
            second = (ply % 2 == 1) == mover
            for games, outcome in ((won, 1 if mover else -1), (drawn, 0)):
                if len(games):
                    player.over(self.numbers[games], second, outcome)

    def _failed(
        self, index: int, games: npt.NDArray[np.int64], ply: int, fault: Fault
    ) -> PlayerError:
        """Return the error that a fault is; its lane is a place among the games."""
        game = games[fault.lane]
        played = self.played[game, :ply].tolist()
        number = int(2 * self.numbers[game] + (game >= self.pairs))
        return fault_in_match(self.players, index, self.seed, self.plies, number, played, fault)
