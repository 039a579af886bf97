"""One game as a strategy in plain Python sees it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple, NoReturn

from bsbench.common.settings import suggestion
from bsbench.rules.board import MISS, NOTHING, SUNK, Outcome, Rules
from bsbench.rules.drawing import MISSED, STRUCK, SUNKEN, UNCLEAR, board_text
from bsbench.rules.slots import slot_cells

_OUTCOMES = tuple(Outcome)


class Sunk(NamedTuple):
    """A ship known to have sunk: its index in the fleet, and its cells."""

    ship: int
    cells: tuple[int, ...]


class Turn(NamedTuple):
    """The shots of a turn, and what is known of them.

    Attributes
    ----------
    cells : tuple of int
        The cells shot, in order.
    outcomes : tuple of Outcome or None
        What each of them did; None where that is not known.
    ships : tuple of int or None
        The index of the ship that each of them hit; None where it missed, or that is not known.
    hits : tuple of int, or None
        How many of them hit each ship of the fleet, if that is known: under feedback ``ship``.
    """

    cells: tuple[int, ...]
    outcomes: tuple[Outcome | None, ...]
    ships: tuple[int | None, ...]
    hits: tuple[int, ...] | None


class GameView:
    """What the shooter knows in one game: the rules, their own shots, and what these did.

    It can only be read. A cell is the number ``row * cols + col``, from 0; an outcome is one
    of ``bsbench.MISS``, ``bsbench.HIT`` and ``bsbench.SUNK`` (0, 1 and 2, so that
    ``if view.outcome:`` means a hit), and equals its word: ``view.outcome == "sunk"``.

    Joint answers (``view.rules.joint``) do not reveal what a single shot did: then its outcome is
    None, ``hits``, ``misses``, ``wounded`` and ``sunk`` are empty, and ``turns`` and ``afloat``
    hold all that is known. In salvos, so is the last turn of a game, which only ``over`` shows.
    """

    __slots__ = ("_game",)

    _game: GameMemory

    def __init__(self, game: GameMemory) -> None:
        object.__setattr__(self, "_game", game)

    def __getattr__(self, name: str) -> NoReturn:
        known = [each for each in dir(type(self)) if not each.startswith("_")]
        raise AttributeError(f"the view has no {name!r}: {suggestion(name, known, 'it has')}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"the view can only be read: {name!r} can't be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"the view can only be read: {name!r} can't be deleted")

    def __repr__(self) -> str:
        return f"<GameView of {self._game.rules.board} after {len(self._game.shots)} shots>"

    @property
    def rules(self) -> Rules:
        """Board, fleet, touching and feedback: `bsbench.Rules`."""
        return self._game.rules

    @property
    def rows(self) -> int:
        """Rows of the board."""
        return self._game.rules.rows

    @property
    def cols(self) -> int:
        """Columns of the board."""
        return self._game.rules.cols

    @property
    def shots(self) -> tuple[int, ...]:
        """The cells shot so far, in order."""
        return tuple(self._game.shots)

    @property
    def outcomes(self) -> tuple[Outcome | None, ...]:
        """What each of these shots did; None where that is not known."""
        self._game.conceal("outcomes")
        return tuple(self._game.outcomes)

    @property
    def allowed(self) -> int:
        """Shots of the next turn at most: 1, unless the rules have salvos."""
        return self._game.allowed

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns so far, each with ``cells``, ``outcomes``, ``ships`` and ``hits``.

        With single shots, each is a turn.
        """
        game = self._game
        if game.rules.salvos:
            return tuple(game.turns)
        noted = zip(game.shots, game.outcomes, game.ships, strict=True)
        return tuple(game.turn((cell,), (outcome,), (ship,)) for cell, outcome, ship in noted)

    @property
    def last(self) -> int | None:
        """The last shot, or None before the first."""
        shots = self._game.shots
        return shots[-1] if shots else None

    @property
    def outcome(self) -> Outcome | None:
        """What the last shot did, or None before the first, or if that is not known."""
        outcomes = self._game.outcomes
        self._game.conceal("outcome")
        return outcomes[-1] if outcomes else None

    @property
    def ship(self) -> int | None:
        """The index of the ship that the last shot hit or sank, or None if that is hidden."""
        game = self._game
        if game.ships and game.ships[-1] != NOTHING:
            return game.ships[-1]
        if self.outcome:
            game.hidden["ship"] = "ships"
        game.conceal("ship")
        return None

    @property
    def open_cells(self) -> tuple[int, ...]:
        """The cells that have not been shot, ascending."""
        return tuple(self._game.open_cells)

    def is_open(self, cell: int) -> bool:
        """Return whether a cell is on the board and has not been shot."""
        game = self._game
        return 0 <= cell < game.rules.cells and game.is_open[cell] != 0

    @property
    def hits(self) -> tuple[int, ...]:
        """The shots that hit, in order; those at ships sunk since are among them."""
        self._game.conceal("hits")
        return tuple(self._game.hits)

    @property
    def misses(self) -> tuple[int, ...]:
        """The shots that missed, in order."""
        game = self._game
        game.conceal("misses")
        noted = zip(game.shots, game.outcomes, strict=True)
        missed = tuple(cell for cell, outcome in noted if outcome == MISS)
        if not game.rules.repeats:
            return missed
        return tuple(cell for cell in dict.fromkeys(missed) if cell not in game.hits)

    @property
    def sunk(self) -> tuple[Sunk, ...]:
        """The ships known to have sunk, in order: each a ``ship`` and its ``cells``.

        None where it is not told which; no cells where these are not told.
        """
        if not self._game.rules.reveals.cells:
            self._game.hidden["sunk"] = "cells"
        self._game.conceal("sunk")
        return tuple(self._game.sunk)

    @property
    def wounded(self) -> tuple[int, ...]:
        """The hits, in order, that are not of ships known to have sunk."""
        self._game.conceal("wounded")
        gone = {cell for ship in self._game.sunk for cell in ship.cells}
        return tuple(cell for cell in self._game.hits if cell not in gone)

    @property
    def afloat(self) -> tuple[int, ...]:
        """The indices in the fleet of the ships that are not known to have sunk."""
        game = self._game
        gone = {ship.ship for ship in game.sunk}
        if game.joint:
            hits = zip(*(turn.hits for turn in game.turns if turn.hits), strict=True)
            both = enumerate(zip(hits, game.rules.fleet, strict=False))
            gone = {ship for ship, (struck, length) in both if sum(struck) == length}
        return tuple(ship for ship in range(len(game.rules.fleet)) if ship not in gone)

    def row(self, cell: int) -> int:
        """Return the row of a cell, from 0."""
        return cell // self._game.rules.cols

    def col(self, cell: int) -> int:
        """Return the column of a cell, from 0."""
        return cell % self._game.rules.cols

    def at(self, row: int, col: int) -> int | None:
        """Return the cell in a row and column, or None if that is off the board."""
        rules = self._game.rules
        return row * rules.cols + col if 0 <= row < rules.rows and 0 <= col < rules.cols else None

    def neighbours(self, cell: int, diagonals: bool = False) -> tuple[int, ...]:
        """Return the cells above, left, right and below, as far as they are on the board.

        Parameters
        ----------
        cell : int
        diagonals : bool
            Whether the four beyond the corners come, too.
        """
        game = self._game
        return (game.around if diagonals else game.beside)[cell]

    @property
    def board(self) -> str:
        """The board as text: ``·`` open, ``○`` miss, ``✕`` hit, ``■`` of a sunk ship.

        Where it is not known what a shot did, there is a ``?``.
        """
        return self._game.drawn()

    def __reduce__(self) -> Any:
        raise TypeError("the view belongs to its game: it can't be copied; keep what it shows")


@cache
def _neighbour_tables(
    rows: int, cols: int
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """Return the neighbours of each cell: those at its sides, and all."""
    rules = Rules(rows, cols, (1,), touching=True)
    around = [tuple(rules.neighbours(cell)) for cell in range(rules.cells)]
    beside = (
        tuple(
            other for other in cells if other // cols == cell // cols or other % cols == cell % cols
        )
        for cell, cells in enumerate(around)
    )
    return tuple(beside), tuple(around)


class GameMemory:
    """The memory behind a `GameView`, which the adapter writes.

    Attributes
    ----------
    view : GameView
    shots, outcomes, ships : list of int
        Of each shot its cell, `Outcome`, and the ship that the feedback shows, or -1. An outcome
        that is not known is None.
    turns : list of Turn
        In salvos.
    allowed : int
        Shots of the next turn at most.
    joint : bool
        Whether all shots of a turn have one answer.
    hits, open_cells : list of int
    is_open : bytearray
        1 for each cell that has not been shot.
    sunk : list of Sunk
    hidden : dict of str to str
        What was read of the view since it was last shown, and these rules do not show; with the
        fact of `bsbench.rules.board.Facts` that it is, or nothing with joint answers.
    """

    __slots__ = (
        "allowed",
        "around",
        "beside",
        "hidden",
        "hits",
        "is_open",
        "joint",
        "open_cells",
        "outcomes",
        "rules",
        "ships",
        "shots",
        "sunk",
        "turns",
        "view",
    )

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.beside, self.around = _neighbour_tables(rules.rows, rules.cols)
        self.shots: list[int] = []
        self.outcomes: list[Outcome | None] = []
        self.ships: list[int] = []
        self.turns: list[Turn] = []
        self.allowed = rules.most_shots
        self.joint = rules.joint
        self.hits: list[int] = []
        self.open_cells = list(range(rules.cells))
        self.is_open = bytearray(b"\1") * rules.cells
        self.sunk: list[Sunk] = []
        self.hidden: dict[str, str] = {}
        self.view = GameView(self)

    def note(self, cell: int, outcome: int, ship: int, slot: int) -> None:
        """Note a shot and what it did; ship and slot are those of `View`."""
        self._fire(cell, _OUTCOMES[outcome], ship)
        if outcome != MISS:
            self.hits.append(cell)
            if outcome == SUNK and ship != NOTHING:
                known = slot != NOTHING
                cells = slot_cells(slot, self.rules.fleet[ship], self.rules.cols) if known else ()
                self.sunk.append(Sunk(ship, tuple(cells)))

    def note_turn(self, shots: Iterable[tuple[int, int, int, int]]) -> None:
        """Note a turn whose shots have each an answer, as `View.last_turn` returns it."""
        first = len(self.shots)
        for shot in shots:
            self.note(*shot)
        self.turns.append(self.turn(self.shots[first:], self.outcomes[first:], self.ships[first:]))

    def note_joint(self, cells: Sequence[int], hits: Sequence[int] | None) -> None:
        """Note a turn, and how many of its shots hit each ship, or None if nothing is known."""
        for cell in cells:
            self._fire(cell, None, NOTHING)
        unknown = (None,) * len(cells)
        self.turns.append(Turn(tuple(cells), unknown, unknown, None if hits is None else (*hits,)))

    def turn(
        self, cells: Sequence[int], outcomes: Sequence[Outcome | None], ships: Sequence[int]
    ) -> Turn:
        """Return a turn of shots that each have an answer."""
        hits = None
        if self.rules.reveals.ships:
            hits = tuple(ships.count(ship) for ship in range(len(self.rules.fleet)))
        known = (None if ship == NOTHING else ship for ship in ships)
        return Turn(tuple(cells), tuple(outcomes), tuple(known), hits)

    def conceal(self, name: str) -> None:
        """Note that something is read which joint answers do not reveal, if they don't."""
        if self.joint:
            self.hidden[name] = ""

    def _fire(self, cell: int, outcome: Outcome | None, ship: int) -> None:
        """Note a shot."""
        self.shots.append(cell)
        self.outcomes.append(outcome)
        self.ships.append(ship)
        if self.is_open[cell]:
            self.is_open[cell] = 0
            del self.open_cells[bisect_left(self.open_cells, cell)]

    def drawn(self) -> str:
        """Return the board as text."""
        by_outcome = {None: UNCLEAR, Outcome.MISS: MISSED, Outcome.SUNK: SUNKEN}
        # The first shot at a cell is the one that told something.
        told = zip(reversed(self.shots), reversed(self.outcomes), strict=True)
        marks = {cell: by_outcome.get(outcome, STRUCK) for cell, outcome in told}
        marks |= {cell: SUNKEN for ship in self.sunk for cell in ship.cells}
        return board_text(self.rules.rows, self.rules.cols, marks)
