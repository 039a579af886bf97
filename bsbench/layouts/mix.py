"""The law ``mix``: each layout by one of several laws, drawn with given weights.

Which law lays a game depends on the seed and the game's number alone. The layout is then the one
that this law has for the game: each sampler draws for all games of a range, and each game takes the
row of its own law.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import kernel
from bsbench.kernels.boards import Boards
from bsbench.kernels.random import draw, stream_key, stream_start
from bsbench.layouts import Codes, Sampler


@kernel
def _choose(key, first_game, ends, chosen):
    """Write the place of each game's law; ``ends`` are the weights, summed up to each."""
    total = ends[-1]
    for index in range(len(chosen)):
        _, number = draw(stream_start(key, first_game + index), total)
        place = 0
        while number >= ends[place]:
            place += 1
        chosen[index] = place


class Mix(Sampler):
    """Draws layouts of several laws.

    Parameters
    ----------
    parts : sequence of (int, Sampler)
        Weights, and what draws.
    """

    def __init__(self, parts: Sequence[tuple[int, Sampler]]) -> None:
        weights, self._samplers = zip(*parts, strict=True)
        super().__init__(self._samplers[0].rules)
        self._ends = np.cumsum(weights).astype(np.uint64)
        self.is_slow = any(each.is_slow for each in self._samplers)

    def draw(self, seed: int, first_game: int, games: int) -> Codes:
        """Return the layouts of some games; see `Sampler.draw`."""
        layouts = np.empty((games, len(self.rules.fleet)), np.int32)
        for mine, sampler in self._shares(seed, first_game, games):
            layouts[mine] = sampler.draw(seed, first_game, games)[mine]
        return layouts

    def draw_boards(self, seed: int, first_game: int, games: int) -> Boards:
        """Return the same layouts as boards; see `Sampler.draw_boards`."""
        boards = np.empty((games, -(-self.rules.cells // 64)), np.uint64)
        for mine, sampler in self._shares(seed, first_game, games):
            boards[mine] = sampler.draw_boards(seed, first_game, games)[mine]
        return boards

    def _shares(
        self, seed: int, first_game: int, games: int
    ) -> Iterator[tuple[npt.NDArray[np.bool_], Sampler]]:
        """Yield which games each law lays that lays any, and its sampler."""
        chosen = np.empty(games, np.int64)
        _choose(stream_key("mixed layouts", seed), first_game, self._ends, chosen)
        for place, sampler in enumerate(self._samplers):
            mine = chosen == place
            if mine.any():
                yield mine, sampler
