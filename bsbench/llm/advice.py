"""What a strategy says about a board, as text for a model that plays with its help."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from bsbench.llm.text import action_to_text
from bsbench.rules.board import Rules
from bsbench.strategies.base import Planner, Strategy
from bsbench.strategies.view import View

_LANE = np.zeros(1, np.int64)

_Kind = TypeVar("_Kind", bound=Strategy)


class Adviser:
    """A strategy that looks on in one game, and says what it would do.

    Parameters
    ----------
    strategy : Strategy
        Left as it is.
    rules : Rules
    seed, game : int
        Of its random numbers.
    style : str
        How cells are written: one of `bsbench.llm.text.STYLES`.
    """

    def __init__(self, strategy: Strategy, rules: Rules, seed: int, game: int, style: str) -> None:
        self._rules, self._seed, self._game, self._style = rules, seed, game, style
        self._name = strategy.name
        # The shots so far, as a view shows the last one.
        self._shots: list[tuple[int, int, int, int]] = []
        self._strategy = self._begun(strategy)
        self._view = self._fresh_view()

    def _begun(self, strategy: _Kind) -> _Kind:
        strategy = strategy.copy()
        strategy.begin(self._rules, 1, self._seed)
        strategy.deal(_LANE, np.array([self._game]))
        return strategy

    def _fresh_view(self) -> View:
        view = View(self._rules, 1)
        view.begin(_LANE)
        return view

    def note(self, cell: int, outcome: int, ship: int, slot: int) -> None:
        """Take note of a shot and what it did, as `View` has it."""
        self._shots.append((cell, outcome, ship, slot))
        _show(self._view, self._shots[-1])

    def advise(self) -> tuple[str, npt.NDArray[np.float64] | None]:
        """Return what the strategy says, and a number for each cell, -1 where shot, if it has any.

        Call it once for each shot.
        """
        strategy, view = self._strategy, self._view
        if isinstance(strategy, Planner):
            # Asked to shoot, it keeps cells in its plan that may not be shot: another one follows.
            strategy, view = self._begun(strategy), self._fresh_view()
            for shot in self._shots:
                strategy.follow(view)
                _show(view, shot)
        cell = int(strategy.shoot(view)[0])
        said = f"The strategy {self._name} would shoot at {self._cell(cell)}."
        numbers, chances = self._numbers(strategy)
        if numbers is None:
            return said, None
        # The cell that it chose stands before others that are as good.
        order = sorted(
            np.flatnonzero(numbers >= 0).tolist(),
            key=lambda each: (-numbers[each], each != cell, each),
        )
        written = numbers.tolist()
        texts = [f"{100 * n:.1f} %" if chances else f"{n:g}" for n in written]
        listed = ", ".join(f"{self._cell(each)} {texts[each]}" for each in order)
        what = "Probabilities of a ship" if chances else "Scores of cells"
        return f"{said} {what}, the highest first: {listed}.", numbers

    def _numbers(self, strategy: Strategy) -> tuple[npt.NDArray[np.float64] | None, bool]:
        """Return probabilities or scores, -1 where a cell was shot, and whether they are the first.

        None if the strategy has none for the shot just chosen.
        """
        is_open = np.ones(self._rules.cells, np.bool_)
        is_open[[cell for cell, *_ in self._shots]] = False
        if strategy.gives_chances:
            chances = strategy.chances(_LANE)[0]
            if not np.isnan(chances[is_open]).any():
                return np.where(is_open, chances, -1.0), True
        insight = strategy.insight(0)
        if insight.scores is None or insight.waiting:
            return None, False
        return np.where(is_open, np.asarray(insight.scores, np.float64), -1.0), False

    def _cell(self, cell: int) -> str:
        return action_to_text(cell, (self._rules.rows, self._rules.cols), self._style)


def _show(view: View, shot: tuple[int, int, int, int]) -> None:
    """Write down what a shot did, as the referee does."""
    view.cell[0], view.outcome[0], view.ship[0], view.slot[0] = shot
    view.shots[0] += 1
