"""Openings: random legal moves from which games begin.

After an opening the game is not over, and the player to move can't win at once. Opening number i
is a function of the seed and i alone.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bsbench.connect4.kernels.board import play_columns
from bsbench.connect4.kernels.openings import draw_openings
from bsbench.connect4.players.base import Boards, Played
from bsbench.connect4.position import Position
from bsbench.kernels.random import stream_key
from bsbench.matches.game import GOES_ON


def openings(seed: int, first: int, number: int, plies: int) -> list[Position]:
    """Return openings as positions, from a number on."""
    columns, _ = drawn_openings(seed, first, number, plies)
    return [Position(tuple(played)) for played in columns.tolist()]


def drawn_openings(
    seed: int, first: int, number: int, plies: int, purpose: str = "openings"
) -> tuple[npt.NDArray[np.int64], Boards]:
    """Return the columns played in some openings, and their boards.

    Parameters
    ----------
    seed, first, number, plies : int
    purpose : str
        Names the random stream: openings for another purpose are different ones.

    Returns
    -------
    columns : ndarray of int64, shape (number, plies)
    boards : ndarray of uint64, shape (number, 2)
    """
    columns = np.empty((number, plies), np.int64)
    boards = np.empty((number, 2), np.uint64)
    draw_openings(stream_key(f"connect4 {purpose}", seed), first, columns, boards)
    return columns, boards


def boards_after(played: Played) -> Boards:
    """Return the boards to which some columns lead, played one after the other.

    Raises
    ------
    ValueError
        If there is no such column, it is full, or a game is over by then.
    """
    boards = np.zeros((len(played), 2), np.uint64)
    made = np.empty(len(played), np.int64)
    for columns in played.T.astype(np.int64):
        if play_columns(boards, np.ascontiguousarray(columns), made) >= 0:
            raise ValueError("no room there")
        if (made != GOES_ON).any():
            raise ValueError("a game is over")
    return boards
