"""Every numba flag, in one place; and numba itself, imported when it is first needed.

Kernels are written as ``@kernel`` (called from Python, or from other kernels),
``@helper`` (only from kernels, always inlined) or ``@allocating`` (a kernel that makes arrays)
and name no flag themselves:

``cache``
    compile once per machine, not once per process; ``_cache.py`` says when again;
``nogil``
    blocks of games run on a thread pool;
``error_model="numpy"``
    no test for a zero divisor in front of each division;
``_nrt``
    off except for ``@allocating``: arrays are not reference counted. Where a helper has branches,
    numba leaves the counting of its arrays in the loop, and it takes longer than the work.
    An array made in such a kernel is a typing error ("No implementation of function empty").
``no_cfunc_wrapper``, ``no_cpython_wrapper``
    in bsbench itself, no code for callers that a kernel does not have: never for those in C, and
    for Python only where Python calls it (`Late`). Such code unpacks every array, and to
    compile it took a fifth of the time.

To import numba takes longer than all that ``bsbench list`` does. So a decorated function of bsbench
is a `Late` one: numba is imported when Python first calls it. What can't be written without numba,
types and instructions, stands in modules whose names begin with an underscore (`_bits`, `_lanes`,
`_numbers`); the module of the same name without it passes them on with `late`.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable
from functools import cache, partial, update_wrapper
from pathlib import Path
from typing import Any

from bsbench.common.errors import BsbenchError
from bsbench.kernels._cache import closure, folder_for_others, kernels_in

_FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}

_making = threading.RLock()


class Late(partial[Any]):
    """What numba makes of a function; it is made when Python first calls it, or a kernel uses it.

    It is a ``partial`` without arguments, since calls through one cost next to nothing; through a
    method, they would cost 0.3 microseconds each.

    Parameters
    ----------
    make : callable
        Returns what stands behind it.
    within : Late, optional
        What kernels use in its place; Python never calls it.
    """

    _make: Callable[[], Any] | None
    _within: Late | None

    def __new__(cls, make: Callable[[], Any], within: Late | None = None) -> Late:
        new = super().__new__(cls, lambda *args, **named: new.made(*args, **named))
        new._make, new._within = make, within
        return new

    @property
    def made(self) -> Any:
        """What stands behind it."""
        with _making:
            if self._make is not None:
                made = self._make()
                # From now on, a call goes straight there.
                self.__setstate__((made, (), {}, {**vars(self), "_make": None}))
        return self.func

    @property
    def _numba_type_(self) -> Any:
        """What numba asks of all that a kernel uses."""
        made = (self._within or self).made
        from numba.core.registry import cpu_target

        # What it is may be of a module that was imported after the kernel before.
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(made)

    def __getattr__(self, name: str) -> Any:
        # To ask whether it has a special method must not import numba.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.made, name)


_passed_on: list[str] = []
"""Modules whose members kernels use by `late`."""


def late(module: str) -> Callable[[str], Late]:
    """Return the ``__getattr__`` of a module that passes on what another one defines.

    The other module is imported when a kernel that uses it is compiled.
    """
    _passed_on.append(module)

    def member(name: str) -> Late:
        if name.startswith("_"):
            raise AttributeError(f"{module} passes on nothing called {name}")
        return Late(lambda: getattr(importlib.import_module(module), name))

    return member


@cache
def set_up_numba() -> None:
    """Import numba, and set where it keeps machine code.

    Raises
    ------
    BsbenchError
        If it is not allowed to compile.
    """
    import numba

    if numba.config.DISABLE_JIT:
        raise BsbenchError(
            "NUMBA_DISABLE_JIT is set, and the kernels of bsbench can't be interpreted: unset it"
        )
    numba.config.CACHE_DIR = str(folder_for_others())


def _dispatcher(function: Callable[..., Any], **flags: Any) -> Any:
    """Return what compiles a function with these flags, and caches the machine code."""
    set_up_numba()
    import numba

    from bsbench.kernels._machine_code import KernelCache

    # Numba has to know their operators before it finds the types of a kernel: those that it learns
    # in between, it does not find again.
    for module in _passed_on:
        importlib.import_module(module)

    dispatcher = numba.njit(**_FLAGS, **flags)(function)
    dispatcher._cache = KernelCache(function, wrapped=not flags.get("no_cpython_wrapper"))
    return dispatcher


def _decorator(**flags: Any) -> Callable[..., Any]:
    """Return what compiles a function with these flags when it is first called."""

    def decorate(function: Callable[..., Any]) -> Any:
        file = Path(function.__code__.co_filename)
        # As they are now: a file may be edited before its functions are called.
        sources = closure(file.resolve()) if os.path.exists(file) else {}
        for each in kernels_in(function):
            sources |= each.sources
        vars(function)["sources"] = sources
        if function.__module__.startswith("bsbench."):
            make = partial(_dispatcher, function, no_cfunc_wrapper=True, **flags)
            helps = "forceinline" in flags
            within = Late(partial(make, no_cpython_wrapper=True)) if helps else None
            return update_wrapper(Late(make, within), function)
        # Users get what numba itself makes.
        return _dispatcher(function, **flags)

    return decorate


kernel = _decorator(_nrt=False)
helper = _decorator(_nrt=False, forceinline=True)
allocating = _decorator(_nrt=True)
