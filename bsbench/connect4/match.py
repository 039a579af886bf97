"""Matches: two players, many games, each opening played twice with sides changed.

An *opening* is a number of random legal moves after which the game is not over, and the player to
move can't win at once. Opening number i is a function of the seed and i alone. From each opening
the two players play a *pair* of games: in the one the first-named is `first`, in the other
`second`. So both players have the advantage of an opening once, and the pair is the unit of all
intervals (`bsbench.stats.elo`).

The random numbers of a player come from streams that depend on the pair's number and the moves
made. So results depend on neither the number of threads nor the size of blocks, a longer match
begins with the shorter one, and a player against itself scores exactly half of the points.

Pairs are played in lockstep: a player is asked once for all games in which it is to move. Threads
play blocks of pairs; a block has as many as take about half a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Meta

from bsbench.common import record
from bsbench.common.errors import BsbenchError
from bsbench.common.found import Found
from bsbench.common.parallel import Shared, in_order
from bsbench.common.progress import Progress, Watch
from bsbench.common.record import Content, Count, Seconds
from bsbench.common.settings import check_numbers
from bsbench.connect4.kernels.board import GOES_ON, WON, play_columns
from bsbench.connect4.kernels.chance import draw_openings
from bsbench.connect4.players import Boards, Columns, Player, as_player
from bsbench.connect4.position import CELLS, MOST_PLIES, PLIES, Position
from bsbench.kernels.random import stream_key
from bsbench.stats.elo import EloRecord, Scored, ScoreRecord

GAMES = 1_000
"""Games of a match, by default."""

_LARGEST_BLOCK = 512
_BLOCK_SECONDS = 0.5

_Three = Meta(min_length=3, max_length=3)


class EffortRecord(record.VariantRecord, frozen=True):
    """A player, and what its games took.

    Attributes
    ----------
    source
        Who proposed it, and where.
    moves
        Moves played.
    nodes
        Positions searched; may vary where a player remembers positions.
    seconds
        Seconds of processor time.
    """

    source: str
    moves: Count
    nodes: Count
    seconds: Seconds


class MatchRecord(Content, frozen=True):
    """What `bsbench connect4 match --export-json` writes.

    Attributes
    ----------
    players
        Both players, and what the games took them.
    opening_plies
        Moves of an opening, drawn at random.
    seed
        Seed of openings and players.
    games
        Games played.
    requested
        Games asked for: fewer are played if the match is interrupted.
    outcomes
        Pairs of games by what the first-named player made of the game that it began (row) and of
        the other one (column): loss, draw, win.
    stones
        Number of games by stones on the board at the end: entry n counts games of n stones.
    score
        Points of the first-named player.
    elo
        The same as a difference in Elo.
    seconds.setup
        Compiling or loading kernels.
    seconds.play
        Playing.
    """

    schema = "bsbench-connect4-match-1"
    heading = "Match of Connect 4"
    steps = {"setup": "setup_seconds", "play": "play_seconds"}  # noqa: RUF012

    players: Annotated[list[EffortRecord], Meta(min_length=2, max_length=2)]
    opening_plies: Count
    seed: Count
    games: Count
    requested: Count
    outcomes: Annotated[list[Annotated[list[Count], _Three]], _Three]
    stones: Annotated[list[Count], Meta(min_length=CELLS + 1, max_length=CELLS + 1)]
    score: ScoreRecord
    elo: EloRecord


@dataclass
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

    def __iadd__(self, other: Effort) -> Effort:
        self.moves += other.moves
        self.nodes += other.nodes
        self.seconds += other.seconds
        return self


class Block(NamedTuple):
    """Consecutive pairs of games that were played.

    Attributes
    ----------
    outcomes : ndarray of int8, shape (pairs, 2)
        1 if the first-named won, 0 for a draw, -1 if it lost: as `first`, and as `second`.
    lengths : ndarray of int8, shape (pairs, 2)
        Stones on the board at the end.
    efforts : tuple of 2 Effort
    """

    outcomes: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.int8]
    efforts: tuple[Effort, Effort]


@dataclass(frozen=True, eq=False)
class Match(Scored, Found):
    """How a match went.

    Attributes
    ----------
    players : tuple of 2 Player
    opening_plies, seed : int
    requested : int
        Games asked for.
    outcomes, lengths : ndarray of int8, shape (pairs, 2)
        As in `Block`.
    efforts : tuple of 2 Effort
    setup_seconds, play_seconds : float
    """

    form: ClassVar = MatchRecord
    entries: ClassVar = "players"

    players: tuple[Player, Player]
    opening_plies: int
    seed: int
    requested: int
    outcomes: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.int8]
    efforts: tuple[Effort, Effort]
    setup_seconds: float
    play_seconds: float

    @property
    def labels(self) -> tuple[str, str]:
        """The players' labels."""
        return self.players[0].label, self.players[1].label

    @property
    def partial(self) -> bool:
        """Whether it ended before all games were played."""
        return self.games < self.requested

    @property
    def by_side(self) -> npt.NDArray[np.int64]:
        """Wins, draws and losses of the first-named as `first`, and as `second`; shape (2, 3)."""
        return np.array([[(side == each).sum() for each in (1, 0, -1)] for side in self.outcomes.T])

    def content(self) -> MatchRecord:
        """Return the record."""
        return MatchRecord(
            players=[
                EffortRecord(
                    label=player.label,
                    name=player.name,
                    parameters=player.parameters,
                    source=player.source,
                    moves=effort.moves,
                    nodes=effort.nodes,
                    seconds=round(effort.seconds, 4),
                )
                for player, effort in zip(self.players, self.efforts, strict=True)
            ],
            opening_plies=self.opening_plies,
            seed=self.seed,
            games=self.games,
            requested=self.requested,
            outcomes=self.joint.tolist(),
            stones=np.bincount(self.lengths.ravel(), minlength=CELLS + 1).tolist(),
            score=ScoreRecord.of(self.score),
            elo=EloRecord.of(self.score),
        )


def openings(seed: int, first: int, number: int, plies: int) -> tuple[Columns, Boards]:
    """Draw openings, by number from ``first`` on.

    Returns
    -------
    columns : ndarray of int64, shape (number, plies)
        The columns played, 0 to 6.
    boards : ndarray of uint64, shape (number, 2)
        What they lead to.
    """
    columns, boards = np.empty((number, plies), np.int64), np.empty((number, 2), np.uint64)
    draw_openings(stream_key("connect4 openings", seed), first, columns, boards)
    return columns, boards


def check_match(
    games: int, opening_plies: int, seed: int, threads: int | None
) -> tuple[int, int, int]:
    """Return games, seed and threads of a match as plain integers, threads filled in.

    Raises
    ------
    BsbenchError
        If one of the numbers is out of range.
    """
    games, seed, threads = check_numbers(games, seed, threads)
    if games % 2:
        raise BsbenchError(
            f"can't play {games:,} games: each opening is played twice, with sides changed, so "
            "ask for an even number"
        )
    if not 0 <= opening_plies <= MOST_PLIES:
        raise BsbenchError(
            f"an opening can't have {opening_plies} random moves: ask for 0 to {MOST_PLIES}"
        )
    return games, seed, threads


def play_match(
    first: str | Player,
    second: str | Player,
    *,
    games: int = GAMES,
    opening_plies: int = PLIES,
    seed: int = 0,
    threads: int | None = None,
    progress: Watch | None = None,
) -> Match:
    """Let two players play a match.

    Parameters
    ----------
    first, second : str or Player
        Players, or as on the command line: ``hard,depth=6``.
    games : int
        An even number: games come in pairs.
    opening_plies : int
        Random moves before the players begin.
    seed : int
        Any non-negative integer: the seed of the openings and of the players' random numbers.
    threads : int, optional
        Default: as many as there are cores. The result does not depend on it.
    progress : callable, optional
        Called with a `bsbench.common.progress.Progress`, from the calling thread.

    Returns
    -------
    Match
        Ctrl-C ends a match early; it then holds the pairs that were played.

    Raises
    ------
    BsbenchError
        If there is no such player, or an argument is out of range.
    KeyboardInterrupt
        If interrupted before a pair was over.
    """
    players = as_player(first), as_player(second)
    games, seed, threads = check_match(games, opening_plies, seed, threads)
    label = " – ".join(player.label for player in players)
    begun = time.perf_counter()
    for player in players:
        _compile(player)
    ready = time.perf_counter()
    played: list[Block] = []
    done, efforts = 0, (Effort(), Effort())
    try:
        with closing(_blocks(players, games // 2, seed, opening_plies, threads)) as blocks:
            for block in blocks:
                played.append(block)
                for effort, more in zip(efforts, block.efforts, strict=True):
                    effort += more
                done += block.outcomes.size
                if progress is not None:
                    progress(Progress(label, done, games))
    except KeyboardInterrupt:
        if not played:
            raise
    return Match(
        players=players,
        opening_plies=opening_plies,
        seed=seed,
        requested=games,
        outcomes=np.concatenate([block.outcomes for block in played]),
        lengths=np.concatenate([block.lengths for block in played]),
        efforts=efforts,
        threads=threads,
        setup_seconds=ready - begun,
        play_seconds=time.perf_counter() - ready,
    )


def _compile(player: Player) -> None:
    """Compile the kernels of openings and of a player, or load them, by a move near the end."""
    openings(0, 0, 1, 0)
    trial = player.copy()
    trial.begin(0)
    Player.analyse(trial, Position.parse("361557451431717345575732171622"))


def _blocks(
    players: Sequence[Player], pairs: int, seed: int, plies: int, threads: int
) -> Generator[Block, None, None]:
    """Play pairs on several threads, more at once where they are quick; yield blocks in order."""
    size = 1

    def ranges() -> Iterator[tuple[int, int]]:
        first = 0
        while first < pairs:
            number = min(size, pairs - first)
            yield first, number
            first += number

    shared = Shared(ranges())

    def work(stopped: Callable[[], bool]) -> Iterator[tuple[int, int, Block]]:
        nonlocal size
        own = [player.copy() for player in players]
        for player in own:
            player.begin(seed)
        for first, number in shared:
            begun = time.perf_counter()
            boards = openings(seed, first, number, plies)[1]
            block = _play(own, boards, np.arange(first, first + number), plies, stopped)
            if block is None:
                return
            fitting = int(_BLOCK_SECONDS * number / max(time.perf_counter() - begun, 1e-9))
            # Two threads may do this at once: the size is a matter of speed only.
            size = min(max(fitting, 1), 4 * size, _LARGEST_BLOCK)
            yield first, number, block

    return in_order([work] * threads)


def _play(
    players: Sequence[Player],
    begin: Boards,
    numbers: npt.NDArray[np.int64],
    plies: int,
    stopped: Callable[[], bool],
) -> Block | None:
    """Play two games from each of some openings, given by boards and numbers; None if stopped.

    Player 0 is `first` in the games of the first half, and `second` in those of the other::

        game     0   1   2   3   4   5        of three pairs
        number   0   1   2   0   1   2        of the opening
        first    a   a   a   b   b   b        players 0 and 1
    """
    pairs = len(begin)
    boards, numbers = np.concatenate([begin, begin]), np.tile(numbers, 2)
    lengths = np.full(2 * pairs, plies, np.int8)
    # Of player 0.
    outcomes = np.zeros(2 * pairs, np.int8)
    efforts = Effort(), Effort()
    live = np.arange(2 * pairs)
    while len(live):
        if stopped():
            return None
        goes_on = np.ones(len(live), np.bool_)
        # All games have as many stones.
        index_of = (live >= pairs) != bool(plies % 2)
        for index, (player, effort) in enumerate(zip(players, efforts, strict=True)):
            here = np.flatnonzero(index_of == index)
            if not len(here):
                continue
            games = live[here]
            moving, made = boards[games], np.empty(len(games), np.int64)
            nodes, begun = player.nodes, time.thread_time()
            columns = player.choose(moving, numbers[games])
            effort += Effort(len(games), player.nodes - nodes, time.thread_time() - begun)
            if play_columns(moving, columns, made) >= 0:
                raise ValueError(f"{player.label} plays a column in which there is no room")
            boards[games] = moving
            lengths[games] += 1
            outcomes[games[made == WON]] = 1 if index == 0 else -1
            goes_on[here] = made == GOES_ON
        live = live[goes_on]
        plies += 1
    return Block(outcomes.reshape(2, pairs).T, lengths.reshape(2, pairs).T, efforts)
