"""Strategies that are not built in: found by file, module, or the name of an installed one.

``my_file.py:Mine``, ``my_file.py``
    a class in a file, by name or as its only strategy; modules beside the file can be imported
    there;
``package.module:Mine``
    a class in a module, found where Python looks for modules, or from the current folder;
``agent.onnx``
    a policy in ONNX: see `bsbench.own.policies`;
``scheme:…``
    whatever `_SCHEMES` has a module for;
``mine``
    what an installed package offers under that name as an entry point in the group
    ``bsbench.strategies``; the built-in strategy where there is one of that name.

Nothing is imported but what is named.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from bsbench.common.errors import BsbenchError, BsbenchWarning, option
from bsbench.own.adapter import InProcess, Origin, StandIn
from bsbench.own.contract import GAME
from bsbench.own.describing import KERNELS, describe, is_name
from bsbench.own.importing import POLICIES, State, Task, import_class, parted, state_of, task_of
from bsbench.own.proxy import stand_in
from bsbench.own.thinker import NO_LIMITS, Limits, thinkers_of
from bsbench.own.thinker_main import can_limit_memory
from bsbench.strategies import Strategy, strategy_names

GROUP = "bsbench.strategies"
"""The group of entry points in which installed packages offer strategies."""

_MOST_MEMORY = 4 << 30
"""Bytes that a policy may take, unless it is limited otherwise."""

_LONGEST_READ = 60.0
"""Seconds that it may take to read a policy."""

_SCHEMES = {
    "cmd": "bsbench.own.bot",
    "llm": "bsbench.llm.model",
    "order": "bsbench.own.order",
}
"""The modules that make strategies whose names begin with ``scheme:``. Each has a function
``strategy_of(spec, limits)``, which returns a class with its `Origin`, or raises a
`BsbenchError`."""

_found: dict[tuple[Task, State, Origin, int | None], type[Strategy]] = {}
"""With the memory that processes may take; how long an import may take matters once."""

_THINKERS = hasattr(os, "killpg")
"""Whether there are thinkers. On Windows, all users' classes are played in this process."""


def is_spec(name: str) -> bool:
    """Return whether a strategy is named by what finds it: ``….py:Name``, ``package:Name``, …."""
    return ":" in name or name.endswith((".py", *POLICIES))


def scheme_of(spec: str) -> str | None:
    """Return the scheme that a strategy's name begins with; None if it names a class or file."""
    scheme, colon, _ = spec.partition(":")
    return scheme if colon and scheme in _SCHEMES else None


def is_own_file(name: str) -> bool:
    """Return whether a strategy is named by a file that is there."""
    return is_spec(name) and scheme_of(name) is None and os.path.isfile(parted(name)[0])


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


def load_strategy(spec: str, limits: Limits = NO_LIMITS) -> type[Strategy]:
    """Return the strategy that a user names.

    A class in Python or numpy, an agent or a policy is imported by a thinker, a process of its own,
    which also plays it. One with kernels is imported here, too: it runs inside the engine.

    Parameters
    ----------
    spec : str
        ``file.py:Name``, ``file.py``, ``package.module:Name``, ``agent.onnx``, ``scheme:…``, or
        the name of an entry point.
    limits : Limits

    Raises
    ------
    BsbenchError
        If there is none, it can't be imported, is no strategy, or can't be limited.
    """
    if (scheme := scheme_of(spec)) is not None:
        made: type[Strategy] = importlib.import_module(_SCHEMES[scheme]).strategy_of(spec, limits)
        return made
    return _apart(*_task_of(spec), limits)


def has_kernels(spec: str, longest_import: float) -> bool:
    """Return whether a user's class would run inside bsbench; only a thinker imports it.

    Parameters
    ----------
    spec : str
        As for `load_strategy`.
    longest_import : float
        Seconds that importing it may take.

    Raises
    ------
    BsbenchError
        If there is no such class, it can't be imported in time, or is no strategy.
    """
    if scheme_of(spec) or spec.endswith(POLICIES) or not _THINKERS:
        return False
    task, _ = _task_of(spec)
    return thinkers_of(task, GAME, Limits(longest_import)).description.kind == KERNELS


def import_here(spec: str) -> type[Strategy]:
    """Return a user's class as a strategy, imported and played in this process.

    Raises
    ------
    BsbenchError
        If it can't be imported, or is no strategy.
    """
    task, origin = _task_of(spec)
    return _imported_here(task, origin)


def _imported_here(task: Task, origin: Origin) -> type[Strategy]:
    with warnings.catch_warnings():
        if _THINKERS:
            # One of them has reported what it prints.
            warnings.simplefilter("ignore", BsbenchWarning)
        player = import_class(task, GAME)
    return adapt(player, origin.spec, origin.called, _name_of(task))


def _apart(task: Task, origin: Origin, limits: Limits = NO_LIMITS) -> type[Strategy]:
    """Return what stands for a class that a thinker imports; or the class if it has kernels."""
    if task.place.endswith(POLICIES):
        limits = _limits_of_policies(limits)
    thinkers = thinkers_of(task, GAME, limits) if _THINKERS else None
    inside = thinkers is None or thinkers.description.kind == KERNELS
    if inside and not limits.trust_kernels:
        way = "write it in Python or numpy, or " if _THINKERS else ""
        raise BsbenchError(
            f"{origin.called} runs inside bsbench, where neither its time nor its memory can be "
            f"limited: {way}add {option('trust_kernels', True)} if you trust who wrote it"
        )
    key = task, state_of(task, GAME), origin, limits.memory
    if key in _found:
        return _found[key]
    if thinkers is None or inside:
        _found[key] = _imported_here(task, origin)
    else:
        about = thinkers.description
        about = replace(about, name=_name_of(task) or about.name)
        try:
            name, body = task.name or about.name, {"talkers": thinkers, "_origin": origin}
            _found[key] = stand_in(StandIn, name, origin.called, about, GAME, **body)
        except BsbenchError:
            thinkers.close()
            raise
    return _found[key]


def _name_of(task: Task) -> str:
    """Return the name of a strategy that is the only one of its file: that of the file."""
    name = Path(task.place).stem.replace("_", "-")
    return name if not task.name and task.place.endswith(".py") and is_name(name) else ""


def _limits_of_policies(limits: Limits) -> Limits:
    """Return what a policy may take: its file may be a stranger's."""
    memory = limits.memory
    if memory is None and can_limit_memory():
        memory = _MOST_MEMORY
    return replace(limits, memory=memory, longest_import=min(limits.longest_import, _LONGEST_READ))


def _task_of(spec: str) -> tuple[Task, Origin]:
    """Return what a thinker imports for a spec, and where that is."""
    if is_spec(spec):
        task = task_of(spec, GAME)
        found = f"{task.place}:{task.name}" if task.name else task.place
        in_file = task.place.endswith((".py", *POLICIES))
        return task, Origin(found if in_file else spec, spec)
    entry = installed()[spec]
    match = re.fullmatch(r"([\w.]+):(\w+)", entry.value)
    if match is None:
        raise BsbenchError(
            f"the installed strategy {spec!r} can't be used: its entry point must be written "
            f"package.module:Name, not {entry.value!r}"
        )
    return Task(match[1], match[2], spec, spec), Origin(spec, spec)


def adapt(player: type, spec: str = "", called: str = "", name: str = "") -> type[Strategy]:
    """Return a user's class that is here already as a strategy, played in this process.

    Parameters
    ----------
    player : type
        See `bsbench.own.describing.describe`.
    spec : str
        What finds it again in another process, if anything does.
    called : str
        As its user wrote it. Default: the spec.
    name : str
        What it is called, in place of what it declares.

    Raises
    ------
    BsbenchError
        If it is no strategy, or what it declares makes no sense.
    """
    called = called or spec or player.__name__
    description = describe(player, called)
    description = replace(description, name=name or description.name)
    origin = Origin(spec, called, trusted=True)
    if not issubclass(player, Strategy):
        body = {"player": player, "_origin": origin}
        return stand_in(InProcess, player.__name__, called, description, GAME, **body)
    for key, value in description.facts().items():
        setattr(player, key, value)
    player._origin = origin  # type: ignore[attr-defined]
    return player


def adapt_class(player: type) -> type[Strategy]:
    """Return a class that is there already as a strategy; see `adapt`.

    Thinkers import it from its module. The main program must not run again: games of a
    class from there, or from a notebook, are played in this process.
    """
    module, name = player.__module__, player.__qualname__
    importable = module != "__main__" and vars(sys.modules.get(module, object)).get(name) is player
    if not importable or issubclass(player, Strategy):
        return adapt(player, f"{module}:{name}" if importable else "", name)
    spec = f"{module}:{name}"
    return _apart(Task(module, name, module, name), Origin(spec, name))


def adapt_function(function: Callable[..., Any]) -> type[Strategy]:
    """Return a function from a view to a cell as a strategy, played in this process.

    Parameters
    ----------
    function : callable
        It takes a `bsbench.GameView`, and returns the next cell. A function without a name of its
        own, such as a lambda, makes a strategy called ``function``.

    Raises
    ------
    BsbenchError
        If it takes something else.
    """
    own = getattr(function, "__name__", "<partial>")
    called = "function" if own.startswith("<") else own.strip("_")
    try:
        inspect.signature(function).bind("view")
    except TypeError:
        raise BsbenchError(
            f"{called} can't be called with a view alone: a strategy that is a function takes a "
            "bsbench.GameView and returns a cell"
        ) from None
    body = {
        "name": called.replace("_", "-"),
        "shoot": lambda player, view: function(view),
        "__doc__": function.__doc__ if called == own else None,
        "__module__": "__main__",
    }
    return adapt(type(called, (), body), called=called)
