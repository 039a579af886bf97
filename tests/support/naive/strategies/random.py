"""The twin of ``random``."""

from tests.support.naive.chance import Stream, shuffled, stream_key


def random(rules, seed: int, game: int):
    order = shuffled(Stream(stream_key("strategy random", seed), game), rules.cells)
    for cell in order:  # noqa: UP028 - nor can a list
        yield cell
