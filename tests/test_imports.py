"""The structure that the design promises, read from the code itself."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import bsbench
from bsbench import _MODULE_OF, connect4
from bsbench.cli import _NAMES

PACKAGE = Path(__file__).parent.parent / "bsbench"

# Each subpackage may import those above it, and itself. `bsbench` is the package's own
# __init__, which says nothing but the version until a name is asked for.
LAYERS = [
    {""},
    {"common"},
    {"rules", "stats"},
    {"kernels"},
    {"counting"},
    {"layouts", "strategies"},
    {"own"},
    {"llm", "matches"},
    {"roster"},
    {"play"},
    {"runs"},
    {"present", "env"},
    {"reproduce", "rl"},
    {"cli"},
    {"connect4", "__main__"},
]
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


def _part(module: str) -> str:
    """Return the part of the package that a dotted name of it belongs to."""
    names = module.split(".")[1:]
    return names[0] if names and names[0] in RANK else ""


@cache
def _imports(path: Path) -> set[str]:
    """Return the dotted names that a file imports, wherever the import stands."""
    found = set()
    # A name that the package's front door hands on counts as the part it is from.
    home = {f"bsbench.{name}": f"bsbench.{part}" for name, part in _MODULE_OF.items()}
    for node in ast.walk(ast.parse((PACKAGE / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {home.get(name, name) for name in names}
    return found


def test_imports_flow_one_way():
    for path in MODULES:
        if path.name == "__init__.py" and path.parent == Path():
            continue  # the lazy front door reaches everything, when asked
        own = path.parts[0].removesuffix(".py")
        assert own in RANK, f"say in LAYERS where {own} stands"
        for name in _imports(path):
            if name.split(".")[0] == "bsbench":
                other = _part(name)
                assert RANK[other] < RANK[own] or other == own, f"{path} imports {name}"


CIRCLES = {
    frozenset({"kernels._jit", "kernels._machine_code"}),
    frozenset({"connect4.replaying", "connect4.replaying.page"}),
    frozenset({"present.replaying", "present.replaying.analysis", "present.replaying.page"}),
    frozenset({"present.charts._drawing", "present.charts._saving", "present.charts._sheets"}),
    frozenset(
        f"runs.{name}"
        for name in (
            *("alarms", "checkpoints", "cluster", "comparison", "engines", "heat", "panel"),
            *("pieces", "playing", "records", "request", "results", "worker"),
        )
    ),
}
"""Files that import each other, wherever in them the imports stand. No circle may be added, and
one that is untied, or has become smaller, must be taken from here."""


def test_no_more_files_import_each_other_in_a_circle():
    files = {".".join(path.with_suffix("").parts): path for path in MODULES}
    files = {name.removesuffix("__init__").removesuffix("."): path for name, path in files.items()}
    graph = {}
    for name, path in files.items():
        names = {each.removeprefix("bsbench.") for each in _imports(path)}
        # What is imported from a file is no file itself.
        graph[name] = {each if each in files else each.rpartition(".")[0] for each in names}
        graph[name] = (graph[name] & files.keys()) - {name, ""}
    assert sum(map(len, graph.values())) > 2_000
    reached = {name: _reached(name, graph) for name in graph}
    circles = {
        frozenset(other for other in within if name in reached[other])
        for name, within in reached.items()
        if name in within
    }
    assert circles == CIRCLES


def _reached(name: str, graph: dict[str, set[str]]) -> set[str]:
    """Return what a file imports, and what that imports, and so on."""
    found: set[str] = set()
    todo = [*graph[name]]
    while todo:
        each = todo.pop()
        if each not in found:
            found.add(each)
            todo += graph[each]
    return found


# In the others, a file is found by being there, or stands in what it exports.
LISTED = (
    "common",
    "counting",
    "layouts",
    "llm",
    "matches",
    "own",
    "play",
    "present",
    "reproduce",
    "rules",
    "runs",
)


@pytest.mark.parametrize("subpackage", [*LISTED, "strategies"])
def test_a_subpackage_says_which_file_holds_what(subpackage):
    text = (PACKAGE / subpackage / "__init__.py").read_text(encoding="utf-8")
    listed = set(re.findall(r"`(\w+)`", ast.get_docstring(ast.parse(text))))
    names = {path.parts[1].removesuffix(".py") for path in MODULES if path.parts[0] == subpackage}
    assert names - {"__init__", "__main__"} <= listed


def test_strategies_can_reach_neither_layouts_nor_the_referee():
    for path in MODULES:
        if path.parts[0] == "strategies":
            parts = {_part(name) for name in _imports(path) if name.startswith("bsbench")}
            # Counting knows all layouts, but not which one is played.
            assert parts <= {"", "common", "rules", "stats", "kernels", "counting", "strategies"}


BATTLESHIP = {"rules", "layouts", "strategies", "roster", "play", "runs"}


def _knows_no_game(name: str) -> bool:
    """Return whether a file of `own` reaches nothing of Battleship, as far as it is imported."""
    file = Path("own", f"{name}.py")
    names = _imports(file if file in MODULES else Path("own", name, "__init__.py"))
    others = {each.split(".")[2] for each in names if each.startswith("bsbench.own.")}
    parts = {_part(each) for each in names if each.startswith("bsbench.")}
    return not parts & BATTLESHIP and all(map(_knows_no_game, others))


def test_the_two_games_know_nothing_of_each_other():
    for path in MODULES:
        names = {name for name in _imports(path) if name.startswith("bsbench.")}
        if not {"connect4", "matches"}.isdisjoint(path.parts):
            of_own = {name.split(".")[2] for name in names if _part(name) == "own"}
            assert all(map(_knows_no_game, of_own)), path
            assert not {_part(name) for name in names} & BATTLESHIP, path
        else:
            assert "connect4" not in {_part(name) for name in names}, path


FLAGS = ("njit", "nogil=", "cache=True", "fastmath", ".CACHE_DIR", "error_model", "parallel=")


def test_numba_flags_stand_in_one_file():
    for path in MODULES:
        text = (PACKAGE / path).read_text(encoding="utf-8")
        if path != Path("kernels/_jit.py"):
            for flag in FLAGS:
                assert flag not in text, path


def _modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n' + ' '.join(sys.modules))"
    printed = subprocess.check_output([sys.executable, "-c", script], text=True)
    return {name.partition(".")[0] for name in printed.splitlines()[-1].split()}


HEAVY = {"numba", "llvmlite", "pandas", "matplotlib", "numpy", "rich", "gymnasium", "torch"}


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        *([name] for name in _NAMES),
        ["rl", "train"],
    ],
)
def test_help_imports_nothing_heavy(arguments):
    code = (
        "from bsbench.cli import main\n"
        f"main([*{arguments}, '--help'], prog_name='bsbench', standalone_mode=False)"
    )
    assert not _modules_after(code) & HEAVY


def test_importing_statistics_and_laws_loads_numpy_at_most():
    loaded = _modules_after("import bsbench.stats, bsbench.runs.exact")
    assert loaded & HEAVY == {"numpy"}


def test_a_chart_is_drawn_without_pyplot():
    _modules_after(
        "from bsbench.present.charts import house_style, new_figure, write_figure\n"
        "import io\n"
        "with house_style(): figure = new_figure()\n"
        "write_figure(figure, io.BytesIO(), 'png')\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )


def test_importing_the_package_is_light():
    assert not _modules_after("import bsbench") & HEAVY


@pytest.mark.parametrize(
    "arguments",
    [
        ["-s", "prob", "--scenario", "nowhere"],
        ["-s", "prob", "--config", "nowhere.toml"],
        ["-s", "prob", "--set", "noise"],
        [],
    ],
)
def test_what_is_wrong_is_told_before_numba_is_loaded(arguments):
    code = (
        "from bsbench.cli import main\n"
        f"try: main(['run', *{arguments}], prog_name='bsbench')\n"
        "except SystemExit as end: assert end.code == 2\n"
        "else: raise AssertionError"
    )
    assert "numba" not in _modules_after(code)


RECORD = str(PACKAGE.parent / "results" / "harbour" / "prob.json")


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["list", "prob"],
        ["list", "harbour"],
        ["connect4", "list"],
        ["show", RECORD],
        ["report", RECORD, "-o", "report.html"],
        ["chart", "--kind", "histogram", RECORD, "-o", "chart.png"],
        ["cache"],
    ],
    ids=" ".join,
)
def test_commands_that_play_nothing_do_without_numba(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(PACKAGE.parent))
    code = f"from bsbench.cli import main\nmain({arguments}, standalone_mode=False)"
    assert not _modules_after(code) & {"numba", "llvmlite"}


def test_what_kernels_import_late_exists():
    # A wrong name would be noticed only when a kernel is compiled.
    late = {f"bsbench.kernels.{name}" for name in ("bits", "lanes", "numbers")}
    found = set()
    for path in MODULES:
        for node in ast.walk(ast.parse((PACKAGE / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module in late:
                found |= {(node.module, alias.name) for alias in node.names}
    assert {module for module, _ in found} == late
    for module, name in found:
        front = importlib.import_module(module)
        back = importlib.import_module(module.replace("kernels.", "kernels._"))
        assert name in vars(front) or callable(getattr(back, name)), (module, name)


def test_the_public_names_exist():
    import bsbench

    for name in bsbench.__all__:
        assert getattr(bsbench, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bsbench.nothing  # noqa: B018


@pytest.mark.parametrize("package", [bsbench, connect4])
def test_public_names_are_listed_before_they_are_imported(package):
    assert set(package.__all__) <= set(dir(package))


# Texts with an option of the command line that are no messages: commands that are shown to be
# copied, programs with options of their own, and CSS.
COMMANDS = {
    "matches/game.py": {"--game", "--opening", "--seed"},
    "present/explorer/page.py": {"--game", "--seed", "--strategy"},
    "present/replaying/page.py": {"--game", "--opinion", "--seed"},
    "present/report/replays.py": {"--game"},
    "rules/scenario.py": {"--no-touching", "--scenario", "--touching"},
    "runs/merging.py": {"--first-game", "--games", "--seed", "--strategy"},
    "runs/request.py": {"--game", "--seed", "--strategy"},
    "runs/tuning.py": {"--set"},
}
IN_A_MESSAGE = {
    "common/settings.py": {"'bsbench run --config ", "'bsbench run --scenario "},
    "runs/verifying.py": {"'bsbench run --from RECORD'"},
}
NO_MESSAGES = {"present/looks.py", "present/pages/__init__.py", "rl/values.py", "runs/rollouts.py"}


def test_only_the_command_line_spells_options():
    found: dict[str, set[str]] = {}
    for path in map(Path.as_posix, MODULES):
        if path.startswith(("cli/", "connect4/cli/")) or path in NO_MESSAGES:
            continue
        code = (PACKAGE / path).read_text(encoding="utf-8")
        if not re.search(r"--[a-z]", code):
            continue
        tree = ast.parse(code)
        documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
                for command in IN_A_MESSAGE.get(path, ()):
                    text = text.replace(command, "")
                if id(node) not in documents and re.search(r"--[a-z]", text):
                    # Whole, unless it is the words of a command.
                    alone = re.fullmatch(r" ?(--[a-z-]+) ?", text)
                    found.setdefault(path, set()).add(alone[1] if alone else text)
    assert found == COMMANDS
