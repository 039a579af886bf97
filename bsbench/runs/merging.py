"""Results of several ranges of games of one run, put together into that of all of them."""

from __future__ import annotations

import dataclasses
import itertools
import math
import operator
import shlex
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import reduce
from pathlib import Path

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import is_command, setting_text
from bsbench.common.texts import shortened
from bsbench.own.loading import is_spec
from bsbench.rules.scenario import scenario_options
from bsbench.runs.finding import find_records
from bsbench.runs.records import load_result
from bsbench.runs.request import MOST_KEPT
from bsbench.runs.results import Result

_MOST_GAPS = 3
"""Gaps that a message names at most."""


def merge(parts: Iterable[Result | str | Path], *, keep_moves: bool | None = None) -> Result:
    """Return the result of a run from those of ranges of its games, in any order.

    It is what one run of all these games gives: counts, first games, evidence, learning and, where
    all keep them, move counts. Times of play add up; of times of set-up, the longest counts, since
    ranges may be set up at once on several machines. Threads, machine, versions and date are those
    of the range that was played last. Only the last range may be partial or have a fault, and the
    result is so then, too. No half-width that a range was played to (``until``) is one of the
    whole.

    Parameters
    ----------
    parts : iterable of Result, str or Path
        Results, or where their records are, as for `bsbench.runs.finding.find_records`. The ranges
        may not overlap, and have no gaps between them.
    keep_moves : bool, optional
        Keep the move count of each game. Default: of up to `MOST_KEPT` games.

    Raises
    ------
    BsbenchError
        If a record can't be read or has no evidence, they are of different runs, two have the same
        games, or games between them are missing.

    Examples
    --------
    >>> first = bsbench.run("prob", games=1000)
    >>> second = bsbench.run("prob", games=500, first_game=1000)
    >>> bsbench.merge([second, first]).games
    1500
    """
    if isinstance(parts, str | Path | Result) or not isinstance(parts, Iterable):
        raise BsbenchError(f"results to merge are given as a list, not as {shortened(parts)}")
    named = _read(parts, keep_moves)
    if not named:
        raise BsbenchError("there is nothing to merge: name records")
    (first_name, first), *others = named
    identity = first.identity
    for name, result in others:
        identity = identity.and_of(result.identity, first_name, name)
    if not others:
        return first
    for name, result in named:
        if not result.tally.has_evidence:
            raise BsbenchError(
                f"{name} has no evidence, as records of very many games: play them again in ranges"
            )
    named.sort(key=lambda each: each[1].first_game)
    _check_ranges(named)
    results = [result for _, result in named]
    last, latest = results[-1], max(results, key=lambda each: datetime.fromisoformat(each.date))
    tally = reduce(operator.add, (result.tally for result in results))
    moves = [result.moves for result in results if result.moves is not None]
    return dataclasses.replace(
        latest,
        tally=tally,
        moves=np.concatenate(moves) if len(moves) == len(results) else None,
        requested=tally.games - last.games + last.requested,
        until=None,
        fault=last.fault,
        against=None,
        setup_seconds=max(result.setup_seconds for result in results),
        play_seconds=sum(result.play_seconds for result in results),
        revisions=tuple(dict.fromkeys(each for result in results for each in result.revisions)),
        strategy_sha256=identity.strategy_sha256,
        layouts_sha256=identity.layouts_sha256,
        first_shots=None,
    )


def play_line(result: Result, first_game: int, games: int) -> str:
    """Return the command line that plays other games of a run.

    Parameters
    ----------
    result : Result
        Of any of its games.
    first_game, games : int
    """
    who = result.source if is_spec(result.source) else result.strategy
    texts = (setting_text(name, value) for name, value in result.parameters.items())
    # The label has those that are not as usual.
    apart = [text for text in texts if text in result.label.split()]
    # A command holds its arguments.
    named = who if is_command(who) else ",".join([who, *apart])
    words = ["bsbench", "run", "--strategy", named]
    words += [*scenario_options(result.scenario), "--seed", str(result.seed)]
    return shlex.join([*words, "--first-game", str(first_game), "--games", str(games)])


def _read(
    parts: Iterable[Result | str | Path], keep_moves: bool | None
) -> list[tuple[str, Result]]:
    """Return results with what they are called, without move counts if these are too many."""
    most = MOST_KEPT if keep_moves is None else math.inf if keep_moves else 0
    named: list[tuple[str, Result]] = []
    games = bare = 0
    for name, result in _named(parts):
        named.append((name, result))
        games += result.games
        if games > most:
            # At once, since there may be thousands of ranges.
            named[bare:] = [
                (each, dataclasses.replace(one, moves=None)) for each, one in named[bare:]
            ]
            bare = len(named)
    return named


def _named(parts: Iterable[Result | str | Path]) -> Iterator[tuple[str, Result]]:
    for part in parts:
        if isinstance(part, Result):
            yield _range_text(part.first_game, part.tally.end), part
        else:
            for path in find_records([part]):
                yield str(path), load_result(path)


def _check_ranges(named: list[tuple[str, Result]]) -> None:
    """Refuse ranges that overlap, have gaps, or go on after a fault."""
    missing: list[tuple[int, int]] = []
    for (name, result), (next_name, following) in itertools.pairwise(named):
        end, begin = result.tally.end, following.first_game
        if begin < end:
            shared = _range_text(begin, min(end, following.tally.end))
            raise BsbenchError(
                f"{name} and {next_name} both have {shared}: merge ranges that don't overlap"
            )
        if begin > end:
            missing.append((end, begin))
        elif result.fault is not None:
            raise BsbenchError(
                f"the strategy failed in game {result.fault.game:,} of {name}, and {next_name} "
                f"goes on after it: only the last range may have a fault; play {name} again"
            )
    if missing:
        result = named[0][1]
        gaps = ", ".join(_range_text(*gap) for gap in missing[:_MOST_GAPS])
        lines = [play_line(result, begin, end - begin) for begin, end in missing[:_MOST_GAPS]]
        more = f" (and {len(missing) - _MOST_GAPS} more gaps)" if missing[_MOST_GAPS:] else ""
        raise BsbenchError(f"{gaps} are missing{more}: play them with {'; '.join(lines)}")


def _range_text(begin: int, end: int) -> str:
    return f"game {begin:,}" if end - begin == 1 else f"games {begin:,} to {end - 1:,}"
