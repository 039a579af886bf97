"""Pages that are generated, never typed: from commands, code, schemas and records.

`commands`
    a page for each command, from click;
`python`
    public names, from docstrings;
`strategies`
    a page for each strategy: idea, parameters, figures of the records, heat map, a replay;
`scenarios`
    the built-in scenarios, each with a layout;
`formats`
    what files hold, from their types;
`front`
    what the front page shows;
`positions`
    the reference positions, to download;
`notebooks`
    copies, since Sphinx shows what is below this folder only.

Each has a function ``pages`` that yields paths below ``docs`` and contents. What it yields depends on the
checkout only, so that a page changes only if what it shows has changed.
"""

from __future__ import annotations

import hashlib
import importlib
import tomllib
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).parent.parent
ROOT = DOCS.parent

REPOSITORY: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "urls"
]["Repository"]

FOLDERS = ("reference", "notebooks")
"""Below ``docs``, and held by nothing but generated pages."""

_PARTS = (
    "commands",
    "formats",
    "front",
    "notebooks",
    "positions",
    "python",
    "scenarios",
    "strategies",
)


def repository(path: str) -> str:
    """Return the address of a file or folder of the repository."""
    return f"{REPOSITORY}/blob/main/{path}"


def pages() -> Iterator[tuple[str, str | bytes]]:
    """Yield the path of each page below ``docs``, and what is in it."""
    for part in _PARTS:
        yield from importlib.import_module(f"{__name__}.{part}").pages()


def write() -> None:
    """Write all pages, unless nothing has changed that they come from.

    Those that are as they were stay untouched, and Sphinx does not read them again.
    """
    stamp = DOCS / "reference" / ".stamp"
    state = _state()
    if stamp.exists() and stamp.read_text(encoding="utf-8") == state:
        return
    written = {stamp}
    for name, content in pages():
        path = DOCS / name
        data = content.encode() if isinstance(content, str) else content
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
        written.add(path)
    for folder in FOLDERS:
        for path in (DOCS / folder).rglob("*"):
            # Those that autosummary wrote for public names, too: it writes them again.
            if path.is_file() and path not in written:
                path.unlink()
    stamp.write_text(state, encoding="utf-8")


def _state() -> str:
    """Return a hash of all files that pages come from: their names, sizes and times."""
    found = hashlib.sha256()
    for folder in ("bsbench", "configs", "docs/_pages", "notebooks", "results", "tests/positions"):
        for path in sorted((ROOT / folder).rglob("*.*")):
            if path.suffix != ".pyc":
                facts = path.stat()
                found.update(f"{path} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return found.hexdigest()


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown; vertical bars within cells are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells) + "\n"


def toctree(pages: list[str], depth: int = 1, hidden: bool = False) -> str:
    """Return a toctree of pages, seen from the page that it stands on."""
    options = [f":maxdepth: {depth}", *([":hidden:"] if hidden else [])]
    return "\n".join(["```{toctree}", *options, "", *pages, "```", ""])
