"""Where a run is played: processor, cores, versions."""

from __future__ import annotations

import contextlib
import os
import platform
import re
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any


def this_machine() -> dict[str, Any]:
    """Return processor, usable cores and system of this machine."""
    processor = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
        processor = found[1] if found else processor
    return {
        "processor": processor,
        "cores": usable_cores(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def usable_cores() -> int:
    """Return the number of processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that results may depend on."""
    return {"python": platform.python_version()} | installed_versions(
        ("numpy", "numba", "llvmlite")
    )


def installed_versions(names: Iterable[str]) -> dict[str, str]:
    """Return the versions of installed libraries, by name."""
    return {name: version(name) for name in names}
