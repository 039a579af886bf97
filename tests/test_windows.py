"""What bsbench does without what Windows lacks, and with names that Windows forbids.

Nobody has run bsbench on Windows for this: `tests/support/windows.py` takes away, in a process of
its own, what Python lacks there.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from rich.console import Console

from bsbench.common.errors import BsbenchError
from bsbench.common.files import file_name
from bsbench.own import loading
from bsbench.own.importing import parted
from bsbench.own.loading import load_strategy, scheme_of
from bsbench.own.thinker import Limits
from bsbench.present.human import HumanGame
from bsbench.present.human_screen import Screen
from bsbench.reproduce.plan import find_plan
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import find_scenario
from tests.support import ROOT
from tests.support.windows import is_legal

# These have code of their own for Windows.
LIBRARIES = """
import contextlib, jinja2, matplotlib, msgspec, numba, pandas, platformdirs, rich
with contextlib.suppress(ImportError):
    import distributed
"""

FORBIDDEN = """
import os, signal

def seen(forbidden, name="__main__"):
    try:
        exec(forbidden, {"__name__": name, "os": os, "signal": signal})
    except (AssertionError, AttributeError, ImportError):
        return
    print(forbidden)

seen("import termios")
seen("os.killpg")
seen("signal.SIGKILL")
seen("open('a:b', 'w')")
seen("os.mkdir('con')")
seen("open('a', 'w'); os.replace('a', 'nul.txt')")
seen("os.open('a', os.O_RDWR | os.O_CREAT)", "bsbench.x")
"""

IMPORTS = """
import importlib, pkgutil, sys
import bsbench
from bsbench.common.errors import BsbenchError

for module in pkgutil.walk_packages(bsbench.__path__, "bsbench."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except BsbenchError as error:
            assert "which is not installed" in str(error), error
print(len([name for name in sys.modules if name.startswith("bsbench.")]))
"""

SESSION = """
from pathlib import Path
from click.testing import CliRunner
from bsbench.cli import main
from bsbench.llm.conversation import Reply
from bsbench.llm.transcript import Transcript

def bsbench(words, code=0, typed=None):
    result = CliRunner().invoke(main, words.split(), typed)
    assert result.exit_code == code, (words, result.output, result.exception)
    return result.output

bsbench("new mine.py")
bsbench("run -s linear --scenario gym-5x5 -n 20 --no-charts -o runs/")
bsbench("compare linear mine.py --scenario gym-5x5 -n 20 --no-charts -o both/")
bsbench("check mine.py --scenario gym-5x5 --games 2")
bsbench("show runs/linear-gym-5x5.json")
bsbench("cite runs/linear-gym-5x5.json")
bsbench("replay runs/linear-gym-5x5.json --game 3 -o game.html")
bsbench("play --scenario gym-5x5 -o mine.html", typed="a1\\nquit\\n")
assert "Linux or macOS" in bsbench("run -s cmd:./bot -n 5", code=2)
Transcript(Path("said.jsonl"), lambda request: Reply("A1")).answer({"model": "m"}, 1)
"""


def _on_windows(code: str, folder: Path, libraries: str = LIBRARIES) -> str:
    """Return what a program prints where all that Windows lacks is missing."""
    whole = f"{libraries}\nfrom tests.support.windows import hide\nhide()\n{code}"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", whole],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_what_windows_lacks_or_forbids_is_seen(tmp_path):
    assert _on_windows(FORBIDDEN, tmp_path, libraries="").split() == []


# Each imports most of bsbench, in a process of its own.
@pytest.mark.slow
def test_every_module_is_imported_without_what_windows_lacks(tmp_path):
    files = [path for path in (ROOT / "bsbench").rglob("*.py") if "__" not in path.name]
    assert int(_on_windows(IMPORTS, tmp_path)) >= len(files)


@pytest.mark.slow
def test_commands_work_without_what_windows_lacks(tmp_path):
    _on_windows(SESSION, tmp_path)
    made = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert {"linear-gym-5x5.json", "mine.py", "game.html", "said.jsonl"} <= made


@pytest.mark.parametrize("name", ["con", "NUL.txt", "com1", "my:own|*?", 'a"b<c>', "a\\b/c", "a b"])
def test_generated_names_are_legal(name):
    assert not is_legal(name) or name in ("a b", "a\\b/c")
    assert is_legal(f"{file_name(name)}.json")
    assert "/" not in file_name(name)


def test_the_names_in_the_repository_are_legal():
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\0")[:-1]
    assert [name for name in names if not is_legal(name)] == []
    if not names:
        pytest.skip("needs git")
    # Windows takes names for the same that differ in case only.
    assert len({name.lower() for name in names}) == len(names)


def test_paths_with_a_drive_are_read():
    assert parted(r"C:\Users\me\mine.py:Mine") == (r"C:\Users\me\mine.py", "Mine")
    assert parted(r"C:\Users\me\mine.py") == (r"C:\Users\me\mine.py", "")
    assert scheme_of(r"C:\Users\me\mine.py:Mine") is None
    assert Placement.parse(r"file:C:\me\layouts.txt").option == r"C:\me\layouts.txt"


def test_a_plan_on_another_drive_finds_its_layouts(tmp_path, monkeypatch):
    (tmp_path / "layouts.txt").write_text("0 0 2 E  1 1 2 E\n")
    (tmp_path / "plan.toml").write_text(
        'title = "T"\nscenario = "gym-5x5"\nplacement = "file:layouts.txt"\n'
        'games = 5\nstrategies = ["linear"]\n'
    )

    def relpath(path, start=os.curdir):
        raise ValueError("path is on mount 'C:', start on mount 'D:'")

    monkeypatch.setattr(os.path, "relpath", relpath)
    (part,) = find_plan(str(tmp_path / "plan.toml")).parts
    assert part.scenario.placement.option == (tmp_path / "layouts.txt").as_posix()


def test_users_code_that_runs_inside_cannot_be_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(loading, "_THINKERS", False)
    with pytest.raises(BsbenchError) as refused:
        load_strategy(str(tmp_path / "mine.py"), Limits(trust_kernels=False))
    assert "trust" in str(refused.value)
    assert "Python or numpy" not in str(refused.value)


def test_a_game_is_played_by_the_keys_of_a_windows_console(tmp_path, monkeypatch):
    game = HumanGame(find_scenario("gym-5x5"), 4)
    # In the middle of the board at first: down, right, fire; left, fire; quit.
    keys = iter(["\xe0P", "\x00M", "\r", "\xe0K", "\r", "\x03"])
    monkeypatch.setitem(sys.modules, "termios", None)
    monkeypatch.setattr(click, "getchar", lambda: next(keys))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    console = Console(file=io.StringIO(), force_terminal=True, width=100, height=60)
    with pytest.raises(KeyboardInterrupt):
        Screen(game, tmp_path / "game.json", console).play(typed=False)
    assert [move.cell for move in game.moves] == [3 * 5 + 3, 3 * 5 + 2]
