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
from bsbench.common.reading import parse_json, read_bytes
from bsbench.common.record import Record, as_json, read
from bsbench.llm.conversation import LONGEST_ANSWER, Reply

_LARGEST = 1 << 30
"""Bytes of a transcript at most: about a hundred thousand games."""

Known = Annotated[int, Meta(ge=0, lt=2**53)]
"""Tokens or milliseconds of an answer."""


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
    ask : callable
        Given a request, as JSON has it, returns the `Reply` of a model.

    Raises
    ------
    BsbenchError
        If the file is too large, or can't be read.
    """

    def __init__(self, path: Path, ask: Callable[[dict[str, Any]], Reply]) -> None:
        self._path, self._ask = path, ask
        self._known: dict[bytes, Reply] = {}
        self._locks: dict[bytes, threading.Lock] = {}
        self._lock = threading.Lock()
        # Whether the file may end within a line.
        self._cut = False
        if os.path.exists(path):
            self._read()

    def answer(self, request: dict[str, Any], sample: int | None) -> Reply:
        """Return the answer to a request; ask only if it is not known.

        Of several threads with the same request, one asks, and the others wait.

        Raises
        ------
        StoppedError
            If the model can't be asked, or the exchange can't be written.
        """
        key = _key(request, sample)
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._known:
                reply = self._ask(request)
                self._write(request, sample, reply)
                self._known[key] = reply
        return self._known[key]

    def _read(self) -> None:
        content = read_bytes(self._path, _LARGEST, f"the transcript {self._path}")
        ignored = 0
        for line in content.splitlines(keepends=True):
            self._cut = not line.endswith(b"\n")
            # One that was cut off by a crash is no reason to worry.
            ignored += not (self._take(line) or line.startswith(b'{"request": '))
        if ignored:
            warnings.warn(
                f"{ignored:,} lines of {self._path} hold no exchange with a model, and are ignored",
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
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # In one call: lines of several processes don't mix.
            with self._lock, open(self._path, "ab", buffering=0) as file:
                data = b"\n" + data if self._cut else data
                self._cut = file.write(data) < len(data)
            if self._cut:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise StoppedError(
                f"can't write the transcript {self._path}: {reason(error)}"
            ) from None


def _key(request: dict[str, Any], sample: int | None) -> bytes:
    """Return what differs between different requests."""
    return sha256(json.dumps([request, sample], sort_keys=True).encode()).digest()
