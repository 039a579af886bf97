"""All players of Connect 4, weakest first, and the base class of all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.common.parameters import Configurable, parameter
from bsbench.common.settings import check_choice, read_variant
from bsbench.connect4.kernels import minimax, solver
from bsbench.connect4.kernels.board import column_of, landing_cells, winning_cells
from bsbench.connect4.kernels.chance import draw_cell, stream_of_move
from bsbench.connect4.position import CENTRE_FIRST, Position
from bsbench.kernels._jit import kernel
from bsbench.kernels.random import stream_key

Boards = npt.NDArray[np.uint64]
"""Boards of some games, shape ``(n, 2)``: stones of the player to move, and of both."""

Columns = npt.NDArray[np.int64]
"""A column, 0 to 6, for each of some games, shape ``(n,)``."""

Games = npt.NDArray[np.int64]
"""Numbers of some games, shape ``(n,)``."""


@dataclass(frozen=True)
class Analysis:
    """A player's analysis of one position.

    Attributes
    ----------
    best : int
        The column it plays, 0 to 6.
    scores : mapping of int to int
        What each column that is not full is worth to it, from the left; empty for a player that
        gives no scores.
    nodes : int
        Boards looked at.
    """

    best: int
    scores: Mapping[int, int]
    nodes: int


class Player(Configurable, ABC):
    """Chooses columns in many games at once, one move in each, from what is on the boards.

    A player is one subclass in this file, named in `_KINDS`. The docstring gives the idea in one
    line, then the source, and how ambiguities were settled. Parameters are the public fields of a
    dataclass, each made by `bsbench.common.parameters.parameter`.

    `begin` is called first. Several threads may then play at once, each with a `copy`: players
    share no state, and slow parts run in kernels, which don't block other threads.

    The columns must depend neither on which games are asked for together nor on earlier calls. So
    random numbers come from streams that depend on the game's number and the move: in a kernel,
    ``stream_of_move(key, game, stones)`` of `bsbench.connect4.kernels.chance` with the key
    `stream_key`.
    """

    role = "player"

    source: ClassVar[str]
    """Who proposed it, and where."""

    scores_mean: ClassVar[str] = ""
    """What the scores of its analysis are; empty if it gives none."""

    def begin(self, seed: int) -> None:
        """Make ready to play under a seed; overriding methods call this one first."""
        self._nodes = np.zeros(1, np.int64)
        self._key = stream_key(f"connect4 {self.name}", seed)

    @property
    def nodes(self) -> int:
        """Boards it has looked at since `begin`; 0 if it looks no further than the next move.

        Kernels add to the array ``_nodes``, shape ``(1,)``.
        """
        return int(self._nodes[0])

    @property
    def stream_key(self) -> np.uint64:
        """The key of this player's own random streams, for kernels."""
        return self._key

    @abstractmethod
    def choose(self, boards: Boards, games: Games) -> Columns:
        """Return the column to play in each of some games; none of them is over.

        Parameters
        ----------
        boards : ndarray of uint64, shape (n, 2)
            Stones of the player to move, and of both: see `bsbench.connect4.position`. Not to be
            changed.
        games : ndarray of int64, shape (n,)
            The games' numbers, on which random numbers depend. A pair of games has the same
            number: in one of them, the player is `first`, in the other `second`.

        Returns
        -------
        ndarray of int64, shape (n,)
            Columns, 0 to 6.
        """

    def analyse(self, position: Position, game: int = 0) -> Analysis:
        """Return the column it plays in one position that is not over, and its scores.

        Parameters
        ----------
        position : Position
        game : int
            Number of the game it stands in, on which random numbers depend.
        """
        before = self.nodes
        (column,) = self.choose(board_of(position), np.array([game]))
        return Analysis(int(column), {}, self.nodes - before)

    def verdict(self, position: Position, analysis: Analysis) -> str:
        """Return in a sentence what the scores mean for the position; empty if nothing more."""
        return ""


def board_of(position: Position) -> Boards:
    """Return a position as the board of one game."""
    return np.array([[position.mover, position.stones]], np.uint64)


@kernel
def _choose_any(key, boards, games, columns):
    for index in range(len(boards)):
        stones = boards[index, 1]
        state = stream_of_move(key, games[index], stones)
        _, cell = draw_cell(state, landing_cells(stones))
        columns[index] = column_of(cell)


class Random(Player):
    """A random column that is not full, each equally likely.

    Source: the usual yardstick.
    """

    name = "random"
    source = "the usual yardstick"

    def choose(self, boards: Boards, games: Games) -> Columns:
        """Return a random column for each game."""
        columns = np.empty(len(boards), np.int64)
        _choose_any(self.stream_key, boards, games, columns)
        return columns


@kernel
def _choose_greedily(key, boards, games, columns):
    for index in range(len(boards)):
        mover, stones = boards[index, 0], boards[index, 1]
        in_reach = landing_cells(stones)
        wins = winning_cells(mover, stones) & in_reach
        blocks = winning_cells(mover ^ stones, stones) & in_reach
        wanted = wins if wins != 0 else blocks if blocks != 0 else in_reach
        _, cell = draw_cell(stream_of_move(key, games[index], stones), wanted)
        columns[index] = column_of(cell)


class Greedy(Player):
    """Wins at once if it can, else blocks the opponent's win, else plays a random column.

    Source: the usual first player of Connect 4 programs.

    Settled here: of several columns that win, or several to block, or all open ones, each is
    equally likely.
    """

    name = "greedy"
    source = "the usual first player of Connect 4 programs"

    def choose(self, boards: Boards, games: Games) -> Columns:
        """Return a winning, blocking or random column for each game."""
        columns = np.empty(len(boards), np.int64)
        _choose_greedily(self.stream_key, boards, games, columns)
        return columns


_TERMINAL = {"eval": minimax.EVAL, "sooner": minimax.SOONER, "later": minimax.LATER}

_TABLE_WORDS = 1 << 18
"""Two megabytes; four or sixteen times as many save less than one node in fifty at depth 12."""

_TABLE_DEPTH = 9
"""From this depth on, remembering positions is worth its time."""

_THREADS_DEPTH = 8
"""Below this depth, threads take longer to start than the search."""


@dataclass
class Hard(Player):
    """Minimax with alpha-beta and a heuristic evaluation: the "Hard Bot".

    Source: the specification "Hard Bot Strategy - Connect 4". The evaluation adds up, from the side
    of the player who thinks (the AI): for each of the 69 windows of four cells in a row, 10000 for
    four AI pieces, 100 for three and an empty cell, 10 for two and two empty cells; for the
    opponent's, -10000, -120 and -10; 7 for each AI piece in the centre column; 800 if the AI "can
    create 2+ simultaneous threats", -900 if the opponent can; 200 for a novice trap in the bottom
    row. Of equal scores, the column "closest to the centre" is played.

    Settled here, where the specification leaves it open:

    - A double threat is two or more columns in which a piece dropped now makes four, whichever
      player is to move; its value does not grow with more columns, and both sides' may apply. Two
      winning cells above each other count once.
    - A novice trap is a window of the bottom row with three adjacent AI pieces and the empty cell
      at an end; ``_XXX_`` are two.
    - A finished game is worth, with ``terminal=sooner``, 100000 plus the remaining plies, negative
      if the opponent wins: so the sooner win and the later loss are preferred. The specification
      only has "4 AI pieces -> +10000": with ``terminal=eval``, a won board gets the same evaluation
      as all others. On it, every open column "makes four" for the winner, so that the double threat
      counts. ``terminal=later`` subtracts the remaining plies from 100000, as the program does that
      the specification describes: the later win, the sooner loss.
    - That program also subtracts 120 for each column in which the opponent would win at once:
      ``opp_threat_penalty``. It is not in the specification's table, and 0 by default.
    - ``depth`` counts plies, the move to be chosen included.
    - A full board without a winner is evaluated as any other.
    - Of two columns equally close to the centre, the left one is played.
    - The evaluation is always from the side of the player who thinks, even if the other one is to
      move on the board evaluated; it is not the same with sides swapped.

    Presets: ``preset=seed-literal`` is ``terminal=eval``, and ``preset=upstream``
    ``terminal=later,opp_threat_penalty=120``.

    An analysis gives each column its exact score, searched by itself, on ``threads`` threads at
    once from depth 8 on; if threads can't be started, one after the other. Scores and move are the
    same whatever the number of threads. To choose a move, columns are searched from the centre
    outwards, each just far enough to show whether it is better than all before. From depth 9 on,
    a table for each thread remembers what was searched, so that with several threads the number
    of nodes varies with which thread searches which column.
    """

    depth: int = parameter(8, "plies to look ahead, its own move included", least=1, most=42)
    threads: int = parameter(1, "threads for one analysis, from depth 8 on", least=1, most=7)
    terminal: str = parameter(
        "sooner",
        "what a finished game is worth; eval: its evaluation; sooner: 100000 plus the "
        "remaining plies; later: 100000 minus the remaining plies",
        choices=tuple(_TERMINAL),
    )
    opp_threat_penalty: int = parameter(
        0, "subtracted for each column in which the opponent wins at once", least=0, most=1000
    )

    name = "hard"
    source = "Hard Bot Strategy"
    scores_mean = "minimax scores of the evaluation"
    presets: ClassVar = {
        "seed-literal": {"terminal": "eval"},
        "upstream": {"terminal": "later", "opp_threat_penalty": 120},
    }

    def begin(self, seed: int) -> None:
        """Empty the tables."""
        super().begin(seed)
        words = _TABLE_WORDS if self.depth >= _TABLE_DEPTH else 0
        self._tables = [np.zeros(words, np.uint64) for _ in range(self.threads)]
        self._generations = [np.zeros(1, np.uint64) for _ in range(self.threads)]

    def choose(self, boards: Boards, games: Games) -> Columns:
        """Return the best column for each game."""
        columns = np.empty(len(boards), np.int64)
        minimax.choose_columns(
            *(boards, self.depth, _TERMINAL[self.terminal], self.opp_threat_penalty),
            *(self._tables[0], self._generations[0], columns, self._nodes),
        )
        return columns

    def analyse(self, position: Position, game: int = 0) -> Analysis:
        """Return the best column, and the exact scores of all."""
        for table, generation in zip(self._tables, self._generations, strict=True):
            minimax.next_generation(table, generation)
        # In the order in which ties are settled.
        columns = [column for column in CENTRE_FIRST if column in position.open_columns]
        threads = min(self.threads if self.depth >= _THREADS_DEPTH else 1, len(columns))
        # A cache line or more for each count, and a table for each thread, so that no thread
        # waits for a line that another one writes to.
        nodes = np.zeros((threads, 16), np.int64)
        found: dict[int, int] = {}
        left = iter(columns)

        def search(thread: int) -> None:
            how = minimax.Search(
                _TERMINAL[self.terminal],
                self.opp_threat_penalty,
                self._tables[thread],
                self._generations[thread][0],
                nodes[thread],
            )
            mover, stones = np.uint64(position.mover), np.uint64(position.stones)
            for column in left:
                score = minimax.score_column(
                    mover, stones, column, minimax.ANY_SCORE, self.depth, how
                )
                found[column] = int(score)

        try:
            with ThreadPoolExecutor(max(threads - 1, 1)) as pool:
                others = [pool.submit(search, thread) for thread in range(1, threads)]
                search(0)
                for other in others:
                    other.result()
        except RuntimeError:  # no thread can be started
            nodes[:] = 0
            left = iter(columns)
            search(0)
        self._nodes += nodes.sum()
        best = max(columns, key=found.__getitem__)
        return Analysis(best, dict(sorted(found.items())), int(nodes.sum()))


@dataclass
class Perfect(Player):
    """Plays without a mistake: wins as soon as it can, and loses as late as it can.

    Source: the published technique of solvers: Allis, "A knowledge-based approach of
    Connect-Four", 1988; Tromp's Fhourstones; Pons, "Solving Connect 4: how to build a perfect AI".
    The program is bsbench's own (`bsbench.connect4.kernels.solver`).

    A position is worth, to the player to move, 22 less the number of stones that the winner
    has placed when the game ends, negative if that is the opponent, 0 for a draw, if
    both play without a mistake. That is the convention of the public test sets.

    Settled here: of several columns that are worth most, the one closest to the centre is played,
    the left one of two.

    The table of what it knows has 2^``table_bits`` words of 8 bytes, 64 megabytes by default; it is
    kept from one position to the next, so that later ones may take fewer nodes. With 16 stones on
    the board, a position takes a hundredth of a second; the empty board takes minutes.
    """

    table_bits: int = parameter(
        23, "the table has 2^table_bits places of 8 bytes", least=10, most=30
    )

    name = "perfect"
    source = "the published technique: alpha-beta with null windows, threats and a table"
    scores_mean = "22 minus the winner's stones at the end, negative if the opponent wins"

    def begin(self, seed: int) -> None:
        """Empty the table."""
        super().begin(seed)
        # Written to here, so that no search has to wait for memory.
        self._table = np.empty(1 << self.table_bits, np.uint64)
        self._table.fill(0)
        self._scratch = np.zeros(solver.SCRATCH_SHAPE, np.uint64)

    def choose(self, boards: Boards, games: Games) -> Columns:
        """Return a column that is worth most for each game."""
        columns = np.empty(len(boards), np.int64)
        solver.choose_columns(boards, self._table, self._scratch, columns, self._nodes)
        return columns

    def worth(self, position: Position) -> int:
        """Return what a position that is not over is worth to the player to move."""
        mover, stones = np.uint64(position.mover), np.uint64(position.stones)
        return int(solver.solve(mover, stones, self._table, self._scratch, self._nodes))

    def analyse(self, position: Position, game: int = 0) -> Analysis:
        """Return the best column, and the worth of each column."""
        before = self.nodes
        mover, stones = np.uint64(position.mover), np.uint64(position.stones)
        columns = [column for column in CENTRE_FIRST if column in position.open_columns]
        found = {
            column: int(
                solver.score_column(mover, stones, column, self._table, self._scratch, self._nodes)
            )
            for column in columns
        }
        best = max(columns, key=found.__getitem__)
        return Analysis(best, dict(sorted(found.items())), self.nodes - before)

    def verdict(self, position: Position, analysis: Analysis) -> str:
        """Return who wins, and with which stone."""
        worth = analysis.scores[analysis.best]
        if worth == 0:
            return "with perfect play, the game is a draw"
        other = "second" if position.to_move == "first" else "first"
        winner = position.to_move if worth > 0 else other
        return (
            f"with perfect play, the {winner} player wins with its stone number {22 - abs(worth)}"
        )


_KINDS: Mapping[str, type[Player]] = {kind.name: kind for kind in (Random, Greedy, Hard, Perfect)}


def player_names() -> list[str]:
    """Return the names of all players, sorted."""
    return sorted(_KINDS)


def find_player(name: str) -> type[Player]:
    """Return the player of that name.

    Raises
    ------
    BsbenchError
        If there is none.
    """
    check_choice("player", name, player_names())
    return _KINDS[name]


def make_player(name: str, settings: Mapping[str, Any] | None = None) -> Player:
    """Return the player of that name with some of its parameters set.

    Parameters
    ----------
    name : str
    settings : mapping of str to bool, int, float or str, optional
        Values by parameter; text is read as the parameter's type.

    Raises
    ------
    BsbenchError
        If there is no such player or parameter, or a value is of the wrong kind or out of range.
    """
    return find_player(name).configured(settings or {})


def as_player(given: str | Player) -> Player:
    """Return a player that is given as it is, or written ``NAME,PARAMETER=VALUE,…``.

    Raises
    ------
    BsbenchError
        If it is unreadable, or for the reasons that `make_player` has.

    Examples
    --------
    >>> as_player("hard,depth=4,preset=upstream").label
    'hard depth=4 terminal=later opp_threat_penalty=120'
    """
    return given if isinstance(given, Player) else make_player(*read_variant(given))
