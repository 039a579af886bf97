"""What hears how far a check has come, and may watch over the strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bsbench.common.findings import Finding
from bsbench.strategies import Strategy


class Listener:
    """Hears what is checked; this one does nothing about it."""

    def begins(
        self, label: str, scenarios: Sequence[str], games: int, properties: Sequence[str]
    ) -> None:
        """Hear what will be checked, of what strategy, and where."""

    def at(self, what: str, where: str = "") -> None:
        """Hear that a property is checked now, and on what scenario."""

    def found(self, finding: Finding) -> None:
        """Hear what came of it."""

    def listen(self, strategy: Strategy) -> Strategy:
        """Return a strategy, whose calls may be watched from then on."""
        return strategy

    @contextmanager
    def own(self) -> Iterator[None]:
        """Hear that bsbench itself is busy, for as long as it likes."""
        yield
