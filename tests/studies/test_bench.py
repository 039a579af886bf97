"""`bsbench bench`: what is measured and told, not how fast it is."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.common.errors import BsbenchError
from bsbench.roster import make_strategy
from bsbench.runs.request import scenario_for
from bsbench.runs.results import Result
from bsbench.studies.bench.study import DEFAULTS, BenchRecord, amount_within, bench

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
    assert "on 2 threads of " in result.stdout
    assert re.search(r"measured: [\d,]+( to [\d,]+)? games .* extrapolated", result.stdout)


def test_on_one_thread_nothing_is_said_twice():
    result = _bench("linear", *BRIEF, "--threads", "1")
    assert "on 1 thread of" in result.stdout
    assert "on 1 thread" not in result.stdout.splitlines()[0]


@pytest.mark.parametrize("target", ["-", "speeds.json"])
def test_writes_a_record(in_folder, target):
    result = _bench(
        "linear", "--scenario", "gym-5x5", *BRIEF, "--threads", "2", "--export-json", target
    )
    assert result.exit_code == 0, result.output
    text = result.stdout if target == "-" else (in_folder / target).read_text()
    assert ("a million games" in result.stdout) == (target != "-")
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
    ("arguments", "told"),
    [
        (["smrt"], "unknown strategy 'smrt': did you mean 'smart'"),
        (["prob,noise=1"], "strategy 'prob' has no parameters"),
        (["prob", "--scenario", "nowhere"], "nowhere"),
        (["datagenetics", "--scenario", "harbour"], "needs feedback 'sunk'"),
        (["--seconds", "0"], "can't measure for 0 seconds"),
        (["--seconds", "nan"], "can't measure for nan seconds"),
        (["--seconds", "1e9"], "at most 3600"),
        (["--threads", "0"], "can't play on 0 threads"),
        (["--export-json", "nowhere/speeds.json"], "there is no folder nowhere"),
    ],
)
def test_bad_input_is_told_in_a_sentence(in_folder, arguments, told):
    result = _bench(*arguments)
    assert result.exit_code == 2
    assert told in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""


def test_an_existing_file_is_kept(in_folder):
    (in_folder / "speeds.json").write_text("mine")
    result = _bench("linear", "--export-json", "speeds.json")
    assert result.exit_code == 2
    assert "exists already" in result.stderr
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
    with pytest.raises(BsbenchError, match="unknown strategy"):
        bench(["linear", "xyzzy"], seconds=3600)
