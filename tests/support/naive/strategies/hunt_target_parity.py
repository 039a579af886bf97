"""The twin of ``hunt-target-parity``."""

from tests.support.naive.chance import Stream, shuffled, stream_key
from tests.support.naive.strategies.hunt_target import hunt_and_target

VARIANTS = [{}, {"targets": "queue", "order": "ESWN"}]


def hunt_target_parity(rules, seed: int, game: int, *, targets="stack", order="NSEW"):
    stream = Stream(stream_key("strategy hunt-target-parity", seed), game)
    # The sort is stable: cells of each colour stay in their random order.
    hunted = sorted(
        shuffled(stream, rules.cells), key=lambda cell: sum(divmod(cell, rules.cols)) % 2
    )
    yield from hunt_and_target(rules, hunted, targets, order)
