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

from bsbench import _MODULE_OF, connect4, kernels
from bsbench.cli import main
from bsbench.present import charts
from tests.support import ROOT

PACKAGE = ROOT / "bsbench"

# Each subpackage may import those above it, and itself. The front door, `bsbench` itself, is none
# of them: a name that it hands on counts as one of the file that it is from.
LAYERS = [
    {"common"},
    {"rules", "stats"},
    {"kernels"},
    {"counting"},
    {"layouts", "strategies"},
    {"own"},
    {"llm"},
    {"roster"},
    {"play"},
    {"runs"},
    {"present", "env"},
    {"reproduce"},
    {"cli"},
    {"studies"},
    {"connect4", "__main__"},
]
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


FILES = {".".join(("bsbench", *path.with_suffix("").parts)): path for path in MODULES}
FILES = {name.removesuffix(".__init__"): path for name, path in FILES.items()}
# Packages that hand on what their files define, when asked: by name, the file.
DOORS = {
    "bsbench": _MODULE_OF,
    "bsbench.connect4": connect4._MODULE_OF,
    "bsbench.kernels": kernels._MODULE_OF,
    "bsbench.present.charts": charts._HOMES,
}
# Imports of later rooms, by name: the module of strategies called `llm:…`, a command, the folder
# of all studies, and what a report shows of a match.
LATER = {
    ("bsbench.cli", "bsbench.connect4.cli"),
    ("bsbench.common.discovery", "bsbench.studies"),
    ("bsbench.own.loading", "bsbench.llm.model"),
    ("bsbench.cli.report", "bsbench.studies.match.sheet"),
}


def _part(file: str) -> str:
    """Return the part of the package that a file belongs to."""
    return file.split(".")[1]


def _file_of(name: str) -> str:
    """Return the file that a dotted name is, or is from; nothing if that is none of bsbench."""
    while name and name not in FILES:
        name, _, last = name.rpartition(".")
        if last in DOORS.get(name, ()):
            return f"{name}.{DOORS[name][last]}"
    return name


def _names(code: str) -> set[str]:
    """Return the dotted names that a file imports or uses, in whatever form and wherever.

    A package that finds its own files by what lies in its folder names none of them.
    """
    tree = ast.parse(code)
    found: set[str] = set()
    # What a word stands for: after `import bsbench`, `bsbench.run` is a name, too.
    bound: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
            bound |= {alias.asname: alias.name for alias in node.names if alias.asname}
            tops = {alias.name.partition(".")[0] for alias in node.names if not alias.asname}
            bound |= {top: top for top in tops}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            names = {alias.asname or alias.name: alias.name for alias in node.names}
            bound |= {word: f"{node.module}.{name}" for word, name in names.items()}
            found |= {f"{node.module}.{name}" for name in names.values()}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            word, _, rest = ast.unparse(node).partition(".")
            if word in bound:
                found.add(f"{bound[word]}.{rest}")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            # For `importlib.import_module`, or whatever puts the package's name before it.
            found |= {node.value, f"bsbench.{node.value}"} & FILES.keys()
    return found


@cache
def _imports(file: str) -> set[str]:
    """Return the files of bsbench that a file imports; the front door alone is none of them."""
    names = _names((PACKAGE / FILES[file]).read_text(encoding="utf-8"))
    return {_file_of(name) for name in names} - {"", "bsbench", file}


def test_imports_flow_one_way():
    upwards = set()
    for file in FILES.keys() - {"bsbench"}:
        own = _part(file)
        assert own in RANK, f"say in LAYERS where {own} stands"
        for other in _imports(file):
            if RANK[_part(other)] >= RANK[own] and _part(other) != own:
                upwards.add((file, other))
    assert upwards == LATER


@pytest.mark.ci
def test_no_files_import_each_other_in_a_circle():
    graph = {file: _imports(file) for file in FILES.keys() - {"bsbench"}}
    assert sum(map(len, graph.values())) > 2_000
    # Those that import nothing are taken away, then those that import only these, and so on.
    while first := {file for file, imported in graph.items() if not imported}:
        graph = {file: imported - first for file, imported in graph.items() if file not in first}
    assert not graph, "these files import each other, or such as do"


# In these, a file is found by being there, or stands in what it exports.
NOT_LISTED = {"cli", "connect4", "env", "kernels", "stats", "studies"}
LISTED = {path.parts[0] for path in MODULES if len(path.parts) > 1} - NOT_LISTED


@pytest.mark.parametrize("subpackage", sorted(LISTED))
def test_a_subpackage_says_which_file_holds_what(subpackage):
    text = (PACKAGE / subpackage / "__init__.py").read_text(encoding="utf-8")
    listed = set(re.findall(r"`(\w+)`", ast.get_docstring(ast.parse(text))))
    names = {path.parts[1].removesuffix(".py") for path in MODULES if path.parts[0] == subpackage}
    assert names - {"__init__", "__main__"} <= listed


def test_a_study_imports_another_only_where_it_builds_on_it():
    for file in FILES:
        if file.startswith("bsbench.studies."):
            study = file.split(".")[2]
            text = (PACKAGE / "studies" / study / "__init__.py").read_text(encoding="utf-8")
            said = ast.get_docstring(ast.parse(text))
            others = {name.split(".")[2] for name in _imports(file) if _part(name) == "studies"}
            others -= {study}
            assert others <= set(re.findall(r"Builds on `(\w+)`", said)), file


def test_strategies_can_reach_neither_layouts_nor_the_referee():
    for file in FILES.keys() - {"bsbench"}:
        if _part(file) == "strategies":
            # Counting knows all layouts, but not which one is played.
            parts = set(map(_part, _imports(file)))
            assert parts <= {"common", "rules", "stats", "kernels", "counting", "strategies"}


BATTLESHIP = {"rules", "layouts", "strategies", "own", "roster", "play", "runs", "studies"}


def test_the_two_games_know_nothing_of_each_other():
    for file in FILES.keys() - {"bsbench"}:
        names = _imports(file)
        parts = set(map(_part, names))
        if _part(file) == "connect4":
            assert not parts & BATTLESHIP, file
        elif file != "bsbench.cli":
            assert "connect4" not in parts, file


COMPARING = {
    "cli/compare.py": "of some records, the one with the most feedback",
    "cli/list.py": "a column for each kind",
    "present/page/scenes.py": "whether results have the same kind",
    "runs/alarms.py": "a table with a mean for each kind",
    "runs/contestants.py": "of some results, the one with the most feedback",
    "runs/known.py": "whether records have the same kind",
    "studies/best/study.py": "whether a record has the kind that is asked for",
    "studies/match/study.py": "whether a record holds for the kind that is asked for",
    "studies/survey/study.py": "a player on record, by its label and the kind",
}
"""Modules that compare kinds of feedback, and for what. All others ask a kind what it reveals."""


KINDS = {"feedback", "needs"}
MEMBERS = {"HIT", "TOLD", "LENGTH", "SUNK", "SHIP"}
ORDERING = {"frozenset", "max", "min", "set", "sorted"}


def comparing_lines(code: str) -> list[int]:
    """Return the lines that compare kinds of feedback, order them, or look up something by one.

    A kind is what is called ``feedback`` or ``needs`` (but for the needs of charts), a member of
    `Feedback`, and a variable that got one.
    """
    nodes = list(ast.walk(ast.parse(code)))
    charts = any(isinstance(node, ast.Name) and node.id == "Needs" for node in nodes)
    known = KINDS - ({"needs"} if charts else set())
    for node in nodes:
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                pairs = [*zip(targets, values, strict=False)]
            case ast.Assign([target], value) | ast.NamedExpr(target, value):
                pairs = [(target, value)]
            case _:
                continue
        known |= {ast.unparse(one) for one, other in pairs if _is_kind(other, known)}
    return sorted({node.lineno for node in nodes if _compares(node, known)})


def _is_kind(node: ast.AST, known: set[str]) -> bool:
    match node:
        case ast.Name(name):
            return name in known
        case ast.Attribute(ast.Name("Feedback"), name):
            return name in MEMBERS
        case ast.Attribute(_, name):
            return name in known & KINDS
        case ast.Call(ast.Attribute(ast.Name("Feedback"), "parse")):
            return True
        case ast.Call(ast.Name("str"), [value]):
            return _is_kind(value, known)
    return False


def _holds(node: ast.AST, known: set[str]) -> bool:
    """Return whether an expression is a kind, or made of kinds by more than asking them."""
    if _is_kind(node, known):
        return True
    if isinstance(node, ast.Attribute | ast.Call | ast.Compare):
        return False
    return any(_holds(each, known) for each in ast.iter_child_nodes(node))


def _compares(node: ast.AST, known: set[str]) -> bool:
    """Return whether an expression or statement itself compares kinds."""
    match node:
        case ast.Compare(_, [ast.Is() | ast.IsNot()], [ast.Constant(None)]):
            return False
        case ast.Compare(left, _, others):
            asked = [left, *others]
        case ast.Match(subject):
            asked = [subject]
        case ast.Subscript(_, key):
            asked = [key]
        case ast.Dict(keys):
            asked = [key for key in keys if key is not None]
        case ast.SetComp(part):
            asked = [part]
        case ast.Call(ast.Name(name), arguments, keywords) if name in ORDERING:
            asked = [*arguments, *(each.value for each in keywords)]
        case ast.Tuple(parts) | ast.List(parts) | ast.Set(parts):
            return sum(ast.unparse(part)[9:] in MEMBERS for part in parts) > 1
        case _:
            return False
    return any(_holds(each, known) for each in asked)


def test_modules_ask_feedback_what_it_reveals():
    found = {}
    for path in MODULES:
        if lines := comparing_lines((PACKAGE / path).read_text(encoding="utf-8")):
            found[path.as_posix()] = lines
    assert found.keys() == COMPARING.keys(), found
    assert len(COMPARING) <= 15


FLAGS = ("njit", "nogil=", "cache=True", "fastmath", ".CACHE_DIR", "error_model", "parallel=")


def test_numba_flags_stand_in_one_file():
    for path in MODULES:
        text = (PACKAGE / path).read_text(encoding="utf-8")
        if path != Path("kernels/_jit.py"):
            for flag in FLAGS:
                assert flag not in text, path


@pytest.mark.ci
def test_no_kernel_copies_into_a_slice():
    """numba compiles the text of an error of shapes for it, which takes 3 seconds: loop instead."""
    for file in (ROOT / "bsbench").rglob("*.py"):
        for kernel in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(kernel, ast.FunctionDef) or not {
                getattr(each, "id", None) for each in kernel.decorator_list
            } & {"kernel", "helper", "allocating"}:
                continue
            for node in ast.walk(kernel):
                if isinstance(node, ast.Assign) and _is_slice(node.value):
                    assert not any(map(_is_slice, node.targets)), f"{file}:{node.lineno}"


def _is_slice(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and any(
        isinstance(each, ast.Slice) for each in ast.walk(node.slice)
    )


def _modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n' + ' '.join(sys.modules))"
    printed = subprocess.check_output([sys.executable, "-c", script], text=True)
    return {name.partition(".")[0] for name in printed.splitlines()[-1].split()}


HEAVY = {"numba", "llvmlite", "pandas", "matplotlib", "numpy", "rich", "gymnasium", "torch"}


def test_help_imports_nothing_heavy():
    _modules_after(
        "from bsbench.cli import main\n"
        f"for words in [[], *([name] for name in {main.list_commands(None)})]:\n"
        "    main([*words, '--help'], prog_name='bsbench', standalone_mode=False)\n"
        f"    assert not {HEAVY} & {{*sys.modules}}, words"
    )


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


def test_what_is_wrong_is_told_before_numba_is_loaded():
    wrong = "-s prob --scenario nowhere", "-s prob --config nowhere.toml", "-s prob,noise", ""
    _modules_after(
        "from bsbench.cli import main\n"
        f"for words in {wrong}:\n"
        "    try: main(['run', *words.split()], prog_name='bsbench')\n"
        "    except SystemExit as end: assert end.code == 2\n"
        "    else: raise AssertionError\n"
        "    assert 'numba' not in sys.modules, words"
    )


RECORD = str(PACKAGE.parent / "results" / "harbour" / "prob.json")


def test_results_show_themselves_whatever_was_imported():
    # What shows them is loaded when one is looked at, not before.
    _modules_after(
        "from bsbench.runs.records import load_result\n"
        f"result = load_result({RECORD!r})\n"
        "loaded = 'bsbench.present' in sys.modules\n"
        "assert not loaded and 'harbour' in str(result) and '<svg' in result._repr_html_()"
    )


def test_commands_that_play_nothing_do_without_numba(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(PACKAGE.parent))
    chart = f"chart --kind histogram {RECORD} -o chart.png"
    _modules_after(
        "from bsbench.cli import main\n"
        f"for words in 'list', 'list prob', 'list harbour', 'best', 'show {RECORD}', '{chart}',"
        " 'survey', 'cache':\n"
        "    main(words.split(), standalone_mode=False)\n"
        "    assert not {'numba', 'llvmlite'} & {*sys.modules}, words"
    )


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


# Texts with an option of the command line that are no messages: commands that are shown to be
# copied or called, programs with options of their own, and CSS.
COMMANDS = {
    "present/page/html.py": {"--game", "--seed", "--strategy", " { --look: var(--look-"},
    "present/replaying/page.py": {"--game", "--opinion", "--seed"},
    "rules/scenario.py": {"--scenario"},
    "runs/request.py": {"--game", "--seed", "--strategy"},
    "studies/best/study.py": {"--seed"},
    "studies/survey/claims.py": {"--board", "--scenario"},
    "studies/survey/playing.py": {"--export-csv", "--no-save"},
    "runs/results.py": {"--first-game", "--games", "--seed", "--strategy"},
}
IN_A_MESSAGE = {
    "common/settings.py": {"'bsbench run --config ", "'bsbench run --scenario "},
    "studies/survey/study.py": {"'bsbench survey --sources'"},
    "studies/verify/study.py": {"'bsbench verify --all'"},
}
NO_MESSAGES = {"present/looks.py", "present/pages/__init__.py"}


def test_only_the_command_line_spells_options():
    found: dict[str, set[str]] = {}
    for path in map(Path.as_posix, MODULES):
        commands = path.startswith("cli/") or path.endswith(("connect4/cli.py", "/command.py"))
        if commands or path in NO_MESSAGES:
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


def test_the_page_on_the_house_is_short_and_its_picture_that_of_the_code():
    # It imports this file.
    from tests.rooms import PICTURE, picture

    assert PICTURE.read_text(encoding="utf-8") == picture()
    page = PICTURE.with_name("how-it-is-built.md").read_text(encoding="utf-8")
    assert len(page.split()) <= 900
    named = set(re.findall(r"`([a-z0-9]+/(?:\w+\.py)?)`", page))
    assert len(named) > 15
    of_code = {name for name in named if "NAME" not in name and not name.startswith("tests/")}
    assert not {name for name in of_code if not (PACKAGE / name).exists()}
