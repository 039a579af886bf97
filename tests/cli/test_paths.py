"""Names that no file can have, wherever a command takes a text: each is refused in a sentence."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from bsbench.cli import main
from tests.pages.when_a_command_ends import commands
from tests.support.refusals import assert_refused

IMPOSSIBLE = {
    "long name": "x" * 300,
    "long path": "x/" * 3_000 + "x",
    "below a file": "file/x",
    "NUL": "x\0x",
    "surrogate": "x\ud800x",
}
"""Only the first three can be typed; the others come from programs in Python."""

ENDINGS = ("", ".json", ".html", ".png", ".toml", ".zip", ".csv")
"""What some options want a name to end in, before they look for the file."""

FILES = re.compile(r"\b(FILE|PATH|DIR)\b")
"""How the help calls values that are paths."""


COMMANDS = dict(commands())
TEXTS = [
    pytest.param(name, each, id=f"{name} {each.name}")
    for name, command in COMMANDS.items()
    for each in command.params
    if isinstance(each.type, click.types.StringParamType) or hasattr(each.type, "_read")
]
"""All parameters that may hold any text: a name, too, may be taken for that of a file."""


@cache
def typed(name: str, given: click.Parameter) -> list[list[str]]:
    """Return commands that end with a place for a parameter's value, those of the help first.

    What they have before is right. An example that has the option makes use of it.
    """
    command = COMMANDS[name]
    if isinstance(given, click.Argument):
        words = name.split()
        for each in command.params:
            if isinstance(each, click.Argument) and each is not given:
                words += ["classic"] * max(each.nargs, 1)
            elif each.required and isinstance(each, click.Option):
                words += [each.opts[-1], "out"]
        return [words]
    examples = re.findall(r"^ *bsbench (.*)$", command.help or "", re.MULTILINE) or [name]
    found = [shlex.split(each, comments=True) for each in examples]
    found.sort(key=lambda words: {*words}.isdisjoint(given.opts))
    for words in found:
        for place, word in reversed(list(enumerate(words))):
            if word in given.opts:
                del words[place : place + 2]
        words.append(given.opts[-1])
    return found


def refusal(name: str, given: click.Parameter, value: str) -> str:
    """Return the sentence by which a command refuses a value, of several the one that names it.

    An example of the help that has no use for an option runs; it is not tried again. One that has
    led to the option is the only one to be tried from then on.
    """
    sentence, examples = "", typed(name, given)
    for words in examples.copy():
        done = CliRunner().invoke(main, [*words, value])
        if done.exit_code == 0:
            examples.remove(words)
            continue
        found = assert_refused(done)
        sentence = sentence or found
        if "x" * 20 in found:
            examples[:] = [words]
            return found
    assert sentence, "no example of the help takes a value of this option"
    return sentence


@pytest.fixture(autouse=True)
def _nothing_saved(in_folder, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(in_folder / "data"))
    Path("file").touch()


@pytest.mark.parametrize(("name", "given"), TEXTS)
def test_a_name_that_is_too_long_is_refused(name, given):
    refusal(name, given, IMPOSSIBLE["long name"])
    # A position may be that before the first move.
    if given.name != "position":
        refusal(name, given, "")


@pytest.mark.slow
@pytest.mark.all_cases
@pytest.mark.parametrize(("name", "given"), TEXTS)
def test_no_text_is_taken_for_a_file_that_can_not_be(name, given):
    long = IMPOSSIBLE["long name"]
    found = {ending: refusal(name, given, long + ending) for ending in ENDINGS}
    # What is wrong with its ending is said before anybody looks for the file.
    ending = next((each for each in ENDINGS if "x" * 20 in found[each]), "")
    if isinstance(given, click.Option) and FILES.search(given.metavar or ""):
        needs_another = "give --" in found[ending]
        assert "x" * 20 in found[ending] or needs_another, found[ending]
    for value in IMPOSSIBLE.values():
        refusal(name, given, value + ending)
