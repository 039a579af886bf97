"""What a strategy is."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.kernels.plans import ShotPlan, apply_hits, close_shots, next_shots
from bsbench.kernels.random import stream_key
from bsbench.parameters import Configurable
from bsbench.parameters import parameter as parameter
from bsbench.rules import MISS, Feedback, Rules
from bsbench.view import View

Cells = npt.NDArray[np.int64]
"""One cell for each lane: int64, shape ``(lanes,)``."""


@dataclasses.dataclass(frozen=True)
class Insight:
    """What a strategy makes of one game, for those who watch it.

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
    """

    closed: npt.NDArray[np.bool_] | None = None
    waiting: list[int] = dataclasses.field(default_factory=list)
    scores: npt.NDArray[Any] | None = None


NO_TOUCH = (
    ("ignore", "sunk", "full"),
    "what is made of ships not touching, where the rules say so; ignore: nothing; sunk: cells "
    "around a sunk ship are water; full: and no slot touches a hit that it can't share",
)
"""Choices and meaning of the parameter ``no_touch``, which several strategies have. It has no
effect where the rules let ships touch."""


class Strategy(Configurable, ABC):
    """Chooses the next cell from what it has been shown, and nothing else.

    A strategy is one file in this folder, named like the strategy, with one
    subclass; it is found by being there. The docstring gives the idea in one line,
    then the source, and how ambiguities were settled. Parameters are the public
    fields of a dataclass, each made by `parameter`.

    It plays a batch of games in lockstep, one shot in each at a time. The
    simulator calls, in this order:

    1. `begin`, once: make room for that many lanes;
    2. `deal`, whenever fresh games begin in some lanes: forget what was there;
    3. `shoot`, until no lane is live: choose a cell for every live lane.

    The same games must come out whatever the number of lanes and the order in
    which games (of strategies that learn: learners) are dealt to them. Chance
    therefore comes from streams that belong to the game's number: in a kernel,
    ``stream_start(key, game)`` of `bsbench.kernels.random`, with the key `stream_key`.
    """

    role = "strategy"

    source: ClassVar[str]
    """Who proposed it, and where."""

    needs: ClassVar[Feedback] = Feedback.HIT
    """The least feedback it can play with."""

    home: ClassVar[str | None] = None
    """The scenario of its source, or None."""

    look: ClassVar[tuple[str, str] | None] = None
    """Its colour and line in charts, such as ``("blue", "dashed")``; `bsbench.charts.look` has the
    names. It is not inherited: without one of its own, it is derived from the name."""

    spec: ClassVar[str] = ""
    """Where a user's own strategy is found again by another process; empty for a built-in one."""

    called: ClassVar[str] = ""
    """How its user wrote that."""

    in_processes: ClassVar[bool] = False
    """Whether it is run by the interpreter, which does one thing at a time: games are then
    played in several processes, not in threads."""

    in_batches: ClassVar[bool] = True
    """Whether many lanes make it faster."""

    games_per_learner = 1
    """Above 1, the strategy learns from game to game: game i is game
    i mod ``games_per_learner`` of the learner i div ``games_per_learner``. The games of a
    learner are dealt to one lane, one after the other."""

    @property
    def shares(self) -> bool:
        """Whether games with the same history share decisions: see `bsbench.kernels.shared`.

        Only for a strategy asked shot by shot whose shots depend on nothing but the rules
        and what earlier shots of the game did: neither on chance nor on other games. It chooses
        only where `View.asked` says so, but takes note of the last shot in all lanes. That pays
        where choosing costs more than a look into a large table, lane by lane.
        """
        return False

    @property
    def built_in(self) -> bool:
        """Whether it comes with bsbench, so that its errors are defects of bsbench."""
        return type(self).__module__.startswith("bsbench.strategies.")

    def fits(self, rules: Rules) -> bool:
        """Tell whether it plays on such a board with such a fleet, as most do on any."""
        return True

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for games under ``rules`` in ``lanes`` lanes.

        Overriding methods call this one first.
        """
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

    @property
    def listens(self) -> bool:
        """Whether shots depend on what earlier ones did.

        A strategy that does not listen defines `orders`.
        """
        return self._played_by() != "orders"

    @property
    def plans(self) -> bool:
        """Whether it lays down plans, and is not asked shot by shot: see `Planner`."""
        return self._played_by() == "plan"

    def _played_by(self) -> str:
        """Return what says where it shoots: its method orders or shoot, or its plan.

        One that overrides `shoot` alone is played by it, whatever it inherits.
        """
        for kind in type(self).__mro__:
            if kind is Planner:
                return "plan"
            for method in ("orders", "shoot"):
                if kind is not Strategy and method in vars(kind):
                    return method
        raise AssertionError("a strategy has a method shoot")

    def orders(self, games: Cells) -> npt.NDArray[np.uint16]:
        """Return all shots of some games in advance; for a strategy that does not listen.

        Parameters
        ----------
        games : ndarray of int64, shape (n,)
            Numbers of the games.

        Returns
        -------
        ndarray of uint16, shape (n, cells), or (1, cells)
            Every cell of the board in the order in which it is shot, one row for each
            game, or one for all: the very cells that `shoot` would return.
        """
        raise NotImplementedError(f"{self.name} is played shot by shot")

    def insight(self, lane: int) -> Insight:
        """Return what led to the shot just chosen in a lane; after a game, how it ended.

        Call it after `shoot`; when the game is over, too: a last `shoot` lets the
        strategy take note of the last outcome.
        """
        return Insight()


class Planner(Strategy):
    """A strategy whose shots stay the same until something is hit, and a hit always does the same.

    It keeps a `ShotPlan` for each lane, which the referee fires down, and is asked only when a plan
    is at its end (`hunt`): far less often than after every shot, so that games are played
    faster. `begin` makes the plans with `empty_plan`, and says there what a hit changes; `deal`
    lays down those of fresh games. Shot by shot, the games are the same.
    """

    plan: ShotPlan
    """What is shot in each lane, and what a hit changes about it; made by `begin`."""

    # Not abstract: a plan that holds the whole board never is at its end.
    def hunt(self, view: View) -> None:
        """Put an open cell into the plan of every live lane that has none."""

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for games; overriding methods call this one first."""
        super().begin(rules, lanes, seed)
        self._cells = np.zeros(lanes, np.int64)
        self._watched = np.zeros(lanes, np.bool_)

    def follow(self, view: View) -> None:
        """Take note of the last shots, which somebody else may have chosen.

        Nothing is hunted for: that would stay in the plans.
        """
        close_shots(self.plan, view.cell)
        # The hit that ended a game is followed up, too, once: what it closes may be looked at.
        has_hit = (view.cell >= 0) & (view.outcome != MISS) & self._watched
        self._watched = view.live.copy()
        apply_hits(self.plan, np.flatnonzero(has_hit), view.cell)

    def shoot(self, view: View) -> Cells:
        """Return the next cell of the plan for every live lane."""
        self.follow(view)
        self.hunt(view)
        stuck = next_shots(self.plan, view.live, self._cells)
        if stuck >= 0:
            raise AssertionError(f"no cell is open in lane {stuck}, and a ship is left")
        return self._cells
