"""Exact odds as text: for the terminal, and for tables in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bsbench.present.sheets import Sheet
from bsbench.present.tables import rules_text
from bsbench.rules.board import HIT, MISS, SUNK
from bsbench.rules.drawing import (
    MISSED,
    OPEN,
    STRUCK,
    SUNKEN,
    UNCLEAR,
    BoardView,
    cell_name,
    row_name,
)
from bsbench.rules.position import JointAnswer, ship_name
from bsbench.studies.odds.study import Odds

_MOST_SHIPS = 10
"""Ships with a column of their own."""

_MOST_DECIMALS = 15
"""Columns of the widest board whose probabilities have a decimal place."""


_UNIT = "probability of a ship on each cell, in %"
"""What the numbers on the board are."""


def odds_sheet(odds: Odds, top: int) -> Sheet:
    """Return what is shown of odds: the board, and a table of so many of the best shots."""
    board, cells = odds_board(odds), best_shots(odds, top)
    return Sheet(
        odds_columns(odds),
        [*odds_heading(odds)],
        [*odds_notes(odds)],
        board,
        texts=percent_texts(odds),
        caption=f"{_UNIT}; {board.status}" if odds.answers else _UNIT,
        more=shots_columns(odds, cells) if cells else {},
        words=("shot",),
    )


def odds_board(odds: Odds) -> BoardView:
    """Return the board of a position; scores are the probabilities of cells not shot."""
    rules = odds.scenario.rules
    marks = [OPEN] * rules.cells
    mark_of = {MISS: MISSED, HIT: STRUCK, SUNK: STRUCK}
    certain = {0: MISSED, odds.posterior.layouts: STRUCK}
    for answer in odds.answers:
        if isinstance(answer, JointAnswer):
            for cell in answer.cells:
                marks[cell] = certain.get(int(odds.posterior.cells[cell]), UNCLEAR)
        else:
            marks[answer.cell] = mark_of[answer.outcome]
    evidence = odds.posterior.evidence
    for cell in evidence.sunk_cells:
        marks[cell] = SUNKEN
    sunk = tuple(sorted(evidence.sunk)) if rules.reveals.lengths else None
    probabilities = odds.posterior.probabilities.tolist()
    scores = [p if mark == OPEN else -1.0 for p, mark in zip(probabilities, marks, strict=True)]
    return BoardView(rules.rows, rules.cols, rules.fleet, tuple(marks), sunk, scores=tuple(scores))


def percent_texts(odds: Odds) -> list[str]:
    """Return the probability of each cell in percent, as written on the board."""
    decimals = 1 if odds.scenario.rules.cols <= _MOST_DECIMALS else 0
    return [f"{100 * p:.{decimals}f}" for p in odds.posterior.probabilities]


def best_shots(odds: Odds, number: int) -> list[int]:
    """Return the cells not shot that are most likely to hold a ship, best first."""
    if odds.posterior.over:
        return []
    shot = odds.posterior.evidence.shot
    order = np.argsort(-odds.posterior.probabilities, kind="stable")
    return [int(cell) for cell in order if not shot[cell]][:number]


def shots_columns(odds: Odds, cells: Sequence[int]) -> dict[str, list[str]]:
    """Return a table of shots: probability of a hit, of each ship there, and information."""
    rules, found = odds.scenario.rules, odds.posterior
    columns = {
        "shot": [cell_name(cell, rules.cols) for cell in cells],
        "hit": [f"{100 * found.probabilities[cell]:.1f} %" for cell in cells],
    }
    if len(rules.fleet) <= _MOST_SHIPS:
        for ship in range(len(rules.fleet)):
            shares = (int(found.ships[ship, cell]) / found.layouts for cell in cells)
            columns[f"ship {ship_name(rules.fleet, ship)}"] = [
                f"{100 * share:.1f} %" for share in shares
            ]
    return columns | {"information": [f"{odds.information[cell]:.3f} bits" for cell in cells]}


def odds_notes(odds: Odds) -> Iterator[str]:
    """Yield what stands below the table of shots."""
    rules = odds.scenario.rules
    alone = ", of single shots," if rules.salvos else ""
    if odds.posterior.over:
        yield "All ship cells are hit: the game is over."
    elif odds.information.any():
        cell = int(np.argmax(odds.information))
        yield (
            f"The answer to {cell_name(cell, rules.cols)}{alone} reveals most: "
            f"{odds.information[cell]:.3f} bits on average."
        )
    shooters: dict[tuple[int, ...], list[str]] = {}
    for given in odds.hints:
        shooters.setdefault(given.turn, []).append(given.strategy)
    for turn, strategies in shooters.items():
        cells = " ".join(cell_name(cell, rules.cols) for cell in turn)
        yield f"{cells}: shot by {', '.join(strategies)}"


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
    text = f"{found.unlabelled:,} layout{'s' * (found.unlabelled != 1)}{left}"
    if found.layouts != found.unlabelled:
        text += f"; {found.layouts:,} if ships of one length count as different"
    yield text
