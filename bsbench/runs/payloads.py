"""Strategies and layouts as data, from which another machine makes the same ones again.

Built-in strategies, and those in modules that are installed, travel by name. A user's file travels
with the files that it imports at its top, a bot with those beside it, and so do trained agents and
files of layouts: they are unpacked into a folder of the worker. The user named them, so that they
may run there as they may run here. Hashes show that all machines play the same.
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
from bsbench.own.bot import Player, strategy_of
from bsbench.own.command import Moved
from bsbench.own.importing import POLICIES, parted
from bsbench.own.loading import is_spec, scheme_of
from bsbench.own.thinker import Limits, longest_start
from bsbench.roster import find_strategy
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario
from bsbench.runs.identity import files_of, layouts_hash, strategy_hash
from bsbench.strategies import Strategy

_LARGEST = 1 << 28
"""Bytes of files that travel at most: each worker keeps them in memory."""


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
        See `bsbench.runs.identity`.
    place : str
        The folder here where the command of a bot was written; empty for others.
    """

    spec: str
    root: str
    files: tuple[tuple[str, bytes], ...]
    parameters: dict[str, Any]
    name: str
    sha256: str | None
    place: str = ""

    @classmethod
    def of(cls, strategy: Strategy) -> Payload:
        """Return a strategy as data.

        Raises
        ------
        BsbenchError
            If no other process finds it, or its files can't be read.
        """
        if strategy.asks_elsewhere:
            raise BsbenchError(
                f"{strategy.name!r} is asked from this machine, which has its transcript and key: "
                "play it without a cluster"
            )
        kind, spec = type(strategy), origin_of(strategy).spec
        facts = strategy.parameters, strategy.name, strategy_hash(strategy)
        if not spec:
            raise BsbenchError(
                f"strategy {strategy.name!r} is defined in this program, where workers of a "
                f"cluster don't find it: put its class into a file, and name it "
                f"FILE.py:{kind.__name__}"
            )
        if issubclass(kind, Player):
            try:
                luggage, here = kind.talkers.command.luggage, os.getcwd()
                above = os.path.commonpath([here, *(path.parent for path in luggage)])
                files = _read(luggage, Path(above), strategy.name)
            except OSError as error:
                raise BsbenchError(f"can't read the files of {spec}: {reason(error)}") from None
            return cls(spec, above, files, *facts, here)
        place, class_name = parted(spec)
        if (
            kind.built_in
            or scheme_of(spec)
            or not is_spec(spec)
            or not place.endswith((".py", *POLICIES))
        ):
            return cls(spec, "", (), *facts)
        try:
            paths = files_of(strategy)
            root = paths[0].parent
            while os.path.exists(root / "__init__.py"):
                root = root.parent
            files = _read(paths, root, strategy.name)
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
        sha256 = layouts_hash(placement)
        if sha256 is None or placement.path is None:
            return None
        path = shipped_path(placement.path)
        files = _read([path], path.parent, path.name)
        return cls(path.name, str(path.parent), files, {}, path.name, sha256)

    def unpack(self, folder: Path) -> None:
        """Write the files into a folder."""
        for name, data in self.files:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            # A program that still runs can't be written to.
            path.unlink(missing_ok=True)
            path.write_bytes(data)
            if self.place:
                # Programs among them.
                path.chmod(0o700)
        if self.place:
            (folder / os.path.relpath(self.place, self.root)).mkdir(parents=True, exist_ok=True)

    def _moved(self, folder: Path) -> Moved:
        return Moved(self.root, self.place, str(folder))

    def strategy(self, folder: Path, timeout: float) -> Strategy:
        """Return the strategy, whose files have been unpacked into a folder.

        Parameters
        ----------
        folder : Path
        timeout : float
            Seconds that a game may take: they also limit the start of a bot.

        Raises
        ------
        BsbenchError
            If it is not the same here.
        """
        limits = Limits(longest_start=longest_start(timeout))
        if self.place:
            kind = strategy_of(self.spec, limits, self._moved(folder))
        else:
            kind = find_strategy(str(folder / self.spec) if self.files else self.spec, limits)
        strategy = kind(**self.parameters)
        if (strategy.name, strategy_hash(strategy)) != (self.name, self.sha256):
            raise BsbenchError(
                f"the strategy {self.spec} is another one there than here: install the same "
                "version of its package on all machines"
            )
        return strategy

    def placed(self, scenario: Scenario, folder: Path) -> Scenario:
        """Return a scenario with the layouts that have been unpacked into a folder."""
        option = f"{folder / self.spec}:{scenario.placement.games_in_a_row}"
        return dataclasses.replace(scenario, placement=Placement("file", option))


def _read(paths: Iterable[Path], root: Path, who: str) -> tuple[tuple[str, bytes], ...]:
    """Return files by their paths below a folder."""
    paths = list(paths)
    if sum(path.stat().st_size for path in paths) > _LARGEST:
        raise BsbenchError(
            f"the files of {who!r} have more than {_LARGEST >> 20} MB, too much to send to the "
            "workers of a cluster"
        )
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
