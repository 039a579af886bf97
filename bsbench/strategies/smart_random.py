"""The strategy ``smart-random``."""

from bsbench.strategies.base import Cells
from bsbench.strategies.random import shuffle_cells
from bsbench.strategies.smart import Smart


class SmartRandom(Smart):
    """As smart, on a shuffled list, and after a hit all four sides come first.

    Source: "Spot the ships" (University of Algarve, Lab 6, problem G, 2021),
    appendix B: "an extra step to randomly shuffle the boardList after being created
    must be added [...] move N, E, S and W neighbours to front of boardList".

    Settled here: they come in that order, N first; where the rules let ships
    touch, nothing is eliminated.
    """

    name = "smart-random"
    source = "Spot the ships (UAlg 2021), app. B"
    home = "harbour"
    look = ("black", "dashed")

    _pushed = "WSEN"

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Put all cells back on the list, shuffled."""
        super().deal(lanes, games)
        shuffle_cells(self.stream_key, lanes, games, self.plan.cells[:, self.plan.front :])
