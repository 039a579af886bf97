"""Cells by name, and boards drawn as text and as HTML.

A cell has the name that the board game's grid gives it, the letter of its row and the number of
its column: ``A1`` is cell 0, ``B7`` on ten columns is cell 16. After row ``Z`` come ``AA``,
``AB``, …

With these names, shots and turns that the rules refuse are put in words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from bsbench.common import texts as _texts
from bsbench.common.errors import BsbenchError, Fault
from bsbench.rules.board import Rules

OPEN, MISSED, STRUCK, SUNKEN, UNCLEAR = range(5)
"""What is known of a cell: not shot, a miss, a hit, or of a ship known to have sunk; with joint
answers also: shot, but not clear whether it is a hit."""

SYMBOLS = "·○✕■?"
"""How cells are drawn, by what is known of them."""

HIDDEN = "□"
"""How a ship cell that has not been shot is drawn, where ships are shown."""

PLAIN = {symbol: _texts.PLAIN.get(symbol, symbol) for symbol in SYMBOLS + HIDDEN}
"""What replaces the symbols where they can't be printed."""

MEANINGS = ("not shot", "miss", "hit", "sunk", "shot, not clear")
"""What the symbols mean, in words."""

_LISTED = 20
"""Ships at most that are listed one by one."""


def row_name(row: int) -> str:
    """Return the letters of a row, 0-based.

    Examples
    --------
    >>> row_name(0), row_name(25), row_name(26)
    ('A', 'Z', 'AA')
    """
    name = ""
    row += 1
    while row:
        row, letter = divmod(row - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def row_number(letters: str) -> int:
    """Return the row, 0-based, that letters name, small or large: the inverse of `row_name`."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def cell_name(cell: int, cols: int) -> str:
    """Return the name of a cell on a board of ``cols`` columns.

    Examples
    --------
    >>> cell_name(16, cols=10)
    'B7'
    """
    row, col = divmod(cell, cols)
    return f"{row_name(row)}{col + 1}"


def read_cell(name: str, rows: int, cols: int) -> int:
    """Return the cell of a name, in small letters or large.

    Raises
    ------
    BsbenchError
        If it is no name of a cell, or the cell is not on the board.

    Examples
    --------
    >>> read_cell("b7", rows=10, cols=10)
    16
    """
    match = re.fullmatch(r"\s*([A-Z]{1,3})\s*([0-9]{1,4})\s*", name.upper(), flags=re.ASCII)
    last = cell_name(rows * cols - 1, cols)
    if match is None:
        raise BsbenchError(
            f"{name!r} is not a cell: give the letter of its row and the number of its column, "
            f"A1 to {last}"
        )
    row, col = row_number(match[1]), int(match[2]) - 1
    if row >= rows or not 0 <= col < cols:
        raise BsbenchError(f"{name.strip()} is not on the board: its cells are A1 to {last}")
    return row * cols + col


def ship_text(fleet: Sequence[int], ship: int, lettered: bool = True) -> str:
    """Return what a ship is called: by its length, with a letter where several have it.

    Where the cells of ships that have sunk are not told, nothing says which of equal ships it was:
    then it has no letter.

    Examples
    --------
    >>> [ship_text((5, 4, 3, 3, 2), ship) for ship in (0, 2, 3)]
    ['ship of 5', 'ship of 3 (a)', 'ship of 3 (b)']
    >>> ship_text((5, 4, 3, 3, 2), 2, lettered=False)
    'a ship of 3'
    """
    length = fleet[ship]
    if not lettered:
        return f"a ship of {length}"
    if fleet.count(length) == 1:
        return f"ship of {length}"
    return f"ship of {length} ({row_name(fleet[:ship].count(length)).lower()})"


def hits_text(fleet: Sequence[int], hits: Sequence[int]) -> str:
    """Return the joint answer to a turn.

    Examples
    --------
    >>> hits_text((5, 4, 3, 3, 2), (0, 2, 1, 0, 0))
    'ship of 4 hit twice, ship of 3 (a) hit once'
    >>> hits_text((5, 4), (0, 0))
    'no hit'
    """
    times = {1: "once", 2: "twice"}
    told = [
        f"{ship_text(fleet, ship)} hit {times.get(number, f'{number} times')}"
        for ship, number in enumerate(hits)
        if number
    ]
    return ", ".join(told) or "no hit"


def legend(hidden: bool = False) -> str:
    """Return what the symbols mean, in one line; on request with the symbol of a hidden ship."""
    known = zip(SYMBOLS[:UNCLEAR], MEANINGS, strict=False)
    parts = [f"{symbol} {meaning}" for symbol, meaning in known]
    return ", ".join([*parts, f"{HIDDEN} ship cell not found"] if hidden else parts)


def board_text(rows: int, cols: int, marks: Mapping[int, int]) -> str:
    """Return a board as lines of text, with the names of rows and columns.

    Parameters
    ----------
    rows, cols : int
    marks : mapping of int to int
        What is known of each cell that is not `OPEN`.

    Examples
    --------
    >>> print(board_text(2, 3, {1: MISSED, 5: STRUCK}))
       1  2  3
    A  ·  ○  ·
    B  ·  ·  ✕
    """
    symbols = [SYMBOLS[marks.get(cell, OPEN)] for cell in range(rows * cols)]
    return "\n".join(grid_lines(rows, cols, symbols))


def grid_lines(rows: int, cols: int, texts: Sequence[str], least: int = 3) -> list[str]:
    """Return lines with a text for each cell, in columns at least that wide, and their names."""
    beside = len(row_name(rows - 1))
    width = max(len(str(cols)) + 1, least)
    lines = [" " * beside + "".join(f"{col + 1:>{width}}" for col in range(cols))]
    for row in range(rows):
        cells = texts[row * cols : (row + 1) * cols]
        lines.append(f"{row_name(row):>{beside}}" + "".join(f"{text:>{width}}" for text in cells))
    return lines


# Colours of viridis (N. J. Smith, S. van der Walt and E. Firing, 2015), which charts have, too.
# Lightness rises evenly, so that colour-blind readers can distinguish the colours.
HEAT = (
    *("#440154", "#48186a", "#472d7b", "#424086", "#3b528b", "#33638d"),
    *("#2c728e", "#26828e", "#21918c", "#1f9f88", "#27ad81", "#3dbc74"),
    *("#5cc863", "#81d34d", "#aadc32", "#d5e21a", "#fde725"),
)
"""Colours of scores, from 0 to the greatest, evenly spaced. Between them, colours are mixed in
proportion."""


def heat_colour(share: float) -> str:
    """Return the colour of a score, such as ``#440154``, by its share of the greatest.

    Parameters
    ----------
    share : float
        0 to 1.

    Examples
    --------
    >>> heat_colour(0), heat_colour(1)
    ('#440154', '#fde725')
    """
    at = min(max(share, 0.0), 1.0) * (len(HEAT) - 1)
    below = min(int(at), len(HEAT) - 2)
    first, second = (parts_of(each) for each in HEAT[below : below + 2])
    mixed = (round(a + (b - a) * (at - below)) for a, b in zip(first, second, strict=True))
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def parts_of(colour: str) -> bytes:
    """Return red, green and blue of a colour such as ``#440154``, 0 to 255 each."""
    return bytes.fromhex(colour[1:])


def text_colour(ground: str) -> str:
    """Return black or white, whichever stands out more on a colour such as ``#440154``."""
    # Relative luminance and contrast, as WCAG 2.2 defines them.
    light = 0.0
    for part, weight in zip(parts_of(ground), (0.2126, 0.7152, 0.0722), strict=True):
        share = part / 255
        light += weight * (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4)
    return "#000000" if (light + 0.05) / 0.05 > 1.05 / (light + 0.05) else "#ffffff"


def shares_of(scores: Sequence[float]) -> list[float]:
    """Return scores as shares of the greatest, 0 to 1; -1 where a cell has none."""
    greatest = max((score for score in scores if score >= 0), default=0.0)
    return [-1.0 if score < 0 else score / greatest if greatest > 0 else 0.0 for score in scores]


# Ground of a cell by what is known of it, and of a hidden ship; text is black or white, so that
# cells are legible on light and dark pages alike.
_GROUNDS = ("#cfe3f1", "#f5f7f9", "#e8743b", "#7a1f1f", "#f0d9a8")
_HIDDEN_GROUND = "#9db0be"
_NO_SCORE_GROUND = "#dddddd"


def ground_colour(mark: int) -> str:
    """Return the colour of a cell, such as ``#cfe3f1``, by what is known of it."""
    return _GROUNDS[mark]


# Black within white stands out on every ground.
_RING = "outline:2px solid #000;outline-offset:-2px;box-shadow:inset 0 0 0 4px #fff;"


@dataclass(frozen=True)
class BoardView:
    """A board as its shooter knows it, to be looked at: as text, and as HTML in notebooks.

    Attributes
    ----------
    rows, cols : int
    fleet : tuple of int
        The ships' lengths.
    marks : tuple of int
        For each cell `OPEN`, `MISSED`, `STRUCK`, `SUNKEN` or `UNCLEAR` (0 to 4). Any sequence will
        do.
    sunk : tuple of int or None
        Indices in the fleet of the ships known to have sunk; None where the feedback hides it.
    next_shot : int or None
        A cell to mark.
    ships : tuple of tuple of int or None
        The cells of all ships, where the hidden ones are to be shown.
    scores : tuple of float or None
        A strategy's scores, below 0 where a cell has none: drawn beside the board. Any sequence
        will do.
    title : str
        Printed above the board.

    Raises
    ------
    BsbenchError
        If marks or scores are not one for each cell, or a mark is none of the five.

    Examples
    --------
    >>> print(BoardView(2, 3, (2, 1), marks=(0, 1, 0, 0, 2, 0), sunk=(), next_shot=5))
       1  2  3
    A  ·  ○  ·
    B  ·  ✕ [·]
    afloat 2 1; next shot B3
    """

    rows: int
    cols: int
    fleet: tuple[int, ...]
    marks: tuple[int, ...]
    sunk: tuple[int, ...] | None = None
    next_shot: int | None = None
    ships: tuple[tuple[int, ...], ...] | None = None
    scores: tuple[float, ...] | None = None
    title: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "marks", tuple(map(int, self.marks)))
        if self.scores is not None:
            object.__setattr__(self, "scores", tuple(map(float, self.scores)))
        cells = self.rows * self.cols
        for name, values in (("marks", self.marks), ("scores", self.scores)):
            if values is not None and len(values) != cells:
                raise BsbenchError(
                    f"a board of {self.rows}x{self.cols} has {cells} {name}, one for each cell, "
                    f"not {len(values)}"
                )
        if not set(self.marks) <= set(range(len(SYMBOLS))):
            raise BsbenchError(
                "a mark is 0 (not shot), 1 (miss), 2 (hit), 3 (sunk) or 4 (shot, not clear)"
            )

    @property
    def status(self) -> str:
        """Which ships are afloat and which have sunk, by their lengths, as far as known."""
        if self.sunk is None:
            return f"fleet {_lengths(self.fleet)}; what has sunk is not known"
        gone = set(self.sunk)
        parts = {
            "afloat": [length for ship, length in enumerate(self.fleet) if ship not in gone],
            "sunk": [length for ship, length in enumerate(self.fleet) if ship in gone],
        }
        return "; ".join(f"{name} {_lengths(ships)}" for name, ships in parts.items() if ships)

    @property
    def _below(self) -> str:
        """What stands below the board."""
        if self.next_shot is None:
            return self.status
        return f"{self.status}; next shot {cell_name(self.next_shot, self.cols)}"

    def symbol(self, cell: int) -> str:
        """Return how a cell is drawn."""
        hidden = self.marks[cell] == OPEN and any(cell in ship for ship in self.ships or ())
        return HIDDEN if hidden else SYMBOLS[self.marks[cell]]

    def __str__(self) -> str:
        symbols = [self.symbol(cell) for cell in range(self.rows * self.cols)]
        lines = grid_lines(self.rows, self.cols, symbols)
        if self.next_shot is not None:
            row, col = divmod(self.next_shot, self.cols)
            line, beside = lines[row + 1], len(row_name(self.rows - 1))
            at = beside + (len(line) - beside) // self.cols * (col + 1) - 1
            lines[row + 1] = f"{line[: at - 1]}[{line[at]}]{line[at + 2 :]}"
        if self.scores is not None:
            texts = [
                symbol if share < 0 else f"{100 * share:.0f}"
                for share, symbol in zip(shares_of(self.scores), symbols, strict=True)
            ]
            width = len(lines[0])
            heat = grid_lines(self.rows, self.cols, texts, least=4)
            lines = [f"{line:<{width}}    {other}" for line, other in zip(lines, heat, strict=True)]
        head = [self.title] if self.title else []
        return "\n".join([*head, *lines, self._below])

    def _repr_html_(self) -> str:
        """Return the board as HTML that needs no style sheet, for light and dark pages."""
        tables = self._table(self._board_cells())
        if self.scores is not None:
            tables += self._table(self._heat_cells(self.scores))
        title = f'<div style="font-weight:600">{escape(self.title)}</div>' if self.title else ""
        return (
            f'<div style="font-family:system-ui,sans-serif;font-size:13px">{title}'
            '<div style="display:flex;flex-wrap:wrap;gap:24px;overflow-x:auto">'
            f'{tables}</div><div style="opacity:.8">{escape(self._below)}</div></div>'
        )

    def _board_cells(self) -> Iterator[tuple[str, str, str]]:
        """Yield ground, text and meaning of each cell of the board."""
        for cell, mark in enumerate(self.marks):
            symbol = self.symbol(cell)
            if symbol == HIDDEN:
                yield _HIDDEN_GROUND, symbol, "ship cell not found"
            else:
                yield _GROUNDS[mark], symbol, MEANINGS[mark]

    def _heat_cells(self, scores: Sequence[float]) -> Iterator[tuple[str, str, str]]:
        """Yield ground, text and meaning of each cell of the heat map."""
        for cell, share in enumerate(shares_of(scores)):
            if share < 0:
                yield _NO_SCORE_GROUND, self.symbol(cell), "no score"
            else:
                meaning = f"score {scores[cell]:.4g}, {share:.0%} of the highest"
                yield heat_colour(share), f"{100 * share:.0f}", meaning

    def _table(self, cells: Iterator[tuple[str, str, str]]) -> str:
        """Return a table of cells, each with ground, text and meaning."""
        # Overrides the styles that notebooks give to tables, rows and cells.
        label = "background:none;border:0;padding:2px;text-align:center;font-weight:400;opacity:.8"
        row_begin = '<tr style="background:none">'
        names = (f'<th scope="col" style="{label}">{col + 1}</th>' for col in range(self.cols))
        rows = f'{row_begin}<th style="{label}"></th>{"".join(names)}</tr>'
        for row in range(self.rows):
            rows += f'{row_begin}<th scope="row" style="{label}">{row_name(row)}</th>'
            for cell in range(row * self.cols, (row + 1) * self.cols):
                ground, text, meaning = next(cells)
                ring = _RING if cell == self.next_shot else ""
                rows += (
                    f'<td title="{cell_name(cell, self.cols)}: {escape(meaning)}" '
                    f'style="background:{ground};color:{text_colour(ground)};{ring}'
                    "border:1px solid #8a97a3;padding:0;width:26px;min-width:26px;height:26px;"
                    f'text-align:center">{escape(text)}</td>'
                )
            rows += "</tr>"
        style = "border-collapse:collapse;margin:4px 0;color:inherit;font-size:12px"
        return f'<table style="{style}">{rows}</table>'


def _lengths(ships: Sequence[int]) -> str:
    """Return the lengths of ships as text; of many ships, their number."""
    return " ".join(map(str, ships)) if len(ships) <= _LISTED else f"{len(ships)} ships"


class IllegalShotError(Fault):
    """A strategy fired off the board, or twice at one cell: a defect of the strategy.

    Attributes
    ----------
    cell : int
        The shot refused.
    reason : str
        What is wrong with it.
    """

    def __init__(self, lane: int, cell: int, reason: str, name: str = "") -> None:
        called = f"{cell} ({name})" if name else str(cell)
        super().__init__(lane, f"shot at cell {called} refused: {reason}")
        self.cell = cell
        self.reason = reason


def illegal_shot(
    rules: Rules, lane: int, cell: int, reason: str = "it was shot before"
) -> IllegalShotError:
    """Return what is wrong with a shot; the reason is that of one on the board."""
    if not 0 <= cell < rules.cells:
        return IllegalShotError(lane, cell, f"the board is {rules.board}")
    if rules.repeats:
        reason = f"the game has not ended after {rules.most_moves - rules.cells:,} moves"
    return IllegalShotError(lane, cell, reason, cell_name(cell, rules.cols))


def illegal_turn(
    rules: Rules, lane: int, cells: Sequence[int], allowed: int, is_open: Callable[[int], bool]
) -> Fault | None:
    """Return what is wrong with a turn, of which no shot has been fired; None if it is legal.

    Parameters
    ----------
    rules : Rules
    lane : int
    cells : sequence of int
        The shots, in order.
    allowed : int
        How many they may be.
    is_open : callable
        Returns whether a cell of the board has not been shot.
    """
    if not cells:
        return Fault(lane, f"a turn without a shot: fire 1 to {allowed}")
    if len(cells) > allowed:
        return Fault(lane, f"{len(cells)} shots in a turn that has {allowed} at most")
    for place, cell in enumerate(cells):
        if not (0 <= cell < rules.cells and (rules.repeats or is_open(cell))):
            return illegal_shot(rules, lane, cell)
        if cell in cells[:place]:
            return illegal_shot(rules, lane, cell, "the same turn has it twice")
    return None
