"""The trained agents in ``results/rl``, and what the documents say of them."""
# ruff: noqa: E402

from __future__ import annotations

import json

import pandas as pd
import pytest

onnx = pytest.importorskip("onnx", reason="needs bsbench[agents]")
pytest.importorskip("onnxruntime", reason="needs bsbench[agents]")

from bsbench import run
from bsbench.roster import find_strategy
from bsbench.rules.scenario import find_scenario
from bsbench.stats import interval_text
from tests.support import ROOT, naive
from tests.support.helpers import draw_layouts, shots_fired

RESULTS = ROOT / "results" / "rl"
SCENARIOS = sorted(path.stem for path in RESULTS.glob("*.csv"))


def compared(scenario: str) -> pd.DataFrame:
    """Means that were measured, by label."""
    table = pd.read_csv(RESULTS / f"{scenario}.csv").set_index("label")
    assert (table["games"] == 100_000).all()
    return table


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_table_is_what_was_measured(scenario):
    guide = (RESULTS.parent.parent / "docs" / "onnx.md").read_text(encoding="utf-8")
    table = compared(scenario)
    means = [interval_text(*row) for row in table[["mean", "half_width"]].to_numpy()]
    model = onnx.load(RESULTS / f"ppo-{scenario}.onnx")
    facts = {each.key: each.value for each in model.metadata_props}
    steps = json.loads(facts["training"])["steps"]
    row = " | ".join([f"`{scenario}`", f"{steps:,}", *means[1:], f"**{means[0]}**"])
    assert f"| {row} |" in guide
    head = " | ".join(f"`{label}`" for label in table.index[1:])
    assert f"| scenario | shots | {head} | trained |" in guide


def test_it_is_what_the_agents_play():
    assert {"gym-5x5", "gym-6x6", "gym-8x8"} <= set(SCENARIOS)
    for scenario in ("gym-5x5", "gym-8x8"):
        games = 1000
        stats = run(str(RESULTS / f"ppo-{scenario}.onnx"), scenario, games=games, seed=9).stats
        row = compared(scenario).iloc[0]
        assert abs(stats.mean - row["mean"]) <= 4 * row["sd"] * (1 / games + 1 / 100_000) ** 0.5


def test_agents_are_as_good_as_was_asked():
    """What gym-battleship is for: small boards are learned in minutes."""
    most = {"gym-5x5": 12.0, "gym-6x6": 16.5, "gym-8x8": 32.1, "gym-10x10": 58.0}
    for scenario, moves in most.items():
        table = compared(scenario)
        assert table["mean"].iloc[0] <= moves
        assert table["mean"].iloc[0] < table.loc["hunt-target-parity", "mean"]


@pytest.mark.parametrize("scenario", ["gym-5x5", "gym-8x8"])
def test_they_play_shot_by_shot_what_their_twin_plays(scenario):
    path = RESULTS / f"ppo-{scenario}.onnx"
    arrays = [onnx.numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer]
    names = "first", "first_bias", "second", "second_bias", "third", "third_bias"
    weights = {name: array.tolist() for name, array in zip(names, arrays, strict=True)}
    rules = find_scenario(scenario).rules
    codes = draw_layouts(rules, 12, seed=4)
    layouts = [naive.decode(rules, layout) for layout in codes.tolist()]
    assert shots_fired(rules, find_strategy(str(path))(), codes) == [
        naive.play(naive.network, rules, layout, 0, 0, weights=weights) for layout in layouts
    ]
