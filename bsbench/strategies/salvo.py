"""The strategy ``salvo``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bsbench.kernels.gains import ONE_BIT, choose_turns, no_gains, score_first
from bsbench.kernels.salvos import (
    agreeing_chances,
    all_slots,
    check_turns,
    forget_answers,
    learn_turns,
)
from bsbench.rules.board import Feedback, Rules
from bsbench.strategies.base import NO_TOUCH, Cells, Insight, Strategy, parameter
from bsbench.strategies.view import View


@dataclass
class InformativeSalvo(Strategy):
    """Chooses the cells of a turn one by one, so that the answer to all of them tells most.

    Source: bsbench's own. Cells are chosen by entropy, as in `information`. What is known is the
    slots (possible positions) of each ship that agree with all answers, as in `over9000`; the
    editorial of the contest that inspired its write-up keeps such a list for every ship. A slot
    agrees if for each turn it holds exactly the shots reported as hits on its ship; with joint
    answers, as many of them.

    Settled here: ships are taken as independent, and all slots of a ship as equally likely. The
    answer to some cells parts the slots of a ship into classes, by which of these cells they hold,
    or how many; its entropy is that of the class. The next cell of a turn is the one that adds
    most to the sum of entropies over all ships, together with the cells before it. An expected hit
    counts ``hit_bonus`` bits divided by the number of shots allowed in the turn: the more shots a
    turn has, the less it pays to hit early. Bits are multiples of 2^-32, so that ties are exact.
    The first cell wins. If no cell is worth anything, it fires at the one with most expected hits.
    It never fires where no ship may lie: a turn then has fewer shots.

    If one slot of a ship is left, its cells are closed to other ships (and those around it, where
    ships may not touch, unless ``no_touch=ignore``). A single shot is a turn of one.
    """

    hit_bonus: float = parameter(
        1.0,
        "what an expected hit is worth, in bits, if it is the only shot of its turn",
        least=0,
        most=1000,
    )
    no_touch: str = parameter("sunk", NO_TOUCH[1], choices=NO_TOUCH[0])

    name = "salvo"
    source = "bsbench"
    needs = Feedback.SHIP
    home = "classic"
    look = ("green", "dashdot")

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for the slots that agree, and for gains."""
        super().begin(rules, lanes, seed)
        self._known = all_slots(rules, lanes, self.no_touch)
        self._gains = no_gains(rules)
        self._bonus = np.zeros(rules.most_shots + 1, np.int64)
        for shots in range(1, rules.most_shots + 1):
            self._bonus[shots] = round(self.hit_bonus / shots * ONE_BIT)
        self._turns = np.zeros((lanes, rules.most_shots), np.int64)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known."""
        forget_answers(lanes, self._known)

    def shoot(self, view: View) -> Cells:
        """Choose a turn of one shot."""
        return self.salvo(view)[:, 0]

    def salvo(self, view: View) -> Cells:
        """Take note of the last turn, and choose the next one."""
        joint = self.rules.joint
        self._allowed = view.allowed.copy()
        learn_turns(view.cells, view.ships, view.hits, joint, self._known)
        stuck = choose_turns(
            view.asked, self._allowed, joint, self._bonus, self._known, self._gains, self._turns
        )
        check_turns(stuck)
        return self._turns

    def chances(self, lanes: Cells) -> npt.NDArray[np.float64]:
        """Return the probability that each cell holds a ship, if ships were independent."""
        return agreeing_chances(lanes, self._known, self._gains.counts)

    def insight(self, lane: int) -> Insight:
        """Return what each cell was worth, in bits, as the first of the turn."""
        bonus = self._bonus[self._allowed[lane]]
        score_first(lane, self.rules.joint, bonus, self._known, self._gains)
        closed = self._gains.score < 0
        return Insight(closed=closed, scores=np.where(closed, -1, self._gains.score / ONE_BIT))
