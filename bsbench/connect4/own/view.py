"""A position as a player in plain Python sees it."""

from __future__ import annotations

from bsbench.connect4.position import (
    BOARD,
    BOTTOM,
    ROWS,
    Position,
    has_four,
    open_columns,
)


class View:
    """What the player to move knows; it can only be read.

    Columns are numbered from 0 to 6, from the left, rows from 0 to 5, from the bottom.

    Attributes
    ----------
    moves : tuple of int
        The columns played so far, one after the other.

    Examples
    --------
    >>> view = View((3, 3, 3, 4, 4))
    >>> view.side, view.at(3, 1), view.at(3, 0), view.columns
    ('second', 1, -1, (0, 1, 2, 3, 4, 5, 6))
    >>> print(view.board)
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . X . . .
    . . . O X . .
    . . . X O . .
    1 2 3 4 5 6 7
    """

    __slots__ = ("_mover", "_stones", "moves")

    moves: tuple[int, ...]
    _mover: int
    _stones: int

    def __init__(self, moves: tuple[int, ...] = ()) -> None:
        position = Position(moves)
        self._set(moves, position.mover, position.stones)

    def _set(self, moves: tuple[int, ...], mover: int, stones: int) -> None:
        for name, value in (("moves", moves), ("_mover", mover), ("_stones", stones)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"the view can only be read: {name!r} can't be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"the view can only be read: {name!r} can't be deleted")

    def __repr__(self) -> str:
        return f"<View after {''.join(str(column + 1) for column in self.moves) or 'no move'}>"

    @property
    def side(self) -> str:
        """Who is to move: ``first`` or ``second``."""
        return ("first", "second")[len(self.moves) % 2]

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that can be played, ascending; none if the game is over."""
        return () if self.lost else open_columns(self._stones)

    @property
    def lost(self) -> bool:
        """Whether the opponent, who moved last, has four in a row."""
        return has_four(self._mover ^ self._stones)

    @property
    def full(self) -> bool:
        """Whether there is no room on the board."""
        return bool(self._stones == BOARD)

    def height(self, column: int) -> int:
        """Return the number of stones in a column."""
        return (self._stones >> 7 * self._checked(column) & 127).bit_count()

    def at(self, column: int, row: int) -> int:
        """Return what is in a cell: 1 for your stone, -1 for the opponent's, 0 for none."""
        if not 0 <= row < ROWS:
            raise ValueError(f"there is no row {row}: rows are 0 to 5, from the bottom")
        bit = 7 * self._checked(column) + row
        if not self._stones >> bit & 1:
            return 0
        return 1 if self._mover >> bit & 1 else -1

    def wins(self, column: int) -> bool:
        """Return whether a stone of yours there would make four in a row."""
        return self._makes_four(self._mover, column)

    def blocks(self, column: int) -> bool:
        """Return whether a stone of the opponent's there would make four in a row."""
        return self._makes_four(self._mover ^ self._stones, column)

    def after(self, column: int) -> View:
        """Return the view of the opponent, after a stone of yours in a column.

        Raises
        ------
        ValueError
            If it can't be played.
        """
        if column not in self.columns:
            raise ValueError(f"column {column} can't be played: these can be: {self.columns}")
        view = object.__new__(View)
        stones = self._stones | self._landing(column)
        view._set((*self.moves, column), self._mover ^ self._stones, stones)
        return view

    @property
    def board(self) -> str:
        """The board as text: X are stones of ``first``, O those of ``second``."""
        return Position(self.moves).drawing()

    def _makes_four(self, own: int, column: int) -> bool:
        cell = self._landing(self._checked(column))
        return cell != 0 and has_four(own | cell)

    def _landing(self, column: int) -> int:
        """Return the cell where a stone comes to rest, 0 in a full column."""
        return int((self._stones + BOTTOM) & BOARD & (127 << 7 * column))

    def _checked(self, column: int) -> int:
        if not 0 <= column <= 6:
            raise ValueError(f"there is no column {column}: columns are 0 to 6, from the left")
        return column
