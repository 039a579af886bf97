"""The twin of ``hunt-target``."""

from tests.support.naive.chance import Stream, shuffled, stream_key
from tests.support.naive.layouts import EAST, NORTH, SOUTH, WEST, beside


def hunt_target(rules, seed: int, game: int):
    stream = Stream(stream_key("strategy hunt-target", seed), game)
    yield from hunt_and_target(rules, shuffled(stream, rules.cells))


def hunt_and_target(rules, order: list[int]):
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
