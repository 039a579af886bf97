"""Journals: what is killed goes on to the same result; strangers' files; disks that are full."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import bsbench
from bsbench.common import journal as module
from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.common.journal import Journal
from bsbench.common.progress import Progress
from bsbench.roster import make_variant
from bsbench.runs import panel
from bsbench.runs.comparing import play
from bsbench.runs.experiment import Experiment
from bsbench.studies.worst.study import worst
from tests.support.crashing import CLASSIC, EXPERIMENTS, described, experiment_of, found
from tests.support.helpers import sign_again, started
from tests.support.refusals import assert_sentence, refused, warned

ABOUT = {"strategies": [{"label": "prob", "sha256": "a"}], "seeds": [1, 2]}


def _at_once(patch):
    for name in ("_FIRST_SECONDS", "_SECONDS", "_MOST_SECONDS"):
        patch.setattr(module, name, 0.0)


@pytest.fixture
def at_once(monkeypatch):
    """Let each checkpoint be due at once."""
    _at_once(monkeypatch)


@pytest.fixture
def chunks(monkeypatch):
    """Let strategies meet often."""
    monkeypatch.setattr(panel, "CHUNK", 30_000)


KINDS = [*EXPERIMENTS, "reproduce", "tune"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return what is found without any crash, by kind."""
    known: dict[str, str] = {}

    def of(kind: str) -> str:
        if kind not in known:
            known[kind] = json.dumps(found(kind, tmp_path_factory.mktemp("whole")))
        return known[kind]

    return of


def _killed(kind: str, folder: Path, after: float | None = None) -> tuple[str, bool]:
    """Kill a process, and run it again; return what is found at last, and whether it went on.

    Parameters
    ----------
    kind : str
    folder : Path
    after : float, optional
        Seconds of play. Default: as soon as there is a journal.
    """
    arguments, found = ("-m", "tests.support.crashing", kind, str(folder)), folder / "found.json"
    with started(*arguments) as process:
        process.stdout.readline()
        if after is None:
            while not (folder / "a.journal").exists() and process.poll() is None:
                time.sleep(0.005)
        else:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(after)
        process.kill()
    resumed = not found.exists() and (folder / "a.journal").exists()
    with started(*arguments) as process:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    return found.read_text(), resumed


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_killed_goes_on_to_the_same_result(kind, whole, tmp_path, pytestconfig):
    draws = random.Random(kind)
    for number in range(20 if pytestconfig.option.all_cases else 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        # The first one as soon as there is a journal.
        result, resumed = _killed(kind, folder, draws.uniform(0.0, 0.6) if number else None)
        assert result == whole(kind)
        # Others may have ended before.
        assert resumed or number or kind not in ("run", "compare")


class _Crash(BaseException):
    """What nothing catches: as if the process ended."""


def _interrupted_often(experiment: Experiment, place: Path, every: int, crash: bool) -> list:
    """Return what is found if Ctrl-C, or a crash, comes every so many blocks."""
    for _ in range(200):
        journal, blocks = Journal.open(place, experiment.about(), resume=True), 0

        def watch(now) -> None:
            nonlocal blocks
            blocks += not now.setting_up
            if blocks > every:
                raise _Crash if crash else KeyboardInterrupt

        try:
            comparisons = play(experiment, journal=journal, watch=watch)
            if blocks <= every:
                return [described(each) for each in comparisons]
        except (_Crash, KeyboardInterrupt):
            pass
        finally:
            journal.close()
    raise AssertionError("it never ended")


@pytest.mark.parametrize("kind", EXPERIMENTS)
@pytest.mark.parametrize("crash", [False, True])
def test_interrupted_again_and_again_the_result_is_the_same(
    at_once, chunks, whole, tmp_path, kind, crash
):
    blocks = 100 if kind == "run-until" else 40
    again = _interrupted_often(experiment_of(kind), tmp_path / "a.journal", blocks, crash)
    assert json.loads(json.dumps(again)) == json.loads(whole(kind))


def test_what_is_played_is_not_played_again(at_once, chunks, tmp_path):
    experiment = experiment_of("several")
    journal = Journal.open(tmp_path / "a", experiment.about())
    before = [described(each) for each in play(experiment, journal=journal)]
    journal.close()
    journal = Journal.open(tmp_path / "a", experiment.about(), resume=True)
    seen = []
    after = play(experiment, journal=journal, watch=seen.append)
    assert seen == []
    assert [described(each) for each in after] == before
    journal.discard()
    assert list(tmp_path.iterdir()) == []


def test_short_runs_have_no_journal(tmp_path):
    experiment = Experiment((make_variant("linear"),), (CLASSIC,), games=1_000)
    journal = Journal.open(tmp_path / "a", experiment.about())
    play(experiment, journal=journal)
    journal.close()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_exists_is_refused_without_resume(at_once, tmp_path):
    journal = Journal.open(tmp_path / "a", ABOUT)
    journal.put("a", 1)
    assert journal.write()
    with refused(str(tmp_path / "a")):
        Journal.open(tmp_path / "a", ABOUT, resume=True)
    journal.close()
    with refused(str(tmp_path / "a"), "resume=True"):
        Journal.open(tmp_path / "a", ABOUT)
    again = Journal.open(tmp_path / "a", ABOUT, resume=True)
    assert (again.read("a"), again.read("b")) == (1, None)
    again.close()


@pytest.mark.parametrize(
    ("about", "named"),
    [
        ({**ABOUT, "seeds": [1, 3]}, ["seeds", "2", "3"]),
        ({**ABOUT, "strategies": [{"label": "prob", "sha256": "b"}]}, ["sha256", "a", "b"]),
        ({**ABOUT, "first_game": 7}, ["first_game", "7"]),
    ],
)
def test_another_experiment_is_refused(at_once, tmp_path, about, named):
    journal = Journal.open(tmp_path / "a", ABOUT)
    journal.put("a", 1)
    journal.write()
    journal.close()
    with refused(*named):
        Journal.open(tmp_path / "a", about, resume=True)
    Journal.open(tmp_path / "a", ABOUT, resume=True).close()


def test_rows_are_kept_until_they_are_forgotten(at_once, tmp_path):
    journal = Journal.open(tmp_path / "a", ABOUT)
    journal.put("a", 1, [(0, 10, b"x" * 10), (10, 15, b"y" * 5)])
    journal.write()
    journal.put("a", 2, [(15, 20, b"z" * 5)], forget=10)
    journal.write()
    journal.close()
    journal = Journal.open(tmp_path / "a", ABOUT, resume=True)
    assert list(journal.rows("a", 100)) == [(10, b"y" * 5), (15, b"z" * 5)]
    with refused(str(tmp_path / "a")):
        list(journal.rows("a", 9))


def _damaged(text: str, change) -> str:
    state = json.loads(text)
    change(state)
    return json.dumps(state)


def _run_of(state) -> dict:
    return state["runs"]["0"]


def _exchanged(tally) -> None:
    """Let a tally be of other games with the same sums."""
    digest = tally["blocks"]["digests"][0]
    tally["blocks"]["digests"][0] = digest[::-1]


def _moved(counts: list[int]) -> None:
    """Let one game have another difference."""
    most = counts.index(max(counts))
    counts[most] -= 1
    counts[most + 1] += 1


STATES = {
    "other runs": lambda state: state["runs"].pop("1"),
    "counts are too few": lambda state: _run_of(state)["tally"]["counts"].pop(),
    "counts are too large": lambda state: _run_of(state)["tally"].update(
        counts=[*[0] * 100, 2**70], games=2**70
    ),
    "more games": lambda state: _run_of(state)["tally"].update(games=2**40),
    "the first game of a length": lambda state: _run_of(state)["tally"]["firsts"].pop(),
    "sums of a block": lambda state: _run_of(state)["tally"]["blocks"].update(squares=[7]),
    "learners": lambda state: _run_of(state)["tally"].update(learning={"games_per_learner": 2}),
    "another first game": lambda state: _run_of(state)["tally"].update(first_game=5),
    "moves from the past": lambda state: _run_of(state).update(moves_from=-5),
    "moves that are missing": lambda state: _run_of(state).update(moves_from=0),
    "a round": lambda state: state.update(round="a"),
    "games at the meeting": lambda state: state.update(games=2**50),
    "a pair": lambda state: state["pairs"]["1"]["counts"].pop(),
    "no evidence": lambda state: _run_of(state)["tally"].pop("blocks"),
    "games of other lengths": lambda state: _exchanged(_run_of(state)["tally"]),
    "a pair of another mean": lambda state: _moved(state["pairs"]["1"]["counts"]),
    "no blocks": lambda state: _run_of(state)["tally"]["blocks"].update(moves=[]),
}


@pytest.fixture(scope="module")
def journal_file(tmp_path_factory):
    """Return the path of a journal of a comparison, and the experiment."""
    place = tmp_path_factory.mktemp("journal") / "a"
    strategies = tuple(map(make_variant, ("prob", "linear")))
    experiment = Experiment(strategies, (CLASSIC,), games=100_000, keep_moves=False)
    with pytest.MonkeyPatch.context() as patch:
        _at_once(patch)
        patch.setattr(panel, "CHUNK", 30_000)
        journal = Journal.open(place, experiment.about())

        def watch(now) -> None:
            if now.label == "linear" and now.done > 70_000:
                raise KeyboardInterrupt

        play(experiment, journal=journal, watch=watch)
        journal.close()
    return place, experiment


def _copy(journal_file, folder: Path) -> tuple[Path, Experiment]:
    place = folder / "a"
    shutil.copy(journal_file[0], place)
    return place, journal_file[1]


@pytest.mark.parametrize("damage", STATES)
def test_a_damaged_state_is_refused_in_a_sentence(journal_file, tmp_path, damage):
    place, experiment = _copy(journal_file, tmp_path)
    with contextlib.closing(sqlite3.connect(place)) as database, database:
        query = "SELECT state FROM states WHERE key = 'panel 0'"
        ((text,),) = database.execute(query)
        database.execute(
            "UPDATE states SET state = ? WHERE key = 'panel 0'", (_damaged(text, STATES[damage]),)
        )
        sign_again(database)
    _is_refused(place, experiment)


ZEROS = "UPDATE rows SET data = zeroblob(length(data))"


@pytest.mark.parametrize(
    ("statement", "signed"),
    [
        (ZEROS, False),
        ("DELETE FROM rows", False),
        ("UPDATE states SET state = '[1]'", False),
        ("DELETE FROM about", False),
        ("UPDATE states SET digest = zeroblob(length(digest))", False),
        ("CREATE VIEW more AS SELECT 1", False),
        ("CREATE TRIGGER more AFTER INSERT ON states BEGIN DELETE FROM rows; END", False),
        ("DROP TABLE rows", False),
        ("PRAGMA application_id = 5", False),
        # Rows that their digest does not give away contradict sums.
        (ZEROS, True),
        ("UPDATE rows SET data = CAST(x'3C' || substr(data, 2) AS BLOB)", True),
        ("UPDATE rows SET data = CAST(substr(data, 2) || substr(data, 1, 1) AS BLOB)", True),
        ("UPDATE rows SET first = first + 1", True),
    ],
)
def test_a_changed_file_is_refused_in_a_sentence(journal_file, tmp_path, statement, signed):
    place, experiment = _copy(journal_file, tmp_path)
    with contextlib.closing(sqlite3.connect(place)) as database, database:
        database.execute(statement)
        if signed:
            sign_again(database)
    _is_refused(place, experiment)


def _is_refused(place: Path, experiment: Experiment) -> None:
    with refused(str(place)):
        play(experiment, journal=Journal.open(place, experiment.about(), resume=True))


def test_whatever_bytes_are_damaged_the_result_is_right_or_refused(journal_file, tmp_path):
    draws, refusals = random.Random(3), 0
    expected = described(play(journal_file[1])[0])
    for _ in range(12):
        place, experiment = _copy(journal_file, tmp_path)
        content = bytearray(place.read_bytes())
        at = draws.randrange(len(content))
        content[at : at + 1_000] = bytes(len(content[at : at + 1_000]))
        place.write_bytes(content)
        try:
            journal = Journal.open(place, experiment.about(), resume=True)
            with contextlib.closing(journal):
                assert described(play(experiment, journal=journal)[0]) == expected
        except BsbenchError as error:
            refusals += 1
            assert_sentence(str(error))
    assert 0 < refusals < 12


@pytest.mark.parametrize(
    "content", [b"no database at all" * 100, b"SQLite format 3\0" + b"x" * 4096]
)
def test_another_file_is_refused_in_a_sentence(tmp_path, content):
    (tmp_path / "a").write_bytes(content)
    with refused(str(tmp_path / "a")):
        Journal.open(tmp_path / "a", ABOUT, resume=True)
    (tmp_path / "folder").mkdir()
    with refused(str(tmp_path / "folder")):
        Journal.open(tmp_path / "folder", ABOUT, resume=True)


def test_a_file_that_nothing_was_written_to_is_new(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    journal = Journal.open(tmp_path / "a", ABOUT, resume=True)
    assert journal.read("a") is None
    journal.put("a", 5)
    assert journal.write()
    journal.close()
    assert Journal.open(tmp_path / "a", ABOUT, resume=True).read("a") == 5


def test_a_full_disk_is_a_warning_and_tried_again(at_once, monkeypatch, tmp_path):
    experiment = Experiment((make_variant("prob"),), (CLASSIC,), games=60_000)
    original, full = Journal._write, [True]
    tries = []

    def write(self) -> None:
        tries.append(full[0])
        if full[0]:
            raise sqlite3.OperationalError("database or disk is full")
        original(self)

    def watch(now) -> None:
        full[0] = now.done < 30_000

    monkeypatch.setattr(Journal, "_write", write)
    journal = Journal.open(tmp_path / "a", experiment.about())
    with warned(str(tmp_path / "a")) as caught:
        (comparison,) = play(experiment, journal=journal, watch=watch)
    assert len(caught) == 1
    assert tries.count(True) > 2
    journal.close()
    again = Journal.open(tmp_path / "a", experiment.about(), resume=True)
    assert described(play(experiment, journal=again)[0]) == described(comparison)


def test_a_folder_that_can_t_be_made_is_a_warning(at_once, tmp_path):
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "a"
    experiment = Experiment((make_variant("prob"),), (CLASSIC,), games=20_000)
    with warned(str(place)) as caught:
        (comparison,) = play(experiment, journal=Journal.open(place, experiment.about()))
    assert len(caught) == 1
    assert comparison.games == 20_000


@contextlib.contextmanager
def _nearly_full(left: int):
    """Limit the size of files, which is what a full disk is to SQLite."""
    resource = pytest.importorskip("resource")
    import signal

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (left, before[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.parametrize("left", [0, 5_000, 15_000])
def test_a_journal_that_nothing_can_be_written_to_does_not_stay(at_once, tmp_path, left):
    experiment = Experiment((make_variant("linear"),), (CLASSIC,), games=30_000)
    journal = Journal.open(tmp_path / "a", experiment.about())
    with _nearly_full(left):
        with warned(str(tmp_path / "a")):
            play(experiment, journal=journal)
        journal.close()
    assert list(tmp_path.iterdir()) == []


SLOW = """
import time

class Slow:
    def shoot(self, view):
        time.sleep(0.0002)
        return next(cell for cell in range(100) if cell not in view.shots)
"""


def test_a_slow_strategy_is_written_within_its_chunk(at_once, in_folder):
    Path("slow.py").write_text(SLOW)
    strategies = (make_variant("slow.py:Slow"), make_variant("linear"))
    experiment = Experiment(strategies, (CLASSIC,), games=5_000)
    journal = Journal.open("a", experiment.about())

    def watch(now) -> None:
        if now.label != "linear" and now.done >= 40:
            raise _Crash

    with pytest.raises(_Crash):
        play(experiment, journal=journal, watch=watch)
    journal.close()
    journal = Journal.open("a", experiment.about(), resume=True)
    state = journal.read("panel 0")
    journal.close()
    assert state["games"] == 0
    assert state["runs"]["0"]["tally"]["games"] >= 40


def test_all_public_functions_tell_their_progress_alike():
    options: dict[str, Any] = {"games": 5_000, "seed": 1}
    calls: list[Callable[..., object]] = [
        partial(bsbench.run, "linear", "classic", **options),
        partial(bsbench.compare, ["linear", "random"], "classic", **options),
        partial(bsbench.compare, ["linear", "random"], "classic", seed=1, until="clear"),
        partial(bsbench.tune, "datagenetics", ["hit_weight=2,9"], "gym-5x5", **options),
        partial(worst, "linear", "gym-5x5"),
    ]
    for call in calls:
        seen: list[Progress] = []
        call(progress=seen.append)
        assert seen, call
        assert all(isinstance(now, Progress) for now in seen), call
        latest = {now.label: now for now in seen}
        if "games" in call.keywords and call.func in (bsbench.run, bsbench.compare):
            assert {(now.done, now.total) for now in latest.values()} == {(5_000, 5_000)}


RAISES = """
class Raises:
    def shoot(self, view):
        if len(view.shots) == 30 and not view.hits:
            raise ValueError("no luck")
        return next(cell for cell in range(100) if cell not in view.shots)
"""


def test_a_fault_is_the_same_after_a_crash(at_once, in_folder):
    Path("raises.py").write_text(RAISES)
    experiment = Experiment((make_variant("raises.py:Raises"),), (CLASSIC,), games=5_000)
    faults = []
    for _ in range(2):
        journal = Journal.open("a", experiment.about(), resume=True)
        with pytest.raises(StrategyError) as caught:
            play(experiment, journal=journal)
        journal.close()
        fault = caught.value
        faults.append((fault.game, fault.shots, fault.problem, fault.line, fault.result.games))
    assert faults[0] == faults[1]
    assert faults[0][0] > 0


def test_rows_that_are_given_again_are_kept_once(at_once, tmp_path):
    """After a COMMIT, Ctrl-C may come before the journal forgets what it has written."""
    journal = Journal.open(tmp_path / "a.journal", ABOUT)
    for data in (b"ab", b"abc"):
        journal.put("moves", len(data), [(0, len(data), data)])
        assert journal.write()
    assert journal.read("moves") == 3
    assert list(journal.rows("moves", 10)) == [(0, b"abc")]
    journal.close()
