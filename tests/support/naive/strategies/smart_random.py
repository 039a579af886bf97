"""The twin of ``smart-random``."""

from tests.support.naive.chance import Stream, shuffled, stream_key
from tests.support.naive.layouts import EAST, NORTH, SOUTH, WEST
from tests.support.naive.strategies.smart import scan_list


def smart_random(rules, seed: int, game: int):
    stream = Stream(stream_key("strategy smart-random", seed), game)
    yield from scan_list(rules, shuffled(stream, rules.cells), [NORTH, EAST, SOUTH, WEST])
