"""The twin of ``over9000-adaptive``."""

from tests.support.naive.density import RecordByShip, highest_weighted

VARIANTS = [
    {"games_per_learner": 1},
    {"games_per_learner": 1, "no_touch": "full"},
    {"games_per_learner": 1, "no_touch": "ignore"},
]

SLOWNESS = 16


def over9000_adaptive(
    rules,
    seed: int,
    game: int,
    *,
    growth: float = 0.01,
    games_per_learner: int = 1000,
    no_touch: str = "sunk",
    memory: dict[int, int] | None = None,
):
    """One game of a learner, whose memory holds the hits of its earlier games by cell.

    Which games are a learner's is the caller's to see to, so that the number of games
    is not used here.
    """
    memory = {} if memory is None else memory
    weights = [1.0 + growth * memory.get(cell, 0) for cell in range(rules.cells)]
    record = RecordByShip(rules, no_touch)
    while record.afloat:
        cell = highest_weighted(record.candidates(), record.factors(), weights, 0, [])
        record.note(cell, (yield cell))
    for cell in record.sunk:
        memory[cell] = memory.get(cell, 0) + 1
