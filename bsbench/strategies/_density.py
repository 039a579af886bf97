"""What strategies that weigh slots share: they need to know the length of what sank."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.kernels.choosing import chosen_cells, empty_cells
from bsbench.kernels.density import Evidence, forget, learn, no_evidence, scales
from bsbench.kernels.numbers import LANES, lane_of_words
from bsbench.rules.board import Feedback, Rules
from bsbench.strategies.base import NO_TOUCH, Cells, Insight, Strategy, parameter
from bsbench.strategies.view import View


@dataclass
class DensityStrategy(Strategy):
    """A strategy whose scores are weights of slots, as in `bsbench.kernels.density`.

    Where only the length of a ship that sinks is told, the ship is taken out where its cells
    follow from the hits.
    """

    no_touch: str = parameter("sunk", NO_TOUCH[1], choices=NO_TOUCH[0])

    needs = Feedback.LENGTH
    uses = Feedback.SUNK
    home = "classic"

    @abstractmethod
    def _largest_score(self) -> int:
        """Return a bound of all scores under the rules."""

    def _sinking_blocks(self) -> bool:
        """Return whether cells of a sunk ship are water."""
        return True

    @abstractmethod
    def _weigh(self, word: int) -> None:
        """Put the scores of 64 lanes into the scales."""

    @abstractmethod
    def _choose(self, view: View) -> int:
        """Choose the cells; return a lane in which no slot is possible, or -1."""

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for what is known of the games, and for scores."""
        super().begin(rules, lanes, seed)
        apart = self.no_touch != "ignore"
        self._evidence = no_evidence(rules, lanes, self._sinking_blocks(), apart)
        full = rules.apart.sides and self.no_touch == "full"
        self._scales = scales(rules, full, self._largest_score())
        self._cells = empty_cells(lanes, rules.cells)

    @property
    def evidence(self) -> Evidence:
        """What is known in each lane. Whoever plays games in a way of their own may write to it."""
        return self._evidence

    def chosen(self, view: View) -> npt.NDArray[Any]:
        """Return a cell for every live lane, from `evidence` as it is; overwritten by the next."""
        self._choose(view)
        return self._cells.reshape(-1)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known."""
        forget(lanes, self._evidence)

    def shoot(self, view: View) -> Cells:
        """Take note of the last shot, and choose the next one by its score."""
        learn(view.cell, view.outcome, view.ship, view.slot, self._evidence)
        stuck = self._choose(view)
        return chosen_cells(self._cells, stuck, self.lanes)

    def insight(self, lane: int) -> Insight:
        """Return the scores that led to the shot."""
        self._weigh(lane // LANES)
        # Cells known to be water are not worth a shot, like cells shot before.
        evidence = self._evidence
        is_open = lane_of_words(evidence.unshot, lane) & lane_of_words(evidence.dry, lane)
        scores = self._scales.score[:, lane % LANES]
        # Small scores are unsigned: -1 would wrap.
        scores = scores.astype(np.promote_types(scores.dtype, np.int64))
        return Insight(closed=~is_open, scores=np.where(is_open, scores, -1))
