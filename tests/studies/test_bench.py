"""`bsbench bench`: what is measured and told, not how fast it is."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.roster import make_strategy
from bsbench.runs.request import scenario_for
from bsbench.runs.results import Result
from bsbench.studies.bench.study import DEFAULTS, BenchRecord, amount_within, bench
from tests.support.refusals import assert_refused, refused

BRIEF = ("--seconds", "0.002")


def _bench(*arguments: str):
    return CliRunner().invoke(main, ["bench", *arguments], prog_name="bsbench")


def test_a_few_strategies_are_measured_at_home_by_default(in_folder):
    report = bench(seconds=0.001, threads=1)
    assert tuple(speed.strategy for speed in report.speeds) == DEFAULTS
    for speed in report.speeds:
        assert speed.scenario == scenario_for(make_strategy(speed.strategy)).name
        assert speed.one_thread == speed.all_threads
    assert not list(in_folder.iterdir())


def test_prints_a_row_for_each_strategy():
    result = _bench("linear", "over9000,noise=0", *BRIEF, "--threads", "2")
    assert result.exit_code == 0, result.output
    header, _, *rows = (re.split(r"  +", line.strip()) for line in result.stdout.splitlines()[:4])
    assert header == ["strategy", "scenario", "a million games", "games/s", "on 1 thread", "set-up"]
    assert [row[:2] for row in rows] == [["linear", "classic"], ["over9000 noise=0.0", "classic"]]
    assert all(len(row) == len(header) for row in rows)
    assert "2 threads" in result.stdout
    # Fewer games than a million were measured.
    assert re.search(r"[\d,]+( to [\d,]+)? games", result.stdout)


def test_on_one_thread_nothing_is_said_twice():
    result = _bench("linear", *BRIEF, "--threads", "1")
    assert result.stdout.count("1 thread") == 1
    assert "thread" not in result.stdout.splitlines()[0]


@pytest.mark.parametrize("target", ["-", "speeds.json"])
def test_writes_a_record(in_folder, target):
    result = _bench(
        "linear", "--scenario", "gym-5x5", *BRIEF, "--threads", "2", "--export-json", target
    )
    assert result.exit_code == 0, result.output
    text = result.stdout if target == "-" else (in_folder / target).read_text()
    assert result.stdout.startswith("{") == (target == "-")
    record = json.loads(text)
    assert (record["schema"], record["threads"]) == (BenchRecord.schema, 2)
    assert list(record)[-1] == "date"
    assert {"bsbench", "stream_version", "load", "machine", "versions"} < set(record)
    (speed,) = record["speeds"]
    assert (speed["strategy"], speed["scenario"]) == ("linear", "gym-5x5")
    assert speed["setup_seconds"] > 0
    for pace in (speed["all_threads"], speed["one_thread"]):
        assert pace["games_per_second"] == pytest.approx(pace["games"] / pace["seconds"])
    rate = speed["all_threads"]["games_per_second"]
    assert speed["seconds_per_million"] == pytest.approx(1e6 / rate)


def test_quiet_prints_nothing_but_the_record():
    assert _bench("linear", *BRIEF, "--threads", "1", "-q").output == ""
    assert json.loads(_bench("linear", *BRIEF, "--threads", "1", "-q", "--export-json", "-").output)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["smrt"], ["'smrt'", "'smart'"]),
        (["prob,noise=1"], ["'prob'"]),
        (["prob", "--scenario", "nowhere"], ["'nowhere'"]),
        (["datagenetics", "--scenario", "harbour"], ["'sunk'"]),
        (["--seconds", "0"], ["0 seconds"]),
        (["--seconds", "nan"], ["nan seconds"]),
        (["--seconds", "1e9"], ["3600"]),
        (["--threads", "0"], ["0 threads"]),
        (["--export-json", "nowhere/speeds.json"], ["folder nowhere"]),
    ],
)
def test_bad_input_is_told_in_a_sentence(in_folder, arguments, named):
    assert_refused(_bench(*arguments), *named)


def test_an_existing_file_is_kept(in_folder):
    (in_folder / "speeds.json").write_text("mine")
    assert_refused(_bench("linear", "--export-json", "speeds.json"), "speeds.json", "--force")
    assert (in_folder / "speeds.json").read_text() == "mine"


def test_half_a_measurement_is_none(monkeypatch):
    monkeypatch.setattr(Result, "partial", property(lambda self: True))
    with pytest.raises(KeyboardInterrupt):
        bench(["linear"], seconds=0.001, threads=1)


@pytest.mark.parametrize(
    ("seconds", "trials", "amount"),
    [(0.5, [1_000, 10_000, 100_000], 500_000), (1e-3, [1_000], 1_000), (1e-5, [1_000], 10)],
)
def test_trials_grow_until_they_tell(seconds, trials, amount):
    tried = []

    def microsecond_each(count):
        tried.append(count)
        return 1e-6 * count

    assert amount_within(microsecond_each, seconds) == amount
    assert tried == trials


def test_errors_come_before_measuring():
    with refused("'xyzzy'"):
        bench(["linear", "xyzzy"], seconds=3600)
