"""How bad input is refused: by an error of one kind, in one sentence that names what is wrong.

Tests ask what a sentence names, not how it puts it, so that prose can improve without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import CompletedProcess
from typing import Any

import click.testing
import pytest

from bsbench.common.errors import BsbenchError, BsbenchWarning

LONGEST = 1_000
"""Characters of a sentence at most: of longer values, messages show the beginning."""

_INTERNALS = re.compile(
    r"Traceback|<class |<function |<module | object at 0x|\bNoneType\b|\bUNSET\b|\bmsgspec\b"
    r"|\bPosixPath\(|\bWindowsPath\(|\bnp\.\w+\(|\barray\(|\bObject (missing|contains)\b"
    r'|\bExpected `|\bFile "[^"]+", line \d'
)
"""What only somebody who knows the source of bsbench understands."""


def names(sentence: str, name: str) -> bool:
    """Return whether a sentence names a key, an option, a value or a file, as a whole word.

    Parts of dotted keys, of file names and of options are not whole words: ``blocks.moves``
    names neither ``blocks`` nor ``moves``.
    """
    return bool(re.search(rf"(?<![\w-])(?<!\w\.){re.escape(name)}(?![\w-])(?!\.\w)", sentence))


def assert_names(text: str, *named: str) -> None:
    """Fail unless a text names words and figures, as whole words."""
    for name in named:
        assert names(text, name), f"{name!r} is not named: {text}"


def assert_sentence(text: str, *named: str, lines: int = 1) -> None:
    """Fail unless a message is one sentence that a user understands, and that names some words.

    ``lines`` is more than 1 where a line of a user's strategy, or a command, stands below.
    """
    assert text.strip(), "the message is empty"
    assert text == text.strip(), f"blanks around {text!r}"
    assert len(text.splitlines()) == lines, text
    assert all(line.isprintable() for line in text.splitlines()), repr(text)
    assert len(text) <= LONGEST, f"{len(text):,} characters: {text[:LONGEST]} …"
    assert not text.endswith("."), text
    assert not (found := _INTERNALS.search(text)), f"{found[0]!r} means nothing to a user: {text}"
    assert_names(text, *named)


@contextmanager
def refused(
    *named: str, kind: type[Exception] = BsbenchError, lines: int = 1
) -> Iterator[pytest.ExceptionInfo]:
    """Fail unless the block raises an error of exactly this kind, in a sentence that names words.

    A subclass is another kind: an error of a strategy is not one of what a user typed.
    """
    with pytest.raises(kind) as caught:
        yield caught
    assert caught.type is kind, f"{caught.type.__name__}, not {kind.__name__}: {caught.value}"
    assert_sentence(str(caught.value), *named, lines=lines)


@contextmanager
def warned(*named: str) -> Iterator[pytest.WarningsRecorder]:
    """Fail unless the block warns, and each warning is a sentence that names some words."""
    with pytest.warns(BsbenchWarning) as caught:
        yield caught
    for each in caught:
        assert_sentence(str(each.message), *named)


def assert_refused(
    done: click.testing.Result | CompletedProcess[Any], *named: str, lines: int = 1
) -> str:
    """Fail unless a command refused its input: exit code 2, one sentence, no output.

    Returns the sentence. Above it may stand warnings, and what is played.
    """
    if isinstance(done, click.testing.Result):
        code, raised = done.exit_code, done.exception
        assert isinstance(raised, SystemExit), repr(raised)
    else:
        code = done.returncode
    stdout, stderr = (
        each.decode() if isinstance(each, bytes) else each for each in (done.stdout, done.stderr)
    )
    assert code == 2, (code, stdout, stderr)
    assert not stdout, stdout
    above, mark, sentence = f"\n{stderr}".partition("\nError: ")
    assert mark, stderr
    assert "Traceback" not in above, stderr
    assert_sentence(sentence.removesuffix("\n"), *named, lines=lines)
    return sentence.removesuffix("\n")
