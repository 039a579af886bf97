"""Decisions that games with the same history share.

A strategy whose shots depend on nothing but what it has been shown is a decision tree: games
that were answered alike so far get the same shot. The tree grows as games are played::

    node 0: the first shot, E5
      miss   -> node 1: the second shot, C3
                 miss -> node 4: …
      hit    -> node 2: the second shot, E6

A node is known by the node before and the answer there.
"""

from __future__ import annotations

from collections.abc import Iterator

from bsbench.rules import Rules

ROOT = -1
"""In place of the node before the first shot."""

_MOST_NODES = 500_000
"""About 200 bytes each."""


class DecisionTree:
    """Shots by history, of a strategy under some rules.

    Attributes
    ----------
    cells : list of int
        The shot of each node.
    """

    def __init__(self, rules: Rules, most: int = _MOST_NODES) -> None:
        self.cells: list[int] = []
        self._most = most
        self._places: dict[int, int] = {}
        self._before: list[int] = []
        self._answers: list[int] = []
        # An answer as one number: outcome (3), ship or none, slot or none.
        self._ships = len(rules.fleet) + 1
        self._answer_count = 3 * self._ships * (2 * rules.cells + 1)

    def find(self, before: int, outcome: int, ship: int, slot: int) -> int | None:
        """Return the node after an answer to the shot of a node, or None if it is not known."""
        answer = outcome + 3 * (ship + 1 + self._ships * (slot + 1))
        return self._places.get(before * self._answer_count + answer)

    def add(self, before: int, outcome: int, ship: int, slot: int, cell: int) -> int | None:
        """Add the shot after an answer to that of a node; return its node, None if it is full."""
        node = len(self.cells)
        if node == self._most:
            return None
        answer = outcome + 3 * (ship + 1 + self._ships * (slot + 1))
        self._places[before * self._answer_count + answer] = node
        self.cells.append(cell)
        self._before.append(before)
        self._answers.append(answer)
        return node

    def history(self, node: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield cell, outcome, ship and slot of each shot before that of a node, in order."""
        path = []
        while node != ROOT:
            path.append(node)
            node = self._before[node]
        for before, after in zip(path[::-1], path[-2::-1], strict=False):
            rest, outcome = divmod(self._answers[after], 3)
            slot, ship = divmod(rest, self._ships)
            yield self.cells[before], outcome, ship - 1, slot - 1
