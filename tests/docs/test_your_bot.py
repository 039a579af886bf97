"""The guide "Your bot in ten minutes" is true: run as written, it prints what it shows."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from bsbench.own.templates import KINDS, write_template
from tests.docs.test_guide import assert_shown, run
from tests.support import ROOT

GUIDE = (ROOT / "docs" / "your-bot.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", GUIDE, flags=re.DOTALL)


def replace_lines(diff: str, file: Path) -> None:
    """Put the lines with ``+`` in the place of those with ``-``, which stand in the file once."""
    old, new = (
        "".join(line[1:] + "\n" for line in diff.splitlines() if line[0] == sign) for sign in "-+"
    )
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_the_guide_is_true_as_written(in_folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    printed, copied = "", None
    for language, content in BLOCKS:
        if language == "sh":
            printed = "".join(map(run, content.splitlines()))
            if content.startswith("cp "):
                copied = in_folder / content.split()[-1]
        elif language == "diff":
            replace_lines(content, copied)
        else:
            assert language == "text"
            assert_shown(content, printed)
    assert (in_folder / "game.html").stat().st_size > 10_000


def test_the_table_of_languages_is_that_of_what_is_written(in_folder):
    rows = re.findall(r"^\| `(my_bot\.\w+)` \|(.*)\|(.*)\|$", GUIDE, flags=re.MULTILINE)
    kinds = dict(zip((file for file, _, _ in rows), filter(_is_bot, KINDS), strict=True))
    for file, build, spec in rows:
        written = write_template(file, kinds[file])
        assert build.strip(" `") == written.build
        assert spec.strip(" `") == shlex.quote(written.spec)


def _is_bot(kind: str) -> bool:
    return bool(KINDS[kind].run)
