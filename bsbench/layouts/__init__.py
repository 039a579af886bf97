"""Layouts: where the ships lie, drawn from a placement law.

A law is one module with a function `sampler_of`, which returns a `Sampler` for one set of rules:
`draw` gives the layouts of any run of games, `draw_boards` the same as boards. A layout is one
*slot code* for each ship, ``2 * first cell + down``.

`uniform`, `sequential`, `direction_first`, `edge`, `border`, `weights`, `pick`, `file`, `avoid`,
`mix`
    the laws. The weights of `avoid` follow from games, which `bsbench.play.samplers` plays; it also
    makes the samplers that `mix` chooses among (``hide`` is one such mixture);
`each`
    all layouts in turn, for exact results.

Three exact samplers serve the laws ``uniform``, ``edge``, ``border``, ``avoid`` and, if its numbers
are small, ``weights``. The first that applies is
taken:

`plain`
    where attempts succeed often: ``classic``, most small or roomy boards, up to 512 cells;
`classes`
    ``uniform`` on boards of up to 128 cells where they don't: ``harbour``. The first ships come
    from a table that holds each arrangement once for all symmetries of the board;
`lookahead`
    everything else: larger boards, and ``edge`` and ``avoid`` on crowded ones.

`one_by_one` serves the laws that lay ship after ship, and ``weights`` if its numbers are large.

Tables: `heads`, the draw of the first ships for the last two; `layers`, what slots weigh.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.kernels.boards import Boards
from bsbench.kernels.random import stream_key
from bsbench.kernels.slots import fill_boards
from bsbench.rules.board import Rules
from bsbench.rules.placement import STREAM_VERSION, Placement

__all__ = ["STREAM_VERSION", "Sampler", "sampler_of"]

Codes = npt.NDArray[np.int32]

ATTEMPTS = 1 << 21
"""Attempts at one layout, after which it is given up."""

LIMIT = 1 << 64
"""Weights must stay below it, to be exact in 64 bits."""


class Sampler(ABC):
    """Draws layouts of one law under one set of rules.

    Parameters
    ----------
    rules : Rules
    remedies : str, optional
        What the error about a fleet that is too hard to lay suggests first.
    """

    is_slow = False
    """Whether a layout may take many attempts, on crowded boards thousands."""

    barred: Sequence[int] = ()
    """Cells on which the law puts no ship."""

    def __init__(self, rules: Rules, remedies: str = "") -> None:
        self.rules = rules
        self._remedies = remedies

    @abstractmethod
    def draw(self, seed: int, first_game: int, games: int) -> Codes:
        """Return the layouts of some games in a row, from ``first_game`` on.

        A game's layout depends on the seed and the game's number alone.

        Returns
        -------
        ndarray of int32, shape (games, ships)
            A slot code for each ship, in fleet order.

        Raises
        ------
        BsbenchError
            If a game's layout was not found within the number of attempts allowed.
        """

    def draw_boards(self, seed: int, first_game: int, games: int) -> Boards:
        """Return the layouts of `draw` as boards of ship cells.

        Returns
        -------
        ndarray of uint64, shape (games, words)
            See `bsbench.kernels.boards`.
        """
        rules = self.rules
        boards = np.zeros((games, -(-rules.cells // 64)), np.uint64)
        layouts = self.draw(seed, first_game, games)
        fill_boards(layouts, np.array(rules.fleet), rules.cols, boards)
        return boards

    def check_found(self, first_game: int, failed: int) -> None:
        """Raise the error about a layout not found, unless ``failed`` is negative.

        Parameters
        ----------
        first_game : int
        failed : int
            Which game after the first one was given up after `ATTEMPTS` attempts.
        """
        if failed < 0:
            return
        from bsbench.counting.posterior import has_none

        rules = self.rules
        cells = rules.cells - len(self.barred)
        where = f"the {cells} cells that this law allows" if self.barred else "the board"
        what = f"fill {round(100 * rules.ship_cells / cells)} % of {where}, and clash in each of "
        what += f"{ATTEMPTS:,} attempts by this law"
        if has_none(rules, self.barred):
            what = f"can't fit on {where}"
        raise BsbenchError(
            f"no layout found for game {first_game + failed} on the {rules.board} board: "
            f"{len(rules.fleet)} ships, which {rules.apart.sentence}, {what}; use {self._remedies}"
            "fewer or shorter ships, or a larger board"
        )


class Filler(Sampler):
    """A sampler with one kernel for all games."""

    @abstractmethod
    def fill(self, key: np.uint64, first_game: int, layouts: Codes) -> int:
        """Fill ``layouts`` by the random streams of a key; return a game given up, or -1."""

    def draw(self, seed: int, first_game: int, games: int) -> Codes:
        """Return the layouts of some games; see `Sampler.draw`."""
        layouts = np.empty((games, len(self.rules.fleet)), np.int32)
        self.check_found(first_game, self.fill(stream_key("layouts", seed), first_game, layouts))
        return layouts


class BoardFiller(Filler):
    """A sampler whose kernel fills boards, too."""

    @abstractmethod
    def fill(
        self, key: np.uint64, first_game: int, layouts: Codes | None, boards: Boards | None = None
    ) -> int:
        """Fill ``layouts`` or ``boards``, whichever is not None; return a game given up, or -1."""

    def draw_boards(self, seed: int, first_game: int, games: int) -> Boards:
        """Return the same layouts as boards; see `Sampler.draw_boards`."""
        boards = np.empty((games, -(-self.rules.cells // 64)), np.uint64)
        key = stream_key("layouts", seed)
        self.check_found(first_game, self.fill(key, first_game, None, boards))
        return boards


def sampler_of(rules: Rules, placement: Placement) -> Sampler:
    """Return the sampler of a law that takes no games: all but ``avoid`` and mixtures.

    One made before may serve again. `bsbench.play.samplers.make_sampler` has those of all laws.
    """
    # A file may have changed since.
    make = _sampler_of.__wrapped__ if placement.path is not None else _sampler_of
    return make(rules, placement)


@lru_cache(4)
def _sampler_of(rules: Rules, placement: Placement) -> Sampler:
    module = importlib.import_module(f"{__name__}.{placement.law.replace('-', '_')}")
    sampler: Sampler = module.sampler_of(rules, placement.option)
    return sampler
