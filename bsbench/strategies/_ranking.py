"""The player of ``lattice-net``: networks compare the best few cells of a player by slots."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import kernel
from bsbench.kernels.advantages import (
    CELLS,
    FEW,
    Frames,
    Networks,
    Position,
    Room,
    compare,
    frames,
    part_of,
    room_for,
)
from bsbench.kernels.bits import trailing_zeros
from bsbench.kernels.choosing import best_few, first_greatest
from bsbench.kernels.numbers import LANES, live_word
from bsbench.rules.board import Rules
from bsbench.strategies._patterned import SlotPlayer, weigh_word
from bsbench.strategies.base import Cells
from bsbench.strategies.view import View

AFLOAT = 4
"""With more ships afloat, the networks are not asked."""

_ONE, _NONE = np.uint64(1), np.uint64(0)


class Few(NamedTuple):
    """The cells that are compared.

    Attributes
    ----------
    cells, ranks, parts : ndarray of int64, shape (8,)
        As `bsbench.kernels.advantages.compare` takes them.
    scores : ndarray of int64, shape (8,)
        Those of the base.
    values : ndarray of float32, shape (8,)
        What the networks say.
    """

    cells: Cells
    ranks: Cells
    parts: Cells
    scores: Cells
    values: npt.NDArray[np.float32]


class _Ranking(NamedTuple):
    """What it takes to choose among a few cells."""

    frames: Frames
    networks: Networks
    known: Position
    few: Few
    room: Room


def read_networks(path: Path) -> Networks:
    """Return the networks in a file of `examples/train_lattice_net.py`."""
    with np.load(path, allow_pickle=False) as arrays:
        weights = (np.ascontiguousarray(arrays[name], np.float32) for name in Networks._fields)
        return Networks(*weights)


@kernel
def _take_up(evidence, word, place, known):
    """Return the number of ships afloat in a lane; if few, write to ``known`` what is known."""
    ships = np.int64(0)
    for length in range(len(known.afloat)):
        known.afloat[length] = evidence.afloat[length, word, place]
        ships += np.int64(known.afloat[length])
    if ships > AFLOAT:
        return ships
    shift = np.uint64(place)
    for half in range(2):
        dry = struck = _NONE
        for bit in range(min(64, CELLS - half * 64)):
            cell = half * 64 + bit
            dry |= (evidence.dry[word, cell] >> shift & _ONE) << np.uint64(bit)
            struck |= (evidence.struck[word, cell] >> shift & _ONE) << np.uint64(bit)
        known.dry[half], known.struck[half] = dry, struck
    return ships


@kernel
def _compare_few(evidence, word, place, score, ranking):
    """Compare the base's best cells in a lane; return how many these are, or 0 if none."""
    few, known = ranking.few, ranking.known
    if _take_up(evidence, word, place, known) > AFLOAT:
        return 0
    count = best_few(score, evidence.unshot[word], place, few.cells, few.scores)
    for rank in range(count):
        few.ranks[rank] = rank
        few.parts[rank] = part_of(few.scores[rank], few.scores[0])
    compare(
        known.dry,
        known.struck,
        known.afloat,
        few.cells,
        few.ranks,
        few.parts,
        count,
        ranking.frames,
        ranking.networks,
        ranking.room,
        few.values,
    )
    return count


@kernel
def _choose_by_networks(
    live, cells, ranking, evidence, scales, pattern, hunt, follow, hit_weight, halos, owners
):
    values = ranking.few.values
    for word in range(len(cells)):
        wanted = live_word(live, word)
        if not wanted:
            continue
        weigh_word(word, evidence, scales, pattern, hunt, follow, hit_weight, halos, owners)
        stuck = first_greatest(scales.score, evidence.unshot[word], wanted, word, cells)
        if stuck >= 0:
            return stuck
        while wanted:
            place = trailing_zeros(wanted)
            wanted &= wanted - _ONE
            count = _compare_few(evidence, word, place, scales.score, ranking)
            least = values[0]
            for rank in range(1, count):
                if values[rank] < least:
                    least = values[rank]
                    cells[word, place] = ranking.few.cells[rank]
    return -1


class RankingPlayer(SlotPlayer):
    """As `SlotPlayer`, but networks compare the best few cells."""

    def __init__(self, base: SlotPlayer, networks: Networks) -> None:
        super().__init__(base.numbers, base.halos)
        self.networks = networks

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room to compare cells, too."""
        super().begin(rules, lanes, seed)
        cells, ranks, parts, scores = np.zeros((4, FEW), np.int64)
        dry, struck = np.zeros((2, 2), np.uint64)
        self._ranking = _Ranking(
            frames(),
            self.networks,
            Position(dry, struck, np.zeros(max(rules.fleet), np.uint8)),
            Few(cells, ranks, parts, scores, np.zeros(FEW, np.float32)),
            room_for(self.networks),
        )

    def _choose(self, view: View) -> int:
        stuck: int = _choose_by_networks(view.live, self._cells, self._ranking, *self._weighed)
        return stuck

    def compared(self, lane: int) -> tuple[Position, Few, int]:
        """Return what is known in a lane, the cells that are compared, and how many these are.

        The next call overwrites it.
        """
        word, place = divmod(lane, LANES)
        weigh_word(word, *self._weighed)
        ranking, score = self._ranking, self._scales.score
        count = _compare_few(self._evidence, word, place, score, ranking)
        return ranking.known, ranking.few, count
