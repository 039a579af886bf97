"""Observations as text and text as actions, for language models.

Boards are drawn, and cells named, as in the rest of bsbench (`bsbench.rules.drawing`): cell 14 of
10 columns is ``B5``, the letter of its row and the number of its column, from 1 on.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import is_whole
from bsbench.common.errors import BsbenchError
from bsbench.common.texts import shortened, type_of
from bsbench.own.observation import Observation
from bsbench.rules.drawing import board_text, cell_name, legend, row_number

Size = tuple[int, int]
"""Rows and columns of a board."""


def sides(board_size: Size) -> Size:
    """Return rows and columns as plain integers.

    Raises
    ------
    BsbenchError
        If these are not two whole numbers from 1 on.
    """
    try:
        rows, cols = map(operator.index, board_size)
    except (TypeError, ValueError):
        rows = cols = 0
    if rows < 1 or cols < 1:
        raise BsbenchError(
            f"board_size is rows and columns, such as (8, 8), not {shortened(board_size)}"
        )
    return rows, cols


class UnreadableAction(BsbenchError):
    """A text that names no cell of the board; the sentence says why, and how to write one."""


def obs_to_text(observation: Observation) -> str:
    """Return an observation of one game as text.

    Parameters
    ----------
    observation : dict of arrays
        In a format with the shape of the board: ``sunk``, ``seed`` or ``planes``, with or
        without a mask.

    Returns
    -------
    str
        The board, which ships are afloat, and how many shots were fired.

    Raises
    ------
    BsbenchError
        If the observation has no board, or those of several games.

    Examples
    --------
    >>> board = np.array([[0, 1, 0], [3, 3, 0]], np.int8)
    >>> remaining, shots = np.array([0, 1]), np.array([3])
    >>> seen = {"attack_board": board, "remaining_ships": remaining, "move_count": shots}
    >>> print(obs_to_text(seen))
       1  2  3
    A  ·  ○  ·
    B  ■  ■  ·
    · not shot, ○ miss, ✕ hit, ■ sunk
    Ships afloat: 1. Shots fired: 3.
    """
    board = marks_of(observation)
    remaining = np.asarray(observation["remaining_ships"])
    lengths = sorted((int(length) for length in remaining if length), reverse=True)
    ships = ", ".join(map(str, lengths)) or "none"
    shots = int(np.asarray(observation["move_count"]).item())
    rows, cols = board.shape
    drawn = board_text(rows, cols, dict(enumerate(board.ravel().tolist())))
    return f"{drawn}\n{legend()}\nShips afloat: {ships}. Shots fired: {shots}."


def parse_action(text: str, board_size: Size) -> int:
    """Return the cell that a text names; the inverse of `action_to_text`.

    The text is a cell alone, in any case and maybe in quotes, or has more words, and names one cell
    in capitals. The environment checks whether it was shot before.

    Parameters
    ----------
    text : str
        What a model answered.
    board_size : (int, int)
        Rows and columns.

    Returns
    -------
    int
        ``row * cols + col``.

    Raises
    ------
    UnreadableAction
        If the text names no cell, several, or one off the board.
    BsbenchError
        If the board has no such size.

    Examples
    --------
    >>> parse_action("I shoot at B5, next to the hit.", (10, 10))
    14
    """
    rows, cols = sides(board_size)
    how = f"write {how_to_answer((rows, cols))}"
    if not isinstance(text, str):
        raise UnreadableAction(f"an answer is text, not {type_of(text)}: {how}")
    # Three letters and four digits at most: more is no cell of any board.
    bare = text.strip(" \t\r\n`'\"*.")
    whole = re.fullmatch(r"([A-Za-z]{1,3})\s?([0-9]{1,4})", bare, flags=re.ASCII)
    # Within words, small letters are no cells ("a 3", "go4"), nor are parts of longer words.
    found = [whole] if whole else re.finditer(r"\b([A-Z]{1,2})([0-9]{1,3})\b", text)
    places = {(row_number(match[1]), int(match[2]) - 1): match[0] for match in found}
    if len(places) > 1:
        names = " and ".join(places.values())
        raise UnreadableAction(f"the answer names several cells, {names}: {how}")
    short = repr(text if len(text) <= 60 else f"{text[:57]}...")
    for row, col in places:
        if row < rows and 0 <= col < cols:
            return row * cols + col
        raise UnreadableAction(f"{short} is not on the {rows}x{cols} board: {how}")
    raise UnreadableAction(f"{short} names no cell: {how}")


def action_to_text(action: int, board_size: Size) -> str:
    """Return how a cell is written.

    Raises
    ------
    BsbenchError
        If there is no such cell, or the board has no such size.

    Examples
    --------
    >>> action_to_text(14, (10, 10))
    'B5'
    """
    rows, cols = sides(board_size)
    if not is_whole(action) or not 0 <= action < rows * cols:
        raise BsbenchError(f"the cells of the {rows}x{cols} board are 0 to {rows * cols - 1}")
    return cell_name(int(action), cols)


def how_to_answer(board_size: Size) -> str:
    """Return how a move is to be written, for prompts.

    Raises
    ------
    BsbenchError
        If the board has no such size.

    Examples
    --------
    >>> how_to_answer((8, 12))
    'the letter of its row and the number of its column, A1 to H12'
    """
    rows, cols = sides(board_size)
    last = cell_name(rows * cols - 1, cols)
    return f"the letter of its row and the number of its column, A1 to {last}"


def marks_of(observation: Observation) -> npt.NDArray[np.int8]:
    """Return what an observation shows of each cell, whatever its format.

    Returns
    -------
    ndarray of int8, shape (rows, cols)
        0 to 3, as ``attack_board``.

    Raises
    ------
    BsbenchError
        If it has no board, or those of several games.
    """
    if isinstance(observation, Mapping) and "turn" in observation:
        raise BsbenchError(
            "observations of joint answers have no text here: use render_mode='ansi', or a "
            "scenario with answers='each'"
        )
    if not isinstance(observation, Mapping) or not {"attack_board", "planes"} & set(observation):
        raise BsbenchError(
            "only observations with the shape of the board have a text: make the environment with "
            "obs='sunk', 'seed' or 'planes'"
        )
    if np.ndim(observation["remaining_ships"]) != 1:
        raise BsbenchError(
            "these are the observations of several games: give obs_to_text those of one"
        )
    if "attack_board" in observation:
        return np.asarray(observation["attack_board"], np.int8)
    # One plane for each mark, in their order; exactly one of them is 1 at each cell.
    marks: npt.NDArray[np.int8] = np.argmax(observation["planes"], axis=0).astype(np.int8)
    return marks
