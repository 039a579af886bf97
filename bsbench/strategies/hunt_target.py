"""The strategy ``hunt-target``."""

from bsbench.kernels.boards import lane_of_boards
from bsbench.kernels.plans import empty_plan, lay_down, waiting_cells
from bsbench.rules.board import Rules
from bsbench.strategies.base import Cells, Insight, Planner
from bsbench.strategies.random import shuffle_cells


class HuntTarget(Planner):
    """Shoots at random; after a hit, the neighbours come first, the last hit's before others.

    Source: N. Berry, "Battleship", DataGenetics, December 2011, "Hunt/Target". It shoots at random
    until it hits. Then the four neighbours go on a stack of targets, and it shoots these before the
    hunt continues. "Hard AI Strategy" calls it "Medium".

    Settled here: the neighbours are pushed in the order N, S, E, W, so W is shot first. A cell
    is not pushed if it was shot before or is on the stack already.
    """

    name = "hunt-target"
    source = "DataGenetics (Berry 2011)"
    home = "classic"
    look = ("purple", "solid")

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for a random order per lane, and a stack in front of it."""
        super().begin(rules, lanes, seed)
        self.plan = empty_plan(rules, lanes, rules.cells, "NSEW", once=True)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Shuffle a board for each game."""
        shuffle_cells(self.stream_key, lanes, games, self.plan.cells[:, self.plan.front :])
        lay_down(self.plan, lanes, self.rules.cells)

    def insight(self, lane: int) -> Insight:
        """Return the stack from the top, or the next cell of the random order."""
        closed = ~lane_of_boards(self.plan.open, lane, self.rules.cells)
        stack = waiting_cells(self.plan, lane, before=self.plan.front)
        return Insight(closed=closed, waiting=stack or waiting_cells(self.plan, lane)[:1])
