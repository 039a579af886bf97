"""Observations as text and text as actions, for language models.

A *style* is a way to draw the board and to write a move. Four are known; each says which axis
has letters, and where numbers begin, since that is where models and harnesses go wrong:

=============  ======================  ================================================
style          cell 14 of 10 columns   how it is read
=============  ======================  ================================================
``grid``       ``B5``: letter = row,   the whole answer, or, in an answer with more words,
               numbers from 1          the one cell that is named there
``balrog``     ``E2``: letter =        the whole answer, nothing else
               column, from 1
``textarena``  ``[B4]``: letter =      the first cell in square brackets, words around it
               row, numbers from 0     or not; or the whole answer, without brackets
``json``       ``{"row": 1, "col":     the first JSON object in the answer; both from 0
               4}``
=============  ======================  ================================================

Small letters, blanks, and quotes or a full stop around an answer are of no account. ``grid``
names cells as all of bsbench does (`bsbench.drawing.cell_name`). ``balrog`` is drawn after the
description of BALROG's pull request 49 (https://github.com/balrog-ai/BALROG/pull/49), with ``~``
for an open cell; ``textarena`` after Battleship in https://github.com/TextArena/TextArena, whose
grid does not show what has sunk: that is told below it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.drawing import board_text, cell_name, legend, row_name
from bsbench.errors import BsbenchError
from bsbench.observation import Observation
from bsbench.settings import suggestion

Size = tuple[int, int]
"""Rows and columns of a board."""


class UnreadableAction(BsbenchError):
    """A text that names no cell of the board; the sentence says why, and how to write one."""


@dataclass(frozen=True)
class Seen:
    """What an observation tells, whatever its format.

    Attributes
    ----------
    board : ndarray of int8, shape (rows, cols)
        0 to 3, as ``attack_board``.
    afloat : list of int
        Lengths of the ships not known to have sunk, the longest first.
    shots : int
    """

    board: npt.NDArray[np.int8]
    afloat: list[int]
    shots: int

    @property
    def size(self) -> Size:
        """Rows and columns."""
        rows, cols = self.board.shape
        return rows, cols

    def rows(self, symbols: str) -> list[list[str]]:
        """Return the symbol of each cell, row by row."""
        return [[symbols[mark] for mark in row] for row in self.board.tolist()]

    @property
    def status(self) -> str:
        """Ships afloat and shots fired, in a sentence each."""
        ships = ", ".join(map(str, self.afloat)) or "none"
        return f"Ships afloat: {ships}. Shots fired: {self.shots}."


@dataclass(frozen=True)
class _Style:
    """How boards are drawn, and moves written and read.

    Attributes
    ----------
    draw : callable
        Returns an observation as text.
    write : callable
        Returns the move at a row and column.
    read : callable
        Returns row and column as they are written in an answer, or None if none is; may be off
        the board. Raises `UnreadableAction` where several are named.
    how : callable
        Returns how a move is written on a board of that size, for prompts and errors.
    """

    draw: Callable[[Seen], str]
    write: Callable[[int, int], str]
    read: Callable[[str], tuple[int, int] | None]
    how: Callable[[Size], str]


def _row_of(letters: str) -> int:
    """Return the number that letters stand for, from 0: the inverse of `row_name`."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _bare(text: str) -> str:
    """Return an answer without what models like to put around it."""
    return text.strip(" \t\r\n`'\"*.")


# Three letters and four digits at most: more is no cell of any board.
_NAME = r"([A-Za-z]{1,3})\s?([0-9]{1,4})"


def _table(seen: Seen, symbols: str, across: list[str], down: list[str]) -> str:
    """Return a grid with names above the columns and before the rows."""
    beside = max(map(len, down))
    width = max(map(len, across)) + 2
    lines = [" " * beside + "".join(f"{name:>{width}}" for name in across)]
    for name, row in zip(down, seen.rows(symbols), strict=True):
        lines.append(f"{name:<{beside}}" + "".join(f"{symbol:>{width}}" for symbol in row))
    return "\n".join(lines)


# --- grid -----------------------------------------------------------------------------------


def _draw_grid(seen: Seen) -> str:
    rows, cols = seen.size
    board = board_text(rows, cols, dict(enumerate(seen.board.ravel().tolist())))
    return f"{board}\n{legend()}\n{seen.status}"


def _write_grid(row: int, col: int) -> str:
    return f"{row_name(row)}{col + 1}"


def _read_grid(text: str) -> tuple[int, int] | None:
    whole = re.fullmatch(_NAME, _bare(text), flags=re.ASCII)
    # Within words, small letters are no cells ("a 3", "go4"), nor are parts of longer words.
    found = [whole] if whole else re.finditer(r"\b([A-Z]{1,2})([0-9]{1,3})\b", text)
    cells = {(_row_of(match[1]), int(match[2]) - 1): match[0] for match in found}
    if len(cells) > 1:
        raise UnreadableAction(f"the answer names several cells, {' and '.join(cells.values())}")
    return next(iter(cells), None)


def _how_grid(size: Size) -> str:
    last = cell_name(size[0] * size[1] - 1, size[1])
    return f"the letter of its row and the number of its column, A1 to {last}"


# --- balrog ---------------------------------------------------------------------------------


def _draw_balrog(seen: Seen) -> str:
    rows, cols = seen.size
    across = [row_name(col) for col in range(cols)]
    down = [str(row + 1) for row in range(rows)]
    return f"{_table(seen, '~OXZ', across, down)}\n{seen.status}"


def _write_balrog(row: int, col: int) -> str:
    return f"{row_name(col)}{row + 1}"


def _read_balrog(text: str) -> tuple[int, int] | None:
    match = re.fullmatch(_NAME, _bare(text), flags=re.ASCII)
    return match and (int(match[2]) - 1, _row_of(match[1]))


def _how_balrog(size: Size) -> str:
    last = _write_balrog(size[0] - 1, size[1] - 1)
    return f"the letter of its column and the number of its row, A1 to {last}, and nothing else"


# --- textarena ------------------------------------------------------------------------------


def _draw_textarena(seen: Seen) -> str:
    rows, cols = seen.size
    across = [str(col) for col in range(cols)]
    down = [row_name(row) for row in range(rows)]
    return f"{_table(seen, '~OXX', across, down)}\n{seen.status}"


def _write_textarena(row: int, col: int) -> str:
    return f"[{row_name(row)}{col}]"


def _read_textarena(text: str) -> tuple[int, int] | None:
    match = re.search(rf"\[\s*{_NAME}\s*\]", text, flags=re.ASCII) or re.fullmatch(
        _NAME, _bare(text), flags=re.ASCII
    )
    return match and (_row_of(match[1]), int(match[2]))


def _how_textarena(size: Size) -> str:
    last = _write_textarena(size[0] - 1, size[1] - 1)
    return f"the letter of its row and the number of its column in square brackets, [A0] to {last}"


# --- json -----------------------------------------------------------------------------------

_WORDS = "open", "miss", "hit", "sunk"
"""What is known of a cell, in the order of its marks, 0 to 3."""


def _draw_json(seen: Seen) -> str:
    rows, cols = seen.size
    cells = seen.board.ravel().tolist()
    by_mark = {
        word: [list(divmod(cell, cols)) for cell, found in enumerate(cells) if found == mark]
        for mark, word in enumerate(_WORDS)
    }
    table = {"rows": rows, "cols": cols, **by_mark, "ships_afloat": seen.afloat}
    return json.dumps(table | {"shots": seen.shots})


def _write_json(row: int, col: int) -> str:
    return json.dumps({"row": row, "col": col})


def _read_json(text: str) -> tuple[int, int] | None:
    decoder = json.JSONDecoder()
    for brace in re.finditer(r"\{", text):
        try:
            found, _ = decoder.raw_decode(text, brace.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and type(found.get("row")) is type(found.get("col")) is int:
            return found["row"], found["col"]
    return None


def _how_json(size: Size) -> str:
    return (
        'a JSON object such as {"row": 0, "col": 0}, rows from 0 to '
        f"{size[0] - 1} and columns from 0 to {size[1] - 1}"
    )


_STYLES: Mapping[str, _Style] = {
    "grid": _Style(_draw_grid, _write_grid, _read_grid, _how_grid),
    "balrog": _Style(_draw_balrog, _write_balrog, _read_balrog, _how_balrog),
    "textarena": _Style(_draw_textarena, _write_textarena, _read_textarena, _how_textarena),
    "json": _Style(_draw_json, _write_json, _read_json, _how_json),
}

STYLES = tuple(_STYLES)
"""Names of the styles."""


def obs_to_text(observation: Observation, style: str = "grid") -> str:
    """Return an observation of one game as text.

    Parameters
    ----------
    observation : dict of arrays
        Of a format that tells the shape of the board: ``sunk``, ``seed`` or ``planes``, with or
        without a mask.
    style : {"grid", "balrog", "textarena", "json"}

    Returns
    -------
    str
        The board, which ships are afloat, and how many shots were fired.

    Raises
    ------
    BsbenchError
        If there is no such style, or the observation has no board, or those of several games.

    Examples
    --------
    >>> board = np.array([[0, 1, 0], [3, 3, 0]], np.int8)
    >>> remaining, shots = np.array([0, 1]), np.array([3])
    >>> seen = {"attack_board": board, "remaining_ships": remaining, "move_count": shots}
    >>> print(obs_to_text(seen, "balrog"))
       A  B  C
    1  ~  O  ~
    2  Z  Z  ~
    Ships afloat: 1. Shots fired: 3.
    """
    return _style(style).draw(see(observation))


def parse_action(text: str, board_size: Size, style: str = "grid") -> int:
    """Return the cell that a text names; the inverse of `action_to_text`.

    Whether it was shot before is for the environment to say.

    Parameters
    ----------
    text : str
        What a model answered.
    board_size : (int, int)
        Rows and columns.
    style : {"grid", "balrog", "textarena", "json"}

    Returns
    -------
    int
        ``row * cols + col``.

    Raises
    ------
    UnreadableAction
        If the text names no cell in this style, several, or one off the board.
    BsbenchError
        If there is no such style, or the board has no such size.

    Examples
    --------
    >>> parse_action("I shoot [B4], next to the hit.", (10, 10), "textarena")
    14
    """
    way = _style(style)
    rows, cols = _size(board_size)
    how = f"write {way.how((rows, cols))}"
    if not isinstance(text, str):
        raise UnreadableAction(f"an answer is text, not of type {type(text).__name__}: {how}")
    try:
        place = way.read(text)
    except UnreadableAction as error:
        raise UnreadableAction(f"{error}: {how}") from None
    if place is None:
        raise UnreadableAction(f"{_short(text)} names no cell: {how}")
    row, col = place
    if not (0 <= row < rows and 0 <= col < cols):
        raise UnreadableAction(f"{_short(text)} is not on the {rows}x{cols} board: {how}")
    return row * cols + col


def action_to_text(action: int, board_size: Size, style: str = "grid") -> str:
    """Return how a cell is written.

    Raises
    ------
    BsbenchError
        If there is no such style, no such cell, or the board has no such size.

    Examples
    --------
    >>> [action_to_text(14, (10, 10), style) for style in STYLES]
    ['B5', 'E2', '[B4]', '{"row": 1, "col": 4}']
    """
    way = _style(style)
    rows, cols = _size(board_size)
    if not 0 <= action < rows * cols:
        raise BsbenchError(f"the cells of the {rows}x{cols} board are 0 to {rows * cols - 1}")
    return way.write(*divmod(int(action), cols))


def how_to_answer(board_size: Size, style: str = "grid") -> str:
    """Return how a move is to be written, for prompts.

    Raises
    ------
    BsbenchError
        If there is no such style, or the board has no such size.

    Examples
    --------
    >>> how_to_answer((8, 12))
    'the letter of its row and the number of its column, A1 to H12'
    """
    return _style(style).how(_size(board_size))


def symbols_text(style: str = "grid") -> str:
    """Return what the board of a style shows, for prompts.

    Examples
    --------
    >>> symbols_text("balrog")
    '~ not shot, O miss, X hit, Z of a sunk ship'
    """
    _style(style)
    return {
        "grid": legend(),
        "balrog": "~ not shot, O miss, X hit, Z of a sunk ship",
        "textarena": "~ not shot, O miss, X hit, sunk or not",
        "json": "lists of [row, col] by what is known of a cell: open, miss, hit, sunk",
    }[style]


def _style(style: str) -> _Style:
    if style not in STYLES:
        raise BsbenchError(f"unknown style {style!r}: {suggestion(str(style), STYLES)}")
    return _STYLES[style]


def _size(board_size: Size) -> Size:
    try:
        rows, cols = (int(side.__index__()) for side in board_size)
    except (TypeError, ValueError, AttributeError):
        rows = cols = 0
    if rows < 1 or cols < 1:
        raise BsbenchError(f"board_size is rows and columns, such as (8, 8), not {board_size!r}")
    return rows, cols


def see(observation: Observation) -> Seen:
    """Return what an observation tells."""
    if not isinstance(observation, Mapping) or not {"attack_board", "planes"} & set(observation):
        raise BsbenchError(
            "only observations with the shape of the board have a text: make the environment with "
            "obs='sunk', 'seed' or 'planes'"
        )
    remaining = np.asarray(observation["remaining_ships"])
    if remaining.ndim != 1:
        raise BsbenchError(
            "these are the observations of several games: give obs_to_text those of one"
        )
    board = _marks(observation)
    shots = int(np.asarray(observation["move_count"]).item())
    afloat = sorted((int(length) for length in remaining if length), reverse=True)
    return Seen(board, afloat, shots)


def _marks(observation: Mapping[str, Any]) -> npt.NDArray[np.int8]:
    if "planes" in observation:
        # One plane for each mark, in their order; exactly one of them is 1 at each cell.
        marks: npt.NDArray[np.int8] = np.argmax(observation["planes"], axis=0).astype(np.int8)
        return marks
    return np.asarray(observation["attack_board"], np.int8)


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
