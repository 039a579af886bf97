"""Engines: where games are played, here or on a cluster. Dask is imported only for a cluster."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bsbench.common.errors import BsbenchError, how_to_install, option

if TYPE_CHECKING:
    from bsbench.runs.cluster import Cluster

LOCAL, DASK = "local", "dask"

Engine = Any
"""``local``: threads of this process. ``dask``: processes of this machine, by Dask. The address of
a Dask scheduler, such as ``tcp://node1:8786``; a Dask ``Client``; or what `opened` yields."""


def check_engine(engine: Engine, threads: int | None = None) -> None:
    """Refuse what is no engine, and one whose libraries are not installed.

    Raises
    ------
    BsbenchError
        If it is one of these, or a number of threads is asked for where the cluster decides.
    """
    if engine is None or engine == LOCAL:
        return
    if isinstance(engine, str):
        if engine != DASK and "://" not in engine:
            raise BsbenchError(
                f"unknown engine {engine!r}: choose {LOCAL}, {DASK}, or the address of a Dask "
                "scheduler such as tcp://node1:8786"
            )
        if not all(map(importlib.util.find_spec, ("distributed", "cryptography"))):
            raise BsbenchError(
                f"the engine {DASK!r} needs Dask, which is not installed: {how_to_install('dask')}"
            )
    elif not _is_known(engine):
        raise BsbenchError(
            f"an engine is {LOCAL!r}, {DASK!r}, the address of a Dask scheduler, or a Dask Client, "
            f"not of type {type(engine).__name__}"
        )
    if threads is not None and engine != DASK:
        raise BsbenchError(
            f"a cluster has as many threads as its workers: leave out {option('threads')}, or "
            "start other workers"
        )


def _is_known(engine: object) -> bool:
    """Return whether it is a Dask client, or what `opened` yields."""
    if "distributed" not in sys.modules:
        return False
    from distributed import Client

    from bsbench.runs.cluster import Cluster

    return isinstance(engine, Client | Cluster)


@contextlib.contextmanager
def opened(engine: Engine = LOCAL, threads: int | None = None) -> Iterator[Cluster | None]:
    """Open an engine; yield the cluster, None if games are played here.

    Parameters
    ----------
    engine
        See `Engine`. A client, or what this has yielded, stays open.
    threads : int, optional
        Of ``dask``. Default: as many as there are cores.

    Raises
    ------
    BsbenchError
        As `check_engine` does; or if the cluster can't be reached, or its workers have another
        version of bsbench.
    """
    check_engine(engine, threads)
    if engine is None or engine == LOCAL:
        yield None
        return
    from bsbench.runs.cluster import Cluster, opened_cluster

    if isinstance(engine, Cluster):
        yield engine
        return
    with opened_cluster(engine, threads) as cluster:
        yield cluster
