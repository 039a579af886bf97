"""The built-in strategies, one file each, found by being in this folder."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

from bsbench.strategies.base import Insight, Strategy

__all__ = ["Insight", "Strategy", "built_in_strategy", "strategy_names"]


def strategy_names() -> list[str]:
    """Return the names of all built-in strategies, sorted.

    A file whose name begins with an underscore is no strategy; several strategies may share it.
    """
    return sorted(
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(__path__)
        if module.name != "base" and not module.name.startswith("_")
    )


def built_in_strategy(name: str) -> type[Strategy]:
    """Return the built-in strategy of that name; only its own module is imported."""
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    for _, member in inspect.getmembers(module, inspect.isclass):
        if issubclass(member, Strategy) and member.__module__ == module.__name__:
            return member
    raise AssertionError(f"{module.__name__} defines no strategy")
