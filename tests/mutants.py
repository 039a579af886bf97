"""How many small errors the tests find: ``python -m tests.mutants`` makes them, one at a time.

A *mutant* is bsbench with one place changed: ``<`` is ``<=``, a number is one more, a check is
gone. The quick tests run once, and each line of the core is noted with the tests that run it. Then
each mutant runs those tests, in a process of its own, until one fails: the mutant is *found*. What
survives shows what no test looks at, or that the change changes nothing.

Mutants live in memory: no file is touched. Child processes of a test play what is on disk.
For a mutant in a kernel, which no tool can follow line by line, the tests of its file are run, and
the twins of a few strategies that use it. All that they need is compiled, in a folder that is
thrown away.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib.abc
import importlib.util
import json
import multiprocessing
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import zlib
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

ROOT = Path(__file__).resolve().parents[1]

CORE = [
    "bsbench/rules/*.py",
    "bsbench/stats/*.py",
    *(f"bsbench/runs/{name}.py" for name in ("tally", "records", "results", "merging")),
    *(f"bsbench/runs/{name}.py" for name in ("comparison", "comparing")),
    "tests/support/naive/play.py",  # the referee's twin
]
"""Files in plain Python from whose places mutants are drawn."""

KERNELS = ["bsbench/kernels/*.py", "bsbench/layouts/*.py", "bsbench/strategies/*.py"]
KERNELS += ["bsbench/play/referee.py", "bsbench/play/planned.py"]

BUDGET = 30.0
"""Seconds of tests, measured without a mutant, that a mutant may have; the nearest come first."""

_FILES_AT_ONCE = 5

SURVIVORS = Path(__file__).with_name("survivors.txt")
"""Mutants that survived and were looked at: a line is a name, a tab and why no test finds it."""

_CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL}
"""How a process ends whose kernel reads or writes where it must not."""

_MOST_PLAYED = 3
"""Strategies that look for a mutant of a kernel."""

_DECORATORS = {"kernel", "helper", "allocating"}
_SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


class Change(NamedTuple):
    """One place of a syntax tree, and what may stand there instead."""

    parent: ast.AST
    field: str
    index: int | None
    new: ast.AST
    lines: range
    function: str

    @property
    def old(self) -> ast.AST:
        there = getattr(self.parent, self.field)
        return there if self.index is None else there[self.index]

    def apply(self) -> None:
        if self.index is None:
            setattr(self.parent, self.field, self.new)
        else:
            getattr(self.parent, self.field)[self.index] = self.new


@dataclass(frozen=True)
class Mutant:
    """A change of a file: its number among all that the file allows."""

    file: str
    number: int
    name: str
    lines: range = field(compare=False)
    at_import: bool
    kernel: bool

    @property
    def module(self) -> str:
        return self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def rank(self) -> int:
        """The order in which mutants are drawn: chance, but always the same."""
        return zlib.crc32(self.name.encode())

    def code(self, path: Path) -> Any:
        tree = ast.parse(path.read_bytes())
        changes(tree)[self.number].apply()
        return compile(ast.fix_missing_locations(tree), str(path), "exec")


# --- what may be changed --------------------------------------------------------------------------


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _instead(node: ast.AST, function: str) -> Iterator[ast.AST]:
    """Yield what may stand in place of a node; texts stay, since tests don't look at wording."""
    new = copy.copy(node)
    match node:
        case ast.Compare():
            for i, each in enumerate(node.ops):
                ops = [*node.ops[:i], _SWAPS[type(each)](), *node.ops[i + 1 :]]
                yield ast.Compare(node.left, ops, node.comparators)
        case ast.BinOp(left, _, right) if not (_is_text(left) or _is_text(right)):
            if type(node.op) in _SWAPS and (function or not isinstance(node.op, ast.BitOr)):
                new.op = _SWAPS[type(node.op)]()
                yield new
        case ast.BoolOp() | ast.AugAssign() if type(node.op) in _SWAPS:
            new.op = _SWAPS[type(node.op)]()
            yield new
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield operand
        case ast.Constant(bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(int() | float()):
            yield ast.Constant(node.value + 1)
        case ast.Return(ast.expr()) if not isinstance(node.value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Raise() | ast.Expr(ast.Call()):
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()


def _is_kernel(node: ast.AST) -> bool:
    names = {each.id for each in getattr(node, "decorator_list", ()) if isinstance(each, ast.Name)}
    return bool(names & _DECORATORS)


def _is_left_out(node: ast.AST, parent: ast.AST, field: str) -> bool:
    """Return whether nothing within a node is changed: types, decorators, texts, their numbers."""
    return (
        field in ("annotation", "returns", "decorator_list", "type_params", "exc", "msg")
        or _is_text(node)
        # It only guards against what can't happen.
        or (isinstance(node, ast.keyword) and node.arg == "strict")
        or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        or (isinstance(node, ast.FunctionDef) and node.name in ("__repr__", "__dir__"))
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).startswith("__"))
    )


def changes(tree: ast.Module) -> list[Change]:
    """Return all changes of a file, in the order of their places."""
    found: list[Change] = []

    def visit(node: ast.AST, function: str, statement: ast.stmt | None) -> None:
        for name, value in ast.iter_fields(node):
            several = isinstance(value, list)
            for i, child in enumerate(value if several else [value]):
                if not isinstance(child, ast.AST) or _is_left_out(child, node, name):
                    continue
                within = child if isinstance(child, ast.stmt) else statement
                if isinstance(child, (ast.expr, ast.stmt)) and within is not None:
                    lines = range(within.lineno, child.end_lineno + 1)
                    if isinstance(child, ast.expr):
                        lines = range(min(within.lineno, child.lineno), child.end_lineno + 1)
                    for new in _instead(child, function):
                        place = Change(node, name, i if several else None, new, lines, function)
                        found.append(place)
                inner = function
                if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                    inner = f"{function}.{child.name}".lstrip(".")
                if isinstance(node, ast.Raise):
                    continue
                visit(child, inner, within)

    visit(tree, "", None)
    return found


def mutants_of(file: str, root: Path = ROOT) -> list[Mutant]:
    """Return all mutants of a file."""
    tree = ast.parse((root / file).read_bytes())
    compiled, called = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            body = range(node.body[0].lineno, node.end_lineno + 1)
            (compiled if _is_kernel(node) else called).update(body)
    seen: Counter[str] = Counter()
    mutants = []
    for number, change in enumerate(changes(tree)):
        old, new = ast.unparse(change.old), ast.unparse(ast.fix_missing_locations(change.new))
        name = f"{file}:{change.function}: {_short(old)} -> {_short(new)}"
        seen[name] += 1
        if seen[name] > 1:
            name += f" #{seen[name]}"
        line = change.lines[-1]
        kernel = line in compiled
        at_import = line not in called and not kernel
        mutants.append(Mutant(file, number, name, change.lines, at_import, kernel))
    return mutants


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


def drawn(patterns: Iterable[str], count: int, *, kernels: bool, root: Path = ROOT) -> list[Mutant]:
    """Draw mutants, always the same of the same sources."""
    files = [str(path.relative_to(root)) for each in patterns for path in sorted(root.glob(each))]
    every = [each for file in files for each in mutants_of(file, root) if each.kernel == kernels]
    return sorted(sorted(every, key=lambda each: each.rank)[:count], key=lambda each: each.name)


# --- in a process of its own ----------------------------------------------------------------------


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the mutated file in place of what is on disk."""

    def __init__(self, mutant: Mutant, root: Path) -> None:
        self.mutant, self.path = mutant, root / mutant.file

    def find_spec(self, name: str, path: object, target: object = None) -> Any:
        if name != self.mutant.module:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def get_filename(self, name: str) -> str:
        return str(self.path)

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: Any) -> None:
        exec(self.mutant.code(self.path), vars(module))


class _Chosen:
    """The plugin that runs only some tests, in their order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.place = {each: i for i, each in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (each for each in items if each.nodeid in self.place),
            key=lambda each: self.place[each.nodeid],
        )


class _Watching:
    """The plugin that notes which tests run which lines, and for how long."""

    def __init__(self, cover: Any) -> None:
        self.cover = cover
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.cover.switch_context(item.nodeid)
        begin = time.process_time()
        result = yield
        self.seconds[item.nodeid] = time.process_time() - begin
        self.cover.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:  # or skipped: it shows nothing
            self.failed.add(report.nodeid)


def _pytest(
    root: Path, paths: Sequence[str], *plugins: object, stop: bool, more: Sequence[str] = ()
) -> int:
    folder = tempfile.mkdtemp()
    # Not as arguments, since of tests that are named all cases are run, and not only some.
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", f"--basetemp={folder}/pytest"]
    options += ["-o", f"testpaths={' '.join(paths)}", *(["-x"] if stop else []), *more]
    try:
        os.chdir(root)
        os.environ.pop("CI", None)
        return int(pytest.main(options, plugins=list(plugins)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _quietly(work: Callable[[], int], seconds: float) -> None:
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    out = os.open(os.devnull, os.O_WRONLY)
    os.dup2(out, 1)
    os.dup2(out, 2)
    code = work()
    os._exit(code)


def _in_turn(
    jobs: deque[tuple[Any, Callable[[], int], float]], workers: int
) -> Iterator[tuple[Any, int]]:
    """Yield what each job returns, as they end; of one that died, the signal below 0.

    More jobs may be added meanwhile.
    """
    fork = multiprocessing.get_context("fork")
    running: dict[int, tuple[Any, Any, float]] = {}
    while jobs or running:
        while jobs and len(running) < workers:
            key, work, seconds = jobs.popleft()
            process = fork.Process(target=_quietly, args=(work, seconds))
            process.start()
            # A wall clock, too, many times as long: a test may wait for what never comes.
            running[process.sentinel] = process, key, time.monotonic() + 10 * seconds
        done = wait(list(running), timeout=5)
        late = [each for each, (*_, end) in running.items() if time.monotonic() > end]
        for sentinel in {*done, *late}:
            process, key, _ = running.pop(sentinel)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.join()
            yield key, process.exitcode


# --- which tests find it --------------------------------------------------------------------------


@dataclass
class Tests:
    """The quick tests that pass: for each line of the core, those that run it."""

    seconds: dict[str, float]
    of_line: dict[tuple[str, int], set[str]]

    def for_mutant(self, mutant: Mutant, budget: float = BUDGET) -> list[str]:
        """Return what runs the changed line, the tests of its own room first, then the shortest."""
        lines = {
            line
            for file, line in self.of_line
            if file == mutant.file and (mutant.at_import or line in mutant.lines)
        }
        tests = {test for line in lines for test in self.of_line[mutant.file, line]}
        room, stem = mutant.file.split("/")[1], Path(mutant.file).stem

        def nearness(test: str) -> tuple[bool, bool, float]:
            file = test.partition("::")[0]
            own = f"test_{stem}" in file or f"test_{room}" in file
            return not own, f"/{room}/" not in file, self.seconds[test]

        chosen, used = [], 0.0
        for each in sorted(tests, key=nearness):
            used += self.seconds[each]
            if used > budget and chosen:
                break
            chosen.append(each)
        return chosen


def _watched(files: list[str], paths: list[str], root: Path, into: Path) -> int:
    import coverage

    cover = coverage.Coverage(include=[str(root / each) for each in files], data_file=None)
    watching = _Watching(cover)
    cover.start()
    _pytest(root, paths, watching, stop=False)
    cover.stop()
    data = cover.get_data()
    lines = [
        (file, line, [each for each in contexts if each])
        for file in files
        for line, contexts in data.contexts_by_lineno(str(root / file)).items()
    ]
    into.write_text(json.dumps([watching.seconds, sorted(watching.failed), lines]))
    return 0


def watched(files: list[str], workers: int, root: Path) -> Tests:
    """Run the quick tests once, without a mutant."""
    paths = sorted(str(each.relative_to(root)) for each in (root / "tests").rglob("test_*.py"))
    seconds: dict[str, float] = {}
    failed: set[str] = set()
    of_line: dict[tuple[str, int], set[str]] = defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        jobs: deque[tuple[Any, Callable[[], int], float]] = deque()
        for i in range(parts := 6 * workers):
            into = Path(folder, f"{i}.json")
            work = partial(_watched, files, paths[i::parts], root, into)
            jobs.append((into, work, 3_000))
        for into, code in _in_turn(jobs, workers):
            if code or not into.exists():
                raise click.ClickException("the tests did not run to their end without a mutant")
            took, bad, lines = json.loads(into.read_text())
            seconds |= took
            failed |= {*bad}
            for file, line, names in lines:
                of_line[file, line] |= {*names}
    for names in of_line.values():
        names -= failed
    return Tests({each: took for each, took in seconds.items() if each not in failed}, of_line)


def _importers(file: str, root: Path) -> dict[Path, int]:
    """Return the files that import a kernel, itself or through others, and through how many."""
    found, folders = {Path(file): 0}, ("kernels", "strategies")
    files = [each.relative_to(root) for each in (root / "bsbench").rglob("*.py")]
    imports = {
        each: {
            name
            for module, names in re.findall(r"^ *from (bsbench[\w.]*) import ([\w, ]*)", text, re.M)
            for name in (module, *(f"{module}.{each}" for each in names.split(", ")))
        }
        for each in files
        if (text := (root / each).read_text(encoding="utf-8"))
    }
    last = set(found)
    while last:
        names = {".".join(each.with_suffix("").parts) for each in last if each.parts[1] in folders}
        last = {each for each in files if imports.get(each, set()) & names} - set(found)
        found |= dict.fromkeys(last, max(found.values()) + 1)
    return found


def _twin_tests(mutant: Mutant, root: Path) -> tuple[list[str], str]:
    """Return the tests that compare what a file does with its twin, and which of them.

    They are the tests that mirror the file; those of up to `_MOST_PLAYED` strategies that it helps
    to play, quick and near ones first; or, where it helps none, those of what else imports it.
    """
    path = Path(mutant.file)
    own = root.glob(f"tests/*/test_{path.stem.strip('_')}.py")
    paths = sorted(f"{each.relative_to(root).as_posix()}" for each in own)
    if path.parts[1] not in ("kernels", "strategies"):
        return paths or [f"tests/{path.parts[1]}"], ""
    users = _importers(mutant.file, root)
    twins = {
        each.stem.replace("_", "-"): ("SLOWNESS" in each.read_text(encoding="utf-8"), users[player])
        for each in sorted((root / "tests/support/naive/strategies").glob("[a-z]*.py"))
        if (player := Path("bsbench/strategies", each.name)) in users
    }
    if twins:
        few = sorted(twins, key=twins.__getitem__)[:_MOST_PLAYED]
        tests = ["tests/strategies/test_strategies.py", "tests/strategies/test_golden.py"]
        return tests + paths, " or ".join([*few, *(Path(each).stem for each in paths)])
    for each in sorted(users):
        for name in each.parts[2:]:
            tested = Path("tests", each.parts[1], f"test_{name.removesuffix('.py').strip('_')}.py")
            paths += [f"{tested}"] if (root / tested).exists() else []
    return sorted({*paths}), ""


def _works(mutant: Mutant, tests: Sequence[str], root: Path) -> int:
    sys.meta_path.insert(0, _Mutated(mutant, root))
    files = sorted({each.partition("::")[0] for each in tests})
    return _pytest(root, files, _Chosen(tests), stop=True)


def _works_near(mutant: Mutant, root: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        if mutant.kernel:
            os.environ["XDG_CACHE_HOME"] = folder
        sys.meta_path.insert(0, _Mutated(mutant, root))
        paths, played = _twin_tests(mutant, root)
        # Twins of strategies that take long are compared in the slow suite only.
        slow = ["-m", ""] if mutant.kernel else []
        return _pytest(root, paths, stop=True, more=["-k", played, *slow])


def hunted(
    mutants: list[Mutant], workers: int, root: Path = ROOT, *, near: bool = False
) -> Iterator[tuple[Mutant, bool, int]]:
    """Yield each mutant, whether a test found it, and how many tests looked for it.

    Parameters
    ----------
    near : bool
        Run the tests that mirror its file, for all as for kernels.
    """
    jobs: deque[tuple[Any, Callable[[], int], float]] = deque()
    known = None
    if not near and (core := {each.file for each in mutants if not each.kernel}):
        known = watched(sorted(core), workers, root)
    for each in mutants:
        if near or each.kernel:
            jobs.append(((each, [], 0), partial(_works_near, each, root), 900))
            continue
        tests = known.for_mutant(each)
        if not tests:
            yield each, False, 0
            continue
        jobs.append(_job(each, tests, 0, known, root))
    for (mutant, rest, number), code in _in_turn(jobs, workers):
        if code == pytest.ExitCode.NO_TESTS_COLLECTED:
            raise click.ClickException(f"no test was collected for {mutant.name}")
        if code == pytest.ExitCode.OK and rest:
            jobs.append(_job(mutant, rest, number, known, root))
            continue
        # A test that never ends shows that plain Python is wrong. How long a kernel that has to be
        # compiled may take, nobody knows.
        timed = not (near or mutant.kernel)
        yield mutant, code > 0 or (code < 0 and timed) or -code in _CRASHES, number


def _job(
    mutant: Mutant, tests: list[str], before: int, known: Tests, root: Path
) -> tuple[Any, Callable[[], int], float]:
    """Return the job that runs the tests of the first few files; to collect many takes long."""
    files = dict.fromkeys(each.partition("::")[0] for each in tests)
    first = {*list(files)[:_FILES_AT_ONCE]}
    now = [each for each in tests if each.partition("::")[0] in first]
    rest = [each for each in tests if each.partition("::")[0] not in first]
    seconds = 30 + 4 * sum(known.seconds[test] for test in now)
    return (mutant, rest, before + len(now)), partial(_works, mutant, now, root), seconds


def looked_at(file: Path = SURVIVORS) -> dict[str, str]:
    """Return why mutants that are known survive."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return dict(each.split("\t", 1) for each in lines if each and not each.startswith("#"))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-n", "--count", default=320, show_default=True, help="Mutants of plain Python.")
@click.option("-k", "--kernels", default=40, show_default=True, help="Mutants of kernels.")
@click.option("-w", "--workers", default=os.cpu_count(), show_default=True, help="Processes.")
@click.option("--only", default="", metavar="TEXT", help="Only mutants whose name has this text.")
@click.option("--near", is_flag=True, help="Run only the tests that mirror its file.")
@click.option("--list", "show", is_flag=True, help="Name them, and run nothing.")
def main(count: int, kernels: int, workers: int, only: str, near: bool, show: bool) -> None:
    """Change bsbench in many single places, and show which changes the tests find."""
    mutants = drawn(CORE, count, kernels=False) + drawn(KERNELS, kernels, kernels=True)
    mutants = [each for each in mutants if only in each.name]
    if show:
        click.echo("\n".join(each.name for each in mutants))
        return
    # Each process begins with these, and with nothing of bsbench.
    for module in ("jinja2", "matplotlib.figure", "msgspec", "numba", "pandas"):
        importlib.import_module(module)
    every: Counter[str] = Counter()
    found: Counter[str] = Counter()
    survivors = []
    for mutant, was_found, number in hunted(mutants, workers, near=near):
        room = "kernels" if mutant.kernel else str(Path(mutant.file).parent)
        every[room] += 1
        found[room] += was_found
        if not was_found:
            survivors.append((mutant, number))
        click.echo(f"{'found   ' if was_found else 'SURVIVED'} {mutant.name}", err=True)
    known = looked_at()
    for mutant, number in sorted(survivors, key=lambda each: each[0].name):
        why = known.get(mutant.name, f"not looked at: {number} tests run it")
        click.echo(f"{mutant.name}, line {mutant.lines[-1]}\n    {why}")
    click.echo()
    for room in sorted(every):
        share = found[room] / every[room]
        click.echo(f"{room:25} {every[room]:5} mutants {found[room]:5} found {share:7.1%}")
    core = every.total() - every["kernels"]
    if core:
        share = (found.total() - found["kernels"]) / core
        click.echo(f"{'all but kernels':25} {core:5} mutants {share:25.1%}")


if __name__ == "__main__":
    main(prog_name="python -m tests.mutants")
