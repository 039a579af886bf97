"""What a strategy says about a board, as text for a model that plays with its help."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from bsbench.rules.board import Rules
from bsbench.rules.drawing import cell_name
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
    """

    def __init__(self, strategy: Strategy, rules: Rules, seed: int, game: int) -> None:
        self._rules, self._seed, self._game = rules, seed, game
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

    def advise(self) -> str:
        """Return where the strategy would shoot, and its number for each open cell, if it has any.

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
        shot_at = {cell for cell, *_ in self._shots}
        cells = [each for each in range(self._rules.cells) if each not in shot_at]
        insight = strategy.insight(0)
        numbers, form, what = insight.scores, "{:g}", "Scores of cells"
        if (
            strategy.gives_chances
            and not np.isnan((own := strategy.chances(_LANE)[0])[cells]).any()
        ):
            numbers, form, what = 100 * own, "{:.1f} %", "Probabilities of a ship"
        elif numbers is None or insight.waiting:
            return said
        written = {each: float(numbers[each]) for each in cells if numbers[each] >= 0}
        # The cell that it chose stands before others that are as good.
        order = sorted(written, key=lambda each: (-written[each], each != cell, each))
        listed = ", ".join(f"{self._cell(each)} {form.format(written[each])}" for each in order)
        return f"{said} {what}, the highest first: {listed}."

    def _cell(self, cell: int) -> str:
        return cell_name(cell, self._rules.cols)


def _show(view: View, shot: tuple[int, int, int, int]) -> None:
    """Write down what a shot did, as the referee does."""
    view.cell[0], view.outcome[0], view.ship[0], view.slot[0] = shot
    view.shots[0] += 1
