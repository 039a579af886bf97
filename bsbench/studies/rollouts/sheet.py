"""What rollouts are worth, as text."""

from __future__ import annotations

from collections.abc import Sequence

from bsbench.present.sheets import WORDS as USUAL
from bsbench.present.sheets import Sheet
from bsbench.stats.intervals import interval_text
from bsbench.studies.rollouts.study import Mean, Worth, WorthRecord

WORDS = (*USUAL, "feedback")
"""Columns that are no figures."""

NOTES = (
    "worth: moves that the choices of mcts change, compared with those of its base",
    "games/s: for each second of one core",
)


def worth_sheet(found: Worth) -> Sheet:
    """Return what is shown of what rollouts are worth."""
    return Sheet(worth_columns([found.found]), notes=NOTES, words=WORDS)


def worth_columns(records: Sequence[WorthRecord]) -> dict[str, list[str]]:
    """Return a table with a row for each record."""
    return {
        "scenario": [each.scenario for each in records],
        "feedback": [each.feedback for each in records],
        "strategy": [each.strategy for each in records],
        "games": [f"{each.games}" for each in records],
        "seed": [f"{each.seed}" for each in records],
        "moves ± 95 %": [_text(each.moves) for each in records],
        "worth ± 95 %": [
            _text(Mean(mean=-each.worth.mean, half_width=each.worth.half_width)) for each in records
        ],
        "games/s": [f"{each.games_per_cpu_second}" for each in records],
    }


def _text(figure: Mean) -> str:
    return interval_text(figure.mean, figure.half_width)
