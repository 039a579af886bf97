"""What goes wrong when a user's player plays."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bsbench.common.errors import BsbenchError, Fault, with_line
from bsbench.common.texts import for_terminal
from bsbench.connect4.position import columns_text

if TYPE_CHECKING:
    from bsbench.connect4.players.base import Player


class PlayerError(BsbenchError):
    """A user's player broke the rules, or failed: a defect of the player.

    Attributes
    ----------
    player : str
        Its label.
    where : str
        In which game, and after which columns.
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


def fault_at(player: Player, played: Sequence[int], fault: Fault) -> PlayerError:
    """Return the error that a fault in a position is, which belongs to no match."""
    return PlayerError(player.label, _after(played), fault)


def fault_in_match(
    players: Sequence[Player],
    index: int,
    seed: int,
    plies: int,
    game: int,
    played: Sequence[int],
    fault: Fault,
) -> PlayerError:
    """Return the error that a fault in a game of a match is.

    Parameters
    ----------
    players : sequence of 2 Player
    index : int
        Which of them has failed.
    seed, plies, game : int
        Openings have so many ``plies``; games 2 i and 2 i + 1 are from opening i.
    played : sequence of int
        Columns played before, 0 to 6.
    fault : Fault
    """
    options = f"--seed {seed} --opening {plies} --game {game}"
    names = " ".join(shlex.quote(player.spec) for player in players)
    where = f"game {game} of seed {seed}, {_after(played)}"
    command = f"bsbench connect4 replay {names} {options}"
    return PlayerError(players[index].label, where, fault, command)


def _after(played: Sequence[int]) -> str:
    return f"after {columns_text(played)}" if played else "on the empty board"
