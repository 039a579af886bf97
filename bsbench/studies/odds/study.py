"""Exact odds of a position: what is known after some shots, counted over all layouts left.

The record of ``bsbench odds --export-json`` has these keys:

``scenario``
    As in the record of a run.
``answers``
    The shots and what they revealed, in order.
``layouts``, ``unlabelled``
    Layouts that agree with all answers: with distinguishable ships, and without.
``method``
    How they were counted: see `bsbench.counting.posterior`.
``cells``
    For each cell its name, the layouts with a ship on it (distinguishable), these by ship, the
    probability, and the information of a shot there in bits.
``advice``
    What some strategies would shoot: their labels and the cells.
``machine``, ``versions``, ``date``, …
    As in the record of a run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.machine import Provenance
from bsbench.counting.evidence import Answer, Contradiction, Evidence
from bsbench.counting.positions import answer_text, ship_name
from bsbench.counting.posterior import Posterior, find_posterior
from bsbench.play.advice import Hint, hint
from bsbench.rules.board import Rules
from bsbench.rules.drawing import cell_name
from bsbench.rules.scenario import Scenario
from bsbench.runs.request import check_playable
from bsbench.strategies import Strategy

SCHEMA = "bsbench-odds-1"


@dataclass(frozen=True, eq=False)
class Odds(Provenance):
    """The odds of a position.

    Attributes
    ----------
    scenario : Scenario
    answers : tuple of Answer
        Of the shots so far, in order.
    posterior : Posterior
        The layouts that agree with them.
    """

    scenario: Scenario
    answers: tuple[Answer, ...]
    posterior: Posterior = field(repr=False)

    def advice(self, strategy: Strategy) -> Hint:
        """Return what a strategy would shoot, after the shots so far in their order.

        Raises
        ------
        BsbenchError
            If it needs more feedback, ignores the outcomes of shots, or fails.
        """
        check_playable(strategy, self.scenario)
        # Any layout left answers the shots as they were.
        layout = self.posterior.sample(1)
        shots = [answer.cell for answer in self.answers]
        return hint(strategy, self.scenario.rules, layout, shots)

    @cached_property
    def information(self) -> npt.NDArray[np.float64]:
        """What the answer to a shot at each cell reveals on average, in bits: shape (cells,)."""
        return np.array([entropy(self.posterior.outcomes(cell)) for cell in self._cells])

    @property
    def _cells(self) -> range:
        return range(self.scenario.rules.cells)

    def to_dict(self, hints: Iterable[Hint] = ()) -> dict[str, Any]:
        """Return the record, as described at the top of this module, with some hints."""
        rules, found = self.scenario.rules, self.posterior
        names = [ship_name(rules.fleet, ship) for ship in range(len(rules.fleet))]
        cells = [
            {
                "cell": cell_name(cell, rules.cols),
                "layouts": int(found.cells[cell]),
                "probability": float(found.probabilities[cell]),
                "information": float(self.information[cell]),
                "ships": dict(zip(names, map(int, found.ships[:, cell]), strict=True)),
            }
            for cell in self._cells
        ]
        content = {
            "scenario": self.scenario.to_dict(),
            "answers": [answer_text(answer, rules) for answer in self.answers],
            "layouts": found.layouts,
            "unlabelled": found.unlabelled,
            "method": found.method,
            "cells": cells,
            "advice": [
                {"strategy": given.strategy, "cell": cell_name(given.cell, rules.cols)}
                for given in hints
            ],
        }
        return self.record(SCHEMA, content)


def entropy(counts: Iterable[int]) -> float:
    """Return the information, in bits, of which of some cases it is, that are so frequent."""
    listed = [count for count in counts if count]
    total = sum(listed)
    # An exact quotient of whole numbers, rounded once.
    return math.fsum(-(count / total) * math.log2(count / total) for count in listed) + 0.0


def find_odds(
    scenario: Scenario,
    answers: Iterable[Answer] = (),
    progress: Callable[[str], object] = lambda text: None,
) -> Odds:
    """Count the layouts that agree with what some shots revealed.

    Parameters
    ----------
    scenario : Scenario
        With layouts of the law ``uniform``.
    answers : iterable of Answer
    progress : callable, optional
        As for `find_posterior`.

    Raises
    ------
    BsbenchError
        If an answer can't be, the layouts follow another law, or are too many to be counted.
    """
    scenario.check_uniform()
    listed = tuple(answers)
    evidence = Evidence(scenario.rules, listed)
    try:
        found = find_posterior(evidence, progress)
    except Contradiction:
        progress("looking for the answer that can't be")
        number = _first_impossible(scenario.rules, listed)
        answers_before = "answer" if number == 1 else f"{number} answers"
        before = f" and the {answers_before} before it" if number else ""
        raise Contradiction(
            f"{answer_text(listed[number], scenario.rules)} is impossible: no layout agrees with it"
            f"{before}"
        ) from None
    return Odds(threads=1, scenario=scenario, answers=listed, posterior=found)


def _first_impossible(rules: Rules, answers: tuple[Answer, ...]) -> int:
    """Return the first answer with which no layout agrees any more, where none does with all."""
    possible, impossible = 0, len(answers)
    while impossible - possible > 1:
        middle = (possible + impossible) // 2
        try:
            find_posterior(Evidence(rules, answers[:middle]))
            possible = middle
        except Contradiction:
            impossible = middle
    return possible
