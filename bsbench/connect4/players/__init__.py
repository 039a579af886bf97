"""All players of Connect 4, one file each, found by being in this folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bsbench.common.discovery import class_in, names_in
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import read_variant, suggestion
from bsbench.connect4.players.base import Analysis, Player
from bsbench.own.thinker import LONGEST_START

__all__ = [
    "Analysis",
    "Player",
    "all_players",
    "as_player",
    "find_player",
    "make_player",
    "make_variant",
    "player_names",
]


def player_names() -> list[str]:
    """Return the names of all players, sorted."""
    return names_in(__name__)


def find_player(name: str, longest_start: float = LONGEST_START) -> type[Player]:
    """Return the player of that name; only its own module is imported.

    Parameters
    ----------
    name : str
        Of a built-in player; or a user's own: see `bsbench.connect4.own.player`.
    longest_start : float
        Seconds that a user's program may take to start.

    Raises
    ------
    BsbenchError
        If there is none.
    """
    if ":" in name or name.endswith(".py"):
        # It needs the base of players, which is in this package.
        from bsbench.connect4.own.player import own_kind

        return own_kind(name, longest_start)
    if name not in player_names():
        raise BsbenchError(
            f"unknown player {name!r}: {suggestion(name, player_names())}; your own is "
            "FILE.py:CLASS or cmd:COMMAND"
        )
    return class_in(__name__, name, Player)


def make_player(name: str, settings: Mapping[str, Any] | None = None) -> Player:
    """Return the player of that name with some of its parameters set.

    Parameters
    ----------
    name : str
        As for `find_player`.
    settings : mapping of str to bool, int, float or str, optional
        Values by parameter; text is read as the parameter's type.

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


def as_player(given: str | Player | type) -> Player:
    """Return a player that is given as it is, as text (see `make_variant`), or as a class.

    A class is a user's own, with a method ``choose(view)``; it is played in this process.
    """
    if isinstance(given, Player):
        return given
    if isinstance(given, str):
        return make_variant(given)
    from bsbench.connect4.own.player import class_kind

    return class_kind(given)()


def all_players() -> list[Player]:
    """Return the players of a league of all: each with all settings in `Player.in_leagues`."""
    kinds = map(find_player, player_names())
    return [kind.configured(settings) for kind in kinds for settings in kind.in_leagues]
