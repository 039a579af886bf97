"""Disk space of bsbench and its extras: ``python -m benchmarks.sizes [EXTRA|PACKAGE…]``.

Each is installed into an empty environment, for itself, from this clone. A word that is no extra is
a package to install beside bsbench. Environments are made where ``TMPDIR`` says, and deleted.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
import venv
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]

_LARGEST = 4
"""Folders that are named."""


def sizes(folder: Path) -> Counter[str]:
    """Return the bytes in each entry of a folder; links count nothing."""
    found: Counter[str] = Counter()
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            found[path.relative_to(folder).parts[0]] += path.stat().st_size
    return found


def installed(wanted: list[str]) -> Counter[str]:
    """Return the bytes that pip adds to an empty environment, by folder of ``site-packages``."""
    with tempfile.TemporaryDirectory(prefix="bsbench-") as place:
        venv.create(place, with_pip=True)
        (packages,) = Path(place).glob("lib/python*/site-packages")
        before = sizes(packages)
        python = Path(place, "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
        return sizes(packages) - before


def main(words: list[str]) -> None:
    """Print a line for bsbench alone, and one for each word."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    for word in ["", *words]:
        wanted = [f"{ROOT}[{word}]"] if word in extras else [str(ROOT), *([word] if word else [])]
        found = installed(wanted)
        largest = ", ".join(
            f"{name} {size / 1e6:,.0f}" for name, size in found.most_common(_LARGEST)
        )
        print(
            f"{word or 'bsbench':12} {found.total() / 1e6:8,.0f} MB  (largest: {largest})",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
