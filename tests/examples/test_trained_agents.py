"""The trained agents in ``results/rl``, and what the documents say of them."""
# ruff: noqa: E402

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx", reason="needs bsbench[agents]")
pytest.importorskip("onnxruntime", reason="needs bsbench[agents]")

from bsbench import run
from bsbench.roster import find_strategy
from bsbench.rules.scenario import find_scenario
from tests.pages.onnx import SCENARIOS, measured
from tests.support import ROOT, naive
from tests.support.helpers import draw_layouts, shots_fired

RESULTS = ROOT / "results" / "rl"


def network(rules, seed: int, game: int, weights):
    """Shoot the first open cell with the highest score; weights are lists of rows, one an input."""
    marks = [0] * rules.cells
    afloat = [1.0] * len(rules.fleet)
    while 0 in marks:
        inputs = [float(mark == wanted) for wanted in (1, 2, 3) for mark in marks] + afloat
        for layer in ("first", "second", "third"):
            rows, bias = weights[layer], weights[f"{layer}_bias"]
            sums = [
                bias[unit] + sum(value * row[unit] for value, row in zip(inputs, rows, strict=True))
                for unit in range(len(bias))
            ]
            inputs = [max(value, 0.0) for value in sums]
        cell = max((cell for cell in range(rules.cells) if not marks[cell]), key=sums.__getitem__)
        reply = yield cell
        marks[cell] = 2 if reply.hit else 1
        if reply.sunk:
            afloat[reply.ship] = 0.0
            for part in reply.cells:
                marks[part] = 3


def test_it_is_what_the_agents_play():
    assert sorted(SCENARIOS) == sorted(path.stem for path in RESULTS.glob("*.csv"))
    for scenario in ("gym-5x5", "gym-8x8"):
        games = 1000
        stats = run(str(RESULTS / f"ppo-{scenario}.onnx"), scenario, games=games, seed=9).stats
        row = measured(scenario).iloc[0]
        assert abs(stats.mean - row["mean"]) <= 4 * row["sd"] * (1 / games + 1 / 100_000) ** 0.5


def test_agents_are_as_good_as_was_asked():
    """What gym-battleship is for: small boards are learned in minutes."""
    most = {"gym-5x5": 12.0, "gym-6x6": 16.5, "gym-8x8": 32.1, "gym-10x10": 58.0}
    for scenario, moves in most.items():
        table = measured(scenario)
        assert (table["games"] == 100_000).all()
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
        naive.play(network, rules, layout, 0, 0, weights=weights) for layout in layouts
    ]
