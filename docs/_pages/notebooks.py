"""Copies of the notebooks."""

from collections.abc import Iterator

from _pages import ROOT


def pages() -> Iterator[tuple[str, bytes]]:
    """Yield each notebook, its links to pages as they are from here."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        yield f"notebooks/{path.name}", path.read_bytes().replace(b"](../docs/", b"](../")
