"""The built-in strategies, one file each, found by being in this folder."""

from __future__ import annotations

from bsbench.common.discovery import class_in, names_in
from bsbench.strategies.base import Insight, Strategy

__all__ = ["Insight", "Strategy", "built_in_strategy", "strategy_names"]


def strategy_names() -> list[str]:
    """Return the names of all built-in strategies, sorted."""
    return names_in(__name__)


def built_in_strategy(name: str) -> type[Strategy]:
    """Return the built-in strategy of that name; only its own module is imported."""
    return class_in(__name__, name, Strategy)
