"""What these charts share: how players look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bsbench.connect4.players import player_names
from bsbench.matches.player import Player
from bsbench.present.looks import COLOURS

MARKERS = ("o", "s", "D", "^", "v", "P", "X")

_FAINTEST = 0.72


def colour(player: Player) -> str:
    """Return the colour of a player, the same whatever its parameters."""
    return list(COLOURS.values())[player_names().index(player.name) % len(COLOURS)]


def marker(player: Player) -> str:
    """Return the mark of a player, the same whatever its parameters."""
    return MARKERS[player_names().index(player.name) % len(MARKERS)]


def strengths(players: Sequence[Player]) -> list[float]:
    """Return how opaque each player is: of those that differ by parameters alone, later ones more.

    They are given from the weakest setting to the strongest.
    """
    found = [1.0] * len(players)
    for places in _alike(players):
        for rung, place in enumerate(places):
            # The faintest one is still seen, on light and dark ground.
            found[place] = 1 - _FAINTEST * (1 - (rung + 1) / len(places))
    return found


def ladders(players: Sequence[Player]) -> list[list[int]]:
    """Return the places of players that differ in one number alone, ordered by it."""
    found = []
    for places in _alike(players):
        parameters = [players[place].parameters for place in places]
        varied = [
            name for name in parameters[0] if len({str(each[name]) for each in parameters}) > 1
        ]
        if len(varied) == 1 and isinstance(parameters[0][varied[0]], int | float):
            name = varied[0]
            found.append(sorted(places, key=lambda place: players[place].parameters[name]))
    return found


def _alike(players: Sequence[Player]) -> Iterable[list[int]]:
    """Return the places of the players of each name."""
    places: dict[str, list[int]] = {}
    for place, player in enumerate(players):
        places.setdefault(player.name, []).append(place)
    return places.values()
