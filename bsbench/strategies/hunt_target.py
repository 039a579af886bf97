"""The strategy ``hunt-target``."""

from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.kernels.boards import lane_of_boards
from bsbench.kernels.plans import empty_plan, lay_down, next_shots, plans_at_end, waiting_cells
from bsbench.rules.board import Rules
from bsbench.strategies.base import Cells, Insight, Planner, parameter
from bsbench.strategies.random import shuffle_cells
from bsbench.strategies.view import View


@dataclass
class HuntTarget(Planner):
    """Shoots at random; after a hit, the neighbours come first, the last hit's before others.

    Source: N. Berry, "Battleship", DataGenetics, December 2011, "Hunt/Target". It shoots at random
    until it hits. Then the four neighbours go on a stack of targets, and it shoots these before the
    hunt continues. "Hard AI Strategy" calls it "Medium".

    Settled here: the neighbours are pushed in the order N, S, E, W, so W is shot first. A cell
    is not pushed if it was shot before or is on the stack already. Other programs push them in
    another ``order``, or keep them in a queue: with ``targets=queue``, the first one is shot first.
    """

    targets: str = parameter(
        "stack",
        "which target is shot first; stack: the one found last; queue: the one found first",
        choices=("stack", "queue"),
    )
    order: str = parameter(
        "NSEW",
        "in which order the neighbours of a hit become targets",
        choices=tuple(map("".join, permutations("NSEW"))),
    )

    name = "hunt-target"
    source = "DataGenetics (Berry 2011)"
    home = "classic"
    look = ("purple", "solid")

    @property
    def plays_whole(self) -> bool:
        """Whether all is in the plan: a queue has no room in front of the random order."""
        return self.targets == "stack"

    @property
    def hunted(self) -> npt.NDArray[Any]:
        """The random order of each lane: shape (lanes, cells)."""
        return self._hunt.cells[:, self._hunt.front :]

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for a random order per lane, and a stack in front of it; or a queue beside."""
        super().begin(rules, lanes, seed)
        self._hunt = empty_plan(rules, lanes, rules.cells, self.order, once=True)
        self.plan = self._hunt
        if not self.plays_whole:
            self.plan = empty_plan(rules, lanes, 0, self.order, in_front=False, once=True)
            self._hunt = self._hunt._replace(open=self.plan.open)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Shuffle a board for each game."""
        shuffle_cells(self.stream_key, lanes, games, self.hunted)
        lay_down(self.plan, lanes, 0)
        lay_down(self._hunt, lanes, self.rules.cells)

    def hunt(self, view: View) -> None:
        """Put the next open cell of the random order into each queue that is empty."""
        lanes = np.zeros(self.lanes, np.int64)
        lanes = lanes[: plans_at_end(self.plan, view.live, lanes)]
        is_idle = np.zeros(self.lanes, np.bool_)
        is_idle[lanes] = True
        next_shots(self._hunt, is_idle, self._cells)
        self.plan.cells[lanes, 0] = self._cells[lanes]
        self.plan.begin[lanes], self.plan.end[lanes] = 0, 1

    def insight(self, lane: int) -> Insight:
        """Return the targets in order, or the next cell of the random order."""
        closed = ~lane_of_boards(self.plan.open, lane, self.rules.cells)
        before = self.plan.front if self.plays_whole else None
        targets = waiting_cells(self.plan, lane, before=before)
        return Insight(closed=closed, waiting=targets or waiting_cells(self._hunt, lane)[:1])
