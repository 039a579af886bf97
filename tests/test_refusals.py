"""What tests of refusals accept: an error of one kind, in one sentence that names what is wrong."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from bsbench.common.errors import BsbenchError, StoppedError
from tests.support.refusals import assert_refused, assert_sentence, names, refused


@pytest.mark.parametrize(
    ("sentence", "named", "found"),
    [
        ("the key 'blocks.moves' is missing", "blocks.moves", True),
        ("the key 'blocks.moves' is missing", "blocks", False),
        ("give --first-game-of", "--first-game", False),
        ("made/run.json is damaged", "run.json", True),
        ("made/old-run.json is damaged", "run.json", False),
    ],
)
def test_a_name_is_a_whole_word(sentence, named, found):
    assert names(sentence, named) is found


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "two\nlines", "tab\there", "a full stop.", "x" * 1_001, "blank "),
        "Traceback (most recent call last)",
        "the key 'x' wants <class 'int'>",
        "not PosixPath('x')",
    ],
)
def test_what_is_no_sentence_for_users_is_found(text):
    with pytest.raises(AssertionError):
        assert_sentence(text)


def test_a_refusal_has_its_kind_and_names():
    with refused("x", "7"):
        raise BsbenchError("'x' is 7")
    with refused("x", kind=StoppedError):
        raise StoppedError("'x' is 7")
    for named, error in (
        (["y"], BsbenchError("'x' is 7")),
        (["x"], StoppedError("'x' is 7")),
        (["x"], BsbenchError("'x' is 7.")),
    ):
        with pytest.raises(AssertionError), refused(*named):
            raise error
    with pytest.raises(ValueError, match="x"), refused("x"):
        raise ValueError("x")
    with pytest.raises(pytest.fail.Exception), refused("x"):
        pass


@click.command()
@click.argument("stdout")
@click.argument("stderr")
@click.argument("code", type=int)
def ending(stdout: str, stderr: str, code: int) -> None:
    click.echo(stdout, nl=False)
    click.echo(stderr, nl=False, err=True)
    sys.exit(code)


@pytest.mark.parametrize(
    ("words", "right"),
    [
        (["", "Warning: old\nError: no -x here\n", "2"], True),
        (["", "Error: no -x here\n", "1"], False),
        (["some", "Error: no -x here\n", "2"], False),
        (["", "no -x here\n", "2"], False),
        (["", "Traceback\nError: no -x here\n", "2"], False),
        (["", "Error: no -x here\nnor there\n", "2"], False),
    ],
)
def test_a_command_that_refuses_ends_with_code_2_and_a_sentence(words, right):
    stdout, stderr, code = words
    for done in (
        CliRunner().invoke(ending, words),
        subprocess.CompletedProcess(words, int(code), stdout, stderr),
        subprocess.CompletedProcess(words, int(code), stdout.encode(), stderr.encode()),
    ):
        if right:
            assert assert_refused(done, "-x") == "no -x here"
        else:
            with pytest.raises(AssertionError):
                assert_refused(done, "-x")
