"""A game that was replayed, and its HTML page, which needs no other file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bsbench.common.files import check_export, write_text
from bsbench.connect4.position import COLUMNS, ROWS, Position, winning_cells
from bsbench.matches.faults import PlayerError
from bsbench.present.pages import framed, page, source

_PACKAGE = __name__.rpartition(".")[0]


@dataclass(frozen=True)
class Value:
    """What it is worth to play a column, if both then play without a mistake.

    Attributes
    ----------
    outcome : int
        1 if the player to move wins, 0 for a draw, -1 if the player loses.
    moves : int
        Stones that the winner still places, this one included; 0 for a draw.
    """

    outcome: int
    moves: int

    @classmethod
    def of(cls, score: int, stones: int) -> Value:
        """Return what a score of `perfect` says, with so many stones on the board."""
        if not score:
            return cls(0, 0)
        # Of the mover, and of the opponent, who has one more if the mover is `second`.
        placed = stones // 2 if score > 0 else (stones + 1) // 2
        return cls(1 if score > 0 else -1, 22 - abs(score) - placed)

    def __str__(self) -> str:
        if not self.outcome:
            return "draw"
        return f"{'wins' if self.outcome > 0 else 'loses'} in {self.moves}"


Values = Mapping[int, Value]
"""What each open column is worth, by column, 0 to 6."""


@dataclass(frozen=True)
class Replay:
    """A game, and what its columns were worth.

    Attributes
    ----------
    position : Position
        Where it ended.
    labels : tuple of str
        The players' labels, that of `first` first.
    facts : str
        Which game it is.
    opening : int
        Moves that nobody chose.
    values : tuple of (Values or None)
        For each number of stones, from 0 to those of the last position in which somebody is to
        move; None where the position was not solved.
    solved_from : int
        Stones from which on positions were solved.
    fault : PlayerError or None
        What went wrong, if anything did.
    """

    position: Position
    labels: tuple[str, str]
    facts: str
    opening: int
    values: tuple[Values | None, ...]
    solved_from: int
    fault: PlayerError | None = None

    def lost_value(self, ply: int) -> bool:
        """Return whether move number ``ply``, from 0, made a win a draw, or a draw a loss."""
        values = self.values[ply]
        if values is None:
            return False
        best = max(value.outcome for value in values.values())
        return values[self.position.played[ply]].outcome < best

    @property
    def ending(self) -> str:
        """How the game ended, in words."""
        if self.fault is not None:
            return f"{self.fault.player} failed"
        if not self.position.is_over:
            return "not over"
        if self.position.winner is None:
            return "a draw"
        first = self.position.winner == "first"
        return f"{self.labels[0 if first else 1]} wins as {self.position.winner}"

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the game as an HTML page that needs no other file, to be watched in a browser.

        Parameters
        ----------
        path : str or Path
        force : bool
            Whether a file that exists is replaced.

        Raises
        ------
        BsbenchError
            If there is a file already, or it can't be written.
        """
        check_export(path, force)
        write_text(path, page_text(self))

    def _repr_html_(self) -> str:
        """Return the page within a frame, for notebooks."""
        return framed(page_text(self), self.facts)


def page_text(replay: Replay) -> str:
    """Return a game as an HTML page.

    Notes
    -----
    The page loads nothing and runs no script but its own: see `bsbench.present.pages`.
    """
    styles = ("palette.css", "boards.css", "player.css", "connect4.css")
    scripts = ("player.js", "connect4.js")
    return page(
        _PACKAGE,
        "game.html.jinja",
        "".join(source(_PACKAGE, name) for name in styles),
        "".join(source(_PACKAGE, name) for name in scripts),
        title=" against ".join(replay.labels),
        facts=f"{replay.facts} X is {replay.labels[0]}, O is {replay.labels[1]}.".strip(),
        data=_data(replay),
        course="Who wins after each move if both then play without a mistake: X above, O below",
        jumps="next mistake, mistake before",
        boards=[replay.position.drawing()],
        solved_from=replay.solved_from,
    )


def _data(replay: Replay) -> dict[str, Any]:
    """Return what the script reads."""
    values = [
        None
        if each is None
        else [
            [each[column].outcome, each[column].moves] if column in each else None
            for column in range(COLUMNS)
        ]
        for each in replay.values
    ]
    return {
        "rows": ROWS,
        "cols": COLUMNS,
        "labels": replay.labels,
        "played": replay.position.played,
        "opening": replay.opening,
        "values": values,
        "mistakes": [
            ply + 1 for ply in range(len(replay.position.played)) if replay.lost_value(ply)
        ],
        "solvedFrom": replay.solved_from,
        "four": sorted(winning_cells(replay.position)),
        "ending": replay.ending,
        "fault": "" if replay.fault is None else str(replay.fault),
    }
