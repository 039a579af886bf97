"""Matches: two players, many games, each opening played twice with sides changed.

From each opening (`bsbench.connect4.openings`) the two players play a *pair* of games: in the one
the first-named is `first`, in the other `second`. So both players have the advantage of an opening
once, and the pair is the unit of all intervals (`bsbench.stats.elo`).

The random numbers of a player come from streams that depend on the pair's number and the stones on
the board. So results depend on neither the number of threads nor the size of blocks, a longer match
begins with the shorter one, and a player against itself scores exactly half of the points.

A match as JSON, of schema ``bsbench-connect4-match-1``, has these keys:

``schema``, ``bsbench``
    This schema's name, and the version of bsbench.
``players``
    Of both, ``label``, ``name``, ``source`` and ``parameters``; and what it took them: ``moves``,
    ``nodes`` and ``seconds``, of processor time, or for a user's player, of time that has
    passed. Nodes may vary where a player remembers
    positions, as `perfect` does.
``opening_plies``, ``seed``, ``games``, ``requested``
    Moves of an opening; the seed; games played, and those asked for: fewer are
    played if Ctrl-C ends the match.
``outcomes``
    Number of pairs by what the first-named made of the game as `first` (row) and as `second`
    (column): loss, draw, win.
``score``, ``elo``
    Share of the points that the first-named scored (``share``, ``low``, ``high``), and Elo
    difference (``difference``, ``low``, ``high``), null where it is infinite.
``stones``
    Number of games by stones on the board at the end, 0 to 42.
``threads``, ``seconds``, ``machine``, ``versions``, ``date``
    Where and when; seconds of ``setup`` (compiling or loading kernels) and ``play``.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.common.journal import Journal
from bsbench.common.machine import Provenance
from bsbench.common.settings import check_numbers
from bsbench.connect4.faults import PlayerError
from bsbench.connect4.keeping import KeptMatch
from bsbench.connect4.lockstep import Effort, compile_player, play_blocks
from bsbench.connect4.openings import MOST_PLIES, PLIES, openings
from bsbench.connect4.players import Player, as_player
from bsbench.connect4.position import CELLS, Position
from bsbench.stats import Counts, Race, Score, race, score_of_pairs

SCHEMA = "bsbench-connect4-match-1"

GAMES = 1_000
"""Games of a match by default."""


@dataclass(frozen=True, eq=False)
class Match(Provenance):
    """How a match went.

    Attributes
    ----------
    players : tuple of 2 Player
    opening_plies, seed, threads : int
    requested : int
        Games asked for.
    outcomes, stones : ndarray of int8, shape (pairs, 2)
        See `bsbench.connect4.lockstep.Block`.
    efforts : tuple of 2 Effort
    setup_seconds, play_seconds : float
    interrupted : bool
        Whether Ctrl-C came, even at the last moment.
    """

    players: tuple[Player, Player]
    opening_plies: int
    seed: int
    requested: int
    outcomes: npt.NDArray[np.int8]
    stones: npt.NDArray[np.int8]
    efforts: tuple[Effort, Effort]
    setup_seconds: float
    play_seconds: float
    interrupted: bool = False

    @property
    def labels(self) -> tuple[str, str]:
        """The players' labels."""
        return self.players[0].label, self.players[1].label

    @property
    def games(self) -> int:
        """Games that were played."""
        return self.outcomes.size

    @property
    def partial(self) -> bool:
        """Whether it was interrupted before all games were played."""
        return self.games < self.requested

    @cached_property
    def race(self) -> Race:
        """Wins, draws and losses of the first-named, with intervals."""
        # A race is won with the smaller number, a game with the larger outcome.
        return race(-self.outcomes.ravel(), np.zeros(self.games, np.int8), games_per_learner=2)

    @property
    def points(self) -> npt.NDArray[np.int8]:
        """Half points that the first-named took in each pair, 0 to 4; shape ``(pairs,)``."""
        return np.asarray(self.outcomes.sum(axis=1) + 2, np.int8)

    @cached_property
    def pairs(self) -> Counts:
        """Number of pairs by half points of the first-named, 0 to 4."""
        return np.bincount(self.points, minlength=5)

    @cached_property
    def score(self) -> Score:
        """Share of the points, and Elo difference, of the first-named."""
        return score_of_pairs(self.pairs)

    @property
    def by_side(self) -> npt.NDArray[np.int64]:
        """Wins, draws and losses of the first-named as `first`, and as `second`; shape (2, 3)."""
        return np.array([[(side == each).sum() for each in (1, 0, -1)] for side in self.outcomes.T])

    def opening(self, pair: int) -> Position:
        """Return the opening of a pair, by its number from 0 on."""
        return openings(self.seed, pair, 1, self.opening_plies)[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the record as described at the top of this module."""
        joint = np.zeros((3, 3), np.int64)
        np.add.at(joint, tuple(self.outcomes.T + 1), 1)
        score = self.score
        ends = dict(zip(("difference", "low", "high"), score.elo, strict=True))
        content = {
            "players": [
                player_record(player, **effort_record(effort))
                for player, effort in zip(self.players, self.efforts, strict=True)
            ],
            "opening_plies": self.opening_plies,
            "seed": self.seed,
            "games": self.games,
            "requested": self.requested,
            "outcomes": joint.tolist(),
            "score": dataclasses.asdict(score),
            "elo": {name: end if math.isfinite(end) else None for name, end in ends.items()},
            "stones": np.bincount(self.stones.ravel(), minlength=CELLS + 1).tolist(),
        }
        return self.record(SCHEMA, content, setup=self.setup_seconds, play=self.play_seconds)


def player_record(player: Player, **more: Any) -> dict[str, Any]:
    """Return a player and more about it, for records."""
    keys = ("label", "name", "source", "parameters")
    return {key: getattr(player, key) for key in keys} | more


def effort_record(effort: Effort) -> dict[str, Any]:
    """Return what the moves of a player took, for records."""
    return dataclasses.asdict(effort) | {"seconds": round(effort.seconds, 4)}


def faults_record(faults: Mapping[str, PlayerError]) -> dict[str, Any]:
    """Return why players were left out, for records; nothing if none was."""
    return {"faults": {label: str(fault) for label, fault in faults.items()}} if faults else {}


def play_match(
    first: str | Player | type,
    second: str | Player | type,
    *,
    games: int = GAMES,
    opening_plies: int = PLIES,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int], object] | None = None,
    journal: Journal | None = None,
    key: str = "match",
) -> Match:
    """Let two players play a match.

    Parameters
    ----------
    first, second : str, Player or type
        Players, or as on the command line: ``hard,depth=6``, ``my_file.py:Mine``; or a class
        with a method ``choose(view)``.
    games : int
        An even number: games come in pairs.
    opening_plies : int
        Random moves before the players begin, 0 to 30.
    seed : int
        Any non-negative integer: the seed of the openings and of the players' random numbers.
    threads : int, optional
        Default: as many as there are cores. The result does not depend on it.
    progress : callable, optional
        Called with the number of games played so far, from the calling thread.
    journal : Journal, optional
        What keeps the games that are played, opened with `about_players`; those that it has are
        not played again.
    key : str
        What the match is called there.

    Returns
    -------
    Match
        Ctrl-C ends a match early; it then holds the pairs that were played.

    Raises
    ------
    BsbenchError
        If an argument is out of range, or a player plays a column that is full.
    PlayerError
        If a user's player fails; its `match` holds the pairs before.
    KeyboardInterrupt
        If interrupted before a pair was over.

    Examples
    --------
    >>> match = play_match("greedy", "random", games=200, seed=1)
    >>> match.score.share > 0.8
    True
    """
    players = as_player(first), as_player(second)
    games, opening_plies, seed, threads = check_match(games, opening_plies, seed, threads)
    kept = KeptMatch(journal, key, games // 2)
    begun = ready = time.perf_counter()

    def seconds() -> tuple[float, float]:
        now = time.perf_counter()
        return kept.setup_seconds + ready - begun, kept.play_seconds + now - ready

    def played(interrupted: bool) -> Match:
        outcomes, stones, efforts = zip(*kept.blocks, strict=True)
        ones, others = zip(*efforts, strict=True)
        setup_seconds, play_seconds = seconds()
        return Match(
            players=players,
            opening_plies=opening_plies,
            seed=seed,
            requested=games,
            outcomes=np.concatenate(outcomes),
            stones=np.concatenate(stones),
            efforts=(sum(ones, Effort()), sum(others, Effort())),
            threads=threads,
            setup_seconds=setup_seconds,
            play_seconds=play_seconds,
            interrupted=interrupted,
        )

    interrupted = False
    try:
        if kept.pairs < games // 2:
            for player in players:
                compile_player(player)
            ready = time.perf_counter()
        blocks = play_blocks(players, games // 2, seed, opening_plies, threads, kept.pairs)
        with closing(blocks) as finished:
            for block in finished:
                kept.blocks.append(block)
                if kept.due:
                    kept.put(*seconds(), write=True)
                if progress is not None:
                    progress(2 * kept.pairs)
    except KeyboardInterrupt:
        if not kept.blocks:
            raise
        interrupted = True
    except PlayerError as fault:
        fault.match = played(interrupted=False) if kept.blocks else None
        raise
    finally:
        kept.put(*seconds())
    return played(interrupted)


def check_match(
    games: int, opening_plies: int, seed: int, threads: int | None
) -> tuple[int, int, int, int]:
    """Return the numbers of a match, threads filled in.

    Raises
    ------
    BsbenchError
        If one is out of range.
    """
    games, seed, threads = check_numbers(games, seed, threads)
    if games % 2:
        raise BsbenchError(
            f"can't play {games:,} games: each opening is played twice, with sides changed, so ask "
            "for an even number"
        )
    if not 0 <= opening_plies <= MOST_PLIES:
        raise BsbenchError(
            f"an opening can't have {opening_plies} random moves: ask for 0 to {MOST_PLIES}"
        )
    return games, opening_plies, seed, threads
