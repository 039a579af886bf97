"""Strategies that are not built in: found by file, module, or the name of an installed one.

``my_file.py:Mine``
    a class in a file; modules beside the file can be imported there;
``package.module:Mine``
    a class in a module, found where Python looks for modules, or from the current folder;
``agent.zip``
    an agent trained by ``bsbench rl train``: see `bsbench.own.trained`;
``mine``
    what an installed package offers under that name as an entry point in the group
    ``bsbench.strategies``; the built-in strategy where there is one of that name.

Nothing is imported but what is named.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import re
import sys
import warnings
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from bsbench.common.errors import BsbenchError, BsbenchWarning
from bsbench.common.reading import LARGEST_INPUT, open_file, read_text
from bsbench.common.settings import suggestion
from bsbench.own.adapter import Adapter, Origin, first_line
from bsbench.own.agents import AgentStrategy, BatchAgentStrategy
from bsbench.own.batch import BatchAdapter, BatchStrategy
from bsbench.own.blame import blamed_line
from bsbench.own.observation import DEFAULT, FORMATS
from bsbench.own.printing import kept_quiet, printed_text
from bsbench.own.python import PythonStrategy
from bsbench.own.trained import SUFFIX, trained_strategy
from bsbench.rules.board import Feedback
from bsbench.rules.scenario import look_up_scenario
from bsbench.strategies import strategy_names
from bsbench.strategies.base import Strategy

GROUP = "bsbench.strategies"
"""The group of entry points in which installed packages offer strategies."""

_KERNEL_METHODS = {
    "begin": ["rules", "lanes", "seed"],
    "deal": ["lanes", "games"],
    "shoot": ["view"],
}
"""What `Strategy` passes to the methods that a subclass defines."""

_files: dict[tuple[Path, int, int], ModuleType] = {}
"""Modules made of files, by path, time of the last change, and size."""


def is_spec(name: str) -> bool:
    """Return whether a strategy is named by its file or module: ``….py:Name``, ``package:Name``."""
    return ":" in name or name.endswith((".py", SUFFIX))


def installed() -> dict[str, EntryPoint]:
    """Return the strategies that installed packages offer, by name; none is imported.

    Of several with the same name, the first one counts.
    """
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, entry)
    return found


def usable() -> dict[str, EntryPoint]:
    """Return installed strategies that can be used by name; warn of the others."""
    found = {}
    built_in = strategy_names()
    for name, entry in installed().items():
        problem = _problem(entry, built_in)
        if problem:
            warnings.warn(
                f"the installed strategy {name!r} ({entry.value}) is left out: {problem}",
                BsbenchWarning,
                stacklevel=2,
            )
        else:
            found[name] = entry
    return found


def _problem(entry: EntryPoint, built_in: list[str]) -> str:
    """Return why an installed strategy can't be used, as far as known without importing it."""
    if entry.name in built_in:
        return "a built-in strategy has that name"
    match = re.fullmatch(r"([\w.]+):\w+", entry.value)
    if match is None:
        return "its entry point must be written package.module:Name"
    package = match[1].partition(".")[0]
    try:
        there = importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        there = False
    return "" if there else f"its package {package} is not there"


def load_strategy(spec: str) -> type[Strategy]:
    """Return the strategy that a user names.

    Parameters
    ----------
    spec : str
        ``file.py:Name``, ``package.module:Name``, ``agent.zip``, or the name of an entry point.

    Raises
    ------
    BsbenchError
        If there is none, it can't be imported, or is no strategy.
    """
    if not is_spec(spec):
        entry = installed()[spec]
        match = re.fullmatch(r"([\w.]+):(\w+)", entry.value)
        if match is None:
            raise BsbenchError(
                f"the installed strategy {spec!r} can't be used: its entry point must be written "
                f"package.module:Name, not {entry.value!r}"
            )
        return adapt(_member(_module(match[1], spec), match[2], spec), spec)
    if spec.endswith(SUFFIX):
        return adapt(trained_strategy(spec), str(Path(spec).absolute()), spec)
    # The last colon counts: others may belong to the path.
    place, _, name = spec.rpartition(":")
    if spec.endswith(".py") or not place or not name.isidentifier():
        raise BsbenchError(f"{spec!r} names no class: {_classes_hint(spec)}")
    if place.endswith(".py"):
        path = Path(place).absolute()
        return adapt(_member(_file_module(path, place), name, place), f"{path}:{name}", spec)
    if not re.fullmatch(r"\w+(\.\w+)*", place):
        raise BsbenchError(
            f"unreadable strategy {spec!r}: write FILE.py:NAME or PACKAGE.MODULE:NAME"
        )
    return adapt(_member(_module(place, place), name, place), spec)


def _classes_hint(spec: str) -> str:
    """Return how to write what was meant, by the classes in the file if it is there."""
    path = Path(spec if spec.endswith(".py") else spec.rpartition(":")[0])
    try:
        tree = ast.parse(read_text(path, LARGEST_INPUT))
    except (BsbenchError, ValueError, SyntaxError, RecursionError, MemoryError):
        return "write FILE.py:NAME or PACKAGE.MODULE:NAME"
    names = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    return f"write {' or '.join(f'{path}:{name}' for name in names) or 'FILE.py:NAME'}"


def _file_module(path: Path, place: str) -> ModuleType:
    """Return the module in a file, run once as long as it does not change."""
    try:
        state = path.stat()
        with open_file(path):
            pass
    except OSError as error:
        raise BsbenchError(f"can't read the strategy file {place}: {error.strerror}") from None
    key = path.resolve(), state.st_mtime_ns, state.st_size
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
            _imported(lambda: loader.exec_module(module), place)
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
        message = str(error).strip().partition("\n")[0]
        line = blamed_line(error)
        raise BsbenchError(
            f"can't import {called}: {type(error).__name__}: {message}"
            + (f"\n  {line}" if line else "")
        ) from None
    if remark := printed_text(f"{called}, when imported,", printed.lines, printed.first):
        warnings.warn(remark, BsbenchWarning, stacklevel=2)


def _member(module: ModuleType, name: str, called: str) -> type:
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
            f"{name!r} in {called} is no class, but of type {type(member).__name__}: name a class "
            "with a method shoot(self, view) or select_action(self, observation)"
        )
    return member


def adapt(player: type, spec: str = "", called: str = "") -> type[Strategy]:
    """Return a user's class as a strategy of bsbench.

    Parameters
    ----------
    player : type
        A subclass of `Strategy` is one already. Else a class with ``shoot(self, view)``, for a
        batch of games if it is a `BatchStrategy` or says ``kind = "numpy"``, else for one; or an
        agent, with ``select_actions(self, observations)`` for a batch of games, or
        ``select_action(self, observation)`` for one.
    spec : str
        What finds it again in another process. Without it, games are played in this one.
    called : str
        As its user wrote it. Default: the spec.

    Raises
    ------
    BsbenchError
        If it is no strategy, or what it declares makes no sense.
    """
    called = called or spec or player.__name__
    if issubclass(player, Strategy):
        if inspect.isabstract(player):
            missing = ", ".join(sorted(player.__abstractmethods__))
            raise BsbenchError(f"{called} has no method {missing}: define it")
        for method, arguments in _KERNEL_METHODS.items():
            _check_arguments(player, method, arguments, called)
        strategy: type[Strategy] = player
    else:
        base = _adapter_for(player, called)
        body = {"player": player, "__doc__": player.__doc__ if first_line(player) else ""}
        strategy = type(player.__name__, (base,), body)
    for key, value in _declarations(player, called).items():
        setattr(strategy, key, value)
    strategy._origin = Origin(spec, called)  # type: ignore[attr-defined]
    _check_parameters(strategy, called)
    return strategy


def _adapter_for(player: type, called: str) -> type[Adapter]:
    """Return what plays a user's class, by the methods that it has."""

    def has(method: str) -> bool:
        return callable(getattr(player, method, None))

    if has("shoot"):
        kind = getattr(player, "kind", "numpy" if issubclass(player, BatchStrategy) else "python")
        bases: dict[str, type[Adapter]] = {"python": PythonStrategy, "numpy": BatchAdapter}
        if kind not in bases:
            raise BsbenchError(f"{called} says kind = {kind!r}: write {' or '.join(bases)}")
        _check_arguments(player, "shoot", ["view"], called)
        _check_arguments(player, "reset", ["rules", "rng" if kind == "python" else "games"], called)
        return bases[kind]
    if not has("select_action") and not has("select_actions"):
        raise BsbenchError(
            f"{called} is no strategy: it has no method shoot(self, view), nor, as an agent has, "
            "select_action(self, observation)"
        )
    obs, mask = getattr(player, "obs", DEFAULT), getattr(player, "mask", False)
    if not isinstance(obs, str) or obs not in FORMATS or not isinstance(mask, bool):
        raise BsbenchError(
            f"{called} wants observations with obs = {obs!r} and mask = {mask!r}: write one of "
            f"{', '.join(FORMATS)}, and True or False"
        )
    return BatchAgentStrategy if has("select_actions") else AgentStrategy


def _check_arguments(player: type, method: str, arguments: list[str], called: str) -> None:
    """Refuse a method that can't be called as it will be: Python's own message is hard to read."""
    function = inspect.getattr_static(player, method, None)
    if not inspect.isfunction(function):
        return
    signature = inspect.signature(function)
    try:
        signature.bind("self", *arguments)
    except TypeError:
        taken = ", ".join(signature.parameters)
        raise BsbenchError(
            f"{called} has {method}({taken}): write {method}({', '.join(['self', *arguments])})"
        ) from None


def adapt_class(player: type) -> type[Strategy]:
    """Return a class that is there already as a strategy; see `adapt`.

    Other processes import it from its module. The main program must not run again: games of a
    class from there, or from a notebook, are played in this process.
    """
    module, name = player.__module__, player.__qualname__
    importable = module != "__main__" and vars(sys.modules.get(module, object)).get(name) is player
    return adapt(player, f"{module}:{name}" if importable else "", name)


def _declarations(player: type, called: str) -> dict[str, Any]:
    """Return what a user's class says of itself, checked, with defaults in place."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]", player.__name__)
    name = getattr(player, "name", None) or "-".join(words).lower()
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name):
        raise BsbenchError(
            f"{called} is called {name!r}: its name, for tables and files, must be of letters, "
            "digits, - and _"
        )
    if name in strategy_names():
        raise BsbenchError(
            f"{called} is called {name!r}, as a built-in strategy is: give it another, such as "
            f"name = 'my-{name}'"
        )
    needs = getattr(player, "needs", Feedback.HIT)
    if not isinstance(needs, Feedback):
        try:
            needs = Feedback.parse(needs)
        except (BsbenchError, AttributeError):
            raise BsbenchError(
                f"{called} needs feedback {needs!r}: write hit, sunk or ship"
            ) from None
    home = getattr(player, "home", None)
    if home is not None and (not isinstance(home, str) or look_up_scenario(home) is None):
        raise BsbenchError(f"the home of {called} is {home!r}, which is no scenario")
    source = getattr(player, "source", None) or called
    facts = {"name": name, "needs": needs, "home": home, "source": str(source)}
    for key in ("look", "deterministic"):
        if hasattr(player, key):
            facts[key] = getattr(player, key)
    return facts


def _check_parameters(strategy: type[Strategy], called: str) -> None:
    """Refuse parameters without a plain default, and a class that can't be made."""
    for name, field in strategy.declared().items():
        if type(field.default) not in (bool, int, float, str):
            given = "none" if field.default is dataclasses.MISSING else repr(field.default)
            raise BsbenchError(
                f"the parameter {name!r} of {called} must have a default that is true or false, a "
                f"number or text, and its default is {given}; a field that is no parameter has a "
                "name that begins with _"
            )
    if not issubclass(strategy, Adapter):
        return
    try:
        signature = inspect.signature(strategy.player)
    except (ValueError, TypeError):
        return
    required = [
        each.name
        for each in signature.parameters.values()
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    if required:
        raise BsbenchError(
            f"{called} can't be made without {', '.join(required)}: give it a default, as a field "
            "of a dataclass"
        )
