"""Exact odds as text: for the terminal, and for tables in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator

from bsbench.present.tables import rules_text
from bsbench.rules.board import HIT, MISS, SUNK, Feedback
from bsbench.rules.drawing import MISSED, OPEN, STRUCK, SUNKEN, BoardView, row_name
from bsbench.rules.slots import slot_cells
from bsbench.runs.odds import Odds

_MOST_DECIMALS = 15
"""Columns of the widest board whose probabilities have a decimal place."""


def odds_board(odds: Odds) -> BoardView:
    """Return the board of a position; scores are the probabilities of cells not shot."""
    rules = odds.scenario.rules
    marks = [OPEN] * rules.cells
    mark_of = {MISS: MISSED, HIT: STRUCK, SUNK: STRUCK}
    for answer in odds.answers:
        marks[answer.cell] = mark_of[answer.outcome]
    for answer in odds.answers:
        if answer.outcome == SUNK and answer.slot >= 0:
            for cell in slot_cells(answer.slot, rules.fleet[answer.ship], rules.cols):
                marks[cell] = SUNKEN
    sunk = None
    if rules.feedback >= Feedback.SUNK:
        sunk = tuple(answer.ship for answer in odds.answers if answer.outcome == SUNK)
    probabilities = odds.posterior.probabilities.tolist()
    scores = [p if mark == OPEN else -1.0 for p, mark in zip(probabilities, marks, strict=True)]
    return BoardView(rules.rows, rules.cols, rules.fleet, tuple(marks), sunk, scores=tuple(scores))


def percent_texts(odds: Odds) -> list[str]:
    """Return the probability of each cell in percent, as written on the board."""
    decimals = 1 if odds.scenario.rules.cols <= _MOST_DECIMALS else 0
    return [f"{100 * p:.{decimals}f}" for p in odds.posterior.probabilities]


def odds_columns(odds: Odds) -> dict[str, list[str]]:
    """Return the board as a table: probabilities in percent, symbols where shots were fired."""
    view, texts = odds_board(odds), percent_texts(odds)
    cells = [
        text if mark == OPEN else view.symbol(cell)
        for cell, (text, mark) in enumerate(zip(texts, view.marks, strict=True))
    ]
    rows = {"": [row_name(row) for row in range(view.rows)]}
    return rows | {str(col + 1): cells[col :: view.cols] for col in range(view.cols)}


def odds_heading(odds: Odds) -> Iterator[str]:
    """Yield what stands above the board: the rules, and how many layouts there are."""
    scenario, found = odds.scenario, odds.posterior
    yield f"{scenario.name}: {rules_text(scenario)}"
    left = " left" if odds.answers else ""
    text = _layouts(found.unlabelled) + left
    if found.layouts != found.unlabelled:
        text += f"; {found.layouts:,} with ships of equal length told apart"
    yield text


def _layouts(number: int) -> str:
    return "1 layout" if number == 1 else f"{number:,} layouts"


UNIT = "probability of a ship on each cell, in %"
"""What the numbers on the board are."""
