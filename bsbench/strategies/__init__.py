"""All strategies, one file each, found by being in this folder."""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil

from bsbench.errors import BsbenchError
from bsbench.strategies.base import Insight, Strategy

__all__ = ["Insight", "Strategy", "find_strategy", "strategy_names"]


def strategy_names() -> list[str]:
    """Return the names of all strategies, sorted."""
    return sorted(
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(__path__)
        if module.name != "base" and not module.name.startswith("_")
    )


def find_strategy(name: str) -> type[Strategy]:
    """Return the strategy of that name; only its own module is imported.

    Raises
    ------
    BsbenchError
        If there is none.
    """
    names = strategy_names()
    if name not in names:
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"choose one of {', '.join(names)}"
        raise BsbenchError(f"unknown strategy {name!r}: {hint}")
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    for _, member in inspect.getmembers(module, inspect.isclass):
        if issubclass(member, Strategy) and member.__module__ == module.__name__:
            return member
    raise AssertionError(f"{module.__name__} defines no strategy")
