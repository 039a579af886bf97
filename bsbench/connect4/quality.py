"""How good moves are: the share of them that are optimal, judged by the solver, by ply.

Positions are drawn as openings are (random legal moves, the game is not over, nobody wins at once),
the same number for each number of stones on the board, the *ply*. Those in which all open columns
have the same worth are left out: no move is wrong there. A move is *optimal* if it is worth as much
as the best, so that it also wins as soon, or loses as late, as possible; it *keeps the outcome* if
a won position stays won, and a drawn one drawn. These are positions of random play, which good
players seldom reach.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import count
from typing import Any, ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.found import Found
from bsbench.common.journal import Journal
from bsbench.common.parallel import Shared, in_order
from bsbench.common.progress import Progress, Watch, ignored
from bsbench.common.record import Content, Count, Record, Share
from bsbench.common.record import Player as PlayerRecord
from bsbench.common.settings import check_numbers
from bsbench.common.texts import shortened
from bsbench.connect4.faults import fault_at
from bsbench.connect4.openings import boards_after, drawn_openings
from bsbench.connect4.players import Player, all_players, as_player, make_player
from bsbench.connect4.players.base import Boards, Played
from bsbench.connect4.players.perfect import Perfect
from bsbench.connect4.position import COLUMNS, MOST_PLIES, Position
from bsbench.matches.faults import PlayerError
from bsbench.matches.keeping import put_array, read_array
from bsbench.matches.lockstep import compile_player
from bsbench.matches.player import labels_of, player_record
from bsbench.stats import share_interval

PLIES = tuple(range(12, MOST_PLIES + 1))
"""Plies by default: with fewer stones on the board, the solver takes up to seconds
for each position."""

POSITIONS = 200
"""Of each ply by default."""

_MOST_POSITIONS = 10**6

_AT_ONCE = 4
"""Positions that a thread takes at a time."""

_MARKS = 3 * COLUMNS
"""Bytes that mark the columns of a judged position in a journal, after the columns played."""

Marks = npt.NDArray[np.bool_]
"""Whether each column of some positions is good; shape ``(positions, 7)``."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Positions of one ply, with the solver's judgement of them.

    Attributes
    ----------
    played : ndarray of int8, shape (n, ply)
        The columns that lead to each.
    optimal, keeps : ndarray of bool, shape (n, 7)
        Columns that are worth most; those that keep the outcome.
    open : ndarray of bool, shape (n, 7)
        Columns that are not full.
    """

    played: Played
    optimal: Marks
    keeps: Marks
    open: Marks

    @cached_property
    def boards(self) -> Boards:
        """The boards, shape ``(n, 2)``."""
        return boards_after(self.played)

    def as_bytes(self) -> npt.NDArray[np.uint8]:
        """Return the positions as bytes; the shape is (n, ply + `_MARKS`)."""
        parts = [self.played, self.optimal, self.keeps, self.open]
        return np.hstack([part.astype(np.uint8) for part in parts])

    @classmethod
    def from_bytes(cls, content: npt.NDArray[np.uint8]) -> Judged:
        """Return the positions of a ply that `as_bytes` gave.

        Raises
        ------
        ValueError
            If there are no such positions, or marks.
        """
        played, marks = content[:, :-_MARKS].astype(np.int8), content[:, -_MARKS:]
        judged = cls(played, *np.split(marks.astype(np.bool_), 3, axis=1))
        if (marks > 1).any() or not judged.open.any(axis=1).all():
            raise ValueError("no marks")
        # What comes of columns that can't be played.
        _ = judged.boards
        return judged

    @property
    def chance(self) -> tuple[float, float]:
        """Share of the open columns that are optimal, and that keep the outcome, on average."""
        columns = self.open.sum(axis=1)
        optimal, keeps = (
            float((good.sum(axis=1) / columns).mean()) for good in (self.optimal, self.keeps)
        )
        return optimal, keeps


class ByPly(Record, frozen=True):
    """By ply, the mean share of the open columns that are so: what a random player gets.

    Attributes
    ----------
    optimal
        Optimal.
    keeps
        Keep a won position won, and a drawn one drawn.
    """

    optimal: list[Share]
    keeps: list[Share]


class QualityEntry(PlayerRecord, frozen=True):
    """A player that was judged.

    Attributes
    ----------
    source
        Who proposed it, and where.
    optimal
        By ply, moves that were optimal.
    keeps
        By ply, moves that kept the outcome.
    """

    source: str
    optimal: list[Count]
    keeps: list[Count]


class QualityRecord(Content, frozen=True, kw_only=True, omit_defaults=True):
    """What `bsbench connect4 quality` saves, and writes with `--export-json`.

    It is how many moves the solver calls optimal.

    Attributes
    ----------
    seed
        Seed of the positions and players.
    plies
        Stones on the board of the positions.
    positions
        Positions of each ply.
    requested
        Players asked for: fewer were judged if it was interrupted. Older records lack it.
    chance
        By ply, the mean share of the open columns that are so: what a random player gets.
    players
        The players judged.
    faults
        By label, why players of users are left out; not there if none is.
    seconds.judge
        The solver's.
    seconds.play
        The players'.
    """

    schema = "bsbench-connect4-quality-1"
    heading = "Quality of moves of Connect 4"
    steps = {"judge": "judge_seconds", "play": "play_seconds"}  # noqa: RUF012
    seed: Count
    plies: list[Count]
    positions: Count
    requested: Count | msgspec.UnsetType = msgspec.UNSET
    chance: ByPly
    players: list[QualityEntry]
    faults: dict[str, str] = {}  # noqa: RUF012


@dataclass(frozen=True, eq=False)
class Quality(Found):
    """How good the moves of some players are.

    Attributes
    ----------
    players : tuple of Player
    plies : tuple of int
    positions : int
        Of each ply.
    requested : int
        Players asked for.
    optimal, keeps : ndarray of int64, shape (players, plies)
        Number of moves that are optimal; that keep the outcome.
    chance : ndarray of float64, shape (plies, 2)
        See `Judged.chance`.
    seed, threads : int
    judge_seconds, play_seconds : float
    faults : mapping of str to PlayerError
        Why users' players are left out, by label.
    """

    form: ClassVar = QualityRecord

    players: tuple[Player, ...]
    plies: tuple[int, ...]
    positions: int
    requested: int
    optimal: npt.NDArray[np.int64]
    keeps: npt.NDArray[np.int64]
    chance: npt.NDArray[np.float64]
    seed: int
    judge_seconds: float
    play_seconds: float
    faults: Mapping[str, PlayerError] = field(default_factory=dict)

    @property
    def labels(self) -> list[str]:
        """The players' labels, with the parameters that distinguish players of one name."""
        return labels_of(self.players)

    @property
    def partial(self) -> bool:
        """Whether it was interrupted before all players were judged."""
        return len(self.players) + len(self.faults) < self.requested

    def share(self, found: npt.NDArray[np.int64]) -> tuple[float, float, float]:
        """Return the share of moves, of one or more plies, with its 95 % interval."""
        moves = self.positions * found.size
        share = float(found.sum()) / moves
        return share, *share_interval(share, moves)

    @property
    def exit_code(self) -> int:
        """1 if a player failed."""
        return 1 if self.faults else 0

    def content(self) -> QualityRecord:
        """Return the record."""
        optimal, keeps = self.chance.T.round(6).tolist()
        return QualityRecord(
            seed=self.seed,
            plies=list(self.plies),
            positions=self.positions,
            requested=self.requested,
            chance=ByPly(optimal=optimal, keeps=keeps),
            players=[
                QualityEntry(**player_record(player, optimal=o.tolist(), keeps=k.tolist()))
                for player, o, k in zip(self.players, self.optimal, self.keeps, strict=True)
            ],
            faults={label: str(fault) for label, fault in self.faults.items()},
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each player and number of stones."""
        return [
            {
                "player": label,
                "stones": stones,
                "positions": self.positions,
                "optimal": int(optimal[place]),
                "keeps": int(keeps[place]),
            }
            for label, optimal, keeps in zip(self.labels, self.optimal, self.keeps, strict=True)
            for place, stones in enumerate(self.plies)
        ]


def judged_players(players: Sequence[str | Player | type] = ()) -> list[Player]:
    """Return the players that are judged: by default all but the solver itself."""
    everybody = players or [each for each in all_players() if not isinstance(each, Perfect)]
    return [as_player(each) for each in everybody]


def judge_players(
    players: Sequence[str | Player | type] = (),
    *,
    plies: Sequence[int] | None = None,
    positions: int = POSITIONS,
    seed: int = 0,
    threads: int | None = None,
    progress: Watch = ignored,
    journal: Journal | None = None,
) -> Quality:
    """Count how many moves of some players are optimal.

    Parameters
    ----------
    players : sequence of str, Player or type
        As for `play_match`. Default: all that take part in a league of all, but the solver itself.
    plies : sequence of int, optional
        Stones on the board, ascending. Default: `PLIES`.
    positions : int
        Of each ply.
    seed : int
        Any non-negative integer.
    threads : int, optional
        Default: as many as there are cores. The result does not depend on it.
    progress : callable, optional
        As for `play_match`; it counts plies.
    journal : Journal, optional
        What keeps plies that are judged, and players' moves at them, opened with `about_players`.

    Returns
    -------
    Quality
        Ctrl-C ends it early; it then holds the players that were judged on all positions.

    Raises
    ------
    BsbenchError
        If an argument is out of range, or a user's player can't be started.
    PlayerError
        If users' players fail, and no player is left.
    KeyboardInterrupt
        If interrupted before the first player was judged.
    """
    entries = judged_players(players)
    plies = PLIES if plies is None else plies
    _, seed, threads = check_numbers(1, seed, threads)
    check_judging(plies, positions)
    begun = time.perf_counter()
    compile_player(make_player("perfect"))
    judged = []
    for ply in plies:
        known = _read_judged(journal, ply, positions)
        judged.append(known or judged_positions(ply, positions, seed, threads))
        if journal is not None and known is None:
            put_array(journal, f"ply {ply}", judged[-1].as_bytes())
            _write_if_due(journal)
        progress(Progress("judging positions", len(judged), len(plies), unit="plies"))
    ready = time.perf_counter()
    optimal = np.zeros((len(entries), len(plies)), np.int64)
    keeps = np.zeros_like(optimal)
    rows = np.arange(positions)
    whole: list[int] = []
    faults: dict[str, PlayerError] = {}

    def judge(place: int, player: Player) -> None:
        compile_player(player)
        for number, each in enumerate(judged):
            key = f"{player.label}, ply {plies[number]}"
            found = None if journal is None else _read_found(journal, key, positions)
            if found is None:
                columns = _choices(player, each, seed, threads)
                good = each.optimal[rows, columns].sum(), each.keeps[rows, columns].sum()
                found = int(good[0]), int(good[1])
                if journal is not None:
                    journal.put(key, found)
                    _write_if_due(journal)
            optimal[place, number], keeps[place, number] = found
            progress(Progress(player.label, number + 1, len(plies), unit="plies"))

    try:
        for place, player in enumerate(entries):
            try:
                judge(place, player)
            except PlayerError as fault:
                faults[player.label] = fault
            else:
                whole.append(place)
    except KeyboardInterrupt:
        if not whole:
            raise
    if not whole:
        raise next(iter(faults.values()))
    return Quality(
        players=tuple(entries[place] for place in whole),
        plies=tuple(plies),
        positions=positions,
        requested=len(entries),
        optimal=optimal[whole],
        keeps=keeps[whole],
        chance=np.array([each.chance for each in judged]),
        seed=seed,
        threads=threads,
        judge_seconds=ready - begun,
        play_seconds=time.perf_counter() - ready,
        faults=faults,
    )


def _write_if_due(journal: Journal) -> None:
    if journal.due(good_moment=True):
        journal.write()


def _read_judged(journal: Journal | None, ply: int, positions: int) -> Judged | None:
    """Return the positions of a ply that a journal has."""
    if journal is None:
        return None
    content = read_array(journal, f"ply {ply}", positions, ply + _MARKS)
    try:
        return None if content is None else Judged.from_bytes(content)
    except ValueError:
        raise journal.damaged() from None


def _read_found(journal: Journal, key: str, positions: int) -> tuple[int, int] | None:
    """Return the moves of a player at a ply that a journal has counted: optimal, and keeping."""
    known = journal.read(key)
    if known is None:
        return None
    if not (
        type(known) is list
        and len(known) == 2
        and all(type(number) is int and 0 <= number <= positions for number in known)
    ):
        raise journal.damaged()
    return known[0], known[1]


def check_judging(plies: Sequence[int], positions: int) -> None:
    """Refuse numbers of positions that can't be drawn.

    Raises
    ------
    BsbenchError
        If one is out of range.
    """
    if not 1 <= positions <= _MOST_POSITIONS:
        raise BsbenchError(
            f"can't judge {shortened(positions)} positions: ask for 1 to {_MOST_POSITIONS:,}"
        )
    if not plies or not 0 <= plies[0] <= plies[-1] <= MOST_PLIES:
        asked = f"{plies[0]} to {plies[-1]}" if plies else "no"
        raise BsbenchError(
            f"can't draw positions with {asked} stones: ask for 0 to {MOST_PLIES}, the lower first"
        )


def judged_positions(ply: int, positions: int, seed: int, threads: int = 1) -> Judged:
    """Return the first positions of a ply in which columns differ, with what is good there.

    Parameters
    ----------
    ply, positions, seed, threads : int
        The result does not depend on threads.
    """

    def judge(first: int) -> tuple[Played, npt.NDArray[np.float64]]:
        """Return positions in which columns differ, and the worth of each column; NaN if full."""
        solver = make_player("perfect", {"table_bits": 20})
        solver.begin(0)
        columns, _ = drawn_openings(seed, first, _AT_ONCE, ply, "positions")
        worths = np.full((_AT_ONCE, COLUMNS), np.nan)
        for row, played in zip(worths, columns.tolist(), strict=True):
            scores = solver.analyse(Position(tuple(played))).scores
            row[list(scores)] = list(scores.values())
        differ = np.nanmin(worths, axis=1) < np.nanmax(worths, axis=1)
        return columns[differ].astype(np.int8), worths[differ]

    drawn = Shared(count(0, _AT_ONCE))

    def work(
        stopped: Callable[[], bool],
    ) -> Iterator[tuple[int, int, tuple[Played, npt.NDArray[np.float64]]]]:
        for first in drawn:
            if stopped():
                return
            yield first, _AT_ONCE, judge(first)

    found: list[tuple[Played, npt.NDArray[np.float64]]] = []
    missing = positions
    with closing(in_order([work] * threads)) as parts:
        while missing > 0:
            found.append(next(parts))
            missing -= len(found[-1][0])
    played, worths = (np.concatenate(each)[:positions] for each in zip(*found, strict=True))
    best = np.nanmax(worths, axis=1, keepdims=True)
    return Judged(
        played.astype(np.int8), worths == best, np.sign(worths) == np.sign(best), ~np.isnan(worths)
    )


def _choices(player: Player, judged: Judged, seed: int, threads: int) -> npt.NDArray[np.int64]:
    """Return what a player plays in some positions, asked on several threads."""
    taken: list[Player] = []

    def choose(
        rows: npt.NDArray[np.int64], stopped: Callable[[], bool]
    ) -> Iterator[tuple[int, int, npt.NDArray[np.int64]]]:
        own = player.copy()
        taken.append(own)
        with closing(own):
            own.begin(seed)
            for begin in range(0, len(rows), own.games_at_once):
                part = rows[begin : begin + own.games_at_once]
                played = judged.played[part]
                try:
                    chosen = own.choose_after(played, judged.boards[part], part)
                except Fault as fault:
                    raise fault_at(own, played[fault.lane].tolist(), fault) from fault
                yield int(part[0]), len(part), chosen

    def abandon() -> None:
        for each in list(taken):
            each.kill()

    parts = np.array_split(np.arange(len(judged.played)), min(threads, len(judged.played)))
    works = [partial(choose, rows) for rows in parts]
    with closing(in_order(works, abandon=abandon)) as chosen:
        return np.concatenate(list(chosen))
