"""Slots that agree with the answers of turns, against enumeration."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bsbench.kernels.salvos import all_slots, check_turns, learn_turns
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.slots import slot_cells
from tests.support import naive
from tests.support.helpers import draw_layouts, rules
from tests.support.naive.salvos import TurnRecord, answer_turn
from tests.support.refusals import refused


def _agreeing(known, lane: int, board: Rules) -> list[set[tuple[int, ...]]]:
    """Return the slots of each ship that the kernels take to agree."""
    found = []
    for ship, length in enumerate(board.fleet):
        begin, end = known.begin[ship], known.begin[ship + 1]
        bits = np.unpackbits(known.agree[lane, begin:end].view(np.uint8), bitorder="little")
        places = 64 * known.source[ship] + np.flatnonzero(bits)
        codes = known.code[places].tolist()
        found.append({tuple(slot_cells(code, length, board.cols)) for code in codes})
    return found


def _learn(known, lane: int, board: Rules, cells: list[int], answer: list[int]) -> None:
    """Show a turn in one lane, and none in the others."""
    lanes, most = len(known.agree), board.most_shots
    shown, ship = np.full((lanes, most), -1), np.full((lanes, most), -1)
    hits = np.zeros((lanes, len(board.fleet)), np.int64)
    shown[lane, : len(cells)] = cells
    if board.joint:
        hits[lane] = answer
    else:
        ship[lane, : len(cells)] = answer
    learn_turns(shown, ship, hits, board.joint, known)


def _worlds_left(board: Rules, no_touch: str, turns) -> list[set[tuple[int, ...]]]:
    """Return the slots of each ship in all worlds that agree, overlapping ones among them."""
    slots = (naive.slots(board.rows, board.cols, length) for length in board.fleet)
    worlds = list(itertools.product(*slots))
    apart = board.touching is not True and no_touch != "ignore"
    full = apart and no_touch == "full" and not board.joint
    for cells, answer in turns:
        worlds = [world for world in worlds if _told(board, world, cells) == answer]
        if full:
            for cell, hit in zip(cells, answer, strict=True):
                closed = naive.excluded(board, (cell,)) if hit >= 0 else set()
                worlds = [world for world in worlds if _keeps_clear(world, closed, hit)]
    while True:
        left = [{world[ship] for world in worlds} for ship in range(len(board.fleet))]
        before = len(worlds)
        for ship, places in enumerate(left):
            if len(places) == 1:
                (only,) = places
                closed = naive.excluded(board, only) if apart else set(only)
                worlds = [world for world in worlds if _keeps_clear(world, closed, ship)]
        if len(worlds) == before:
            return left


def _told(board: Rules, world, cells: list[int]) -> list[int] | None:
    """Return what a turn reveals where ships lie in these slots; None if two are at a cell."""
    hit = [[k for k, slot in enumerate(world) if cell in slot] for cell in cells]
    if board.joint:
        return [sum(ship in ships for ships in hit) for ship in range(len(world))]
    if max(map(len, hit)) > 1:
        return None
    return [ships[0] if ships else -1 for ships in hit]


def _keeps_clear(world, closed, ship: int) -> bool:
    """Tell whether no other ship lies on closed cells."""
    return all(closed.isdisjoint(slot) for other, slot in enumerate(world) if other != ship)


@pytest.mark.parametrize("answers", ["each", "joint"])
@given(data=st.data())
def test_the_agreeing_slots_are_those_of_all_worlds_left(answers, data):
    drawn = data.draw(rules(max_side=6, max_ships=3))
    assume(math.prod(len(drawn.slots(length)) for length in drawn.fleet) <= 4_000)
    shots = data.draw(st.integers(1, min(drawn.cells, 7)))
    board = replace(drawn, feedback=Feedback.SHIP, shots=shots, answers=answers)
    no_touch = data.draw(st.sampled_from(["ignore", "sunk", "full"]))
    (codes,) = draw_layouts(board, 1, seed=data.draw(st.integers(0, 20)))
    ships = naive.decode(board, codes)
    order = data.draw(st.permutations(range(board.cells)))
    known = all_slots(board, 3, no_touch)
    record = TurnRecord(board, no_touch)
    turns = []
    for first in range(0, board.cells, shots):
        cells = order[first : first + shots]
        answer = answer_turn(board, ships, cells)
        turns.append((cells, answer))
        _learn(known, 1, board, cells, answer)
        record.note(cells, answer)
        left = _worlds_left(board, no_touch, turns)
        assert _agreeing(known, 1, board) == left
        # The twins know the same.
        assert [set(slots) for slots in record.agreeing] == left
        # Other lanes know nothing.
        assert [len(slots) for slots in _agreeing(known, 0, board)] == [
            len(board.slots(length)) for length in board.fleet
        ]
    assert [len(slots) for slots in left].count(1) >= (answers == "each") * len(board.fleet)


def test_a_ship_that_is_found_by_another_closes_its_cells_in_turn():
    # Hits on the ship of 2 at cell 0, and on the ship of 3 at cells 2 and 3:  2 . 3 3 . . .
    board = Rules(1, 7, (3, 2, 1), True, Feedback.SHIP, shots=3)
    known = all_slots(board, 1, "sunk")
    _learn(known, 0, board, [0, 2, 3], [1, 0, 0])
    # The ship of 2 is at cells 0 and 1. So the ship of 3 ends at cell 4, closed to that of 1.
    assert _agreeing(known, 0, board) == [{(2, 3, 4)}, {(0, 1)}, {(5,), (6,)}]


def test_a_turn_that_is_shown_again_changes_nothing():
    board = Rules(6, 6, (3, 2), True, Feedback.SHIP, shots=3, answers="joint")
    known = all_slots(board, 1, "sunk")
    _learn(known, 0, board, [0, 1, 2], [1, 0])
    before = _agreeing(known, 0, board)
    # Had it been noted twice with other answers, no slot would be left.
    _learn(known, 0, board, [0, 1, 2], [0, 2])
    assert _agreeing(known, 0, board) == before
    assert all(before)


def test_a_board_with_too_many_slots_is_refused():
    with refused("250x250", "5 4 3", "150x150"):
        all_slots(Rules(250, 250, (5, 4, 3), True), 1, "sunk")


def test_a_lane_without_a_cell_is_a_defect():
    check_turns(-1)
    with pytest.raises(AssertionError, match="lane 3"):
        check_turns(3)
