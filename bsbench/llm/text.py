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

Lower case, blanks, and quotes or a full stop around an answer do not matter. ``grid``
names cells as the rest of bsbench does (`bsbench.rules.drawing.cell_name`). ``balrog`` follows the
description of BALROG's pull request 49 (https://github.com/balrog-ai/BALROG/pull/49), with ``~``
for an open cell; ``textarena`` follows Battleship in https://github.com/TextArena/TextArena, whose
grid does not show what has sunk: the line below says so.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import is_whole
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_choice
from bsbench.common.texts import shortened, type_of
from bsbench.own.observation import Observation
from bsbench.rules.drawing import SYMBOLS, board_text, legend, row_name, row_number

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


@dataclass(frozen=True)
class Seen:
    """What an observation shows, whatever its format.

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

    @property
    def status(self) -> str:
        """Ships afloat and shots fired, in a sentence each."""
        ships = ", ".join(map(str, self.afloat)) or "none"
        return f"Ships afloat: {ships}. Shots fired: {self.shots}."


# Three letters and four digits at most: more is no cell of any board.
_NAME = r"([A-Za-z]{1,3})\s?([0-9]{1,4})"


@dataclass(frozen=True)
class _Named:
    """A style that names a cell by the letter of one axis and the number of the other.

    Attributes
    ----------
    symbols : str
        How cells are drawn, by their marks, 0 to 3.
    legend : str
        What the board shows, for prompts.
    letters : {0, 1}
        The axis that has letters: rows or columns.
    first : int
        The first number.
    rule : str
        How a move is written, for prompts and errors, with room for the first and last cell.
    form : str
        What stands around a name.
    within : str or None
        Finds a name among other words; None where an answer is nothing but the name.
    """

    symbols: str
    legend: str
    letters: int
    first: int
    rule: str
    form: str = "{}"
    within: str | None = None

    def draw(self, seen: Seen) -> str:
        """Return an observation as text."""
        down, across = (
            [row_name(at) if axis == self.letters else str(at + self.first) for at in range(length)]
            for axis, length in enumerate(seen.size)
        )
        beside, width = max(map(len, down)), max(map(len, across)) + 2
        lines = [" " * beside + "".join(f"{name:>{width}}" for name in across)]
        for name, row in zip(down, seen.board.tolist(), strict=True):
            cells = "".join(f"{self.symbols[mark]:>{width}}" for mark in row)
            lines.append(f"{name:<{beside}}{cells}")
        return "\n".join([*lines, seen.status])

    def write(self, *place: int) -> str:
        """Return the move at a row and column."""
        letter, number = place[self.letters], place[1 - self.letters]
        return self.form.format(f"{row_name(letter)}{number + self.first}")

    def read(self, text: str) -> tuple[int, int] | None:
        """Return row and column as an answer names them, maybe off the board, or None.

        Raises
        ------
        UnreadableAction
            If it names several.
        """
        match = re.search(self.within, text, flags=re.ASCII) if self.within else None
        match = match or re.fullmatch(_NAME, _bare(text), flags=re.ASCII)
        return match and self._place(match)

    def _place(self, match: re.Match[str]) -> tuple[int, int]:
        place = row_number(match[1]), int(match[2]) - self.first
        return place[self.letters], place[1 - self.letters]

    def how(self, size: Size) -> str:
        """Return how a move is written on a board of that size, for prompts and errors."""
        return self.rule.format(self.write(0, 0), self.write(size[0] - 1, size[1] - 1))


class _Grid(_Named):
    """The style of the rest of bsbench."""

    def draw(self, seen: Seen) -> str:
        board = board_text(*seen.size, dict(enumerate(seen.board.ravel().tolist())))
        return f"{board}\n{self.legend}\n{seen.status}"

    def read(self, text: str) -> tuple[int, int] | None:
        whole = re.fullmatch(_NAME, _bare(text), flags=re.ASCII)
        # Within words, small letters are no cells ("a 3", "go4"), nor are parts of longer words.
        found = [whole] if whole else re.finditer(r"\b([A-Z]{1,2})([0-9]{1,3})\b", text)
        cells = {self._place(match): match[0] for match in found}
        if len(cells) > 1:
            names = " and ".join(cells.values())
            raise UnreadableAction(f"the answer names several cells, {names}")
        return next(iter(cells), None)


class _Json:
    """A style of JSON objects, with the methods of `_Named`."""

    legend = "lists of [row, col] by what is known of a cell: open, miss, hit, sunk"

    def draw(self, seen: Seen) -> str:
        rows, cols = seen.size
        by_mark = {
            word: np.argwhere(seen.board == mark).tolist()
            for mark, word in enumerate(("open", "miss", "hit", "sunk"))
        }
        table = {"rows": rows, "cols": cols, **by_mark, "ships_afloat": seen.afloat}
        return json.dumps(table | {"shots": seen.shots})

    def write(self, row: int, col: int) -> str:
        return json.dumps({"row": row, "col": col})

    def read(self, text: str) -> tuple[int, int] | None:
        decoder = json.JSONDecoder()
        for brace in re.finditer(r"\{", text):
            try:
                found, _ = decoder.raw_decode(text, brace.start())
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict) and type(found.get("row")) is type(found.get("col")) is int:
                return found["row"], found["col"]
        return None

    def how(self, size: Size) -> str:
        return (
            'a JSON object such as {"row": 0, "col": 0}, rows from 0 to '
            f"{size[0] - 1} and columns from 0 to {size[1] - 1}"
        )


def _bare(text: str) -> str:
    """Return an answer without blanks, quotes and full stops around it."""
    return text.strip(" \t\r\n`'\"*.")


_ROW_FIRST = "the letter of its row and the number of its column"

_STYLES: Mapping[str, _Named | _Json] = {
    "grid": _Grid(SYMBOLS, legend(), 0, 1, f"{_ROW_FIRST}, {{}} to {{}}"),
    "balrog": _Named(
        symbols="~OXZ",
        legend="~ not shot, O miss, X hit, Z of a sunk ship",
        letters=1,
        first=1,
        rule="the letter of its column and the number of its row, {} to {}, and nothing else",
    ),
    "textarena": _Named(
        symbols="~OXX",
        legend="~ not shot, O miss, X hit, sunk or not",
        letters=0,
        first=0,
        rule=f"{_ROW_FIRST} in square brackets, {{}} to {{}}",
        form="[{}]",
        within=rf"\[\s*{_NAME}\s*\]",
    ),
    "json": _Json(),
}

STYLES = tuple(_STYLES)
"""Names of the styles."""


def obs_to_text(observation: Observation, style: str = "grid") -> str:
    """Return an observation of one game as text.

    Parameters
    ----------
    observation : dict of arrays
        In a format with the shape of the board: ``sunk``, ``seed`` or ``planes``, with or
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

    The environment checks whether it was shot before.

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
    rows, cols = sides(board_size)
    how = f"write {way.how((rows, cols))}"
    if not isinstance(text, str):
        raise UnreadableAction(f"an answer is text, not {type_of(text)}: {how}")
    text = str(text)
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
    rows, cols = sides(board_size)
    if not is_whole(action) or not 0 <= action < rows * cols:
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
    return _style(style).how(sides(board_size))


def symbols_text(style: str = "grid") -> str:
    """Return what the board of a style shows, for prompts.

    Examples
    --------
    >>> symbols_text("balrog")
    '~ not shot, O miss, X hit, Z of a sunk ship'
    """
    return _style(style).legend


def _style(style: str) -> _Named | _Json:
    check_choice("style", style, STYLES)
    return _STYLES[style]


def see(observation: Observation) -> Seen:
    """Return what an observation shows."""
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
    remaining = np.asarray(observation["remaining_ships"])
    if remaining.ndim != 1:
        raise BsbenchError(
            "these are the observations of several games: give obs_to_text those of one"
        )
    if "planes" in observation:
        # One plane for each mark, in their order; exactly one of them is 1 at each cell.
        board = np.argmax(observation["planes"], axis=0)
    else:
        board = np.asarray(observation["attack_board"])
    shots = int(np.asarray(observation["move_count"]).item())
    afloat = sorted((int(length) for length in remaining if length), reverse=True)
    return Seen(board.astype(np.int8), afloat, shots)


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
