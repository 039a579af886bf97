"""Results of several ranges of games of one run, put together into that of all of them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from pathlib import Path

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError
from bsbench.common.texts import shortened
from bsbench.runs.finding import find_records
from bsbench.runs.records import load_result
from bsbench.runs.request import MOST_KEPT
from bsbench.runs.results import Result, joined, range_text


@checked
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
    most = MOST_KEPT if keep_moves is None else math.inf if keep_moves else 0
    named = _read(parts, most)
    if not named:
        raise BsbenchError("there is nothing to merge: name records")
    return joined(named, most)


def _read(parts: Iterable[Result | str | Path], most: float) -> list[tuple[str, Result]]:
    """Return results with what they are called, without move counts if these are too many."""
    named: list[tuple[str, Result]] = []
    games = bare = 0
    for name, result in _named(parts):
        named.append((name, result))
        games += result.games
        if games > most:
            # At once, since there may be thousands of ranges.
            named[bare:] = [
                (each, dataclasses.replace(one, kept_moves=None)) for each, one in named[bare:]
            ]
            bare = len(named)
    return named


def _named(parts: Iterable[Result | str | Path]) -> Iterator[tuple[str, Result]]:
    for part in parts:
        if isinstance(part, Result):
            yield range_text(part.first_game, part.tally.end), part
        else:
            for path in find_records([part]):
                yield str(path), load_result(path)
