"""Engines, opened: Dask is imported only for a cluster."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bsbench.common.errors import BsbenchError, how_to_install
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
        If Dask is not installed, the cluster can't be reached, or its workers have another version
        of bsbench.
    """
    if engine is None or engine == LOCAL:
        yield None
        return
    if importlib.util.find_spec("distributed") is None:
        raise BsbenchError(
            f"a cluster needs Dask, which is not installed: {how_to_install('dask')}"
        )
    from bsbench.runs.cluster import Cluster, opened_cluster

    if isinstance(engine, Cluster):
        yield engine
        return
    with opened_cluster(engine) as cluster:
        yield cluster
