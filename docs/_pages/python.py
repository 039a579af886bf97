"""Public names of the package, from their docstrings."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

_HEAD = """\
# Python

What is listed here is public: it keeps its name and meaning, and the
[changelog](../../changelog.md) announces every change. Everything else may change without notice.

```python
import bsbench

result = bsbench.run("prob", "classic", games=100_000)
result.to_frame()
```

"""

_PARTS = {
    "bsbench": "Runs, comparisons, strategies and scenarios",
    "bsbench.env": "Gymnasium environments and agents",
    "bsbench.env.two_player": "Battleship for two (PettingZoo)",
    "bsbench.connect4": "Connect 4",
}


def pages() -> Iterator[tuple[str, str]]:
    """Yield the page that lists all names; autosummary writes one for each of them."""
    text = _HEAD
    for module, title in _PARTS.items():
        text += f"## `{module}`: {title[0].lower()}{title[1:]}\n\n"
        for heading, names in _groups(module).items():
            listed = "".join(f"   {name}\n" for name in names)
            text += (
                f"**{heading}**\n\n```{{eval-rst}}\n.. currentmodule:: {module}\n\n"
                f".. autosummary::\n   :toctree: names\n   :nosignatures:\n\n{listed}```\n\n"
            )
    yield "reference/python/index.md", text


def _groups(name: str) -> dict[str, list[str]]:
    """Return the public names of a module, by what they are."""
    module = importlib.import_module(name)
    found: dict[str, list[str]] = {}
    own = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == name]
    names = getattr(module, "__all__", [key for key in own if not key.startswith("_")])
    for public in sorted(names, key=str.lower):
        found.setdefault(_kind(getattr(module, public)), []).append(public)
    order = ("Functions", "Classes", "Errors and warnings", "Constants")
    return {kind: found[kind] for kind in order if kind in found}


def _kind(what: Any) -> str:
    """Return which group a name belongs to."""
    if inspect.isclass(what):
        return "Errors and warnings" if issubclass(what, Exception) else "Classes"
    return "Functions" if callable(what) else "Constants"
