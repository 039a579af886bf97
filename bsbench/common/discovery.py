"""Finds strategies and players: each is a file in the folder of its package."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any


def names_in(package: str) -> list[str]:
    """Return the names of all strategies or players in a package, one for each module, sorted.

    A name is that of the file, with hyphens for underscores. Other files are left out: ``base``
    defines what all of them are, ``view`` what they see, and files whose names begin with an
    underscore hold code that several share.
    """
    modules = pkgutil.iter_modules(importlib.import_module(package).__path__)
    return sorted(
        module.name.replace("_", "-")
        for module in modules
        if module.name not in ("base", "view") and not module.name.startswith("_")
    )


def class_in(package: str, name: str, kind: type[Any]) -> type[Any]:
    """Return the subclass of a kind that a module defines, by a name that `names_in` returns.

    Only its own module is imported.
    """
    module = importlib.import_module(f"{package}.{name.replace('-', '_')}")
    for member in vars(module).values():
        own = getattr(member, "__module__", None) == module.__name__
        if own and isinstance(member, type) and issubclass(member, kind):
            return member
    raise AssertionError(f"{module.__name__} defines no {kind.__name__}")
