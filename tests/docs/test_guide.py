"""Guides are true: run as written, they print what they show."""

from __future__ import annotations

import glob
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import threading
import tomllib
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

import bsbench
from bsbench import GameView
from bsbench.cli import main
from bsbench.own.templates import KINDS, write_template
from tests.pages import read_page
from tests.support import ROOT


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


def replace_lines(diff: str, file: Path) -> None:
    """Put the lines with ``+`` in the place of those with ``-``, which stand in the file once."""
    old, new = (
        "".join(line[1:] + "\n" for line in diff.splitlines() if line[0] == sign) for sign in "-+"
    )
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


def follow(text: str, folder: Path) -> int:
    """Do what a guide says, and check what it shows; return how many commands it has."""
    printed, copied, ran = "", None, 0
    # Language and content of each block, and the text before it, back to the block before that.
    for before, language, content in re.findall(r"(.*?)```(\w+)\n(.*?)```", text, flags=re.DOTALL):
        if language == "python" and (named := re.findall(r"`(\w+\.py)`", before)):
            # The last file named before the code is the one it goes into.
            (folder / named[-1]).write_text(content)
        elif language == "sh":
            printed = "".join(map(run, content.splitlines()))
            ran += len(content.splitlines())
            if content.startswith("cp "):
                copied = folder / content.split()[-1]
        elif language == "text":
            assert printed, "what is shown follows the commands that print it"
            assert_shown(content, printed)
        elif language == "diff":
            replace_lines(content, copied)
        elif language == "toml":
            assert tomllib.loads(content)
    return ran


@pytest.fixture
def stand_in():
    """Serve as the example of a language model does, on a free port; yield its address."""
    names = runpy.run_path(str(ROOT / "examples" / "stand_in_model.py"))
    with ThreadingHTTPServer(("127.0.0.1", 0), names["StandIn"]) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


NEEDS_GPP = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")


@pytest.mark.parametrize(
    ("page", "commands", "made"),
    [
        ("add-a-strategy", 5, "my_hunter.png"),
        pytest.param("your-bot", 5, "game.html", marks=NEEDS_GPP),
        ("language-models", 5, "transcripts/demo.jsonl"),
    ],
)
def test_the_guide_is_true_as_written(page, commands, made, stand_in, in_folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    text = read_page(page).replace("127.0.0.1:8123", stand_in)
    assert follow(text, in_folder) >= commands
    assert (in_folder / made).stat().st_size > 100


@pytest.mark.ci
def test_the_guide_to_a_class_is_true_as_written(in_folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    (in_folder / "examples").symlink_to(ROOT / "examples")
    ((command, shown),) = re.findall(
        r"```sh\n(bsbench compare examples.*?)```\s*```text\n(.*?)```",
        read_page("comparing"),
        flags=re.DOTALL,
    )[:1]
    words = shlex.split(re.sub(r" *\\\n *", " ", command))[1:]
    words = [file for word in words for file in (sorted(glob.glob(word)) or [word])]
    ended = CliRunner().invoke(main, words, prog_name="bsbench")
    assert ended.exit_code == 1
    assert_shown(shown, ended.output)
    page = (in_folder / "class.html").read_text(encoding="utf-8")
    failed = re.findall("Watch the game in which (.*?) failed", page)
    (data,) = re.findall(r'id="data">(.*?)</script>', page)
    (scene,) = json.loads(data)["scenes"]
    shown = [each["label"] for each in scene["strategies"] if each["pages"]]
    assert {*failed, *shown} == {"ada", "ben", "cleo", "random", "prob"}, "all have games to watch"


@pytest.mark.parametrize(
    "name",
    re.findall(r"^\| `.*", read_page("add-a-strategy"), flags=re.MULTILINE),
    ids=lambda row: row.split("|")[1],
)
def test_the_view_has_what_the_guide_tells(name):
    for member in re.findall(r"`(\w+)[^`]*`", name.split("|")[1]):
        assert hasattr(GameView, member)


def test_the_table_of_languages_is_that_of_what_is_written(in_folder):
    table = r"^\| `(my_bot\.\w+)` \|(.*)\|(.*)\|$"
    rows = re.findall(table, read_page("your-bot"), flags=re.MULTILINE)
    bots = [kind for kind in KINDS if KINDS[kind].run]
    for (file, build, spec), kind in zip(rows, bots, strict=True):
        written = write_template(file, kind)
        assert build.strip(" `") == written.build
        assert spec.strip(" `") == shlex.quote(written.spec)


@pytest.mark.slow
def test_tasks_of_the_array_and_merge_give_the_record_of_one_run(in_folder):
    """The script for arrays of jobs in `docs/cluster.md`, run as Slurm would, with few games."""
    text = read_page("cluster")
    (script,) = re.findall(r"```bash\n(#!/bin/bash\n.*?)```", text, flags=re.DOTALL)
    script = re.sub(r"^games=\d+$", "games=200", script, flags=re.MULTILINE)
    Path("night.sh").write_text(script)
    own = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    own["SLURM_CPUS_PER_TASK"] = "1"
    # The second task is started again: what it has saved is kept.
    for task in (1, 0, 1):
        own["SLURM_ARRAY_TASK_ID"] = str(task)
        subprocess.run(["bash", "-e", "night.sh"], env=own, check=True)
    (merge,) = re.findall(r"--wrap '(.*?)'", text)
    subprocess.run(["bash", "-e", "-c", merge], env=own, check=True, capture_output=True)
    together = bsbench.load("night.json")
    assert together.tally.digest == bsbench.run("prob", games=400).tally.digest
