"""Files from strangers: what is no regular file, too large or too deep is refused at once."""

from __future__ import annotations

import ast
import os
import re
import socket
import tracemalloc
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.reading import parse_json, parse_toml, read_bytes, read_text
from bsbench.common.texts import for_terminal
from bsbench.layouts.file import read_layouts
from bsbench.rules.board import Rules
from bsbench.rules.scenario import find_scenario
from tests.support.refusals import assert_refused, refused

PACKAGE = Path(bsbench.__file__).parent


@contextmanager
def little_memory(megabytes: int = 20):
    """Fail if Python and numpy take more memory than this in between."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes * 1e6
    finally:
        tracemalloc.stop()


# --- what is opened -------------------------------------------------------------------------------


@pytest.fixture
def odd(in_folder):
    """Return paths of what is no regular file, each with a word of the reason."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("pipes with names are for POSIX")
    os.mkfifo("pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("socket")
    Path("folder").mkdir()
    Path("link").symlink_to("pipe")
    yield {
        "pipe": "pipe",
        "link": "pipe",
        "/dev/zero": "device",
        "/dev/null": "device",
        "folder": "directory",
        "socket": "device",
        "a\0b": "name",
        "none": "file",
    }
    listener.close()


def test_only_regular_files_are_opened(odd):
    for path, why in odd.items():
        with refused(for_terminal(path), why):
            read_bytes(path, 10)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("pipe", "show pipe"),
        ("pipe", "run -s linear --placement file:pipe"),
        ("pipe", "run --config pipe"),
        ("/dev/zero", "solve /dev/zero"),
        ("x.toml", "run -s linear --scenario x.toml"),
        ("x.py", "run -s x.py:X"),
        ("x.onnx", "run -s x.onnx"),
        ("game.json", "play --resume --typed"),
    ],
)
def test_commands_wait_for_no_pipe(odd, in_folder, name, arguments, monkeypatch):
    if not Path(name).exists():
        os.mkfifo(name)
    monkeypatch.setattr("bsbench.cli.play.saved_game_path", lambda: in_folder / "game.json")
    done = CliRunner().invoke(main, arguments.split())
    assert_refused(done, name, "device" if name == "/dev/zero" else "pipe")


def test_sizes_are_limited_before_anything_is_read(in_folder):
    Path("small").write_bytes(b"12345")
    assert read_bytes("small", 5) == b"12345"
    with refused("small", "4e-06 MB"):
        read_bytes("small", 4)
    # A sparse file of a terabyte.
    with open("large.toml", "wb") as file:
        file.truncate(10**12)
    with little_memory(), refused("large.toml", "1 MB"):
        find_scenario("large.toml")
    with open("layouts", "wb") as file:
        file.truncate(10**12)
    with little_memory(), refused("layouts", "128 MB"):
        read_layouts("layouts", Rules(5, 6, (4, 2), touching=False))


def test_standard_input_is_limited_too():
    done = CliRunner().invoke(main, ["solve"], input=b"1" * 10_000_001)
    assert_refused(done, "standard input", "10 MB")


def test_text_is_utf_8_with_any_line_ends(in_folder):
    Path("text").write_bytes("\ufeffä\r\nb\rc\n".encode())
    assert read_text("text", 100) == "ä\nb\nc\n"
    Path("text").write_bytes(b"\xff")
    with refused("text", "UTF-8"):
        read_text("text", 100)


# --- how deep -------------------------------------------------------------------------------------

STRINGS = ['"""a"""', "'''a'''", "'a'", '"a"', '"""a""""', "'''''a'''''", '"\\""', '"#"', "'\\'"]


@pytest.mark.parametrize(
    "text",
    [
        *("a." * 50_000 + "b = 1", "[" + "a." * 50_000 + "b]", "x = {" + "a . " * 20 + "b = 1}"),
        '"a" . ' * 20 + "b = 1",
        *(f"s = {each} # x'\"\n{'a.' * 20}b = 1" for each in STRINGS),
        *(f"x = {{s = {each}, {'a.' * 20}b = 1}}" for each in STRINGS),
    ],
)
def test_long_dotted_keys_are_not_parsed(text, monkeypatch):
    monkeypatch.setattr("tomllib.loads", lambda text: pytest.fail("it is parsed"))
    with refused("key", "16", kind=ValueError):
        parse_toml(text)


@pytest.mark.parametrize("bracket", ["[", "{a=", "[{a="])
def test_deep_toml_is_not_parsed(bracket, monkeypatch):
    monkeypatch.setattr("tomllib.loads", lambda text: pytest.fail("it is parsed"))
    with refused("50", kind=ValueError):
        parse_toml("x = " + bracket * 51)


@pytest.mark.parametrize(
    "content", [b"[" * 100_000, b'{"a":' * 51, b'["\\"]",' + b"[" * 51, b"[" + b"[]," * 10**6]
)
def test_deep_json_is_not_parsed(content, monkeypatch):
    monkeypatch.setattr("json.loads", lambda text: pytest.fail("it is parsed"))
    with refused("50", kind=ValueError):
        parse_json(content)


def test_what_only_looks_deep_is_read():
    assert parse_json(b'["' + b"[" * 100 + b'", "\\"[[[", [[1]]]')[2] == [[1]]
    dots = "a." * 100
    for text in (f'"{dots}"', f"'{dots}'", f'"""{dots}\n{dots}"""', f"'''{dots}'''"):
        assert parse_toml(f"x = {text}")["x"].startswith(dots)
    assert parse_toml(f"# {dots}\n{'a.' * 15}b = 1.5\nx = [{'1.5, ' * 100}]")["x"] == [1.5] * 100
    assert parse_toml("x = " + "[" * 50 + "]" * 50)


def test_numbers_that_cant_be_printed_are_refused():
    with refused("number", "100", kind=ValueError):
        parse_toml("x = 0x" + "f" * 10_000)
    assert parse_toml("x = 0xff\ny = '0x" + "f" * 200 + "'")["x"] == 255


# --- nothing is unpickled -------------------------------------------------------------------------


def calls(path: Path):
    """Yield the calls in a file: how the function is written, and its keywords."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), {each.arg: each.value for each in node.keywords}


def test_no_pickle_of_a_file_is_loaded():
    """Only cached machine code, and what Dask passes on within a cluster, is unpickled."""
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name not in ("_machine_code.py", "cluster.py"):
            for module in ("pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"):
                assert f"import {module}" not in text, path
        for function, keywords in calls(path):
            if function in ("np.load", "numpy.load"):
                assert keywords["allow_pickle"].value is False, path
            if function == "torch.load":
                assert keywords["weights_only"].value is True, path
            # Those of Stable-Baselines3 unpickle what their files name.
            assert not function.endswith((".load_replay_buffer", "PPO.load", "load_from_zip_file"))


def test_nothing_but_os_path_asks_what_a_path_is():
    """Methods of `Path` raise where no file can have a name, as one that is too long."""
    asks = re.compile(r"\.(exists|is_file|is_dir|is_symlink)\(\)|\bPath\.(exists|is_file|is_dir)\b")
    for path in PACKAGE.rglob("*.py"):
        found = asks.search(path.read_text(encoding="utf-8"))
        assert not found, f"{path.name} has {found[0]}: ask os.path"
