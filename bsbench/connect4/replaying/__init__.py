"""One game of Connect 4, with what each column was worth: as text or as an HTML page.

Games of a match are numbered: game 2 i is that from opening i in which the first-named player is
`first`, game 2 i + 1 that in which it is `second`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial

import numpy as np

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.settings import check_game
from bsbench.connect4.contest import CONTEST
from bsbench.connect4.faults import after
from bsbench.connect4.openings import openings
from bsbench.connect4.players import Player, as_player
from bsbench.connect4.players.base import board_of
from bsbench.connect4.players.perfect import Perfect
from bsbench.connect4.position import CELLS, PLIES, Position
from bsbench.connect4.replaying.page import Replay as Replay
from bsbench.connect4.replaying.page import Value as Value
from bsbench.connect4.replaying.page import Values
from bsbench.matches.faults import PlayerError
from bsbench.own.proxy import Proxy

SOLVED_FROM = 8
"""Stones from which on positions are solved, by default: all of a usual game takes a second or two.
With fewer, a single position takes many seconds, and on the empty board minutes."""


def replay(
    first: str | Player | type,
    second: str | Player | type,
    *,
    seed: int = 0,
    game: int = 0,
    opening_plies: int = PLIES,
    solved_from: int = SOLVED_FROM,
    watch: Callable[[Position], object] = lambda position: None,
    hear: Callable[[str], object] | None = None,
) -> Replay:
    """Play one game of a match again, and find what each column was worth.

    Parameters
    ----------
    first, second : str, Player or type
        The players in the order in which the match names them: see `play_match`.
    seed, opening_plies : int
        Of the match.
    game : int
        Its number.
    solved_from : int
        Stones from which on positions are solved, 0 to 42.
    watch : callable, optional
        Called with each position that the players reach.
    hear : callable, optional
        Called with what users' players print, or write to stderr, before the move.

    Returns
    -------
    Replay
        If a player fails, it ends there, with a `fault`.

    Raises
    ------
    BsbenchError
        If an argument is out of range, or a player can't begin.

    Examples
    --------
    >>> again = replay("greedy", "random", seed=1, game=3, solved_from=20)
    >>> again.labels
    ('random', 'greedy')
    """
    named = as_player(first), as_player(second)
    pair, side = divmod(check_game(game), 2)
    _, opening_plies, seed, _ = CONTEST.check_match(2, opening_plies, seed, 1)
    check_solved_from(solved_from)
    players = [player.copy() for player in named]
    position = openings(seed, pair, 1, opening_plies)[0]
    fault: PlayerError | None = None
    with closing(players[0]), closing(players[1]):
        for player in players:
            if isinstance(player, Proxy):
                player.hear = hear
            player.begin(seed)
        watch(position)
        while not position.is_over:
            index = (len(position.played) + side) % 2
            played = np.array([position.played], np.int8)
            try:
                (column,) = players[index].choose_after(
                    played, board_of(position), np.array([pair])
                )
            except Fault as error:
                match = seed, opening_plies, game
                fault = CONTEST.fault(named, index, match, after(position.played), error)
                break
            position = position.after(int(column))
            watch(position)
    labels = named[side].label, named[1 - side].label
    facts = f"Game {game} of seed {seed}, from an opening of {opening_plies} random moves."
    values = values_of(position, solved_from)
    return Replay(position, labels, facts, opening_plies, values, solved_from, fault)


def replay_moves(position: Position, solved_from: int = SOLVED_FROM) -> Replay:
    """Return a game that was played elsewhere, given by where it has led.

    Raises
    ------
    BsbenchError
        If ``solved_from`` is out of range.
    """
    check_solved_from(solved_from)
    values = values_of(position, solved_from)
    return Replay(position, ("first", "second"), "", 0, values, solved_from)


def check_solved_from(stones: int) -> None:
    """Refuse a number of stones that no board has.

    Raises
    ------
    BsbenchError
    """
    if not 0 <= stones <= CELLS:
        raise BsbenchError(
            f"a board has 0 to {CELLS} stones: positions can't be solved from {stones}"
        )


def values_of(position: Position, solved_from: int) -> tuple[Values | None, ...]:
    """Return what the columns are worth in all positions on the way to one: see `Replay`."""
    solver = Perfect()
    solver.begin(0)
    last = len(position.played) - (1 if position.is_over else 0)
    # From the end: what the table then knows makes the others quick.
    found = map(partial(_values, solver, position.played), range(last, solved_from - 1, -1))
    unsolved: Sequence[Values | None] = [None] * min(solved_from, last + 1)
    return (*unsolved, *reversed([*found]))


def _values(solver: Perfect, played: Sequence[int], ply: int) -> Values:
    """Return what the columns are worth after some moves."""
    scores = solver.analyse(Position(tuple(played[:ply]))).scores
    return {column: Value.of(int(score), ply) for column, score in scores.items()}
