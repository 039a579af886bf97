"""Answers to shots as people write them."""

from __future__ import annotations

from collections.abc import Sequence

from bsbench.counting.evidence import Answer
from bsbench.rules.board import MISS, NOTHING, SUNK, Rules
from bsbench.rules.drawing import cell_name, row_name
from bsbench.rules.slots import slot_cells


def ship_name(fleet: Sequence[int], ship: int) -> str:
    """Return what a ship is called: its length, with a letter where several have it.

    Examples
    --------
    >>> [ship_name((5, 4, 3, 3, 2), ship) for ship in range(5)]
    ['5', '4', '3a', '3b', '2']
    """
    length = fleet[ship]
    if fleet.count(length) == 1:
        return str(length)
    return f"{length}{_letters(fleet[:ship].count(length))}"


def _letters(number: int) -> str:
    """Return the small letters of a number, 0-based, as rows have large ones."""
    return row_name(number).lower()


def answer_text(answer: Answer, rules: Rules) -> str:
    """Return an answer as it is written: ``B7=hit``, ``C7=miss``, ``E2=sunk:3@C2-E2``."""
    cell = cell_name(answer.cell, rules.cols)
    if answer.outcome == MISS:
        return f"{cell}=miss"
    text = f"{cell}={'sunk' if answer.outcome == SUNK else 'hit'}"
    if answer.ship != NOTHING:
        text += f":{ship_name(rules.fleet, answer.ship)}"
    if answer.slot != NOTHING:
        cells = slot_cells(answer.slot, rules.fleet[answer.ship], rules.cols)
        text += f"@{cell_name(cells[0], rules.cols)}-{cell_name(cells[-1], rules.cols)}"
    return text
