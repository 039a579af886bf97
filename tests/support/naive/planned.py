"""Games along plans, as in `bsbench.play.planned`, on plain lists and sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from bsbench.rules.board import Rules

_STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}


def planned_shots(
    rules: Rules,
    ships: set[int],
    listed: Iterable[int],
    closed: Iterable[int],
    around: str,
    in_front: bool,
    once: bool,
    eliminate: bool,
    decide: Callable[[set[int]], int] | None,
) -> Iterator[int]:
    """Yield the shots of a game, until all ships are hit or the plan has no open cell.

    ``decide`` is given the open cells, where the plan is at its end.
    """
    waiting, is_open = list(listed), set(range(rules.cells)) - set(closed)
    pushed: set[int] = set()
    left = set(ships)
    while left:
        waiting = [cell for cell in waiting if cell in is_open]
        if not waiting:
            if decide is None or not is_open:
                return
            waiting = [decide(is_open)]
        cell = waiting.pop(0)
        is_open.remove(cell)
        yield cell
        if cell not in left:
            continue
        left.remove(cell)
        row, col = divmod(cell, rules.cols)
        if eliminate and not rules.touching:
            for other in rules.neighbours(cell):
                if other // rules.cols != row and other % rules.cols != col:
                    is_open.discard(other)
        for direction in around:
            down, right = _STEPS[direction]
            if 0 <= row + down < rules.rows and 0 <= col + right < rules.cols:
                beside = cell + down * rules.cols + right
                if beside in is_open and not (once and beside in pushed):
                    waiting.insert(0 if in_front else len(waiting), beside)
                pushed.add(beside)
