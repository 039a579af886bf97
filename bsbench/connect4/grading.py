"""Files of solved positions, compared with what the solver finds."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bsbench.common.errors import BsbenchError
from bsbench.connect4.players.perfect import Perfect
from bsbench.connect4.position import Position

_LARGEST = 18
"""What a position is worth at most: the first player wins with the fourth stone."""


@dataclass(frozen=True)
class Task:
    """A position and what it is worth, as a line of a file says.

    Attributes
    ----------
    line : int
        Its number in the file, from 1 on.
    position : Position
        Not over.
    score : int
        What it is worth to the player to move; see `bsbench.connect4.players.perfect`.
    """

    line: int
    position: Position
    score: int


@dataclass(frozen=True)
class Solved:
    """What the solver found.

    Attributes
    ----------
    task : Task
    score : int
    nodes : int
        Positions searched.
    seconds : float
    """

    task: Task
    score: int
    nodes: int
    seconds: float

    @property
    def right(self) -> bool:
        """Whether it is the score in the file."""
        return self.score == self.task.score

    def to_dict(self) -> dict[str, Any]:
        """Return line and position, and both scores: ``told`` by the file, and ``found``."""
        return {
            "line": self.task.line,
            "position": self.task.position.text,
            "told": self.task.score,
            "found": self.score,
        }


def read_tasks(lines: Iterable[str], name: str) -> list[Task]:
    """Return the positions that lines of text hold.

    Parameters
    ----------
    lines : iterable of str
        Columns played, and the score, on each; what follows ``#`` is ignored.
    name : str
        What the file is called in messages.

    Raises
    ------
    BsbenchError
        If a line can't be read, a position is impossible or over, or there is none.
    """
    tasks = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            tasks.append(Task(number, *_read(words)))
        except BsbenchError as error:
            raise BsbenchError(f"line {number} of {name}: {error}") from None
    if not tasks:
        raise BsbenchError(f"{name} holds no position: write '44455 2', and the like, on each line")
    return tasks


def _read(words: Sequence[str]) -> tuple[Position, int]:
    """Return position and score on a line."""
    if len(words) != 2:
        raise BsbenchError(
            f"{' '.join(words)!r} is not a position and its score: write them as '44455 2'"
        )
    position = Position.parse(words[0]).open()
    if not re.fullmatch(r"[+-]?\d{1,2}", words[1]) or abs(int(words[1])) > _LARGEST:
        raise BsbenchError(
            f"{words[1]!r} is not a score: it is a whole number from -{_LARGEST} to {_LARGEST}"
        )
    return position, int(words[1])


def solve_task(solver: Perfect, task: Task) -> Solved:
    """Return what the solver finds for a position; it keeps its table of earlier positions."""
    before, begun = solver.nodes, time.perf_counter()
    score = solver.worth(task.position)
    seconds = time.perf_counter() - begun
    return Solved(task, score, solver.nodes - before, seconds)


def summary(solved: Sequence[Solved]) -> dict[str, Any]:
    """Return the figures of at least one position.

    Returns
    -------
    dict
        ``positions``, ``right``, ``wrong``; ``seconds`` (sum) and their ``mean``, ``median`` and
        ``longest``; ``nodes`` (sum) and ``nodes_per_second``.
    """
    seconds = [each.seconds for each in solved]
    right = sum(each.right for each in solved)
    nodes = sum(each.nodes for each in solved)
    return {
        "positions": len(solved),
        "right": right,
        "wrong": len(solved) - right,
        "seconds": sum(seconds),
        "mean": statistics.mean(seconds),
        "median": statistics.median(seconds),
        "longest": max(seconds),
        "nodes": nodes,
        "nodes_per_second": nodes / sum(seconds),
    }
