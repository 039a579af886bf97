"""The rules of Connect 4, in prose and as a position.

Two players, `first` and `second`, in turn drop a stone into one of seven columns. It comes to rest
on the stones that are there already; a column holds six. The first player with four stones in a
row, side by side, one upon the other or along a diagonal, wins, and the game is over. If all 42
cells are filled without that, it is a draw.

Columns are numbered from 0 to 6 in the code, from the left, and from 1 to 7 wherever people read
or write them. A position is written as the columns that were played: ``44455`` has three stones in
the middle and two beside them, and `second` is to move. Drawn, stones of `first` are X and those
of `second` O.

A board is two words, with a bit for each cell. Columns take seven bits, of which the highest is
always clear, so that no row of four continues from one column into the next by mistake::

     .   .   .   .   .   .   .
     5  12  19  26  33  40  47
     4  11  18  25  32  39  46
     3  10  17  24  31  38  45        bit = 7 * column + row, rows from the bottom
     2   9  16  23  30  37  44
     1   8  15  22  29  36  43        a neighbour is 1 further up, 7 to the right,
     0   7  14  21  28  35  42        8 up and right, 6 down and right

The one word, ``mover``, has the stones of the player to move; the other, ``stones``, those of
both. After ``44455``::

    . . . . . . .      0 0 0 0 0 0 0      0 0 0 0 0 0 0
    . . . . . . .      0 0 0 0 0 0 0      0 0 0 0 0 0 0
    . . . . . . .      0 0 0 0 0 0 0      0 0 0 0 0 0 0
    . . . X . . .      0 0 0 0 0 0 0      0 0 0 1 0 0 0
    . . . O X . .      0 0 0 1 0 0 0      0 0 0 1 1 0 0
    . . . X O . .      0 0 0 0 1 0 0      0 0 0 1 1 0 0
                           mover              stones
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bsbench.common.errors import BsbenchError

COLUMNS, ROWS = 7, 6
CELLS = COLUMNS * ROWS

BOTTOM = sum(1 << 7 * column for column in range(COLUMNS))
"""The cells of the bottom row, as a word."""

BOARD = BOTTOM * (2**ROWS - 1)
"""All cells, as a word."""

PLIES = 8
"""Moves of an opening by default: among 5,000 openings, 1 in 50 repeats another one, and 34 stones
remain for the game."""

MOST_PLIES = 30
"""The same at most: few random games last longer."""

CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)
"""Columns from the one in the centre outwards; of two equally far, the left one comes first."""

STONES = {"first": "X", "second": "O"}
"""How the stones of the players are drawn."""

STEPS = (1, 7, 8, 6)
"""How far apart two cells in line are, in bits: up, right, up and right, down and right."""


def has_four(own: int) -> bool:
    """Return whether one player's stones hold four in a row."""
    for step in STEPS:
        pairs = own & (own >> step)
        if pairs & (pairs >> 2 * step):
            return True
    return False


@dataclass(frozen=True)
class Position:
    """The columns played, and the board they lead to; checked against the rules.

    Parameters
    ----------
    played : tuple of int
        Columns played, 0 to 6, one after the other.

    Attributes
    ----------
    mover, stones : int
        The board as two words: stones of the player to move, and of both.

    Raises
    ------
    BsbenchError
        If there is no such column, a column is full, or the game was over before.

    Examples
    --------
    >>> position = Position.parse("44455")
    >>> position.to_move, position.open_columns
    ('second', (0, 1, 2, 3, 4, 5, 6))
    """

    played: tuple[int, ...] = ()
    mover: int = field(init=False, repr=False, compare=False)
    stones: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Play the columns, one after the other."""
        mover = stones = 0
        for number, column in enumerate(self.played, 1):
            if not 0 <= column < COLUMNS:
                raise BsbenchError(
                    f"move {number} of a position is column {column + 1}: there are columns 1 to 7"
                )
            if has_four(mover ^ stones):
                raise BsbenchError(
                    f"position {self.text!r} continues after it was won by move {number - 1}: "
                    f"end it there, {self.text[: number - 1]!r}"
                )
            cell = (stones + (1 << 7 * column)) & BOARD & (127 << 7 * column)
            if not cell:
                raise BsbenchError(
                    f"position {self.text!r} plays column {column + 1} at move {number}, which is "
                    f"full: a column holds {ROWS} stones"
                )
            mover, stones = mover ^ stones, stones | cell
        object.__setattr__(self, "mover", mover)
        object.__setattr__(self, "stones", stones)

    @classmethod
    def parse(cls, text: str) -> Position:
        """Return the position written as columns played, such as ``44455``.

        Raises
        ------
        BsbenchError
            If it has other letters than 1 to 7, or breaks the rules.
        """
        text = text.strip()
        for place, letter in enumerate(text, 1):
            if letter not in "1234567":
                raise BsbenchError(
                    f"position {text!r} has {letter!r} at place {place}: write the columns played, "
                    "1 to 7, one after the other, such as 44455"
                )
        return cls(tuple(int(letter) - 1 for letter in text))

    @property
    def text(self) -> str:
        """Return the columns played, 1 to 7, as `parse` reads them."""
        return "".join(str(column + 1) for column in self.played)

    @property
    def to_move(self) -> str:
        """Whose turn it is: ``first`` or ``second``."""
        return ("first", "second")[len(self.played) % 2]

    @property
    def winner(self) -> str | None:
        """Who has won: ``first``, ``second``, or None."""
        if not has_four(self.mover ^ self.stones):
            return None
        return ("second", "first")[len(self.played) % 2]

    @property
    def is_over(self) -> bool:
        """Whether the game is won or drawn."""
        return self.stones == BOARD or self.winner is not None

    @property
    def open_columns(self) -> tuple[int, ...]:
        """Columns, 0 to 6, that the player to move may play; none if the game is over."""
        if self.winner is not None:
            return ()
        tops = (self.stones >> (7 * column + ROWS - 1) & 1 for column in range(COLUMNS))
        return tuple(column for column, is_full in enumerate(tops) if not is_full)

    def after(self, *columns: int) -> Position:
        """Return the position after some more columns, 0 to 6.

        Raises
        ------
        BsbenchError
            If that breaks the rules.
        """
        return Position((*self.played, *columns))

    def open(self) -> Position:
        """Return the position itself, if the game is not over.

        Raises
        ------
        BsbenchError
            If the game is over.
        """
        if self.winner is not None:
            raise BsbenchError(
                f"position {self.text!r} is won by the {self.winner} player: no move is possible"
            )
        if self.is_over:
            raise BsbenchError(f"position {self.text!r} is a draw: no move is possible")
        return self

    def drawing(self) -> str:
        """Return the board as text, with the columns' numbers below it."""
        first = self.mover if self.to_move == "first" else self.mover ^ self.stones
        lines = [
            " ".join(
                "." if not self.stones >> bit & 1 else "X" if first >> bit & 1 else "O"
                for bit in range(row, 7 * COLUMNS, 7)
            )
            for row in reversed(range(ROWS))
        ]
        return "\n".join([*lines, " ".join(str(column + 1) for column in range(COLUMNS))])
