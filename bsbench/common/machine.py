"""Where and when games are played: processor, cores, versions, date."""

from __future__ import annotations

import contextlib
import math
import os
import platform
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from bsbench import __version__
from bsbench.common.arguments import checked

_PR_SET_DUMPABLE = 4


def this_machine() -> dict[str, Any]:
    """Return processor, usable cores and system of this machine."""
    processor = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        found = re.search(
            r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8")
        )
        processor = found[1] if found else processor
    return {
        "processor": processor,
        "cores": usable_cores(),
        "system": f"{platform.system()} {platform.machine()}",
    }


@cache
def hide_memory() -> None:
    """Let no other process without privileges read or change the memory of this one.

    It knows the layouts. Whoever starts users' code in another process calls this before. Only
    Linux has it; debuggers then need privileges, too, and there are no core dumps.
    """
    if sys.platform == "linux":
        # Few commands need it.
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def usable_cores() -> int:
    """Return the number of processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory() -> float:
    """Return the bytes of memory of this machine; infinity where the system does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return math.inf


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that results may depend on."""
    return {"python": platform.python_version()} | installed_versions(
        ("numpy", "numba", "llvmlite")
    )


def installed_versions(names: Iterable[str]) -> dict[str, str]:
    """Return the versions of installed libraries, by name."""
    # Here, since it is a third of what `bsbench --help` would import.
    from importlib.metadata import version

    return {name: version(name) for name in names}


def now() -> str:
    """Return date and time, in UTC, to the second."""
    return datetime.now(UTC).isoformat(sep=" ", timespec="seconds")


@dataclass(frozen=True, kw_only=True, eq=False)
class Provenance:
    """Where, with what and when something was played or measured, as all records say it.

    Attributes
    ----------
    threads : int
        Threads it was played on.
    bsbench : str
        The version of bsbench.
    machine, versions : dict
        See `this_machine` and `library_versions`.
    date : str
        In UTC.
    """

    threads: int
    bsbench: str = __version__
    machine: dict[str, Any] = field(default_factory=this_machine, repr=False)
    versions: dict[str, str] = field(default_factory=library_versions, repr=False)
    date: str = field(default_factory=now)

    @checked
    def record(self, schema: str, content: Mapping[str, Any], **seconds: float) -> dict[str, Any]:
        """Return a record: its content between the head and the tail of all records.

        The date is last, so that two records differ by their ends.

        Parameters
        ----------
        schema : str
        content : mapping
        **seconds : float
            How long each step took.
        """
        times = {step: round(taken, 4) for step, taken in seconds.items()}
        return {
            "schema": schema,
            "bsbench": self.bsbench,
            **content,
            "threads": self.threads,
            **({"seconds": times} if times else {}),
            "machine": self.machine,
            "versions": self.versions,
            "date": self.date,
        }
