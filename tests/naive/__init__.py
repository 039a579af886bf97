"""Slow, obvious twins of what the kernels do, in plain Python.

No numpy, no jit, no sharing of code with the package but for the rules object: a
board is a set of cells, a game a list of shots.
"""

from tests.naive.chance import MASK, Stream, mix, shuffled, stream_key
from tests.naive.density import (
    bob,
    datagenetics,
    hard_ai,
    lattice,
    over9000,
    over9000_adaptive,
    over9000_pairs,
)
from tests.naive.intervals import quantile_ranks
from tests.naive.layouts import (
    AROUND,
    DIAGONALS,
    EAST,
    NORTH,
    SOUTH,
    WEST,
    LookAheadSampler,
    alias_table,
    all_layouts,
    beside,
    decode,
    edge_law,
    encode,
    excluded,
    is_legal,
    longest_first,
    on_border,
    possible,
    sequential_law,
    sequential_layout,
    slots,
)
from tests.naive.networks import network
from tests.naive.play import Reply, play, play_learner
from tests.naive.shared import Tree
from tests.naive.strategies import (
    hunt_target,
    hunt_target_parity,
    linear,
    prob,
    random,
    slot_counts,
    smart,
    smart_random,
)

__all__ = [
    "AROUND",
    "DIAGONALS",
    "EAST",
    "MASK",
    "NORTH",
    "SOUTH",
    "WEST",
    "LookAheadSampler",
    "Reply",
    "Stream",
    "Tree",
    "alias_table",
    "all_layouts",
    "beside",
    "bob",
    "datagenetics",
    "decode",
    "edge_law",
    "encode",
    "excluded",
    "hard_ai",
    "hunt_target",
    "hunt_target_parity",
    "is_legal",
    "lattice",
    "linear",
    "longest_first",
    "mix",
    "network",
    "on_border",
    "over9000",
    "over9000_adaptive",
    "over9000_pairs",
    "play",
    "play_learner",
    "possible",
    "prob",
    "quantile_ranks",
    "random",
    "sequential_law",
    "sequential_layout",
    "shuffled",
    "slot_counts",
    "slots",
    "smart",
    "smart_random",
    "stream_key",
]
