"""What a journal keeps of tallies and of sums over pairs, as JSON, and what is read from there.

A journal may be damaged, or come from a stranger: all that is read is checked before any kernel
sees it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bsbench.common.record import as_json, read
from bsbench.rules.board import Rules
from bsbench.runs.formats import TallyRecord
from bsbench.runs.records import read_tally
from bsbench.runs.results import tally_record
from bsbench.runs.tally import Tally
from bsbench.stats import PairedSums, UnitSums, exact_dot


def pack_tally(tally: Tally) -> dict[str, Any]:
    """Return a tally as JSON has it: as in a record."""
    return as_json(tally_record(tally))


def unpack_tally(record: dict[str, Any], first_game: int, rules: Rules) -> Tally:
    """Return the tally that `pack_tally` gave.

    Raises
    ------
    BsbenchError, KeyError, TypeError, ValueError, OverflowError
        If it is not that of games from this one on, under these rules.
    """
    said = read(record, TallyRecord)
    if said.first_game != first_game:
        raise ValueError("the tally is of other games")
    tally = read_tally(said, rules)
    if not tally.has_evidence:
        raise ValueError("the tally has no evidence")
    return tally


def pack_pair(sums: PairedSums) -> dict[str, Any]:
    """Return sums over a pair as JSON has them."""
    learners = None if sums.learners is None else sums.learners.to_dict()
    return {"counts": sums.counts.tolist(), "learners": learners}


def unpack_pair(record: dict[str, Any], nothing: PairedSums) -> PairedSums:
    """Return the sums that `pack_pair` gave of a pair, given those of no games of it.

    Raises
    ------
    BsbenchError, KeyError, TypeError, ValueError, OverflowError
        If they contradict themselves, or are of another kind of pair.
    """
    learners = record["learners"]
    if not all(type(number) is int for number in record["counts"]):
        raise TypeError("no whole numbers")
    sums = PairedSums(
        np.array(record["counts"], np.int64),
        None if learners is None else UnitSums.from_dict(learners),
    )
    if sums.counts.shape != nothing.counts.shape or sums.counts.min() < 0:
        raise ValueError("the differences of a pair are not what they should be")
    if (sums.learners is None) != (nothing.learners is None):
        raise ValueError("the learners of a pair are missing")
    if sums.learners is not None and nothing.learners is not None:
        of, wanted = sums.learners, nothing.learners
        games = of.units * of.games_per_unit + of.rest_games
        if of.games_per_unit != wanted.games_per_unit or games != sums.games:
            raise ValueError("the learners of a pair don't match its games")
        if (of.by_total is None) != (wanted.by_total is None):
            raise ValueError("the totals of a pair's learners are missing")
    return sums


def check_pair(sums: PairedSums, first: Tally, second: Tally) -> None:
    """Check that sums over a pair agree with the tallies of the same games.

    Raises
    ------
    ValueError
        If they don't.
    """
    differences, moves = np.arange(-sums.most, sums.most + 1), np.arange(len(first.counts))
    total = exact_dot(first.counts, moves) - exact_dot(second.counts, moves)
    if exact_dot(sums.counts, differences) != total:
        raise ValueError("the differences of a pair don't match its means")
