"""Figures of leagues and of the quality of moves as text, for terminal, Markdown and CSV."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bsbench.connect4.league import League
from bsbench.connect4.quality import Quality


def rating_cells(league: League) -> list[tuple[str, str, str]]:
    """Return label, rating with interval, and score of each player, the best first."""
    texts, shares = league.ratings.texts, league.shares
    return [
        (league.labels[place], texts[place], f"{100 * shares[place]:.1f} %")
        for place in league.order
    ]


def cross_cells(league: League) -> list[list[str]]:
    """Return label and scores against each, in percent, of each player, the best first."""
    scores, order = league.scores, league.order
    return [
        [
            league.labels[place],
            *("·" if place == other else f"{100 * scores[place, other]:.0f}" for other in order),
        ]
        for place in order
    ]


def quality_columns(found: Quality, group: int) -> list[str]:
    """Return how groups of plies are called, such as ``10–12``."""
    return [
        f"{plies[0]}–{plies[-1]}" if len(plies) > 1 else f"{plies[0]}"
        for plies in (found.plies[at : at + group] for at in range(0, len(found.plies), group))
    ]


def quality_cells(found: Quality, group: int) -> list[list[str]]:
    """Return label, shares of optimal moves by group of plies and in all, and of kept outcomes.

    Shares are in percent; the last two, over all plies, with half widths of 95 % intervals. The
    first row is that of any open column.
    """
    starts = range(0, len(found.plies), group)
    rows = [
        [
            "any column",
            *(f"{100 * found.chance[at : at + group, 0].mean():.0f}" for at in starts),
            *(f"{100 * share:.1f}" for share in found.chance.mean(axis=0)),
        ]
    ]
    for place, label in enumerate(found.labels):
        optimal, keeps = found.optimal[place], found.keeps[place]
        rows.append(
            [
                label,
                *(f"{100 * found.share(optimal[at : at + group])[0]:.0f}" for at in starts),
                *(_share_text(*found.share(all_of)) for all_of in (optimal, keeps)),
            ]
        )
    return rows


def _share_text(share: float, low: float, high: float) -> str:
    return f"{100 * share:.1f} ± {100 * (high - low) / 2:.1f}"


def time_text(seconds: float) -> str:
    """Return a time in a unit that suits it, to three digits."""
    if math.isnan(seconds):
        return "–"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{_three_digits(seconds / size)} {unit}"
    return f"{_three_digits(seconds / 1e-6)} µs"


def _three_digits(value: float) -> str:
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown; all but the first column are figures."""
    alignment = ["---", *["---:"] * (len(columns) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [columns, alignment, *rows]) + "\n"
