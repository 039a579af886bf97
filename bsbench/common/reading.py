"""Files that may come from a stranger, read within limits of memory and time.

Only regular files are opened: a pipe would be waited for without end, and a device such as
``/dev/zero`` never ends. The size is checked before anything is read, and how deeply a text is
nested before it is parsed: parsers of TOML take quadratic time for long dotted keys, and those of
JSON and TOML one level of the stack for each level of brackets.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import stat
import sys
from pathlib import Path
from typing import IO, Any

from bsbench.common.errors import BsbenchError, reason
from bsbench.common.texts import for_terminal

LARGEST_TOML = 10**6
"""Bytes at most of a scenario, run file or plan."""

LARGEST_JSON = 64 * 10**6
"""Bytes at most of a record, a manifest or a saved game: enough for ten million learners."""

LARGEST_INPUT = 10**7
"""Bytes at most of a board to solve, or of positions to grade."""

_DEEPEST = 50
"""Levels of brackets at most; files that bsbench writes have fewer than ten."""

_MOST_BRACKETS = 2 * 10**6
"""Brackets at most: each pair of them takes some hundred bytes of memory."""

_LONGEST_KEY = 16
"""Parts at most of a dotted key."""

_JSON_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_TOML_STRING = re.compile(
    rb'"""(?:[^"\\]++|\\.|"{1,2}+(?!"))*+"{0,5}+'
    rb"|'''(?:[^']++|'{1,2}+(?!'))*+'{0,5}+"
    rb'|"(?:[^"\\\n]++|\\.)*+"?'
    rb"|'[^'\n]*+'?"
    rb"|\#[^\n]*+",
    re.DOTALL,
)
_LONG_KEY = re.compile(rb"(?:\.[^.=\n,{}\[\]]*+){%d}" % _LONGEST_KEY)
_LONG_NUMBER = re.compile(rb"0[xob]\w{100}")
_OTHERS = bytes(set(range(256)) - set(b"[]{}"))


def open_file(path: str | Path) -> IO[bytes]:
    """Open a regular file, without waiting for anything.

    Raises
    ------
    OSError
        If there is none, it can't be read, or it is a folder, a pipe or a device.
    """

    def opener(name: str, flags: int) -> int:
        # Otherwise the call waits until somebody writes into the pipe.
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))

    try:
        file = open(path, "rb", opener=opener)  # noqa: SIM115
    except ValueError:
        raise OSError(0, "no file can have this name") from None
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(0, "it is a pipe or a device: save its content in a file, and name that")
    return file


def read_bytes(path: str | Path, most: int, called: str = "") -> bytes:
    """Return the content of a regular file.

    Parameters
    ----------
    path : str or Path
    most : int
        Bytes at most.
    called : str
        What the file is called in a message: by default, its path.

    Raises
    ------
    BsbenchError
        If it can't be read, is no regular file, or is larger.
    """
    called = called or for_terminal(str(path))
    try:
        with open_file(path) as file:
            return _within(file, most, called, os.fstat(file.fileno()).st_size)
    except OSError as error:
        raise BsbenchError(f"can't read {called}: {reason(error)}") from None


def read_text(path: str | Path, most: int, called: str = "") -> str:
    r"""Return a text in UTF-8, whose lines end in ``\n``; see `read_bytes`.

    Raises
    ------
    BsbenchError
        If `read_bytes` refuses it, or it is not UTF-8.
    """
    return _decoded(read_bytes(path, most, called), called or str(path))


def read_input(path: str, most: int = LARGEST_INPUT) -> str:
    """Return the text of a file, or, for ``-``, of standard input; see `read_text`.

    Raises
    ------
    BsbenchError
        For the reasons that `read_text` has.
    """
    if path != "-":
        return read_text(path, most)
    called = "standard input"
    return _decoded(_within(sys.stdin.buffer, most, called), called)


def parse_json(content: bytes) -> Any:
    """Return what a file of JSON in UTF-8 says.

    Raises
    ------
    ValueError
        If it is not JSON, or nested too deeply.
    """
    _check_nesting(_JSON_STRING.sub(b"", content))
    return json.loads(content.decode("utf-8-sig"))


def parse_toml(text: str) -> dict[str, Any]:
    """Return what a text in TOML says.

    Raises
    ------
    ValueError
        If it is not TOML, nested too deeply, or has a dotted key of too many parts, or a number of
        too many digits.
    """
    import tomllib

    bare = _TOML_STRING.sub(b"", text.encode())
    _check_nesting(bare)
    if _LONG_KEY.search(bare):
        raise ValueError(f"a dotted key has more than {_LONGEST_KEY} parts")
    if _LONG_NUMBER.search(bare):
        # Python writes no decimal number this long, not even into a message.
        raise ValueError("a number has more than 100 digits")
    return tomllib.loads(text)


def _within(file: IO[bytes], most: int, called: str, size: int = 0) -> bytes:
    """Return the rest of a file, which may have grown beyond the size that it had."""
    content = file.read(most + 1) if size <= most else b""
    if max(size, len(content)) > most:
        raise BsbenchError(f"{called} is larger than {most / 1e6:g} MB: nothing this long is read")
    return content


def _decoded(content: bytes, called: str) -> str:
    try:
        text = content.decode("utf-8-sig")
        if "\0" in text:
            raise ValueError
    except ValueError:
        raise BsbenchError(f"can't read {called}: it is not a text in UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _check_nesting(bare: bytes) -> None:
    """Refuse a text, without its strings, that has very many brackets, or many in each other."""
    brackets = bare.translate(None, _OTHERS)
    depths = itertools.accumulate(1 if bracket in b"[{" else -1 for bracket in brackets)
    if len(brackets) > _MOST_BRACKETS or max(depths, default=0) > _DEEPEST:
        raise ValueError(
            f"it has more than {_MOST_BRACKETS // 2:,} lists, or more than {_DEEPEST} in each other"
        )
