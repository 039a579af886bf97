"""What goes wrong when a user's player plays."""

from __future__ import annotations

from typing import Any

from bsbench.common.errors import BsbenchError, Fault, with_line
from bsbench.common.texts import for_terminal


class PlayerError(BsbenchError):
    """A user's player broke the rules, or failed: a defect of the player.

    Attributes
    ----------
    player : str
        Its label.
    where : str
        In which game, and after which moves.
    problem, line : str
        As in `Fault`.
    replay : str
        The command that shows the game, or empty.
    match : Match or None
        The pairs of the match that were played before, if any were.
    """

    match: Any = None

    def __init__(self, player: str, where: str, fault: Fault, replay: str = "") -> None:
        super().__init__(player, where, fault, replay)
        self.player, self.where, self.replay = player, where, replay
        # Both quote the player's code, whose errors may hold anything.
        self.problem, self.line = for_terminal(fault.problem), for_terminal(fault.line)

    def __str__(self) -> str:
        problem = f"player {self.player!r}, {self.where}: {self.problem}"
        return with_line(problem, self.line, self.replay)
