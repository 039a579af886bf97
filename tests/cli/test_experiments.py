"""Experiments on the command line: several runs, names of files, going on, exports."""

from __future__ import annotations

import errno
import io
import itertools
import json
import os
import re
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common import journal as journals
from bsbench.common.errors import BsbenchError, WriteError
from bsbench.common.settings import read_count, read_seeds
from bsbench.roster import strategy_names
from bsbench.runs import comparing
from bsbench.runs.finding import find_records
from bsbench.runs.records import load_result
from bsbench.runs.results import save_result
from tests.support.refusals import assert_refused, names, refused

# What commands save, print and refuse; which moves the games have is tested elsewhere.
pytestmark = pytest.mark.usefixtures("mock_engine")

# Charts that are saved beside records are looked at in tests of charts.


def _run(*arguments: str, columns: int = 200):
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(main, arguments, prog_name="bsbench")


def _files() -> list[str]:
    """Return all files below the folder of the test."""
    return sorted(path.as_posix() for path in Path().rglob("*") if path.is_file())


# --- what is asked for ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("1000000", 10**6), ("1_000_000", 10**6), ("1,000,000", 10**6), ("1e6", 10**6)),
        *(("1.5E3", 1500), (" 7 ", 7), ("1e0", 1), ("2.0", 2), ("-3", -3), ("+4", 4)),
    ],
)
def test_numbers_of_games_are_written_in_any_usual_way(text, number):
    assert read_count(text, "games") == number


@pytest.mark.parametrize(
    "text",
    [
        *("1.5", "1e-3", "1e", "", "e6", "1,00", "1,0000", "1__0", "_1", "1_", "nan", "inf", "٣"),
        *("0x10", "1e9999", "9" * 100, "1 000"),
    ],
)
def test_what_is_no_whole_number_is_refused(text):
    with refused("games"):
        read_count(text, "games")


def test_seeds_are_lists_and_ranges():
    assert read_seeds("7") == (7,)
    assert read_seeds("0, 5 ,10-12,2_0") == (0, 5, 10, 11, 12, 20)
    assert len(read_seeds("1-1000")) == 1_000


def test_several_strategies_play_the_same_games_in_one_place(in_folder):
    done = _run("run", "linear", "-s", "random", "-n", "2e3", "--seed", "3")
    assert done.exit_code == 0, done.output
    folder = Path("results/linear-random-classic-seed-3")
    assert sorted(os.listdir(folder)) == [
        *("classic-seed-3-ecdf.png", "classic-seed-3-ecdf.svg", "linear-classic-seed-3.json"),
        *("random-classic-seed-3.json", "table.csv"),
    ]
    whole = bsbench.compare(["linear", "random"], games=2_000, seed=3)
    for result in whole.results:
        saved = load_result(folder / f"{result.label}-classic-seed-3.json")
        assert saved.counts.tolist() == result.counts.tolist()
    table = pd.read_csv(folder / "table.csv")
    assert table["difference"].tolist() == [each.mean for each in whole.differences]
    names = {
        result.label: each for result, each in zip(whole.results, whole.differences, strict=True)
    }
    (other,) = names.keys() - {whole.reference}
    assert re.search(rf"^{other} +classic .*{re.escape(names[other].text)}", done.stdout, re.M)
    assert re.search(rf"\b5 .* {folder}$", done.stdout, re.M)


def test_panels_have_a_row_for_each_run_with_scenario_and_seed(in_folder):
    names = ["gym-5x5", "gym-6x6"]
    done = _run(
        "run", "random", "linear", "--scenario", ",".join(names), "--seed", "0-1", "-n", "300"
    )
    assert done.exit_code == 0, done.output
    rows = re.findall(r"^(\w+) +(gym-\dx\d) +(\d) ", done.stdout, re.M)
    assert sorted(rows) == sorted(itertools.product(("linear", "random"), names, "01"))
    # A panel after the other, whoever is best in it.
    assert [row[1:] for row in rows[::2]] == [*itertools.product(names, "01")]
    (folder,) = Path("results").iterdir()
    assert folder.name == "random-linear-gym-5x5-gym-6x6-seeds-0-1"
    # Rows of all seeds together have none.
    table = pd.read_csv(folder / "table.csv", dtype={"seed": "Int64"})
    for (where, seed), part in table.groupby(["scenario", "seed"]):
        panel = bsbench.compare(["random", "linear"], where, games=300, seed=int(seed))
        assert part["mean"].tolist() == [result.stats.mean for result in panel.results]
        assert part["difference"].tolist() == [each.mean for each in panel.differences]
    assert len(list(folder.glob("*.json"))) == 8
    assert len(list(folder.glob("*-ecdf.png"))) == 4


FEW = ("hunt-target", "lattice", "linear", "mcts", "posterior", "random", "smart")


# Of all strategies, some have kernels that no other quick test needs.
@pytest.mark.parametrize("names", [FEW, pytest.param(strategy_names(), marks=pytest.mark.slow)])
def test_all_are_those_that_can_play(names, monkeypatch):
    monkeypatch.setattr("bsbench.roster.strategy_names", lambda: names)
    kinds = {name: bsbench.find_strategy(name) for name in names}
    quick = [name for name, kind in kinds.items() if not kind.takes_long]
    assert "mcts" not in quick
    told = [name for name in quick if str(kinds[name].needs) == "hit"]
    harbour = bsbench.find_scenario("harbour").rules
    able = [name for name in told if bsbench.make_strategy(name).fits(harbour)]
    assert set(told) - set(able) == {"posterior"}
    done = _run("run", "all", "--scenario", "harbour", "-n", "10", "--no-save")
    assert done.exit_code == 0, done.output
    assert sorted(re.findall(r"^([\w-]+) +harbour ", done.stdout, re.M)) == sorted(able)
    # With each reason, those that are left out.
    words = (set(re.findall(r"[\w-]+", line)) for line in done.stderr.splitlines())
    without = {frozenset(line & set(quick)) for line in words if "all" in line}
    assert without - {frozenset()} == {frozenset({"posterior"}), frozenset(quick) - {*told}}
    if names is FEW:  # the kernels of `posterior` take long to compile
        told.remove("posterior")
        monkeypatch.setattr("bsbench.roster.strategy_names", lambda: {*names} - {"posterior"})
    one_more = _run(
        "compare", "linear", "all", "--scenario", "gym-5x5", "-n", "10", "--feedback", "hit"
    )
    assert sorted(re.findall(r"^([\w-]+) +\d\S* ±", one_more.stdout, re.M)) == sorted(told)
    # The best comes first, and is the reference.
    (first, *_) = re.findall(r"^[\w-]+ +\d\S* ±.*", one_more.stdout, re.M)
    assert "reference" in first


def _speed(strategy, scenario, games):
    return {"smart": 3.0, "random": 2.0, "mcts": 0.1}.get(strategy.name)


def test_of_all_the_quick_ones_play_first_and_slow_ones_are_named(monkeypatch):
    monkeypatch.setattr("bsbench.runs.known.known_speed", _speed)

    def told(experiment, **given):
        raise BsbenchError(_told(experiment))

    monkeypatch.setattr(comparing, "play", told)
    said = _run("compare", "all", "--scenario", "gym-5x5", "-n", "3600", "--threads", "1").stderr
    order = said.split("Error: ")[1].split()
    assert order[:2] == ["smart", "random"]
    # What no record knows comes last, by name.
    assert order[2:] == sorted(order[2:])
    assert re.search(r"slow: .*mcts", said)


def _told(asked) -> str:
    return " ".join(strategy.label for strategy in asked.strategies)


def test_an_experiment_in_a_file(in_folder):
    (in_folder / "e.toml").write_text(
        'strategy = ["linear", "random"]\nscenario = ["gym-5x5", "gym-6x6"]\nseed = [1, 2]\n'
        'games = 40\nreference = "random"\nfirst_game = 100\n'
    )
    done = _run("run", "--config", "e.toml", "--no-save", "--export-csv", "-", "--seed", "1", "-q")
    table = pd.read_csv(io.StringIO(done.stdout))
    assert table[["label", "scenario", "seed", "reference", "games"]].to_numpy().tolist() == [
        [who, f"gym-{side}x{side}", 1, "random", 40]
        for side in (5, 6)
        for who in ("linear", "random")
    ]
    mean = bsbench.run("linear", "gym-5x5", games=40, seed=1, first_game=100).stats.mean
    assert table["mean"][0] == mean


def test_a_sweep_has_a_row_for_each_point(in_folder):
    done = _run("run", "over9000", "--sweep", "noise=0,0.5", "-n", "64", "-o", "noise")
    assert done.exit_code == 0, done.output
    table = pd.read_csv("noise/table.csv")
    assert table["noise"].tolist() == [0.0, 0.5]
    assert (table["reference"] == "over9000 noise=0.0").all()
    assert {"classic-sweep.png", "over9000-noise-0.5-classic.json"} < set(os.listdir("noise"))


def test_a_folder_of_many_variants_has_the_name_of_what_they_differ_in(in_folder):
    words = ["run", "over9000", "linear", "--sweep", "noise=0:0.003:0.001", "-n", "8"]
    done = _run(*words, "--seed", "0,1", "--no-charts")
    assert done.exit_code == 0, done.output
    assert os.listdir("results") == ["over9000-linear-by-noise-classic-seeds-0-1"]
    assert done.stdout.count("8 games each on classic") == 1
    assert "seeds 0 / 1" in done.stdout


# --- names ----------------------------------------------------------------------------------------


def test_nothing_is_replaced_unasked_and_nothing_is_played_before(in_folder, monkeypatch):
    assert _run("run", "linear", "-n", "20", "-o", "x").exit_code == 0
    before = {path.name: path.read_bytes() for path in in_folder.iterdir()}
    Path("x.png").unlink()
    monkeypatch.setattr("bsbench.runs.comparing.play", None)
    ways = ("--extend", "--no-save", "--force", "--output")
    assert_refused(_run("run", "linear", "-n", "30", "-o", "x"), "x.json", *ways)
    # One of the files is enough.
    Path("x.json").unlink()
    assert_refused(_run("run", "linear", "-n", "30", "-o", "x"), "x.svg", "--force")
    monkeypatch.undo()
    monkeypatch.chdir(in_folder)
    assert _run("run", "linear", "-n", "20", "-o", "x", "--force").exit_code == 0
    assert {path.name for path in in_folder.iterdir()} == set(before)
    assert load_result("x.json").games == 20


def test_default_names_tell_runs_apart(in_folder):
    for words in ([], ["--seed", "4", "--first-game", "9"]):
        assert _run("run", "linear", "-n", "5", "--no-charts", "-q", *words).exit_code == 0
    assert sorted(os.listdir("results")) == [
        "linear-classic-seed-4-from-9.json",
        "linear-classic.json",
    ]


# --- going on -------------------------------------------------------------------------------------


def _same(first: Path | str, second: Path | str) -> bool:
    """Return whether two records are the same but for times."""
    records = [json.loads(Path(path).read_text()) for path in (first, second)]
    for record in records:
        for key in ("seconds", "date", "requested", "partial", "until"):
            record.pop(key, None)
    return records[0] == records[1]


def test_a_run_that_is_extended_is_that_of_all_games(in_folder):
    _run("run", "random", "-n", "3000", "-o", "whole", "-q", "--no-charts")
    assert _run("run", "random", "-n", "1000", "-o", "x", "-q").exit_code == 0
    done = _run("run", "random", "-n", "3000", "-o", "x", "--extend")
    assert done.exit_code == 0, done.output
    assert _same("x.json", "whole.json")
    again = ("run", "random", "-o", "x", "--extend")
    assert_refused(_run(*again, "-n", "3000"), "x.json", "3,000 games", "--games")
    assert_refused(_run(*again, "-n", "9000", "--seed", "1"), "x.json", "seed", "0", "1")
    assert_refused(_run(*again, "-n", "90", "--first-game", "3"), "x.json", "game 0", "game 3")


@pytest.mark.parametrize("players", [["linear"], ["linear", "random"]])
def test_a_coarser_aim_leaves_what_is_saved(in_folder, players):
    words = ["run", *players, "--scenario", "gym-5x5", "-o", "x", "--no-charts"]
    assert _run(*words, "--until", "0.1").exit_code == 0
    before = {path: path.read_bytes() for path in in_folder.rglob("*.*")}
    again = _run(*words, "--until", "0.5", "--extend")
    assert again.exit_code == 0, again.output
    assert "saved" not in again.stdout
    assert {path: path.read_bytes() for path in in_folder.rglob("*.*")} == before


class _Crash(BaseException):
    """The end of a process."""


@pytest.fixture
def crashing(monkeypatch):
    """Return what lets commands crash after some calls of the progress function.

    Checkpoints are due at once.
    """
    for name in ("_FIRST_SECONDS", "_SECONDS", "_MOST_SECONDS"):
        monkeypatch.setattr(journals, name, 0.0)
    monkeypatch.setattr("bsbench.cli.experiment._SHOWN_EVERY", 0.0)
    left = [10**9]

    @contextmanager
    def progress_bar(*_):
        def show(*_):
            left[0] -= 1
            if left[0] < 0:
                raise _Crash

        yield show

    rooms = "cli.delivery", "cli.reproduce"
    for module in rooms:
        monkeypatch.setattr(f"bsbench.{module}.progress_bar", progress_bar)

    def crash_after(calls: int, *words: str) -> bool:
        left[0] = calls
        try:
            done = _run(*words)
        except _Crash:
            return True
        assert done.exit_code in (0, 1), done.output
        return False

    return crash_after


@pytest.mark.parametrize("way", ["--extend", "--force", "--resume", None])
def test_a_journal_that_is_played_into_is_left_alone(in_folder, way):
    assert _run("run", "linear", "-n", "100", "-o", "x").exit_code == 0
    journal = journals.Journal.open("x.journal", {})
    journal.put("a", 1)
    assert journal.write()
    done = _run("run", "linear", "-n", "200", "-o", "x", *([way] if way else []))
    assert_refused(done, "x.journal", "process")
    journal.close()
    assert load_result("x.json").games == 100


def test_force_begins_anew(in_folder, crashing):
    words = ["run", "linear", "-n", "500000", "-o", "x", "-q"]
    assert crashing(2, *words)
    assert not crashing(10**9, *words[:3], "1000", *words[4:], "--force")
    assert not Path("x.journal").exists()
    assert load_result("x.json").games == 1_000


def test_ctrl_c_can_be_gone_on_from_without_a_journal(in_folder, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    @contextmanager
    def progress_bar(*_):
        yield lambda now: interrupt() if now.done > 1000 else None

    with monkeypatch.context() as patch:
        patch.setattr("bsbench.cli.experiment._SHOWN_EVERY", 0.0)
        patch.setattr("bsbench.cli.delivery.progress_bar", progress_bar)
        done = _run("run", "random", "-n", "400000", "-o", "x", "--threads", "1")
    assert done.exit_code == 130
    assert "--resume" in done.stderr
    assert load_result("x.json").partial
    before = {path.name: path.read_bytes() for path in in_folder.iterdir()}
    refused = _run("run", "random", "-n", "10", "-o", "x", "--resume")
    assert refused.exit_code == 2
    assert {path.name: path.read_bytes() for path in in_folder.iterdir()} == before
    done = _run("run", "random", "-n", "400000", "-o", "x", "--resume")
    assert done.exit_code == 0, done.output
    result = load_result("x.json")
    assert not result.partial
    assert result.counts.tolist() == bsbench.run("random", games=400_000).counts.tolist()


# --- exports --------------------------------------------------------------------------------------


def test_one_run_exports_its_histogram_and_several_a_row_each(in_folder):
    places = ["--export-csv", "a.csv", "--export-json", "a.json", "--export-md", "a.md"]
    assert _run("run", "linear", "-n", "50", "--no-save", "-q", *places).output == ""
    frame = pd.read_csv("a.csv")
    assert list(frame) == ["strategy", "label", "scenario", "moves", "games"]
    assert frame["games"].sum() == 50
    assert load_result("a.json").games == 50
    header, _, row = Path("a.md").read_text().splitlines()[:3]
    assert header.startswith("| strategy | scenario | mean ± 95 % | ")
    assert row.startswith("| `linear` | classic | ")
    _run("run", "linear", "random", "-n", "50", "--no-save", "-q", "--force", *places)
    assert pd.read_csv("a.csv")["label"].tolist() == ["linear", "random"]
    assert json.loads(Path("a.json").read_text())["schema"] == "bsbench-compare-1"
    _run("run", "linear", "--seed", "0,1", "-n", "5", "--no-save", "-q", "--force", *places)
    record = json.loads(Path("a.json").read_text())
    assert record["schema"] == "bsbench-experiment-1"
    assert [panel["seed"] for panel in record["panels"]] == [0, 1]


def test_latex_is_escaped_and_needs_no_more_than_booktabs(in_folder):
    text = _run("run", "over9000,no_touch=full", "linear", "-n", "20", "--no-save", "-q",
                "--export-latex", "-").stdout  # fmt: skip
    assert r"over9000 no\_touch=full & classic & " in text
    assert r"mean $\pm$ 95 \% & median" in text
    assert text.count(r"\\") == 3
    for line in (r"\toprule", r"\midrule", r"\bottomrule", r"% \usepackage{booktabs}"):
        assert line in text.splitlines()
    table = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert table.isascii()


def test_parquet_holds_what_csv_does_or_says_what_is_missing(in_folder, monkeypatch):
    words = ("run", "linear", "-n", "50", "--no-save", "-q", "--export-parquet", "a.parquet")
    frames = {}

    def to_parquet(frame, place, index):
        frames["one"] = frame
        place.write(b"PAR1")

    monkeypatch.setattr("pandas.DataFrame.to_parquet", to_parquet)
    monkeypatch.setattr("bsbench.cli.exports.find_spec", lambda name: None)
    assert_refused(_run(*words), "'pip install pyarrow'")
    monkeypatch.setattr("bsbench.cli.exports.find_spec", lambda name: name)
    assert _run(*words).output == ""
    assert Path("a.parquet").read_bytes() == b"PAR1"
    assert frames["one"]["games"].sum() == 50
    # Of two strategies, rows have the seed: of more bits than Parquet has room for, as text.
    both = "compare linear random -n 50 -q --export-parquet a.parquet --force --seed"
    for seed, held in ((2**127 + 1, f"{2**127 + 1}"), (5, 5)):
        assert _run(*both.split(), str(seed)).output == ""
        assert frames["one"]["seed"].tolist() == [held] * 2


@pytest.mark.parametrize(
    ("words", "header"),
    [
        ("connect4 match greedy random -n 20", "label,name,source,"),
        ("show @classic/lattice", "strategy,label,scenario,moves,games"),
        ("compare linear random -n 20", "strategy,label,scenario,seed,games,mean,"),
    ],
)
def test_every_table_has_the_same_exports(in_folder, words, header):
    places = [f"--export-{kind}" for kind in ("json", "md", "latex")]
    named = [word for place in places for word in (place, f"a.{place[9:]}")]
    done = _run(*words.split(), "--export-csv", "-", *named)
    assert done.exit_code in (0, 1), done.output
    assert done.stdout.startswith(header)
    assert pd.read_csv(io.StringIO(done.stdout)).shape[0] >= 1
    json.loads(Path("a.json").read_text())
    assert Path("a.md").read_text().startswith("| ")
    assert r"\toprule" in Path("a.latex").read_text()
    assert_refused(_run(*words.split(), *named), "a.json", "--force")


# --- records --------------------------------------------------------------------------------------


def test_folders_are_searched_downwards(in_folder):
    for name in ("a/linear", "a/deep/random", "a/.hidden/linear"):
        strategy = name.rpartition("/")[2]
        save_result(bsbench.run(strategy, "classic", games=30), name)
    Path("a/other.json").write_text('{"schema": "bsbench-bench-2"}')
    assert find_records(["a"]) == [Path("a/linear.json"), Path("a/deep/random.json")]
    assert find_records(["a/linear.json", "a/deep"]) == [
        Path("a/linear.json"),
        Path("a/deep/random.json"),
    ]
    assert {"linear", "random"} <= set(_run("show", "a").stdout.split())
    Path("a/deep/bad.json").write_text("{")
    with refused("bad.json"):
        find_records(["a"])


def test_records_that_come_with_bsbench_have_names(in_folder):
    (path,) = find_records(["@classic/lattice"])
    assert load_result(path).label == "lattice"
    assert find_records(["@classic/lattice.json"]) == [path]
    assert path in find_records(["@classic"]) == find_records(["@classic/"])
    shown = _run("compare", "@classic/lattice", "@classic/prob").stdout
    assert re.search(r"^prob .*\+13\.42", shown, re.M)
    for name, hint in (("@clasic", "'@classic'"), ("@classic/latice", "'@classic/lattice'")):
        with refused(f"'{name}'", hint):
            find_records([name])


# --- names that can't be, and names that are taken ------------------------------------------------


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("run linear -o -", ["standard output"]),
        ("run linear -o a --force", ["a.json", "folder"]),
        ("run linear -o c --force", ["c.journal", "folder"]),
        ("run linear -o d --export-csv ./d.png", ["--export-csv", "d.png"]),
        ("run linear -o league.html", ["league.html", ".json"]),
        ("compare linear random -o both.json", ["both.json", "folder"]),
    ],
)
def test_names_that_nothing_can_have_are_refused_before_it_plays(in_folder, words, named):
    for name in ("a.json", "b.png", "c.journal"):
        Path(name).mkdir()
    before = sorted(os.listdir())
    assert_refused(_run(*words.split()), *named)
    assert sorted(os.listdir()) == before


def test_a_record_that_appears_meanwhile_is_not_replaced(in_folder, monkeypatch):
    play = comparing.play

    def slowly(*given, **options):
        panels = play(*given, **options)
        Path("x.json").write_text("of another process")
        return panels

    monkeypatch.setattr(comparing, "play", slowly)
    done = _run("run", "linear", "-n", "100", "-o", "x", "-q", "--no-charts")
    assert done.exit_code == 3
    assert names(done.stderr, "x.json")
    assert names(done.stderr, "process")
    assert Path("x.json").read_text() == "of another process"


def _closed(*_, **__):
    raise BrokenPipeError(32, "Broken pipe")


def test_what_ends_a_command_that_draws_leaves_records_and_table(in_folder, monkeypatch):
    from bsbench.cli.saving import Kept

    def killed(draw):
        raise SystemExit(137)

    monkeypatch.setattr(journals, "_FIRST_SECONDS", 0.0)
    command = ["compare", "linear", "random", "-n", "100", "-o", "x"]
    data = ["x/linear-classic.json", "x/random-classic.json", "x/table.csv"]
    with monkeypatch.context() as patch:
        patch.setattr(Kept, "pictures", staticmethod(killed))
        done = _run(*command)
    assert done.exit_code == 137
    assert "±" in done.stdout
    assert _files() == sorted([*data, "x.journal"])
    charts = ("ahead", "ecdf", "ranking")
    drawn = [f"x/classic-{name}{kind}" for name in charts for kind in (".png", ".svg")]
    for _ in range(2):
        assert _run(*command, "--resume").exit_code == 0
        assert _files() == sorted([*data, *drawn])
        # Without a journal, too, what is missing is drawn.
        Path(drawn[0]).unlink()


@pytest.mark.parametrize(("words", "charts"), [("run linear", 1), ("compare linear random", 3)])
def test_a_closed_pipe_loses_no_chart_and_leaves_no_journal(in_folder, monkeypatch, words, charts):
    monkeypatch.setattr(journals, "_FIRST_SECONDS", 0.0)
    monkeypatch.setattr("bsbench.present.terminal.print_experiment", _closed)
    _run(*words.split(), "-n", "100", "-o", "x")
    assert sum(name.endswith(".svg") for name in _files()) == charts
    assert not Path("x.journal").exists()


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("run linear -n 100 --no-charts -o", "x-0.5.json"),
        ("chart @classic/lattice -k histogram -o", "x.v2.svg"),
        ("replay -s linear --game 1 -o", "x.html"),
    ],
)
def test_a_named_file_is_that_file_whatever_folders_there_are(in_folder, words, name):
    for folder in ("x", "x-0.5", "x.v2"):
        Path(folder).mkdir()
    done = _run(*words.split(), name)
    assert done.exit_code == 0, done.output
    assert _files() == [name]


def test_no_other_strategy_than_that_of_a_record_is_named(in_folder):
    assert _run("run", "over9000", "-n", "20", "-o", "x", "--no-charts", "-q").exit_code == 0
    for name in ("linear", "over9000,noise=0.5"):
        assert_refused(_run("verify", "x.json", "-s", name), "of over9000", name)
    assert _run("verify", "x.json", "-s", "over9000").exit_code == 0


def test_what_was_saved_elsewhere_is_not_counted(in_folder, monkeypatch):
    from bsbench.common import files

    write_file = files.write_file

    def full(path, write):
        if str(path).startswith("x/linear"):
            raise WriteError("no space left")
        write_file(path, write)

    monkeypatch.setattr(files, "write_file", full)
    done = _run("run", "linear", "random", "-n", "100", "-o", "x", "--no-charts")
    assert done.exit_code == 3
    assert re.search(r"saved 2 .* x$", done.stdout, re.M)
    assert sorted(os.listdir("x")) == ["random-classic.json", "table.csv"]


@pytest.fixture
def full(monkeypatch):
    """Let no file be written below ``x`` as long as the list is empty."""
    from bsbench.common import files

    write, freed = files.replacing, []

    def replacing(path):
        if not freed and str(path).startswith("x"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path)

    monkeypatch.setattr(files, "replacing", replacing)
    return freed


@pytest.mark.parametrize("words", [["run", "random"], ["match", "linear", "random"]], ids=" ".join)
def test_after_a_full_disk_the_journal_saves_what_is_missing(in_folder, crashing, full, words):
    words += ["-n", "60000", "-o", "x"]
    assert crashing(2, *words)
    assert not crashing(10**9, "--version")
    done = _run(*words, "--resume")
    assert done.exit_code == 3
    assert "x.journal" in done.stderr
    full.append(True)
    assert _run(*words, "--resume").exit_code in (0, 1)
    assert sorted(path.name for path in in_folder.glob("x.j*")) == ["x.json"]
