"""The twin of ``hunt-target-parity``."""

from tests.support.naive.chance import Stream, shuffled, stream_key
from tests.support.naive.strategies.hunt_target import hunt_and_target


def hunt_target_parity(rules, seed: int, game: int):
    stream = Stream(stream_key("strategy hunt-target-parity", seed), game)
    order = shuffled(stream, rules.cells)
    # The sort is stable: cells of each colour stay in their random order.
    yield from hunt_and_target(
        rules, sorted(order, key=lambda cell: sum(divmod(cell, rules.cols)) % 2)
    )
