"""Rollouts: what they are worth, and that the base decides where there are none."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

import bsbench
from bsbench.common.errors import BsbenchError
from bsbench.common.reading import parse_json
from bsbench.roster import make_strategy
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs.known import WorthRecord
from bsbench.strategies import mcts
from examples.rollouts_worth import gains, main
from tests.support import ROOT, naive
from tests.support.helpers import SHORT_ROLLOUTS, KnownLayouts, draw_layouts, move_counts
from tests.support.refusals import refused

pytestmark = pytest.mark.ci

EVERYWHERE = {"hunt_ships": 9, "target_ships": 9}


@pytest.mark.parametrize(
    ("base", "feedback"),
    [("lattice", "sunk"), ("lattice2", "ship"), ("datagenetics", "sunk")],
)
@pytest.mark.parametrize("touching", [False, True])
def test_with_all_layouts_played_rollouts_improve_by_what_their_choices_are_worth(
    base, feedback, touching
):
    rules = Rules(4, 4, (3, 2), touching, Feedback.parse(feedback))
    codes = [naive.encode(rules, layout) for layout in naive.all_layouts(rules)]
    # Every mean is exact, and each layout is one game: so no error is left.
    strategy = make_strategy("mcts", {"base": base, "playouts": 10_000} | EVERYWHERE)
    place = Scenario(name="pond", rules=rules)
    worth, moves = gains(strategy, place, len(codes), 0, KnownLayouts(rules, codes))
    # Where ships don't touch, the base uses only what sank.
    told = rules if touching else replace(rules, feedback=Feedback.SUNK)
    own = move_counts(told, make_strategy(base), codes)
    assert (moves == move_counts(rules, strategy, codes)).all()
    assert worth.mean() == pytest.approx(own.mean() - moves.mean(), abs=1e-9)
    assert worth.mean() > 0


@pytest.mark.parametrize("proposer", ["base", "lattice2"])
def test_what_samples_promise_is_what_they_are_worth(proposer):
    parameters = {"playouts": 40, "screening": 20, "proposer": proposer} | EVERYWHERE
    rules = Rules(4, 4, (3, 2), True, Feedback.SUNK)
    codes = [naive.encode(rules, layout) for layout in naive.all_layouts(rules)]
    strategy = make_strategy("mcts", parameters)
    worth, moves = gains(
        strategy, Scenario(name="pond", rules=rules), len(codes), 0, KnownLayouts(rules, codes)
    )
    own = move_counts(rules, make_strategy("lattice"), codes)
    error = 4 * worth.std() / len(codes) ** 0.5
    assert worth.mean() == pytest.approx(own.mean() - moves.mean(), abs=error)


@pytest.mark.slow  # `lattice2`, which proposes, has kernels of its own
@pytest.mark.parametrize("limit", ["ships", "work", "board"])
def test_where_there_are_no_rollouts_the_base_plays(monkeypatch, limit):
    # A proposal would shorten these games.
    parameters = {"proposer": "lattice2"} | EVERYWHERE
    if limit == "ships":
        parameters |= {"hunt_ships": 0, "target_ships": 0}
    elif limit == "work":
        monkeypatch.setattr(mcts, "_WORK", 0)
    else:

        def too_large(rules):
            raise BsbenchError("the board is too large")

        monkeypatch.setattr(mcts, "tables_of", too_large)
    runs = [
        bsbench.run(strategy, "gym-8x8", games=60, threads=1, keep_moves=True).moves
        for strategy in (make_strategy("mcts", parameters), "lattice")
    ]
    assert (runs[0] == runs[1]).all()


def test_another_cell_is_shot_only_beyond_doubt():
    shots = np.array([[10, 12, 11, 11], [9, 12, 11, 11], [9, 11, 10, 10]])
    assert mcts._better(shots, 0.0) == 2
    assert mcts._better(shots[:2], 0.9) == 1
    # Better by one in four games: one standard error.
    assert mcts._better(shots[:2], 1.0) == 0


@pytest.mark.slow  # nothing else in the quick suite plays rollouts
def test_the_script_writes_a_record(in_folder):
    words = "mcts,playouts=20,screening=5 gym-5x5 --games 20 --seed 3 --threads 1 -o worth.json"
    main(words.split())
    record = msgspec.json.decode((in_folder / "worth.json").read_bytes(), type=WorthRecord)
    assert (record.games, record.seed, record.scenario) == (20, 3, "gym-5x5")
    assert record.strategy == "mcts playouts=20 screening=5"
    assert record.worth.half_width > 0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("lattice gym-5x5", ["'lattice'", "mcts"]),
        ("mcts gym-5x5 --feedback hit", ["sunk"]),
    ],
)
def test_the_script_refuses(arguments, named):
    with refused(*named):
        main(arguments.split())


def test_rollouts_expect_the_law_uniform():
    place = bsbench.find_scenario("classic").override(placement="edge")
    with refused("'uniform'", "edge:3"):
        gains(make_strategy("mcts"), place, 1, 0)


def test_neither_threads_nor_lanes_matter():
    strategy, place = make_strategy("mcts", SHORT_ROLLOUTS), bsbench.find_scenario("gym-6x6")
    one, three = (gains(strategy, place, 50, 1, threads=threads) for threads in (1, 3))
    assert (one[0] == three[0]).all()
    assert (one[1] == three[1]).all()
    codes = draw_layouts(place.rules, 50, seed=1)
    assert (move_counts(place.rules, strategy, codes, seed=6, lanes=3) == one[1]).all()


def test_the_cases_are_those_of_the_records():
    folder = ROOT / "results" / "rollouts-worth"
    cases = (folder / "cases.txt").read_text(encoding="utf-8").splitlines()
    records = sorted(folder.glob("*.json"))
    assert len(cases) == len(records) > 10
    for path in records:
        record = parse_json(path.read_bytes())
        variant = record["strategy"].replace(" ", ",")
        options = f"--feedback {record['feedback']} -n {record['games']} --seed {record['seed']}"
        assert f"{path.stem} {variant} {record['scenario']} {options}" in cases
    # The half width of what choices are worth, beside that of a difference of means.
    assert record["worth"]["half_width"] < record["moves"]["half_width"] / 20
