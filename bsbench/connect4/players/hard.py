"""The player ``hard``."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bsbench.common.parameters import parameter
from bsbench.connect4.kernels.minimax import (
    ANY_SCORE,
    EVAL,
    LATER,
    SOONER,
    Search,
    choose_columns,
    next_generation,
    score_column,
)
from bsbench.connect4.players.base import Analysis, Boards, Columns, Games, Player
from bsbench.connect4.position import CENTRE_FIRST, Position

_TERMINAL = {"eval": EVAL, "sooner": SOONER, "later": LATER}

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
        choose_columns(
            *(boards, self.depth, _TERMINAL[self.terminal], self.opp_threat_penalty),
            *(self._tables[0], self._generations[0], columns, self._nodes),
        )
        return columns

    def analyse(self, position: Position, game: int = 0) -> Analysis:
        """Return the best column, and the exact scores of all."""
        for table, generation in zip(self._tables, self._generations, strict=True):
            next_generation(table, generation)
        # In the order in which ties are settled.
        columns = [column for column in CENTRE_FIRST if column in position.open_columns]
        threads = min(self.threads if self.depth >= _THREADS_DEPTH else 1, len(columns))
        # A cache line or more for each count, and a table for each thread, so that no thread
        # waits for a line that another one writes to.
        nodes = np.zeros((threads, 16), np.int64)
        found: dict[int, int] = {}
        left = iter(columns)

        def search(thread: int) -> None:
            how = Search(
                _TERMINAL[self.terminal],
                self.opp_threat_penalty,
                self._tables[thread],
                self._generations[thread][0],
                nodes[thread],
            )
            mover, stones = np.uint64(position.mover), np.uint64(position.stones)
            for column in left:
                score = score_column(mover, stones, column, ANY_SCORE, self.depth, how)
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
