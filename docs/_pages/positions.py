"""The reference positions in one file, small boards first."""

from collections.abc import Iterator

from _pages import ROOT


def pages() -> Iterator[tuple[str, str]]:
    """Yield what the page on positions offers to download."""
    paths = (ROOT / "tests" / "positions").glob("*.txt")
    texts = sorted((path.read_text(encoding="utf-8") for path in paths), key=lambda t: (len(t), t))
    yield "reference/_pages/positions.txt", "".join(texts)
