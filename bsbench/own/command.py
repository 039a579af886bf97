"""Commands that run bots, ``cmd:./mybot --level 3``, and the files that they name."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from bsbench.common.errors import BsbenchError
from bsbench.own.lines import arguments_of

_RUNNERS = re.compile(
    r"(python|pypy|node|deno|bun|java|dotnet|mono|ruby|perl|php|lua|julia|Rscript|racket|guile|"
    r"elixir|bash|sh|wine)[\d.]*"
)
"""Programs that run the file of a bot, which is named after them."""


@dataclass(frozen=True)
class Command:
    """How a bot is run.

    Attributes
    ----------
    spec : str
        ``cmd:…``, as its user wrote it.
    arguments : tuple of str
        The program, and what follows.
    """

    spec: str
    arguments: tuple[str, ...]

    @classmethod
    def read(cls, spec: str) -> Command:
        """Return what a spec says.

        Raises
        ------
        BsbenchError
            If it can't be read, or names no program, or only one that runs others.
        """
        arguments = arguments_of(spec)
        program = Path(arguments[0]).name
        if len(arguments) == 1 and _RUNNERS.fullmatch(program):
            raise BsbenchError(
                f"{spec} names no file for {program} to run: put quotes around the whole command, "
                f"such as 'cmd:{program} my_bot'"
            )
        return cls(spec, arguments)

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that it names: the program if it lies in a folder of the user, and arguments."""
        first = 1 if self._own or os.sep not in self.arguments[0] else 0
        found = map(self._file, range(first, len(self.arguments)))
        return tuple(Path(os.path.abspath(each)) for each in found if each)

    @property
    def name(self) -> str:
        """The name of the bot's own file, without its ending."""
        return Path(self.arguments[self._own]).stem

    @property
    def words(self) -> str:
        """What follows that file: what bsbench announces to the bot."""
        return shlex.join(self.arguments[self._own + 1 :])

    @property
    def _own(self) -> int:
        """The place of the bot's own file: what runs it may come first, as in python3 bot.py."""
        if not _RUNNERS.fullmatch(Path(self.arguments[0]).name):
            return 0
        return next(filter(self._file, range(1, len(self.arguments))), 0)

    def _file(self, nth: int) -> str:
        """Return the file that a word names, maybe as a Java class in the folder before it."""
        words = self.arguments
        code = os.path.join(words[nth - 1], f"{words[nth]}.class") if nth else ""
        return next(filter(os.path.isfile, filter(None, (words[nth], code))), "")
