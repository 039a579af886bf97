"""Tallies of ranges of games: sums, first games and evidence, exact wherever a range begins."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bsbench.runs.results import learning_record
from bsbench.runs.tally import BLOCK, Tally, block_ranges, blocks_of
from tests.support.naive.chance import mix
from tests.support.refusals import refused

CELLS = 36


def evidence(first_game: int, moves: list[int]) -> list[list[int]]:
    """Return the rows of the blocks of some games, as the definition says."""
    rows: dict[int, list[int]] = {}
    for game, taken in enumerate(moves, first_game):
        row = rows.setdefault(game // BLOCK, [0, 0, 0, 0])
        bits = mix(mix(game) ^ (taken * 0x9E3779B97F4A7C15) % 2**64)
        added = taken, taken**2, bits, mix(bits ^ 0xD1B54A32D192ED03)
        for place, value in enumerate(added):
            row[place] = (row[place] + value) % 2**64
    return list(rows.values())


def same(one: Tally, other: Tally) -> bool:
    """Return whether two tallies say the same."""
    learning = [each.learning and learning_record(each.learning) for each in (one, other)]
    return (
        (one.first_game, one.games, one.digest) == (other.first_game, other.games, other.digest)
        and np.array_equal(one.counts, other.counts)
        and np.array_equal(one.firsts, other.firsts)
        and np.array_equal(one.blocks, other.blocks)
        and learning[0] == learning[1]
    )


FIRST_GAMES = st.sampled_from([0, 1, BLOCK - 7, BLOCK, 3 * BLOCK - 40, 2**32 - 5, 2**40 - 9])
MOVES = st.lists(st.integers(8, CELLS), min_size=1, max_size=80)


@given(first_game=FIRST_GAMES, moves=MOVES)
def test_a_tally_is_what_its_definition_says(first_game, moves):
    tally = Tally.of(first_game, np.array(moves, np.uint8), CELLS)
    assert (tally.first_game, tally.games, tally.end) == (
        first_game,
        len(moves),
        first_game + len(moves),
    )
    assert tally.counts.tolist() == [moves.count(taken) for taken in range(CELLS + 1)]
    for taken in range(CELLS + 1):
        first = first_game + moves.index(taken) if taken in moves else -1
        assert tally.firsts[taken] == first
    assert tally.blocks.tolist() == evidence(first_game, moves)
    assert tally.has_evidence


@given(
    first=FIRST_GAMES,
    moves=MOVES,
    cuts=st.lists(st.integers(0, 80), max_size=4),
    in_a_row=st.sampled_from([1, 3]),
)
def test_tallies_of_ranges_add_up_to_that_of_all(first, moves, cuts, in_a_row):
    first -= first % in_a_row
    moves = np.array(moves, np.uint16)
    cuts = sorted({0, len(moves)} | {min(cut, len(moves)) // in_a_row * in_a_row for cut in cuts})
    parts = [
        Tally.of(first + begin, moves[begin:end], CELLS, in_a_row)
        for begin, end in itertools.pairwise(cuts)
    ]
    whole = Tally.of(first, moves, CELLS, in_a_row)
    summed, from_the_end = parts[0], parts[-1]
    for part in parts[1:]:
        summed = summed + part
    for part in parts[-2::-1]:
        from_the_end = part + from_the_end
    grown = Tally.empty(first, CELLS)
    for begin, end in itertools.pairwise(cuts):
        grown = grown.and_then(moves[begin:end], in_a_row)
    assert same(summed, whole)
    assert same(from_the_end, whole)
    assert same(grown, whole)


def test_each_move_count_changes_the_digest():
    moves = np.arange(8, 28, dtype=np.uint8)
    tally = Tally.of(5, moves, CELLS)
    others = [Tally.of(6, moves, CELLS), Tally.of(5, moves[:-1], CELLS)]
    for one in range(len(moves) - 1):
        # The same counts in another order.
        swapped = moves.copy()
        swapped[[one, one + 1]] = swapped[[one + 1, one]]
        others.append(Tally.of(5, swapped, CELLS))
        assert others[-1].blocks[0, :2].tolist() == tally.blocks[0, :2].tolist()
    assert len({tally.digest, *(other.digest for other in others)}) == len(others) + 1


def test_only_ranges_that_meet_are_added():
    moves = np.full(10, 9, np.uint8)
    first, learner = Tally.of(0, moves, CELLS), Tally.of(0, moves, CELLS, 4)
    for begin in (0, 5, 9, 11):
        with refused("games 0 to 9", f"games {begin} to {begin + 9}"):
            first + Tally.of(begin, moves, CELLS)
    with refused("learner"):
        learner + Tally.of(10, moves, CELLS, 4)
    with refused("evidence"):
        Tally.without_evidence(first.counts, None) + Tally.of(10, moves, CELLS)
    none = Tally.empty(10, CELLS)
    assert (first + none) is first
    assert none.games == 0


def test_blocks_of_a_range():
    for first in (0, 5, BLOCK - 1, 3 * BLOCK):
        for games in (0, 1, BLOCK - 5, BLOCK, 2 * BLOCK + 1):
            ranges = block_ranges(first, games)
            assert len(ranges) == blocks_of(first, games)
            assert sum(map(len, ranges)) == games
            assert all(each.start // BLOCK == (each.stop - 1) // BLOCK for each in ranges)
