"""Kernels are compiled again only when something they import changes."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.kernels import _cache
from bsbench.kernels._cache import _is_own, closure, folder_for
from bsbench.kernels._jit import Late, _dispatcher
from bsbench.kernels._machine_code import _CheckedFiles
from bsbench.kernels.random import stream_key, stream_start
from tests.support.refusals import assert_sentence

PACKAGE = Path(bsbench.__file__).parent

COUNT = """
import sys
from numba.core import event
with event.install_recorder("numba:compile") as record:
    {code}
begun = [each for _, each in record.buffer if each.is_start]
compiled = {{each.data["dispatcher"].py_func.__module__ for each in begun}}
print("compiled:", *sorted(compiled))
"""
PLAY_PROB = 'import bsbench; bsbench.run("prob", games=64, threads=1)'
PLAY_CONNECT4 = (
    "from bsbench.connect4.match import play_match; "
    'play_match("greedy", "random", games=4, threads=1)'
)


def compiled(code: str, folder: Path, cache: Path | None = None) -> list[str]:
    """Run code in a process of its own, on the package in ``folder``; return what it compiled."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-c", COUNT.format(code=code)],
        env=environment,
        cwd=folder,
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()[1:]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a folder with a copy of the package, byte code included, which tests may edit."""
    shutil.copytree(PACKAGE, tmp_path / "tree" / "bsbench")
    shutil.copytree(PACKAGE.parent / "configs", tmp_path / "tree" / "configs")
    return tmp_path / "tree"


def edit(path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        # Unlike the edits of earlier tests, whose machine code may be in the cache.
        file.write(f"# {uuid.uuid4()}\n")


def test_an_edit_compiles_the_kernels_that_import_it_and_no_others(tree):
    compiled(PLAY_CONNECT4, tree)
    edit(tree / "bsbench/connect4/kernels/chance.py")
    assert compiled(PLAY_CONNECT4, tree) == [
        "bsbench.connect4.kernels.chance",
        "bsbench.connect4.players",
    ]
    assert compiled(PLAY_CONNECT4, tree) == []


def imported_at_the_top(path: Path) -> set[str]:
    """Return the modules of bsbench that a file imports at its top, read by Python's own parser."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bsbench."):
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_the_closure_of_a_module_holds_all_that_it_imports():
    files = [path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"]
    assert len(files) > 100
    for path in files:
        for name in imported_at_the_top(path):
            place = PACKAGE.parent.joinpath(*name.split("."))
            for file in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
                if file.exists() and place != PACKAGE:
                    assert closure(file).keys() <= closure(path).keys(), (path, file)


def test_what_is_installed_beside_bsbench_does_not_count(tmp_path, monkeypatch):
    own = tmp_path / "bsbench"
    own.mkdir()
    (tmp_path / "numba.py").touch()
    (own / "__init__.py").touch()
    (own / "beside.py").touch()
    (own / "mine.py").write_text("import numba\nfrom bsbench import beside\n")
    monkeypatch.setattr(_cache, "_PACKAGE", own)
    assert {path.name for path in closure(own / "mine.py")} == {"mine.py", "beside.py"}


OWN = """
from bsbench import Strategy
from bsbench.kernels import kernel
from beside import step

@kernel
def move_on(cells):
    for lane in range(len(cells)):
        cells[lane] = step(cells[lane])

class Mine(Strategy):
    '''In turn.'''
    def deal(self, lanes, games):
        self.cells = getattr(self, "cells", None)
        if self.cells is None:
            import numpy as np
            self.cells = np.zeros(self.lanes, np.int64)
        self.cells[lanes] = -1
    def shoot(self, view):
        move_on(self.cells)
        return self.cells
"""
BESIDE = """
from bsbench.kernels import helper

@helper
def step(cell):
    return cell + 1
"""


def test_kernels_of_users_follow_the_same_rule(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    # Unlike those of earlier tests, whose machine code may be in the cache.
    (tmp_path / "beside.py").write_text(f"# {uuid.uuid4()}\n{BESIDE}")
    play = 'import bsbench; print(bsbench.run("own.py:Mine", games=64, threads=1).stats.mean)'
    code = f"import sys; sys.path.append({str(PACKAGE.parent)!r}); {play}"
    assert "beside" in compiled(code, tmp_path)
    assert compiled(code, tmp_path) == []
    edit(tmp_path / "beside.py")
    again = compiled(code, tmp_path)
    assert len(again) == 2
    assert "beside" in again


DECIDES = """
import numpy as np
from bsbench import Planner
from bsbench.kernels import empty_plan, kernel

@kernel
def first_open(squares, cells):
    for lane in range(len(cells)):
        cell = 0
        while not squares[cell // 64, lane % 64, lane // 64] >> np.uint64(cell % 64) & np.uint64(1):
            cell += 1
        cells[lane] = cell

class Mine(Planner):
    '''The first open cell.'''
    decide = staticmethod(first_open)
    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        self.plan = empty_plan(rules, lanes, 0)
"""


@pytest.mark.slow
def test_a_kernel_that_decides_is_cached_with_the_one_that_plays(tmp_path):
    play = 'bsbench.run("own.py:Mine", games=64, threads=1).stats.mean'
    code = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); import bsbench; print({play})"
    # Unlike that of earlier tests, whose machine code may be in the cache.
    (tmp_path / "own.py").write_text(f"# {uuid.uuid4()}\n{DECIDES}")
    compiled(code, tmp_path)
    assert compiled(code, tmp_path) == []
    edit(tmp_path / "own.py")
    own, planned = compiled(code, tmp_path)
    assert own.startswith("_bsbench_own")
    assert planned == "bsbench.play.planned"


CONSTANT = """
import numpy as np
from bsbench import Strategy
from bsbench.kernels import kernel

@kernel
def fill(cells):
    for lane in range(len(cells)):
        cells[lane] = 3

class Mine(Strategy):
    '''Fires at one cell.'''
    def shoot(self, view):
        cells = np.zeros(self.lanes, np.int64)
        fill(cells)
        return cells
"""


def test_a_strategy_that_is_edited_and_loaded_again_is_compiled_again(tmp_path):
    # An edit of a constant leaves the byte code as it is, by which numba knows a function.
    fired = []
    for constant in ("3", "14"):
        (tmp_path / "own.py").write_text(CONSTANT.replace("3\n", f"{constant}\n"))
        strategy = bsbench.make_strategy(f"{tmp_path}/own.py:Mine")
        strategy.begin(bsbench.Rules(5, 5, (2,), touching=True), 2, seed=0)
        fired.append(strategy.shoot(None).tolist())
    assert fired == [[3, 3], [14, 14]]


def test_a_kernel_is_made_once_and_only_when_it_is_needed():
    made = []

    def make():
        time.sleep(0.05)
        made.append("made")
        return max

    late = Late(make)
    assert not hasattr(late, "__fspath__")
    assert not made
    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(lambda n: late(n, 2, key=abs), (-3, 1))] == [-3, 2]
    assert late.made is max
    assert made == ["made"]


BOTH_SIDES = """import numpy as np
from bsbench.kernels.random import start_streams, stream_start
key, lanes, states = np.uint64(1), np.arange(3), np.zeros((1, 64), np.uint64)
for call in {calls}:
    if call == "python": started = stream_start(key, np.int64(1))
    else: start_streams(key, lanes, lanes, states)
assert started in states[0]
"""


def test_a_helper_is_called_by_python_and_by_kernels_in_any_order(tmp_path):
    # What kernels use can't be called by Python, and each has an entry of its own in the cache.
    found = [
        compiled(f"exec({BOTH_SIDES.format(calls=calls)!r})", PACKAGE.parent, tmp_path / "cache")
        for calls in (["python", "kernel"], ["kernel", "python"])
    ]
    assert found == [["bsbench.kernels.random"], []]


EDITED_MEANWHILE = """
import bsbench.kernels.random as module, numpy as np
with open(module.__file__, "a") as file: file.write({comment!r})
module.start_streams(np.uint64(1), np.arange(3), np.arange(3), np.zeros((1, 64), np.uint64))
"""


def test_an_edit_between_import_and_first_call_leaves_no_stale_code(tree, tmp_path):
    code = "exec(" + repr(EDITED_MEANWHILE.format(comment=f"# {uuid.uuid4()}\n")) + ")"
    assert compiled(code, tree, tmp_path / "cache")
    called = EDITED_MEANWHILE.format(comment="")
    # What was compiled is that of the file before the edit.
    assert compiled(f"exec({called!r})", tree, tmp_path / "cache")
    assert compiled(f"exec({called!r})", tree, tmp_path / "cache") == []


SMALL = (
    "import numpy as np; from bsbench.kernels.random import stream_start, stream_key; "
    "print(stream_start(stream_key('a', 1), 5))"
)


def flipped(content: bytes) -> bytes:
    """Return content with a bit flipped in its middle, where machine code is."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGE = {
    "empty": lambda content: b"",
    "begun": lambda content: b"\x80\x05X",
    "random": lambda content: os.urandom(200),
    "half": lambda content: content[: len(content) // 2],
    "flipped": flipped,
}


def test_a_damaged_cache_is_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def compiles() -> bool:
        """Return whether a kernel is compiled when it is made anew, as in another process."""
        made = _dispatcher(stream_start.__wrapped__, _nrt=False)
        assert made(key, 5) == expected
        return bool(made.stats.cache_misses)

    key = stream_key("a", 1)
    expected = stream_start(key, 5)
    assert compiles()
    assert not compiles()
    for kind in ("nbi", "nbc"):
        files = list(tmp_path.rglob(f"*stream_start*.{kind}"))
        assert files
        for name, damage in DAMAGE.items():
            for path in files:
                path.write_bytes(damage(path.read_bytes()))
            assert compiles(), (kind, name)
    assert not compiles()


def test_any_flipped_bit_of_machine_code_is_noticed(tmp_path):
    files = _CheckedFiles(str(tmp_path), "kernel", "stamp")
    files.save("key", b"machine code")
    (path,) = tmp_path.glob("*.nbc")
    content = path.read_bytes()
    assert files.load("key") == b"machine code"
    for place in range(8 * len(content)):
        damaged = bytearray(content)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(bytes(damaged))
        with pytest.raises(ValueError, match="damaged"):
            files.load("key")


def test_the_command_shows_the_cache_and_clears_it(tree, tmp_path, monkeypatch):
    compiled(SMALL, tree, tmp_path / "cache")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "cache" / "bsbench-kernels"
    (folder / "a file of somebody").write_text("")
    told = CliRunner().invoke(main, ["cache"]).stdout
    assert re.fullmatch(rf"{folder}: \d+ entries, 0\.\d MB\n", told)
    assert "cleared" in CliRunner().invoke(main, ["cache", "--clear"]).stdout
    assert [path.name for path in folder.iterdir()] == ["a file of somebody"]
    assert CliRunner().invoke(main, ["cache"]).stdout == f"{folder}: 0 entries, 0.0 MB\n"
    assert compiled(SMALL, tree, tmp_path / "cache")


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_a_cache_that_others_can_write_to_is_not_used(tree, tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    compiled(SMALL, tree, cache)
    folder = cache / "bsbench-kernels"
    assert folder.stat().st_mode & 0o777 == 0o700
    for mode in (0o777, 0o770, 0o702):
        folder.chmod(mode)
        assert compiled(SMALL, tree, cache)
    # Nor is a folder in it that others can enter.
    folder.chmod(0o755)
    assert compiled(SMALL, tree, cache) == []
    for inner in folder.iterdir():
        inner.chmod(0o775)
    assert compiled(SMALL, tree, cache)
    folder.chmod(0o700)
    assert compiled(SMALL, tree, cache) == []
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.warns(bsbench.BsbenchWarning, match="belongs to another user"):
        assert not _is_own(folder)


def test_a_cache_that_can_not_be_written_is_named_once(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    with pytest.warns(bsbench.BsbenchWarning) as caught:
        folders = [folder_for(name, {}) for name in ("one", "other")]
    assert all(folder.is_dir() for folder in folders)
    (told,) = caught
    assert_sentence(str(told.message), str(tmp_path / "file"), "NUMBA_CACHE_DIR")


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_the_cache_is_made_for_its_user_alone_whatever_the_umask(tmp_path, monkeypatch):
    """Where users have groups of their own, the umask is often 002."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    before = os.umask(0o002)
    try:
        folder = _cache.folder_for("mine", {})
    finally:
        os.umask(before)
    assert folder.parent == tmp_path / "bsbench-kernels"
    assert [each.stat().st_mode & 0o777 for each in (folder, folder.parent)] == [0o700] * 2


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
@pytest.mark.parametrize(("mode", "whose"), [(0o770, "its group"), (0o707, "everybody")])
def test_who_can_write_to_the_cache_is_named(mode, whose, tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.warns(bsbench.BsbenchWarning) as caught:
        assert not _is_own(folder)
    assert_sentence(str(caught[0].message), str(folder), whose, f"chmod go-w {folder}")


USERS_OWN = """
import numba
from bsbench.kernels import is_set, full_boards

@numba.njit(cache=True)
def is_open(boards):
    return is_set(boards, 0, 3)
"""


def test_functions_with_numbas_own_decorator_may_call_kernels(tmp_path):
    (tmp_path / "own.py").write_text(USERS_OWN)
    code = (
        f"sys.path.insert(0, {str(PACKAGE.parent)!r}); import own; "
        "assert own.is_open(own.full_boards(1, 25)); "
        "assert 'bsbench-kernels' in own.is_open.stats.cache_path"
    )
    assert "own" in compiled(code, tmp_path, tmp_path / "cache")
    assert compiled(code, tmp_path, tmp_path / "cache") == []


def test_two_processes_may_compile_at_once(tree, tmp_path):
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }
    both = [
        subprocess.Popen([sys.executable, "-c", SMALL], env=environment, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    printed = {process.communicate()[0] for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert len(printed) == 1
    assert compiled(SMALL, tree, tmp_path / "cache") == []
