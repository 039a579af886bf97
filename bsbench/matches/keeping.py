"""What a journal keeps of matches, and of rows of bytes, and what is read from there."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import bsbench
from bsbench.common.errors import BsbenchError
from bsbench.common.journal import Journal, cut_rows
from bsbench.matches.lockstep import Block, Effort
from bsbench.matches.player import Player, player_record

_WIDTH = 4
"""Bytes of a pair: two outcomes, and moves of two games."""


def about_players(players: Sequence[Player], **more: Any) -> dict[str, Any]:
    """Return what identifies games of some players, for `Journal.open`."""
    named = [player_record(player) for player in players]
    return {"bsbench": bsbench.__version__, "players": named, **more}


class KeptMatch:
    """The pairs of a match that have been played, some of them perhaps before a crash.

    Parameters
    ----------
    journal : Journal or None
    key : str
        What the match is called there.
    pairs : int
        Those asked for.
    longest : int
        Moves of a game at most.

    Attributes
    ----------
    blocks : list of Block
    setup_seconds, play_seconds : float
        Of those that were in the journal.

    Raises
    ------
    BsbenchError
        If the journal is damaged, or has more pairs.
    """

    def __init__(self, journal: Journal | None, key: str, pairs: int, longest: int) -> None:
        self._journal, self._key, self._longest = journal, key, longest
        self.blocks: list[Block] = []
        self.setup_seconds = self.play_seconds = 0.0
        self._written = 0
        state = None if journal is None else journal.read(key)
        if journal is not None and state is not None:
            try:
                self._read(journal, state)
            except (KeyError, TypeError, ValueError):
                raise journal.damaged() from None
            if self.pairs > pairs:
                raise BsbenchError(
                    f"the journal has {2 * self.pairs:,} games already: ask for as many, or more"
                )
            self._written = self.pairs

    @property
    def pairs(self) -> int:
        """Pairs that have been played."""
        return sum(len(block.outcomes) for block in self.blocks)

    def played(self) -> Block:
        """Return all pairs that have been played as one block."""
        outcomes, lengths, efforts = zip(*self.blocks, strict=True)
        both = [sum(each, Effort()) for each in zip(*efforts, strict=True)]
        return Block(np.concatenate(outcomes), np.concatenate(lengths), both)

    def _read(self, journal: Journal, state: Any) -> None:
        pairs, seconds = state["pairs"], [float(each) for each in state["seconds"]]
        efforts = [Effort(*(each[name] for name in _EFFORT)) for each in state["efforts"]]
        numbers = [pairs, *(number for each in efforts for number in (each.moves, each.nodes))]
        times = [*seconds, *(each.seconds for each in efforts)]
        if not all(type(number) is int and 0 <= number < 2**63 for number in numbers):
            raise ValueError("no whole numbers")
        if not all(type(each) is float and 0 <= each < math.inf for each in times):
            raise ValueError("no times")
        rows = list(journal.rows(self._key, _WIDTH * pairs))
        content = np.frombuffer(b"".join(data for _, data in rows), np.int8).reshape(-1, 2, 2)
        outcomes, lengths = content[:, 0], content[:, 1]
        if len(content) != pairs or len(efforts) != 2 or len(seconds) != 2:
            raise ValueError("pairs are missing")
        possible = (lengths >= 0) & (lengths <= self._longest) & np.isin(outcomes, (-1, 0, 1))
        if not possible.all():
            raise ValueError("impossible games")
        if pairs:
            self.blocks.append(Block(outcomes, lengths, efforts))
        self.setup_seconds, self.play_seconds = seconds

    def put(self, setup_seconds: float, play_seconds: float, write: bool = False) -> None:
        """Hand what has been played to the journal; write it, if asked to."""
        if self._journal is None or not self.blocks:
            return
        outcomes, lengths, efforts = self.played()
        pairs = np.stack([outcomes, lengths], axis=1)
        data = np.ascontiguousarray(pairs[self._written :], np.int8).tobytes()
        state = {
            "pairs": len(pairs),
            "efforts": [dataclasses.asdict(effort) for effort in efforts],
            "seconds": [setup_seconds, play_seconds],
        }
        self._journal.put(self._key, state, cut_rows(self._written, data, _WIDTH))
        self._written = len(pairs)
        if write:
            self._journal.write()

    @property
    def due(self) -> bool:
        """Whether it is time for a checkpoint."""
        return self._journal is not None and self._journal.due(good_moment=True)


_EFFORT = [each.name for each in dataclasses.fields(Effort)]


def put_array(journal: Journal, key: str, array: npt.NDArray[np.uint8]) -> None:
    """Hand rows of bytes to a journal; the shape is (n, bytes)."""
    rows = cut_rows(0, np.ascontiguousarray(array).tobytes(), array.shape[1])
    journal.put(key, len(array), rows)


def read_array(journal: Journal, key: str, count: int, width: int) -> npt.NDArray[np.uint8] | None:
    """Return the rows of bytes that were handed to a journal, None if there are none.

    Parameters
    ----------
    journal : Journal
    key : str
        As for `put_array`.
    count, width : int
        How many rows there have to be, and bytes of each.

    Returns
    -------
    ndarray of uint8, shape (count, width), or None

    Raises
    ------
    BsbenchError
        If they are not as many, or as wide.
    """
    if journal.read(key) is None:
        return None
    data = b"".join(data for _, data in journal.rows(key, count * width))
    if len(data) != count * width:
        raise journal.damaged()
    return np.frombuffer(data, np.uint8).reshape(count, width)
