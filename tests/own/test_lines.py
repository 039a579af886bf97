"""Programs that talk in lines, and such that don't."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bsbench.own.lines import LateError, LineProcess, TalkError
from tests.support.refusals import refused

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


@contextlib.contextmanager
def shell(script: str, **limits: int) -> Iterator[LineProcess]:
    process = LineProcess(["sh", "-c", script], **limits)
    try:
        yield process
    finally:
        process.end(grace=0)
        assert not group_lives(process.pid), "nothing is left behind"


def group_lives(pid: int) -> bool:
    """Return whether a process of a group runs on after a moment; a zombie does not."""
    for _ in range(100):
        if "".join(_states(pid)).strip("ZX") == "":
            return False
        time.sleep(0.02)
    return True


def _states(group: int) -> Iterator[str]:
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, found = place.read_text().rpartition(")")[2].split()[:3]
            if int(found) == group:
                yield state


def test_a_line_comes_in_pieces_and_with_carriage_return() -> None:
    with shell(r"printf 'on'; sleep 0.1; printf 'e\r\ntwo\n'") as process:
        assert [process.line(), process.line()] == [b"one", b"two"]


def test_neither_side_blocks_for_ever() -> None:
    """The program writes more than a pipe holds before it reads, and is sent more than that."""
    with shell("cat") as process, refused("1,048,576 bytes", kind=TalkError):
        process.send(b"x" * (1 << 23), time.monotonic() + 10)
    with shell("sleep 60") as process, pytest.raises(LateError):
        process.send(b"x" * (1 << 17), time.monotonic() + 0.1)
    with shell("sleep 60 & exit 2") as process, refused("exit code 2", kind=TalkError):
        process.line()
    with shell("exec 0<&-; echo; sleep 60") as process:
        assert process.line() == b""
        with refused("stdin", kind=TalkError):
            process.send(b"x")


@pytest.mark.parametrize(
    ("script", "kind", "named"),
    [
        ("sleep 60", LateError, ()),
        ("exit 3", TalkError, ("exit code 3",)),
        ("printf half; kill -9 $$", TalkError, ("SIGKILL", "'half'")),
        ("kill -40 $$", TalkError, ("signal 40",)),
        ("exec 1>&-; sleep 60", TalkError, ("stdout",)),
        ("cat /dev/zero", TalkError, ("2,000 bytes",)),
        (r"printf '\033[31m%2000s\n'", TalkError, ("2,000 bytes",)),
        ("while echo said >&2; do :; done", LateError, ()),
        ("sleep 60 & echo half | tr -d '\n'; wait", LateError, ()),
    ],
)
def test_what_is_no_answer(script: str, kind: type[TalkError], named: tuple[str, ...]) -> None:
    with shell(script, longest=2_000) as process, refused(*named, kind=kind):
        process.ask(b"", 0.3)


def test_a_line_that_nobody_asked_for() -> None:
    with shell(r"read -r _; printf 'one\ntwo\n'; cat") as process:
        assert process.ask(b"?\n") == b"one"
        with refused("'two'", kind=TalkError):
            process.ask(b"?\n")


def test_the_end_of_stderr_is_kept_and_heard() -> None:
    with shell("seq 100000 >&2; printf '\\033end' >&2; echo; cat") as process:
        heard: list[bytes] = []
        process.hear = heard.append
        assert process.line(time.monotonic() + 10) == b""
        assert b"".join(heard) == b"".join(b"%d\n" % n for n in range(1, 100_001)) + b"\x1bend"
        assert process.notes.endswith("99999\n100000\n\\x1bend")
        assert process.notes.split("\n")[0].isdigit()
        assert len(process.notes) <= 4_000


def test_another_thread_kills() -> None:
    with shell("sleep 60") as process:
        process.kill()
        with refused(kind=TalkError):
            process.line()


def test_the_end_leaves_time_to_say_goodbye(tmp_path: Path) -> None:
    note = tmp_path / "note"
    process = LineProcess(["sh", "-c", 'read -r said; cat; echo "$said" > "$0"', str(note)])
    process.end(b"quit\n")
    assert note.read_text() == "quit\n"
    stubborn = LineProcess(["sh", "-c", "trap '' TERM; sleep 60"])
    begun = time.monotonic()
    stubborn.end(b"quit\n", grace=0.1)
    assert time.monotonic() - begun < 5
    assert not group_lives(stubborn.pid)


def test_what_has_ended_is_not_asked() -> None:
    """Another file may have the number of its pipe then."""
    process = LineProcess(["cat"])
    process.end()
    with tempfile.TemporaryFile() as other:
        for _ in range(3):
            with refused(kind=TalkError):
                process.ask(b"text\n", 1)
        process.listen()
        assert other.read() == b""


def test_memory_is_limited() -> None:
    grab = [sys.executable, "-S", "-c", "bytearray(1 << 29)"]
    process = LineProcess(grab, memory=1 << 28)
    with refused("exit code 1", kind=TalkError):
        process.line()
    assert process.notes.endswith("MemoryError")
    process.end()


def test_programs_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain").write_text("echo")
    for name, *named in (
        ["./absent", "./absent"],
        ["\x1b[31m", r"\x1b[31m"],
        ["plain", "plain", "./plain"],
        ["./plain", "./plain", "chmod +x ./plain"],
    ):
        with refused(*named):
            LineProcess([name])
