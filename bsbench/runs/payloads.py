"""Strategies and layouts as data, from which another machine makes the same ones again.

Built-in strategies, and those in modules that are installed, travel by name. A user's file travels
with the files that it imports at its top, and so do trained agents and files of layouts: they are
unpacked into a folder of the worker. The user named them, so that they may run there as they may
run here. Hashes show that all machines play the same.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bsbench.common.errors import BsbenchError, reason
from bsbench.common.settings import shipped_path
from bsbench.own.adapter import origin_of
from bsbench.own.importing import POLICIES, parted
from bsbench.own.loading import scheme_of
from bsbench.roster import find_strategy
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario
from bsbench.runs.identity import files_of, strategy_hash
from bsbench.strategies import Strategy


@dataclass(frozen=True)
class Payload:
    """A strategy, or a file of layouts, as data.

    Attributes
    ----------
    spec : str
        What finds the strategy by name; with files, relative to their folder.
    root : str
        The folder of the files here.
    files : tuple of (str, bytes)
        By path below that folder, with slashes.
    parameters : dict
        Of the strategy.
    name : str
        Of the strategy.
    sha256 : str or None
        Of a strategy: see `bsbench.runs.identity`.
    """

    spec: str
    root: str
    files: tuple[tuple[str, bytes], ...]
    parameters: dict[str, Any]
    name: str
    sha256: str | None

    @classmethod
    def of(cls, strategy: Strategy) -> Payload:
        """Return a strategy as data.

        Raises
        ------
        BsbenchError
            If no other process finds it, or its files can't be read.
        """
        spec = origin_of(strategy).spec
        if scheme_of(spec):
            raise BsbenchError(
                f"{strategy.name!r} plays from this machine, which has its program, or its "
                "transcript and key: play it without a cluster"
            )
        if not spec:
            raise BsbenchError(
                f"strategy {strategy.name!r} is defined in this program, where workers of a "
                f"cluster don't find it: put its class into a file, and name it "
                f"FILE.py:{type(strategy).__name__}"
            )
        facts = strategy.parameters, strategy.name, strategy_hash(strategy)
        place, class_name = parted(spec)
        if not place.endswith((".py", *POLICIES)):
            return cls(spec, "", (), *facts)
        try:
            paths = files_of(strategy)
            root = paths[0].parent
            while os.path.exists(root / "__init__.py"):
                root = root.parent
            files = _read(paths, root)
        except OSError as error:
            raise BsbenchError(f"can't read {place}: {reason(error)}") from None
        spec = f"{files[0][0]}:{class_name}" if class_name else files[0][0]
        return cls(spec, str(root), files, *facts)

    @classmethod
    def of_layouts(cls, placement: Placement) -> Payload | None:
        """Return the file of layouts as data; None if the placement law has none.

        Raises
        ------
        BsbenchError
            If it can't be read.
        """
        if placement.path is None:
            return None
        path = shipped_path(placement.path)
        files = _read([path], path.parent)
        return cls(path.name, str(path.parent), files, {}, path.name, None)

    def unpack(self, folder: Path) -> None:
        """Write the files into a folder."""
        for name, data in self.files:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def strategy(self, folder: Path) -> Strategy:
        """Return the strategy, whose files have been unpacked into a folder.

        Raises
        ------
        BsbenchError
            If it is not the same here.
        """
        kind = find_strategy(str(folder / self.spec) if self.files else self.spec)
        strategy = kind(**self.parameters)
        if (strategy.name, strategy_hash(strategy)) != (self.name, self.sha256):
            raise BsbenchError(
                f"the strategy {self.spec} is another one there than here: install the same "
                "version of its package on all machines"
            )
        return strategy

    def placed(self, scenario: Scenario, folder: Path) -> Scenario:
        """Return a scenario with the layouts that have been unpacked into a folder."""
        placement = scenario.placement.moved(str(folder / self.spec))
        return dataclasses.replace(scenario, placement=placement)


def _read(paths: Iterable[Path], root: Path) -> tuple[tuple[str, bytes], ...]:
    """Return files by their paths below a folder."""
    return tuple((path.relative_to(root).as_posix(), path.read_bytes()) for path in paths)


def forget_modules(folder: Path) -> None:
    """Forget modules that were imported from a folder.

    Files beside other strategies may have the same names.
    """
    inside = f"{folder}{os.sep}"
    sys.path[:] = [place for place in sys.path if not place.startswith(inside)]
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(inside):
            del sys.modules[name]
