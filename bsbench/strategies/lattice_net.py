"""The strategy ``lattice-net``."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from bsbench.kernels.advantages import FLEET, SIDE
from bsbench.rules.board import Feedback, Rules
from bsbench.strategies._ranking import RankingPlayer, read_networks
from bsbench.strategies.base import Cells, Insight, Strategy
from bsbench.strategies.lattice2 import Lattice2
from bsbench.strategies.view import View

WEIGHTS = Path(__file__).with_name("lattice_net.npz")

_shipped = cache(read_networks)


def knows(rules: Rules) -> bool:
    """Return whether the networks know these rules: those of `classic`."""
    same_board = rules.rows == rules.cols == SIDE and sorted(rules.fleet) == sorted(FLEET)
    return same_board and not rules.apart.sides


@dataclass
class LatticeNet(Strategy):
    """As lattice2 with feedback sunk; on classic, small networks compare its best eight cells.

    Source: bsbench's own. While at most four ships are afloat, a small network estimates for each
    of the eight cells with the highest scores of ``lattice2`` how many shots the game takes if the
    cell is shot next. It shoots the cell with the lowest estimate. The module
    `bsbench.kernels.advantages` explains the networks, and `docs/lattice-net.md` explains how they
    were trained: on rollouts of ``lattice2``.

    The networks know the board of ``classic``. On other boards, it plays as ``lattice2``. It uses
    what sank, but not which ship a hit is on.
    """

    name = "lattice-net"
    source = "bsbench"
    needs = Feedback.SUNK
    home = "classic"
    look = ("blue-light", "dashed")

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Read the networks where they know the rules."""
        super().begin(rules, lanes, seed)
        rules = replace(rules, feedback=Feedback.SUNK)
        base = Lattice2().slot_player(rules)
        networks = _shipped(WEIGHTS) if knows(rules) else None
        self._player = base if networks is None else RankingPlayer(base, networks)
        self._player.begin(rules, lanes, seed)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known."""
        self._player.deal(lanes, games)

    def shoot(self, view: View) -> Cells:
        """Take note of the last shot, and choose."""
        self._cells = self._player.shoot(view)
        return self._cells

    def insight(self, lane: int) -> Insight:
        """Return the scores of the base; a cell that networks prefer has the highest one, too."""
        insight, cell = self._player.insight(lane), self._cells[lane]
        assert insight.scores is not None
        assert insight.closed is not None
        if not insight.closed[cell]:
            insight.scores[cell] = insight.scores.max()
        return insight
