"""Matches: two players, many games, each opening played twice with sides changed.

An *opening* is a number of random legal moves after which the game is not over, and the player
to move can't win at once; number i is a function of the seed and i alone. From each, the two
players play a *pair* of games: in the one the first-named is `first`, in the other `second`.
Whatever an opening gives to one side it so gives to both players once, and the pair is the unit
of all intervals (`bsbench.stats.elo`).

Chance of a player comes from streams that belong to the pair's number and the stones on the
board. So results depend on neither the number of threads nor the size of blocks, a longer match
begins with the shorter one, and a player against himself scores exactly half of the points.

Pairs of a block are played in lockstep: a player is asked once for all games in which it is to
move. Threads play blocks; blocks are as large as takes about half a second.

A match as JSON, of schema ``bsbench-connect4-match-1``, has these keys:

``schema``, ``bsbench``
    This schema's name, and the version of bsbench.
``players``
    Of both, ``label``, ``name``, ``source`` and ``parameters``; and what it took them: ``moves``,
    ``nodes`` and ``seconds``, of processor time. Nodes may vary where a player remembers
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

import math
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.connect4.kernels.board import GOES_ON, WON, play_columns
from bsbench.connect4.kernels.openings import draw_openings
from bsbench.connect4.players import Player, make_variant
from bsbench.connect4.players.base import Boards
from bsbench.connect4.position import CELLS, Position, columns_text
from bsbench.errors import BsbenchError
from bsbench.kernels.random import stream_key
from bsbench.machine import Provenance
from bsbench.parallel import Shared, in_order
from bsbench.settings import check_numbers
from bsbench.stats import Counts, Race, Score, race, score_of_pairs

SCHEMA = "bsbench-connect4-match-1"

GAMES = 1_000
"""Games of a match by default."""

PLIES = 8
"""Moves of an opening by default: after them, of 5,000 openings 1 in 50 is there
already, and 42 stones leave room for a game."""

MOST_PLIES = 30
"""Few random games last longer."""

_LARGEST_BLOCK = 512
_BLOCK_SECONDS = 0.5

Outcomes = npt.NDArray[np.int8]
"""What the first-named made of games: 1 won, 0 drawn, -1 lost. Shape ``(pairs, 2)``: as `first`,
and as `second`."""


@dataclass(frozen=True)
class Effort:
    """What it took a player to choose its moves.

    Attributes
    ----------
    moves, nodes : int
    seconds : float
        Processor time, of a single core.
    """

    moves: int = 0
    nodes: int = 0
    seconds: float = 0.0

    def __add__(self, other: Effort) -> Effort:
        return Effort(
            self.moves + other.moves, self.nodes + other.nodes, self.seconds + other.seconds
        )

    @property
    def seconds_per_move(self) -> float:
        """Processor time of a move; NaN without any."""
        return self.seconds / self.moves if self.moves else math.nan

    @property
    def nodes_per_second(self) -> float:
        """Nodes in a second of processor time; NaN for players that look at none."""
        return self.nodes / self.seconds if self.nodes and self.seconds else math.nan


@dataclass(frozen=True, eq=False)
class Match(Provenance):
    """How a match went.

    Attributes
    ----------
    players : tuple of 2 Player
    opening_plies, seed, threads : int
    requested : int
        Games asked for.
    outcomes : ndarray of int8, shape (pairs, 2)
        See `Outcomes`.
    stones : ndarray of int8, shape (pairs, 2)
        On the board at the end.
    efforts : tuple of 2 Effort
    setup_seconds, play_seconds : float
    interrupted : bool
        Whether Ctrl-C came, be it in the last moment.
    """

    players: tuple[Player, Player]
    opening_plies: int
    seed: int
    requested: int
    outcomes: Outcomes
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
        # Who makes fewer moves wins a race; here, who makes more of a game.
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
        ends = dict(zip(("difference", "low", "high"), self.score.elo, strict=True))
        content = {
            "players": [
                player_record(*each) for each in zip(self.players, self.efforts, strict=True)
            ],
            "opening_plies": self.opening_plies,
            "seed": self.seed,
            "games": self.games,
            "requested": self.requested,
            "outcomes": joint.tolist(),
            "score": {
                "share": self.score.share,
                "low": self.score.low,
                "high": self.score.high,
            },
            "elo": {name: end if math.isfinite(end) else None for name, end in ends.items()},
            "stones": np.bincount(self.stones.ravel(), minlength=CELLS + 1).tolist(),
        }
        return self.record(SCHEMA, content, setup=self.setup_seconds, play=self.play_seconds)


def player_record(player: Player, effort: Effort) -> dict[str, Any]:
    """Return a player and what its moves took, for records."""
    return {
        "label": player.label,
        "name": player.name,
        "source": player.source,
        "parameters": player.parameters,
        "moves": effort.moves,
        "nodes": effort.nodes,
        "seconds": round(effort.seconds, 4),
    }


def openings(seed: int, first: int, number: int, plies: int) -> list[Position]:
    """Return openings as positions, from a number on."""
    columns, _ = drawn_openings(seed, first, number, plies)
    return [Position(tuple(played)) for played in columns.tolist()]


def drawn_openings(
    seed: int, first: int, number: int, plies: int, purpose: str = "openings"
) -> tuple[npt.NDArray[np.int64], Boards]:
    """Return columns played in some openings, shape (number, plies), and their boards.

    Parameters
    ----------
    seed, first, number, plies : int
    purpose : str
        Others than those of matches have another one.
    """
    columns = np.empty((number, plies), np.int64)
    boards = np.empty((number, 2), np.uint64)
    draw_openings(stream_key(f"connect4 {purpose}", seed), first, columns, boards)
    return columns, boards


def play_match(
    first: str | Player,
    second: str | Player,
    *,
    games: int = GAMES,
    opening_plies: int = PLIES,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Match:
    """Let two players play a match.

    Parameters
    ----------
    first, second : str or Player
        Players, or as on the command line: ``hard,depth=6``.
    games : int
        An even number: games come in pairs.
    opening_plies : int
        Random moves before the players begin, 0 to 30.
    seed : int
        Any non-negative integer: says the openings, and what chance brings to players.
    threads : int, optional
        Default: as many as there are cores. The result does not depend on it.
    progress : callable, optional
        Called with the number of games played so far, from the calling thread.

    Returns
    -------
    Match
        Ctrl-C ends a match early; it then holds the pairs that were played.

    Raises
    ------
    BsbenchError
        If an argument is out of range, or a player plays a column that is full.
    KeyboardInterrupt
        If interrupted before a pair was over.

    Examples
    --------
    >>> match = play_match("greedy", "random", games=200, seed=1)
    >>> match.score.share > 0.8
    True
    """
    players = [each if isinstance(each, Player) else make_variant(each) for each in (first, second)]
    games, opening_plies, seed, threads = check_match(games, opening_plies, seed, threads)
    begun = time.perf_counter()
    for player in players:
        compile_player(player)
    setup = time.perf_counter() - begun

    pairs = games // 2
    outcomes, stones = np.zeros((pairs, 2), np.int8), np.zeros((pairs, 2), np.int8)
    efforts = Effort(), Effort()
    played = 0
    begun = time.perf_counter()
    interrupted = False
    try:
        with closing(_play_blocks(players, pairs, seed, opening_plies, threads)) as finished:
            for block in finished:
                here = slice(played, played + len(block.outcomes))
                outcomes[here], stones[here] = block.outcomes, block.stones
                efforts = efforts[0] + block.efforts[0], efforts[1] + block.efforts[1]
                played = here.stop
                if progress is not None:
                    progress(2 * played)
    except KeyboardInterrupt:
        if played == 0:
            raise
        interrupted = True
    return Match(
        players=(players[0], players[1]),
        opening_plies=opening_plies,
        seed=seed,
        requested=games,
        outcomes=outcomes[:played],
        stones=stones[:played],
        efforts=efforts,
        threads=threads,
        setup_seconds=setup,
        play_seconds=time.perf_counter() - begun,
        interrupted=interrupted,
    )


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


def compile_player(player: Player) -> None:
    """Compile the kernels of a player, or load them, by a move near the end of a game."""
    trial = player.copy()
    trial.begin(0)
    _, boards = drawn_openings(0, 0, 1, MOST_PLIES)
    trial.choose(boards, np.zeros(1, np.int64))


class _Block(NamedTuple):
    """Consecutive pairs that were played."""

    outcomes: Outcomes
    stones: npt.NDArray[np.int8]
    efforts: tuple[Effort, Effort]


def _play_blocks(
    players: list[Player], pairs: int, seed: int, plies: int, threads: int
) -> Generator[_Block, None, None]:
    """Play blocks of pairs on several threads, larger ones where pairs are quick; in order."""
    size = 1

    def blocks() -> Iterator[tuple[int, int]]:
        first = 0
        while first < pairs:
            number = min(size, pairs - first)
            yield first, number
            first += number

    shared = Shared(blocks())

    def work(stopped: Callable[[], bool]) -> Iterator[tuple[int, int, _Block]]:
        nonlocal size
        own = [player.copy() for player in players]
        for player in own:
            player.begin(seed)
        for first, number in shared:
            begun = time.perf_counter()
            block = _play_block(own, seed, first, number, plies, stopped)
            if block is None:
                return
            fitting = int(_BLOCK_SECONDS * number / max(time.perf_counter() - begun, 1e-9))
            # Two threads may do this at once: the size is a matter of speed only.
            size = min(max(fitting, 1), 4 * size, _LARGEST_BLOCK)
            yield first, number, block

    return in_order([work] * threads)


def _play_block(
    players: list[Player],
    seed: int,
    first: int,
    pairs: int,
    plies: int,
    stopped: Callable[[], bool],
) -> _Block | None:
    """Play consecutive pairs in lockstep; None if it was stopped.

    Games 0 … pairs - 1 are those in which player 0 is `first`, the others those in which it is
    `second`::

        game     0   1   2   3   4   5        of three pairs
        number   0   1   2   0   1   2        of the opening, from the first of the block on
        first    a   a   a   b   b   b        players 0 and 1
    """
    columns, drawn = drawn_openings(seed, first, pairs, plies)
    boards = np.concatenate([drawn, drawn])
    numbers = np.tile(np.arange(first, first + pairs), 2)
    outcomes = np.zeros(2 * pairs, np.int8)
    stones = np.full(2 * pairs, CELLS, np.int8)
    moves, seconds = [0, 0], [0.0, 0.0]
    before = [player.nodes for player in players]
    live = np.arange(2 * pairs)
    for ply in range(plies, CELLS):
        goes_on = np.ones(len(live), np.bool_)
        for index, player in enumerate(players):
            # Player 0 is to move at even plies as `first`, at odd ones as `second`.
            here = np.flatnonzero((live < pairs) == ((ply + index) % 2 == 0))
            games = live[here]
            if not len(games):
                continue
            if stopped():
                return None
            asked = boards[games]
            begun = time.thread_time()
            chosen = player.choose(asked, numbers[games])
            seconds[index] += time.thread_time() - begun
            moves[index] += len(games)
            made = np.empty(len(games), np.int64)
            wrong = play_columns(asked, chosen, made)
            if wrong >= 0:
                raise BsbenchError(
                    f"player {player.label!r} plays column {chosen[wrong] + 1} of a board that has "
                    f"no room there, in a game from the opening "
                    f"{columns_text(columns[games[wrong] % pairs])}"
                )
            boards[games] = asked
            outcomes[games[made == WON]] = 1 if index == 0 else -1
            goes_on[here] = made == GOES_ON
            stones[games[made != GOES_ON]] = ply + 1
        live = live[goes_on]
        if not len(live):
            break
    efforts = [
        Effort(moves[index], player.nodes - before[index], seconds[index])
        for index, player in enumerate(players)
    ]
    return _Block(
        np.stack([outcomes[:pairs], outcomes[pairs:]], axis=1),
        np.stack([stones[:pairs], stones[pairs:]], axis=1),
        (efforts[0], efforts[1]),
    )
