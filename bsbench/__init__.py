"""bsbench: the benchmark of Battleship shooting strategies.

>>> import bsbench
>>> result = bsbench.run("prob", "classic", games=10_000, seed=1)
>>> result.to_frame()  # a pandas frame  # doctest: +SKIP
>>> result.plot()  # a histogram  # doctest: +SKIP

`docs/python.md` is a tour. Names are imported when first used, so that ``import bsbench`` is quick.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from bsbench.common.shown import show_with

__version__ = "0.1.0"

_PUBLIC = {
    heading: re.findall(r"^from bsbench\.(\S+) import (\w+) as \w+(?:  # (.+))?$", names, re.M)
    for heading, names in re.findall(
        r"^# (.+)\n\n((?:from .+\n)+)",
        Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"),
        re.M,
    )
}
"""By what one does with them, public names: the module that each is from, the name, and what it is,
if it has no docstring. The list is in ``__init__.pyi``, where type checkers and editors read it."""

_MODULE_OF = {name: module for names in _PUBLIC.values() for module, name, _ in names}

__all__ = sorted(_MODULE_OF)


# Here, since rooms know none above them: whatever is imported of bsbench, results show themselves.
show_with(lambda: importlib.import_module(f"{__name__}.present.showing"))


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


class _Module(ModuleType):
    """What this module is: ``help(bsbench)`` ends its docstring with the public names."""

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        """The docstring, and a line for each public name."""
        parts = [_INTRODUCTION]
        width = max(map(len, __all__))
        for heading, names in _PUBLIC.items():
            lines = [f"  {name:{width}}  {what or _summary(name)}" for _, name, what in names]
            parts.append("\n".join([f"{heading}:", "", *lines]))
        return "\n\n".join(parts) + "\n"


def _summary(name: str) -> str:
    """Return the first sentence on a public name."""
    return (inspect.getdoc(getattr(sys.modules[__name__], name)) or "").partition("\n")[0]


_INTRODUCTION = inspect.cleandoc(__doc__)
sys.modules[__name__].__class__ = _Module
