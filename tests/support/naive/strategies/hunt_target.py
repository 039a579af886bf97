"""The twin of ``hunt-target``."""

from tests.support.naive.chance import Stream, shuffled, stream_key
from tests.support.naive.layouts import EAST, NORTH, SOUTH, WEST, beside

VARIANTS = [{}, {"targets": "queue"}, {"order": "SENW"}, {"targets": "queue", "order": "WENS"}]


def hunt_target(rules, seed: int, game: int, *, targets="stack", order="NSEW"):
    stream = Stream(stream_key("strategy hunt-target", seed), game)
    yield from hunt_and_target(rules, shuffled(stream, rules.cells), targets, order)


def hunt_and_target(rules, hunted: list[int], targets="stack", order="NSEW"):
    unshot = set(hunted)
    steps = [{"N": NORTH, "S": SOUTH, "E": EAST, "W": WEST}[letter] for letter in order]
    listed: list[int] = []
    while unshot:
        if listed:
            cell = listed.pop(0 if targets == "queue" else -1)
        else:
            cell = next(cell for cell in hunted if cell in unshot)
        unshot.remove(cell)
        reply = yield cell
        if reply.hit:
            for neighbour in beside(rules.rows, rules.cols, cell, steps):
                if neighbour in unshot and neighbour not in listed:
                    listed.append(neighbour)
