"""The games of a check: a strategy on one scenario, played in many ways by the engine.

Each way has a fresh copy of the strategy. The shots of each game are kept, and compared with those
of the first time.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import Fault, StrategyError
from bsbench.layouts import Sampler
from bsbench.own.adapter import StandIn
from bsbench.play.lockstep import SHARED_BYTES, Block, Moves, Simulator
from bsbench.play.samplers import make_sampler
from bsbench.play.session import Observer
from bsbench.rules.board import NOTHING
from bsbench.rules.drawing import cell_name
from bsbench.rules.scenario import Scenario
from bsbench.runs.alarms import OpeningShots, alarms_of
from bsbench.runs.request import replay_line
from bsbench.strategies import Strategy
from bsbench.strategies.base import Cells
from bsbench.strategies.view import View

MOST_GAMES = 100_000

_OF_EACH_LEARNER = 8
"""Games that are played of each learner at most, its first ones."""

_ALONE = 4
"""Games that are also played one after the other: the slowest way to play them."""

_METHODS = "begin", "deal", "shoot", "salvo", "hunt", "orders", "insight"
"""Of a strategy: what the engine calls."""

_ARRAYS = "live", "shots", "cell", "outcome", "ship", "slot"
"""The arrays of a view."""

Move = tuple[int, ...]
"""A shot; in salvos, the shots of a turn."""

Games = Mapping[int, Sequence[Move]]
"""The moves of some games, by number."""

Watch = Callable[[Strategy, View, Cells], None]
"""What looks at each choice of a strategy, and raises a `Fault` if it finds one."""


@dataclass
class Case:
    """A strategy on one scenario: its games, as they are played in one batch.

    Attributes
    ----------
    strategy : Strategy
        Copied for each way to play.
    scenario : Scenario
    wanted : int
        How many games.
    seed : int
    hear : callable
        Hears of each call of the strategy where it is.
    """

    strategy: Strategy
    scenario: Scenario
    wanted: int
    seed: int
    hear: Callable[[str], None]
    opening: OpeningShots = field(default_factory=OpeningShots, init=False)

    def __post_init__(self) -> None:
        in_a_row = self.strategy.games_per_learner
        turns = min(in_a_row, _OF_EACH_LEARNER)
        learners = max(-(-self.wanted // turns), 1 if in_a_row == 1 else 3)
        # The games that are dealt to one lane in turn: of each learner, or one by one.
        self.blocks = [Block(in_a_row * nth, turns) for nth in range(learners)]
        self.alone = self.blocks[: max(_ALONE // turns, 2)]
        self.rules = self.scenario.rules
        sampler = make_sampler(self.rules, self.scenario.placement)
        self.layouts: dict[int, npt.NDArray[np.int32]] = {}
        for block in self.blocks:
            drawn = sampler.draw(self.seed, block.first_game, block.games)
            self.layouts |= enumerate(drawn, start=block.first_game)

    @cached_property
    def shots(self) -> Games:
        """The moves of each game, all games side by side.

        Raises
        ------
        StrategyError
            If one is illegal, or the strategy fails.
        """
        begun = time.monotonic()
        try:
            return self.play(observer=self.opening)
        except StrategyError:
            # What fails in a batch may fail in one game alone, too: that is easier to debug.
            # It may have hung, and would again.
            if time.monotonic() - begun < getattr(self.strategy, "timeout", math.inf):
                self.play(1)
            raise

    @property
    def alarms(self) -> tuple[str, ...]:
        """What no honest strategy reaches, of games that were played to the end."""
        if "shots" not in vars(self):
            return ()
        counts = np.bincount([*map(len, self.shots.values())], minlength=self.rules.cells + 1)
        return alarms_of(self.scenario, counts, self.opening)

    def play(self, lanes: int = 0, blocks: Iterable[Block] | None = None, **how: Any) -> Games:
        """Play games in some way, as `playing` does; return their moves."""
        moves: dict[int, list[Move]] = {}
        for _ in self.playing(moves, lanes, blocks, **how):
            pass
        return moves

    def playing(
        self,
        played: dict[int, list[Move]] | None,
        lanes: int = 0,
        blocks: Iterable[Block] | None = None,
        *,
        seed: int | None = None,
        moved: int = 0,
        shares: bool = False,
        hash_seed: int = 0,
        watch: Watch | None = None,
        observer: Observer = lambda *_: None,
    ) -> Iterator[tuple[Block, Moves]]:
        """Play games with a copy of the strategy; yield each block when it is over.

        Parameters
        ----------
        played : dict of int to list, or None
            Where the moves of each game are written down; None to play without looking.
        lanes : int
            Games side by side; by default all.
        blocks : iterable of Block, optional
            The games, in the order in which they are dealt; by default all.
        seed : int, optional
            Of the strategy's own streams; by default the case's.
        moved : int
            What is added to the number of a game for the strategy.
        shares : bool
            Whether games with the same history share decisions.
        hash_seed : int
            Of the process in which a user's class thinks.
        watch, observer : callable, optional

        Raises
        ------
        StrategyError
            If a shot is illegal, or the strategy fails.
        """
        strategy = self.strategy.copy()
        if isinstance(strategy, StandIn):
            strategy.hash_seed = hash_seed
        for name in _METHODS:
            if hasattr(strategy, name):
                called = partial(self._call, strategy, getattr(strategy, name), watch)
                # Also where the class defines __setattr__.
                object.__setattr__(strategy, name, called)
        if blocks is None:
            one_by_one = self.strategy.games_per_learner == 1
            blocks = [Block(0, self.wanted)] if one_by_one else self.blocks

        def observe(view: View, lanes: Cells) -> None:
            assert played is not None
            for lane, cells in zip(lanes.tolist(), view.cells[lanes].tolist(), strict=True):
                move = tuple(cell for cell in cells if cell != NOTHING)
                played.setdefault(int(simulator.session.games[lane]) - moved, []).append(move)
            observer(view, lanes)

        try:
            simulator = Simulator(
                # The strategy may change them.
                replace(self.rules),
                _Known(self, moved),
                strategy,
                self.seed if seed is None else seed,
                lanes or len(self.blocks),
                MOST_GAMES,
                SHARED_BYTES if shares or played is None else 0,
                None if played is None else observe,
            )
            shifted = (Block(block.first_game + moved, block.games) for block in blocks)
            yield from simulator.play(shifted)
        except StrategyError as error:
            raise self.error(error.game - moved, error.shots, error.problem, error.line) from error
        finally:
            if isinstance(strategy, StandIn):
                strategy.close()

    def _call(
        self,
        strategy: Strategy,
        method: Callable[..., Any],
        watch: Watch | None,
        *arguments: Any,
    ) -> Any:
        """Call a method of the strategy; see whether it changes the view."""
        name = method.__name__
        if not arguments or not isinstance(arguments[0], View):
            self.hear(f"{self.scenario.name}: {name}")
            return method(*arguments)
        view: View = arguments[0]
        lane = int(view.live.argmax())
        self.hear(f"{self.scenario.name}, after {view.shots[lane]} shots: {name}")
        arrays = {name: getattr(view, name) for name in _ARRAYS}
        kept = {name: array.copy() for name, array in arrays.items()}
        cells = method(view)
        for array in _ARRAYS:
            same = getattr(view, array) is arrays[array]
            if not (same and np.array_equal(arrays[array], kept[array])):
                arrays[array][:] = kept[array]
                remedy = "which belongs to the referee: copy what you want to change"
                raise Fault(lane, f"{name} writes to view.{array}, {remedy}")
        if view.rules != self.rules:
            raise Fault(lane, f"{name} changes the rules, which can only be read")
        if watch is not None and name == "shoot":
            watch(strategy, view, cells)
        return cells

    def compare(self, played: Games, how: str) -> None:
        """Raise an error at the first move that differs from that of the first time."""
        for game, moves in sorted(played.items()):
            pairs = itertools.zip_longest(self.shots[game], moves, fillvalue=())
            for number, (move, other) in enumerate(pairs):
                if move != other:
                    raise self.error(
                        game,
                        sum(map(len, self.shots[game][:number])),
                        f"it shoots {self.name(other)} {how}, and {self.name(move)} when all "
                        "games are played side by side for the first time",
                    )

    def name(self, move: Move) -> str:
        """Return the names and numbers of the shots of a move."""
        cells = (f"{cell_name(cell, self.rules.cols)} (cell {cell})" for cell in move)
        return ", ".join(cells) or "no cell"

    def error(self, game: int, shots: int | None, problem: str, line: str = "") -> StrategyError:
        """Return what is wrong in a game after some shots, with the command that shows it."""
        error = StrategyError(self.strategy.name, game, self.seed, shots, problem, line)
        error.replay = replay_line(self.strategy, self.scenario, self.seed, game)
        return error


class _Known(Sampler):
    """Has the layouts of a case, whose games have other numbers for the strategy."""

    def __init__(self, case: Case, moved: int) -> None:
        super().__init__(case.rules)
        self._layouts, self._moved = case.layouts, moved

    def draw(self, seed: int, first_game: int, games: int) -> npt.NDArray[np.int32]:
        """Return the layouts of some games in a row."""
        first = first_game - self._moved
        return np.array([self._layouts[first + nth] for nth in range(games)])
