"""Templates of players: working files with comments, one for each kind.

They are the files ``KIND.template`` in this folder, filled in as `bsbench.own.templates` says.
"""

from __future__ import annotations

from pathlib import Path

from bsbench.own.templates import KINDS as ALL_KINDS
from bsbench.own.templates import Written
from bsbench.own.templates import write_template as write

KINDS = {kind: ALL_KINDS[kind] for kind in ("python", "cpp", "python-process")}
"""A class in Python, and programs in C++ and Python."""


def write_template(path: str | Path, kind: str | None = None) -> Written:
    """Write a player to begin with into a new file.

    Parameters
    ----------
    path : str or Path
    kind : str, optional
        One of `KINDS`. Default: by the end of the file's name.

    Raises
    ------
    BsbenchError
        For the reasons that `bsbench.own.templates.write_template` has.
    """
    written = write(path, kind, kinds=KINDS, folder=Path(__file__).parent)
    return written._replace(what="a player")
