"""Whom a user's player asks for columns: a program that talks in lines, or a class in this process.

The lines are those of `docs/connect4-your-player.md`.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from bsbench.common.errors import BsbenchError, Fault, with_line
from bsbench.connect4.own.choosing import Chooser
from bsbench.connect4.own.runner import GAMES, GRACE, LINE_SIGN, START, late_text
from bsbench.connect4.position import open_columns
from bsbench.own.blame import dumped_line
from bsbench.own.lines import MOST_NOTES, LateError, LineProcess, TalkError, quoted

GREETING = "bsbench connect4 1"

LONGEST_START = 60.0
"""Seconds that a program may take to start, unless a move may take longer."""

MOST_GAMES = 1024
"""Games that a program may play at once."""

_PATIENCE = 2 * GRACE
"""Seconds after the time limit at which a program is given up: the runner reports more itself."""

_LONGEST_LINE = 1 << 16

_MOST_ANNOUNCED = 100
"""Lines before ``ready``."""

_OUTCOMES = {1: "win", 0: "draw", -1: "loss"}


class Asked(NamedTuple):
    """A position in which a column is asked for.

    Attributes
    ----------
    place : int
        Of the game, from 0 on.
    number : int or None
        Where the game begins, its random number.
    moves : sequence of int
        Columns played.
    stones : int
        The cells that are full, as a word: see `bsbench.connect4.position`.
    """

    place: int
    number: int | None
    moves: Sequence[int]
    stones: int


class Partner(Protocol):
    """Chooses columns in several games at once.

    Attributes
    ----------
    games : int
        How many, at most.
    """

    games: int

    def choose(self, asked: Sequence[Asked]) -> list[int]:
        """Return a column for each position.

        Raises
        ------
        Fault
            If it fails; its lane is the place of the game, or -1 where that is not known.
        """

    def over(self, places: Sequence[int], outcome: int) -> None:
        """Hear that games have ended: 1 if they are won, 0 drawn, -1 lost."""

    def end(self) -> None:
        """End."""

    def kill(self) -> None:
        """End at once, whatever it does; any thread may call this."""


class InProcess:
    """A class that is played in this process."""

    games = GAMES

    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser

    def choose(self, asked: Sequence[Asked]) -> list[int]:
        """Return a column for each position."""
        for each in asked:
            if each.number is not None:
                self._chooser.begin(each.place, each.number)
        return [self._chooser.choose(each.place, each.moves) for each in asked]

    def over(self, places: Sequence[int], outcome: int) -> None:
        """Do nothing: objects hear no end of a game."""

    def end(self) -> None:
        """There is nothing to end."""

    def kill(self) -> None:
        """There is nothing to end."""


class Program:
    """A program that talks in lines.

    Parameters
    ----------
    arguments : sequence of str
        The program, and what follows.
    called : str
        As its user calls it.
    limit : float
        Seconds that a move may take.
    hear : callable, optional
        Called with what it writes to stderr: bytes.
    hash_seed : int
        On which the order of sets of texts depends in a program that is written in Python.

    Raises
    ------
    BsbenchError
        If it can't be started, or does not greet as it must.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        called: str,
        limit: float,
        hear: Callable[[bytes], object] | None = None,
        hash_seed: int = 0,
    ) -> None:
        self._limit = limit
        # How many it plays at once, and whether it wants random numbers.
        self.games, self._random = 1, False
        environment = {"PYTHONHASHSEED": str(hash_seed)}
        self._process = LineProcess(arguments, longest=_LONGEST_LINE, environment=environment)
        self._process.hear = hear
        # Lines that need no answer wait for the next question.
        self._lines: list[str] = []
        try:
            self._greet()
        except Fault as fault:
            self.end()
            problem = f"can't play {called}: {fault.problem}"
            raise BsbenchError(with_line(problem, fault.line)) from None
        except BaseException:
            self.kill()
            self.end()
            raise

    def _greet(self) -> None:
        longest = max(LONGEST_START, self._limit)
        self._late = f"it was not ready after {longest:g} s: allow more time"
        until = time.monotonic() + longest
        self._process.limit_notes(MOST_NOTES)
        self._send([GREETING], until)
        for _ in range(_MOST_ANNOUNCED):
            word, _, rest = self._answer(until).partition(" ")
            if word == "ready" and not rest:
                self._late = late_text(self._limit)
                self._process.limit_notes(math.inf)
                return
            if word == "name" and rest:
                # For its author: here it is called as it was named.
                continue
            if word == "games" and re.fullmatch("[0-9]{1,9}", rest) and int(rest):
                self.games = min(int(rest), MOST_GAMES)
            elif word == "random" and not rest:
                self._random = True
            else:
                said = quoted(f"{word} {rest}".strip().encode())
                raise Fault(
                    -1,
                    f"it answers {said} to the greeting: write lines 'name TEXT', 'games N' or "
                    "'random', then 'ready'",
                )
        raise Fault(-1, f"it writes {_MOST_ANNOUNCED} lines, and none of them is 'ready'")

    def choose(self, asked: Sequence[Asked]) -> list[int]:
        """Return a column for each position."""
        many = self.games > 1
        lines, self._lines = self._lines, []
        for each in asked:
            at = f"{each.place} " if many else ""
            if each.number is not None:
                lines.append(f"{at}game {each.number}" if self._random else f"{at}game")
            lines.append(" ".join([f"{at}moves", *map(str, each.moves)]))
        lines.append(" ".join(["move", *(str(each.place) for each in asked if many)]))
        until = time.monotonic() + len(asked) * self._limit + _PATIENCE
        self._send(lines, until)
        said = self._answer(until)
        words = said.split(" ")
        if len(words) != len(asked) or not all(re.fullmatch("[0-9]", word) for word in words):
            wanted = f"{len(asked)} columns" if many else "a column"
            raise Fault(-1, f"it answers {quoted(said.encode())}: answer with {wanted}, 0 to 6")
        columns = [int(word) for word in words]
        for each, column in zip(asked, columns, strict=True):
            room = open_columns(each.stones)
            if column not in room:
                what = "which is full" if column <= 6 else "which is not on the board"
                open_ = " ".join(map(str, room))
                raise Fault(
                    each.place, f"it plays column {column}, {what}: there is room in {open_}"
                )
        return columns

    def over(self, places: Sequence[int], outcome: int) -> None:
        """Hear that games have ended."""
        for place in places:
            at = f"{place} " if self.games > 1 else ""
            self._lines.append(f"{at}over {_OUTCOMES[outcome]}")

    def end(self) -> None:
        """Say good-bye, and end it."""
        farewell = "".join(f"{line}\n" for line in [*self._lines, "quit"])
        self._process.end(farewell.encode())

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def _send(self, lines: Sequence[str], until: float) -> None:
        try:
            self._process.send("".join(f"{line}\n" for line in lines).encode(), until)
        except TalkError as error:
            raise self._failed(error) from None

    def _answer(self, until: float) -> str:
        """Return the next line, if it is no error."""
        try:
            said = self._process.line(until).decode(errors="replace")
        except TalkError as error:
            raise self._failed(error) from None
        told = re.fullmatch(r"(?:([0-9]{1,4}) )?error(?: (.*))?", said)
        if told is None:
            return said
        place = -1 if told[1] is None else int(told[1])
        problem, _, line = (told[2] or "it reports an error, and does not say which").partition(
            LINE_SIGN
        )
        raise Fault(place, problem, line)

    def _failed(self, error: TalkError) -> Fault:
        """Return what is said of a program that does not answer, with the end of its stderr."""
        if isinstance(error, LateError):
            self.kill()
            return Fault(-1, self._late)
        notes = self._process.notes
        if "Timeout (" in notes:
            problem = f"{late_text(self._limit)} (in code that can't be interrupted)"
            return Fault(-1, problem, dumped_line(notes))
        last = notes.rpartition("\n")[2]
        return Fault(-1, f"it {error}", f"stderr: {last}" if last else "")


def runner_arguments(
    executable: str,
    path: Sequence[str],
    names: tuple[str, str, str, str],
    limit: float,
    settings: Mapping[str, Any],
) -> list[str]:
    """Return what starts `bsbench.connect4.own.runner`.

    Parameters
    ----------
    executable : str
        The interpreter.
    path : sequence of str
        Folders in which it looks for modules.
    names : tuple of 4 str
        The first arguments of `bsbench.connect4.own.runner.main`.
    limit : float
    settings : mapping of str to object
    """
    given = [f"{name}={value}" for name, value in settings.items()]
    return [
        *(executable, "-c", START, str(len(path)), *path),
        *(*names, repr(limit), *given),
    ]
