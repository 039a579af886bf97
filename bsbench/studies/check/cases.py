"""The games of a conformance test, played shot by shot in a loop of its own.

The loop shares nothing with the simulator but the referee, so that each checks the other.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import Fault, StrategyError
from bsbench.own.adapter import StandIn
from bsbench.own.blame import broken
from bsbench.play.lockstep import Block
from bsbench.play.referee import Referee
from bsbench.play.samplers import make_sampler
from bsbench.rules.board import Rules
from bsbench.rules.drawing import MISSED, STRUCK, board_text, cell_name
from bsbench.rules.illegal import IllegalShotError
from bsbench.rules.scenario import Scenario
from bsbench.rules.slots import slot_cells
from bsbench.runs.alarms import OpeningShots, alarms_of
from bsbench.runs.request import replay_line
from bsbench.strategies import Strategy
from bsbench.strategies.view import View
from bsbench.studies.check.listening import Listener

_OF_EACH_LEARNER = 8
"""Games that are played of each learner at most, its first ones."""

_History = tuple[int, ...]

_ARRAYS = "live", "shots", "cell", "outcome", "ship", "slot"
"""The arrays of a view."""


class Breach(Exception):
    """A property does not hold.

    Attributes
    ----------
    problem : str
        A sentence without a full stop.
    game, move : int or None
        Where; moves count from 1.
    """

    def __init__(self, problem: str, game: int | None = None, move: int | None = None) -> None:
        super().__init__(problem)
        self.problem, self.game, self.move = problem, game, move
        # What may be the cause, and how to fix it: the last sentence of the message; or empty.
        self.hint = ""
        # Whether it took longer than a game may.
        self.late = False
        # The shots before it in that game; None if they are those of `Case.shots`.
        self.shots: Sequence[int] | None = None


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
    listener : Listener
        Hears what is checked.
    touched : Breach or None
        What was written into the view, when the games were first played.
    late : bool
        Whether one of them took longer than a game may.
    """

    strategy: Strategy
    scenario: Scenario
    wanted: int
    seed: int
    listener: Listener = field(default_factory=Listener)
    touched: Breach | None = field(default=None, init=False)
    late: bool = field(default=False, init=False)
    _copies: list[StandIn] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        in_a_row = self.strategy.games_per_learner
        self.turns = min(in_a_row, _OF_EACH_LEARNER)
        learners = max(-(-self.wanted // self.turns), 1 if in_a_row == 1 else 3)
        self.blocks = [Block(in_a_row * nth, self.turns) for nth in range(learners)]
        with self.listener.own():
            self.sampler = make_sampler(self.scenario.rules, self.scenario.placement)

    @property
    def rules(self) -> Rules:
        """Of the scenario."""
        return self.scenario.rules

    @cached_property
    def layouts(self) -> dict[int, npt.NDArray[np.int32]]:
        """Slot codes by game."""
        with self.listener.own():
            return {
                block.first_game + nth: codes
                for block in self.blocks
                for nth, codes in enumerate(
                    self.sampler.draw(self.seed, block.first_game, block.games)
                )
            }

    @property
    def games(self) -> list[int]:
        """The games' numbers."""
        return list(self.layouts)

    @property
    def groups(self) -> list[list[int]]:
        """The games that are dealt to one lane in turn: of each learner, or one by one."""
        games = self.games
        return [games[first : first + self.turns] for first in range(0, len(games), self.turns)]

    @property
    def shots(self) -> dict[int, list[int]]:
        """All shots of each game, all games side by side.

        Raises
        ------
        Breach
            If one is illegal, or the strategy fails.
        """
        if isinstance(self._played, Breach):
            raise self._played
        return self._played

    @cached_property
    def _played(self) -> dict[int, list[int]] | Breach:
        """The shots, or why there are none."""
        try:
            playing = Playing(self, len(self.groups))
            try:
                return playing.to_the_end()
            finally:
                self.touched = playing.touched
        except Breach as breach:
            self.late = breach.late
            if breach.late:
                return breach
            failure = breach
        try:
            # What fails in a batch may fail in one game alone, too: that is easier to debug.
            for group in self.groups:
                Playing(self, 1, [group]).to_the_end()
        except Breach as breach:
            return breach
        return failure

    @property
    def ends_well(self) -> bool:
        """Whether all games can be played to the end."""
        return not isinstance(self._played, Breach)

    @property
    def alarms(self) -> tuple[str, ...]:
        """What no honest strategy reaches, of games that were played to the end."""
        played = vars(self).get("_played")
        if not isinstance(played, dict):
            return ()
        moves = [len(shots) for shots in played.values()]
        hits = sum(shots[0] in self.ship_cells(game) for game, shots in played.items())
        first = OpeningShots(len(moves), hits)
        return alarms_of(self.scenario, np.bincount(moves, minlength=self.rules.cells + 1), first)

    def fresh(self) -> Strategy:
        """Return a copy of the strategy, for one way to play."""
        copy = self.listener.listen(self.strategy.copy())
        if isinstance(copy, StandIn):
            self._copies.append(copy)
        return copy

    def close(self) -> None:
        """Give the processes back in which copies of the strategy think; none may play on."""
        while self._copies:
            self._copies.pop().close()

    def ship_cells(self, game: int) -> set[int]:
        """Return where the ships of a game lie."""
        return {
            cell
            for code, length in zip(self.layouts[game].tolist(), self.rules.fleet, strict=True)
            for cell in slot_cells(code, length, self.rules.cols)
        }

    def compare(self, played: dict[int, list[int]], how: str) -> None:
        """Raise a breach at the first shot that differs from those of the batch."""
        for game, shots in played.items():
            expected = self.shots[game]
            for move, (cell, other) in enumerate(
                itertools.zip_longest(expected, shots, fillvalue=None), start=1
            ):
                if cell != other:
                    raise Breach(
                        f"it shoots {self.name(other)} {how}, and {self.name(cell)} when all "
                        "games are played side by side for the first time",
                        game,
                        move,
                    )

    def name(self, cell: int | None) -> str:
        """Return a cell's name and number."""
        if cell is None:
            return "no cell"
        if not 0 <= cell < self.rules.cells:
            return f"cell {cell}"
        return f"{cell_name(cell, self.rules.cols)} (cell {cell})"

    @property
    def place(self) -> str:
        """Scenario, feedback and seed."""
        return f"{self.scenario.name}, feedback {self.rules.feedback}, seed {self.seed}"

    def describe(self, breach: Breach) -> str:
        """Return where a breach was, what it is, the board before that move, and the hint."""
        return "\n".join(filter(None, [self._where(breach), breach.hint]))

    def _where(self, breach: Breach) -> str:
        """Return all of that but the hint."""
        rules = self.rules
        if breach.game is None:
            return f"{self.place}: {breach.problem}"
        text = f"{self.place}, game {breach.game}"
        if breach.move is None:
            return f"{text}: {breach.problem}"
        shots = self.shots[breach.game] if breach.shots is None else breach.shots
        ships = self.ship_cells(breach.game)
        marks = {cell: STRUCK if cell in ships else MISSED for cell in shots[: breach.move - 1]}
        board = board_text(rules.rows, rules.cols, marks)
        if not self.ends_well:
            command = replay_line(self.strategy, self.scenario, self.seed, breach.game)
            board += f"\nsee it with: {command}"
        return f"{text}, move {breach.move}: {breach.problem}\n{board}"


class Playing:
    """Games of a case in progress, played shot by shot.

    Parameters
    ----------
    case : Case
    lanes : int
    groups : list of list of int, optional
        Games that are dealt to a lane in turn, in this order; by default the case's.
    seed : int, optional
        Of the strategy's own streams; by default the case's.
    number : callable, optional
        What number the strategy gets for a game; by default its own.
    shares : bool
        Whether games with the same history share decisions.
    hash_seed : int
        Of the process in which a user's class thinks.
    watch : callable, optional
        Called with the strategy, the view, a lane, the shot chosen there and those before it.
    """

    def __init__(
        self,
        case: Case,
        lanes: int,
        groups: Iterable[list[int]] | None = None,
        seed: int | None = None,
        number: Callable[[int], int] = int,
        shares: bool = False,
        hash_seed: int = 0,
        watch: Callable[[Strategy, int, int, list[int]], None] | None = None,
    ) -> None:
        self.case = case
        self.strategy = case.fresh()
        lanes = min(lanes, self.strategy.most_lanes)
        if isinstance(self.strategy, StandIn):
            self.strategy.hash_seed = hash_seed
        # The strategy may change them.
        self._rules = replace(case.rules)
        self.view = View(self._rules, lanes)
        # The shot after each history, that is all outcomes of a game; None without sharing.
        self._known: dict[_History, int] | None = {} if shares else None
        self._history: list[_History] = [()] * lanes
        self.referee = Referee(self.view)
        self.game = np.full(lanes, -1, np.int64)
        self.fired: dict[int, list[int]] = {}
        self.touched: Breach | None = None
        self._number, self._watch = number, watch
        self._queue = iter(case.groups if groups is None else groups)
        self._turns: list[list[int]] = [[] for _ in range(lanes)]
        self.ask(self.strategy.begin, self._rules, lanes, case.seed if seed is None else seed)

    def to_the_end(self) -> dict[int, list[int]]:
        """Play all games; return the shots of each, in order of the games' numbers."""
        try:
            while self.step():
                pass
        finally:
            if isinstance(self.strategy, StandIn):
                # A breach may keep it for long, and others can use its thinker.
                self.strategy.close()
        return dict(sorted(self.fired.items()))

    def step(self) -> bool:
        """Deal games to idle lanes, fire once in every live one; return whether one was live."""
        self.deal()
        live = np.flatnonzero(self.view.live)
        if not len(live):
            return False
        cells = self._shoot(live)
        wanted = f"it must return one int64 for each lane, shape ({self.view.lanes},)"
        if not isinstance(cells, np.ndarray):
            raise self.breach(f"shoot returned {cells!r:.80}: {wanted}")
        if cells.shape != (self.view.lanes,) or cells.dtype != np.int64:
            raise self.breach(
                f"shoot returned an array of shape {cells.shape} and type {cells.dtype}: {wanted}"
            )
        chosen = cells[live].tolist()
        games = self.game[live].tolist()
        if self._watch:
            try:
                self._watch(self.strategy, int(live[0]), chosen[0], self.fired[games[0]])
            except Breach as breach:
                breach.game, breach.move = games[0], len(self.fired[games[0]]) + 1
                raise
        try:
            self.referee.fire(cells)
        except IllegalShotError as error:
            game = int(self.game[error.lane])
            shots = self.fired[game]
            problem = f"its shot {self.case.name(error.cell)} is refused, since {error.reason}"
            if error.cell in shots:
                problem += f", at move {shots.index(error.cell) + 1}"
            raise self.breach(problem, error.lane) from None
        for game, cell in zip(games, chosen, strict=True):
            self.fired[game].append(cell)
        return True

    def _shoot(self, live: npt.NDArray[np.int64]) -> Any:
        """Ask for the next cells: if games share decisions, in one lane for each new history."""
        view, known = self.view, self._known
        if known is None:
            return self.ask(self.strategy.shoot, view)
        view.asked = np.zeros(view.lanes, np.bool_)
        first: dict[_History, int] = {}
        for lane in live.tolist():
            if view.shots[lane]:
                last = view.cell, view.outcome, view.ship, view.slot
                self._history[lane] += tuple(int(array[lane]) for array in last)
            history = self._history[lane]
            view.asked[lane] = history not in known and first.setdefault(history, lane) == lane
        cells = self.ask(self.strategy.shoot, view).copy()
        known |= {history: cells[lane] for history, lane in first.items()}
        cells[live] = [known[self._history[lane]] for lane in live.tolist()]
        return cells

    def deal(self) -> None:
        """Deal the next games to idle lanes."""
        fresh = []
        for lane in np.flatnonzero(~self.view.live).tolist():
            if not self._turns[lane]:
                self._turns[lane] = list(next(self._queue, []))
            if self._turns[lane]:
                self.game[lane] = self._turns[lane].pop(0)
                self._history[lane] = ()
                fresh.append(lane)
        if fresh:
            lanes = np.array(fresh)
            games = self.game[lanes].tolist()
            self.fired |= {game: [] for game in games}
            self.referee.deal(lanes, np.array([self.case.layouts[game] for game in games]))
            numbers = np.array([self._number(game) for game in games], np.int64)
            self.ask(self.strategy.deal, lanes, numbers)

    def ask(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of the strategy; see whether it changes the view."""
        view = self.view
        arrays = {name: getattr(view, name) for name in _ARRAYS}
        kept = {name: array.copy() for name, array in arrays.items()}
        begun = time.monotonic()
        try:
            answer = method(*arguments)
        except Fault as error:
            problem = failure(error, method.__name__)
            breach = Breach(problem) if error.between else self.breach(problem, error.lane)
            limit = getattr(self.strategy, "timeout", math.inf)
            breach.late = time.monotonic() - begun > limit
            raise breach from error
        except Exception as error:
            raise self.breach(failure(error, method.__name__)) from error
        for name, array in arrays.items():
            same = getattr(view, name) is array and np.array_equal(array, kept[name])
            if not same and self.touched is None:
                changed = np.flatnonzero(array != kept[name])
                lane = int(changed[0]) if len(changed) else 0
                self.touched = self.breach(
                    f"{method.__name__} writes to view.{name}, which belongs to the referee: "
                    "copy what you want to change",
                    lane,
                )
            # So that the game continues as it was.
            setattr(view, name, array)
            array[:] = kept[name]
        if view.rules is not self._rules or self._rules != self.case.rules:
            raise self.breach(f"{method.__name__} changes the rules, which can only be read")
        return answer

    def breach(self, problem: str, lane: int | None = None) -> Breach:
        """Return a breach in a lane, or in the only one."""
        if lane is None:
            live = np.flatnonzero(self.view.live)
            lane = int(live[0]) if len(live) == 1 else None
        if lane is None or self.game[lane] < 0:
            return Breach(problem)
        game = int(self.game[lane])
        breach = Breach(problem, game, len(self.fired[game]) + 1)
        breach.shots = list(self.fired[game])
        return breach


def failure(error: Exception, method: str) -> str:
    """Return what a method of the strategy did wrong, or raised, and its own line where."""
    if isinstance(error, Fault | StrategyError):
        problem, line = error.problem, error.line
    else:
        fault = broken(0, error)
        problem, line = f"{method} raised {fault.problem}", fault.line
    return f"{problem}\n  {line}" if line else problem
