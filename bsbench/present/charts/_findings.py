"""What charts find, as sentences for their titles."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bsbench.present.charts._drawing import short
from bsbench.runs.comparison import Comparison
from bsbench.stats import Summary

_NAME = 40
"""Letters of a name in a title."""

_NAMED = 3
"""Strategies that a title names, if they can't be distinguished."""


def mean_text(stats: Summary) -> str:
    """Return a mean to two digits, or as many as its interval leaves."""
    return figure_text(stats.mean, stats.half_width)


def figure_text(value: float, half_width: float) -> str:
    """Return a figure to two digits, or as many as its interval leaves."""
    if math.isnan(half_width) or half_width <= 0:
        return f"{value:.2f}"
    digits = min(2, max(0, 1 - math.floor(math.log10(half_width))))
    return f"{value:.{digits}f}"


def amount(value: float, half_width: float, what: str = "moves") -> str:
    """Return how many, without a sign, and of what: as few digits as there are, but not 0."""
    text = figure_text(abs(value), half_width)
    if value and not float(text):
        text = f"{abs(value):.2g}"
    return f"{text} {what}".rstrip()


def needs_fewest(ranked: Comparison, where: str) -> str:
    """Return who needs the fewest moves, or who can't be distinguished from that.

    Parameters
    ----------
    ranked : Comparison
        The best first, and compared with it.
    where : str
        Such as `` on classic``.
    """
    best, *others = ranked.results
    mean = mean_text(best.stats)
    if not others:
        return f"{short(best.label, _NAME)} needs {mean} moves on average{where}"
    differences = ranked.differences[1:]
    alike = [
        other
        for other, difference in zip(others, differences, strict=True)
        if not difference.significant
    ]
    if not alike:
        second, more = others[0], differences[0]
        return (
            f"{short(best.label, _NAME)} needs the fewest moves{where}: {mean}; "
            f"{short(second.label, _NAME)} needs {amount(more.mean, more.half_width, '')} more"
        )
    found = [best, *alike]
    means = mean_text(max(found, key=lambda each: each.stats.mean).stats)
    between = f"{mean} to {means} moves" if means != mean else f"{mean} moves"
    return f"{_joined([each.label for each in found])} can't be distinguished{where}: {between}"


def _joined(labels: Sequence[str]) -> str:
    named = [short(label, _NAME) for label in labels]
    if len(named) > _NAMED:
        return f"{named[0]} and {len(named) - 1} others"
    return f"{', '.join(named[:-1])} and {named[-1]}"
