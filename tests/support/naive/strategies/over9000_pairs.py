"""The twin of ``over9000-pairs``."""

from tests.support.naive.chance import Stream, stream_key
from tests.support.naive.density import RecordByShip
from tests.support.naive.strategies.over9000 import shoot_by_chances

VARIANTS = [
    {},
    {"no_touch": "full"},
    {"no_touch": "ignore"},
    {"edge_weight": 1.1, "noise": 0.001},
]

SLOWNESS = 30


def over9000_pairs(
    rules,
    seed: int,
    game: int,
    *,
    edge_weight: float = 1.0,
    noise: float = 0.0,
    no_touch: str = "sunk",
):
    record = RecordByShip(rules, no_touch)
    stream = Stream(stream_key("strategy over9000-pairs", seed), game)
    yield from shoot_by_chances(rules, record, record.pair_factors, stream, edge_weight, noise)
