"""Exact odds of a position: what is known after some shots, counted over all layouts left.

The record of ``bsbench count --export-json`` and ``bsbench odds --export-json`` has these keys:

``scenario``
    As in the record of a run.
``answers``
    The shots and what they revealed, in order.
``layouts``, ``unlabelled``
    Layouts that agree with all answers: with ships of equal length told apart, and without.
``method``
    How they were counted: see `bsbench.counting.posterior`.
``cells``
    For each cell its name, the layouts with a ship on it (told apart), these by ship, the
    probability, and the information of a shot there in bits.
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

from bsbench.common.errors import BsbenchError
from bsbench.common.machine import Provenance
from bsbench.counting.evidence import Answer, Evidence
from bsbench.counting.positions import answer_text, ship_name
from bsbench.counting.posterior import Posterior, find_posterior
from bsbench.rules.drawing import cell_name
from bsbench.rules.scenario import Scenario

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

    @cached_property
    def information(self) -> npt.NDArray[np.float64]:
        """What the answer to a shot at each cell reveals on average, in bits: shape (cells,)."""
        return np.array([entropy(self.posterior.outcomes(cell)) for cell in self._cells])

    @property
    def _cells(self) -> range:
        return range(self.scenario.rules.cells)

    def to_dict(self) -> dict[str, Any]:
        """Return the record, as described at the top of this module."""
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
    check_law(scenario)
    listed = tuple(answers)
    found = find_posterior(Evidence(scenario.rules, listed), progress)
    return Odds(threads=1, scenario=scenario, answers=listed, posterior=found)


def check_law(scenario: Scenario) -> None:
    """Refuse layouts that are not equally likely."""
    if scenario.placement.law != "uniform":
        raise BsbenchError(
            f"exact odds are those of uniform layouts, not of {scenario.placement} ones: add "
            "'--placement uniform'"
        )
