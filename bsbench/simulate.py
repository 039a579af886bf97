"""Games in lockstep: one shot in every live game at each step, until all are over.

A simulator has a fixed number of lanes. Each step asks the strategy for a cell per
lane and the referee for the answers; lanes whose games are over get the next
games, so that few lanes idle until the very end of a run. Games come and go in
*blocks*: a block is handed out when all its games are over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bsbench.kernels.lanes import GROUP
from bsbench.layouts import Sampler
from bsbench.referee import IllegalShotError, Referee
from bsbench.rules import Rules
from bsbench.strategies.base import Strategy
from bsbench.view import View

Moves = npt.NDArray[np.uint8 | np.uint16]
"""Move counts, one per game: uint8 on boards up to 255 cells, else uint16."""

_MOST_CELLS = 1 << 21
"""Cells of all lanes together. More lanes mean fewer calls of kernels, between which
threads wait for each other; fewer mean that the state stays in a near cache."""

LARGEST_BLOCK = 16_384
"""Games in a block at most."""

_BLOCKS_IN_PLAY = 16
"""Blocks in play at once in one simulator at most: one long game holds up its block."""


_LAYOUTS_AT_ONCE = 64
"""Layouts drawn between two questions whether to stop."""


def moves_dtype(rules: Rules) -> type[np.uint8] | type[np.uint16]:
    """Return the smallest dtype that holds every move count under these rules."""
    return np.uint8 if rules.cells <= 255 else np.uint16


def default_lanes(rules: Rules) -> int:
    """Return a good number of lanes: whole groups, 512 to 16,384 lanes in all."""
    groups = _MOST_CELLS // (GROUP * rules.cells)
    return GROUP * min(max(groups, 1), 32)


class StrategyError(Exception):
    """A strategy broke the rules.

    Attributes
    ----------
    game : int
        The number of the game it happened in.
    """

    def __init__(self, strategy: str, game: int, seed: int, shots: int, problem: str) -> None:
        super().__init__(
            f"strategy {strategy!r}, game {game} of seed {seed}, after {shots} shots: {problem}"
        )
        self.game = game


@dataclass(frozen=True)
class Block:
    """Consecutive games: the unit of seeding, threading and saving.

    Attributes
    ----------
    first_game : int
        Its number under the seed.
    games : int
        `LARGEST_BLOCK` at most.
    """

    first_game: int
    games: int

    def __post_init__(self) -> None:
        if self.games > LARGEST_BLOCK:
            raise ValueError(f"a block of {self.games} games: {LARGEST_BLOCK} at most")


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
        Games in lockstep. Results do not depend on it.
    """

    rules: Rules
    sampler: Sampler
    strategy: Strategy
    seed: int
    lanes: int

    def __post_init__(self) -> None:
        self._view = View(self.rules, self.lanes)
        self._referee = Referee(self._view)
        # The game in each lane: where its block keeps move counts, the number of the
        # block's first game, and its own number within the block.
        self._row = np.zeros(self.lanes, np.int64)
        self._first = np.zeros(self.lanes, np.int64)
        self._game = np.zeros(self.lanes, np.int64)
        self.strategy.begin(self.rules, self.lanes, self.seed)

    def play(
        self, blocks: Iterator[Block], stopped: Callable[[], bool] = lambda: False
    ) -> Iterator[tuple[Block, Moves]]:
        """Play blocks of games, several at a time.

        Parameters
        ----------
        blocks : iterator of Block
            Asked for the next block when lanes are idle; may be shared with other
            simulators.
        stopped : callable
            Asked at each step whether to give up.

        Yields
        ------
        Block, ndarray of uint8 or uint16, shape (games,)
            Each block when it is over, in the order they were asked for, with the
            move count of each game.

        Raises
        ------
        StrategyError
            If the strategy fires off the board or twice at a cell.
        """
        view, referee, strategy = self._view, self._referee, self.strategy
        view.live[:] = False
        idle = np.arange(self.lanes)
        refill = max(self.lanes // 16, 1)
        # Blocks in play, in order, each with its row of `moves`.
        in_play: deque[tuple[int, Block]] = deque()
        moves = np.zeros((_BLOCKS_IN_PLAY, LARGEST_BLOCK), moves_dtype(self.rules))
        unfinished = np.zeros(_BLOCKS_IN_PLAY, np.int64)
        free_rows = list(range(_BLOCKS_IN_PLAY))
        row, block, dealt = 0, Block(0, 0), 0
        while not stopped():
            while len(idle) >= refill:
                if dealt == block.games:
                    following = next(blocks, None) if free_rows else None
                    if following is None:
                        break
                    row, block, dealt = free_rows.pop(), following, 0
                    in_play.append((row, block))
                    unfinished[row] = block.games
                fresh, idle = np.split(idle, [block.games - dealt])
                layouts = self._draw(block.first_game + dealt, len(fresh), stopped)
                if layouts is None:
                    return
                self._row[fresh] = row
                self._game[fresh] = np.arange(dealt, dealt + len(fresh))
                self._first[fresh] = block.first_game
                referee.deal(fresh, layouts)
                strategy.deal(fresh, self._first[fresh] + self._game[fresh])
                dealt += len(fresh)
            if not in_play:
                return
            try:
                won = referee.fire(strategy.shoot(view))
            except IllegalShotError as error:
                game = int(self._first[error.lane] + self._game[error.lane])
                shots = int(view.shots[error.lane])
                raise StrategyError(strategy.name, game, self.seed, shots, str(error)) from error
            if len(won):
                rows = self._row[won]
                moves[rows, self._game[won]] = view.shots[won]
                unfinished -= np.bincount(rows, minlength=_BLOCKS_IN_PLAY)
                idle = np.concatenate((idle, won))
            while in_play and unfinished[in_play[0][0]] == 0:
                ended, done = in_play.popleft()
                yield done, moves[ended, : done.games].copy()
                free_rows.append(ended)

    def _draw(
        self, first_game: int, games: int, stopped: Callable[[], bool]
    ) -> npt.NDArray[np.int32] | None:
        """Return layouts, or None when stopped; a hard fleet may take long over them."""
        parts = []
        for first in range(first_game, first_game + games, _LAYOUTS_AT_ONCE):
            if stopped():
                return None
            count = min(_LAYOUTS_AT_ONCE, first_game + games - first)
            parts.append(self.sampler.draw(self.seed, first, count))
        return np.concatenate(parts)
