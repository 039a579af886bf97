"""Leagues: each player meets each, and all are rated.

All matches have the same openings. Ratings are those of `bsbench.stats.rate`, relative to the mean
of the league's players.

A league as JSON, of schema ``bsbench-connect4-league-1``, has these keys:

``schema``, ``bsbench``, ``opening_plies``, ``seed``
    As in the record of a match.
``games``, ``requested``
    Games of each match; and players asked for, of whom there are fewer if Ctrl-C ended it.
``players``
    Of each ``label``, ``name``, ``source``, ``parameters``, ``moves``, ``nodes`` and ``seconds``,
    as in the record of a match, over all its matches; ``elo``, the rating, ``half_width`` of its
    95 % interval, and ``score``, the share of all points.
``matches``
    For each two players, the places of both in ``players`` (``first``, ``second``), and the half
    points that the first took from each opening (``points``): a digit, 0 to 4, for each.
``wins``, ``draws``
    For each player the number of games won from, and drawn with, each.
``threads``, ``seconds``, ``machine``, ``versions``, ``date``
    As in the record of a match.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.connect4.match import (
    PLIES,
    Effort,
    check_match,
    play_match,
    player_record,
)
from bsbench.connect4.players import Player, find_player, make_variant, player_names
from bsbench.errors import BsbenchError
from bsbench.machine import Provenance
from bsbench.settings import setting_text
from bsbench.stats import Ratings, rate

SCHEMA = "bsbench-connect4-league-1"

GAMES = 200
"""Games of each match, unless told otherwise."""


@dataclass(frozen=True, eq=False)
class League(Provenance):
    """How a league went.

    Attributes
    ----------
    players : tuple of Player
    games : int
        Of each match.
    requested : int
        Players asked for.
    opening_plies, seed, threads : int
    points : ndarray of int8, shape (players, players, openings)
        Half points, 0 to 4, that i took from j in the pair from each opening; 0 for i = j.
    wins, draws : ndarray of int64, shape (players, players)
        Games that i won from j, and drew.
    efforts : tuple of Effort
        Of each player, in all its matches.
    setup_seconds, play_seconds : float
    """

    players: tuple[Player, ...]
    games: int
    requested: int
    opening_plies: int
    seed: int
    points: npt.NDArray[np.int8]
    wins: npt.NDArray[np.int64]
    draws: npt.NDArray[np.int64]
    efforts: tuple[Effort, ...]
    setup_seconds: float
    play_seconds: float

    @property
    def labels(self) -> list[str]:
        """The players' labels, with what tells those of one name apart."""
        return labels_of(self.players)

    @property
    def partial(self) -> bool:
        """Whether it was interrupted before all had met."""
        return len(self.players) < self.requested

    @cached_property
    def ratings(self) -> Ratings:
        """Elo ratings, and their intervals."""
        return rate(self.points)

    @property
    def order(self) -> list[int]:
        """Places of the players, the best first."""
        return [int(place) for place in np.argsort(-self.ratings.elo, kind="stable")]

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """Share of the points that i scored against j; NaN against himself."""
        shares = self.points.mean(axis=2) / 4
        np.fill_diagonal(shares, np.nan)
        return np.asarray(shares, np.float64)

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """Share of the points that each player scored in all."""
        return np.asarray(np.nanmean(self.scores, axis=1), np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as described at the top of this module."""
        ratings, count = self.ratings, len(self.players)
        shares = self.shares
        content = {
            "opening_plies": self.opening_plies,
            "seed": self.seed,
            "games": self.games,
            "requested": self.requested,
            "players": [
                {
                    **player_record(self.players[place], self.efforts[place]),
                    "elo": round(float(ratings.elo[place]), 2),
                    "half_width": round(float(ratings.half_widths[place]), 2),
                    "score": round(float(shares[place]), 6),
                }
                for place in range(count)
            ],
            "matches": [
                {
                    "first": first,
                    "second": second,
                    "points": "".join(map(str, self.points[first, second].tolist())),
                }
                for second in range(count)
                for first in range(second)
            ],
            "wins": self.wins.tolist(),
            "draws": self.draws.tolist(),
        }
        return self.record(SCHEMA, content, setup=self.setup_seconds, play=self.play_seconds)


def all_players() -> list[Player]:
    """Return the players of a league of all: each, with the settings that it says."""
    kinds = map(find_player, player_names())
    return [kind.configured(settings) for kind in kinds for settings in kind.in_leagues]


def labels_of(players: Sequence[Player]) -> list[str]:
    """Return labels in which a parameter that varies among players of one name is always told."""
    found = []
    for player in players:
        alike = [each.parameters for each in players if each.name == player.name]
        declared = player.declared()
        told = [
            setting_text(name, value)
            for name, value in player.parameters.items()
            if value != declared[name].default or any(each[name] != value for each in alike)
        ]
        found.append(" ".join([player.name, *told]))
    return found


def play_league(
    players: Sequence[str | Player] = (),
    *,
    games: int = GAMES,
    opening_plies: int = PLIES,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> League:
    """Let each player meet each.

    Parameters
    ----------
    players : sequence of str or Player
        Two or more. Default: `all_players`.
    games : int
        Of each match, an even number.
    opening_plies, seed, threads
        As for `play_match`.
    progress : callable, optional
        Called, from the calling thread, with the two who play, and the number of games played
        so far in all matches.

    Returns
    -------
    League
        Ctrl-C ends it early; it then holds the first players that have all met.

    Raises
    ------
    BsbenchError
        If an argument is out of range, or two players have the same label.
    KeyboardInterrupt
        If interrupted before the first two have met.
    """
    entries = [
        each if isinstance(each, Player) else make_variant(each)
        for each in players or all_players()
    ]
    check_entries(entries)
    games, opening_plies, seed, threads = check_match(games, opening_plies, seed, threads)
    count = len(entries)
    points = np.zeros((count, count, games // 2), np.int8)
    wins, draws = np.zeros((2, count, count), np.int64)
    efforts = [Effort() for _ in entries]
    setup = play = 0.0
    played, whole = 0, 1
    kept = tuple(efforts)
    try:
        # A newcomer meets all who are there: so those who are there have all met.
        for newcomer in range(1, count):
            for other in range(newcomer):
                told = f"{entries[other].label} – {entries[newcomer].label}"

                def tell(done: int, told: str = told, before: int = played) -> None:
                    if progress is not None:
                        progress(told, before + done)

                match = play_match(
                    entries[other],
                    entries[newcomer],
                    games=games,
                    opening_plies=opening_plies,
                    seed=seed,
                    threads=threads,
                    progress=tell,
                )
                if match.interrupted:
                    raise KeyboardInterrupt
                played += games
                setup, play = setup + match.setup_seconds, play + match.play_seconds
                points[other, newcomer] = match.points
                points[newcomer, other] = 4 - match.points
                won, drawn, lost = match.by_side.sum(axis=0)
                wins[other, newcomer], wins[newcomer, other] = won, lost
                draws[other, newcomer] = draws[newcomer, other] = drawn
                for place, effort in zip((other, newcomer), match.efforts, strict=True):
                    efforts[place] += effort
            whole, kept = newcomer + 1, tuple(efforts)
    except KeyboardInterrupt:
        if whole < 2:
            raise
    return League(
        players=tuple(entries[:whole]),
        games=games,
        requested=count,
        opening_plies=opening_plies,
        seed=seed,
        threads=threads,
        points=points[:whole, :whole],
        wins=wins[:whole, :whole],
        draws=draws[:whole, :whole],
        efforts=kept[:whole],
        setup_seconds=setup,
        play_seconds=play,
    )


def check_entries(entries: Sequence[Player]) -> None:
    """Refuse players that make no league.

    Raises
    ------
    BsbenchError
        If they are too few, or two have the same label.
    """
    if len(entries) < 2:
        raise BsbenchError("a league takes two players or more: name another one")
    labels = [player.label for player in entries]
    for label in labels:
        if labels.count(label) > 1:
            raise BsbenchError(f"{label} is there {labels.count(label)} times: name it once")
