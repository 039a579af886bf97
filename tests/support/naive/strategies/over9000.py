"""The twin of ``over9000``."""

from functools import partial

from tests.support.naive.chance import Stream, stream_key
from tests.support.naive.density import (
    RecordByShip,
    edge_weights,
    highest_weighted,
    smallest_product,
    ways_missed,
    weighted,
)
from tests.support.naive.salvos import TurnRecord

PLAIN = {"edge_weight": 1.0, "noise": 0.0}
"""Nothing but the chances of a hit."""

VARIANTS = [
    {},
    PLAIN,
    PLAIN | {"no_touch": "full"},
    PLAIN | {"no_touch": "ignore"},
    {"noise": 0.0, "no_touch": "full"},
    # So much noise that it would choose cells without any chance, if they were in play.
    {"edge_weight": 1.0, "noise": 0.5},
    {"edge_weight": 0.7, "noise": 0.01, "no_touch": "ignore"},
]

SLOWNESS = 16


def over9000(
    rules,
    seed: int,
    game: int,
    *,
    edge_weight: float = 1.1,
    noise: float = 0.001,
    no_touch: str = "sunk",
):
    record = RecordByShip(rules, no_touch)
    stream = Stream(stream_key("strategy over9000", seed), game)
    yield from shoot_by_chances(rules, record, record.factors, stream, edge_weight, noise)


def shoot_by_chances(
    rules, record: RecordByShip, factors, stream, edge_weight: float, noise: float
):
    weights = edge_weights(rules, edge_weight)
    while record.afloat:
        if edge_weight == 1 and noise == 0:
            cell = smallest_product(rules, record.candidates(), factors())
        else:
            # One number for every cell of the board at every shot, used or not.
            uniforms = [(stream.bits() >> 11) * 2.0**-53 for _ in range(rules.cells)]
            cell = highest_weighted(record.candidates(), factors(), weights, noise, uniforms)
        record.note(cell, (yield cell))


def over9000_salvos(
    rules,
    seed: int,
    game: int,
    *,
    edge_weight: float = 1.1,
    noise: float = 0.001,
    no_touch: str = "sunk",
):
    record, turn, shots = TurnRecord(rules, no_touch), [], 0
    weights = edge_weights(rules, edge_weight)
    stream = Stream(stream_key("strategy over9000", seed), game)
    # Numbers are drawn for every cell of the board at every shot, used or not.
    uniforms = [(stream.bits() >> 11) * 2.0**-53 for _ in range(rules.cells**2)]
    while True:
        allowed, answer = yield turn
        if answer is not None:
            record.note(turn, answer)
            shots += len(turn)
        factors = record.factors()
        assert all(total > 0 for total, _ in factors)
        score = weighted(factors, weights, noise, uniforms[shots * rules.cells :])
        if edge_weight == 1 and noise == 0:
            score = partial(fewest_missed, factors)
        # Of equal scores, the first cell comes first: sorting keeps the order.
        turn = sorted(record.candidates(), key=score, reverse=True)[:allowed]


def fewest_missed(factors, cell: int) -> float:
    return -ways_missed(factors, cell)
