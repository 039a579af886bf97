"""Transcripts: every exchange with a model, which is a cache as well.

A transcript is a file of JSON lines, each of which holds an `Exchange`. What is in it
is not asked again: an evaluation that was interrupted goes on from there, and a finished one can be
played again without a server.
"""

from __future__ import annotations

import errno
import json
import os
import threading
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from bsbench.common.errors import BsbenchError, BsbenchWarning, StoppedError, reason
from bsbench.common.reading import open_file, parse_json
from bsbench.common.record import Record, as_json, read
from bsbench.llm.conversation import LONGEST_ANSWER, Reply

_LONGEST_LINE = 1 << 20
"""Bytes of a line at most."""

_LARGEST = 1 << 30
"""Bytes of a transcript at most: about a hundred thousand games."""

_MOST = 2**53
"""Tokens or milliseconds of an answer at most."""

_BEGINNING = b'{"request": '
"""How lines begin."""

Known = Annotated[int, Meta(ge=0, lt=_MOST)]


class Exchange(Record, frozen=True):
    """A line of the file in which exchanges with a language model are kept (JSON Lines).

    Attributes
    ----------
    request
        What was asked, without the address of the server.
    sample
        Distinguishes answers to the same request where these are random, or null.
    answer
        What the model answered.
    tokens_in
        Tokens of the request.
    tokens_out
        Tokens of the answer.
    milliseconds
        Time that the answer took.
    date
        Date and time in UTC.
    """

    file = "transcript"
    heading = "Line of a transcript"

    request: dict[str, Any]
    sample: int | None
    answer: Annotated[str, Meta(max_length=LONGEST_ANSWER)]
    tokens_in: Known | None
    tokens_out: Known | None
    milliseconds: Known | None
    date: str


class Transcript:
    """The exchanges in a file, to which others are added.

    Lines that hold no exchange are ignored, such as a last one that was cut off.

    Parameters
    ----------
    path : Path

    Attributes
    ----------
    path : Path

    Raises
    ------
    BsbenchError
        If the file is too large, or can't be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[bytes, Reply] = {}
        self._locks: dict[bytes, threading.Lock] = {}
        self._lock = threading.Lock()
        self._file: int | None = None
        self._read()

    def __len__(self) -> int:
        return len(self._known)

    def answer(
        self, request: dict[str, Any], sample: int | None, ask: Callable[[], Reply]
    ) -> Reply:
        """Return the answer to a request; ask only if it is not known.

        Of several threads with the same request, one asks, and the others wait.

        Parameters
        ----------
        request : dict
            As JSON has it.
        sample : int or None
        ask : callable

        Raises
        ------
        StoppedError
            If the exchange can't be written.
        """
        key = _key(request, sample)
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if (known := self._known.get(key)) is not None:
                return known
            reply = ask()
            self._write(request, sample, reply)
            self._known[key] = reply
        with self._lock:
            self._locks.pop(key, None)
        return reply

    def _read(self) -> None:
        ignored = 0
        try:
            with open_file(self.path) as file:
                if (size := os.fstat(file.fileno()).st_size) > _LARGEST:
                    raise BsbenchError(
                        f"the transcript {self.path} has {size / 1e6:,.0f} MB: give a new one with "
                        "transcript=PATH"
                    )
                while line := file.readline(_LONGEST_LINE + 1):
                    too_long = len(line) > _LONGEST_LINE
                    if too_long or not self._take(line):
                        # A line that was cut off by a crash is no reason to worry.
                        ignored += too_long or not line.startswith(_BEGINNING)
                    while too_long and line and not line.endswith(b"\n"):
                        line = file.readline(_LONGEST_LINE)
        except FileNotFoundError:
            return
        except OSError as error:
            raise BsbenchError(f"can't read the transcript {self.path}: {reason(error)}") from None
        if ignored:
            warnings.warn(
                f"{ignored:,} lines of {self.path} hold no exchange with a model, and are ignored",
                BsbenchWarning,
                stacklevel=2,
            )

    def _take(self, line: bytes) -> bool:
        """Take note of the exchange in a line; return whether there is one."""
        try:
            said = read(parse_json(line), Exchange)
            # What no file can hold could not be sent on, nor written again.
            said.answer.encode()
        except (BsbenchError, ValueError, RecursionError):
            return False
        reply = Reply(said.answer, said.tokens_in, said.tokens_out, said.milliseconds)
        # What was asked twice, by two processes, has the first answer.
        self._known.setdefault(_key(said.request, said.sample), reply)
        return True

    def _write(self, request: dict[str, Any], sample: int | None, reply: Reply) -> None:
        line = Exchange(
            request=request,
            sample=sample,
            answer=reply.text,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            milliseconds=reply.milliseconds,
            date=datetime.now(UTC).isoformat(" ", "seconds"),
        )
        data = json.dumps(as_json(line), ensure_ascii=False).encode() + b"\n"
        try:
            with self._lock:
                if self._file is None:
                    self._file = _opened(self.path)
                # In one call: lines of several processes don't mix.
                if os.write(self._file, data) < len(data):
                    # The next line begins on a line of its own, should there be space again.
                    os.close(self._file)
                    self._file = None
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise StoppedError(f"can't write the transcript {self.path}: {reason(error)}") from None


def _opened(path: Path) -> int:
    """Open a transcript for writing at its end, after a whole line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Windows would otherwise change the ends of lines.
    binary = getattr(os, "O_BINARY", 0)
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | binary, 0o666)
    if os.fstat(file).st_size:
        os.lseek(file, -1, os.SEEK_END)
        if os.read(file, 1) != b"\n":
            os.write(file, b"\n")
    return file


def _key(request: dict[str, Any], sample: int | None) -> bytes:
    """Return what differs between different requests."""
    text = json.dumps([request, sample], sort_keys=True)
    return sha256(text.encode()).digest()
