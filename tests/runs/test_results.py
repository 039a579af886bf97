from __future__ import annotations

import base64
import copy
import dataclasses
import hashlib
import io
import json
import math
import os
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common import files
from bsbench.common.errors import StrategyError, WriteError
from bsbench.common.packing import packed, unpacked
from bsbench.rules.placement import STREAM_VERSION, Placement
from bsbench.rules.scenario import scenario_from_dict
from bsbench.runs.comparison import Pair, check_pair
from bsbench.runs.formats import RunRecord
from bsbench.runs.identity import revision
from bsbench.runs.records import check_copies, load_result, read_record
from bsbench.runs.results import Result, argument_of, save_result
from bsbench.runs.tally import BLOCK, Tally
from bsbench.stats import PairedSums, Summary
from tests.support import ROOT
from tests.support.damage import check_refusals
from tests.support.helpers import save_bare
from tests.support.refusals import assert_refused, refused, warned


@pytest.fixture(scope="module")
def result() -> Result:
    return bsbench.run("smart", games=2_000, seed=6, keep_moves=True)


def test_a_record_survives_the_round_trip(result, in_folder):
    path = save_result(result)[0]
    loaded = load_result(path)
    assert path.as_posix() == "results/smart-harbour.json"
    assert loaded.to_dict() == {**result.to_dict(), "seconds": loaded.to_dict()["seconds"]}
    assert loaded.scenario == result.scenario
    assert loaded.stats == result.stats
    assert (loaded.counts == result.counts).all()


def test_a_record_says_where_it_came_from(result, in_folder):
    record = json.loads(save_result(result)[0].read_text())
    assert record["bsbench"] == bsbench.__version__
    assert record["revisions"] == [revision()]
    source = Path(bsbench.__file__).parent / "strategies" / "smart.py"
    assert record["strategy"]["sha256"] == hashlib.sha256(source.read_bytes()).hexdigest()
    assert record["scenario"] == result.scenario.to_dict()
    assert record["versions"].keys() >= {"python", "numpy", "numba"}
    assert record["machine"]["cores"] >= 1
    assert list(record)[-1] == "date"


def test_records_of_a_single_game_have_no_nan(in_folder):
    single = bsbench.run("linear", games=1)
    text = save_result(single)[0].read_text()
    assert "NaN" not in text
    assert json.loads(text)["summary"]["sd"] is None


def test_frames_are_tidy(result):
    histogram = result.histogram()
    read = pd.read_csv(io.StringIO(result.csv_text()))
    pd.testing.assert_frame_equal(read, histogram, check_dtype=False)
    assert histogram["games"].sum() == 2_000
    assert histogram["moves"].is_monotonic_increasing
    mean = np.average(histogram["moves"], weights=histogram["games"])
    summary = result.to_frame()
    assert len(summary) == 1
    assert summary["mean"][0] == pytest.approx(mean)
    assert summary["mean"][0] == pytest.approx(result.moves.mean())


@pytest.fixture
def variants(keen) -> list[Result]:
    settings = [{}, {"noise": 0.01}, {"noise": 0.02, "backwards": True}]
    return [bsbench.run(bsbench.make_strategy("keen", values), games=100) for values in settings]


LABELS = ["keen", "keen noise=0.01", "keen noise=0.02 backwards=true"]


def test_labels_and_parameters_survive_the_round_trip(variants, in_folder):
    paths = [save_result(result)[0] for result in variants]
    assert [path.name for path in paths] == [
        "keen-classic.json",
        "keen-noise-0.01-classic.json",
        "keen-noise-0.02-backwards-true-classic.json",
    ]
    for path, result, label in zip(paths, variants, LABELS, strict=True):
        assert json.loads(path.read_text())["strategy"]["label"] == label
        loaded = load_result(path)
        assert (loaded.label, loaded.parameters) == (label, result.parameters)


def test_commands_name_parameters_with_blanks_and_no_usual_ones(result):
    given = {"file": "my order.txt", "rounds": 1, "width": 1}
    named = dataclasses.replace(result, label="x file=my order.txt rounds=10", parameters=given)
    assert argument_of(named) == f"{result.strategy},file=my order.txt"


@pytest.mark.all_cases  # each is wrong in a way of its own
@pytest.mark.parametrize(
    "label",
    [
        *("", "kee", "keen ", "keener", "linear", "keen noise=0.0", "keen noise=0.021"),
        *("keen backwards=true noise=0.02", "keen noise=0.02 noise=0.02"),
    ],
)
def test_a_label_that_contradicts_its_record_is_refused(variants, label):
    record = variants[2].to_dict()
    record["strategy"]["label"] = label
    with refused("label"):
        read_record(record)


@pytest.mark.parametrize(
    ("key", "moved", "named"),
    [
        ("moves", 4_000, "board"),
        ("moves", -4_000, "board"),
        ("squares", 300_000, "board"),
        ("moves", 1, "moves"),
    ],
)
def test_what_moves_from_a_block_to_the_next_is_noticed(key, moved, named):
    run = bsbench.run("linear", "classic", games=100, first_game=BLOCK - 50)
    record = run.to_dict()
    record["blocks"][key][0] += moved
    record["blocks"][key][1] -= moved
    with refused("blocks", named):
        read_record(record)
    record = run.to_dict()
    del record["moves"]
    record["blocks"][key][0] += 1
    with refused("blocks", "counts"):
        read_record(record)


def test_a_block_has_no_more_moves_than_its_games_allow():
    run = bsbench.run("linear", "classic", games=100, first_game=BLOCK - 95, keep_moves=False)
    record = run.to_dict()
    # 101 moves in each of the five games of the second block, and the other ones in the first.
    for key, last in (("moves", 5 * 101), ("squares", 5 * 101**2)):
        record["blocks"][key] = [sum(record["blocks"][key]) - last, last]
    with refused("blocks", "board"):
        read_record(record)


def test_records_of_ten_billion_games_are_small_and_their_interval_is_right(in_folder):
    # Of whole blocks that are all alike, half of which are longer games by one move.
    games, half = 10_000 * BLOCK, 5_000 * BLOCK
    counts = np.zeros(101, np.int64)
    counts[[60, 61]] = half, half
    firsts = np.full(101, -1)
    firsts[[60, 61]] = 0, 1
    moves, squares = (sum(m**power for m in (60, 61)) * BLOCK // 2 for power in (1, 2))
    blocks = np.tile(np.array([moves, squares, 1, 2], np.uint64), (10_000, 1))
    base = bsbench.run("linear", games=2, keep_moves=False)
    tally = Tally(0, games, counts, firsts, blocks)
    run = dataclasses.replace(base, tally=tally, requested=games, play_seconds=1e5)
    path = save_result(run, "many")[0]
    assert path.stat().st_size < 64 * 10_000
    stats = load_result(path).stats
    assert stats.mean == 60.5
    # The standard deviation of a game is 1/2; of the sums of squares, 10^14, no digit is lost.
    assert stats.half_width == pytest.approx(1.959964 * 0.5 / math.sqrt(games), rel=1e-6)
    assert stats.sd == pytest.approx(0.5, rel=1e-10)
    # No digit of a figure is cut off.
    shown = CliRunner().invoke(main, ["show", str(path)]).stdout
    assert "60.5000000 ± 0.0000096" in shown
    assert "10,485,760,000" in shown


def test_records_without_evidence_stay_so(result, in_folder):
    learner = bsbench.run("over9000-adaptive,games_per_learner=30", games=70)
    for run in (result, learner):
        bare = load_result(save_bare(run, "bare.json"))
        assert (bare.stats, bare.moves) == (run.stats, None)
        assert not bare.tally.has_evidence
        # What they don't say stays unknown.
        again = load_result(save_result(bare, "again", force=True)[0])
        assert (again.stats, again.tally.has_evidence) == (run.stats, False)


def test_a_record_of_an_unknown_schema_is_refused(result):
    for schema in ("bsbench-run-1", "bsbench-run-3"):
        with refused("schema", schema, "bsbench-run-2"):
            read_record(result.to_dict() | {"schema": schema})


def test_too_many_moves_for_a_record_are_left_out_with_a_warning(result, monkeypatch, in_folder):
    monkeypatch.setattr("bsbench.runs.results.LARGEST_MOVES", 1_000)
    with warned("2,000", "smart"):
        path = save_result(result, "many")[0]
    loaded = load_result(path)
    assert loaded.moves is None
    assert loaded.tally.digest == result.tally.digest


def test_too_many_blocks_for_a_record_are_left_out_with_a_warning(monkeypatch, in_folder):
    monkeypatch.setattr("bsbench.runs.results.MOST_BLOCKS", 1)
    run = bsbench.run("linear", games=100, first_game=BLOCK - 50, keep_moves=False)
    with warned("100", "linear"):
        path = save_result(run, "many")[0]
    loaded = load_result(path)
    assert (loaded.stats, loaded.first_game) == (run.stats, BLOCK - 50)
    assert not loaded.tally.has_evidence


def test_a_sentence_on_how_strategies_compare_is_kept(result, in_folder):
    sums = PairedSums.empty(result.scenario.rules.reach).and_then(
        np.repeat([0, 1, 2], [500, 500, 1000]), np.ones(2000, int)
    )
    against = {"label": "prob", "digest": "0" * 64, **Pair.of_sums(sums).to_dict()}
    assert (against["mean"], against["least"], against["counts"]) == (0.25, -1, [500, 500, 1000])
    run = dataclasses.replace(result, kept_moves=None, against=against)
    path = save_result(run, "pair")[0]
    assert load_result(path).against == against
    for change in (
        {"label": "\n"},
        {"mean": 0.3},
        {"mean": math.nan},
        {"half_width": -1},
        {"half_width": against["half_width"] / 2},
        {"half_width": math.inf},
        {"least": -9999},
        {"least": 500, "mean": 501.25},
        {"counts": [500, 500, 999]},
    ):
        path.write_text(json.dumps(run.to_dict() | {"against": against | change}))
        with refused("pair.json"):
            load_result(path)


@pytest.fixture
def compared(in_folder):
    """Save a comparison without move counts; return the path of the record with differences."""
    how = {"games": 300, "keep_moves": False, "reference": "random"}
    both = bsbench.compare(["random", "linear"], "classic", **how)
    return both.save("c")[1]


@pytest.mark.parametrize(
    "words",
    [
        "show c/linear-classic.json",
        "merge c/linear-classic.json -o x",
        "report c -o x.html",
    ],
)
def test_differences_that_contradict_the_other_record_are_refused(compared, words):
    record = json.loads(compared.read_text())
    pair = record["against"]
    # One game with another difference, and figures that agree with it.
    counts = np.zeros(2 * 83 + 1, np.int64)
    counts[83 + pair["least"] :][: len(pair["counts"])] = pair["counts"]
    counts[np.flatnonzero(counts)[0] + np.arange(2)] += [-1, 1]
    pair |= Pair.of_sums(PairedSums(counts)).to_dict()
    compared.write_text(json.dumps(record))
    done = CliRunner().invoke(main, words.split())
    assert_refused(done, "c/linear-classic.json", "c/random-classic.json")
    assert sorted(path.name for path in Path().iterdir()) == ["c"]


def test_differences_to_other_games_than_those_of_the_reference_are_refused():
    how = {"games": 200, "keep_moves": False, "reference": "random"}
    played = bsbench.compare(["random", "linear"], "classic", **how)
    random, linear = played.results
    check_pair(linear, random)
    for against in (None, dict(linear.against) | {"digest": "0" * 64}):
        with refused("reference"):
            check_pair(dataclasses.replace(linear, against=against), random)


def test_of_the_same_games_one_record_holds_what_a_shorter_one_does():
    played = bsbench.run("linear", "classic", games=BLOCK + 200, keep_moves=True)
    moves, placement = played.moves, Placement("file", "fleets.txt")

    def record(moves, **change):
        scenario = dataclasses.replace(played.scenario, **change)
        tally = Tally.of(0, moves, played.scenario.rules.cells)
        return dataclasses.replace(played, scenario=scenario, tally=tally, kept_moves=None)

    def swapped(one: int, other: int):
        changed = moves.copy()
        changed[[one, other]] = changed[[other, one]]
        return changed

    # In another order, the histogram is the same, and so are most blocks and first games.
    unlike = ~np.isin(moves[:BLOCK], moves[[0, BLOCK + 150]])
    other = int(np.flatnonzero(unlike)[-1])
    for end in (100, BLOCK, BLOCK + 100, BLOCK + 200):
        check_copies([("short", record(moves[:end])), ("long", record(moves))])
        wrong = record(swapped(0, other)[:end]), record(swapped(other, BLOCK + 150)[:end])
        for each in wrong if end > BLOCK else wrong[:1]:
            with refused("short", "long"):
                check_copies([("long", record(moves)), ("short", each)])
    # What a file of layouts held is not known.
    check_copies(
        (f"{end}", record(swapped(0, other)[:end], placement=placement)) for end in (100, BLOCK)
    )


def test_differences_to_a_record_that_is_gone_or_another_are_shown(compared):
    bsbench.run("random", "classic", games=200).save("c/random-classic.json", force=True)
    assert load_result(compared).against["label"] == "random"
    Path("c/random-classic.json").write_text("junk")
    assert load_result(compared).against["label"] == "random"
    Path("c/random-classic.json").unlink()
    assert load_result(compared).against["label"] == "random"


def test_nothing_is_overwritten_unless_forced(result, in_folder):
    chart = {".png": lambda file: file.write(b"chart")}
    assert [path.name for path in save_result(result, "out/run.json")] == ["run.json"]
    # A chart of that name is enough.
    (in_folder / "out" / "other.png").write_text("mine")
    for name, kind in (("run", "json"), ("other", "png")):
        with refused(f"out/{name}.{kind}"):
            save_result(result, f"out/{name}", chart)
    assert sorted(os.listdir("out")) == ["other.png", "run.json"]
    paths = save_result(result, "out/other", chart, force=True)
    assert [path.read_bytes() for path in paths[1:]] == [b"chart"]


def test_differences_of_move_counts_are_what_they_seem(result):
    other = bsbench.run("random", result.scenario, games=result.games)
    first, second = result.moves, other.moves
    exact = [a - b for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    assert min(exact) < 0 < max(exact)
    assert (first - second).tolist() == exact
    assert ((first - second) ** 2).tolist() == [each**2 for each in exact]


def test_kept_moves_are_saved(result, in_folder):
    (path,) = save_result(result, "kept")
    moves = load_result(path).kept_moves
    assert moves.dtype == np.uint8
    assert (moves == result.moves).all()
    # As its description says, whoever reads it.
    text = json.loads(path.read_text())["moves"]
    assert list(zlib.decompress(base64.b64decode(text))) == result.moves.tolist()
    assert len(text) < 1.1 * len(moves)
    save_result(dataclasses.replace(result, kept_moves=None), "bare")
    assert load_result("bare.json").moves is None


def test_a_failing_writer_leaves_no_half_written_file(result, in_folder):
    def fail(file):
        file.write(b"half")
        raise RuntimeError("disk on fire")

    with pytest.raises(RuntimeError):
        save_result(result, "broken", {".png": fail})
    # The record was complete before, and stays; nothing else does.
    assert sorted(os.listdir()) == ["broken.json"]
    load_result("broken.json")


def test_files_get_the_usual_permissions(result, in_folder):
    (in_folder / "usual").write_text("")
    for path in save_result(result, "new"):
        assert path.stat().st_mode == (in_folder / "usual").stat().st_mode


def test_names_of_files_hold_no_odd_characters():
    run = bsbench.run("linear", games=10, placement="sequential:longest")
    assert run.default_name() == "linear-classic+sequential-longest"


def _damaged(record: dict, change) -> str:
    # What the result holds itself stays as it is.
    record = copy.deepcopy(record)
    change(record)
    return json.dumps(record)


def _reversed(moves: str) -> str:
    return packed(unpacked(moves, 2_000, np.uint8)[::-1])


def test_records_older_than_a_figure_of_the_summary_are_read(monkeypatch):
    path = ROOT / "results" / "harbour" / "prob.json"
    newer = dataclasses.make_dataclass("Newer", [("iqr", int, 10)], bases=(Summary,), frozen=True)
    stats = newer(**dataclasses.asdict(load_result(path).stats))
    monkeypatch.setattr(Result, "stats", stats)
    assert load_result(path).figures()["iqr"] == 10


def test_whatever_is_wrong_in_a_record_is_refused_by_its_key(result, tmp_path):
    check_refusals(load_result, result.to_dict(), RunRecord, tmp_path / "record.json")


@pytest.mark.all_cases  # each is wrong in a way of its own
@pytest.mark.parametrize(
    ("named", "change"),
    [
        # Beyond what a type says.
        ("seconds.play", lambda r: r["seconds"].update(play=1e-320)),
        ("stream_version", lambda r: r.update(stream_version=STREAM_VERSION + 1)),
        ("seed", lambda r: r.update(seed=10**400)),
        ("date", lambda r: r.update(date="yesterday")),
        ("versions", lambda r: r.update(versions={"numpy": "\x1b[2J"})),
        ("strategy", lambda r: r["strategy"].update(source="a\nb")),
        ("strategy", lambda r: r["strategy"].update(label="smart\x1b[31m")),
        ("smart", lambda r: r["strategy"].update(parameters={"noise": 1})),
        ("summary", lambda r: r["scenario"].update(summary="\x9b2J")),
        ("source", lambda r: r["scenario"].update(source="x" * 2000)),
        ("layouts", lambda r: r["scenario"].update(placement="file:\ud800")),
        ("board", lambda r: r["scenario"].update(board="0x3")),
        ("layouts_sha256", lambda r: r.update(layouts_sha256="0" * 64)),
        # What contradicts other keys.
        ("partial", lambda r: r.update(partial=True)),
        ("games", lambda r: r.update(requested=1)),
        ("games", lambda r: r.update(first_game=2**63 - 1_999)),
        ("mean", lambda r: r["summary"].update(mean=1.0)),
        ("board", lambda r: r.update(counts=[1, 2])),
        ("counts", lambda r: r.update(games=7)),
        ("board", lambda r: r["counts"].__setitem__(20, 1)),
        ("counts", lambda r: r["counts"].__setitem__(50, 2**70)),
        ("firsts", lambda r: r.pop("firsts")),
        ("firsts", lambda r: r["firsts"].append(1)),
        ("firsts", lambda r: r.update(first_game=7)),
        ("firsts", lambda r: r["firsts"].__setitem__(0, 2_000)),
        ("firsts", lambda r: r["firsts"].__setitem__(0, r["firsts"][1])),
        # Nobody began.
        ("firsts", lambda r: r.update(firsts=[n + 1 for n in r["firsts"]])),
        ("blocks", lambda r: r["blocks"]["digests"].append("0" * 32)),
        ("blocks", lambda r: [each.append(each[0]) for each in r["blocks"].values()]),
        ("blocks", lambda r: r["blocks"]["moves"].__setitem__(0, 1)),
        ("blocks", lambda r: r["blocks"]["squares"].__setitem__(0, 1)),
        ("blocks", lambda r: r["blocks"]["moves"].__setitem__(0, 2**70)),
        ("blocks", lambda r: r["blocks"].update(digests=["0" * 32])),
        *(("moves", lambda r, v=v: r.update(moves=v)) for v in ("", "AAAA", "ÄÖ")),
        ("moves", lambda r: r.update(moves=r["moves"][:-8])),
        ("moves", lambda r: r.update(moves=packed(np.full(2_001, 50, np.uint8)))),
        ("moves", lambda r: r.update(moves=packed(np.zeros(10**7, np.uint8)))),
        ("moves", lambda r: r.update(moves=packed(np.full(2_000, 255, np.uint8)))),
        ("moves", lambda r: r.update(moves=_reversed(r["moves"]))),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(result, tmp_path, named, change):
    path = tmp_path / "record.json"
    path.write_text(_damaged(result.to_dict(), change))
    with refused("record.json", named):
        load_result(path)


def test_missing_files_and_folders(result, tmp_path):
    with refused("none.json"):
        load_result(tmp_path / "none.json")
    (tmp_path / "file").write_text("")
    with refused("file", kind=WriteError):
        files.output_place(str(tmp_path / "file" / "run"), "x")
    with refused("output"):
        files.output_place("", "x")
    for place in (tmp_path / "none" / "h.csv", tmp_path):
        with refused(place.name):
            files.check_export(place)


def test_a_folder_as_output_takes_the_default_name(result, in_folder):
    (in_folder / "there").mkdir()
    for output in ("there", "there/", "made/deep/"):
        assert save_result(result, output, force=True)[0].name.startswith("smart-harbour")
    assert {"there", "made"} == set(os.listdir())


def test_long_names_are_cut_and_stay_apart():
    names = set()
    for last in ("1", "2"):
        classic = bsbench.find_scenario("classic").to_dict()
        scenario = scenario_from_dict(classic | {"name": 300 * "x" + last})
        names.add(bsbench.run("linear", scenario, games=1).default_name())
    assert len(names) == 2
    assert max(map(len, names)) < 120


def test_a_fault_is_kept_as_printable_text_and_checked_when_read():
    fault = StrategyError(
        "linear", 12, 0, 3, "ValueError: \x1b[31m" + "x\n" * 2000, "own.py, line 1"
    )
    result = dataclasses.replace(bsbench.run("linear", games=12), requested=20, fault=fault)
    record = result.to_dict()
    again = read_record(record)
    assert again.fault.problem.startswith(r"ValueError: \x1b[31mx x x")
    assert again.to_dict() == record
    assert (again.fault.game, again.fault.shots, again.fault.line) == (12, 3, "own.py, line 1")
    later = bsbench.run("linear", games=12, first_game=1_000)
    for game, fits in ((12, False), (1_011, False), (1_012, True), (1_019, True), (1_020, False)):
        fault = StrategyError("linear", game, 0, 3, "ValueError", "own.py, line 1")
        failed = dataclasses.replace(later, requested=20, fault=fault).to_dict()
        if fits:
            assert read_record(failed).fault.game == game
        else:
            with refused("fault"):
                read_record(failed)
    for key in ("problem", "line"):
        with refused("fault"):
            read_record({**record, "fault": {**record["fault"], key: "\x1b"}})


def test_a_result_has_the_figures_that_are_asked_for_first():
    result = bsbench.run("prob", "gym-5x5", games=20)
    moves = result.moves
    assert result.mean == moves.mean() == result.stats.mean
    assert result.median == sorted(moves)[9]
    assert result.sd == pytest.approx(moves.std(ddof=1))
    assert [type(figure) for figure in (result.mean, result.median, result.sd)] == [
        float,
        int,
        float,
    ]
