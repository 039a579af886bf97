"""How a player that may fail to choose, such as a language model, chose its moves."""

from __future__ import annotations

import threading
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

AnswerRows = npt.NDArray[np.int64]
"""The fields of `Answers` of games in a row: shape (games, 7), -1 where a field is not known."""


@dataclass(frozen=True)
class Answers:
    """Sums over games of how moves were chosen; those of neighbouring ranges add up exactly.

    Attributes
    ----------
    own : int
        Moves that the player chose itself.
    fallbacks : int
        Moves for which a random cell was drawn, since no answer was valid.
    unreadable, repeated : int
        Answers that name no cell of the board, and that name one shot before.
    tokens_in, tokens_out, milliseconds : int or None
        Tokens of the requests and of the answers, and how long these took, as the endpoint
        reports them; None if it does not for all games. An answer that several games share
        counts in each.
    """

    own: int = 0
    fallbacks: int = 0
    unreadable: int = 0
    repeated: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    milliseconds: int | None = 0

    @classmethod
    def of(cls, rows: AnswerRows) -> Answers:
        """Return the sums over games."""
        sums: list[Any] = np.where((rows < 0).any(axis=0), -1, rows.sum(axis=0)).tolist()
        return cls(*[_known(number) for number in sums])

    def __add__(self, later: Answers) -> Answers:
        """Return the sums over both."""
        pairs = zip(self.numbers, later.numbers, strict=True)
        return Answers(*[_known(-1 if None in pair else sum(pair)) for pair in pairs])

    @property
    def numbers(self) -> tuple[Any, ...]:
        """The fields, in order."""
        return tuple(getattr(self, name) for name in FIELDS)

    @property
    def answers(self) -> int:
        """Answers given: each names an open cell, no cell, or one shot before."""
        return self.own + self.unreadable + self.repeated

    @property
    def moves(self) -> int:
        """Moves made."""
        return self.own + self.fallbacks

    @property
    def own_share(self) -> float:
        """Share of the moves that the player chose itself."""
        return self.own / self.moves

    def to_dict(self) -> dict[str, Any]:
        """Return the sums as records have them."""
        sums = dict(zip(FIELDS, self.numbers, strict=True))
        return {key: number for key, number in sums.items() if number is not None}


def _known(number: int) -> Any:
    return None if number < 0 else number


FIELDS = tuple(field.name for field in fields(Answers))
"""Names of the fields of `Answers`."""

_PLACES = {name: place for place, name in enumerate(FIELDS)}


class AnswerBook:
    """Notes of how the moves of each game were chosen, until they are taken away.

    Several threads may write to it.
    """

    def __init__(self) -> None:
        self._games: dict[int, list[int]] = {}
        self._lock = threading.Lock()

    def begin(self, game: int) -> None:
        """Begin a game, maybe again."""
        with self._lock:
            self._games[game] = [0] * len(FIELDS)

    def note(self, game: int, **numbers: int | None) -> None:
        """Add numbers to the fields of a game that has begun; None: it is not known."""
        with self._lock:
            row = self._games[game]
            for name, number in numbers.items():
                place = _PLACES[name]
                row[place] = -1 if number is None or row[place] < 0 else row[place] + number

    def write(self, game: int, row: list[int]) -> None:
        """Write down all fields of a game so far, -1 where one is not known."""
        with self._lock:
            self._games[game] = row

    def take(self, first_game: int, games: int) -> AnswerRows:
        """Return the notes of games in a row that are over, and forget them."""
        with self._lock:
            rows = [self._games.pop(first_game + place) for place in range(games)]
        return np.array(rows, np.int64).reshape(-1, len(FIELDS))
