"""Printed firing orders, ``order:FILE``."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bsbench
from bsbench.roster import check_trust, make_variant
from bsbench.rules.board import Rules
from bsbench.rules.drawing import cell_name
from bsbench.rules.scenario import Scenario
from tests.support.helpers import draw_layouts, rules, shots_fired
from tests.support.refusals import refused


@settings(max_examples=20)
@given(rules(max_side=6), st.randoms(use_true_random=False), st.data())
def test_games_are_shot_in_the_order_of_the_file(tmp_path_factory, drawn, random, data):
    cells = list(range(drawn.cells))
    random.shuffle(cells)
    listed = cells[: data.draw(st.integers(1, len(cells)))]
    file = tmp_path_factory.mktemp("orders") / "mine.txt"
    between = st.sampled_from([" ", ", ", "\n", " # A1\n", ";", "\n\n"])
    text = "".join(cell_name(cell, drawn.cols) + data.draw(between) for cell in listed)
    file.write_text(text if data.draw(st.booleans()) else text.lower(), encoding="utf-8")
    expected = listed + [cell for cell in range(drawn.cells) if cell not in listed]
    for shots in shots_fired(drawn, make_variant(f"order:{file}"), draw_layouts(drawn, 3, seed=1)):
        assert shots == expected[: len(shots)]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("A1 B2\nA1", ["line 2", "A1", "line 1"]),
        ("A1 D4 # D5\nD5", ["line 2", "D5", "A1 to D4"]),
        ("A1\n\nB2 water", ["line 3", "'water'"]),
        ("# A1", ["no cells"]),
        (None, ["can't read"]),
    ],
    ids=str,
)
def test_what_is_no_order_is_refused(in_folder, text, named):
    if text is not None:
        Path("mine.txt").write_text(text, encoding="utf-8")
    with refused("mine.txt", *named):
        bsbench.run("order:mine.txt", Scenario(name="pond", rules=Rules(4, 4, (2,), True)), games=1)


def test_it_is_a_file_and_runs_no_code(in_folder):
    with refused("order:", "FILE"):
        make_variant("order:")
    Path("Long way.txt").write_text("J10", encoding="utf-8")
    strategy = make_variant("order:Long way.txt")
    assert (strategy.name, strategy.source) == ("order-long-way", "Long way.txt")
    check_trust("order:Long way.txt", "a run file", trust=None)
    first = bsbench.run("order:Long way.txt", games=10)
    Path("Long way.txt").write_text("J9", encoding="utf-8")
    second = bsbench.run("order:Long way.txt", games=10)
    assert first.strategy_sha256 != second.strategy_sha256
