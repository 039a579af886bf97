"""All players of Connect 4, one file each, found by being in this folder."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from typing import Any

from bsbench.connect4.players.base import Analysis, Player
from bsbench.errors import BsbenchError
from bsbench.settings import read_variant, suggestion

__all__ = ["Analysis", "Player", "find_player", "make_player", "make_variant", "player_names"]


def player_names() -> list[str]:
    """Return the names of all players, sorted.

    A file whose name begins with an underscore is no player.
    """
    return sorted(
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(__path__)
        if module.name != "base" and not module.name.startswith("_")
    )


def find_player(name: str) -> type[Player]:
    """Return the player of that name; only its own module is imported.

    Raises
    ------
    BsbenchError
        If there is none.
    """
    if name not in player_names():
        raise BsbenchError(f"unknown player {name!r}: {suggestion(name, player_names())}")
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    for _, member in inspect.getmembers(module, inspect.isclass):
        if issubclass(member, Player) and member.__module__ == module.__name__:
            return member
    raise AssertionError(f"{module.__name__} defines no player")


def make_player(name: str, settings: Mapping[str, Any] | None = None) -> Player:
    """Return the player of that name with some of its parameters set.

    Parameters
    ----------
    name : str
    settings : mapping of str to bool, int, float or str, optional
        Values by parameter; text stands for what it says.

    Raises
    ------
    BsbenchError
        If there is no such player or parameter, or a value is of the wrong kind or out of range.
    """
    return find_player(name).configured(settings or {})


def make_variant(text: str) -> Player:
    """Return the player written ``NAME,PARAMETER=VALUE,…``, as on the command line.

    Raises
    ------
    BsbenchError
        If it is unreadable, or for the reasons that `make_player` has.

    Examples
    --------
    >>> make_variant("hard,depth=4,preset=upstream").label
    'hard depth=4 terminal=later opp_threat_penalty=120'
    """
    return make_player(*read_variant(text))
