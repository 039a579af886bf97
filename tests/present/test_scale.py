from __future__ import annotations

import itertools
from statistics import median

import pytest

from bsbench.present.scale import contenders

CLASSIC = [0.087, 0.278, 0.498, 0.672, 0.946, 1.048, 4.127, 13.701, 22.538, 51.773]


@pytest.mark.parametrize(
    ("reaches", "near"),
    [
        ([], []),
        ([51.8], [0]),
        ([0.0, 0.0], [0, 1]),
        ([0.278, 13.7, 51.8], [0]),
        ([51.8, 0.278, 13.7], [1]),
        ([13.7, 51.8], [0, 1]),
        (CLASSIC, [0, 1, 2, 3, 4, 5]),
        ([0.0, 0.3, float("nan"), float("inf")], [0, 1]),
    ],
)
def test_contenders_are_near_each_other(reaches, near):
    assert contenders(reaches) == near


def test_contenders_are_those_up_to_the_first_leap():
    """All sets of up to 5 of a few distances, against the definition word for word."""
    for size in range(1, 6):
        for reaches in itertools.product([0, 1, 2, 5, 6, 11, 60], repeat=size):
            taken: list[float] = []
            for each in sorted(reaches):
                if each and taken and each > 5 * median(taken):
                    break
                taken += [each] if each else []
            most = max(taken, default=0)
            assert contenders(reaches) == [at for at, each in enumerate(reaches) if each <= most]
