"""Matches: two players, many games, each opening played twice with sides changed.

From each opening the two players play a *pair* of games: in the one the first-named is `first`, in
the other `second`. So both players have the advantage of an opening once, and the pair is the unit
of all intervals (`bsbench.stats.elo`).

The random numbers of a player come from streams that depend on the pair's number and the moves
made. So results depend on neither the number of threads nor the size of blocks, a longer match
begins with the shorter one, and a player against itself scores exactly half of the points.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.common.found import Found
from bsbench.matches.faults import PlayerError
from bsbench.matches.formats import EloRecord, MatchRecord, PlayedRecord, ScoreRecord
from bsbench.matches.game import TwoSided
from bsbench.matches.lockstep import Effort
from bsbench.matches.player import Player, player_record
from bsbench.matches.scoring import Scored


@dataclass(frozen=True, eq=False)
class Match(Scored, Found):
    """How a match went.

    Attributes
    ----------
    game : TwoSided
    players : tuple of 2 Player
    opening_plies, seed, threads : int
    requested : int
        Games asked for.
    outcomes, lengths : ndarray of int8, shape (pairs, 2)
        See `bsbench.matches.lockstep.Block`.
    efforts : list of 2 Effort
    setup_seconds, play_seconds : float
    interrupted : bool
        Whether Ctrl-C came, even at the last moment.
    fault : PlayerError or None
        Why a user's player has failed.
    """

    entries: ClassVar = "players"

    game: TwoSided
    players: tuple[Player, Player]
    opening_plies: int
    seed: int
    requested: int
    outcomes: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.int8]
    efforts: list[Effort]
    setup_seconds: float
    play_seconds: float
    interrupted: bool = False
    fault: PlayerError | None = None

    @property
    def labels(self) -> tuple[str, str]:
        """The players' labels."""
        return self.players[0].label, self.players[1].label

    @property
    def partial(self) -> bool:
        """Whether it ended before all games were played."""
        return self.games < self.requested

    def opening(self, pair: int) -> Any:
        """Return the opening of a pair, by its number from 0 on."""
        return self.game.opening(self.seed, pair, self.opening_plies)

    def content(self) -> MatchRecord:
        """Return the record, of the type that the game names."""
        score, (difference, low, high) = self.score, self.score.elo
        lengths = np.bincount(self.lengths.ravel(), minlength=self.game.longest + 1).tolist()
        return self.game.match_form(
            players=[
                PlayedRecord(**player_record(player), **effort_record(effort))
                for player, effort in zip(self.players, self.efforts, strict=True)
            ],
            opening_plies=self.opening_plies,
            seed=self.seed,
            games=self.games,
            requested=self.requested,
            outcomes=self.joint.tolist(),
            score=ScoreRecord(share=score.share, low=score.low, high=score.high),
            elo=EloRecord(difference=difference, low=low, high=high),
            **{self.game.length: lengths},
        )


def effort_record(effort: Effort) -> dict[str, Any]:
    """Return what the moves of a player took, for records."""
    return dataclasses.asdict(effort) | {"seconds": round(effort.seconds, 4)}
