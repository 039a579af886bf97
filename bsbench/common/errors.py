"""Errors that a user can fix, in their input or in their strategy.

A message names an option by `option`, in the words of the front end at work: a keyword in Python,
``--keyword`` on the command line. A `Fault` names none: records keep it, for both.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Any

from bsbench.common.texts import for_terminal, short


class FrontEnd(Enum):
    """What a user types into."""

    PYTHON = "python"
    COMMAND_LINE = "command line"


_front_end = FrontEnd.PYTHON


def front_end() -> FrontEnd:
    """Return the front end at work in this process; see `serving`."""
    return _front_end


@contextmanager
def serving(one: FrontEnd) -> Iterator[None]:
    """Name options in messages as a front end does, in all threads of this process.

    Only entry points call this. Another process has to be given the front end.
    """
    global _front_end
    before, _front_end = _front_end, one
    try:
        yield
    finally:
        _front_end = before


def option(name: str, value: bool | int | str | None = None) -> str:
    """Return an option as users of the front end write it, for a message.

    Parameters
    ----------
    name : str
        The keyword in Python; on the command line, it has hyphens for underscores.
    value : bool, int or str, optional
        What to set it to. Default: the option is only named.

    Examples
    --------
    >>> option("keep_moves"), option("exact", True), option("feedback", "ship")
    ("'keep_moves'", 'exact=True', "feedback='ship'")
    >>> with serving(FrontEnd.COMMAND_LINE):
    ...     option("keep_moves"), option("exact", True), option("feedback", "ship")
    ('--keep-moves', '--exact', '--feedback ship')
    """
    if _front_end is FrontEnd.PYTHON:
        return repr(name) if value is None else f"{name}={value!r}"
    typed = f"--{name.replace('_', '-')}"
    return typed if value is None or value is True else f"{typed} {shlex.quote(str(value))}"


class BsbenchError(Exception):
    """Bad input: a sentence that names what is wrong and how to fix it.

    The command line prints the sentence and exits with code 2; a traceback
    therefore always means a defect of bsbench. Of long names, such as paths of
    thousands of characters, the sentence has the beginning and the end.
    """

    def __str__(self) -> str:
        return _LONG_WORD.sub(lambda word: short(word[0], _LONGEST_WORD), super().__str__())


_LONGEST_WORD = 300
_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD},}}")


def reason(error: OSError) -> str:
    """Return why a file can't be read or written, in words; for a wrong name, with a similar one.

    The similar name is that of a file of the same kind in the same folder.
    """
    # Some errors carry only a text, such as numpy's where a disk is full.
    why = error.strerror or str(error) or type(error).__name__
    if isinstance(error, FileNotFoundError) and isinstance(error.filename, str | os.PathLike):
        folder, name = os.path.split(error.filename)
        stem, suffix = os.path.splitext(name)
        with suppress(OSError):
            parts = map(os.path.splitext, sorted(os.listdir(folder or ".")))
            stems = [there for there, kind in parts if kind == suffix]
            for close in difflib.get_close_matches(stem, stems, n=1):
                why += f"; did you mean {close + suffix!r}?"
    return why


def how_to_install(extra: str) -> str:
    """Return the commands that add an extra of bsbench, such as ``gym``: in a clone, or not."""
    return f"pip install -e '.[{extra}]' in a clone of bsbench, else pip install 'bsbench[{extra}]'"


def with_line(problem: str, line: str = "", replay: str = "") -> str:
    """Return what is wrong; below it, if known, the line of code and the command that shows it."""
    lines = problem, line and f"  {line}", replay and f"see it with: {replay}"
    return "\n".join(filter(None, lines))


class BsbenchWarning(UserWarning):
    """Something that a user should know; the command continues."""


class StoppedError(BsbenchError):
    """Play can't go on, for a reason that lies in no game; those that are over are kept."""


class WriteError(BsbenchError):
    """A file or folder can't be written, as where a disk is full."""


class Fault(Exception):
    """What a strategy did wrong in one lane; the simulator adds in which game.

    Attributes
    ----------
    lane : int
        Where the game is played.
    problem : str
        What is wrong.
    line : str
        The line of the strategy's code that is to blame, with its file; empty if not known.
    between : bool
        Whether it did that when the game before was over.
    """

    def __init__(self, lane: int, problem: str, line: str = "", between: bool = False) -> None:
        super().__init__(lane, problem, line)
        self.lane = lane
        self.problem = problem
        self.line = line
        self.between = between

    def __str__(self) -> str:
        return self.problem


class StrategyError(BsbenchError):
    """A strategy broke the rules, or failed: a defect of the strategy.

    Attributes
    ----------
    strategy : str
        Its name.
    game, seed : int
        The number of the game it happened in, under its seed.
    shots : int or None
        Shots fired before in that game, if known.
    problem, line : str
        As in `Fault`.
    replay : str
        The command that shows the game, or empty.
    result : bsbench.Result or None
        What the strategy played before, if anything.
    others : sequence of StrategyError
        What is wrong with all others, where none could play on.
    """

    result: Any = None
    others: Sequence[StrategyError] = ()

    def __init__(
        self, strategy: str, game: int, seed: int, shots: int | None, problem: str, line: str = ""
    ) -> None:
        # All arguments, so that the error can be sent from one process to another.
        super().__init__(strategy, game, seed, shots, problem, line)
        self.strategy = strategy
        self.game = game
        self.seed = seed
        self.shots = shots
        # Both quote the strategy's code, whose errors may hold anything.
        self.problem = for_terminal(problem)
        self.line = for_terminal(line)
        self.replay = ""

    def __str__(self) -> str:
        after = ""
        if self.shots is not None:
            after = f", after {'1 shot' if self.shots == 1 else f'{self.shots} shots'}"
        game = f"game {self.game} of seed {self.seed}{after}"
        problem = f"strategy {self.strategy!r}, {game}: {self.problem}"
        return "\n".join([with_line(problem, self.line, self.replay), *map(str, self.others)])


class NotLoadedError(StrategyError):
    """The code of a strategy can't be loaded."""

    def __init__(self, strategy: str, problem: str, line: str = "") -> None:
        super().__init__(strategy, 0, 0, None, problem, line)

    def __str__(self) -> str:
        return with_line(f"strategy {self.strategy!r}: {self.problem}", self.line)
