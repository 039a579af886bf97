"""Options that several commands share, and the players that they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from bsbench.cli.options import Decorator
from bsbench.common.settings import check_numbers, read_variant

if TYPE_CHECKING:
    from bsbench.connect4.players import Player

depth_option = click.option(
    "--depth", metavar="N", help="Plies that hard looks ahead: short for hard,depth=N."
)


def player_option(meaning: str) -> Decorator:
    """Add the option that names a player, with its meaning."""
    return click.option(
        "-p",
        "--player",
        "variant",
        metavar="NAME",
        default="hard",
        show_default=True,
        help=f"{meaning}: greedy, hard, perfect or random; parameters may follow after commas.",
    )


def make_players(variants: Sequence[str], settings: Mapping[str, str | None]) -> list[Player]:
    """Return the players that are named, with the parameters that options set.

    Parameters
    ----------
    variants : sequence of str
        ``NAME,PARAMETER=VALUE,…`` each; what is given there wins.
    settings : mapping of str to str or None
        Values by parameter, for all players that have it; None where an option is not given.

    Raises
    ------
    BsbenchError
        If there is no such player, a value is wrong, or a setting fits no player.
    """
    from bsbench.connect4.players import find_player

    named = [read_variant(variant) for variant in variants]
    kinds = [find_player(name) for name, _ in named]
    players = []
    for kind, (_, own) in zip(kinds, named, strict=True):
        # What nobody has, the first one refuses.
        fitting = {
            key: value
            for key, value in settings.items()
            if value is not None
            and (key in kind.declared() or not any(key in each.declared() for each in kinds))
        }
        players.append(kind.configured({**fitting, **own}))
    return players


def ready_player(variant: str, settings: Mapping[str, str | None], seed: int) -> Player:
    """Return a single player, as `make_players` does, ready to play under a seed.

    Raises
    ------
    BsbenchError
        For the reasons that `make_players` has, or if the seed is out of range.
    """
    check_numbers(1, seed, None)
    (player,) = make_players([variant], settings)
    player.begin(seed)
    return player
