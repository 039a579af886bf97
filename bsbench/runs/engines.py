"""Engines: where games are played, here or on a cluster; checked without importing Dask."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

from bsbench.common.errors import BsbenchError, how_to_install, option

LOCAL, DASK = "local", "dask"

Engine = Any
"""``local``: threads of this process. ``dask``: processes of this machine, by Dask. The address of
a Dask scheduler, such as ``tcp://node1:8786``; a Dask ``Client``; or what
`bsbench.runs.opening.opened` yields."""


class OpenCluster:
    """A cluster that `bsbench.runs.opening.opened` has opened, and will close."""


def check_engine(engine: Engine, threads: int | None = None) -> None:
    """Refuse what is no engine, and one whose libraries are not installed.

    Raises
    ------
    BsbenchError
        If it is one of these, or a number of threads is asked for where the cluster decides.
    """
    if engine is None:
        return
    if isinstance(engine, str):
        if engine == LOCAL:
            return
        if engine != DASK and "://" not in engine:
            raise BsbenchError(
                f"unknown engine {engine!r}: choose {LOCAL}, {DASK}, or the address of a Dask "
                "scheduler, such as tcp://node1:8786"
            )
    elif not _is_known(engine):
        raise BsbenchError(
            f"an engine is {LOCAL!r}, {DASK!r}, the address of a Dask scheduler, or a Dask Client, "
            f"not of type {type(engine).__name__}"
        )
    if threads is not None and not (isinstance(engine, str) and engine == DASK):
        raise BsbenchError(
            f"a cluster has as many threads as its workers: leave out {option('threads')}, or "
            "start other workers"
        )
    # Last: to install Dask would not help with the others.
    if isinstance(engine, str) and not all(
        map(importlib.util.find_spec, ("distributed", "cryptography"))
    ):
        raise BsbenchError(
            f"the engine {DASK!r} needs Dask, which is not installed: {how_to_install('dask')}"
        )


def _is_known(engine: object) -> bool:
    """Return whether it is a Dask client, or an open cluster."""
    if "distributed" not in sys.modules:
        return False
    from distributed import Client

    return isinstance(engine, Client | OpenCluster)
