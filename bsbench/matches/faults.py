"""What goes wrong when a user's player plays."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bsbench.common.errors import BsbenchError, Fault, with_line
from bsbench.common.texts import for_terminal

if TYPE_CHECKING:
    from bsbench.matches.player import Player


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


def fault_in_match(
    name: str,
    players: Sequence[Player],
    index: int,
    seed: int,
    plies: int,
    number: int,
    where: str,
    fault: Fault,
) -> PlayerError:
    """Return the error that a fault in a game of a match is.

    Parameters
    ----------
    name : str
        Of the game's group of commands.
    players : sequence of 2 Player
    index : int
        Which of them has failed.
    seed, plies, number : int
        Openings have so many ``plies``; games 2 i and 2 i + 1 are from opening i.
    where : str
        After which moves: `bsbench.matches.game.Table.where`.
    fault : Fault
    """
    options = f"--seed {seed} --opening {plies} --game {number}"
    names = " ".join(shlex.quote(player.spec) for player in players)
    command = f"bsbench {name} replay {names} {options}"
    return PlayerError(
        players[index].label, f"game {number} of seed {seed}, {where}", fault, command
    )


def faults_record(faults: Mapping[str, PlayerError]) -> dict[str, Any]:
    """Return why players were left out, for records; nothing if none was."""
    return {"faults": {label: str(fault) for label, fault in faults.items()}} if faults else {}
