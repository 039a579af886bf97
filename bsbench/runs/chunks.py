"""Chunks: what is known of a range of games that all strategies of a panel have played elsewhere.

A chunk is a pure function of a `Job`, which says what a panel plays, and a range of games. It
has sums, of which those of neighbouring ranges add up exactly, and move counts only where
they are kept: some kilobytes, however many games it is of.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Protocol

import numpy as np

from bsbench.common.errors import StoppedError
from bsbench.play.lockstep import Moves
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparison import FirstSums
from bsbench.runs.payloads import Payload
from bsbench.runs.tally import Notes, Tally
from bsbench.stats import PairedSums


@dataclass(frozen=True)
class Job:
    """What a panel plays, as data.

    Attributes
    ----------
    strategies : mapping of int to Payload
        By their places in the panel.
    unit : int
        Games in a row that depend on each other; chunks begin with such a row.
    in_python : bool
        Whether one of them is played by the interpreter, and thus slow.
    reference : int
    scenario : Scenario
    layouts : Payload or None
        The file of layouts, if the scenario has one.
    seed : int
    timeout : float
    keep_totals : bool
        See `PairedSums.empty`.
    """

    strategies: Mapping[int, Payload]
    unit: int
    in_python: bool
    reference: int
    scenario: Scenario
    layouts: Payload | None
    seed: int
    timeout: float
    keep_totals: bool

    @cached_property
    def packed(self) -> bytes:
        """The job as bytes."""
        return pickle.dumps(self)

    @cached_property
    def key(self) -> str:
        """What differs between different orders."""
        return f"bsbench-{sha256(self.packed).hexdigest()[:24]}"

    def __getstate__(self) -> dict[str, object]:
        return {name: vars(self)[name] for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class Fault:
    """What a strategy did wrong, as the arguments of a `StrategyError`."""

    game: int
    shots: int | None
    problem: str
    line: str


@dataclass(frozen=True, eq=False)
class Part:
    """What one strategy has played of a chunk.

    Attributes
    ----------
    tally : Tally
        Of all games, or of those before the one with a fault.
    packed_moves : bytes or None
        Their move counts: see `moves`.
    seconds : float
        Of play.
    first_shots : tuple of 2 int, or None
        See `bsbench.runs.alarms.OpeningShots`.
    printed : tuple of (int, str)
        Lines printed, and the first of them.
    fault : Fault or None
    notes : Notes or None
        What is noted of its games, if that and the move counts are kept.
    """

    tally: Tally
    packed_moves: bytes | None
    seconds: float
    first_shots: tuple[int, int] | None
    printed: tuple[int, str]
    fault: Fault | None
    notes: Notes | None = None

    @property
    def moves(self) -> Moves | None:
        """Its move counts, if they are kept."""
        if self.packed_moves is None:
            return None
        dtype = np.dtype(np.uint8 if len(self.tally.counts) <= 256 else np.uint16)
        return np.frombuffer(zlib.decompress(self.packed_moves), dtype.newbyteorder("<")).astype(
            dtype
        )


def pack_moves(moves: Moves) -> bytes:
    """Return move counts as a part keeps them."""
    return zlib.compress(moves.astype(moves.dtype.newbyteorder("<")).tobytes(), 1)


@dataclass(frozen=True, eq=False)
class Chunk:
    """What is known of a range of games.

    Attributes
    ----------
    first_game, games : int
    parts : mapping of int to Part
        By place, of the strategies that played it.
    pairs : mapping of int to PairedSums
        By place, of those that played all of it, if the reference did.
    firsts : FirstSums or None
        How often each is the first of all that played it, if all of them played all.
    """

    first_game: int
    games: int
    parts: Mapping[int, Part]
    pairs: Mapping[int, PairedSums]
    firsts: FirstSums | None


class LostChunkError(StoppedError):
    """A range of games could not be played: the processes that tried it ended."""


class Workers(Protocol):
    """Those who play chunks elsewhere, such as the workers of a cluster.

    Attributes
    ----------
    lost : int
        Chunks that could not be played.
    """

    lost: int

    @property
    def threads(self) -> int:
        """How many chunks are played at once now."""

    def chunks(
        self, job: Job, places: tuple[int, ...], first_game: int, end: int, moves: bool
    ) -> Generator[Chunk, None, None]:
        """Yield chunks of games ``first_game`` … ``end - 1`` in order.

        Closing the generator gives up those that are not over.

        Parameters
        ----------
        job : Job
        places : tuple of int
            Who plays.
        first_game, end : int
        moves : bool
            Whether move counts are kept.

        Raises
        ------
        LostChunkError
            If a range can't be played; those before it are yielded first.
        BsbenchError
            If workers are not what they should be, or all are gone.
        """
