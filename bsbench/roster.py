"""The roster: finds, makes and lists strategies by name, built in or a user's own.

It is the only module that knows both kinds: `bsbench.strategies` has the built-in ones,
`bsbench.own` loads those of users.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any, TypeAlias

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError, option
from bsbench.common.settings import read_variant, suggestion
from bsbench.common.texts import shortened
from bsbench.own.describing import METHODS, parameters_of
from bsbench.own.loading import (
    adapt_class,
    adapt_function,
    installed,
    is_spec,
    load_strategy,
    scheme_of,
)
from bsbench.own.thinker import NO_LIMITS, Limits
from bsbench.strategies import Strategy, built_in_strategy, strategy_names

__all__ = [
    "Given",
    "as_strategy",
    "check_trust",
    "find_strategy",
    "is_strategy",
    "make_strategy",
    "make_variant",
    "strategy_names",
]


def is_strategy(name: str) -> bool:
    """Return whether a name is that of a strategy; nothing is imported to find out.

    Parameters
    ----------
    name : str
        As for `find_strategy`. A class that is named by its file or module may still be missing.
    """
    return name in strategy_names() or is_spec(name) or name in installed()


def check_trust(name: str, place: str | Path, trust: bool | None, otherwise: str = "") -> None:
    """Refuse a strategy that a file names, unless it is built in or the user trusts the file.

    The code of any other strategy would run, and the file may come from a stranger. Nothing is
    imported to find out. A name that is no strategy's passes: `find_strategy` has a hint for it.

    Parameters
    ----------
    name : str
        As for `find_strategy`, without parameters.
    place : str or Path
        The file that names it.
    trust : bool or None
        Whether the user allows what the file names; None where that can't be said.
    otherwise : str
        How else to allow it, before "or".

    Raises
    ------
    BsbenchError
        If it is refused.
    """
    # A printed order is data.
    if trust or name in strategy_names() or scheme_of(name) == "order" or not is_strategy(name):
        return
    danger = "its code would run"
    if scheme_of(name) == "llm":
        danger = "a server would be asked, with your key and maybe at your cost"
    remedies = [otherwise] if otherwise else []
    if trust is not None:
        allow = option("trust", True)
        remedies.append(f"add {allow} if you trust who wrote the file and the strategy")
    raise BsbenchError(
        f"{place} names the strategy {shortened(name)}, which is not built in: {danger}; "
        f"{', or '.join(remedies)}"
    )


@checked
def find_strategy(name: str | Path, limits: Limits = NO_LIMITS) -> type[Strategy]:
    """Return the strategy of that name; only its own module is imported.

    Parameters
    ----------
    name : str
        Of a built-in strategy; or of a user's own, ``file.py:Name``, ``file.py``,
        ``package.module:Name``, ``cmd:COMMAND``, ``order:FILE``, or what an installed package
        calls it: see `bsbench.own.loading`.
    limits : Limits, optional
        What a user's own code may take.

    Raises
    ------
    BsbenchError
        If there is none, or a user's own can't be used.
    """
    names = strategy_names()
    if isinstance(name, Path):
        name = str(name)
    if not isinstance(name, str):
        raise BsbenchError(f"a strategy is found by its name, a text, not by {shortened(name)}")
    if name in names:
        return built_in_strategy(name)
    if not is_strategy(name):
        if os.path.isdir(name):
            files = f"{name.rstrip('/')}/*.py"
            raise BsbenchError(
                f"{name} is a folder, not a strategy: name its files, such as {files}"
            )
        if os.path.isfile(name):
            remedy = (
                "name a program by the command that starts it, such as cmd:./my_bot or "
                "'cmd:node my_bot.js'"
            )
            if name.endswith(".zip"):
                remedy = (
                    "if it is a model of Stable-Baselines3, loading it would run code from the "
                    "file; if you trust it, load it in Python and export it: bsbench.env.export("
                    f"PPO.load({name!r}), 'mine.onnx', scenario='gym-8x8')"
                )
            raise BsbenchError(f"{name} is a file, but not a strategy: {remedy}")
        beside = []
        # A text that can't be a path has nothing beside it.
        with suppress(OSError, ValueError):
            beside = [str(path) for path in Path(name).parent.glob("*") if is_spec(str(path))]
        near = get_close_matches(name, beside, n=1)
        hint = suggestion(name, near or [*names, *installed()])
        raise BsbenchError(
            f"unknown strategy {name!r}: {hint} (one of your own is named FILE.py, FILE.py:CLASS "
            "or cmd:COMMAND)"
        )
    return load_strategy(name, limits)


@checked
def make_strategy(
    name: str | Path, settings: Mapping[str, Any] | None = None, limits: Limits = NO_LIMITS
) -> Strategy:
    """Return the strategy of that name with some of its parameters set.

    Parameters
    ----------
    name : str
    settings : mapping of str to bool, int, float or str, optional
        Values by parameter. Text is read as a value: ``"0.01"``, ``"true"``.
    limits : Limits, optional
        What a user's own code may take.

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
    if settings is not None:
        _check_settings(settings)
    return find_strategy(name, limits).configured(settings or {})


Given: TypeAlias = str | Path | Strategy | type | Callable[..., Any]
"""A strategy, as users give it: see `as_strategy`."""


def as_strategy(given: Any, limits: Limits = NO_LIMITS) -> Strategy:
    """Return a strategy that is given as text, as an object, as a class, or as a function.

    Parameters
    ----------
    given : str, Path, Strategy, type, callable or object
        Text as for `make_variant`; the path of a file of your own; a strategy; the class of one,
        built in or your own (`bsbench.own.describing.describe`), or an object of it, whose
        parameters are those of the strategy; or a function from a `bsbench.GameView` to the next
        cell, which is called as the function is. Functions, and classes that no other process can
        import, are played in this process.
    limits : Limits, optional
        What a user's own code may take, where text names it.

    Raises
    ------
    BsbenchError
        For the reasons that `make_variant` has, or if it is no strategy.

    Examples
    --------
    >>> as_strategy("over9000,noise=0").label
    'over9000 noise=0.0'
    >>> as_strategy(lambda view: view.open_cells[0]).name
    'function'
    """
    if isinstance(given, Strategy):
        return given
    if isinstance(given, str | Path):
        return make_variant(str(given), limits)
    if isinstance(given, type):
        built_in = issubclass(given, Strategy) and given.built_in
        return given() if built_in else adapt_class(given)()
    if isinstance(given, FunctionType | MethodType | partial):
        return adapt_function(given)()
    if any(callable(getattr(given, method, None)) for method in METHODS):
        return adapt_class(type(given)).configured(parameters_of(given))
    raise BsbenchError(
        "a strategy is a name, a class or an object of it, or a function from a view to a cell, "
        f"not {shortened(given)}"
    )


def _check_settings(settings: Any) -> None:
    if not isinstance(settings, Mapping) or not all(isinstance(name, str) for name in settings):
        raise BsbenchError(
            f"parameters are set by a table such as {{'noise': 0}}, not by {shortened(settings)}"
        )


def make_variant(text: str, limits: Limits = NO_LIMITS) -> Strategy:
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
    return make_strategy(*read_variant(text), limits)
