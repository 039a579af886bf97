"""The guide "Add a strategy in ten minutes" is true: run as written, it prints what it shows."""

from __future__ import annotations

import glob
import re
import shlex
import subprocess
import tomllib

import pytest
from click.testing import CliRunner

from bsbench.cli import main
from tests.support import ROOT

GUIDE = (ROOT / "docs" / "add-a-strategy.md").read_text(encoding="utf-8")
# Language and content of each block, and the text before it, back to the block before that.
BLOCKS = re.findall(r"(.*?)```(\w+)\n(.*?)```", GUIDE, flags=re.DOTALL)


def run(line: str) -> str:
    """Run a line of a shell; return what it prints. bsbench itself is not started again."""
    command, *words = shlex.split(line)
    if command == "bsbench":
        arguments = [file for word in words for file in (sorted(glob.glob(word)) or [word])]
        result = CliRunner().invoke(main, arguments, prog_name="bsbench")
        assert result.exit_code == 0, f"{line}\n{result.output}"
        return result.output
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{line}\n{done.stderr}"
    return done.stdout


def _plain(line: str) -> str:
    return re.sub(r"\s+", " ", line).strip()


def assert_shown(shown: str, printed: str) -> None:
    """Check that the lines shown were printed in this order; ``…`` stands for anything."""
    lines = iter(_plain(line) for line in printed.splitlines())
    for line in filter(None, map(_plain, shown.splitlines())):
        pattern = ".*".join(re.escape(part) for part in line.split("…"))
        assert any(re.fullmatch(pattern, other) for other in lines), f"{line!r} in\n{printed}"


def test_the_guide_is_true_as_written(in_folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    printed, ran = "", 0
    for before, language, content in BLOCKS:
        if language == "python":
            # The last file named before the code is the one it goes into.
            (in_folder / re.findall(r"`(\w+\.py)`", before)[-1]).write_text(content)
        elif language == "sh":
            printed = "".join(map(run, content.splitlines()))
            ran += 1
        elif language == "text":
            assert printed, "what is shown follows the commands that print it"
            assert_shown(content, printed)
            printed = ""
        else:
            assert language == "toml"
            assert tomllib.loads(content)
    assert ran >= 5
    assert (in_folder / "my_hunter.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    "name", re.findall(r"^\| `.*", GUIDE, flags=re.MULTILINE), ids=lambda row: row.split("|")[1]
)
def test_the_view_has_what_the_guide_tells(name):
    from bsbench import GameView

    for member in re.findall(r"`(\w+)[^`]*`", name.split("|")[1]):
        assert hasattr(GameView, member)
