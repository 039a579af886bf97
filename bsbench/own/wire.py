"""Frames on the socket between bsbench and a thinker, and the arrays of a view in one of them.

A frame is two lengths (uint32, little-endian), a text in JSON, and raw bytes. Nothing that comes
is run or unpickled, so that a thinker can send what it likes. `bsbench.own.thinker_main` says what
is said.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

LENGTHS = struct.Struct("<II")

MOST_TEXT = 1 << 20
"""Bytes of a text at most."""

Bytes = npt.NDArray[np.uint8]
Arrays = dict[str, npt.NDArray[Any]]


def frame(text: dict[str, Any] | None = None, body: bytes = b"") -> bytes:
    """Return a frame; without text or body, one that says nothing."""
    written = b"" if text is None else json.dumps(text).encode()
    return LENGTHS.pack(len(written), len(body)) + written + body


def receive(
    connection: socket.socket, into: memoryview, look: Callable[[], object] = lambda: None
) -> None:
    """Fill a buffer of bytes; call ``look`` after each part of it.

    Raises
    ------
    EOFError
        If the other side has closed the connection.
    OSError
        As the socket does.
    """
    while into:
        count = connection.recv_into(into)
        if not count:
            raise EOFError
        into = into[count:]
        if into:
            look()


def room_for(view: Any, names: Sequence[str]) -> tuple[Bytes, Arrays]:
    """Return a frame with room for some arrays of a view, and arrays like these that lie in it.

    Parameters
    ----------
    view : object
        It has the arrays as attributes.
    names : sequence of str
    """
    found = {name: getattr(view, name) for name in names}
    # So that each array begins at a multiple of the size of its numbers.
    given = dict(sorted(found.items(), key=lambda each: -each[1].itemsize))
    size = sum(array.nbytes for array in given.values())
    room = np.zeros(LENGTHS.size + size, np.uint8)
    room[: LENGTHS.size] = np.frombuffer(LENGTHS.pack(0, size), np.uint8)
    arrays: Arrays = {}
    begin = LENGTHS.size
    for name, array in given.items():
        end = begin + array.nbytes
        arrays[name] = room[begin:end].view(array.dtype).reshape(array.shape)
        begin = end
    return room, arrays
