"""Exact odds of a position: what is known after some shots, counted over all layouts left."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from msgspec import UNSET, UnsetType

from bsbench.common.found import Found
from bsbench.common.progress import Progress, Watch, ignored
from bsbench.common.record import Content, Count, Record
from bsbench.counting.posterior import Posterior, find_agreeing
from bsbench.play.advice import Hint, hint
from bsbench.rules.drawing import cell_name
from bsbench.rules.position import AnyAnswer, Position, answer_text, ship_name
from bsbench.rules.scenario import Scenario, ScenarioRecord
from bsbench.runs.request import Request
from bsbench.strategies import Strategy


class CellOdds(Record, frozen=True):
    """How likely a cell holds a ship.

    Attributes
    ----------
    cell
        Name, such as `B7`.
    layouts
        Layouts with a ship on it.
    probability
        Their share.
    information
        What a shot there reveals on average, in bits.
    ships
        Layouts with each ship there, by the name of the ship.
    """

    cell: str
    layouts: Count
    probability: float
    information: float
    ships: dict[str, Count]


class Advice(Record, frozen=True):
    """What a strategy would shoot.

    Attributes
    ----------
    strategy
        Label.
    cell
        What it would shoot; the first cell of a turn.
    turn
        Only in salvos: all cells of its turn.
    """

    strategy: str
    cell: str
    turn: list[str] | UnsetType = UNSET


class OddsRecord(Content, frozen=True):
    """What `--export-json` of `bsbench odds` writes: exact probabilities of a position.

    Attributes
    ----------
    scenario
        What was played.
    answers
        The shots and what they revealed, in order.
    layouts
        Layouts that agree with all answers, with distinguishable ships.
    unlabelled
        The same, with indistinguishable ships.
    method
        How they were counted: see `bsbench.counting.posterior`.
    cells
        One for each cell.
    advice
        What some strategies would shoot.
    """

    schema = "bsbench-odds-1"
    scenario: ScenarioRecord
    answers: list[str]
    layouts: Count
    unlabelled: Count
    method: str
    cells: list[CellOdds]
    advice: list[Advice]


@dataclass(frozen=True, eq=False)
class Odds(Found):
    """The odds of a position.

    Attributes
    ----------
    position : Position
        The shots so far, and their answers.
    posterior : Posterior
        The layouts that agree with them.
    hints : tuple of Hint
        What some strategies would shoot.
    """

    form: ClassVar = OddsRecord
    entries: ClassVar = "cells"

    position: Position
    posterior: Posterior = field(repr=False)
    hints: tuple[Hint, ...] = ()

    @property
    def scenario(self) -> Scenario:
        """The rules, and the law of placement."""
        return self.position.scenario

    @property
    def answers(self) -> tuple[AnyAnswer, ...]:
        """Those of the shots so far."""
        return self.position.answers

    def advice(self, strategy: Strategy) -> Hint:
        """Return what a strategy would shoot, after the shots so far in their order.

        Raises
        ------
        BsbenchError
            If it needs more feedback, ignores the outcomes of shots, or fails.
        """
        Request.of().check([strategy], [self.scenario])
        # Any layout left answers the shots as they were.
        layout = self.posterior.sample(1)
        return hint(strategy, self.scenario.rules, layout, self.position.shots)

    @cached_property
    def information(self) -> npt.NDArray[np.float64]:
        """What the answer to a shot at each cell reveals on average, in bits: shape (cells,)."""
        return np.array([entropy(self.posterior.outcomes(cell)) for cell in self._cells])

    @property
    def _cells(self) -> range:
        return range(self.scenario.rules.cells)

    def content(self) -> OddsRecord:
        """Return the record."""
        rules, found = self.scenario.rules, self.posterior
        names = [ship_name(rules.fleet, ship) for ship in range(len(rules.fleet))]
        return OddsRecord(
            scenario=ScenarioRecord(**self.scenario.to_dict()),
            answers=[answer_text(answer, rules) for answer in self.answers],
            layouts=found.layouts,
            unlabelled=found.unlabelled,
            method=found.method,
            cells=[
                CellOdds(
                    cell=cell_name(cell, rules.cols),
                    layouts=int(found.cells[cell]),
                    probability=float(found.probabilities[cell]),
                    information=float(self.information[cell]),
                    ships=dict(zip(names, map(int, found.ships[:, cell]), strict=True)),
                )
                for cell in self._cells
            ],
            advice=[
                Advice(
                    strategy=given.strategy,
                    cell=cell_name(given.cell, rules.cols),
                    turn=[cell_name(cell, rules.cols) for cell in given.turn]
                    if rules.salvos
                    else UNSET,
                )
                for given in self.hints
            ],
        )


def entropy(counts: Iterable[int]) -> float:
    """Return the information, in bits, of which of some cases it is, that are so frequent."""
    listed = [count for count in counts if count]
    total = sum(listed)
    # An exact quotient of whole numbers, rounded once.
    return math.fsum(-(count / total) * math.log2(count / total) for count in listed) + 0.0


def find_odds(
    position: Position,
    strategies: Iterable[Strategy] = (),
    progress: Watch = ignored,
) -> Odds:
    """Count the layouts that agree with what some shots revealed.

    Parameters
    ----------
    position : Position
        With layouts of the law ``uniform``.
    strategies : iterable of Strategy
        Those that say what they would shoot, unless the game is over.
    progress : callable, optional
        As for `find_agreeing`.

    Raises
    ------
    BsbenchError
        If an answer can't be, the layouts follow another law, or are too many to be counted; or as
        for `Odds.advice`.
    """
    position.scenario.check_uniform()
    found = find_agreeing(position.rules, position.answers, progress)
    odds = Odds(threads=1, position=position, posterior=found)
    hints = []
    for strategy in () if found.over else strategies:
        progress(Progress(f"asking {strategy.label}"))
        hints.append(odds.advice(strategy))
    return replace(odds, hints=tuple(hints))
