"""Programs that play Connect 4; docs/connect4-your-player.md specifies what is said."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from bsbench.connect4.own.game import Moves
from bsbench.own.choosing import Cells, Flags, Terms
from bsbench.own.lines import quoted
from bsbench.own.program import Program, Programs

_OUTCOMES = {1: "win", 0: "draw", -1: "loss"}


class Bot(Program):
    """A program that plays Connect 4."""

    game = "connect4"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        # Lines that need no answer wait for the next question.
        self._lines: list[str] = []
        # Random numbers of games that it has not heard of, by lane.
        self._begins: dict[int, int] = {}
        self._asked = np.zeros(0, np.int64)

    def begin(self, terms: Terms) -> None:
        """Begin to play; games before are forgotten."""
        announced = self.announced()
        super().begin(terms)
        self._limit = terms.timeout
        self._many, self._random = announced.games > 1, announced.random
        self._columns = np.zeros(terms.lanes, np.int64)

    def _at(self, lane: int) -> str:
        """Return how a line of a game begins."""
        return f"{lane} " if self._many else ""

    def deal(self, lanes: Cells, games: Cells, follows: Flags | None = None) -> None:
        """Begin games in some lanes, given by their aliases; nobody learns."""
        self._begins |= dict(zip(lanes.tolist(), games.tolist(), strict=True))

    def over(self, lane: int, outcome: int) -> None:
        """Hear that a game has ended: 1 if it is won, 0 drawn, -1 lost."""
        self._lines.append(f"{self._at(lane)}over {_OUTCOMES[outcome]}")

    def shoot(self, view: Moves) -> Cells:
        """Return the next column for every lane that is asked; other entries are not read."""
        asked = np.flatnonzero(view.asked)
        for lane in asked.tolist():
            if lane in self._begins:
                number = f" {self._begins.pop(lane)}"
                self._lines.append(f"{self._at(lane)}game{number if self._random else ''}")
            self._lines.append(" ".join([f"{self._at(lane)}moves", *map(str, view.of(lane))]))
        self._lines.append(" ".join(["move", *(map(str, asked) if self._many else ())]))
        question, self._asked, self._lane = self._farewell(), asked, int(asked[0])
        self._lines = []
        # The time is that of a move, not of a game.
        self._timeout, self._used[self._lane] = self._limit * len(asked), 0.0
        line = self._answer(question)
        words = line.split(b" ")
        if len(words) != len(asked) or not all(re.fullmatch(b"[0-9]", word) for word in words):
            wanted = f"{len(asked)} columns" if self._many else "a column"
            raise self._fault(f"it answered {quoted(line)}: it must answer {wanted}, 0 to 6")
        self._columns[asked] = [*map(int, words)]
        return self._columns

    def _live(self) -> Cells:
        return self._asked

    def _farewell(self) -> bytes:
        return "".join(f"{line}\n" for line in self._lines).encode()


class Bots(Programs[Bot]):
    """The processes of one bot."""

    kind = Bot
