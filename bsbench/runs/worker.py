"""Plays chunks: what runs on the workers of a cluster, in any number of threads."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import bsbench
from bsbench.common.errors import BsbenchError, StrategyError, reason
from bsbench.common.settings import LARGEST_RUN
from bsbench.layouts import STREAM_VERSION
from bsbench.runs.chunks import Chunk, ChunkFault, ChunkPart, Job
from bsbench.runs.comparison import FirstSums
from bsbench.runs.cores import Run
from bsbench.runs.identity import revision
from bsbench.runs.panel import Panel
from bsbench.runs.payloads import forget_modules

Stamp = tuple[str, str, int]
"""What must be the same on all machines: version and revision of bsbench, version of the layout
stream."""

_making = threading.Lock()

_unpacked: list[Path] = []
"""The folder whose files were unpacked last."""


def stamp() -> Stamp:
    """Return that of this process."""
    return bsbench.__version__, revision(), STREAM_VERSION


def play_chunk(
    job: Job, folder: Path, places: tuple[int, ...], first_game: int, games: int, moves: bool
) -> Chunk | str:
    """Play a range of games.

    Parameters
    ----------
    job : Job
    folder : Path
        Where its files are unpacked; it differs for different jobs, in the same folder.
    places : tuple of int
        Who plays.
    first_game, games : int
    moves : bool
        Whether move counts are kept.

    Returns
    -------
    Chunk or str
        Or why it can't be played, in a sentence.
    """
    try:
        runs = _runs(job, folder, places, first_game)
        chunk = _played(job, runs, first_game, games, moves)
    except BsbenchError as error:
        return _as_there(str(error), job, folder)
    except OSError as error:
        return reason(error)
    for part in chunk.parts.values():
        if part.fault is not None:
            part.fault.problem = _as_there(part.fault.problem, job, folder)
            part.fault.line = _as_there(part.fault.line, job, folder)
    return chunk


def _as_there(text: str, job: Job, folder: Path) -> str:
    """Return a text in which files have the names that they have where they are from."""
    for place, payload in job.strategies.items():
        if payload.files:
            text = text.replace(str(folder / str(place)), payload.root)
    return text


def _runs(job: Job, folder: Path, places: tuple[int, ...], first_game: int) -> dict[int, Run]:
    """Return new runs by place; unpack the files, if another job was played before."""
    with _making:
        if folder not in _unpacked:
            forget_modules(folder.parent)
            for place, payload in job.strategies.items():
                payload.unpack(folder / str(place))
            if job.layouts is not None:
                job.layouts.unpack(folder)
            _unpacked[:] = [folder]
        scenario = job.layouts.placed(job.scenario, folder) if job.layouts else job.scenario
        strategies = {
            place: job.strategies[place].strategy(folder / str(place)) for place in places
        }
        return {
            place: Run(strategy, scenario, job.seed, 1, job.timeout, first_game)
            for place, strategy in strategies.items()
        }


def _played(job: Job, runs: dict[int, Run], first_game: int, games: int, moves: bool) -> Chunk:
    places = tuple(runs)
    has_reference = job.reference in places
    panel = Panel(
        list(runs.values()),
        places.index(job.reference) if has_reference else 0,
        most_kept=LARGEST_RUN if moves else 0,
        keep_totals=job.keep_totals,
    )
    # Where all have faults, their parts say so.
    with contextlib.suppress(StrategyError):
        panel.play(lambda _: games, games)
    pairs = panel.pairs.items() if has_reference else ()
    firsts = panel.firsts
    whole = firsts is not None and firsts.games == games and len(firsts.places) == len(places)
    return Chunk(
        first_game,
        games,
        {place: _part(run, first_game, moves) for place, run in runs.items()},
        {places[index]: sums for index, sums in pairs if sums.games == games},
        FirstSums(places, games, firsts.alone, firsts.tied) if firsts and whole else None,
    )


def _part(run: Run, first_game: int, keep_moves: bool) -> ChunkPart:
    """Return what a run has played."""
    fault, since = run.fault, (first_game, run.tally.end)
    return ChunkPart(
        run.tally,
        run.log.between(*since) if keep_moves else None,
        run.seconds[1],
        run.first_shots,
        None if fault is None else ChunkFault(fault.game, fault.shots, fault.problem, fault.line),
        run.notes.between(*since) if keep_moves and run.notes is not None else None,
    )
