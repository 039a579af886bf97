"""Programs that talk in lines: their stdin is written, their stdout read, their stderr kept.

Neither side can block the other for ever: all pipes are read and written without waiting, and what
a program may send, how long that may take and how much memory it may use are limited.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import select
import shlex
import shutil
import signal
import subprocess
import time
import weakref
from collections.abc import Callable, Mapping, Sequence, Set

from bsbench.common.errors import BsbenchError, reason
from bsbench.common.machine import hide_memory
from bsbench.common.parallel import share_core
from bsbench.common.settings import COMMAND, check_line
from bsbench.common.texts import for_terminal
from bsbench.own.blame import how_ended

LONGEST_LINE = 1 << 20
"""Bytes of a line from a program at most, by default."""

MOST_NOTES = 10_000_000
"""Bytes on stderr from a program at its start at most."""

_AT_ONCE = 1 << 16
"""Bytes that are read at once: what a pipe holds."""

_TAIL = 4_000
"""Bytes of the end of stderr that are kept."""

_SHOWN = 80
"""Characters of a line that errors quote."""

_GRACE = 1.0
"""Seconds that a program has to end after its stdin is closed."""

_MOST_BEFORE = 100
"""Lines that are read before the answer to a question at most."""

_PAUSE = 1.0
"""Seconds between two looks at whether a silent program still runs."""

_TRIED, _QUICK = 256, 2e-4
"""A program whose latest 256 answers took less than 200 µs each, bsbench's time between them
included, shares a core with the thread that asks."""

_LIMITED = 'ulimit -d "$1" && shift && exec "$@"'
"""What a shell does to limit the memory of a program before it becomes that program."""

_running: weakref.WeakSet[LineProcess] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    for process in list(_running):
        process.end(grace=0)


def arguments_of(spec: str) -> tuple[str, ...]:
    """Return the program and the arguments of ``cmd:COMMAND``, split as a shell does.

    Raises
    ------
    BsbenchError
        If it can't be read, or names no program.
    """
    check_line("the command of a bot", spec)
    try:
        arguments = tuple(shlex.split(spec.removeprefix(COMMAND)))
    except ValueError as error:
        raise BsbenchError(f"unreadable command {spec!r}: {error}") from None
    if not any(arguments[:1]):
        raise BsbenchError(f"{spec!r} names no program: write cmd:PROGRAM ARGUMENTS")
    return arguments


class TalkError(Exception):
    """A program did not answer as it must; the text says what it did, after "it"."""


class LateError(TalkError):
    """A program did not answer in time."""


class LineProcess:
    """A program that talks in lines, seen from the one that started it.

    It runs in a group of processes of its own, all of which end with it. One thread at a time may
    use it; any thread may call `kill`.

    Parameters
    ----------
    arguments : sequence of str
        The program, found as a shell does, and what follows. No shell reads them.
    longest : int
        Bytes of a line from the program at most.
    memory : int, optional
        Bytes that each of its processes may take at most. On Linux, what it reserves without
        writing to it, as Java and Node do, is not counted. Default: no limit.
    environment : mapping of str to str, optional
        What it has beside the environment of this process.

    Attributes
    ----------
    lines_read : int
        Lines of its stdout that were returned, or ignored.
    ignored : set of bytes
        Lines that begin with one of these words are left out.
    hear : callable or None
        Called with each part of what the program writes to stderr, as bytes: with what it writes
        before a line, before that line is returned.

    Raises
    ------
    BsbenchError
        If it can't be started.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        longest: int = LONGEST_LINE,
        memory: int | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.hear: Callable[[bytes], object] | None = None
        self._longest = longest
        # What was read of stdout and not returned yet.
        self._read = bytearray()
        self._tail = b""
        self.limit_notes(math.inf)
        self._killed = self._ended = False
        self.lines_read = 0
        self.ignored: Set[bytes] = frozenset()
        self._asked, self._tried = 0, -math.inf
        _check_program(arguments[0])
        hide_memory()
        if memory is not None:
            # In Python, it could only be done between fork and exec, where threads forbid it.
            arguments = ["/bin/sh", "-c", _LIMITED, "sh", str(memory >> 10), *arguments]
        try:
            self._process = subprocess.Popen(
                arguments,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=os.environ | dict(environment or {}),
                # Neither Ctrl-C nor a closed terminal reaches it, and all that it starts ends
                # with it.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise BsbenchError(f"can't start {arguments[0]}: {why}") from None
        _running.add(self)
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        self._in, self._out, self._notes = (pipe.fileno() for pipe in pipes if pipe is not None)
        for number in (self._in, self._out, self._notes):
            os.set_blocking(number, False)
        self._poll = select.poll()
        # In this order: what is on stderr before a line on stdout is then heard before it.
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._notes, select.POLLIN)

    @property
    def pid(self) -> int:
        """The number of the process, and of its group."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it runs, and nobody has killed it."""
        return not (self._killed or self._ended) and self._process.poll() is None

    @property
    def notes(self) -> str:
        """The end of what it has written to stderr, safe for a terminal."""
        text = self._tail.decode(errors="replace")
        if len(self._tail) == _TAIL:
            text = text.partition("\n")[2] or text
        return for_terminal(text).strip()

    def ask(self, question: bytes | memoryview, patience: float = math.inf) -> bytes:
        """Send lines, and return the line that answers them, without its end.

        Raises
        ------
        TalkError
            As `send` and `line` do; or if the program has written something before it was asked.
        """
        if self._read:
            self.check_silent()
        self._asked += 1
        if self._asked % _TRIED == 0:
            begun, self._tried = self._tried, time.monotonic()
            if self._tried - begun < _TRIED * _QUICK:
                share_core(self.pid)
        try:
            sent = os.write(self._in, question)
        except OSError:
            sent = 0
        if sent == len(question) and not self._read:
            # As a rule, one line comes, whole, and nothing else.
            first = patience if patience < _PAUSE else _PAUSE
            ready = self._poll.poll(1e3 * first)
            if not ready:
                patience -= first
            elif len(ready) == 1 and ready[0][0] == self._out:
                part = os.read(self._out, _AT_ONCE)
                whole = part.find(b"\n") == len(part) - 1 < self._longest and part
                if whole and not self._is_ignored(part):
                    self.lines_read += 1
                    return part[:-1].removesuffix(b"\r")
                self._read += part
        until = time.monotonic() + patience
        if sent < len(question):
            self._send(question[sent:], until)
        return self.line(until)

    def send(self, lines: bytes | memoryview, until: float = math.inf) -> None:
        """Send lines, all that is written to stdout before them being read.

        Parameters
        ----------
        lines : bytes or memoryview
        until : float
            On the clock `time.monotonic`.

        Raises
        ------
        TalkError
            If the program has written something before it was asked, or has ended.
        LateError
            If it does not read in time.
        """
        if self._read:
            self.check_silent()
        self._send(lines, until)

    def _send(self, lines: bytes | memoryview, until: float) -> None:
        rest = memoryview(lines)
        while True:
            try:
                rest = rest[os.write(self._in, rest) :]
            except BlockingIOError:
                pass
            except OSError:
                # What it has written before may say why.
                raise self._gone("stdin") from None
            if not rest:
                return
            self._poll.register(self._in, select.POLLOUT)
            try:
                if not self._look(until):
                    raise self._gone("stdout")
            finally:
                self._poll.unregister(self._in)

    def line(self, until: float = math.inf) -> bytes:
        """Return the next line from stdout, without its end.

        Parameters
        ----------
        until : float
            On the clock `time.monotonic`.

        Raises
        ------
        TalkError
            If the program ends, closes stdout, or writes a line that is too long, or too much to
            stderr.
        LateError
            If it writes no whole line in time.
        """
        while self._is_ignored(line := self._line(until)):
            pass
        return line

    def _line(self, until: float) -> bytes:
        begin = 0
        while True:
            end = self._read.find(b"\n", begin)
            if max(end, begin) > self._longest:
                raise self._too_long()
            if end >= 0:
                break
            begin = len(self._read)
            if not self._look(until):
                raise self._gone("stdout")
        line = bytes(self._read[:end])
        del self._read[: end + 1]
        self.lines_read += 1
        return line.removesuffix(b"\r")

    def _is_ignored(self, line: bytes | bytearray) -> bool:
        return bool(self.ignored) and bytes(line).partition(b" ")[0].strip() in self.ignored

    def check_silent(self, look: bool = False) -> None:
        """Refuse lines on stdout that nobody has asked for; leave out those that are ignored.

        Parameters
        ----------
        look : bool
            Read first what is there.

        Raises
        ------
        TalkError
            If there are any.
        """
        if look and self._poll.poll(0):
            self._look(math.inf)
        while (end := self._read.find(b"\n")) >= 0 and self._is_ignored(self._read[:end]):
            del self._read[: end + 1]
            self.lines_read += 1
        if self._read and not (self.ignored and end < 0):
            raise TalkError(unasked(self._read))

    def lines_before(self, last: bytes, question: bytes, until: float) -> list[bytes]:
        """Send lines, and return those that come before the one that answers them.

        Nothing is raised if that one does not come.
        """
        lines: list[bytes] = []
        with contextlib.suppress(TalkError):
            self._send(question, until)
            while len(lines) < _MOST_BEFORE and (line := self.line(until)) != last:
                lines.append(line)
        return lines

    def limit_notes(self, most: float) -> None:
        """Let it write so many bytes to stderr at most, from now on, while it is waited for."""
        self._noted, self._most_notes = 0, most

    def listen(self) -> None:
        """Read what is on stderr."""
        with contextlib.suppress(BlockingIOError, OSError):
            while part := os.read(self._notes, _AT_ONCE):
                self._note(part)
                if len(part) < _AT_ONCE:
                    break

    def kill(self) -> None:
        """End the program and all that it has started at once; who waits for a line hears of it."""
        self._killed = True
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self, farewell: bytes = b"", grace: float | None = None) -> None:
        """End the program, and all that it has started.

        Parameters
        ----------
        farewell : bytes
            Sent first.
        grace : float, optional
            Seconds that it has to end by itself once its stdin is closed. Default: 1.
        """
        if self._ended:
            return
        self._ended = True
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            if farewell:
                os.write(self._in, farewell)
        self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            if not self._killed:
                self._process.wait(timeout=_GRACE if grace is None else grace)
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()
        # Other files get these numbers now.
        self._in = self._out = self._notes = -1
        self._poll = select.poll()

    def _look(self, until: float) -> bool:
        """Wait a while until something can be read or written, and read; return False at the end.

        Raises
        ------
        LateError
            If it is too late.
        """
        rest = until - time.monotonic()
        ready = self._poll.poll(1e3 * min(max(rest, 0), _PAUSE))
        if not ready and self._process.poll() is not None:
            # What it has started keeps the pipes open.
            return False
        if rest < 0:
            raise LateError("did not answer in time")
        for number, _ in ready:
            if number == self._out:
                part = os.read(number, _AT_ONCE)
                if not part:
                    return False
                self._read += part
                if len(self._read) > self._longest + _AT_ONCE:
                    raise self._too_long()
            elif number == self._notes:
                part = os.read(number, _AT_ONCE)
                if part:
                    self._note(part)
                    if self._noted > self._most_notes:
                        most = f"{self._most_notes:,.0f} bytes"
                        raise TalkError(f"wrote more than {most} to stderr, and no answer")
                else:
                    self._poll.unregister(number)
        return True

    def _note(self, part: bytes) -> None:
        self._tail = (self._tail + part)[-_TAIL:]
        self._noted += len(part)
        if self.hear is not None:
            self.hear(part)

    def _too_long(self) -> TalkError:
        said = quoted(self._read)
        return TalkError(f"wrote a line of more than {self._longest:,} bytes: {said}")

    def _gone(self, closed: str) -> TalkError:
        """Return what is said of a program that has closed its stdin or stdout."""
        # It may still be on its way out.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=_GRACE)
        self.listen()
        code = self._process.poll()
        if self._killed:
            return TalkError("was ended")
        if code is None:
            return TalkError(f"closed its {closed}")
        said = f", after {quoted(self._read)}" if self._read else ""
        return TalkError(f"ended with {how_ended(code)}{said}")


def _check_program(name: str) -> None:
    """Refuse a program that is not there, or can't be run, by its name.

    Raises
    ------
    BsbenchError
    """
    if not hasattr(os, "killpg"):
        raise BsbenchError(f"can't start {for_terminal(name)}: this needs Linux or macOS")
    if shutil.which(name) is not None:
        return
    hint = "there is no such program"
    if os.path.isdir(name):
        hint = "it is a folder, not a program"
    elif os.path.isfile(name):
        hint = f"a program in this folder is written ./{name}"
        if os.sep in name:
            hint = f"it can't be executed: type chmod +x {name}, or name what runs it before it"
    raise BsbenchError(f"can't start {for_terminal(name)}: {hint}")


def quoted(line: bytes | bytearray) -> str:
    """Return the first line of some bytes as an error quotes it: short, and safe for a terminal."""
    first = bytes(line[: 4 * _SHOWN]).partition(b"\n")[0].removesuffix(b"\r")
    text = for_terminal(first.decode(errors="replace"))
    return f"'{text[:_SHOWN]}' …" if len(text) > _SHOWN else f"'{text}'"


def unasked(line: bytes | bytearray) -> str:
    """Return what is said of a program that has written a line without being asked."""
    return f"wrote a line that nobody asked for: {quoted(line)}"
