"""Slow, obvious twins of what the kernels do, in plain Python.

No numpy, no jit, no sharing of code with the package but for the rules object: a
board is a set of cells, a game a list of shots.
"""
# ruff: noqa: F401 - tests use these as `naive.NAME`

from tests.support.naive.chance import MASK, Stream, mix, shuffled, stream_key
from tests.support.naive.counting import answers, layouts_left, ships_on_cells
from tests.support.naive.density import slot_counts
from tests.support.naive.intervals import quantile_ranks
from tests.support.naive.layouts import (
    AROUND,
    DIAGONALS,
    EAST,
    NORTH,
    SOUTH,
    WEST,
    ClassSampler,
    IndependentSampler,
    LookAheadSampler,
    PlainSampler,
    alias_table,
    all_layouts,
    beside,
    cell_weight,
    decode,
    direction_law,
    direction_layout,
    edge_weight,
    encode,
    excluded,
    is_legal,
    late_weight,
    longest_first,
    on_border,
    pick_law,
    possible,
    product_law,
    scores,
    sequential_law,
    sequential_layout,
    slots,
    whole_weight,
)
from tests.support.naive.networks import network
from tests.support.naive.play import Reply, play, play_learner
from tests.support.naive.shared import Tree
from tests.support.naive.strategies import twin
