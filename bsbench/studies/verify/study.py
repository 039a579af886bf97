"""Records checked against the games themselves: some are played again, or all.

A record has sums and a digest of the move counts of every block of 2^20 games
(`bsbench.runs.tally`). Who plays one block again, and finds the same, knows that the record is true
of it; blocks drawn at random after the record was made leave little room for a false one.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.common.progress import Progress, Watch
from bsbench.play.lockstep import Moves
from bsbench.runs.identity import revision, strategy_hash
from bsbench.runs.request import TIMEOUT
from bsbench.runs.results import Result, counted
from bsbench.runs.running import run
from bsbench.runs.tally import BLOCK, Tally, block_ranges
from bsbench.stats import Counts
from bsbench.strategies import Strategy


@dataclass(frozen=True)
class Verification:
    """What was found when blocks of a record were played again.

    Attributes
    ----------
    blocks : tuple of range
        The games of each block that was played, that with a difference included.
    problem : str
        What differs, in a sentence without its end; empty if nothing does.
    note : str
        What may have changed since the record was made, as a part of a sentence; or empty.
    """

    blocks: tuple[range, ...]
    problem: str = ""
    note: str = ""

    @property
    def games(self) -> int:
        """How many games were compared."""
        return sum(map(len, self.blocks))


def blocks_in(result: Result) -> list[range]:
    """Return the games of each block that a record has games of, in order."""
    return block_ranges(result.first_game, result.games)


def verify(
    result: Result,
    strategy: Strategy,
    *,
    blocks: int | Sequence[int] = 3,
    threads: int | None = None,
    timeout: float = TIMEOUT,
    progress: Watch | None = None,
) -> Verification:
    """Play blocks of a record again, and compare them with what it says.

    Parameters
    ----------
    result : Result
    strategy : Strategy
        See `bsbench.runs.contestants.strategy_of`.
    blocks : int or sequence of int
        How many blocks, drawn at random; or the places of blocks in `blocks_in`.
    threads, timeout
        As for `bsbench.run`.
    progress : callable, optional
        As for `bsbench.run`; the games are those of all blocks.

    Raises
    ------
    BsbenchError
        If the record has no evidence, and not all blocks are played; or its games can't be: see
        `Result.check_stream`.
    KeyboardInterrupt
        If interrupted.
    """
    result.check_stream()
    everything = blocks_in(result)
    if not result.tally.has_evidence and blocks != len(everything):
        raise BsbenchError(
            f"the record of {result.label} has no evidence of single blocks, as records of very "
            "many games: 'bsbench verify --all' plays all of them, and compares their counts"
        )
    if isinstance(blocks, int):
        fewer = min(blocks, len(everything))
        blocks = sorted(random.SystemRandom().sample(range(len(everything)), fewer))
    compared: list[range] = []
    unseen, unseen_shots, problem = result.counts, result.tally.shots, ""
    for place in blocks:
        games = everything[place]
        shown = progress and partial(_shown, progress, result.label, sum(map(len, compared)))
        compared.append(games)
        try:
            moves, shots = _play(result, strategy, games, threads, timeout, shown)
        except StrategyError as fault:
            problem = f"{_called(games)} can't be played again: {fault}"
            break
        played = Tally.of(games.start, moves, result.scenario.rules.most_moves)
        unseen = unseen - played.counts
        if unseen_shots is not None and shots is not None:
            unseen_shots = unseen_shots - shots
        problem = _difference(result, place, games, played, moves)
        if problem:
            break
    whole = len(set(blocks)) == len(everything)
    for left, what in ((unseen, "counts"), (unseen_shots, "shots")):
        if not problem and left is not None and ((left < 0).any() or (whole and left.any())):
            problem = f"the {what} of the record are not those of its games"
    note = ""
    if strategy_hash(strategy) != result.strategy_sha256:
        note = "the source of the strategy is not the one of the record"
    elif problem and revision() not in result.revisions:
        note = "another revision of bsbench made the record"
    return Verification(tuple(compared), problem, note)


def _play(
    result: Result,
    strategy: Strategy,
    games: range,
    threads: int | None,
    timeout: float,
    progress: Watch | None,
) -> tuple[Moves, Counts | None]:
    """Return the move counts of some games, played again; in salvos also games by shots."""
    # Games of a learner depend on those before them.
    begin = games.start - games.start % result.games_per_learner

    def play(end: int) -> Result:
        played = run(
            strategy,
            result.scenario,
            first_game=begin,
            games=end - begin,
            seed=result.seed,
            threads=threads,
            timeout=timeout,
            keep_moves=True,
            progress=progress,
        )
        if played.partial:
            raise KeyboardInterrupt
        return played

    played = play(games.stop)
    moves, shots = played.kept_moves, played.tally.shots
    assert moves is not None
    if shots is not None and begin < games.start:
        before = play(games.start).tally.shots
        assert before is not None
        shots = shots - before
    return moves[games.start - begin :], shots


def _shown(progress: Watch, label: str, before: int, now: Progress) -> None:
    progress(Progress(label, before + now.done, setting_up=now.setting_up))


def _difference(result: Result, place: int, games: range, again: Tally, moves: Moves) -> str:
    """Return how a block differs from what a record says of it; empty if it does not."""
    if not result.tally.has_evidence:
        return ""
    (row,) = again.blocks.tolist()
    said = result.tally.blocks[place].tolist()
    if row == said:
        firsts, seen = result.tally.firsts, again.firsts
        # Games before the block may have been the first ones.
        here = (firsts >= games.start) & (firsts < games.stop)
        late = (seen >= 0) & ((firsts < 0) | (firsts > seen))
        if (firsts != seen)[here].any() or late.any():
            return f"{_called(games)} has other first games of a length than the record says"
        return ""
    text, counts = f"{_called(games)} differs: ", counted([result])
    if row[0] != said[0]:
        text += f"the record says {said[0]:,} {counts}, and played again it has {row[0]:,}"
    else:
        text += f"its games have other {counted([result], 'move')} counts, of the same sum"
    if result.kept_moves is not None:
        kept = result.kept_moves[games.start - result.first_game :][: len(games)]
        first = int(np.flatnonzero(kept != moves)[0])
        text += (
            f"; the first game that differs is {games.start + first}: {kept[first]} {counts} in "
            f"the record, and {moves[first]} played again"
        )
    return text


def _called(games: range) -> str:
    return f"block {games.start // BLOCK} (games {games.start:,} to {games.stop - 1:,})"
