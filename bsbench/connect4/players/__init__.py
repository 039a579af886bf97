"""All players of Connect 4, one file each, found by being in this folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bsbench.common.discovery import class_in, names_in
from bsbench.common.settings import check_choice, read_variant
from bsbench.connect4.players.base import Analysis, Player

__all__ = ["Analysis", "Player", "as_player", "find_player", "make_player", "player_names"]


def player_names() -> list[str]:
    """Return the names of all players, sorted."""
    return names_in(__name__)


def find_player(name: str) -> type[Player]:
    """Return the player of that name; only its own module is imported.

    Raises
    ------
    BsbenchError
        If there is none.
    """
    check_choice("player", name, player_names())
    return class_in(__name__, name, Player)


def make_player(name: str, settings: Mapping[str, Any] | None = None) -> Player:
    """Return the player of that name with some of its parameters set.

    Parameters
    ----------
    name : str
    settings : mapping of str to bool, int, float or str, optional
        Values by parameter; text is read as the parameter's type.

    Raises
    ------
    BsbenchError
        If there is no such player or parameter, or a value is of the wrong kind or out of range.
    """
    return find_player(name).configured(settings or {})


def as_player(given: str | Player) -> Player:
    """Return a player that is given as it is, or written ``NAME,PARAMETER=VALUE,…``.

    Raises
    ------
    BsbenchError
        If it is unreadable, or for the reasons that `make_player` has.

    Examples
    --------
    >>> as_player("hard,depth=4,preset=upstream").label
    'hard depth=4 terminal=later opp_threat_penalty=120'
    """
    return given if isinstance(given, Player) else make_player(*read_variant(given))
