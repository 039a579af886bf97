"""What a strategy is."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, Fault, option
from bsbench.common.parameters import Configurable
from bsbench.common.parameters import parameter as parameter
from bsbench.kernels.boards import full_boards
from bsbench.kernels.lanes import GROUP
from bsbench.kernels.planes import as_squares
from bsbench.kernels.plans import (
    ShotPlan,
    apply_hits,
    close_shots,
    first_faulty_order,
    lay_down,
    next_shots,
    plans_at_end,
)
from bsbench.kernels.random import stream_key
from bsbench.rules.board import MISS, NOTHING, Feedback, Rules
from bsbench.stats import AnswerBook
from bsbench.strategies.view import View

Cells = npt.NDArray[np.int64]
"""One cell for each lane: int64, shape ``(lanes,)``."""


@dataclasses.dataclass(frozen=True)
class Insight:
    """What a strategy knows and plans in one game, for replays.

    Attributes
    ----------
    closed : ndarray of bool, shape (cells,), or None
        Cells it will not shoot: shot before, or eliminated. None if it keeps no such
        record, and so eliminates nothing.
    waiting : list of int
        Cells it has queued up, the next one first; that is its next shot, unless the
        list is empty.
    scores : ndarray of int64 or float64, shape (cells,), or None
        What it computed last to choose a cell, -1 where closed. None if it has no
        scores.
    chances : ndarray of float64, shape (cells,), or None
        How likely each cell holds a ship, as `Strategy.chances` says. It is added for the strategy.
    remark : str
        What it says of its choice, on one line.
    """

    closed: npt.NDArray[np.bool_] | None = None
    waiting: list[int] = dataclasses.field(default_factory=list)
    scores: npt.NDArray[Any] | None = None
    chances: npt.NDArray[np.float64] | None = None
    remark: str = ""

    @property
    def in_percent(self) -> bool:
        """Whether the scores are these chances, so that they are probabilities."""
        if self.scores is None or self.chances is None:
            return False
        scored = self.scores >= 0
        return bool(np.allclose(self.scores[scored], self.chances[scored]))


NO_TOUCH = (
    ("ignore", "sunk", "full"),
    "what to conclude where ships must not touch; ignore: nothing; sunk: cells around a sunk ship "
    "are water; full: also, no slot may touch a hit outside of it",
)
"""Choices and meaning of the parameter ``no_touch``, which several strategies have. It has no
effect where the rules let ships touch."""


class Strategy(Configurable, ABC):
    """Chooses the next cell from what it has been shown, and nothing else.

    A strategy is one file in this folder, named like the strategy, with one
    subclass. bsbench finds the file by itself. The docstring gives the idea in one line,
    then the source, and how ambiguities were settled. Parameters are the public
    fields of a dataclass, each made by `parameter`.

    There are three kinds. The simulator asks a strategy shot by shot, unless it is one of the two
    kinds that it plays faster: a `Planner` lays down many shots at a time, and a `FixedOrder`
    gives all shots of a game before it begins.

    It plays a batch of games in lockstep, one shot in each at a time. The
    simulator calls, in this order:

    1. `begin`, once: make room for that many lanes;
    2. `deal`, whenever fresh games begin in some lanes: forget what was there;
    3. `shoot`, until no lane is live: choose a cell for every live lane.

    The same games must come out whatever the number of lanes and the order in
    which games (of strategies that learn: learners) are dealt to them. Random
    numbers therefore come from streams that belong to the game's number: in a kernel,
    ``stream_start(key, game)`` of `bsbench.kernels.random`, with the key `stream_key`.
    """

    role = "strategy"

    source: ClassVar[str]
    """Who proposed it, and where."""

    needs: ClassVar[Feedback] = Feedback.HIT
    """The least feedback it can play with: it needs the facts that this reveals."""

    uses: ClassVar[Feedback | None] = None
    """The feedback whose facts it uses, where they are told; None: no more than it needs."""

    limits: ClassVar[str] = "choose another strategy, board or fleet"
    """Why it does not fit some rules, or what to do then: ends the sentence that refuses them."""

    home: ClassVar[str | None] = None
    """The scenario of its source, or None."""

    look: ClassVar[tuple[str, str] | None] = None
    """The colour and line that it wishes for in charts, such as ``("blue", "dashed")``: see
    `bsbench.present.looks.looks`. It is not inherited."""

    most_lanes: int = 2**31
    """Games that it plays in lockstep at most."""

    asks_elsewhere: ClassVar[bool] = False
    """Whether it asks a server for its shots: one thread then plays `most_lanes` games at once."""

    takes_long: ClassVar[bool] = False
    """Whether a game takes milliseconds or more: ``run all``, the placing of a person's game, and
    pages that replay games of records then go without it."""

    built_in: ClassVar[bool] = False
    """Whether it comes with bsbench, so that its errors are defects of bsbench."""

    games_per_learner = 1
    """Above 1, the strategy learns from game to game: game i is game
    i mod ``games_per_learner`` of the learner i div ``games_per_learner``. The games of a
    learner are dealt to one lane, one after the other."""

    restart: int = 0
    """How many games it may forfeit by faults, and be started again."""

    answer_book: AnswerBook | None = None
    """Where a strategy that may fail to choose, such as a language model, notes how it chose the
    moves of each game: it begins each game there at `deal`. Copies share it."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.built_in = cls.__module__.startswith(f"{__package__}.")
        for base in cls.__mro__[1:]:
            shoot = vars(base).get("shoot")
            if getattr(shoot, "__final__", False) and cls.shoot is not shoot:
                raise TypeError(
                    f"{cls.__name__} defines shoot, but the games of a {base.__name__} are played "
                    "without it: leave it out, or derive the class from Strategy itself"
                )

    @property
    def plays_salvos(self) -> bool:
        """Whether it plays where a turn has several shots, or one answer (`Rules.salvos`).

        By default, where its class defines `salvo`.
        """
        return type(self).salvo is not Strategy.salvo

    @final
    def plays_turns(self, rules: Rules) -> bool:
        """Return whether it plays such turns: most strategies fire single shots alone."""
        return self.plays_salvos or not rules.salvos

    @property
    def shares(self) -> bool:
        """Whether games with the same history share decisions: see `bsbench.kernels.shared`.

        Only for a strategy asked shot by shot whose shots depend on nothing but the rules
        and what earlier shots of the game did: neither on random numbers nor on other games.
        It chooses only where `View.asked` says so, but takes note of the last shot in all lanes.
        That pays where choosing costs more than a look into a large table, lane by lane.
        """
        return False

    def fits(self, rules: Rules) -> bool:
        """Return whether it plays on such a board with such a fleet; most play on any."""
        return True

    @final
    def plays(self, rules: Rules) -> bool:
        """Return whether it plays under some rules: facts, turns, board and fleet are for it."""
        told = rules.reveals.cover(self.needs.reveals)
        return told and self.plays_turns(rules) and self.fits(rules)

    @final
    def check_fits(self, rules: Rules) -> None:
        """Refuse rules under which it does not play.

        Raises
        ------
        BsbenchError
            If it does not fit.
        """
        needed = self.needs.reveals
        if not rules.reveals.cover(needed):
            raise BsbenchError(
                f"strategy {self.name!r} needs to know {rules.reveals.lacking(needed)}, and "
                f"feedback {rules.feedback} does not tell it: choose another strategy, or "
                f"{option('feedback', str(self.needs))}"
            )
        if not self.plays_turns(rules):
            raise BsbenchError(
                f"strategy {self.name!r} fires one shot a turn, and the rules have "
                f"{rules.turn_text}: choose one that plays salvos, such as linear, random or "
                "salvo, or one of your own"
            )
        if not self.fits(rules):
            raise BsbenchError(
                f"strategy {self.name!r} does not play with the fleet {rules.fleet_text} on a "
                f"{rules.board} board: {self.limits}"
            )

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for games under ``rules`` in ``lanes`` lanes.

        Overriding methods call this one first.

        Raises
        ------
        BsbenchError
            If it does not fit.
        """
        self.check_fits(rules)
        self.rules = rules
        self.lanes = lanes
        self._key = stream_key(f"strategy {self.name}", seed)

    @property
    def stream_key(self) -> np.uint64:
        """The key of this strategy's own random streams, for kernels."""
        return self._key

    # Not abstract: a strategy without memory has nothing to forget.
    def deal(self, lanes: Cells, games: Cells) -> None:
        """Begin game number ``games[i]`` of the run in lane ``lanes[i]``."""

    @abstractmethod
    def shoot(self, view: View) -> Cells:
        """Return the next cell for every live lane; other entries are not read."""

    # Not abstract: most strategies fire single shots.
    def salvo(self, view: View) -> Cells:
        """Return the next turn of every live lane; called in place of `shoot` in salvos.

        Returns
        -------
        ndarray of int64, shape (lanes, `Rules.most_shots`)
            The cells of each lane: one at least, at most as many as `View.allowed` says, each
            open and none twice; then -1. Lanes that are not live are not read.
        """
        raise NotImplementedError

    def insight(self, lane: int) -> Insight:
        """Return what led to the shot just chosen in a lane; after a game, how it ended.

        Call it after `shoot`; when the game is over, too: a last `shoot` lets the
        strategy take note of the last outcome.
        """
        return Insight()

    @property
    def gives_chances(self) -> bool:
        """Whether it says how likely each cell holds a ship.

        By default, where its class defines `chances`. A strategy whose scores are probabilities
        as they are need not do that: it returns True here. A class in Python or numpy sets
        ``probabilities = True``.
        """
        return type(self).chances is not Strategy.chances

    def chances(self, lanes: Cells) -> npt.NDArray[np.float64]:
        """Return how likely each cell holds a ship, as it was known when the last shot was chosen.

        Define it if scores would be probabilities without weights and random numbers. Replays show
        them. It is called after `shoot`, and may not look at the `View`, which may show the
        outcome of the shot already.

        Parameters
        ----------
        lanes : ndarray of int64, shape (n,)
            Lanes that were live at the last `shoot`, ascending.

        Returns
        -------
        ndarray of float64, shape (n, cells)
            From 0 to 1; NaN where the strategy does not say. Cells shot before are not read. By
            default, the scores of `insight`, 0 where a cell has none.
        """
        chances = np.full((len(lanes), self.rules.cells), np.nan)
        for row, lane in enumerate(lanes.tolist()):
            if (scores := self.insight(lane).scores) is not None:
                chances[row] = np.maximum(scores, 0)
        return chances


class FixedOrder(Strategy):
    """A strategy whose shots don't depend on what earlier ones did, but on the game's number alone.

    It defines `orders`. The simulator counts the moves of many games at once, without lockstep.
    """

    @abstractmethod
    def orders(self, games: Cells) -> npt.NDArray[np.uint16]:
        """Return all shots of some games.

        Parameters
        ----------
        games : ndarray of int64, shape (n,)
            Numbers of the games.

        Returns
        -------
        ndarray of uint16, shape (n, cells), or (1, cells)
            Every cell of the board in the order in which it is shot, one row for each
            game, or one for all.
        """

    @final
    def salvo(self, view: View) -> Cells:
        """Return the next cells in the order of each lane, as many as are allowed."""
        self._shots = view.shots
        places = np.arange(self.rules.most_shots)
        shots = view.shots[:, np.newaxis] + places
        ahead = np.minimum(shots, self.rules.cells - 1)
        cells = np.take_along_axis(self._orders, ahead, axis=1).astype(np.int64)
        fired = (places < view.allowed[:, np.newaxis]) & (shots < self.rules.cells)
        return np.where(fired, cells, NOTHING)

    def shuffle_key(self) -> np.uint64 | None:
        """Return the key of the streams that shuffle the board of each game, if that is its order.

        Then games are counted from the back of the shuffle, which makes no whole order: see
        `bsbench.kernels.random.shuffle`.
        """
        return None

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for an order in each lane; overriding methods call this one first."""
        super().begin(rules, lanes, seed)
        self._orders = np.zeros((lanes, rules.cells), np.uint16)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Note the order of each game."""
        self._orders[lanes] = self.checked_orders(lanes, games)

    def checked_orders(self, lanes: Cells, games: Cells) -> npt.NDArray[np.uint16]:
        """Return the orders of games that are played in some lanes.

        Raises
        ------
        Fault
            If an order does not hold every cell once: its game would never end.
        """
        orders, cells = self.orders(games), self.rules.cells
        shapes = (len(games), cells), (1, cells)
        if self.built_in:
            return orders
        row = 0
        if not isinstance(orders, np.ndarray) or orders.dtype != np.uint16:
            kind = getattr(orders, "dtype", type(orders).__name__)
            problem = f"orders returned {kind}: it must return an array of uint16"
        elif orders.shape not in shapes:
            problem = (
                f"orders returned shape {orders.shape}: it must be {' or '.join(map(str, shapes))}"
            )
        else:
            row = first_faulty_order(orders, cells)
            if row < 0:
                return orders
            problem = f"its order does not hold each of the {cells} cells once"
        raise Fault(int(lanes[row]), problem)

    @final
    def shoot(self, view: View) -> Cells:
        """Return the next cell in the order of each lane."""
        self._shots = view.shots
        # A game that is over may have shot every cell.
        shots = np.minimum(view.shots, self.rules.cells - 1)
        return self._orders[np.arange(len(shots)), shots].astype(np.int64)


class Planner(Strategy):
    """A strategy whose shots stay the same until something is hit, and a hit always does the same.

    It keeps a `ShotPlan` for each lane, along which shots are fired. `begin` makes the plans with
    `empty_plan`, and says there what a hit changes; `deal` lays down those of fresh games. Where
    a plan is at its end before the game, `decide` chooses, a kernel, or else `hunt`.

    Without a `hunt` of its own, it is not asked for shots: kernels play its games whole, so that
    there are three or more times as many a second. Shot by shot, the games are the same.
    """

    plan: ShotPlan
    """What is shot in each lane, and what a hit changes about it; made by `begin`."""

    decide: ClassVar[Callable[..., None] | None] = None
    """A kernel that chooses the next cell of games whose plan is at its end, or None.

    ``decide(squares, cells, *scratch)`` is given the open cells of 512 games, as `squares` of
    `bsbench.kernels.planes`, and writes a cell for each into ``cells``, int64 of shape (512,).
    Bits beyond the last cell of the board are set. The plans of fresh games must be empty."""

    scratch: tuple[Any, ...] = ()
    """Other arguments of `decide`; made by `begin`."""

    @property
    def plays_whole(self) -> bool:
        """Whether kernels may play its games whole.

        By default, where it has no `hunt` of its own, which may look at the last shots.
        """
        return type(self).hunt is Planner.hunt

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Lay down the plans of fresh games; by default, empty ones."""
        lay_down(self.plan, lanes, 0)

    def hunt(self, view: View) -> None:
        """Put an open cell into the plan of every live lane that has none; see `decide`."""
        if self.decide is None:
            return
        plan, lanes = self.plan, np.zeros(self.lanes, np.int64)
        lanes = lanes[: plans_at_end(plan, view.live, lanes)]
        self.decided[:] = False
        self.decided[lanes] = True
        self.considered[lanes] = plan.open[lanes]
        for first in range(0, len(lanes), GROUP):
            some, cells = lanes[first : first + GROUP], np.zeros(GROUP, np.int64)
            self.decide(as_squares(plan.open[some]), cells, *self.scratch)
            plan.begin[some], plan.end[some] = plan.front, plan.front + 1
            plan.cells[some, plan.front] = cells[: len(some)]

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for games; overriding methods call this one first."""
        super().begin(rules, lanes, seed)
        self._cells = np.zeros(lanes, np.int64)
        self._watched = np.zeros(lanes, np.bool_)
        # For insights: where the last shots were decided on, and the open cells at a lane's last
        # decision.
        self.decided = np.zeros(lanes, np.bool_)
        self.considered = full_boards(lanes, rules.cells)

    def follow(self, view: View) -> None:
        """Take note of the last shots, which other code may have chosen.

        `hunt` is not called: its cells would stay in the plans.
        """
        close_shots(self.plan, view.cell)
        # The hit that ended a game is applied, too, once: a replay may show what it closes.
        has_hit = (view.cell >= 0) & (view.outcome != MISS) & self._watched
        self._watched = view.live.copy()
        apply_hits(self.plan, np.flatnonzero(has_hit), view.cell)

    @final
    def shoot(self, view: View) -> Cells:
        """Return the next cell of the plan for every live lane."""
        self.follow(view)
        self.hunt(view)
        stuck = next_shots(self.plan, view.live, self._cells)
        if stuck >= 0:
            raise AssertionError(f"no cell is open in lane {stuck}, but a ship is afloat")
        return self._cells
