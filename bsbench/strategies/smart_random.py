"""The strategy ``smart-random``."""

from bsbench.kernels.plans import empty_plan, lay_down
from bsbench.rules.board import Rules
from bsbench.strategies.base import Cells
from bsbench.strategies.random import shuffle_cells
from bsbench.strategies.smart import Smart


class SmartRandom(Smart):
    """As smart, but on a shuffled list; after a hit, all four neighbours come first.

    Source: "Spot the ships" (University of Algarve, Lab 6, problem G, 2021),
    appendix B: "an extra step to randomly shuffle the boardList after being created
    must be added [...] move N, E, S and W neighbours to front of boardList".

    Settled here: the neighbours come in that order, N first. Where the rules let ships touch
    at corners, nothing is eliminated.
    """

    name = "smart-random"
    source = "Spot the ships (UAlg 2021), app. B"
    home = "harbour"
    look = ("orange-dark", "dashed")

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for a list per lane, and for what moves to its front."""
        super().begin(rules, lanes, seed)
        self.plan = empty_plan(rules, lanes, rules.cells, "WSEN", eliminate=True)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Put all cells back on the list, shuffled."""
        lay_down(self.plan, lanes, self.rules.cells)
        shuffle_cells(self.stream_key, lanes, games, self.plan.cells[:, self.plan.front :])
