"""The guide "Add a strategy in ten minutes" is true: run as written, it prints what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs" / "add-a-strategy.md").read_text(encoding="utf-8")
# Language and content of each block, and the text before it, back to the block before that.
BLOCKS = re.findall(r"(.*?)```(\w+)\n(.*?)```", GUIDE, flags=re.DOTALL)


def _run(commands: str, folder: Path) -> str:
    """Run commands as a user does who has bsbench on his path; return what they print."""
    scripts = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "200",
        "PYTHONIOENCODING": "utf-8",
    }
    done = subprocess.run(
        ["bash", "-euc", commands],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{commands}\n{done.stdout}"
    return done.stdout


def _plain(line: str) -> str:
    return re.sub(r"\s+", " ", line).strip()


def assert_shown(shown: str, printed: str) -> None:
    """Check that the lines shown were printed in this order; ``…`` stands for anything."""
    lines = iter(_plain(line) for line in printed.splitlines())
    for line in filter(None, map(_plain, shown.splitlines())):
        pattern = ".*".join(re.escape(part) for part in line.split("…"))
        assert any(re.fullmatch(pattern, other) for other in lines), f"{line!r} in\n{printed}"


def test_the_guide_is_true_as_written(tmp_path):
    printed, ran = "", 0
    for before, language, content in BLOCKS:
        if language == "python":
            # The last file named before the code is the one it goes into.
            (tmp_path / re.findall(r"`(\w+\.py)`", before)[-1]).write_text(content)
        elif language == "sh":
            printed = _run(content, tmp_path)
            ran += 1
        elif language == "text":
            assert printed, "what is shown follows the commands that print it"
            assert_shown(content, printed)
            printed = ""
        else:
            assert language == "toml"
            assert tomllib.loads(content)
    assert ran >= 8
    assert (tmp_path / "my_hunter.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    "name", re.findall(r"^\| `.*", GUIDE, flags=re.MULTILINE), ids=lambda row: row.split("|")[1]
)
def test_the_view_has_what_the_guide_tells(name):
    from bsbench import GameView

    for member in re.findall(r"`(\w+)[^`]*`", name.split("|")[1]):
        assert hasattr(GameView, member)


def test_what_is_not_a_block_names_real_files():
    for path in re.findall(r"`((?:examples/)?\w+/|\w+\.md)`", GUIDE):
        assert (ROOT / path).exists()
