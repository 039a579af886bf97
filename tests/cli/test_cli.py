from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.cli.group import Section
from bsbench.common import texts
from bsbench.roster import strategy_names
from bsbench.rules.placement import LAWS, SCORES
from bsbench.runs.records import load_result
from bsbench.runs.results import save_result
from tests.pages.when_a_command_ends import commands
from tests.support import ROOT
from tests.support.refusals import assert_refused


def _run(*arguments: str):
    return CliRunner().invoke(main, arguments, prog_name="bsbench")


COMMANDS = dict(commands())


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_command_explains_itself_in_80_columns(name):
    result = _run(*name.split(), "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.output.startswith("Usage: bsbench")
    usage, *lines = result.output.splitlines()
    assert max(map(len, lines)) <= 80
    # Lists of commands have whole sentences.
    assert not [line for line in lines if line.endswith("...")], usage
    assert _run(*name.split(), "-h").output == result.output
    assert _run("help", *name.split()).output == result.output
    if name:
        assert COMMANDS[name].section in set(Section)


def test_rare_options_are_in_the_help_that_shows_all():
    def options(flag: str) -> set[str]:
        return set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", _run("run", flag).output, re.MULTILINE))

    usual, every = options("--help"), options("--help-all")
    assert usual < every
    assert {"--strategy", "--games", "--scenario", "--seed", "--help-all"} <= usual
    assert {"--first-game", "--engine", "--export-latex"} <= every - usual
    (more,) = re.findall(r"--help-all +.*?(\d+)", _run("run", "--help").output)
    assert int(more) == len(every - usual)


def test_help_of_a_group_may_stand_within_it():
    for words in ([], ["best"]):
        assert _run("connect4", "help", *words).output == _run("help", "connect4", *words).output


def test_version_and_python_m():
    printed = subprocess.check_output([sys.executable, "-m", "bsbench", "--version"], text=True)
    assert printed == f"bsbench {bsbench.__version__}\n"
    assert _run("--version").output == printed


@pytest.mark.rendered
def test_run_prints_saves_and_charts(in_folder):
    result = _run("run", "--strategy", "prob", "--games", "5000", "--seed", "3")
    assert result.exit_code == 0, result.output
    played = bsbench.run("prob", games=5000, seed=3)
    stats = played.stats
    title, *_ = result.stdout.splitlines()
    assert {"prob", "harbour:"} <= set(title.split())
    row = re.search(r" *mean.*\n.*\n(.*)\n", result.stdout)[1]
    figures = stats.median, stats.low, stats.high, stats.best, stats.worst, "5,000"
    assert row.split()[:-1] == [*stats.mean_text.split(), f"{stats.sd:.2f}", *map(str, figures)]
    assert "harbour" in result.stderr
    name = "prob-harbour-seed-3"
    assert sorted(os.listdir("results")) == [f"{name}.json", f"{name}.png", f"{name}.svg"]
    record = json.loads((in_folder / "results" / f"{name}.json").read_text())
    assert record["counts"] == played.counts.tolist()


def test_run_and_show_tell_the_exact_law(in_folder):
    def law(*words: str) -> list[str]:
        """Return the lines with an exact law: the mean, and a chi-square of a run's games."""
        lines = _run(*words).stdout.splitlines()
        return [line for line in lines if "exact law" in line and "chi-square" in line]

    few = ("-n", "64", "--no-charts")
    (line,) = law("run", "-s", "random", "--scenario", "harbour", *few)
    assert " 96.4091" in line
    assert law("show", "results/random-harbour.json") == [line]
    (line,) = law("run", "-s", "linear", *few)
    assert " 88.7342" in line
    # What takes longer than a second, nobody is made to wait for, unless it is kept.
    harbour = ("run", "-s", "linear", "--scenario", "harbour", *few)
    (line,) = law(*harbour)
    assert " 95.4976" in line
    assert law(*harbour, "--board", "10x11") == []
    assert law("run", "-s", "linear", "--placement", "sequential", *few) == []


@pytest.mark.played
def test_show_prints_the_record_again(in_folder):
    first = _run("run", "-s", "linear", "-n", "64", "--no-charts").stdout.splitlines()
    again = _run("show", "results/linear-classic.json")
    assert again.exit_code == 0
    # Rules, table and histogram; not the rate, which the record keeps rounded, so that its column
    # can be a digit wider.
    end = next(at for at, line in enumerate(first) if "▁" in line) + 1
    assert end > 4
    for one, other in zip(first[:end], again.stdout.splitlines(), strict=False):
        assert re.sub(r" [\d,]+$", "", " ".join(one.split())) == re.sub(
            r" [\d,]+$", "", " ".join(other.split())
        )
    assert bsbench.__version__ in again.stdout


KINDS_SHOWN = [bsbench.Feedback.HIT, bsbench.Feedback.SUNK, bsbench.Feedback.SHIP]
"""Those of which there are records."""


@pytest.mark.usefixtures("keen")
@pytest.mark.parametrize("columns", [60, 160])
def test_list_fits_the_terminal_and_shows_parameters_with_defaults(monkeypatch, columns):
    from rich.console import Console

    monkeypatch.setattr(Console, "is_terminal", True)
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(main, ["list"])
    text = re.sub(r"\x1b\[[\d;]*m", "", result.stdout)
    assert max(map(len, text.splitlines())) <= columns
    words = set(text.split())
    assert {"start=0", "noise=0.5", "backwards=false", "no_touch=sunk"} <= words
    assert f"{', '.join(map(str, KINDS_SHOWN))}: mean moves" in " ".join(text.split())
    for name in strategy_names():
        strategy = bsbench.find_strategy(name)
        # Nothing is cut; words that are longer than a column are broken.
        source = strategy.source if columns >= 100 else ""
        told = f"{source} {strategy().idea}".split()
        assert {word for word in told if len(word) <= 16} <= words
    assert "hidden" not in text
    assert "shared" not in text


def test_list_shows_every_law_and_score():
    words = " ".join(_run("list", "laws").stdout.split())
    for law in LAWS.values():
        assert law.text in words
        assert law.meaning in words
    assert all(f"{score} {text}" in words for score, text in SCORES.items())
    for name, law in LAWS.items():
        for text in (name, f"{name}:3"):
            assert _run("list", text).stdout == f"{law.text}: {law.meaning}\n"
    assert "classic 10x10" not in words


@pytest.mark.parametrize("name", ["classic", "gym-6x9", "harbour"])
def test_list_shows_a_scenario_as_a_scenario_file(in_folder, name):
    result = _run("list", name)
    (in_folder / "mine.toml").write_text(result.stdout, encoding="utf-8")
    assert bsbench.find_scenario("mine.toml") == bsbench.find_scenario(name)
    assert _run("list", "mine.toml").stdout == result.stdout


def test_several_runs_are_saved_in_this_folder_if_it_is_named(in_folder):
    result = _run("run", "random", "linear", "-n", "100", "-o", ".", "--no-charts")
    assert result.exit_code == 0, result.output
    assert sorted(os.listdir()) == ["linear-classic.json", "random-classic.json", "table.csv"]
    assert_refused(_run("run", "random", "linear", "-n", "100", "-o", "/", "--no-charts"), "/")


FILES = {
    "pond.toml": 'name = "pond"\nboard = "4x6"\nfleet = [3]\ntouching = false\n',
    "plan.toml": 'title = "All"\n[[parts]]\nstrategy = ["linear", "random"]\n',
    "games.toml": "games = 10",
    **dict.fromkeys(("my_hunter.py", "file"), ""),
}
CURVE = "run over9000-adaptive --scenario classic -n 50 --curve --against plain.json"
REFUSED = [
    ("run linear --placement sequental", ["'sequential'"]),
    ("best --placement hostile", ["pick:hostile:100"]),
    ("list sequental", ["'sequential'"]),
    # Numbers in other forms: `test_what_is_no_whole_number_is_refused`.
    ("run linear --seed 5-3", ["seeds", "'5-3'"]),
    ("run linear --seed 0-99999999", ["seeds", "1,000"]),
    ("run linear --seed 1,0-2", ["seed", "'1,0-2'"]),
    ("run linear --seed 1 --seed 2", ["--seed"]),
    ("run linear linear", ["'linear'"]),
    ("run linear --force --extend", ["--force", "--extend"]),
    ("run linear --no-save -o x", ["--no-save", "--output"]),
    ("run linear --extend", ["results/linear-classic.json", "--extend"]),
    ("run linear --board 4x4 --fleet 3,3,2 --touching no", ["3", "4x4"]),
    ("run linear --placement file:file", ["file", "layout"]),
    ("run linear --board 200x200", ["200x200"]),
    ("run --config games.toml", ["strategy", "'bsbench run NAME'"]),
    ("run keen,nois=1", ["'nois'", "'noise'"]),
    ("run keen,noise", ["'noise'", "NAME=VALUE"]),
    ("run keen,noise=1,noise=1", ["'noise'"]),
    ("run linear --curve", ["'linear'", "--curve"]),
    ("run linear --against plain.json", ["--curve"]),
    (f"{CURVE} --board 9x12", ["plain.json", "classic+9x12"]),
    # What is nearly right gets the right words.
    ("run --config pond.toml", ["'bsbench run --scenario pond.toml'"]),
    ("run linear --scenario plan.toml", ["'bsbench reproduce plan.toml'"]),
    ("reproduce ./pond.toml", ["'bsbench run --scenario pond.toml'"]),
    ("check my_huntr.py:Hunter", ["'my_hunter.py'"]),
    ("replay prob", ["--strategy prob"]),
    ("replay linear --game worst", ["--worst"]),
    ("compare linear random --no-save", ["--output"]),
    ("runn", ["runn", "run"]),
    ("help connect4 bets", ["bets", "best"]),
    ("list smrt", ["smrt", "'smart'"]),
    ("list zzz", ["zzz", "smart", "classic"]),
    ("list base", ["base"]),
    ("list gym-4x9", ["gym-4x9", "5", "12"]),
]


@pytest.fixture(scope="module")
def plain() -> str:
    return json.dumps(bsbench.run("linear", "classic", games=50).to_dict())


@pytest.mark.usefixtures("keen")
@pytest.mark.parametrize(("words", "named"), REFUSED)
@pytest.mark.played
def test_bad_input_gets_one_sentence_and_code_2(in_folder, plain, words, named):
    for name, text in {**FILES, "plain.json": plain}.items():
        (in_folder / name).write_text(text)
    assert_refused(_run(*words.split()), *named)
    assert set(os.listdir()) - {"results"} == {*FILES, "plain.json"}


@pytest.mark.parametrize("name", ["a[bold]b", "$\\\\frac{$", "戦艦"])
def test_odd_names_are_printed_and_drawn_as_they_are(in_folder, name):
    (in_folder / "odd.toml").write_text(
        f'name = "{name}"\nboard = "4x4"\nfleet = [2]\ntouching = true\nfeedback = "hit"\n'
    )
    result = _run("run", "-s", "linear", "-n", "10", "--scenario", "odd.toml", "-o", "x")
    assert result.exit_code == 0, result.output
    shown = name.replace("\\\\", "\\")
    assert f"linear on {shown}: 4x4" in result.stdout
    assert f"linear on {shown}: 4x4" in _run("show", "x.json").stdout
    assert (in_folder / "x.svg").exists()


LEARN = ("run", "--scenario", "classic")
USUAL = ("-s", "over9000-adaptive")
IN_A_ROW = ("-s", "over9000-adaptive,games_per_learner=20")


@pytest.mark.parametrize(
    ("games", "settings", "needed"), [(20, IN_A_ROW, "20"), (15, USUAL, "1,000")]
)
def test_one_learner_is_told_why_there_is_no_interval(in_folder, games, settings, needed):
    for more in ([*LEARN, *IN_A_ROW, "-n", "21"], ["run", "-s", "linear", "-n", "1"]):
        # Two learners have one; for a single game without learning, it is no news.
        assert "one learner" not in _run(*more).stdout
    result = _run(*LEARN, *settings, "-n", str(games), "--curve", "-o", "x")
    assert result.exit_code == 0, result.output
    assert (in_folder / "x-curve.png").exists()
    for printed in (result.stdout, _run("show", "x.json").stdout):
        (said,) = (line for line in printed.splitlines() if "one learner" in line)
        assert re.findall(r"[\d,]+\d", said) == [needed]
        header, _, row = re.search(r"( *mean.*)\n(.*)\n(.*)\n", printed).groups()
        assert "±" in header
        assert "±" not in row


def test_an_error_that_is_not_of_standard_output_is_not_taken_for_one(monkeypatch):
    def fail(*given, **options):
        raise error

    monkeypatch.setattr("bsbench.cli.list._print_scenario", fail)
    for error in (OSError("Stream is closed"), OSError(errno.ENOSPC, "No space left on device")):
        result = _run("list", "classic")
        assert result.exception is error
        assert "can't print" not in result.output


def test_a_stream_of_ascii_gets_plain_characters_and_no_progress(in_folder):
    result = subprocess.run(
        [sys.executable, "-m", "bsbench", "run", "-s", "random", "-n", "1000"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert b"+-" in result.stdout
    assert b"?" not in result.stdout + result.stderr
    rows = [line for line in result.stdout.decode("ascii").splitlines() if "|" in line]
    assert len({line.index("|") for line in rows}) == 1
    (line,) = result.stderr.decode("ascii").splitlines()
    assert {"classic", "random"} <= set(line.split())


def test_list_has_the_means_of_records_on_the_home_scenario():
    shown = _run("list", "strategies").stdout
    assert "Scenarios" not in shown
    assert "Strategies" not in _run("list", "scenarios").stdout
    for name, place in (("lattice", "classic"), ("prob", "harbour"), ("random", "classic")):
        record = load_result(ROOT / "results" / place / f"{name}.json")
        (line,) = (line for line in shown.splitlines() if line.split()[:1] == [name])
        at = 2 + KINDS_SHOWN.index(record.scenario.rules.feedback)
        assert line.split()[at] == f"{record.stats.mean:.2f}"
        in_full = _run("list", name).stdout
        (mean,) = re.findall(rf" (\d+\.\d+) ±.* @{place}/{name}\b", in_full)
        assert float(mean) == pytest.approx(record.stats.mean, abs=0.05)
    assert "@" not in _run("list", "mcts").stdout


@pytest.mark.played
def test_show_of_a_folder_has_a_table_for_each_scenario(in_folder):
    for name in ("random", "prob", "linear"):
        result = bsbench.run(name, "classic", games=200, keep_moves=True)
        save_result(result, f"kept/{name}")
    save_result(bsbench.run("prob", "gym-6x6", games=50), "kept/small")
    shown = _run("show", "kept").stdout
    rows = re.findall(r"^(\w+) +\d+\.", shown, re.MULTILINE)
    assert rows == ["prob", "linear", "random", "prob"]
    assert shown.count("200 games each on classic: ") == shown.count("50 games on gym-6x6: ") == 1
    (best,) = re.findall(r"^([a-z]+) [^:]* on classic: ", shown, re.MULTILINE)
    assert best == "prob"
    assert re.search(r"^prob .* reference ", shown, re.MULTILINE)
    given = _run("show", "kept/random.json", "kept/prob.json", "--sort", "given").stdout
    assert re.findall(r"^(\w+) +\d+\.", given, re.MULTILINE) == ["random", "prob"]
    # Data are as they were: each record by itself, in the order of the files.
    assert _run("show", "kept", "--export-csv", "-").stdout.count("\n") == 5


@pytest.mark.parametrize("columns", [60, 120])
def test_no_line_is_too_long_and_no_word_broken(monkeypatch, in_folder, columns):
    from rich.console import Console

    monkeypatch.setattr(Console, "is_terminal", True)
    monkeypatch.setattr(texts, "for_screen", lambda text, file: texts.broken_text(text, columns))
    for name in ("delivery", "experiment", "records"):
        monkeypatch.setattr(f"bsbench.cli.{name}.for_screen", texts.for_screen, raising=False)
    runner = CliRunner(env={"COLUMNS": str(columns)})
    long = "over9000,noise=0.01,edge_weight=1.05"
    for command in (
        ["compare", long, "linear", "random", "-n", "50", "-o", "a" * 30],
        ["run", "linear", "-n", "50", "--scenario", "harbour"],
        ["show", "a" * 30],
        ["show", "a" * 30 + "/linear-classic.json"],
        ["compare", "linear", "random", "--until", "clear"],
    ):
        result = runner.invoke(main, command)
        assert result.exit_code == 0, result.output
        lines = re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", result.stdout).splitlines()
        assert max(map(len, lines)) <= columns, command
        prose = " ".join(lines)
        for word in ("linear", "uniform"):
            assert re.search(rf"(^|[ |]){word}[ .,:;]", prose), command


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are for POSIX")
def test_progress_shows_rate_and_time_left_on_a_terminal(in_folder):
    import pty

    leader, follower = pty.openpty()
    asked = ["-s", "prob", "-n", "250000", "--threads", "1"]
    command = [sys.executable, "-m", "bsbench", "run", *asked]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=follower) as process:
        os.close(follower)
        shown = b""
        try:
            while chunk := os.read(leader, 65536):
                shown += chunk
        except OSError:
            pass  # how Linux ends the reading of a terminal that nobody writes to
        stdout = process.stdout.read().decode()
    os.close(leader)
    assert b"games/s" in shown
    assert re.search(rb"\d%", shown)
    assert re.search(rb"\d:\d\d", shown)
    assert "games/s" in stdout
    assert "\x1b" not in stdout


def test_without_the_compiler_a_sentence_says_why(in_folder):
    done = subprocess.run(
        [sys.executable, "-m", "bsbench", "run", "-s", "linear", "-n", "1"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert_refused(done, "NUMBA_DISABLE_JIT")


@pytest.mark.parametrize("given", [{}, {"OPENBLAS_THREAD_TIMEOUT": "20"}])
def test_idle_threads_of_numpy_sleep_unless_the_user_says_otherwise(given):
    environment = {name: os.environ[name] for name in os.environ if "OPENBLAS" not in name}
    code = "import bsbench.cli, os; print(os.environ['OPENBLAS_THREAD_TIMEOUT'])"
    printed = subprocess.check_output([sys.executable, "-c", code], env=environment | given)
    assert printed.split() == [(given or {"": "16"}).popitem()[1].encode()]
