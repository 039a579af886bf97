"""Blocks of code in the documents: commands parse and name what exists, Python runs.

Tests of single pages also compare what commands print. This one knows no page by name, but for
those whose Python can't run by itself: `ELSEWHERE` says which test runs it, or why none does.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.cli.completion import RECORD, Text
from bsbench.common.errors import BsbenchError
from bsbench.roster import make_variant
from bsbench.rules.position import Position
from bsbench.rules.scenario import find_scenario
from tests.support import ROOT
from tests.support.commands import parsed

PAGES = {
    path.relative_to(ROOT).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(
        [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "results" / "README.md"]
    )
}
LANGUAGES = {"sh", "bash", "console", "python", "text", "toml", "html", "diff", ""}
VARIABLE = "1"
"""Stands for what a shell would put in place of a variable."""

ELSEWHERE = {
    "docs/add-a-strategy": "tests/docs/test_guide.py",
    "docs/language-models": "tests/env/test_env_text.py",
    "docs/python": "tests/test_python.py",
    "docs/exactly": "tests/docs/test_claims.py",
    "docs/positions": "tests/positions/test_positions.py",
    "docs/optimum": "tests/studies/test_optimum.py",
    "docs/cluster": "it needs a cluster",
}
"""The test that runs the Python of a page: it needs more than a folder, or compares values."""


def blocks(text: str) -> list[tuple[str, str]]:
    """Return the language and the content of each block of code, those in lists included."""
    found = re.findall(r"^( *)```([^\n`]*)\n(.*?)^\1```$", text, flags=re.MULTILINE | re.DOTALL)
    return [
        (language, re.sub(f"^{indent}", "", code, flags=re.M)) for indent, language, code in found
    ]


def _commands(language: str, script: str) -> Iterator[list[str]]:
    """Yield the words of each command of a script."""
    if language == "console":
        script = "\n".join(re.findall(r"^\$ (.*)", script, flags=re.MULTILINE))
    for line in script.replace("\\\n", " ").splitlines():
        line = re.sub(r"\$\{[^}]*\}|\$\w+|\$\(.*?\)", VARIABLE, line)
        tokens = shlex.shlex(line, posix=True, punctuation_chars=True)
        tokens.whitespace_split = True
        words: list[str] = []
        for word in [*tokens, ";"]:
            if word and set(word) <= set("();|&"):
                if words:
                    yield words
                words = []
            elif word not in ("do", "then", "while"):
                words.append(word)


COMMANDS = [
    (page, words)
    for page, text in PAGES.items()
    for language, code in blocks(text)
    if language in ("sh", "bash", "console")
    for words in _commands(language, code)
]
OURS = [
    pytest.param(words[1:], id=f"{page.removeprefix('docs/')}: {' '.join(words)}")
    for page, words in COMMANDS
    if words[0].rpartition("/")[2] == "bsbench"
]


def _is_known(kind: Text, value: str) -> bool:
    """Return whether a name is one that there is, or it may be a file of the user."""
    offered = {*kind.names()}
    if value.startswith("@"):
        return value in offered
    # Where records are named, what is not bundled is a file.
    is_file = re.search(r"^(cmd|llm|file):|[./]", value) or kind is RECORD
    if is_file or value in (VARIABLE, "all") or value.isupper():
        return True
    # A side of a match ends in the law by which it hides.
    value = value.partition(" @ ")[0]
    try:
        if ": " in value:
            Position.parse(value)
        elif "lattice" in offered:
            make_variant(value)
        elif "classic" in offered:
            for name in value.split(","):
                find_scenario(name)
        else:
            return value in offered
    except BsbenchError:
        return False
    return True


@pytest.mark.parametrize("words", OURS)
def test_commands_parse_and_name_what_exists(words):
    with parsed(words) as context:
        for param in context.command.params:
            given = context.params.get(str(param.name))
            if given is None or not (isinstance(param.type, Text) and [*param.type.names()]):
                continue
            if context.get_parameter_source(str(param.name)).name != "COMMANDLINE":
                continue
            for value in given if isinstance(given, (tuple, list)) else [given]:
                assert _is_known(param.type, str(value)), f"{param.name}: {value}"
    for word in words:
        if match := re.search(r"(?:configs|examples|benchmarks)/[\w./*-]+", word):
            assert any(ROOT.glob(match[0])) or VARIABLE in match[0], word


def test_mistakes_are_found():
    for line in ("run lattic", "run lattice,nois=1", "run --scenario clasic", "chart --kind ecd"):
        with pytest.raises(AssertionError):
            test_commands_parse_and_name_what_exists(line.split())
    with pytest.raises(click.UsageError):
        parsed(["run", "--gmes", "5"])
    assert len(OURS) > 150


def test_modules_that_commands_name_exist():
    named = {
        words[at + 1]
        for _, words in COMMANDS
        for at, word in enumerate(words[:-1])
        if word == "-m" and "python" in words[at - 1]
    }
    ours = {name for name in named if name.split(".")[0] in ("bsbench", "tests", "benchmarks")}
    assert {"benchmarks", "tests.pages"} <= ours
    assert [name for name in ours if importlib.util.find_spec(name) is None] == []


@pytest.mark.parametrize("page", PAGES)
def test_blocks_are_of_known_languages_and_python_is_correct(page):
    for language, code in blocks(PAGES[page]):
        assert language in LANGUAGES or language.startswith("{")
        if language == "python":
            compile(code, page, "exec")


def test_exceptions_are_needed_and_tests_name_their_pages():
    with_python = {page for page, text in PAGES.items() if "```python\n" in text}
    assert set(ELSEWHERE) <= with_python
    for page, where in ELSEWHERE.items():
        if where.endswith(".py"):
            text = (ROOT / where).read_text(encoding="utf-8")
            assert re.search(rf"[/\"]{Path(page).name}(\.md|\")", text), where


@pytest.mark.ci
@pytest.mark.parametrize(
    "page",
    [page for page, text in PAGES.items() if "```python\n" in text and page not in ELSEWHERE],
)
def test_python_runs(page, in_folder):
    """Of 1,000,000 games, 2,000 are played."""
    if "import gymnasium" in PAGES[page]:
        pytest.importorskip("gymnasium", reason="needs bsbench[gym]")
    (in_folder / "results").symlink_to(ROOT / "results")
    names: dict[str, object] = {"bsbench": bsbench, "__name__": page}
    for language, code in blocks(PAGES[page]):
        # Blocks that need torch are left out: `tests/env/test_export.py` runs the one that trains.
        if language == "python" and "needs the extra rl" not in code:
            exec(compile(re.sub(r"\b\d+_000(_000)?\b", "2_000", code), page, "exec"), names)


SHOWING = [
    each
    for each in OURS
    if (words := each.values[0])[0] in ("list", "show", "cite", "cache")
    and not {"-o", "--force", "--clear"} & set(words)
    and all(Path(ROOT, word).exists() for word in words[1:] if "." in word)
]


@pytest.mark.parametrize("words", SHOWING)
def test_commands_that_only_show_run(words, in_folder):
    (in_folder / "results").symlink_to(ROOT / "results")
    done = CliRunner().invoke(main, words, prog_name="bsbench")
    assert done.exit_code == 0, done.output
