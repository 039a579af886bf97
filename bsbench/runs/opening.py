"""Engines, opened: Dask is imported only for a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bsbench.runs.request import LOCAL, Engine

if TYPE_CHECKING:
    from bsbench.runs.cluster import Cluster


@contextlib.contextmanager
def opened(engine: Engine = LOCAL) -> Iterator[Cluster | None]:
    """Open an engine; yield the cluster, None if games are played here.

    Parameters
    ----------
    engine
        See `Engine`. A client, or what this has yielded, stays open.

    Raises
    ------
    BsbenchError
        If the cluster can't be reached, or its workers have another version of bsbench.
    """
    if engine is None or engine == LOCAL:
        yield None
        return
    from bsbench.runs.cluster import Cluster, opened_cluster

    if isinstance(engine, Cluster):
        yield engine
        return
    with opened_cluster(engine) as cluster:
        yield cluster
