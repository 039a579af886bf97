"""Strategies that follow a list, a queue or a stack.

Each is a generator: it yields a cell and is sent the `Reply`.
"""

from __future__ import annotations

from tests.naive.chance import Stream, shuffled, stream_key
from tests.naive.layouts import DIAGONALS, EAST, NORTH, SOUTH, WEST, beside, slots


def linear(rules, seed: int, game: int):
    for cell in range(rules.cells):  # noqa: UP028 - a range can't be sent anything
        yield cell


def random(rules, seed: int, game: int):
    order = shuffled(Stream(stream_key("strategy random", seed), game), rules.cells)
    for cell in order:  # noqa: UP028 - nor can a list
        yield cell


def smart(rules, seed: int, game: int):
    yield from _smart(rules, list(range(rules.cells)), [EAST, SOUTH])


def smart_random(rules, seed: int, game: int):
    stream = Stream(stream_key("strategy smart-random", seed), game)
    yield from _smart(rules, shuffled(stream, rules.cells), [NORTH, EAST, SOUTH, WEST])


def _smart(rules, board_list: list[int], to_front: list[tuple[int, int]]):
    """The pseudo-code solveSmart, line by line, on a plain list."""
    while board_list:
        pos = board_list.pop(0)
        reply = yield pos
        if reply.hit:
            if not rules.touching:
                for diagonal in beside(rules.rows, rules.cols, pos, DIAGONALS):
                    if diagonal in board_list:
                        board_list.remove(diagonal)
            listed = [
                cell for cell in beside(rules.rows, rules.cols, pos, to_front) if cell in board_list
            ]
            board_list = listed + [cell for cell in board_list if cell not in listed]


def prob(rules, seed: int, game: int):
    """The pseudo-code solveProbabilistic, line by line, on a plain list."""
    is_open = set(range(rules.cells))
    high_probability_list: list[int] = []
    while is_open:
        if high_probability_list:
            pos = high_probability_list.pop(0)
            if pos not in is_open:
                continue
        else:
            likelihood = slot_counts(rules.rows, rules.cols, (1, 2, 3, 4, 5), is_open)
            pos = max(sorted(is_open), key=lambda cell: likelihood[cell])
        reply = yield pos
        is_open.remove(pos)
        if reply.hit:
            if not rules.touching:
                diagonals = beside(rules.rows, rules.cols, pos, DIAGONALS)
                is_open.difference_update(diagonals)
                high_probability_list = [
                    cell for cell in high_probability_list if cell not in diagonals
                ]
            for cell in beside(rules.rows, rules.cols, pos, [NORTH, EAST, SOUTH, WEST]):
                if cell in is_open:
                    high_probability_list.append(cell)


def hunt_target(rules, seed: int, game: int):
    stream = Stream(stream_key("strategy hunt-target", seed), game)
    yield from _hunt_target(rules, shuffled(stream, rules.cells))


def hunt_target_parity(rules, seed: int, game: int):
    stream = Stream(stream_key("strategy hunt-target-parity", seed), game)
    order = shuffled(stream, rules.cells)
    # The sort is stable: cells of each colour stay in their random order.
    yield from _hunt_target(
        rules, sorted(order, key=lambda cell: sum(divmod(cell, rules.cols)) % 2)
    )


def _hunt_target(rules, order: list[int]):
    unshot = set(order)
    stack: list[int] = []
    while unshot:
        cell = stack.pop() if stack else next(cell for cell in order if cell in unshot)
        unshot.remove(cell)
        reply = yield cell
        if reply.hit:
            for neighbour in beside(rules.rows, rules.cols, cell, [NORTH, SOUTH, EAST, WEST]):
                if neighbour in unshot and neighbour not in stack:
                    stack.append(neighbour)


def slot_counts(rows: int, cols: int, lengths, is_open: set[int]) -> list[int]:
    """Return, for each cell, the slots through it that are all open.

    Each length counts along rows and down columns; length 1 therefore twice.
    """
    counts = [0] * (rows * cols)
    for length in lengths:
        for slot in slots(rows, cols, length) * (2 if length == 1 else 1):
            if is_open.issuperset(slot):
                for cell in slot:
                    counts[cell] += 1
    return counts
