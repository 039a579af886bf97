"""Single games of results: what CSV and Parquet hold, and what is refused."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.play.samplers import make_sampler
from bsbench.roster import make_variant
from bsbench.rules.layout import layout_codes, layout_text
from bsbench.rules.slots import slot_cells
from bsbench.runs import games
from bsbench.runs.results import Result
from tests.support.refusals import assert_refused, refused

KINDS = ("linear", "prob", "datagenetics", "over9000-adaptive,games_per_learner=4")
"""A fixed order, a planner, a strategy asked shot by shot, and one that learns."""


def _read(results: list[Result], *, shots: bool = False, again: bool = False) -> pd.DataFrame:
    """Return the games of results as CSV has them."""
    players = {}
    if shots or again:
        players = {make_variant(kind).label: make_variant(kind) for kind in KINDS}
    file = io.BytesIO()
    games.write_games(file, ".csv", results, players, shots=shots, threads=2)
    return pd.read_csv(io.BytesIO(file.getvalue()))


def _run(*words: str):
    return CliRunner().invoke(main, words)


@pytest.fixture(scope="module")
def played() -> list[Result]:
    # No whole number of learners, from another game than the first one on.
    return list(bsbench.run(list(KINDS), "classic", games=150, first_game=8, seed=3))


@pytest.mark.parametrize("again", [False, True])
def test_there_is_a_row_for_each_game(played, again, monkeypatch):
    monkeypatch.setattr(games, "AT_ONCE", 66)
    asked = [dataclasses.replace(each, kept_moves=None) if again else each for each in played]
    frame = _read(asked, again=again)
    scenario = played[0].scenario
    layouts = make_sampler(scenario.rules, scenario.placement).draw(3, 8, 150)
    texts = [layout_text(layout, scenario.rules) for layout in layouts]
    assert len(set(texts)) == 150
    for result, (label, rows) in zip(played, frame.groupby("label", sort=False), strict=True):
        assert label == result.label
        assert rows["game"].tolist() == list(range(8, 158))
        assert rows["moves"].tolist() == result.moves.tolist()
        assert rows["layout"].tolist() == texts
        assert set(rows["seed"]) == {3}
        assert set(rows["scenario"]) == {"classic"}


def test_the_last_shot_ends_the_game(played, monkeypatch):
    monkeypatch.setattr(games, "_SHOTS_AT_ONCE", 6_600)
    frame, rules = _read(played, shots=True), played[0].scenario.rules
    assert len(frame) == 600
    for row in frame.itertuples():
        cells = [int(cell) for cell in row.shots.split()]
        codes = layout_codes(row.layout, rules)
        ships = {
            cell
            for code, size in zip(codes, rules.fleet, strict=True)
            for cell in slot_cells(code, size, rules.cols)
        }
        assert len(set(cells)) == len(cells) == row.moves
        assert ships <= set(cells)
        assert not ships <= set(cells[:-1])


def test_a_game_that_a_bot_forfeited_has_no_shots(played):
    lost = dataclasses.replace(played[0], forfeits=(9, 157))
    frame = _read([lost], shots=True)
    assert frame.loc[frame["shots"].isna(), "game"].tolist() == [9, 157]
    whole = _read([played[0]], shots=True)
    rest = frame["shots"].notna()
    assert frame.loc[rest, "shots"].tolist() == whole.loc[rest, "shots"].tolist()
    assert frame["moves"].tolist() == whole["moves"].tolist()


def test_parquet_holds_the_same_in_row_groups(played, monkeypatch, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(games, "AT_ONCE", 100)
    players = {make_variant(kind).label: make_variant(kind) for kind in KINDS}
    path = tmp_path / "games.parquet"
    with path.open("wb") as file:
        games.write_games(file, ".parquet", played, players, shots=True)
    assert parquet.ParquetFile(path).num_row_groups == 8
    frame, text = pd.read_parquet(path), _read(played, shots=True)
    assert [" ".join(map(str, cells)) for cells in frame["shots"]] == text["shots"].tolist()
    pd.testing.assert_frame_equal(
        frame.drop(columns="shots"), text.drop(columns="shots"), check_dtype=False
    )
    types = frame.dtypes.astype(str)
    assert [types[name] for name in ("seed", "game", "moves")] == ["int64", "int64", "int32"]
    # A secret seed has 128 bits.
    secret = dataclasses.replace(played[0], seed=2**127)
    with path.open("wb") as file:
        games.write_games(file, ".parquet", [secret], {})
    assert set(pd.read_parquet(path)["seed"]) == {str(2**127)}


def test_games_that_differ_from_the_record_are_not_written(played, tmp_path):
    (linear, *_) = played
    moves = linear.moves.copy()
    moves[[0, 1]] = moves[[1, 0]] if moves[0] != moves[1] else moves[[2, 3]]
    other = make_variant("linear")
    for wrong in (
        dataclasses.replace(linear, kept_moves=moves),
        dataclasses.replace(
            linear,
            kept_moves=None,
            tally=dataclasses.replace(linear.tally, counts=np.roll(linear.counts, -1)),
        ),
    ):
        with refused("linear"):
            games.write_games(io.BytesIO(), ".csv", [wrong], {"linear": other}, shots=True)
    with refused("linear", "stream"):
        old = dataclasses.replace(linear, stream_version=1)
        games.write_games(io.BytesIO(), ".csv", [old], {})


OWN = """class Last:
    def shoot(self, view):
        return view.open_cells[-1]
"""


def test_commands_write_games_of_runs_comparisons_and_records(in_folder):
    Path("own.py").write_text(OWN)
    to = ("--export-games", "a.csv", "--force")
    names = ("own.py", "linear", "--scenario", "gym-5x5", "--seed", "0,1", "-n", "20")
    ended = _run(
        "run", *names, "-o", "kept", "--no-charts", "--no-keep-moves", "--export-shots", *to
    )
    assert ended.exit_code == 0, ended.output
    frame = pd.read_csv("a.csv")
    assert len(frame) == 80
    # All strategies meet the same layouts.
    assert set(frame.groupby(["seed", "game"])["layout"].nunique()) == {1}
    assert frame["layout"].nunique() > 30
    for record in sorted(Path("kept").glob("*.json")):
        result = bsbench.load(record)
        rows = frame[(frame["label"] == result.label) & (frame["seed"] == result.seed)]
        assert np.bincount(rows["moves"], minlength=26).tolist() == result.counts.tolist()
    assert_refused(_run("show", "kept", *to), "--trust", "own")
    assert_refused(_run("compare", *map(str, sorted(Path("kept").glob("*0.json"))), *to), "--trust")
    pd.testing.assert_frame_equal(pd.read_csv("a.csv"), frame)
    assert _run("show", "kept", "--trust", "--export-shots", *to).exit_code == 0
    again = pd.read_csv("a.csv")
    keys = ["label", "seed", "game"]
    pd.testing.assert_frame_equal(
        again.sort_values(keys, ignore_index=True), frame.sort_values(keys, ignore_index=True)
    )
    record = next(str(path) for path in Path("kept").glob("linear*0.json"))
    assert _run("compare", record, "random", "--export-shots", *to, "-q").exit_code == 0
    assert pd.read_csv("a.csv").groupby("label").size().to_dict() == {"linear": 20, "random": 20}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--export-shots",), ("--export-shots", "--export-games")),
        (("--export-games", "a.csv", "--export-csv", "a.csv"), ("--export-csv",)),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_played(
    in_folder, monkeypatch, words, named
):
    monkeypatch.setattr("bsbench.cli.exports.find_spec", lambda name: None)
    monkeypatch.setattr("bsbench.runs.comparing.play", lambda *_, **__: pytest.fail("it plays"))
    Path("taken.csv").write_text("mine")
    assert_refused(_run("run", "linear", "-n", "20", *words), *named)
    assert [path.name for path in in_folder.iterdir()] == ["taken.csv"]
    assert Path("taken.csv").read_text() == "mine"


def test_ctrl_c_leaves_the_record_and_no_file_of_games(in_folder, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("bsbench.runs.games.layout_texts", interrupted)
    words = ("run", "linear", "-n", "20", "--no-charts", "-o", "kept", "--export-games", "a.csv")
    assert _run(*words).exit_code != 0
    assert [path.name for path in in_folder.iterdir()] == ["kept.json"]


def test_an_interrupted_run_writes_no_games_and_says_so(in_folder, monkeypatch):
    monkeypatch.setattr("bsbench.cli.experiment.Played.partial", True)
    ended = _run("run", "linear", "-n", "20", "--no-save", "--export-games", "a.csv", "-q")
    assert "a.csv is not written" in ended.stderr
    assert list(in_folder.iterdir()) == []
