"""Rollouts: what they are worth, and that the base decides where there are none."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.errors import BsbenchError
from bsbench.common.reading import parse_json
from bsbench.roster import make_strategy
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.strategies import mcts
from bsbench.studies.rollouts.study import gains
from tests.support import ROOT, naive
from tests.support.helpers import SHORT_ROLLOUTS, KnownLayouts, draw_layouts, move_counts
from tests.support.refusals import assert_refused, refused

EVERYWHERE = {"hunt_ships": 9, "target_ships": 9}


@pytest.mark.parametrize(
    ("base", "feedback"),
    [("lattice", "sunk"), ("lattice2", "sunk"), ("lattice2", "ship"), ("datagenetics", "sunk")],
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


def test_neither_seed_nor_lanes_matter():
    place = bsbench.find_scenario("gym-6x6")
    codes = draw_layouts(place.rules, 40, seed=5)
    strategy = make_strategy("mcts", SHORT_ROLLOUTS | {"hunt_ships": 1})
    moves = move_counts(place.rules, strategy, codes, seed=5)
    assert (moves == move_counts(place.rules, strategy, codes, seed=6, lanes=3)).all()


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


def _run(words):
    return CliRunner().invoke(main, ["rollouts", *words.split()])


@pytest.mark.slow  # nothing else in the quick suite plays rollouts
def test_the_command_writes_a_record(in_folder):
    words = "mcts,playouts=20,screening=5 gym-5x5 --games 20 --seed 3 --threads 1"
    done = _run(f"{words} --export-json worth.json --export-csv worth.csv")
    assert done.exit_code == 0, done.output
    row = "gym-5x5   sunk      mcts playouts=20 screening=5     20     3 "
    assert done.stdout.splitlines()[2].startswith(row)
    record = parse_json((in_folder / "worth.json").read_bytes())
    assert (record["games"], record["seed"], record["scenario"]) == (20, 3, "gym-5x5")
    assert record["worth"]["half_width"] > 0
    header, row = (in_folder / "worth.csv").read_text(encoding="utf-8").splitlines()
    assert dict(zip(header.split(","), row.split(","), strict=True))["moves.mean"] == str(
        record["moves"]["mean"]
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("lattice gym-5x5", ["'lattice'", "mcts"]),
        ("mcts nowhere", ["'nowhere'"]),
        ("mcts gym-5x5 --feedback hit", ["'sunk'"]),
        ("mcts gym-5x5 --games many", ["'many'"]),
        ("mcts gym-5x5 --threads 0", ["0 threads"]),
        ("mcts gym-5x5 --export-json no/worth.json", ["no/worth.json"]),
    ],
)
def test_the_command_refuses(in_folder, arguments, named):
    assert_refused(_run(arguments), *named)


def test_threads_do_not_matter():
    strategy, place = make_strategy("mcts", SHORT_ROLLOUTS), bsbench.find_scenario("gym-6x6")
    one, three = (gains(strategy, place, 50, 1, threads=threads) for threads in (1, 3))
    assert (one[0] == three[0]).all()
    assert (one[1] == three[1]).all()


def test_knowing_which_ship_is_hit_helps():
    parameters = {"playouts": 100, "screening": 40, "hunt_ships": 0}
    place = bsbench.find_scenario("classic")
    told = gains(make_strategy("mcts", parameters), place, 30, 1)[0].mean()
    less = place.override(feedback="sunk")
    assert told > gains(make_strategy("mcts", parameters), less, 30, 1)[0].mean()


def test_rollouts_expect_the_law_uniform():
    place = bsbench.find_scenario("classic").override(placement="edge")
    with refused("'uniform'", "edge:3"):
        gains(make_strategy("mcts"), place, 1, 0)


def test_the_page_has_the_figures_of_the_records():
    results = ROOT / "results"
    page = (results.parent / "docs" / "rollouts.md").read_text(encoding="utf-8")
    table = (results / "rollouts" / "table.md").read_text(encoding="utf-8")
    for line in re.findall(r"^\|.*", table, flags=re.MULTILINE):
        assert line in page
    records = sorted((results / "rollouts-worth").glob("*.json"))
    for path in records:
        record = parse_json(path.read_bytes())
        variant = record["strategy"].replace(" ", ",")
        options = f"--feedback {record['feedback']} -n {record['games']} --seed {record['seed']}"
        place = f"--export-json results/rollouts-worth/{path.name}"
        line = f"bsbench rollouts {variant} {record['scenario']} {options} {place} --force"
        assert f"{line}\n" in page
    # The half width of what choices are worth, beside that of a difference of means.
    assert record["worth"]["half_width"] < record["moves"]["half_width"] / 20
