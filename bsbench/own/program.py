"""Programs that play over stdin and stdout, whatever they play: named by ``cmd:COMMAND``.

A `Command` is such as ``./mybot --level 3``, and knows the files that it names.

A program answers a greeting with what it says of itself, and then questions, a line each. What is
asked belongs to the game: `bsbench.own.bot` is that of Battleship.

A *capability* is a word that a program announces. Lines that begin with it and that bsbench does
not know are ignored, so that one program can play with older and newer versions.
"""

from __future__ import annotations

import codecs
import math
import os
import re
import shlex
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from bsbench.common.errors import BsbenchError, Fault, with_line
from bsbench.common.parameters import parameter
from bsbench.common.texts import for_terminal
from bsbench.own.choosing import Cells, Flags, Scores, Terms
from bsbench.own.lines import (
    MOST_NOTES,
    LateError,
    LineProcess,
    TalkError,
    arguments_of,
    quoted,
    unasked,
)
from bsbench.own.pool import Pool
from bsbench.own.printing import Printed
from bsbench.own.thinker import NO_LIMITS, Limits

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


MOST_GAMES = 4_096
"""Games that a program may announce to play at once."""

_MOST_ANNOUNCED = 100
"""Lines before the first ``ready``."""

_OPTION = (
    "NAME bool true|false, NAME int|float DEFAULT, maybe with the least and the most, NAME choice "
    "DEFAULT OTHER…, or NAME text WORD"
)

FREE_WORD = re.compile(r"[^,\s'\"]*")
"""What a value of an option may be: it can then follow a command after a comma."""

_LONGEST_SAID = 200
"""Characters of a text from a program that a message quotes."""


@dataclass(frozen=True)
class Announced:
    """What a program says of itself when it starts.

    Attributes
    ----------
    name : str
        Empty if it does not say.
    games : int
        How many it plays at once; 1 is one after the other.
    random : bool
        Whether it wants a random number with each game.
    can : set of str
        Its capabilities.
    options : mapping of str to dataclasses.Field
        What its user may set, by name: see `bsbench.common.parameters.parameter`.
    more : mapping of str to str
        What belongs to the game: see `Program.announcements`.
    """

    name: str = ""
    games: int = 1
    random: bool = False
    can: frozenset[str] = frozenset()
    options: Mapping[str, Field[Any]] = field(default_factory=dict)
    more: Mapping[str, str] = field(default_factory=dict)


def _read_option(text: str) -> tuple[str, Field[Any]]:
    """Return the name and the declaration of an option.

    Raises
    ------
    ValueError
        If it is none; the text says why.
    """
    name, kind, rest = [*text.split(" ", 2), "", ""][:3]
    words = rest.split(" ")
    if not re.fullmatch("[a-z][a-z0-9_]{0,39}", name):
        raise ValueError("its name must have small letters, digits and _, and begin with a letter")
    meaning = "an option of the bot"
    if kind == "text" and len(words) == 1 and FREE_WORD.fullmatch(words[0]):
        return name, parameter(words[0], meaning)
    if kind == "choice" and all(map(FREE_WORD.fullmatch, words)) and all(words):
        return name, parameter(words[0], meaning, choices=tuple(words))
    if kind == "bool" and words in (["true"], ["false"]):
        return name, parameter(words == ["true"], meaning)
    if kind in ("int", "float") and len(words) in (1, 3):
        pattern = "-?[0-9]{1,18}" if kind == "int" else r"-?[0-9.]{1,30}(e-?[0-9]{1,3})?"
        if all(re.fullmatch(pattern, word) for word in words):
            default, *bounds = map(int if kind == "int" else float, words)
            least, most = bounds or (None, None)
            if not all(map(math.isfinite, (default, *bounds))):
                raise ValueError("its numbers are too large")
            if least is not None and most is not None and not least <= default <= most:
                raise ValueError(f"its default is not between {least} and {most}")
            return name, parameter(default, meaning, least=least, most=most)
    raise ValueError("that is no option")


class Program(ABC):
    """A process that plays, seen from bsbench; a `bsbench.own.pool.Talker`.

    Parameters
    ----------
    command : Command
    hash_seed : int
        On which the order of sets depends in a bot that is written in Python.
    limits : Limits, optional
        What it may take until it is ready, and of memory.
    """

    game: ClassVar[str]
    """In the greeting."""

    announcements: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Words that a program may say of itself in this game, and what may follow each."""

    has_options: ClassVar[bool] = False
    """Whether a program may announce options in this game."""

    def __init__(self, command: Command, hash_seed: int = 0, limits: Limits = NO_LIMITS) -> None:
        self.printed = Printed()
        self.hear: Callable[[str], object] | None = None
        self.hash_seed = hash_seed
        self._limits = limits
        environment = {"PYTHONHASHSEED": str(hash_seed)}
        self._process = LineProcess(
            command.arguments, memory=limits.memory, environment=environment
        )
        self._process.hear = self._note
        # What is on stderr since it was last passed on.
        self._said, self._heard = Printed(), False
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        # Whether an answer is due.
        self._waiting = False
        self._announced: Announced | None = None
        self._set_out()

    def announced(self) -> Announced:
        """Return what the bot says of itself, once it is ready.

        Raises
        ------
        Fault
            If it is no bot, or ends.
        """
        if self._announced is None:
            said: dict[str, Any] = {}
            line = self._answer(b"bsbench %b 1\n" % self.game.encode())
            for _ in range(_MOST_ANNOUNCED):
                if line == b"ready":
                    break
                self._read_announcement(line, said)
                line = self._answer()
            else:
                raise self._fault(f"it wrote {_MOST_ANNOUNCED} lines, and none of them is ready")
            self._announced = Announced(**said)
            self._process.ignored = {word.encode() for word in self._announced.can}
        return self._announced

    def _set_out(self) -> None:
        """Limit what it may take until it is ready."""
        self._lane, self._used, self._most = 0, [0.0], math.inf
        self._timeout, self._playing = self._limits.longest_start, False
        self._process.limit_notes(MOST_NOTES)

    def _read_announcement(self, line: bytes, said: dict[str, Any]) -> None:
        """Take note of what it says of itself."""
        word, _, rest = line.decode(errors="replace").partition(" ")
        if word == "name" and rest.strip():
            said["name"] = rest
        elif re.fullmatch(rb"games [0-9]{1,4}", line) and 1 <= int(rest) <= MOST_GAMES:
            said["games"] = int(rest)
        elif line == b"random":
            said["random"] = True
        elif re.fullmatch(rb"can( [a-z][a-z0-9-]{0,39})+", line):
            said["can"] = said.get("can", frozenset()).union(rest.split(" "))
        elif word == "option" and self.has_options:
            said["options"] = self._with_option(rest, said.get("options", {}))
        elif word in said.get("can", ()):
            return
        elif rest in self.announcements.get(word, ()):
            said["more"] = said.get("more", {}) | {word: rest}
        else:
            more = [
                f"{word} {first} ({', '.join(f'or {each}' for each in others)}), "
                for word, (first, *others) in self.announcements.items()
            ]
            # Java says there that it can't have the memory.
            if self.has_options:
                more.append(f"option {_OPTION}, ")
            raise self._fault(
                f"it wrote {quoted(line)} before the first game ({self._place}): a bot writes name "
                f"TEXT, games NUMBER (1 to {MOST_GAMES}), random, can WORD, {''.join(more)}and "
                f"then ready; all other text belongs on standard error{self._memory_remark()}"
            )

    def _with_option(
        self, text: str, options: Mapping[str, Field[Any]]
    ) -> Mapping[str, Field[Any]]:
        """Return options and another one, given what follows ``option``."""
        try:
            name, declared = _read_option(text)
            if name in options:
                raise ValueError("it has announced that option before")
        except ValueError as error:
            raise self._fault(
                f"it wrote {quoted(f'option {text}'.encode())} ({self._place}): {error}; write "
                f"option {_OPTION}"
            ) from None
        return {**options, name: declared}

    @property
    def _place(self) -> str:
        """Which line of its output was read last, for messages."""
        return f"line {self._process.lines_read} of its output"

    def begin(self, terms: Terms) -> None:
        """Begin to play; games before are forgotten.

        Raises
        ------
        Fault
            From this and all that follow, if the program does not keep to the protocol, or ends.
        BsbenchError
            If it refuses the rules.
        """
        self._used = [0.0] * terms.lanes
        self._timeout, self._late, self._playing = terms.timeout, terms.late, True
        self._process.limit_notes(math.inf)

    @abstractmethod
    def deal(self, lanes: Cells, games: Cells, follows: Flags | None = None) -> None:
        """Begin games in some lanes: see `bsbench.own.choosing.Chooser.deal`."""

    @abstractmethod
    def shoot(self, view: Any) -> Cells:
        """Return the next move for every lane that is asked; other entries are not read."""

    @abstractmethod
    def _live(self) -> Cells:
        """Return the lanes that are asked."""

    @abstractmethod
    def _farewell(self) -> bytes:
        """Return the lines that say which games are over."""

    def scores(self, lane: int) -> Scores | None:
        """Return what the program says of each move, if it does."""
        return None

    def spent(self) -> float:
        """Return the seconds that the program has taken for the longest of the games."""
        return max(self._used)

    @property
    def usable(self) -> bool:
        """Whether it can be asked: it runs, and no answer is due."""
        if not self._process.running:
            return False
        self._process.listen()
        self._pass_on()
        return not self._waiting

    def kill(self) -> None:
        """End the process at once, whatever it does; who waits for an answer hears of it."""
        self._process.kill()

    def end(self) -> None:
        """End the process, and all that it has started."""
        if self._waiting or self._announced is None:
            self._process.kill()
        self._process.end(self._farewell() + b"quit\n")

    def _tell(self, lines: bytes | memoryview) -> None:
        """Send lines that need no answer."""
        try:
            self._process.send(lines, time.monotonic() + self._timeout)
        except TalkError as error:
            raise self._fault(f"it {error}") from None

    def _answer(self, question: bytes | memoryview = b"") -> bytes:
        """Return the line that answers some lines; without any, the next line."""
        begun = time.monotonic()
        self._waiting = True
        try:
            patience = self._timeout - self._used[self._lane]
            if patience > self._most:
                patience = self._most
            if question:
                line = self._process.ask(question, patience)
            else:
                line = self._process.line(begun + patience)
        except TalkError as error:
            problem = f"it {error}"
            if isinstance(error, LateError) and not self._playing:
                problem = (
                    f"it was not ready after {self._timeout:g} s: it must answer with ready, and "
                    "flush its output; if its command has several words, put quotes around all of "
                    "it, or allow more time"
                    f"{self._memory_remark()}"
                )
            elif isinstance(error, LateError):
                late = self._late if patience < self._most else f"it took more than {patience:g} s"
                problem = f"{late}; allow more time"
            else:
                problem += self._memory_remark()
            if self._playing and len(self._live()) > 1:
                problem += " (the first of a batch of games)"
            raise self._fault(problem) from None
        self._waiting = False
        self._used[self._lane] += time.monotonic() - begun
        if self._heard:
            self._pass_on()
        if b"error" in line:
            self._refuse_errors(line)
        return line

    def _refusal(self, rules: bytes, over: bytes = b"") -> str:
        """Send lines that end with rules; return why the bot can't play by them, or "".

        Parameters
        ----------
        rules : bytes
        over : bytes
            Lines that say which games are over, and come first.
        """
        line = self._answer(over + rules)
        word, _, rest = line.partition(b" ")
        if word == b"refuse":
            return shown(rest.decode(errors="replace")) or "it does not say why"
        if line != b"ready" and over:
            raise self._fault(between_games(unasked(line)))
        if line != b"ready":
            raise self._fault(f"it answered {quoted(line)} to the rules: it must write ready")
        return ""

    def _refuse_errors(self, line: bytes) -> None:
        """Raise what a line reports in place of an answer: ``error TEXT``, ``PLACE error TEXT``."""
        said = re.fullmatch(rb"(?:([0-9]{1,4}) )?error(?: (.*))?", line, re.DOTALL)
        if said is not None:
            if said[1] is not None and int(said[1]) in self._live():
                self._lane = int(said[1])
            text = shown((said[2] or b"").decode(errors="replace"))
            raise self._fault(f"it reports an error{f': {text}' if text else ''}")

    def _memory_remark(self) -> str:
        """Return what to add to a problem that a limit on memory may have caused."""
        return "; if it was out of memory, allow more memory" if self._limits.memory else ""

    def _fault(self, problem: str, line: bytes = b"") -> Fault:
        """Return a fault with what the program wrote; it is ended."""
        self.kill()
        self._process.listen()
        self._pass_on()
        said = [f"it wrote {quoted(line)} ({self._place})"] if line else []
        # Python marks places in the line above.
        notes = [each.strip() for each in self._process.notes.split("\n") if each.strip("~^ ")]
        if notes:
            # What is wrong stands at the end.
            said.append(f"its stderr ends with: {' | '.join(notes[-3:])[-2 * _LONGEST_SAID :]}")
        self._process.end()
        return Fault(self._lane, problem, "; ".join(said))

    def _note(self, part: bytes) -> None:
        """Take note of what is on stderr."""
        self._heard = True
        self._said.keeps = self.hear is not None
        self._said.write(self._decode(part))

    def _pass_on(self) -> None:
        """Pass on what was on stderr."""
        said, self._heard = self._said, False
        if said.lines or said.first:
            self.printed.add(said.lines, for_terminal(said.first))
            text = said.take()
            said.forget()
            if self.hear is not None and text:
                self.hear(for_terminal(text))


def between_games(what: str) -> str:
    """Return what is wrong with a program that did something when it should wait for a game."""
    return f"between two games, it {what}"


def shown(text: str) -> str:
    """Return a text of a program as a message quotes it."""
    shown = for_terminal(text.strip())
    return shown if len(shown) <= _LONGEST_SAID else f"{shown[:_LONGEST_SAID]} …"


_P = TypeVar("_P", bound=Program)


class Programs(Pool[_P], Generic[_P]):
    """The processes of one program.

    Parameters
    ----------
    command : Command
    limits : Limits, optional

    Attributes
    ----------
    command : Command
    announced : Announced

    Raises
    ------
    BsbenchError
        If it can't be started, or does not greet as it must.
    """

    kind: ClassVar[type[Program]]
    """By which it is asked."""

    def __init__(self, command: Command, limits: Limits = NO_LIMITS) -> None:
        super().__init__()
        self.command, self._limits = command, limits
        self.start(1)
        try:
            self.announced = self._idle[0].announced()
        except Fault as fault:
            self.close()
            problem = f"can't play with {command.spec}: {fault}"
            raise BsbenchError(with_line(problem, fault.line)) from None

    def _new(self, hash_seed: int = 0) -> _P:
        program: Any = self.kind(self.command, hash_seed, self._limits)
        made: _P = program
        return made


_Some = TypeVar("_Some", bound=Programs[Any])

_found: dict[Any, Any] = {}


def programs_of(kind: type[_Some], spec: str, limits: Limits) -> _Some:
    """Return the processes of a program, the same ones as long as its files do not change.

    Parameters
    ----------
    kind : type
    spec : str
        ``cmd:./mybot --level 3``: the program and its arguments, split as a shell does. No shell
        is run.
    limits : Limits
        What each process may take until it is ready, and of memory.

    Raises
    ------
    BsbenchError
        If it can't be started, or does not greet as it must.
    """
    command = Command.read(spec)
    states = tuple((each.stat().st_mtime_ns, each.stat().st_size) for each in command.files)
    key = kind, command, os.getcwd(), states, limits
    if key not in _found:
        programs = _found[key] = kind(command, limits)
        programs.leave_idle()
    made: _Some = _found[key]
    return made
