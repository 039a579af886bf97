"""Boards in colours on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from bsbench.rules.drawing import OPEN, BoardView, heat_colour, row_name, shares_of, text_colour

WIDTH = 4
"""Columns of a cell, at least."""

_MARK_STYLES = (
    "",
    "bold",
    "bold black on dark_orange",
    "bold white on dark_red",
    "bold black on khaki1",
)


def coloured_board(
    view: BoardView,
    cursor: int | None = None,
    advised: int | None = None,
    texts: Sequence[str] | None = None,
) -> Text:
    """Return a board in colours; scores stand in the cells that have one.

    Parameters
    ----------
    view : BoardView
    cursor, advised : int, optional
        Cells to mark.
    texts : sequence of str, optional
        What is written in cells that have a score. Default: the score in % of the greatest.
    """
    shares = [-1.0] * len(view.marks) if view.scores is None else shares_of(view.scores)
    if texts is None:
        texts = [f"{100 * share:.0f}" for share in shares]
        width = WIDTH
    else:
        lengths = (len(text) for text, share in zip(texts, shares, strict=True) if share >= 0)
        width = max(WIDTH, 1 + max(lengths, default=0))
    beside = len(row_name(view.rows - 1))
    names = "".join(f" {col + 1:<{width - 1}}" for col in range(view.cols))
    text = Text(f"{'':>{beside}} {names}", no_wrap=True)
    for row in range(view.rows):
        text.append(f"\n{row_name(row):>{beside}} ")
        for cell in range(row * view.cols, (row + 1) * view.cols):
            style, shown = _MARK_STYLES[view.marks[cell]], view.symbol(cell)
            if shares[cell] >= 0 and view.marks[cell] == OPEN:
                ground, shown = heat_colour(shares[cell]), texts[cell]
                style = f"{text_colour(ground)} on {ground}"
            if cell == advised:
                style += " bold underline"
            around = "[]" if cell == cursor else "<>" if cell == advised else "  "
            if len(shown) < width - 1:
                shown = f"{around[0]}{shown}{around[1]}"
            # Three digits leave no room for brackets.
            text.append(f"{shown:<{width}}", f"{style} reverse" if cell == cursor else style)
    return text
