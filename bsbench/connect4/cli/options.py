"""Options of commands that let players play, and the players that they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

import click

from bsbench.cli.options import GAMES, Decorator, Rare, added, threads_option
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_numbers, read_settings, read_variant

if TYPE_CHECKING:
    from bsbench.connect4.players import Player

set_option = click.option(
    "--set",
    "settings",
    cls=Rare,
    multiple=True,
    metavar="[PLAYER.]NAME=VALUE",
    help="Set a parameter, of all players that have it or of one: depth=4, hard.depth=4; may be "
    "repeated. Settings after a player's name win.",
)
depth_option = click.option(
    "--depth", metavar="N", help="Plies that players look ahead, as in NAME,depth=N."
)
opening_option = click.option(
    "--opening",
    "opening_plies",
    type=int,
    metavar="PLIES",
    default=8,
    show_default=True,
    help="Random moves from which a pair of games begins.",
)
timeout_option = click.option(
    "--timeout",
    cls=Rare,
    type=float,
    metavar="SECONDS",
    default=10.0,
    show_default=True,
    help="Time that a user's own player may take for a move.",
)


def seed_option(meaning: str) -> Decorator:
    """Add the option of the seed, with its meaning."""
    return click.option("--seed", type=int, metavar="N", default=0, show_default=True, help=meaning)


def player_option(meaning: str) -> Decorator:
    """Add the option that names a player, with its meaning."""
    return click.option(
        "-p",
        "--player",
        "variant",
        metavar="NAME",
        default="hard",
        show_default=True,
        help=f"{meaning}, or your own; parameters may follow after commas.",
    )


class MatchOptions(TypedDict):
    """Which games are played: what `game_options` adds, but for the players and their time."""

    games: int
    opening_plies: int
    seed: int
    threads: int | None


def game_options(games: str, default: int) -> Decorator:
    """Add the options that say how many games are played, by whom, and from where.

    Parameters
    ----------
    games : str
        What the number of games means.
    default : int
        How many they are by default.
    """
    options: list[Decorator] = [
        click.option(
            "-n",
            "--games",
            type=GAMES,
            metavar="N",
            default=default,
            help=f"{games}  [default: {default:,}]",
        ),
        depth_option,
        set_option,
        opening_option,
        seed_option("Seed of the openings and of the players' random numbers."),
        threads_option,
        timeout_option,
    ]
    return lambda command: added(options, command)


def check_named(
    variants: Sequence[str], depth: str | None, settings: Sequence[str], what: str
) -> None:
    """Refuse settings where no players are named; ``what`` says what all players then do.

    Raises
    ------
    BsbenchError
        If there are any.
    """
    if not variants and (depth is not None or settings):
        raise BsbenchError(f"without players, all {what} as they are: name the players to set")


def make_players(
    variants: Sequence[str],
    depth: str | None = None,
    settings: Sequence[str] = (),
    timeout: float = 10.0,
) -> list[Player]:
    """Return the players that are named, with the parameters that options set.

    Parameters
    ----------
    variants : sequence of str
        ``NAME,PARAMETER=VALUE,…`` each; what is given there wins.
    depth : str, optional
        Stands for a setting of ``depth``.
    settings : sequence of str
        ``NAME=VALUE`` for all players that have such a parameter, or ``PLAYER.NAME=VALUE``.
    timeout : float, optional
        Seconds that a user's own player may take for a move.

    Raises
    ------
    BsbenchError
        If there is no such player, a value is wrong, or a setting fits no player.
    """
    from bsbench.common.parameters import configured_each
    from bsbench.connect4.own.player import OwnPlayer, check_timeout
    from bsbench.connect4.players import find_player
    from bsbench.own.thinker import LONGEST_START

    given = read_settings([*([] if depth is None else [f"depth={depth}"]), *settings])
    named = [read_variant(variant) for variant in variants]
    longest = max(LONGEST_START, check_timeout(timeout))
    kinds = [(find_player(name, longest), own) for name, own in named]
    players = configured_each(kinds, given, "players")
    for player in players:
        if isinstance(player, OwnPlayer):
            player.timeout = timeout
    return players


def ready_player(
    variant: str, depth: str | None, settings: Sequence[str], seed: int, timeout: float
) -> Player:
    """Return a single player, as `make_players` does, ready to play under a seed.

    Raises
    ------
    BsbenchError
        For the reasons that `make_players` has, or if the seed is negative.
    """
    check_numbers(1, seed, None)
    (player,) = make_players([variant], depth, settings, timeout)
    player.begin(seed)
    return player
