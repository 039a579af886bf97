"""Boards as text, HTML and pictures."""

from __future__ import annotations

from functools import cache
from html import escape
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from bsbench.common.settings import check_choice
from bsbench.kernels.known import Known, KnownTurns
from bsbench.rules.board import Rules
from bsbench.rules.drawing import (
    OPEN,
    SYMBOLS,
    UNCLEAR,
    BoardView,
    grid_lines,
    ground_colour,
    hits_text,
    parts_of,
    text_colour,
)

RENDER_MODES = ("ansi", "html", "human", "rgb_array")
"""Text, HTML, text that is printed, and a picture."""

METADATA: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}
"""Metadata of both environments, for Gymnasium."""

_SIDE = 32
"""Side of a cell in a picture, in pixels: even, as video codecs need."""

Picture = npt.NDArray[np.uint8]
"""Shape (height, width, 3): red, green and blue."""


def check_render_mode(render_mode: str | None) -> str | None:
    """Return a mode of rendering.

    Raises
    ------
    BsbenchError
        If there is none of that name.
    """
    if render_mode is not None:
        check_choice("render_mode", render_mode, RENDER_MODES)
    return render_mode


def render(
    rules: Rules, known: Known | KnownTurns, render_mode: str | None, whose: str = ""
) -> Any:
    """Return one board in the mode's form; in mode ``human``, print it and return nothing.

    Without a mode, only warn, as Gymnasium's own environments do. ``whose`` begins the title.
    """
    if render_mode is None:
        gymnasium.logger.warn(
            "render() was called, but the environment was made without a render_mode: make "
            f"it with one of {', '.join(RENDER_MODES)}"
        )
        return None
    if render_mode == "rgb_array":
        return picture(_marks(known))
    view: BoardView | str
    if isinstance(known, KnownTurns):
        view = turns_text(rules, known)
    else:
        view = board_view(rules, known, whose)
    if render_mode == "html":
        return f"<pre>{escape(view)}</pre>" if isinstance(view, str) else view._repr_html_()
    if render_mode == "ansi":
        return str(view)
    print(view, flush=True)
    return None


def _marks(known: Known | KnownTurns) -> npt.NDArray[np.int8]:
    """Return what is known of each cell, for `picture`."""
    if isinstance(known, KnownTurns):
        return np.where(known.turn > 0, UNCLEAR, OPEN).astype(np.int8)
    return known.board


def turns_text(rules: Rules, known: KnownTurns) -> str:
    """Return what is known with joint answers: in which turn cells were shot, and the answers."""
    turns = int(known.turn.max())
    cells = [str(turn) if turn else SYMBOLS[OPEN] for turn in known.turn.ravel().tolist()]
    answers = [
        f"turn {number}: {hits_text(rules.fleet, hits)}"
        for number, hits in enumerate(known.hits[:turns].tolist(), start=1)
    ]
    afloat = " ".join(str(length) for length in known.remaining.tolist() if length)
    return "\n".join(
        [
            f"after {turns} turn{'' if turns == 1 else 's'}",
            *grid_lines(rules.rows, rules.cols, cells),
            *answers,
            f"afloat {afloat or 'nothing'}",
        ]
    )


def board_view(rules: Rules, known: Known, whose: str = "") -> BoardView:
    """Return what is known in one game as a board to show."""
    sunk = None
    if rules.reveals.lengths:
        sunk = tuple(np.flatnonzero(known.remaining == 0).tolist())
    shots = int(known.shots[0])
    return BoardView(
        rules.rows,
        rules.cols,
        rules.fleet,
        marks=tuple(known.board.ravel().tolist()),
        sunk=sunk,
        title=f"{whose}after {shots} shot{'' if shots == 1 else 's'}",
    )


def picture(board: npt.NDArray[np.int8]) -> Picture:
    """Return a board as a picture: a dot for a miss, a cross for a hit, a square where sunk.

    A ring is where it was shot, with a joint answer.
    """
    rows, cols = board.shape
    # Shape (rows, cols, side, side, 3), then each row of cells as rows of pixels.
    return np.ascontiguousarray(_tiles()[board].swapaxes(1, 2)).reshape(
        rows * _SIDE, cols * _SIDE, 3
    )


@cache
def _tiles() -> Picture:
    """Return the pictures of a cell by what is known of it, shape (5, side, side, 3)."""
    down, across = np.indices((_SIDE, _SIDE)) - (_SIDE - 1) / 2
    far = np.maximum(abs(down), abs(across))
    distance = np.hypot(down, across)
    # In the order of the marks: open, a miss, a hit, sunk, shot.
    shapes = (
        np.zeros((_SIDE, _SIDE), np.bool_),
        down**2 + across**2 < (_SIDE / 8) ** 2,
        (abs(abs(down) - abs(across)) < _SIDE / 12) & (far < _SIDE / 3.2),
        far < _SIDE / 4,
        (distance > _SIDE / 6) & (distance < _SIDE / 4),
    )
    tiles = np.zeros((len(shapes), _SIDE, _SIDE, 3), np.uint8)
    for mark, shape in enumerate(shapes):
        ground = ground_colour(mark)
        tiles[mark] = list(parts_of(ground))
        tiles[mark, shape] = list(parts_of(text_colour(ground)))
    # A line around each cell.
    tiles[:, far > _SIDE / 2 - 1] = (0x8A, 0x97, 0xA3)
    return tiles
