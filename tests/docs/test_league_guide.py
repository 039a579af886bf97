"""The guide to leagues is true: run as written, it prints what it shows."""

from __future__ import annotations

import re

from tests.docs.test_guide import assert_shown, run
from tests.docs.test_shell import joined
from tests.support import ROOT

GUIDE = (ROOT / "docs" / "league.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", GUIDE, flags=re.DOTALL)


def test_the_guide_to_leagues_is_true_as_written(in_folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    printed, shown = "", 0
    (in_folder / "examples").symlink_to(ROOT / "examples")
    for language, content in BLOCKS:
        if language == "sh":
            printed = "".join(map(run, joined(content).splitlines()))
        else:
            assert_shown(content, printed)
            shown += 1
    assert shown == 2
    page = (in_folder / "class.html").read_text(encoding="utf-8")
    assert page.count("<iframe ") == 5, "all have a game to watch"
