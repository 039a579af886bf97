"""Leagues: every player meets every other, and all are rated.

All matches have the same openings. Ratings are those of `bsbench.stats.rate`, relative to the mean
of the league's players.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from msgspec import UNSET

from bsbench.common.found import Found
from bsbench.matches.faults import PlayerError
from bsbench.matches.formats import LeagueRecord, MetRecord, RatedRecord
from bsbench.matches.game import TwoSided
from bsbench.matches.lockstep import Effort
from bsbench.matches.match import Match, effort_record
from bsbench.matches.player import Player, labels_of, player_record
from bsbench.matches.scoring import Rated


@dataclass(frozen=True, eq=False)
class League(Rated, Found):
    """How a league went.

    Attributes
    ----------
    game : TwoSided
    players : tuple of Player
    requested : int
        Players asked for.
    games : int
        Of each match.
    opening_plies, seed, threads : int
    matches : mapping of (int, int) to Match
        By the places of both players, the smaller one first.
    faults : mapping of str to PlayerError
        Why users' players are left out, by label. None of their matches is among these.
    """

    entries: ClassVar = "players"

    game: TwoSided
    players: tuple[Player, ...]
    requested: int
    games: int
    opening_plies: int
    seed: int
    matches: Mapping[tuple[int, int], Match]
    faults: Mapping[str, PlayerError] = field(default_factory=dict)

    @property
    def labels(self) -> list[str]:
        """The players' labels, with the parameters that distinguish players of one name."""
        return labels_of(self.players)

    @property
    def partial(self) -> bool:
        """Whether it was interrupted before all had met."""
        return len(self.players) + len(self.faults) < self.requested

    @cached_property
    def points(self) -> npt.NDArray[np.int8]:
        """Half points, 0 to 4, that i took from j in the pair from each opening; 0 for i = j.

        The shape is ``(players, players, openings)``.
        """
        count = len(self.players)
        points = np.zeros((count, count, self.games // 2), np.int8)
        for (first, second), match in self.matches.items():
            points[first, second], points[second, first] = match.points, 4 - match.points
        return points

    @cached_property
    def results(self) -> npt.NDArray[np.int64]:
        """Games that i won from j, drew with j and lost to j; shape ``(3, players, players)``."""
        count = len(self.players)
        results = np.zeros((3, count, count), np.int64)
        for (first, second), match in self.matches.items():
            results[:, first, second] = match.by_side.sum(axis=0)
            results[:, second, first] = results[::-1, first, second]
        return results

    @cached_property
    def efforts(self) -> list[Effort]:
        """What the moves of each player took, in all its matches."""
        efforts = [Effort() for _ in self.players]
        for places, match in self.matches.items():
            for place, effort in zip(places, match.efforts, strict=True):
                efforts[place] += effort
        return efforts

    @property
    def setup_seconds(self) -> float:
        """Time to compile or load kernels."""
        return sum(match.setup_seconds for match in self.matches.values())

    @property
    def play_seconds(self) -> float:
        """Time to play."""
        return sum(match.play_seconds for match in self.matches.values())

    @property
    def exit_code(self) -> int:
        """1 if a player failed."""
        return 1 if self.faults else 0

    def content(self) -> LeagueRecord:
        """Return the record, of the type that the game names."""
        ratings, shares = self.ratings, self.shares
        wins, draws, _ = self.results.tolist()
        return self.game.league_form(
            opening_plies=self.opening_plies,
            seed=self.seed,
            games=self.games,
            requested=self.requested,
            players=[
                RatedRecord(
                    **player_record(player),
                    **effort_record(self.efforts[place]),
                    elo=round(float(ratings.elo[place]), 2),
                    half_width=round(float(ratings.half_widths[place]), 2),
                    score=round(float(shares[place]), 6),
                )
                for place, player in enumerate(self.players)
            ],
            matches=[
                MetRecord(first=first, second=second, points="".join(map(str, match.points)))
                for (first, second), match in self.matches.items()
            ],
            wins=wins,
            draws=draws,
            faults={label: str(fault) for label, fault in self.faults.items()} or UNSET,
        )
