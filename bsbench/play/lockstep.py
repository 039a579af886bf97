"""Games in lockstep: one shot in every live game at each step, until all are over.

A simulator has a fixed number of lanes. Each step asks the strategy for a cell per
lane and the referee for the answers; lanes whose games are over get the next
games, so that few lanes idle until the very end of a run. Games are dealt in
*blocks*, and a block is returned when all its games are over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.kernels.boards import Boards
from bsbench.kernels.lanes import GROUP
from bsbench.layouts import Sampler
from bsbench.play.referee import count_moves, count_shuffled, write_down
from bsbench.play.session import Observer, Session
from bsbench.rules.board import Rules
from bsbench.strategies.base import FixedOrder, Strategy

Moves = npt.NDArray[np.uint8 | np.uint16]
"""Move counts, one per game: uint8 on boards up to 255 cells, else uint16.

A `Simulator` returns two columns for games of salvos: turns, and shots."""

_MOST_CELLS = 1 << 21
"""Cells of all lanes together. With more lanes, there are fewer calls of kernels, between which
threads wait for each other. With fewer lanes, the state stays in a fast cache."""

FEWEST_LANES = 64
"""Lanes of a thread at least: a word of a bit plane."""

SMALLEST_BLOCK = 1_024
LARGEST_BLOCK = 16_384
"""Games in a block at least, in a run with so many, and at most, by default."""

BLOCKS_PER_THREAD = 8
"""Blocks for each thread at least, in a large run."""

_BLOCKS_IN_PLAY = 16
"""Blocks in play at once in one simulator at most: one long game holds up its block."""

_LAYOUTS_AT_ONCE = 4_096
"""Layouts drawn between two checks whether to stop. With fewer, threads wait for each other."""

_LAYOUTS_AHEAD = 256
"""Layouts drawn ahead for a learner at most."""

SHARED_BYTES = 1 << 26
"""Memory of the decisions that games share, by default."""


def moves_dtype(rules: Rules) -> type[np.uint8] | type[np.uint16]:
    """Return the smallest dtype that holds every move count under these rules."""
    return np.uint8 if rules.most_moves <= 255 else np.uint16


def default_lanes(rules: Rules) -> int:
    """Return a good number of lanes: whole groups, 512 to 16,384 lanes in all."""
    groups = _MOST_CELLS // (GROUP * rules.cells)
    return GROUP * min(max(groups, 1), 32)


_LONG = 16
"""Games of a long run, for each thread, as a multiple of its lanes."""


def lanes_and_block(
    rules: Rules, games: int, threads: int, games_per_learner: int, plans: bool = False
) -> tuple[int, int]:
    """Return the number of lanes of each thread, and of games in a block.

    A lane plays one game at a time, or the games of one learner. A strategy that does not plan
    has a quarter of the lanes in short runs, so that fewer idle at the end; in long ones, more
    lanes let threads wait less for the interpreter, which each step needs for a moment.
    """
    share = -(-games // games_per_learner // threads)
    most = default_lanes(rules)
    if not plans and share < _LONG * most:
        most //= 4
    lanes = max(min(most, share), FEWEST_LANES)
    # Not much more than there are lanes, so that the first blocks are over soon.
    block = min(max(share // BLOCKS_PER_THREAD, SMALLEST_BLOCK // games_per_learner), 2 * lanes)
    if games_per_learner == 1:
        return lanes, min(block, LARGEST_BLOCK)
    return lanes, games_per_learner * max(block, 1)


@dataclass(frozen=True)
class Block:
    """Consecutive games: the unit of seeding, threading and saving.

    Attributes
    ----------
    first_game : int
        Its number under the seed.
    games : int
    """

    first_game: int
    games: int


@dataclass
class Simulator:
    """Plays games of one strategy in lockstep.

    It is for one thread; the strategy belongs to it alone from then on.

    Parameters
    ----------
    rules : Rules
    sampler : Sampler
        Draws the layouts; may be shared between threads.
    strategy : Strategy
    seed : int
    lanes : int
        Games in lockstep, if the strategy plays so many. Results do not depend on it.
    largest_block : int
        Games in a block at most.
    shared_bytes : int
        Memory at most of the decisions that games share, where the strategy does. Results do not
        depend on it.
    observer : callable, optional
        Sees every shot, which takes time: see `Session`.
    """

    rules: Rules
    sampler: Sampler
    strategy: Strategy
    seed: int
    lanes: int
    largest_block: int = LARGEST_BLOCK
    shared_bytes: int = SHARED_BYTES
    observer: Observer | None = None

    def __post_init__(self) -> None:
        self.lanes = min(self.lanes, self.strategy.most_lanes)
        self._session = Session(
            self.strategy,
            self.rules,
            self.lanes,
            self.seed,
            self.shared_bytes,
            self.observer,
        )
        # The game in each lane: where its block keeps move counts, the number of the
        # block's first game, its own number within the block, and that at which the
        # games of its learner end there.
        self._row = np.zeros(self.lanes, np.int64)
        self._first = np.zeros(self.lanes, np.int64)
        self._game = np.zeros(self.lanes, np.int64)
        self._end = np.zeros(self.lanes, np.int64)
        # Layouts drawn ahead for each lane's learner.
        self._in_a_row = self.strategy.games_per_learner
        ahead = 0 if self._in_a_row == 1 else min(self._in_a_row, _LAYOUTS_AHEAD)
        self._ahead = np.zeros((self.lanes, ahead, len(self.rules.fleet)), np.int32)

    @property
    def session(self) -> Session:
        """The strategy at the board: for observers that need more than the view."""
        return self._session

    def play(
        self, blocks: Iterator[Block], stopped: Callable[[], bool] = lambda: False
    ) -> Iterator[tuple[Block, Moves]]:
        """Play blocks of games, several at a time.

        Parameters
        ----------
        blocks : iterator of Block
            Asked for the next block when lanes are idle; may be shared with other
            simulators. A learner's games all lie in one block.
        stopped : callable
            Asked at each step whether to stop.

        Yields
        ------
        Block, ndarray of uint8 or uint16, shape (games,)
            Each block when it is over, in the order they were asked for, with the
            move count of each game. In salvos, the shape is (games, 2): turns, and shots.

        Raises
        ------
        StrategyError
            If the strategy fires off the board or twice at a cell; or a user's strategy raises.
        """
        session, view = self._session, self._session.view
        if self.observer is None and isinstance(self.strategy, FixedOrder):
            yield from self._play_whole(blocks, stopped, _LAYOUTS_AT_ONCE, self._count)
            return
        if self.observer is None and session.whole is not None:
            yield from self._play_whole(blocks, stopped, self.largest_block, self._plan)
            return
        view.live[:] = False
        idle = np.arange(self.lanes)
        refill = max(self.lanes // 16, 1)
        # Blocks in play, in order, each with its row of `moves`.
        in_play: deque[tuple[int, Block]] = deque()
        moves = self._no_moves(_BLOCKS_IN_PLAY, self.largest_block)
        unfinished = np.zeros(_BLOCKS_IN_PLAY, np.int64)
        free_rows = list(range(_BLOCKS_IN_PLAY))
        row, block, dealt = 0, Block(0, 0), 0
        while not stopped():
            while len(idle) >= refill:
                if dealt == block.games:
                    following = next(blocks, None) if free_rows else None
                    if following is None:
                        break
                    if following.games > self.largest_block:
                        raise ValueError(
                            f"a block of {following.games} games: {self.largest_block} at most"
                        )
                    row, block, dealt = free_rows.pop(), following, 0
                    in_play.append((row, block))
                    unfinished[row] = block.games
                fresh, idle = np.split(idle, [-((dealt - block.games) // self._in_a_row)])
                games = dealt + self._in_a_row * np.arange(len(fresh) + 1)
                self._row[fresh] = row
                self._first[fresh] = block.first_game
                self._game[fresh] = games[:-1]
                self._end[fresh] = np.minimum(games[1:], block.games)
                dealt = min(int(games[-1]), block.games)
                if not self._deal(fresh, stopped):
                    return
            if not in_play:
                return
            won = session.step()
            if len(won):
                counts = view.turns, view.shots
                write_down(won, self._row, self._game, *counts, moves, unfinished)
                if self._in_a_row > 1:
                    self._game[won] += 1
                    goes_on = self._game[won] < self._end[won]
                    if not self._deal(won[goes_on], stopped):
                        return
                    won = won[~goes_on]
                idle = np.concatenate((idle, won))
                while in_play and unfinished[in_play[0][0]] == 0:
                    ended, done = in_play.popleft()
                    yield done, self._shown(moves[ended, : done.games].copy())
                    free_rows.append(ended)

    def _play_whole(
        self,
        blocks: Iterator[Block],
        stopped: Callable[[], bool],
        at_once: int,
        play: Callable[[int, Boards, Moves], None],
    ) -> Iterator[tuple[Block, Moves]]:
        """Play blocks of games that need no lockstep, so many games at once."""
        for block in blocks:
            moves = self._no_moves(block.games)
            for first in range(0, block.games, at_once):
                part, game = moves[first : first + at_once], block.first_game + first
                boards = self._draw(game, len(part), stopped, self.sampler.draw_boards)
                if boards is None:
                    return
                play(game, boards, part)
            yield block, self._shown(moves)

    def _no_moves(self, *shape: int) -> Moves:
        """Return room for move counts: turns, and in the last column shots, which may be these."""
        return np.zeros((*shape, 1 + self.rules.salvos), moves_dtype(self.rules))

    def _shown(self, moves: Moves) -> Moves:
        return moves if self.rules.salvos else moves[:, 0]

    def _plan(self, first_game: int, boards: Boards, moves: Moves) -> None:
        """Play games along plans, which are of single shots."""
        self._session.play_whole(first_game, boards, moves[:, 0])

    def _count(self, first_game: int, boards: Boards, moves: Moves) -> None:
        """Count the moves of games whose shots are known in advance."""
        cells, games = self.rules.cells, np.arange(first_game, first_game + len(moves))
        shots = np.ascontiguousarray(moves[:, -1])
        key = self._session.shuffle_key()
        if key is None:
            count_moves(cells, boards, self._session.orders(games), shots)
        else:
            count_shuffled(cells, boards, key, first_game, shots)
        # Answers change nothing: a turn is so many of the shots.
        if self.rules.most_shots > 1:
            moves[:, 0] = -(-shots.astype(np.int64) // self.rules.most_shots)
        else:
            moves[:, 0] = shots
        if self.rules.whole_turns:
            whole = moves[:, 0].astype(np.int64) * self.rules.most_shots
            shots = np.minimum(whole, self.rules.cells)
        moves[:, -1] = shots

    def _deal(self, lanes: npt.NDArray[np.int64], stopped: Callable[[], bool]) -> bool:
        """Begin the next game in some lanes; return whether it was not stopped."""
        if not len(lanes):
            return True
        games = self._first[lanes] + self._game[lanes]
        if self._in_a_row == 1:
            layouts = self._draw(int(games[0]), len(lanes), stopped, self.sampler.draw)
        else:
            layouts = self._draw_ahead(lanes, games, stopped)
        if layouts is None:
            return False
        self._session.deal(lanes, games, layouts)
        return True

    def _draw_ahead(
        self,
        lanes: npt.NDArray[np.int64],
        games: npt.NDArray[np.int64],
        stopped: Callable[[], bool],
    ) -> npt.NDArray[np.int32] | None:
        """Return one layout for each lane, drawing many for those without any."""
        places = games % self._in_a_row % self._ahead.shape[1]
        for index in np.flatnonzero(places == 0):
            lane = lanes[index]
            left = int(self._end[lane] - self._game[lane])
            count = min(left, self._ahead.shape[1])
            layouts = self._draw(int(games[index]), count, stopped, self.sampler.draw)
            if layouts is None:
                return None
            self._ahead[lane, : len(layouts)] = layouts
        return self._ahead[lanes, places]

    def _draw(
        self,
        first_game: int,
        games: int,
        stopped: Callable[[], bool],
        draw: Callable[[int, int, int], npt.NDArray[Any]],
    ) -> npt.NDArray[Any] | None:
        """Return layouts, or None when stopped; a fleet that hardly fits may take long."""
        parts = []
        for first in range(first_game, first_game + games, _LAYOUTS_AT_ONCE):
            if stopped():
                return None
            count = min(_LAYOUTS_AT_ONCE, first_game + games - first)
            parts.append(draw(self.seed, first, count))
        return np.concatenate(parts)
