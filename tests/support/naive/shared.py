"""Shared decisions, as in `bsbench.kernels.shared`, distinguished by the histories themselves."""

from __future__ import annotations

NEW = 4


class Tree:
    """Decisions by history, and where the game in each lane stands."""

    def __init__(self, lanes: int, rows: int) -> None:
        self.most = rows // 2
        self.decided: dict[tuple, int | None] = {}
        self.history: list[tuple] = [()] * lanes
        self.new = [0] * lanes

    def begin(self, lane: int) -> None:
        self.history[lane], self.new[lane] = (), NEW

    def asks(self, lane: int, last: tuple | None) -> bool:
        """Tell whether a lane asks, after a shot that did ``last`` (None before the first)."""
        if last is not None:
            self.history[lane] += (last,)
        history = self.history[lane]
        if self.new[lane] == 0:
            return True
        if history in self.decided:
            return False
        if len(self.decided) < self.most:
            self.decided[history] = None
            self.new[lane] -= 1
        else:
            self.new[lane] = 0
        return True

    def decide(self, lane: int, cell: int) -> None:
        """Take note of what a lane that asked was told."""
        if self.decided.get(self.history[lane], cell) is None:
            self.decided[self.history[lane]] = cell

    def known(self, lane: int) -> int | None:
        return self.decided[self.history[lane]]
