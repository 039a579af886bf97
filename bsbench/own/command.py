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

_MOST_BESIDE, _LARGEST_BESIDE = 1_000, 1 << 24
"""Files beside a bot, and their bytes, that go with it to another machine."""


@dataclass(frozen=True)
class Moved:
    """Where files of a command lie that was written on another machine, or in another folder.

    Attributes
    ----------
    root, place : str
        Absolute paths there: of a folder above all files, and of the one where the command was
        written.
    folder : str
        What the root is here.
    """

    root: str
    place: str
    folder: str

    def here(self, path: str) -> str:
        """Return where a path there is here; other words, and what is not here, as they are."""
        root = self.root.rstrip(os.sep)
        inside = f"{path}{os.sep}".startswith(f"{root}{os.sep}")
        moved = self.folder + path[len(root) :] if inside else path
        return moved if os.path.exists(moved) else path


@dataclass(frozen=True)
class Command:
    """How a bot is run.

    Attributes
    ----------
    spec : str
        ``cmd:…``, as its user wrote it.
    arguments : tuple of str
        The program, and what follows.
    moved : Moved or None
        Where its files are, if it was written elsewhere.
    """

    spec: str
    arguments: tuple[str, ...]
    moved: Moved | None = None

    @classmethod
    def read(cls, spec: str, moved: Moved | None = None) -> Command:
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
        return cls(spec, arguments, moved)

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that it names: the program if it lies in a folder of the user, and arguments."""
        first = 1 if self._own or os.sep not in self.arguments[0] else 0
        found = map(self._file, range(first, len(self.arguments)))
        return tuple(Path(os.path.abspath(each)) for each in found if each)

    @property
    def luggage(self) -> tuple[Path, ...]:
        """Files that it needs on another machine: those that it names, and what lies beside it.

        If that is too much, or the bot is found on the ``PATH``, those that it names alone. What
        is hidden stays.
        """
        named, own = self.files, Path(os.path.abspath(self._file(self._own)))
        if own not in named:
            return named
        found, size = dict.fromkeys(named), 0
        for folder, folders, names in os.walk(own.parent):
            folders[:] = [each for each in folders if each[0] != "." and each != "__pycache__"]
            for path in (Path(folder, name) for name in names if name[0] != "."):
                if os.path.isfile(path) and os.access(path, os.R_OK):
                    found[path] = None
                    size += path.stat().st_size
            if len(found) > _MOST_BESIDE or size > _LARGEST_BESIDE:
                return named
        return tuple(found)

    @property
    def run(self) -> tuple[str, ...]:
        """The arguments as they are here."""
        return self.arguments if self.moved is None else tuple(map(self.moved.here, self.arguments))

    @property
    def folder(self) -> str:
        """The folder where it is run; empty is the current one."""
        return "" if self.moved is None else self.moved.here(self.moved.place)

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
        run = self.run
        code = os.path.join(run[nth - 1], f"{run[nth]}.class") if nth else ""
        paths = (os.path.join(self.folder, each) for each in (run[nth], code) if each)
        return next(filter(os.path.isfile, paths), "")
