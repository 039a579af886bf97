"""Chunks: what is known of a range of games that all strategies of a panel have played elsewhere.

A chunk is a pure function of a `Job`, which says what a panel plays, and a range of games. It
has sums, of which those of neighbouring ranges add up exactly, and move counts only where
they are kept: some kilobytes, however many games it is of.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Protocol

from bsbench.play.lockstep import Moves
from bsbench.rules.scenario import Scenario
from bsbench.runs.alarms import OpeningShots
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


@dataclass
class ChunkFault:
    """What a strategy did wrong, as the arguments of a `StrategyError`."""

    game: int
    shots: int | None
    problem: str
    line: str


@dataclass(frozen=True, eq=False)
class ChunkPart:
    """What one strategy has played of a chunk.

    Attributes
    ----------
    tally : Tally
        Of all games, or of those before the one with a fault.
    moves : ndarray of int, or None
        Their move counts, if they are kept.
    seconds : float
        Of play.
    first_shots : OpeningShots or None
    fault : ChunkFault or None
    notes : Notes or None
        What is noted of its games, if that and the move counts are kept.
    """

    tally: Tally
    moves: Moves | None
    seconds: float
    first_shots: OpeningShots | None
    fault: ChunkFault | None
    notes: Notes | None = None


@dataclass(frozen=True, eq=False)
class Chunk:
    """What is known of a range of games.

    Attributes
    ----------
    first_game, games : int
    parts : mapping of int to ChunkPart
        By place, of the strategies that played it.
    pairs : mapping of int to PairedSums
        By place, of those that played all of it, if the reference did.
    firsts : FirstSums or None
        How often each is the first of all that played it, if all of them played all.
    """

    first_game: int
    games: int
    parts: Mapping[int, ChunkPart]
    pairs: Mapping[int, PairedSums]
    firsts: FirstSums | None


class Workers(Protocol):
    """Those who play chunks elsewhere, such as the workers of a cluster."""

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
        StoppedError
            If a range can't be played; those before it are yielded first.
        BsbenchError
            If workers are not what they should be, or all are gone.
        """
