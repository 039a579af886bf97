"""The guide to a class is true: run as written, it prints what it shows."""

from __future__ import annotations

import glob
import json
import re
import shlex

import pytest
from click.testing import CliRunner

from bsbench.cli import main
from tests.docs.test_guide import assert_shown
from tests.docs.test_shell import joined
from tests.support import ROOT

pytestmark = pytest.mark.ci

GUIDE = (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8")
COMMAND, SHOWN = re.findall(
    r"```sh\n(bsbench compare examples.*?)```\s*```text\n(.*?)```", GUIDE, flags=re.DOTALL
)[0]


def test_the_guide_to_a_class_is_true_as_written(in_folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    (in_folder / "examples").symlink_to(ROOT / "examples")
    words = shlex.split(joined(COMMAND))[1:]
    words = [file for word in words for file in (sorted(glob.glob(word)) or [word])]
    ended = CliRunner().invoke(main, words, prog_name="bsbench")
    assert ended.exit_code == 1
    assert_shown(SHOWN, ended.output)
    page = (in_folder / "class.html").read_text(encoding="utf-8")
    failed = re.findall("Watch the game in which (.*?) failed", page)
    (data,) = re.findall(r'id="data">(.*?)</script>', page)
    (scene,) = json.loads(data)["scenes"]
    shown = [each["label"] for each in scene["strategies"] if each["pages"]]
    assert {*failed, *shown} == {"ada", "ben", "cleo", "random", "prob"}, "all have games to watch"
