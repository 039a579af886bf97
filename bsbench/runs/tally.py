"""Tallies: what is known of a range of games, and the sum of it over ranges that meet.

Everything that is played comes down to one function: from a strategy, a scenario, a seed and a
range of games to a `Tally`. Tallies of neighbouring ranges add up to that of both, exactly, so
that a run may be cut into pieces, played in any order and on any machine, and put together again.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.kernels.digests import BLOCK_BITS, count_games
from bsbench.play.lockstep import Moves
from bsbench.stats import AnswerRows, Answers, Counts, Learning
from bsbench.stats.answers import FIELDS

BLOCK = 1 << BLOCK_BITS
"""Games of a block of the evidence; its first game's number is a multiple of it."""

Blocks = npt.NDArray[np.uint64]

Notes: TypeAlias = AnswerRows | Moves
"""What is noted of each game beside its move count: of a strategy that may fail to choose, how its
moves were chosen, shape (games, fields); in games of salvos its shots, shape (games,). Where both
are, the shots are a column more."""


@dataclass(frozen=True, eq=False)
class Tally:
    """What is known of games ``first_game`` … ``first_game + games - 1``.

    Attributes
    ----------
    first_game, games : int
    counts : ndarray of int64, shape (cells + 1,)
        Number of games by move count.
    firsts : ndarray of int64, shape (cells + 1,)
        Number of the first game of each move count; -1 where there is none.
    blocks : ndarray of uint64, shape (blocks, 4)
        The evidence: for each block of `BLOCK` games that the range has games of, sums over these
        games modulo 2^64: their moves, the squares of these, and the low and the high half of a
        digest (`bsbench.kernels.digests.count_games`).
    learning : Learning or None
        Of a strategy that learns from game to game.
    answers : Answers or None
        Of a strategy that may fail to choose, such as a language model.
    shots : ndarray of int64, shape (cells + 1,), or None
        In salvos, where a move is a turn: number of games by shots, up to the last hit.
    """

    first_game: int
    games: int
    counts: Counts
    firsts: Counts
    blocks: Blocks
    learning: Learning | None = None
    answers: Answers | None = None
    shots: Counts | None = None

    @classmethod
    def empty(cls, first_game: int, cells: int) -> Tally:
        """Return the tally of no games, which begins at a game, on a board of some cells."""
        none = np.zeros(cells + 1, np.int64)
        return cls(first_game, 0, none, none - 1, np.zeros((0, 4), np.uint64))

    @classmethod
    def of(cls, first_game: int, moves: Moves, cells: int, games_per_learner: int = 1) -> Tally:
        """Return the tally of games in a row, given their move counts; see `and_then`."""
        return cls.empty(first_game, cells).and_then(moves, games_per_learner)

    @classmethod
    def without_evidence(
        cls, counts: Counts, learning: Learning | None, first_game: int = 0
    ) -> Tally:
        """Return the tally of games of which only the counts are known.

        So it is in records of very many games. It has no blocks, and nothing can be added to it.
        """
        none = cls.empty(first_game, len(counts) - 1)
        return cls(first_game, int(counts.sum()), counts, none.firsts, none.blocks, learning)

    @property
    def has_evidence(self) -> bool:
        """Whether first games and blocks are known."""
        return len(self.blocks) == blocks_of(self.first_game, self.games)

    @property
    def digest(self) -> str:
        """The SHA-256 of the evidence, which another tally has only if all games are the same."""
        games = f"{self.first_game} {self.games}\n".encode()
        return hashlib.sha256(games + self.blocks.astype("<u8").tobytes()).hexdigest()

    @property
    def end(self) -> int:
        """The number of the game after the last one."""
        return self.first_game + self.games

    def and_then(
        self, moves: Moves, games_per_learner: int = 1, notes: Notes | None = None
    ) -> Tally:
        """Return this tally and that of the games that follow.

        Parameters
        ----------
        moves : ndarray of uint8 or uint16, shape (games,)
            Their move counts.
        games_per_learner : int
            Above 1 for a strategy that learns; the games then begin with a learner.
        notes : AnswerRows or ndarray of uint8 or uint16, optional
            See `Notes`.
        """
        counts, firsts = self.counts.copy(), self.firsts.copy()
        games = self.games + len(moves)
        blocks = np.zeros((blocks_of(self.first_game, games), 4), np.uint64)
        blocks[: len(self.blocks)] = self.blocks
        begun = self.end >> BLOCK_BITS
        count_games(
            moves, self.end, counts, firsts, blocks[begun - (self.first_game >> BLOCK_BITS) :]
        )
        learning = None
        if games_per_learner > 1:
            learning = Learning.of(games_per_learner, moves)
            learning = self.learning + learning if self.learning else learning
        answers = shots = None
        if notes is not None and (notes.ndim == 1 or notes.shape[1] > len(FIELDS)):
            shots = np.bincount(shots_in(notes), minlength=len(counts))
        if notes is not None and notes.ndim == 2:
            answers = Answers.of(notes[:, : len(FIELDS)].astype(np.int64, copy=False))
        if self.games:
            answers, shots = _added(self.answers, answers), _added(self.shots, shots)
        return Tally(self.first_game, games, counts, firsts, blocks, learning, answers, shots)

    def __add__(self, later: Tally) -> Tally:
        """Return the tally of both ranges.

        Raises
        ------
        BsbenchError
            If the later one does not begin where this one ends, not with a learner, or either has
            no evidence, or one alone has answers.
        """
        if not (self.has_evidence and later.has_evidence):
            raise BsbenchError("a record without evidence can't be added to: play its games again")
        if later.first_game != self.end:
            raise BsbenchError(
                f"games {self.first_game:,} to {self.end - 1:,} and games {later.first_game:,} to "
                f"{later.end - 1:,} don't meet"
            )
        if not self.games or not later.games:
            return self if later.games == 0 else later
        learning = None
        if self.learning and later.learning:
            if self.games % self.learning.games_per_learner:
                raise BsbenchError(
                    f"games {self.first_game:,} to {self.end - 1:,} end in the middle of a "
                    f"learner, which plays {self.learning.games_per_learner:,} games in a row"
                )
            learning = self.learning + later.learning
        blocks = np.zeros((blocks_of(self.first_game, self.games + later.games), 4), np.uint64)
        blocks[: len(self.blocks)] += self.blocks
        blocks[len(blocks) - len(later.blocks) :] += later.blocks
        return Tally(
            self.first_game,
            self.games + later.games,
            self.counts + later.counts,
            np.where(self.firsts < 0, later.firsts, self.firsts),
            blocks,
            learning,
            _added(self.answers, later.answers),
            _added(self.shots, later.shots),
        )


def shots_in(notes: Notes) -> npt.NDArray[Any]:
    """Return the shots of games of salvos."""
    return notes if notes.ndim == 1 else notes[:, -1]


def _added(before: Any, later: Any) -> Any:
    """Return the sums over two ranges, if both or neither are known."""
    if before is not None and later is not None:
        return before + later
    if before is not later:
        raise BsbenchError(
            "of some games it is known how their moves were chosen, or how many shots they had, "
            "and of others not: they can't be put together"
        )
    return None


class MoveLog:
    """Move counts of games in a row, game by game, which may be forgotten from the front.

    It holds other numbers of each game as well, such as how its moves were chosen.

    Parameters
    ----------
    first_game : int
        The first game that will be added.
    dtype : data-type
        Of the move counts: see `bsbench.play.lockstep.moves_dtype`.
    columns : tuple of int
        Shape of the numbers of one game.
    """

    def __init__(
        self, first_game: int, dtype: npt.DTypeLike, columns: tuple[int, ...] = ()
    ) -> None:
        self._nothing: npt.NDArray[Any] = np.zeros((0, *columns), dtype)
        # Neighbouring ranges, each with its first game; at least one, which may be empty. Each
        # change is one assignment, or one call: Ctrl-C finds all of it, or nothing.
        self._parts: list[tuple[int, npt.NDArray[Any]]] = [(first_game, self._nothing)]
        self._keeps = True

    @property
    def first_game(self) -> int:
        """The first game that is kept."""
        return self._parts[0][0]

    @property
    def end(self) -> int:
        """The game after the last one that is kept."""
        first, moves = self._parts[-1]
        return first + len(moves)

    def add(self, first_game: int, moves: npt.NDArray[Any]) -> None:
        """Add games; those from ``first_game`` on that are in the log already are replaced."""
        if not self._keeps:
            self._parts = [(first_game + len(moves), self._nothing)]
        elif first_game < self.end:
            kept = self.between(self.first_game, first_game)
            before = [] if kept is None else [(self.first_game, kept)]
            self._parts = [*before, (first_game, moves)]
        else:
            self._parts.append((first_game, moves))

    def between(self, first_game: int, end: int) -> npt.NDArray[Any] | None:
        """Return the moves of games ``first_game`` … ``end - 1``, None if not all are kept."""
        if not self.first_game <= first_game <= end <= self.end:
            return None
        if first_game == end:
            return self._nothing
        begin = bisect_right(self._parts, first_game, key=_FIRST) - 1
        after = bisect_left(self._parts, end, key=_FIRST)
        first, moves = self._parts[begin]
        if after - begin > 1:
            # Joined once: those before stay as they are.
            moves = np.concatenate([part for _, part in self._parts[begin:after]])
            self._parts[begin:after] = [(first, moves)]
        return moves[first_game - first : end - first]

    def forget(self, before: int) -> None:
        """Forget the games before a game."""
        if before > self.first_game:
            rest = self.between(before, self.end)
            self._parts = [(before, self._nothing if rest is None else rest.copy())]

    def stop(self) -> None:
        """Forget all games, and keep none that will be added."""
        self._keeps, self._parts = False, [(self.end, self._nothing)]


_FIRST = itemgetter(0)


def blocks_of(first_game: int, games: int) -> int:
    """Return how many blocks a range has games of."""
    return ((first_game + games - 1) >> BLOCK_BITS) - (first_game >> BLOCK_BITS) + 1 if games else 0


def block_ranges(first_game: int, games: int) -> list[range]:
    """Return the games of each block that a range has games of, in order."""
    end = first_game + games
    begins = range(first_game - first_game % BLOCK, end, BLOCK) if games else ()
    return [range(max(begin, first_game), min(begin + BLOCK, end)) for begin in begins]
