"""All strategies, one file each, found by being in this folder."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from typing import Any

from bsbench.errors import BsbenchError
from bsbench.parameters import wanted
from bsbench.settings import read_variant, suggestion
from bsbench.strategies.base import Insight, Strategy

__all__ = [
    "Insight",
    "Strategy",
    "as_strategy",
    "find_strategy",
    "make_strategy",
    "make_variant",
    "strategy_names",
    "wanted",
]


def strategy_names() -> list[str]:
    """Return the names of all strategies, sorted.

    A file whose name begins with an underscore is no strategy; several may share it.
    """
    return sorted(
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(__path__)
        if module.name != "base" and not module.name.startswith("_")
    )


def find_strategy(name: str) -> type[Strategy]:
    """Return the strategy of that name; only its own module is imported.

    Parameters
    ----------
    name : str
        Of a built-in strategy; or of a user's own, ``file.py:Name``, ``package.module:Name``,
        or what an installed package calls it: see `bsbench.plugins.loading`.

    Raises
    ------
    BsbenchError
        If there is none, or a user's own can't be used.
    """
    names = strategy_names()
    if name not in names:
        from bsbench.plugins.loading import installed, is_spec, load_strategy

        if is_spec(name) or name in installed():
            return load_strategy(name)
        hint = suggestion(name, [*names, *installed()])
        raise BsbenchError(
            f"unknown strategy {name!r}: {hint} (one of your own is named FILE.py:CLASS)"
        )
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    for _, member in inspect.getmembers(module, inspect.isclass):
        if issubclass(member, Strategy) and member.__module__ == module.__name__:
            return member
    raise AssertionError(f"{module.__name__} defines no strategy")


def make_strategy(name: str, settings: Mapping[str, Any] | None = None) -> Strategy:
    """Return the strategy of that name with some of its parameters set.

    Parameters
    ----------
    name : str
    settings : mapping of str to bool, int, float or str, optional
        Values by parameter. Text stands for what it says: ``"0.01"``, ``"true"``.

    Raises
    ------
    BsbenchError
        If there is no such strategy or parameter, or a value is of the wrong kind or
        out of range.

    Examples
    --------
    >>> make_strategy("prob").label
    'prob'
    """
    return find_strategy(name).configured(settings or {})


def as_strategy(given: str | Strategy | type) -> Strategy:
    """Return a strategy that is given as it is, as text (see `make_variant`), or by its class.

    Raises
    ------
    BsbenchError
        For the reasons that `make_variant` has, or if the class is no strategy.
    """
    if isinstance(given, Strategy):
        return given
    if isinstance(given, str):
        return make_variant(given)
    if issubclass(given, Strategy) and given.__module__.startswith(f"{__name__}."):
        return given()
    from bsbench.plugins.loading import adapt_class

    return adapt_class(given)()


def make_variant(text: str) -> Strategy:
    """Return the strategy written ``NAME,PARAMETER=VALUE,…``, as on the command line.

    Raises
    ------
    BsbenchError
        If it is unreadable, or for the reasons that `make_strategy` has.

    Examples
    --------
    >>> make_variant("over9000,noise=0").label
    'over9000 noise=0.0'
    """
    return make_strategy(*read_variant(text))
