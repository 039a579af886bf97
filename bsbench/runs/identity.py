"""What makes games the same games: strategy, rules, seed, and hashes of the code and files behind.

Two ranges of games belong to one run if their `Identity` is the same. Hashes are SHA-256 in
hexadecimal digits, so that ``sha256sum FILE`` gives the same.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import bsbench
from bsbench.common.errors import BsbenchError, reason
from bsbench.common.reading import open_file
from bsbench.common.settings import shipped_path, value_text
from bsbench.kernels._cache import closure
from bsbench.layouts import STREAM_VERSION
from bsbench.own.adapter import origin_of
from bsbench.own.importing import POLICIES, parted
from bsbench.own.loading import installed, is_spec
from bsbench.rules.board import Rules
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario
from bsbench.strategies import Strategy

_PACKAGE = Path(bsbench.__file__).parent


@cache
def revision() -> str:
    """Return the revision of bsbench: 16 digits of the hash of its source files.

    The version says which release it is; the revision changes with each edit of the code, also
    where no version control knows of it. It depends on nothing else, such as where bsbench is
    installed.
    """
    files = {path.relative_to(_PACKAGE).as_posix(): path for path in _PACKAGE.rglob("*.py")}
    return _hash_of_files(files)[:16]


def strategy_hash(strategy: Strategy) -> str | None:
    """Return the hash of the file that a strategy is from, None if it is from no file.

    Where the file of a user imports others of the user, it is the hash of the list of them all,
    written as ``sha256sum`` writes it and sorted by name.
    """
    try:
        files = files_of(strategy)
        if not files:
            return None
        folder = Path(os.path.commonpath([each.parent for each in files]))
        return _hash_of_files({each.relative_to(folder).as_posix(): each for each in files})
    except (OSError, ValueError):
        return None


def files_of(strategy: Strategy) -> list[Path]:
    """Return the file that a strategy is from, then those of the user that it imports at its top.

    Empty if it is from no file.

    Raises
    ------
    OSError, ValueError
        If they can't be read.
    """
    if (files := origin_of(strategy).files) is not None:
        return list(files)
    path = _file_of(strategy)
    if path is None:
        return []
    if path.suffix in POLICIES or type(strategy).built_in:
        return [path]
    imported = (each for each in closure(path) if not each.is_relative_to(_PACKAGE))
    return list(dict.fromkeys((path, *imported)))


def layouts_hash(placement: Placement) -> str | None:
    """Return the hash of the file that the placement law names; None if it names none.

    Raises
    ------
    BsbenchError
        If it can't be read.
    """
    if placement.path is None:
        return None
    try:
        return _hash(shipped_path(placement.path))
    except OSError as error:
        raise BsbenchError(
            f"can't read {placement.path}, the file of the placement law: {reason(error)}"
        ) from None


def _file_of(strategy: Strategy) -> Path | None:
    """Return the file that a strategy is from, found without importing anything."""
    kind, spec = type(strategy), origin_of(strategy).spec
    if not spec or kind.built_in:
        return _path(getattr(sys.modules.get(kind.__module__), "__file__", None))
    if not is_spec(spec):
        spec = installed()[spec].value
    place, _ = parted(spec)
    if place.endswith((".py", *POLICIES)):
        return _path(place)
    # As `importlib.util.find_spec` does, which would import the packages around the module.
    folders: Sequence[str] | None = [*sys.path, os.getcwd()]
    parts, origin = place.split("."), None
    for end in range(1, len(parts) + 1):
        found = PathFinder.find_spec(".".join(parts[:end]), folders)
        if found is None:
            return None
        folders = found.submodule_search_locations
        origin = found.origin
    return _path(origin)


def _path(name: str | None) -> Path | None:
    return Path(name).resolve() if name and os.path.isfile(name) else None


def _hash(path: Path) -> str:
    content = hashlib.sha256()
    with open_file(path) as file:
        while part := file.read(1 << 20):
            content.update(part)
    return content.hexdigest()


def _hash_of_files(files: dict[str, Path]) -> str:
    """Return the hash of files by name: that of one file, or of a list of all hashes."""
    hashes = {name: _hash(path) for name, path in files.items()}
    if len(hashes) == 1:
        return next(iter(hashes.values()))
    listed = "".join(f"{hashes[name]}  {name}\n" for name in sorted(hashes))
    return hashlib.sha256(listed.encode()).hexdigest()


@dataclass(frozen=True)
class Identity:
    """What two ranges of games have in common if they belong to one run.

    Attributes
    ----------
    strategy : str
        Its name.
    parameters : dict
        All of them.
    rules : Rules
    placement : Placement
    seed : int
    stream_version : int
        The version of the layout stream.
    strategy_sha256, layouts_sha256 : str or None
        See `strategy_hash` and `layouts_hash`; None is unknown.
    """

    strategy: str
    parameters: dict[str, Any]
    rules: Rules
    placement: Placement
    seed: int
    stream_version: int
    strategy_sha256: str | None
    layouts_sha256: str | None

    @classmethod
    def of(cls, strategy: Strategy, scenario: Scenario, seed: int) -> Identity:
        """Return the identity of what a strategy plays now."""
        return cls(
            strategy.name,
            strategy.parameters,
            scenario.rules,
            scenario.placement,
            seed,
            STREAM_VERSION,
            strategy_hash(strategy),
            layouts_hash(scenario.placement),
        )

    def and_of(self, other: Identity, ours: str, theirs: str) -> Identity:
        """Return the identity of both; a hash that either lacks is unknown.

        Parameters
        ----------
        other : Identity
        ours, theirs : str
            What this one and the other are called in a message.

        Raises
        ------
        BsbenchError
            If they are of different runs.
        """
        mine, yours = self._facts(), other._facts()
        for what in dict.fromkeys((*mine, *yours)):
            before, now = mine.get(what, "not set"), yours.get(what, "not set")
            # A hash may be unknown.
            if before and now and before != now:
                raise BsbenchError(
                    f"{ours} and {theirs} are not of the same run: the {what} is {before} in "
                    f"{ours}, and {now} in {theirs}"
                )
        return dataclasses.replace(
            self,
            strategy_sha256=self.strategy_sha256 and other.strategy_sha256,
            layouts_sha256=self.layouts_sha256 and other.layouts_sha256,
        )

    def _facts(self) -> dict[str, str | None]:
        """Return what this says in texts, by name."""
        rules, law = self.rules, self.placement.law
        return {
            "strategy": self.strategy,
            **{f"parameter {name}": value_text(value) for name, value in self.parameters.items()},
            **{f"rule {name}": value_text(value) for name, value in rules.to_dict().items()},
            # Hashes distinguish files, wherever these are.
            "placement law": law if self.placement.path else str(self.placement),
            "seed": str(self.seed),
            "layout stream": str(self.stream_version),
            "hash of the strategy's source": self.strategy_sha256,
            "hash of the layouts": self.layouts_sha256,
        }
