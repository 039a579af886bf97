"""What a journal keeps of tallies and of sums over pairs, as JSON, and what is read from there.

A journal may be damaged, or come from a stranger: all that is read is checked before any kernel
sees it.
"""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import numpy as np

from bsbench.runs.tally import Tally
from bsbench.stats import Learning, PairedSums, UnitSums

_KINDS = ("int64", "uint64", "object")

_Kind = TypeVar("_Kind", Tally, Learning)


def pack_tally(tally: Tally) -> dict[str, Any]:
    """Return a tally as JSON has it."""
    return _pack(tally)


def _pack(sums: Tally | Learning) -> dict[str, Any]:
    packed: dict[str, Any] = {}
    for each in dataclasses.fields(sums):
        value = getattr(sums, each.name)
        if isinstance(value, np.ndarray):
            value = {"dtype": str(value.dtype), "values": value.tolist()}
        elif isinstance(value, Learning):
            value = _pack(value)
        packed[each.name] = value
    return packed


def unpack_tally(record: dict[str, Any], first_game: int, cells: int) -> Tally:
    """Return the tally that `pack_tally` gave.

    Raises
    ------
    KeyError, TypeError, ValueError, OverflowError
        If it is not that of games from this one on, on a board of so many cells.
    """
    learning = record["learning"]
    tally = _unpack(
        Tally, record | {"learning": None if learning is None else _unpack(Learning, learning)}
    )
    tally = dataclasses.replace(tally, blocks=tally.blocks.reshape(-1, 4))
    counts, firsts, blocks = tally.counts, tally.firsts, tally.blocks
    if not (
        counts.dtype == firsts.dtype == np.int64
        and counts.shape == firsts.shape == (cells + 1,)
        and blocks.dtype == np.uint64
        and tally.first_game == first_game
        and tally.has_evidence
        and counts.min() >= 0
        and int(counts.sum()) == tally.games
        and ((firsts >= 0) == (counts > 0)).all()
        and int(blocks[:, 0].sum()) == int(counts @ np.arange(cells + 1)) % 2**64
    ):
        raise ValueError("the tally contradicts itself")
    return tally


def _unpack(kind: type[_Kind], record: dict[str, Any]) -> _Kind:
    values: dict[str, Any] = {}
    for each in dataclasses.fields(kind):
        value = record[each.name]
        if type(value) is dict:
            if value["dtype"] not in _KINDS:
                raise TypeError("no array of whole numbers")
            _check_whole(value["values"])
            value = np.array(value["values"], value["dtype"])
        elif not isinstance(value, int | Learning | None):
            raise TypeError("no whole number")
        values[each.name] = value
    return kind(**values)


def _check_whole(values: Any) -> None:
    """Refuse what is not a list of whole numbers, or of lists of them."""
    if type(values) is not list:
        raise TypeError("no list")
    for each in values:
        if type(each) is list:
            _check_whole(each)
        elif type(each) is not int:
            raise TypeError("no whole number")


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
    _check_whole(record["counts"])
    learners = record["learners"]
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
