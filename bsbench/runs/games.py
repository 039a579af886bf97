"""Single games of results: the layout, the move count and the shots of each, as CSV or Parquet.

A record holds move counts, but neither layouts nor shots. Layouts are drawn again, which is quick.
Shots, and move counts that are not kept, come from games played again, and are checked against the
record. Games are written in parts, so that memory does not grow with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.common.progress import Progress, Watch, ignored
from bsbench.common.settings import LARGEST_RUN
from bsbench.play.lockstep import Moves
from bsbench.play.samplers import make_sampler
from bsbench.rules.layout import layout_texts
from bsbench.runs.cores import Run, ShotLog
from bsbench.runs.request import TIMEOUT, Request
from bsbench.runs.results import Result, frame_csv
from bsbench.runs.tally import shots_in
from bsbench.strategies import Strategy

AT_ONCE = 1 << 17
"""Games of a part: a row group of Parquet."""

_SHOTS_AT_ONCE = 1 << 24
"""Shots of a part at most, if they are written."""


@dataclass(frozen=True)
class GameRange:
    """Games in a row of one result.

    Attributes
    ----------
    result : Result
    first_game : int
    layouts : list of str
        A line each, as in a file of layouts: equal if and only if the layouts are.
    moves : ndarray of uint8 or uint16, shape (games,)
    fired : ndarray, shape (games,)
        Shots of each game: in salvos more than moves. There are none where a bot failed: such a
        game counts as if all cells were shot.
    shots : ndarray of uint16, shape (shots,), or None
        The cells of all games one after the other.
    """

    result: Result
    first_game: int
    layouts: list[str]
    moves: Moves
    fired: Moves
    shots: npt.NDArray[np.uint16] | None


def plays_again(result: Result, shots: bool) -> bool:
    """Return whether single games of a result are known only if they are played again."""
    return shots or result.kept_moves is None


def parts_of(
    result: Result,
    strategy: Strategy | None = None,
    *,
    shots: bool = False,
    threads: int | None = None,
    timeout: float = TIMEOUT,
    watch: Watch = ignored,
) -> Iterator[GameRange]:
    """Yield all games of a result, in order.

    Parameters
    ----------
    result : Result
    strategy : Strategy, optional
        Who plays again, where `plays_again` says so.
    shots : bool
        Whether the shots are asked for.
    threads, timeout
        As for `bsbench.run`.
    watch : callable
        Called with how many games are done.

    Raises
    ------
    BsbenchError
        If the games can't be played again, or differ from the record.
    """
    result.check_stream()
    rules, unit = result.scenario.rules, result.games_per_learner
    sampler = make_sampler(rules, result.scenario.placement)
    at_once = min(AT_ONCE, max(_SHOTS_AT_ONCE // rules.most_moves, 1)) if shots else AT_ONCE
    # Whole learners: they play their games in order.
    at_once = max(at_once // unit, 1) * unit
    run = None
    if plays_again(result, shots):
        assert strategy is not None
        cores = Request.of(threads=threads, timeout=timeout).cores
        run = Run(strategy, result.scenario, result.seed, cores, timeout, result.first_game)
        run.most_kept = LARGEST_RUN
    counts = np.zeros_like(result.counts)
    try:
        for begin in range(0, result.games, at_once):
            end, first = min(begin + at_once, result.games), result.first_game + begin
            watch(Progress(result.label, begin, result.games))
            log = ShotLog(first, end - begin, rules.most_moves) if shots else None
            moves = None if result.kept_moves is None else result.kept_moves[begin:end]
            if run is not None:
                moves = _played(run, first, end, log, moves)
            assert moves is not None
            counts += np.bincount(moves, minlength=len(counts))
            layouts = layout_texts(sampler.draw(result.seed, first, end - begin), rules)
            fired = moves.copy()
            if log is not None and run is not None and rules.salvos:
                fired = _shots(run, first, end)
            fired[[game - first for game in result.forfeits if 0 <= game - first < len(moves)]] = 0
            cells = None if log is None else log.of(fired)
            yield GameRange(result, first, layouts, moves, fired, cells)
    finally:
        if run is not None:
            run.close()
    if not np.array_equal(counts, result.counts):
        raise BsbenchError(_OTHER.format(result.label))


def _shots(run: Run, first: int, end: int) -> Moves:
    """Return the shots of games that were played last, and forget what was noted of them."""
    assert run.notes is not None
    noted = run.notes.between(first, end)
    assert noted is not None
    run.notes.forget(end)
    return shots_in(noted).copy()


def _played(run: Run, first: int, end: int, log: ShotLog | None, known: Moves | None) -> Moves:
    """Play on, and return the move counts from a game on; they are those that are known."""
    run.shot_log = log
    run.play_to(end)
    if run.fault is not None:
        raise run.fault
    moves = run.log.between(first, run.tally.end)
    assert moves is not None
    run.log.forget(run.tally.end)
    if known is not None and not np.array_equal(moves, known):
        raise BsbenchError(_OTHER.format(run.strategy.label))
    return moves


_OTHER = "the games of {}, played again, have other move counts than before: no file is written"


def _facts(result: Result) -> dict[str, Any]:
    """Return what all games of a result have in common."""
    return {
        "strategy": result.strategy,
        "label": result.label,
        "scenario": result.scenario.name,
        "seed": result.seed,
    }


def write_games(
    file: IO[bytes],
    ending: str,
    results: Sequence[Result],
    players: Mapping[str, Strategy],
    *,
    shots: bool = False,
    threads: int | None = None,
    timeout: float = TIMEOUT,
    watch: Watch = ignored,
) -> None:
    """Write a row for each game of results: columns strategy, label, scenario, seed, game, layout.

    These are followed by moves and, if asked for, shots: the cells in order.

    Parameters
    ----------
    file : binary file
    ending : str
        Of its name: ``.csv``, or else ``.parquet``.
    results : sequence of Result
        One at least.
    players : mapping of str to Strategy
        By label, who plays again where `plays_again` says so.
    shots, threads, timeout, watch
        As for `parts_of`.

    Raises
    ------
    BsbenchError
        As for `parts_of`.
    """
    options: dict[str, Any] = {"threads": threads, "timeout": timeout, "watch": watch}
    parts = (
        part
        for result in results
        for part in parts_of(result, players.get(result.label), shots=shots, **options)
    )
    if ending == ".csv":
        _write_csv(file, parts)
    else:
        _write_parquet(file, parts, shots, max(result.seed for result in results))


def _write_parquet(
    file: IO[bytes], parts: Iterator[GameRange], shots: bool, largest_seed: int
) -> None:
    """Write games as Parquet, a row group for each part; shots are lists."""
    import pyarrow as pa
    from pyarrow import parquet

    types = {
        "strategy": pa.string(),
        "label": pa.string(),
        "scenario": pa.string(),
        # A secret seed has more bits.
        "seed": pa.int64() if largest_seed < 2**63 else pa.string(),
        "game": pa.int64(),
        "layout": pa.string(),
        "moves": pa.int32(),
        **({"shots": pa.list_(pa.int32())} if shots else {}),
    }
    with parquet.ParquetWriter(file, pa.schema(list(types.items()))) as writer:
        for part in parts:
            games = len(part.moves)
            columns: dict[str, Any] = {
                name: pa.repeat(
                    pa.scalar(str(value) if types[name] == pa.string() else value, types[name]),
                    games,
                )
                for name, value in _facts(part.result).items()
            }
            columns["game"] = pa.array(np.arange(part.first_game, part.first_game + games))
            columns["layout"] = pa.array(part.layouts)
            columns["moves"] = pa.array(part.moves.astype(np.int32))
            if part.shots is not None:
                ends = np.concatenate([[0], np.cumsum(part.fired, dtype=np.int32)])
                cells = pa.array(part.shots.astype(np.int32))
                columns["shots"] = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), cells)
            writer.write_table(pa.table(columns, schema=writer.schema))


def _write_csv(file: IO[bytes], parts: Iterator[GameRange]) -> None:
    """Write games as CSV; shots are cells with spaces between them."""
    import pandas as pd

    header = True
    for part in parts:
        games = np.arange(part.first_game, part.first_game + len(part.moves))
        columns = {
            **_facts(part.result),
            "game": games,
            "layout": part.layouts,
            "moves": part.moves,
        }
        if part.shots is not None:
            of_each = np.split(part.shots, np.cumsum(part.fired, dtype=np.int64)[:-1])
            columns["shots"] = [" ".join(map(str, cells.tolist())) for cells in of_each]
        text = frame_csv(pd.DataFrame(columns))
        file.write((text if header else text.partition("\n")[2]).encode())
        header = False
