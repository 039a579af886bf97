"""Shell blocks of the documents: bash runs each page from top to bottom, with fewer games.

`tests/docs/test_blocks.py` parses every command, quickly. Here they run, and what they print is
compared with what the page shows, where the number of games is that of the page.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_blocks import PAGES, ROOT, blocks
from tests.docs.test_guide import assert_shown

ELSEWHERE = {
    "README": "tests/docs/test_readme.py",
    "docs/add-a-strategy": "tests/docs/test_guide.py",
    "docs/gallery": "tests/docs/test_gallery.py",
    "docs/language-models": "tests/docs/test_guide.py",
    "docs/your-bot": "tests/docs/test_guide.py",
}
"""The test that runs a page, since its commands need files that the page shows, or a server."""

LEFT_OUT = {
    r"pip install|-m venv|-m build": "installs: tests/test_packages.py and README's commands",
    r"-m pytest|-m tests\.|nox -s|ruff check": "runs tests, or plays all that tests compare",
    r"sphinx-build": "builds the site: tests/docs/test_site.py",
    r"-m benchmarks": "measures: tests/benchmarks/test_benchmarks.py",
    r"train_lattice_net": "trains: tests/examples/test_train_lattice_net.py",
    r"rollouts_worth": "takes minutes: tests/examples/test_rollouts_worth.py",
    r"mine\.onnx|train_agent": "trains: tests/env/test_export.py",
    r"/tmp/try": "needs a wheel: tests/test_packages.py",
    r"while read|^  awk": "takes minutes: tests/studies/test_optimum.py",
    r"--engine tcp|dask (scheduler|worker)": "needs a cluster: tests/runs/test_cluster.py",
}
"""Lines that don't run here, and why."""

COUNT = re.compile(r"((?:-n|--games|--paired|--first-game) |\bn=)([\d.e]+)")

LESS = {
    r"(tune .*--games) \d+": r"\1 25000",
    r"for s in [^;]*": "for s in random prob",
    r"reproduce NAME": "reproduce efficiency-harbour",
    r"(compare|check) NAME": r"\1 lattice",
    r"(reproduce (?!-)[\w.-]+)(?!.*(-n|--games|--from-records))": r"\1 -n 1e4",
    r"(--fail-if|--keep-going|--until clear .*--games)[^#\n]*": r"\g<0> || test $? = 1 ",
    r"((run|compare) '?cmd:[^#\n]*)": r"\1 -n 400 ",
    r"(tune cmd:[^#\n]*)": r"\1 -n 20000 --scenario gym-5x5 ",
    r"(run first.py.*)": r"\1 --no-charts",
    r"(bsbench play)": r"\1 --new",
}
"""What becomes less, and by what. Few games make nothing clear, `--fail-if` fails: exit code 1."""

CLASS = """class {}:
    def shoot(self, view):
        return view.open_cells[0]
"""
BOT = """#!/usr/bin/env python3
import itertools, sys

for line in sys.stdin:
    word = line.split()[0]
    if word == "bsbench":
        print("option level int 1 0 10\\nready", flush=True)
    elif word == "rules":
        print("ready", flush=True)
    elif word == "game":
        cells = itertools.count()
    elif word == "shoot":
        print(next(cells), flush=True)
"""
PLAN = 'title = "Mine"\nscenario = "classic"\ngames = 4000\nstrategies = ["random", "prob"]\n'
HIDERS = "[alice]\n" + 50 * "0 0 5 E  0 6 4 E  2 0 3 E  2 4 3 E  2 8 2 E\n"


def write_files_of_reader(folder: Path) -> None:
    """Write the files that pages say a reader has."""
    (scenario,) = (code for kind, code in blocks(PAGES["docs/scenarios"]) if kind == "toml")
    files = {"first.py": CLASS.format("First"), "second.py": CLASS.format("Second")}
    files |= {"mybot": BOT, "mybot.py": BOT, "my.toml": scenario, "mine.toml": PLAN}
    files["hiders.txt"] = HIDERS
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "mybot").chmod(0o755)
    shutil.copy(ROOT / "results" / "classic" / "prob.json", folder / "mine.json")


def _fewer(match: re.Match[str]) -> str:
    """Return an option with its number; if that is large, with its first digit, in thousands."""
    digits = str(int(float(match[2])))
    return match[1] + (digits if len(digits) < 5 else f"{digits[0]}000")


def joined(script: str) -> str:
    """Return a script with each command on one line."""
    return re.sub(r" *\\\n *", " ", script)


def quick(script: str) -> str:
    """Return a script without the lines that are left out, and with fewer games."""
    script = joined(script)
    lines = [line for line in script.splitlines() if not re.search("|".join(LEFT_OUT), line)]
    script = COUNT.sub(_fewer, "\n".join(lines))
    for pattern, less in LESS.items():
        script = re.sub(pattern, less, script)
    return script


SCRIPTS = {
    page: [code for language, code in blocks(text) if language == "sh"]
    for page, text in PAGES.items()
    if page not in ELSEWHERE
}


def test_what_is_left_out_or_less_is_on_a_page():
    scripts = joined("".join("".join(scripts) for scripts in SCRIPTS.values()))
    lines = scripts.splitlines()
    assert [each for each in LEFT_OUT if not any(re.search(each, line) for line in lines)] == []
    assert [each for each in LESS if not re.search(each, scripts)] == []
    for page, where in ELSEWHERE.items():
        assert Path(page).name in (ROOT / where).read_text(encoding="utf-8"), where


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in a folder, as a user would who has activated the environment."""
    places = [str(Path(sys.executable).parent), os.environ["PATH"]]
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env={
            **os.environ,
            "COLUMNS": "200",
            "PATH": os.pathsep.join(places),
            # No window opens, and a saved game is not the user's.
            "BROWSER": "true",
            "XDG_STATE_HOME": str(folder),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page, scripts in SCRIPTS.items() if any(map(quick, scripts))]
)
def test_shell_blocks_run(page, tmp_path):
    for folder in ("configs", "examples", "results"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    write_files_of_reader(tmp_path)
    printed = ""
    for language, content in blocks(PAGES[page]):
        if language == "sh":
            script = quick(content)
            done = shell(script, tmp_path)
            assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
            printed = done.stdout if script == joined(content).rstrip("\n") else ""
        elif language == "text" and printed:
            assert_shown(content, printed)
            printed = ""
