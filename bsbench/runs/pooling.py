"""Results put together: of ranges of games of one run, and of comparisons under several seeds.

A run may be cut into ranges of its games, which `merge` puts together.

Seeds are independent of each other, and games are paired under each. So the sums of paired
differences add up, and a learner that a seed ends early is a unit of its own.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from pathlib import Path
from typing import Any

import numpy as np

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError
from bsbench.common.texts import shortened
from bsbench.runs.comparison import Comparison, Firsts, Pair
from bsbench.runs.finding import find_records
from bsbench.runs.records import load_result
from bsbench.runs.request import MOST_KEPT
from bsbench.runs.results import Result, joined, range_text
from bsbench.runs.tally import Tally
from bsbench.stats import Learning, PairedSums


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


@dataclass(frozen=True, eq=False, repr=False)
class Pooled(Comparison):
    """Comparisons under several seeds as one; its own ``seed`` is None.

    Its results have the sums of all seeds, no move counts, and the first seed for want of another.

    Attributes
    ----------
    panels : tuple of Comparison
        Of the same strategies, under one seed each.
    """

    panels: tuple[Comparison, ...] = ()

    @property
    def seed(self) -> None:
        """None: it is of several seeds."""

    def _pair(self, result: Result) -> Pair | None:
        label, reach = result.label, result.scenario.rules.reach
        if label == self.reference:
            return Pair.of_itself(result)
        pairs = [panel.with_reference(self.reference).pair_of(label) for panel in self.panels]
        if None in pairs:
            return None
        return Pair.of_sums(reduce(PairedSums.pooled, (pair.sums(reach) for pair in pairs if pair)))

    @cached_property
    def firsts(self) -> tuple[Firsts | None, ...]:
        """How often each is the first of all; None where that is unknown under one seed."""
        by_label = [
            {result.label: first for result, first in zip(panel.results, panel.firsts, strict=True)}
            for panel in self.panels
        ]
        return tuple(_sum([firsts[result.label] for firsts in by_label]) for result in self.results)

    @cached_property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """All figures of each strategy: see `Comparison.rows`."""
        return tuple(row | {"seed": None} for row in super().rows)


def _sum(firsts: list[Firsts | None]) -> Firsts | None:
    known = [first for first in firsts if first is not None]
    if len(known) < len(firsts):
        return None
    return Firsts(sum(each.alone for each in known), sum(each.tied for each in known))


def pooled(panels: Iterable[Comparison]) -> tuple[Pooled, ...]:
    """Return all seeds together, for each scenario that was played under several.

    Strategies that did not play under all of these seeds are left out. Where the reference is
    among them, nothing is pooled. Where each seed has its own, the best of all is the reference.

    Parameters
    ----------
    panels : iterable of Comparison
        Each of one scenario and seed.
    """
    together: dict[object, list[Comparison]] = {}
    for panel in panels:
        together.setdefault(panel.results[0].scenario, []).append(panel)
    found = (_pooled(group) for group in together.values() if len({p.seed for p in group}) > 1)
    return tuple(each for each in found if each is not None)


def _pooled(panels: list[Comparison]) -> Pooled | None:
    # The longest first, as `Learning.pooled` needs it.
    panels.sort(key=lambda panel: -panel.games)
    by_label = [{result.label: result for result in panel.results} for panel in panels]
    labels = [label for label in by_label[0] if all(label in results for results in by_label)]
    references = {panel.reference for panel in panels}
    results = tuple(_together([each[label] for each in by_label]) for label in labels)
    if not results or (len(references) == 1 and not references <= set(labels)):
        return None
    best = min(results, key=lambda result: result.stats.mean).label
    return Pooled(
        results,
        references.pop() if len(references) == 1 else best,
        missing=tuple(dict.fromkeys(label for panel in panels for label in panel.missing)),
        panels=tuple(panel.of(labels) for panel in panels),
    )


def _together(results: list[Result]) -> Result:
    """Return the result of one strategy under all seeds."""
    first = results[0]
    learning = [result.learning for result in results if result.learning]
    answers = [result.answers for result in results if result.answers]
    shots = [result.tally.shots for result in results if result.tally.shots is not None]
    tally = Tally.without_evidence(
        np.sum([result.counts for result in results], axis=0),
        reduce(Learning.pooled, learning) if learning else None,
        first.first_game,
    )
    return dataclasses.replace(
        first,
        tally=dataclasses.replace(
            tally,
            answers=sum(answers[1:], answers[0]) if answers else None,
            shots=np.sum(shots, axis=0) if shots else None,
        ),
        requested=sum(result.requested for result in results),
        setup_seconds=sum(result.setup_seconds for result in results),
        play_seconds=sum(result.play_seconds for result in results),
        until=None,
        # Their numbers stand in the notes on each seed.
        forfeits=(),
        fault=next((result.fault for result in results if result.fault), None),
        kept_moves=None,
        first_shots=None,
        against=None,
    )
