"""Imports a user's class from a file or a module, and reports in the user's words what fails."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import os
import re
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from bsbench.common.errors import BsbenchError, BsbenchWarning, reason, with_line
from bsbench.common.reading import LARGEST_INPUT, open_file, read_text
from bsbench.common.settings import suggestion
from bsbench.own.blame import blamed_line
from bsbench.own.contract import GameKind
from bsbench.own.printing import kept_quiet, printed_text

State = tuple[int, int]
"""Of a file: time of the last change, and size."""

POLICIES = (".onnx",)
"""How files of policies end, which hold no code: see `bsbench.own.policies`."""

_files: dict[tuple[Path, State], ModuleType] = {}


class Task(NamedTuple):
    """What is imported.

    Attributes
    ----------
    place : str
        The path of a file that ends in ``.py`` or as `POLICIES` do, else the name of a module.
    name : str
        Of the class; empty for the only one of a file that can play, and for a policy.
    file : str
        The place, as its user calls it.
    called : str
        The class, as its user calls it.
    """

    place: str
    name: str
    file: str
    called: str


def parted(spec: str) -> tuple[str, str]:
    """Return the file or module that a spec names, and the class; that is empty for a file alone.

    The last colon counts: others may belong to the path.
    """
    if spec.endswith((".py", *POLICIES)):
        return spec, ""
    place, _, name = spec.rpartition(":")
    return place, name


def task_of(spec: str, game: GameKind) -> Task:
    """Return what is imported for ``file.py:Name``, ``file.py`` or ``package.module:Name``.

    For the file of a policy, that is the policy.

    Raises
    ------
    BsbenchError
        If it can't be read as one of these.
    """
    place, name = parted(spec)
    if not place or not (name.isidentifier() or spec == place):
        raise BsbenchError(f"{spec!r} names no class: {_classes_hint(spec)}")
    if place.endswith((".py", *POLICIES)):
        return Task(str(Path(place).absolute()), name, place, spec)
    if not re.fullmatch(r"\w+(\.\w+)*", place):
        raise BsbenchError(
            f"unreadable {game.role} {spec!r}: write FILE.py:NAME or PACKAGE.MODULE:NAME"
        )
    return Task(place, name, place, spec)


def import_class(task: Task, game: GameKind) -> type:
    """Return a user's class that plays a game.

    Raises
    ------
    BsbenchError
        If it can't be imported, there is no such class, or not one that can play.
    """
    if task.place.endswith(POLICIES):
        return game.policy(task.place, task.called)
    in_file = task.place.endswith(".py")
    module = _file_module(task, game) if in_file else _module(task.place, task.file)
    if task.name:
        return _member(module, task.name, task.file, game)
    return _only_player(module, task.file, game)


def _classes_hint(spec: str) -> str:
    """Return how to write what was meant, by the classes in the file if it is there."""
    path = Path(spec if spec.endswith(".py") else spec.rpartition(":")[0])
    try:
        tree = ast.parse(read_text(path, LARGEST_INPUT))
    except (BsbenchError, ValueError, SyntaxError, RecursionError, MemoryError):
        return "write FILE.py:NAME or PACKAGE.MODULE:NAME"
    names = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    return f"write {' or '.join(f'{path}:{name}' for name in names) or 'FILE.py:NAME'}"


def state_of(task: Task, game: GameKind) -> State:
    """Return the state of a user's file, that of a module being unknown.

    Raises
    ------
    BsbenchError
        If it can't be read.
    """
    if not task.place.endswith((".py", *POLICIES)):
        return 0, 0
    try:
        with open_file(Path(task.place)) as file:
            state = os.fstat(file.fileno())
    except OSError as error:
        problem = f"can't read the {game.role} file {task.file}: {reason(error)}"
        raise BsbenchError(problem) from None
    return state.st_mtime_ns, state.st_size


def _file_module(task: Task, game: GameKind) -> ModuleType:
    """Return the module in a file, run once as long as it does not change."""
    path = Path(task.place)
    key = path.resolve(), state_of(task, game)
    if key not in _files:
        # The name differs for files of the same name in different folders.
        digest = hashlib.blake2b(str(path.resolve()).encode(), digest_size=4).hexdigest()
        name = f"_bsbench_{re.sub(r'[^0-9a-zA-Z_]', '_', path.stem)}_{digest}"
        loader = importlib.machinery.SourceFileLoader(name, str(path))
        spec = importlib.util.spec_from_file_location(name, path, loader=loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        # Last, so that a file beside it hides none of the library.
        if str(path.parent) not in sys.path:
            sys.path.append(str(path.parent))
        # dataclasses and numba look the module up.
        sys.modules[name] = module
        try:
            _imported(lambda: loader.exec_module(module), task.file)
        except BsbenchError:
            del sys.modules[name]
            raise
        _files[key] = module
    return _files[key]


def _module(name: str, called: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    imported: list[ModuleType] = []
    _imported(lambda: imported.append(importlib.import_module(name)), called)
    return imported[0]


def _imported(run: Any, called: str) -> None:
    """Run code that imports a module; report errors and printed text by the user's name for it."""
    try:
        with kept_quiet() as printed:
            run()
    except (Exception, SystemExit) as error:
        raise import_error(error, called) from None
    if remark := printed_text(f"{called}, when imported,", printed.lines, printed.first):
        warnings.warn(remark, BsbenchWarning, stacklevel=2)


def import_error(error: BaseException, called: str) -> BsbenchError:
    """Return what an error in code that was imported means for its user."""
    message = str(error).strip().partition("\n")[0]
    line = blamed_line(error)
    problem = f"can't import {called}: {type(error).__name__}: {message}"
    return BsbenchError(with_line(problem, line))


def _only_player(module: ModuleType, called: str, game: GameKind) -> type:
    """Return the only class of a file that can play."""
    found = {
        name: value
        for name, value in vars(module).items()
        if inspect.isclass(value)
        and value.__module__ == module.__name__
        and not (name.startswith("_") or inspect.isabstract(value))
        and any(callable(getattr(value, method, None)) for method in game.methods)
    }
    if not found:
        raise BsbenchError(
            f"there is no {game.role} in {called}: it needs a class with {game.wanted}"
        )
    if len(found) > 1:
        raise BsbenchError(
            f"{called} has several {game.roles}: write "
            f"{' or '.join(f'{called}:{name}' for name in found)}"
        )
    return next(iter(found.values()))


def _member(module: ModuleType, name: str, called: str, game: GameKind) -> type:
    """Return a class of a module."""
    member = getattr(module, name, None)
    if member is None:
        classes = [
            other
            for other, value in vars(module).items()
            if inspect.isclass(value) and value.__module__ == module.__name__
        ]
        hint = suggestion(name, classes, "it has") if classes else "it has no class at all"
        raise BsbenchError(f"there is no {name!r} in {called}: {hint}")
    if not inspect.isclass(member):
        raise BsbenchError(
            f"{name!r} in {called} is not a class, but of type {type(member).__name__}: name a "
            f"class with {game.wanted}"
        )
    return member
