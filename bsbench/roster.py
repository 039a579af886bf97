"""The roster: finds, makes and lists strategies by name, built in or a user's own.

It is the only module that knows both kinds: `bsbench.strategies` has the built-in ones,
`bsbench.own` loads those of users.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import read_variant, suggestion
from bsbench.common.texts import shortened
from bsbench.own.loading import adapt_class, installed, is_spec, load_strategy, scheme_of
from bsbench.own.thinker import NO_LIMITS, Limits
from bsbench.strategies import Strategy, built_in_strategy, strategy_names

__all__ = [
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


def check_trust(name: str, place: str | Path, trust: bool, otherwise: str = "") -> None:
    """Refuse a strategy that a file names, unless it is built in or the user trusts the file.

    The code of any other strategy would run, and the file may come from a stranger. Nothing is
    imported to find out. A name that is no strategy's passes: `find_strategy` has a hint for it.

    Parameters
    ----------
    name : str
        As for `find_strategy`, without parameters.
    place : str or Path
        The file that names it.
    trust : bool
        Whether the user allows what the file names.
    otherwise : str
        How else to allow it, before "or".

    Raises
    ------
    BsbenchError
        If it is refused.
    """
    if trust or name in strategy_names() or not is_strategy(name):
        return
    danger = "its code would run"
    if scheme_of(name) == "llm":
        danger = "a server would be asked, with your key and maybe at your cost"
    raise BsbenchError(
        f"{place} names the strategy {shortened(name)}, which is not built in: {danger}; "
        f"{otherwise and f'{otherwise}, or '}add --trust if you trust who wrote the file and the "
        "strategy"
    )


def find_strategy(name: str, limits: Limits = NO_LIMITS) -> type[Strategy]:
    """Return the strategy of that name; only its own module is imported.

    Parameters
    ----------
    name : str
        Of a built-in strategy; or of a user's own, ``file.py:Name``, ``file.py``,
        ``package.module:Name``, ``cmd:COMMAND``, or what an installed package calls it: see
        `bsbench.own.loading`.
    limits : Limits, optional
        What a user's own code may take.

    Raises
    ------
    BsbenchError
        If there is none, or a user's own can't be used.
    """
    names = strategy_names()
    if name in names:
        return built_in_strategy(name)
    if not is_strategy(name):
        if Path(name).is_dir():
            files = f"{name.rstrip('/')}/*.py"
            raise BsbenchError(
                f"{name} is a folder, not a strategy: name its files, such as {files}"
            )
        if Path(name).is_file():
            raise BsbenchError(
                f"{name} is a file, but not a strategy: name a program by the command that starts "
                "it, such as cmd:./my_bot or 'cmd:node my_bot.js'"
            )
        hint = suggestion(name, [*names, *installed()])
        raise BsbenchError(
            f"unknown strategy {name!r}: {hint} (one of your own is named FILE.py, FILE.py:CLASS "
            "or cmd:COMMAND)"
        )
    return load_strategy(name, limits)


def make_strategy(
    name: str, settings: Mapping[str, Any] | None = None, limits: Limits = NO_LIMITS
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
    return find_strategy(name, limits).configured(settings or {})


def as_strategy(given: str | Strategy | type) -> Strategy:
    """Return a strategy that is given as an object, as text (see `make_variant`), or by its class.

    Raises
    ------
    BsbenchError
        For the reasons that `make_variant` has, or if the class is no strategy.
    """
    if isinstance(given, Strategy):
        return given
    if isinstance(given, str):
        return make_variant(given)
    if issubclass(given, Strategy) and given.built_in:
        return given()
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
