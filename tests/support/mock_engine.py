"""An engine without kernels: move counts follow from strategy, seed and game by a formula.

Whole commands can be tested with it: what they save, print and draw, and how they end. Nothing is
compiled, and no ship is laid. Of the games, only the move counts exist.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

import numpy as np

from bsbench.kernels.digests import BLOCK_BITS
from bsbench.play.lockstep import Block, moves_dtype
from bsbench.rules.board import Rules


def mock_moves(rules: Rules, label: str, seed: int, games: np.ndarray) -> np.ndarray:
    """Return the move counts of games, by number: up to 12 more than a label's own least."""
    span = rules.most_moves - rules.fewest_moves
    least = rules.fewest_moves + zlib.crc32(label.encode()) % max(span - 12, 1)
    wobble = (games * 7 + seed % 13 * 5 + games // 3) % 13
    return np.minimum(least + wobble, rules.most_moves).astype(moves_dtype(rules))


class MockSimulator:
    """Yields the move counts of blocks of games, in place of `Simulator`."""

    def __init__(self, rules, sampler, strategy, seed, *settings):
        self._rules, self._label, self._seed = rules, strategy.label, seed

    def play(
        self, blocks: Iterator[Block], stopped: Callable[[], bool] = lambda: False
    ) -> Iterator[tuple[Block, np.ndarray]]:
        """Play blocks of games, as `Simulator.play` does."""
        for block in blocks:
            if stopped():
                return
            games = np.arange(block.first_game, block.first_game + block.games)
            moves = mock_moves(self._rules, self._label, self._seed, games)
            yield block, np.column_stack([moves, moves]) if self._rules.salvos else moves


def mock_count(moves, first_game, counts, firsts, blocks):
    """Count games as `count_games` does, with other digests."""
    counts += np.bincount(moves, minlength=len(counts))
    for taken in np.unique(moves):
        if firsts[taken] < 0:
            firsts[taken] = first_game + np.argmax(moves == taken)
    games = np.arange(first_game, first_game + len(moves))
    rows = (games >> BLOCK_BITS) - (first_game >> BLOCK_BITS)
    taken = moves.astype(np.uint64)
    mixed = (games.astype(np.uint64) + np.uint64(1)) * taken
    for column, values in enumerate((taken, taken**2, mixed, mixed**2)):
        np.add.at(blocks[:, column], rows, values)


def mock_engine(monkeypatch) -> None:
    """Let runs play no games, and count move counts of the formula."""
    monkeypatch.setattr("bsbench.runs.cores.Simulator", MockSimulator)
    monkeypatch.setattr("bsbench.runs.cores.make_sampler", lambda rules, placement: object())
    monkeypatch.setattr("bsbench.runs.tally.count_games", mock_count)
