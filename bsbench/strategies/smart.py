"""The strategy ``smart``."""

from bsbench.kernels.boards import lane_of_boards
from bsbench.kernels.plans import empty_plan, waiting_cells
from bsbench.rules.board import Rules
from bsbench.strategies.base import Insight, Planner


class Smart(Planner):
    """Shoots row by row; after a hit, east and south come first, and diagonals are left out.

    Source: "Spot the ships" (University of Algarve, Lab 6, problem G, 2021),
    section 5b: "when a ship cell is spotted, diagonal neighbours (NE, SE, SW, NW)
    are eliminated from search [...] Then East and South neighbours, if they are
    present, are moved to the front of the search queue", east first.

    Settled here: where the rules let ships touch at corners, nothing is eliminated.
    """

    name = "smart"
    source = "Spot the ships (UAlg 2021), 5b"
    home = "harbour"
    look = ("orange", "solid")

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Plan to sweep the board, and make room for what moves to the front."""
        super().begin(rules, lanes, seed)
        # The last one put in front is shot first.
        self.plan = empty_plan(rules, lanes, 0, "SE", eliminate=True, sweeps=True)

    def insight(self, lane: int) -> Insight:
        """Return the list, in order."""
        listed = lane_of_boards(self.plan.open, lane, self.rules.cells)
        return Insight(closed=~listed, waiting=waiting_cells(self.plan, lane))
