"""How commands end: signals, full disks, and what is left over."""

from __future__ import annotations

import errno
import importlib.util
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from bsbench.cli import ending, main
from bsbench.common import journal
from bsbench.common.errors import reason
from bsbench.runs.records import load_result

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

COMMAND = """
import signal, sys
from contextlib import contextmanager
import bsbench.cli.waiting as playing

@contextmanager
def progress_bar(labels, games, quiet):
    def show(now):
        # Not that kernels are being compiled.
        if now.done:
            print(now.label, now.done, file=sys.stderr, flush=True)
    yield show

@contextmanager
def status(quiet):
    yield lambda text: print(text, file=sys.stderr, flush=True)

playing.progress_bar, playing.status = progress_bar, status
from bsbench.cli import main
main()
"""

RUN = ["run", "-s", "random", "-n", "2000000000", "-o", "kept"]


def _listening(ignored: tuple[int, ...] = ()) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)


class Started:
    """A command in a process of its own, which reports its progress on stderr line by line."""

    def __init__(self, *arguments: str, ignored: tuple[int, ...] = ()) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: _listening(ignored),
        )

    def wait_for(self, *marks: str) -> None:
        """Wait until lines that match these marks have come, one after the other."""
        seen = []
        for mark in marks:
            for line in self.process.stderr:
                seen.append(line)
                if re.search(mark, line):
                    break
            else:
                raise AssertionError("".join(seen))

    def end(self, *numbers: int) -> tuple[int, str, str]:
        """Send signals; return exit code, stdout and what stderr says beside progress."""
        for number in numbers:
            self.process.send_signal(number)
        stdout, stderr = self.process.communicate(timeout=60)
        return self.process.returncode, stdout, stderr


@pytest.fixture
def started():
    """Return what starts commands; they end with the test, whatever happens."""
    begun = []

    def start(*arguments, **named):
        begun.append(Started(*arguments, **named))
        return begun[-1]

    yield start
    for each in begun:
        each.process.kill()
        each.process.communicate()


# Of each command, `test_kept.py` tests what is kept.
@posix
@pytest.mark.parametrize(
    "name",
    ["SIGTERM", *(pytest.param(each, marks=pytest.mark.slow) for each in ("SIGINT", "SIGHUP"))],
)
def test_a_signal_keeps_what_was_played(in_folder, started, name):
    number = getattr(signal, name)
    command = started(*RUN)
    command.wait_for(r"^random \d")
    code, stdout, stderr = command.end(number)
    assert code == 128 + number, stderr
    assert "Traceback" not in stderr
    assert "partial" in stdout
    # After some seconds there is a journal, too.
    assert set(os.listdir()) - {"kept.journal"} == {"kept.json", "kept.png", "kept.svg"}
    assert load_result("kept.json").partial


def _send(number: int) -> None:
    os.kill(os.getpid(), number)


@posix
def test_a_second_signal_ends_hard_but_not_at_once(in_folder, started):
    # A terminal that closes and its shell both send SIGHUP: these count as one.
    command = started(*RUN)
    command.wait_for(r"^random \d")
    assert command.end(signal.SIGHUP, signal.SIGHUP, signal.SIGHUP)[0] == 129
    assert load_result("kept.json").partial
    code = (
        "import time, os, signal; from bsbench.cli import ending\n"
        "with ending.listening(), ending.uninterrupted():\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    print('goes on', flush=True)\n"
        "    time.sleep(1.1)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    print('never', flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (-signal.SIGTERM, "goes on\n")


@posix
def test_saving_is_not_interrupted():
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with ending.listening():
            with ending.uninterrupted():
                _send(signal.SIGTERM)
            with pytest.raises(SystemExit) as end:
                ending.end_interrupted()
        assert end.value.code == 143
        with ending.listening(), pytest.raises(KeyboardInterrupt):
            _send(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def test_an_interruption_of_an_import_is_no_error_of_the_import():
    """Modules in C turn one into an ImportError, as numba's do."""

    def imported():
        try:
            _send(signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("numba._devicearray failed to import") from None

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), ending.listening():
            imported()
        with pytest.raises(ImportError), ending.listening():
            raise ImportError
    finally:
        signal.signal(signal.SIGINT, before)


ADDING = "import numba\n\n@numba.njit(cache=True)\ndef add(a, b):\n    return a + b\n"


@posix
# It may come where numba has just opened a file.
@pytest.mark.filterwarnings("ignore:.*unclosed file|Exception ignored")
def test_an_interruption_of_the_compiler_is_not_lost(tmp_path, monkeypatch):
    from numba.core import codegen

    def compiled(library, value):
        # LLVM passes on machine code: what is raised here is printed and dropped.
        vars(library)["compiled"] = value
        if value:
            _send(signal.SIGINT)
            time.sleep(0.001)

    hook = property(lambda library: vars(library).get("compiled"), compiled)
    monkeypatch.setattr(codegen.CodeLibrary, "_compiled", hook, raising=False)
    path = tmp_path / "adding.py"
    path.write_text(ADDING)
    spec = importlib.util.spec_from_file_location("adding", path)
    adding = importlib.util.module_from_spec(spec)

    def compile_and_wait():
        spec.loader.exec_module(adding)
        adding.add(1, 2)
        time.sleep(5)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with ending.listening(), pytest.raises(KeyboardInterrupt):
            compile_and_wait()
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.fixture
def full_disk(tmp_path, monkeypatch):
    """Run the test in a folder on a disk that is full; return where temporary folders are."""
    full, spare = tmp_path / "full", tmp_path / "spare"
    full.mkdir()
    spare.mkdir()
    monkeypatch.chdir(full)
    monkeypatch.setattr(tempfile, "tempdir", str(spare))

    def on_spare(function):
        def call(source, target):
            if spare not in Path(target).resolve().parents:
                raise OSError(28, "No space left on device")
            return function(source, target)

        return call

    # A slow machine would have the time for a journal.
    monkeypatch.setattr(journal, "_FIRST_SECONDS", math.inf)
    monkeypatch.setattr(os, "link", on_spare(os.link))
    monkeypatch.setattr(os, "replace", on_spare(os.replace))
    return spare


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("run -s random -n 64 -o x --keep-moves", "x.json"),
        (
            "compare random linear -n 64 -o y --export-csv a.csv --export-json b.json",
            "a.csv b.json linear-classic.json random-classic.json",
        ),
        ("connect4 match random greedy -n 20 --export-json a.json", "a.json"),
    ],
)
def test_what_cannot_be_saved_is_shown_and_kept_elsewhere(full_disk, command, files):
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 3, result.output
    assert "random" in result.stdout
    assert "saved" not in result.stdout
    assert "--resume" not in result.stderr
    assert os.strerror(errno.ENOSPC) in result.stderr
    (folder,) = full_disk.iterdir()
    assert str(folder) in result.stderr
    assert set(files.split()) <= {path.name for path in folder.iterdir()}
    assert list(Path().rglob("*")) == []


def test_an_empty_folder_that_was_there_stays(full_disk):
    Path("mine").mkdir()
    for name in ("mine", "other/inside"):
        command = ["compare", "random", "linear", "-n", "64", "-o", name]
        assert CliRunner().invoke(main, command).exit_code == 3
    assert [path.name for path in Path().iterdir()] == ["mine"]


def test_where_nothing_can_be_saved_the_table_is_shown(full_disk, monkeypatch):
    monkeypatch.setattr(tempfile, "mkdtemp", lambda **named: "/nowhere/at/all")
    result = CliRunner().invoke(main, ["run", "-s", "random", "-n", "64"])
    assert result.exit_code == 3
    assert "±" in result.stdout
    (error,) = (line for line in result.stderr.splitlines() if line.startswith("Error: "))
    for place in ("results", "/nowhere/at/all"):
        assert f"{place}/random-classic.json" in error


def _with_closed(numbers: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command without some of the standard streams, as after ``<&- >&- 2>&-``."""
    return subprocess.run(
        [sys.executable, "-m", "bsbench", *words],
        preexec_fn=lambda: [os.close(int(number)) for number in numbers],
        capture_output=True,
        text=True,
    )


@posix
@pytest.mark.parametrize(
    ("command", "code", "closed"),
    [
        ("list harbour", 0, "0"),
        ("run linear -n 10 --no-charts -o x", 0, "1"),
        ("run linear -n 10 --no-charts -o x", 0, "2"),
        ("odds -", 2, "0"),
        ("play --typed --new", 0, "012"),
    ],
)
def test_a_closed_stream_is_an_empty_one(in_folder, monkeypatch, command, code, closed):
    monkeypatch.setenv("XDG_STATE_HOME", str(in_folder))
    done = _with_closed(closed, *command.split())
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    if command == "list harbour" and "1" not in closed:
        assert "harbour" in done.stdout


@posix
@pytest.mark.parametrize("command", ["list", "--help", "list nothing"])
def test_a_pipe_that_nobody_reads_ends_a_command_quietly(in_folder, command):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "bsbench", *command.split()],
        stdout=writing,
        # Where it is refused, the sentence goes there.
        stderr=writing if command == "list nothing" else subprocess.PIPE,
    )
    os.close(writing)
    assert done.returncode == 128 + signal.SIGPIPE
    assert not done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("command", ["list", "list nothing"])
def test_what_can_not_be_printed_is_no_answer(in_folder, command):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bsbench", *command.split()], stdout=full, stderr=full
        )
    assert done.returncode == 3


def test_errors_without_a_reason_of_the_system_have_words():
    assert reason(OSError(28, "disk full")) == "disk full"
    assert reason(OSError("7 written")) == "7 written"
    assert reason(TimeoutError()) == "TimeoutError"
