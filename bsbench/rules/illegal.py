"""Shots and turns that the rules refuse, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bsbench.common.errors import Fault
from bsbench.rules.board import Rules
from bsbench.rules.drawing import cell_name


class IllegalShotError(Fault):
    """A strategy fired off the board, or twice at one cell: a defect of the strategy.

    Attributes
    ----------
    cell : int
        The shot refused.
    reason : str
        What is wrong with it.
    """

    def __init__(self, lane: int, cell: int, reason: str, name: str = "") -> None:
        called = f"{cell} ({name})" if name else str(cell)
        super().__init__(lane, f"shot at cell {called} refused: {reason}")
        self.cell = cell
        self.reason = reason


def illegal_shot(rules: Rules, lane: int, cell: int) -> IllegalShotError:
    """Return what is wrong with a shot."""
    on_board = 0 <= cell < rules.cells
    if on_board and rules.repeats:
        moves = f"the game has not ended after {rules.most_moves - rules.cells:,} moves"
        return IllegalShotError(lane, cell, moves, cell_name(cell, rules.cols))
    if on_board:
        return IllegalShotError(lane, cell, "it was shot before", cell_name(cell, rules.cols))
    return IllegalShotError(lane, cell, f"the board is {rules.board}")


def illegal_turn(
    rules: Rules, lane: int, cells: Sequence[int], allowed: int, is_open: Callable[[int], bool]
) -> Fault | None:
    """Return what is wrong with a turn, of which no shot has been fired; None if it is legal.

    Parameters
    ----------
    rules : Rules
    lane : int
    cells : sequence of int
        The shots, in order.
    allowed : int
        How many they may be.
    is_open : callable
        Returns whether a cell of the board has not been shot.
    """
    if not cells:
        return Fault(lane, f"a turn without a shot: fire 1 to {allowed}")
    if len(cells) > allowed:
        return Fault(lane, f"{len(cells)} shots in a turn that has {allowed} at most")
    for place, cell in enumerate(cells):
        if not (0 <= cell < rules.cells and (rules.repeats or is_open(cell))):
            return illegal_shot(rules, lane, cell)
        if cell in cells[:place]:
            name = cell_name(cell, rules.cols)
            return IllegalShotError(lane, cell, "the same turn has it twice", name)
    return None
