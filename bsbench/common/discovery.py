"""Finds strategies and studies: each is a file or folder in that of its package."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path
from typing import Any


def names_in(package: str) -> list[str]:
    """Return the names of all strategies in a package, one for each module, sorted.

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


def study_packages() -> dict[str, Path]:
    """Return the folders of all studies by the names of their packages, sorted; none is imported.

    Examples
    --------
    >>> study_packages()["bsbench.studies.worst"].name
    'worst'
    """
    return _packages_in(tuple(importlib.import_module("bsbench.studies").__path__))


@cache
def _packages_in(folders: tuple[str, ...]) -> dict[str, Path]:
    found = {
        f"bsbench.studies.{module.name}": Path(folder, module.name)
        for folder in folders
        for module in pkgutil.iter_modules([folder])
        if module.ispkg
    }
    return dict(sorted(found.items()))
