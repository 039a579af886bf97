"""Salvos: their referee, and what a shooter knows who fires several shots a turn."""

from __future__ import annotations

from tests.support.naive.layouts import excluded, slots


def answer_turn(rules, ships, cells: list[int]) -> list[int]:
    """Return what a turn reveals: for each cell the ship hit or -1; or for each ship its hits."""
    hit = [next((k for k, ship in enumerate(ships) if cell in ship), -1) for cell in cells]
    return [hit.count(ship) for ship in range(len(ships))] if rules.joint else hit


def play_salvos(strategy, rules, ships, seed: int, game: int, allowed, **parameters):
    """Return the turns of one game, each a list of cells, to that which hits the last ship cell.

    ``allowed`` tells how many shots the turn of a number may have.
    """
    left = set().union(*ships)
    shooter = strategy(rules, seed, game, **parameters)
    next(shooter)
    turns: list[list[int]] = []
    answer = None
    while left:
        turns.append(shooter.send((allowed(game, len(turns)), answer)))
        answer = answer_turn(rules, ships, turns[-1])
        left.difference_update(turns[-1])
    return turns


class TurnRecord:
    """What turns have revealed.

    Attributes
    ----------
    open_cells : list
        Cells not fired at.
    agreeing : list of list
        For each ship, the slots that agree with all answers.
    """

    def __init__(self, rules, no_touch: str) -> None:
        self.rules = rules
        self.no_touch = "ignore" if rules.touching is True else no_touch
        self.open_cells = list(range(rules.cells))
        self.agreeing = [slots(rules.rows, rules.cols, length) for length in rules.fleet]

    def note(self, cells: list[int], answer: list[int]) -> None:
        self.open_cells = [cell for cell in self.open_cells if cell not in cells]
        for ship in range(len(self.agreeing)):
            self._keep(ship, lambda slot, ship=ship: self._holds(ship, slot, cells, answer))
        self._close_certain()
        if self.no_touch == "full" and not self.rules.joint:
            for cell, hit in zip(cells, answer, strict=True):
                if hit >= 0:
                    self._close(excluded(self.rules, (cell,)), hit)
            self._close_certain()

    def _holds(self, ship: int, slot, cells: list[int], answer: list[int]) -> bool:
        """Tell whether a slot of a ship holds what a turn reported."""
        if self.rules.joint:
            return len(set(slot).intersection(cells)) == answer[ship]
        hits = {cell for cell, hit in zip(cells, answer, strict=True) if hit == ship}
        return set(slot).intersection(cells) == hits

    def _keep(self, ship: int, agrees) -> None:
        self.agreeing[ship] = [slot for slot in self.agreeing[ship] if agrees(slot)]

    def _close(self, closed, ship: int) -> None:
        """Close cells to all ships but one."""
        for other in range(len(self.agreeing)):
            if other != ship:
                self._keep(other, closed.isdisjoint)

    def _close_certain(self) -> None:
        before = None
        while before != self.agreeing:
            before = [*self.agreeing]
            for ship in range(len(self.agreeing)):
                if len(self.agreeing[ship]) == 1:
                    (only,) = self.agreeing[ship]
                    touching = self.no_touch == "ignore"
                    self._close(set(only) if touching else excluded(self.rules, only), ship)

    def through(self, ship: int, cell: int) -> int:
        return sum(cell in slot for slot in self.agreeing[ship])

    def candidates(self) -> list[int]:
        """Return the open cells where some ship may lie, in row-major order."""
        somewhere = {cell for slots in self.agreeing for slot in slots for cell in slot}
        return [cell for cell in self.open_cells if cell in somewhere]

    def factors(self) -> list[tuple[int, list[int]]]:
        """Return for each ship its slots in all, and through each cell."""
        return [
            (len(slots), [self.through(ship, cell) for cell in range(self.rules.cells)])
            for ship, slots in enumerate(self.agreeing)
        ]
