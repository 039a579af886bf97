"""The twin of ``linear``."""


def linear(rules, seed: int, game: int):
    for cell in range(rules.cells):  # noqa: UP028 - a range can't be sent anything
        yield cell
