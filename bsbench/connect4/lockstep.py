"""Pairs of games in lockstep: a player is asked once for all games in which it is to move.

Threads play blocks of pairs; a block has as many as take about half a second.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.common.parallel import Shared, in_order
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
    """Compile the kernels of a player, or load them, by a move near the end of a game."""
    trial = player.copy()
    trial.begin(0)
    _, boards = drawn_openings(0, 0, 1, MOST_PLIES)
    trial.choose(boards, np.zeros(1, np.int64))


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
    """
    size = 1

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
        for player in own:
            player.begin(seed)
        for first, number in shared:
            begun = time.perf_counter()
            columns, boards = drawn_openings(seed, first, number, plies)
            block = _play_block(own, first, columns, boards, stopped)
            if block is None:
                return
            fitting = int(_BLOCK_SECONDS * number / max(time.perf_counter() - begun, 1e-9))
            # Two threads may do this at once: the size is a matter of speed only.
            size = min(max(fitting, 1), 4 * size, _LARGEST_BLOCK)
            yield first, number, block

    return in_order([work] * threads, begin)


def _play_block(
    players: list[Player],
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
    """
    pairs, plies = columns.shape
    boards = np.concatenate([boards, boards])
    numbers = np.tile(np.arange(first, first + pairs), 2)
    outcomes = np.zeros(2 * pairs, np.int8)
    stones = np.full(2 * pairs, CELLS, np.int8)
    efforts = [Effort(), Effort()]
    live = np.arange(2 * pairs)
    for ply in range(plies, CELLS):
        goes_on = np.ones(len(live), np.bool_)
        for index, player in enumerate(players):
            # Player 0 is to move at even plies as `first`, at odd ones as `second`.
            here = np.flatnonzero((live < pairs) == ((ply + index) % 2 == 0))
            games = live[here]
            if not len(games):
                continue
            if stopped():
                return None
            asked, nodes, begun = boards[games], player.nodes, time.thread_time()
            chosen = player.choose(asked, numbers[games])
            seconds = time.thread_time() - begun
            efforts[index] += Effort(len(games), player.nodes - nodes, seconds)
            made = np.empty(len(games), np.int64)
            wrong = play_columns(asked, chosen, made)
            if wrong >= 0:
                raise BsbenchError(
                    f"player {player.label!r} plays column {chosen[wrong] + 1} of a board that has "
                    f"no room there, in a game from the opening "
                    f"{columns_text(columns[games[wrong] % pairs])}"
                )
            boards[games] = asked
            outcomes[games[made == WON]] = 1 if index == 0 else -1
            goes_on[here] = made == GOES_ON
            stones[games[made != GOES_ON]] = ply + 1
        live = live[goes_on]
        if not len(live):
            break
    return Block(outcomes.reshape(2, pairs).T, stones.reshape(2, pairs).T, efforts)
