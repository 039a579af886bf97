"""The strategy ``lattice2``."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bsbench.kernels.density import Evidence
from bsbench.kernels.playouts import ShipEvidence
from bsbench.rules.board import Feedback, Rules
from bsbench.strategies._patterned import (
    BeliefPlayer,
    Numbers,
    PatternStrategy,
    ShipPlayer,
    SlotPlayer,
)
from bsbench.strategies.base import Cells, Insight, Strategy, parameter
from bsbench.strategies.view import View

# k by the smaller and the larger difference, in thousandths: the numbers of `lattice`, and what
# was tuned further where ships may touch.
_PAIRS = {(0, 1): -30, (0, 2): 45, (1, 1): 25, (1, 2): -30, (2, 2): 10}
_THREES = {(0, 3): 80, (1, 1): 25, (1, 2): 10, (1, 3): -25, (2, 3): -20}
_TUNED_PAIRS = {**_PAIRS, (1, 1): 40, (2, 3): -21, (3, 3): 12}
_TUNED_THREES = {**_THREES, (0, 1): -20, (0, 2): -20, (2, 2): -15, (3, 3): 15}
_NEAR = (_TUNED_PAIRS, _TUNED_PAIRS, _TUNED_THREES, _TUNED_THREES)

# Weights by length, in hundredths.
_SAME = (100,) * 5
_HUNT = ((100, 100, 100, 100, 50),) * 4

_SUNK = Numbers(_NEAR, _HUNT, (100, 100, 100, 20, 40), 6)
_SHIP = Numbers(_NEAR, _HUNT, (50,))
_HIT = Numbers((_PAIRS, _PAIRS, _THREES, _THREES), (_SAME,) * 4, _SAME)
# Where halos are weighed, little else matters.
_SUNK_APART = Numbers(({}, _PAIRS, _THREES, _THREES), (_SAME,) * 4, _SAME, 8)
_HIT_APART = Numbers(({},) * 4, (_SAME,) * 4, _SAME, 7)


def _delta(meaning: str) -> int:
    value: int = parameter(0, f"{meaning}; added to the tuned number", least=-1000, most=1000)
    return value


@dataclass
class Lattice2(Strategy):
    """As lattice, but tuned, and with a method of its own for each kind of feedback.

    Source: bsbench's own. The method depends on what is reported:

    - Ships may touch, and it knows what sank: as ``lattice``, with tuned numbers. If only the
      length is told, a sunk ship is taken out where its cells follow from the hits.
    - Ships may touch, and it knows which ship each hit is on. The score of a cell is a sum over the
      ships that are hit: the share of their slots that run through the cell. To this it adds a part
      of the other ships' density times the pattern.
    - Ships may touch, and it knows hits and misses only. The score of a cell is the expected number
      of ships there. Belief propagation (J. Pearl, "Reverend Bayes on Inference Engines", 1982)
      finds which ships may explain the hits. Slots without a hit are multiplied by the pattern.
    - Ships don't touch, or at corners only: as ``lattice``, with two changes. A slot must not touch
      an open hit outside of it. A slot weighs less if it leaves less room to the other ships
      (`bsbench.kernels.halos`). If the ship of each hit is reported, a slot must not hold a hit on
      a ship of another length. If sinkings are not reported, a run of hits counts as a sunk ship
      once no longer ship afloat has room there.

    `docs/winners-curse.md` explains how the numbers were found. The parameters are added to them,
    for searches: k in thousandths, weights in hundredths. Where ships may touch, some have no
    effect: ``hit_weight`` unless what sank is reported, but not the ship of each hit;
    ``follow_four`` and ``follow_long`` if the ship of each hit is reported.
    """

    rounds: int = parameter(
        4,
        "updates of beliefs for each shot, if ships may touch and only hits are reported",
        least=1,
        most=99,
    )
    halos: float = parameter(
        1.0,
        "how much less a slot weighs if it leaves less room to others, where ships keep apart",
        least=0,
        most=4,
    )
    pairs_01: int = _delta("k of water at (0, 1) while a ship of 2 cells or less is not found yet")
    pairs_02: int = _delta("k at (0, 2), likewise")
    pairs_11: int = _delta("k at (1, 1), likewise")
    pairs_12: int = _delta("k at (1, 2), likewise")
    pairs_22: int = _delta("k at (2, 2), likewise")
    pairs_23: int = _delta("k at (2, 3), likewise")
    pairs_33: int = _delta("k at (3, 3), likewise")
    threes_01: int = _delta("k of water at (0, 1) once all ships of 2 cells or less are found")
    threes_02: int = _delta("k at (0, 2), likewise")
    threes_03: int = _delta("k at (0, 3), likewise")
    threes_11: int = _delta("k at (1, 1), likewise")
    threes_12: int = _delta("k at (1, 2), likewise")
    threes_13: int = _delta("k at (1, 3), likewise")
    threes_22: int = _delta("k at (2, 2), likewise")
    threes_23: int = _delta("k at (2, 3), likewise")
    threes_33: int = _delta("k at (3, 3), likewise")
    hunt_long: int = _delta("weight of ships of 5 or more cells while no hit is open")
    follow_four: int = _delta("weight of ships of 4 cells while a hit is open")
    follow_long: int = _delta("weight of ships of 5 or more cells while a hit is open")
    hit_weight: int = _delta("factor for each open hit in a slot")

    name = "lattice2"
    source = "bsbench"
    uses = Feedback.SHIP
    home = "classic"
    look = ("blue-dark", "solid")

    def _numbers(self, rules: Rules) -> Numbers:
        """Return the tuned numbers for some rules, and what the parameters add."""
        reveals = rules.reveals
        if rules.apart.sides:
            tuned = _SUNK_APART if reveals.lengths else _HIT_APART
        else:
            tuned = _SHIP if reveals.ships else _SUNK if reveals.lengths else _HIT
        near = []
        for phase, table in enumerate(tuned.near):
            prefix = "pairs" if phase < 2 else "threes"
            changed = dict(table)
            for name, delta in self.parameters.items():
                begin, _, digits = name.partition("_")
                if begin == prefix:
                    place = int(digits[0]), int(digits[1])
                    changed[place] = changed.get(place, 0) + delta
            near.append(changed)
        # No slot may weigh nothing: it might be the last one.
        hunt = [(*w[:4], max(w[4] + self.hunt_long, 1)) for w in tuned.hunt]
        more = 0, 0, 0, self.follow_four, self.follow_long
        follow = tuple(
            max(weight + delta, 1) for weight, delta in zip(tuned.follow, more, strict=False)
        )
        hit_weight = max(tuned.hit_weight + self.hit_weight, 1)
        return Numbers(tuple(near), tuple(hunt), follow, hit_weight)

    def slot_player(self, rules: Rules) -> SlotPlayer:
        """Return the player for these rules where it weighs slots."""
        return SlotPlayer(self._numbers(rules), self.halos)

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Choose a player by the rules."""
        super().begin(rules, lanes, seed)
        numbers = self._numbers(rules)
        self._player: PatternStrategy
        if rules.apart.sides:
            self._player = self.slot_player(rules)
        elif rules.reveals.ships:
            self._player = ShipPlayer(numbers)
        elif not rules.reveals.lengths:
            self._player = BeliefPlayer(numbers, self.rounds)
        else:
            self._player = self.slot_player(rules)
        self._player.begin(rules, lanes, seed)

    @property
    def evidence(self) -> Evidence | ShipEvidence:
        """As its player has it, where sinkings are reported."""
        assert isinstance(self._player, SlotPlayer | ShipPlayer)
        return self._player.evidence

    def chosen(self, view: View) -> npt.NDArray[np.generic]:
        """Return what its player chooses, where sinkings are reported."""
        assert isinstance(self._player, SlotPlayer | ShipPlayer)
        return self._player.chosen(view)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known."""
        self._player.deal(lanes, games)

    def shoot(self, view: View) -> Cells:
        """Take note of the last shot, and fire where the score is greatest."""
        return self._player.shoot(view)

    def insight(self, lane: int) -> Insight:
        """Return the scores that led to the shot."""
        return self._player.insight(lane)
