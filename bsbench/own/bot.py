"""Bots: programs in any language that play over stdin and stdout, in the place of strategies.

They are named by the command that runs them: ``cmd:./mybot --level 3``. What is said is in
docs/protocol.md; `bsbench.own.lines` starts a bot and keeps it within its limits,
`bsbench.own.exchange` writes and reads the lines of a batch of games.
"""

from __future__ import annotations

import codecs
import math
import os
import re
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bsbench.common.errors import BsbenchError, Fault, with_line
from bsbench.common.parameters import parameter
from bsbench.common.texts import for_terminal
from bsbench.own.adapter import Origin, StandIn
from bsbench.own.choosing import Cells, Manner, Terms
from bsbench.own.exchange import (
    NO_CELL,
    OFF_BOARD,
    REPEATED,
    OneGame,
    new_talk,
    read_cells,
    write_lines,
)
from bsbench.own.lines import (
    MOST_NOTES,
    LateError,
    LineProcess,
    TalkError,
    arguments_of,
    quoted,
)
from bsbench.own.pool import Pool
from bsbench.own.printing import Printed
from bsbench.own.thinker import NO_LIMITS, Limits
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.drawing import cell_name
from bsbench.strategies import Strategy, strategy_names
from bsbench.strategies.view import View

GREETING = b"bsbench battleship 1\n"
"""Game and version of the protocol."""

MOST_GAMES = 4_096
"""Games that a bot may announce to play at once."""

_MOST_ANNOUNCED = 100
"""Lines before the first ``ready``."""

_RUNNERS = re.compile(
    r"(python|pypy|node|deno|bun|java|dotnet|mono|ruby|perl|php|lua|julia|Rscript|racket|guile|"
    r"elixir|bash|sh|wine)[\d.]*"
)
"""Programs that run the file of a bot, which is named after them."""

_MOST_BESIDE, _LARGEST_BESIDE = 1_000, 1 << 24
"""Files beside a bot, and their bytes, that go with it to another machine."""

_LONGEST_SAID = 200
"""Characters of a text from a bot that a message quotes."""


@dataclass(frozen=True)
class Announced:
    """What a bot says of itself when it starts.

    Attributes
    ----------
    name : str
        As a strategy is called; empty if the bot does not say.
    games : int
        How many it plays at once; 1 is one after the other.
    random : bool
        Whether it wants a random number with each game.
    needs : Feedback
    """

    name: str = ""
    games: int = 1
    random: bool = False
    needs: Feedback = Feedback.HIT


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


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        # It is too long for a path, for example.
        return False


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
                if path.is_file() and os.access(path, os.R_OK):
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
        return next(filter(_is_file, paths), "")


class Bot:
    """A process that plays, seen from bsbench; a `bsbench.own.pool.Talker`.

    Parameters
    ----------
    command : Command
    hash_seed : int
        On which the order of sets depends in a bot that is written in Python.
    limits : Limits, optional
        What it may take until it is ready, and of memory.
    """

    def __init__(self, command: Command, hash_seed: int = 0, limits: Limits = NO_LIMITS) -> None:
        self.printed = Printed()
        self.hear: Callable[[str], object] | None = None
        self.hash_seed = hash_seed
        self._command, self._limits = command, limits
        environment = {"PYTHONHASHSEED": str(hash_seed)}
        self._process = LineProcess(
            command.run, memory=limits.memory, environment=environment, folder=command.folder
        )
        self._process.hear = self._note
        # What is on stderr since it was last passed on.
        self._said, self._heard = Printed(), False
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        # Whether an answer is due.
        self._waiting = False
        self._announced: Announced | None = None
        self._set_out()
        self._view: View | None = None
        # The rules that it has answered with ready.
        self._agreed = ""

    def announced(self) -> Announced:
        """Return what the bot says of itself, once it is ready.

        Raises
        ------
        Fault
            If it is no bot, or ends.
        """
        if self._announced is None:
            said: dict[str, Any] = {}
            line = self._answer(GREETING)
            for _ in range(_MOST_ANNOUNCED):
                if line == b"ready":
                    break
                said |= self._read_announcement(line)
                line = self._answer()
            else:
                raise self._fault(f"it wrote {_MOST_ANNOUNCED} lines, and none of them is ready")
            self._announced = Announced(**said)
        return self._announced

    def _set_out(self) -> None:
        """Limit what it may take until it is ready."""
        self._lane, self._used = 0, [0.0]
        self._timeout, self._playing = self._limits.longest_start, False
        self._process.limit_notes(MOST_NOTES)

    def _read_announcement(self, line: bytes) -> dict[str, Any]:
        word, _, rest = line.decode(errors="replace").partition(" ")
        if word == "name" and rest.strip():
            return {"name": _as_name(rest)}
        if re.fullmatch(rb"games [0-9]{1,4}", line) and 1 <= int(rest) <= MOST_GAMES:
            return {"games": int(rest)}
        if line == b"random":
            return {"random": True}
        if word == "needs" and rest in map(str, Feedback):
            return {"needs": Feedback.parse(rest)}
        # Java says there that it can't have the memory.
        raise self._fault(
            f"it wrote {quoted(line)} before the first game: a bot writes name TEXT, games NUMBER "
            f"(1 to {MOST_GAMES}), random, needs KIND ({Feedback.choices()}), and then ready; all "
            f"other text belongs on standard error{self._memory_remark()}"
        )

    def refusal(self, rules: Rules, games: int) -> str:
        """Send the bot the rules, unless it knows them, and how many games are played at once.

        Return why the bot can't play by some rules; empty if it can, and is ready.

        Raises
        ------
        Fault
            As `announced`.
        """
        self.announced()
        self._set_out()
        touching = "touching" if rules.touching else "apart"
        fleet = " ".join(map(str, rules.fleet))
        text = f"rules {rules.rows} {rules.cols} {touching} {rules.feedback} {games} {fleet}\n"
        over = self._farewell()
        if text == self._agreed:
            if over:
                self._tell(over)
            return ""
        self._agreed = ""
        line = self._answer(over + text.encode())
        word, _, rest = line.partition(b" ")
        if word == b"refuse":
            return _shown(rest.decode(errors="replace")) or "it does not say why"
        if line != b"ready":
            raise self._fault(f"it answered {quoted(line)} to the rules: it must write ready")
        self._agreed = text
        return ""

    def begin(self, terms: Terms) -> None:
        """Begin to play; games before are forgotten.

        Raises
        ------
        Fault
            From this and all that follow, if the bot does not keep to the protocol, or ends.
        BsbenchError
            If it refuses the rules.
        """
        announced = self.announced()
        if why := self.refusal(terms.rules, terms.lanes):
            raise BsbenchError(f"strategy {terms.name!r} refuses these rules: {why}")
        self._used = [0.0] * terms.lanes
        self._timeout, self._playing = terms.timeout, True
        self._process.limit_notes(math.inf)
        self._rules, self._lanes = terms.rules, terms.lanes
        self._random = announced.random
        self._view = None
        self._one = None if announced.games > 1 else OneGame(terms.rules)
        if self._one is None:
            self._talk = new_talk(terms.rules, terms.lanes)
            self._room = self._talk.room.data
        self._cells = np.zeros(terms.lanes, np.int64)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Begin games in some lanes, given by their aliases."""
        for lane in lanes.tolist():
            self._used[lane] = 0.0
        if self._one is not None:
            self._one.begins = True
            if self._random:
                self._one.number = int(games[0])
            return
        self._talk.begins[lanes] = True
        if self._random:
            self._talk.number[lanes] = games

    def shoot(self, view: View) -> Cells:
        """Return the next cell for every live lane; other entries are not read."""
        if self._one is None:
            return self._shoot_in_many(view)
        self._view = view
        question = self._one.lines(view)
        if not question.endswith(b"shoot\n"):
            self._tell(question)
            return self._cells
        line = self._answer(question)
        if wrong := self._one.read(line, self._cells):
            raise self._no_shot(line, 0, wrong)
        return self._cells

    def _shoot_in_many(self, view: View) -> Cells:
        if view is not self._view:
            self._view = view
            self._talk = self._talk._replace(
                live=view.live,
                cell=view.cell,
                outcome=view.outcome,
                ship=view.ship,
                slot=view.slot,
            )
        talk = self._talk
        size = write_lines(self._rules.cols, *talk)
        if size <= 0:
            # No game is live.
            self._tell(self._room[:-size])
            return self._cells
        # The time is that of a shot in all games, not of a game.
        self._lane = int(view.live.argmax())
        self._used[self._lane] = 0.0
        line = self._answer(self._room[:size])
        wrong = read_cells(np.frombuffer(line, np.uint8), talk.live, talk.fired, self._cells)
        if wrong:
            raise self._no_shot(line, *divmod(wrong, 5))
        return self._cells

    def _no_shot(self, line: bytes, lane: int, wrong: int) -> Fault:
        """Return what is wrong with an answer."""
        rules, live = self._rules, self._live()
        place = int(np.searchsorted(live, lane))
        words = line.split()
        word = words[place] if place < len(words) else b""
        cells = f"a cell, 0 to {rules.cells - 1}"
        if len(live) > 1:
            cells = f"{len(live)} numbers, one for each place after shoot: {cells}"
        self._lane = lane
        if wrong == REPEATED:
            cell = int(word)
            name = cell_name(cell, rules.cols)
            problem = f"shot at cell {cell} ({name}) refused: it was shot before"
        elif wrong == OFF_BOARD:
            problem = (
                f"shot at cell {int(word)} refused: the board is {rules.board}, its cells are 0 to "
                f"{rules.cells - 1}"
            )
        elif wrong == NO_CELL and word:
            problem = f"it answered {quoted(word)}: it must answer {cells}"
            line = b"" if word == line else line
        else:
            answered = f"{len(words)} numbers" if words else "with an empty line"
            problem = f"it answered {answered}: it must answer {cells}"
        return self._fault(problem, line)

    def _live(self) -> Cells:
        """Return the lanes that are asked."""
        return np.flatnonzero([] if self._view is None else self._view.live)

    def scores(self, lane: int) -> None:
        """Return None: the protocol has no scores."""

    def spent(self) -> float:
        """Return the seconds that the bot has taken for the longest of the games."""
        return max(self._used)

    def shared(self) -> dict[str, tuple[str, str]]:
        """Return nothing: what games of a bot share can't be seen."""
        return {}

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

    def _farewell(self) -> bytes:
        """Return the lines that say which games are over."""
        view, self._view = self._view, None
        if view is None:
            return b""
        if self._one is not None:
            return b"" if view.live[0] else self._one.lines(view)
        talk = self._talk
        asked, nobody = talk.asked & ~talk.live, np.zeros_like(talk.live)
        size = write_lines(
            self._rules.cols, *talk._replace(asked=asked, live=nobody, begins=nobody)
        )
        return bytes(self._room[:-size])

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
            if question:
                line = self._process.ask(question, patience)
            else:
                line = self._process.line(begun + patience)
        except TalkError as error:
            problem = f"it {error}"
            if isinstance(error, LateError) and not self._playing:
                problem = (
                    f"it was not ready after {self._timeout:g} s: it must answer the greeting and "
                    "the rules with ready, and flush its output; if its command has several words, "
                    "put quotes around all of it, or allow more time"
                    f"{self._memory_remark()}"
                )
            elif isinstance(error, LateError):
                problem = (
                    f"the game took more than {self._timeout:g} s of the strategy's time; "
                    "allow more time"
                )
            else:
                problem += self._memory_remark()
            if self._playing and len(self._live()) > 1:
                problem += " (the first of a batch of games)"
            raise self._fault(problem) from None
        self._waiting = False
        self._used[self._lane] += time.monotonic() - begun
        if self._heard:
            self._pass_on()
        if line.startswith(b"error") and line[5:6] in (b"", b" "):
            text = _shown(line[5:].decode(errors="replace"))
            raise self._fault(f"it reports an error{f': {text}' if text else ''}")
        return line

    def _memory_remark(self) -> str:
        """Return what to add to a problem that a limit on memory may have caused."""
        return "; if it was out of memory, allow more memory" if self._limits.memory else ""

    def _fault(self, problem: str, line: bytes = b"") -> Fault:
        """Return a fault with what the bot wrote; the bot is ended."""
        self.kill()
        self._process.listen()
        self._pass_on()
        said = [f"it wrote {quoted(line)}"] if line else []
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


def _shown(text: str) -> str:
    """Return a text of a bot as a message quotes it."""
    shown = for_terminal(text.strip())
    return shown if len(shown) <= _LONGEST_SAID else f"{shown[:_LONGEST_SAID]} …"


def _as_name(text: str) -> str:
    """Return how a strategy is called whose author calls it something: Hunter 1.2 is hunter-1-2."""
    name = "-".join(re.findall(r"[a-z0-9]+", text.lower()))[:40].strip("-")
    return f"bot-{name}" if name in strategy_names() else name


class Bots(Pool[Bot]):
    """The processes of one bot.

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
        If it can't be started, or is no bot.
    """

    def __init__(self, command: Command, limits: Limits = NO_LIMITS) -> None:
        super().__init__()
        self.command, self._limits = command, limits
        self._refusals: dict[Rules, str] = {}
        self.start(1)
        try:
            self.announced = self._idle[0].announced()
        except Fault as fault:
            self.close()
            problem = f"can't play with {command.spec}: {fault}"
            raise BsbenchError(with_line(problem, fault.line)) from None

    def _new(self, hash_seed: int = 0) -> Bot:
        return Bot(self.command, hash_seed, self._limits)

    def refusal(self, rules: Rules) -> str:
        """Return why the bot can't play by some rules; empty if it can, or fails."""
        if rules not in self._refusals:
            bot = self.take()
            try:
                self._refusals[rules] = bot.refusal(rules, self.announced.games)
            except Fault:
                # It will fail in a game, too, where that is reported.
                self._refusals[rules] = ""
            finally:
                self.give(bot)
        return self._refusals[rules]


class Player(StandIn):
    """A bot in the place of a built-in strategy."""

    talkers: ClassVar[Bots]
    words: ClassVar[str]
    """What follows the program in the command."""

    def __init__(self, **parameters: Any) -> None:
        if parameters.setdefault("arguments", self.words) != self.words:
            raise BsbenchError(
                f"the arguments of {self.name!r} are those of its command, "
                f"{self.words or 'none'!r}: write others there"
            )
        if not self.words:
            del parameters["arguments"]
        super().__init__(**parameters)

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Take a process of the bot, and make room for games."""
        if lanes > self.most_lanes:
            raise BsbenchError(
                f"the bot {self.name!r} plays {self.most_lanes} games at once at most, not {lanes}"
            )
        super().begin(rules, lanes, seed)

    def _aliases(self, games: Cells) -> Cells:
        # To compute them takes a tenth of all time.
        return super()._aliases(games) if self.talkers.announced.random else games

    def fits(self, rules: Rules) -> bool:
        """Return whether the bot accepts the rules."""
        why = self.talkers.refusal(rules)
        if why:
            self.limits = why  # type: ignore[misc]
        return not why


def strategy_of(
    spec: str, limits: Limits = NO_LIMITS, moved: Moved | None = None
) -> type[Strategy]:
    """Return the bot that a command runs as a strategy.

    Parameters
    ----------
    spec : str
        ``cmd:./mybot --level 3``: the program and its arguments, split as a shell does. No shell
        is run.
    limits : Limits, optional
        What each of its processes may take until it is ready, and of memory.
    moved : Moved, optional
        Where its files are, if it was written elsewhere.

    Raises
    ------
    BsbenchError
        If it can't be started, or is no bot.
    """
    command = Command.read(spec, moved)
    files = command.files
    states = tuple((each.stat().st_mtime_ns, each.stat().st_size) for each in files)
    key = command, os.getcwd(), states, limits
    if key not in _found:
        bots = Bots(command, limits)
        bots.leave_idle()
        announced = bots.announced
        words = parameter("", "what follows the program in the command")
        words.name = "arguments"
        facts = {
            "__doc__": "A program that plays by the protocol of bots.",
            "name": announced.name or _as_name(command.name) or "bot",
            "source": spec,
            "needs": announced.needs,
            "home": None,
            "most_lanes": announced.games,
            "fields": {"arguments": words} if command.words else {},
            "words": command.words,
            "chooser": type("InLines", (_InLines,), {"in_batches": announced.games > 1}),
            "talkers": bots,
            "_origin": Origin(spec, spec, files=files),
        }
        _found[key] = type("Player", (Player,), facts)
    return _found[key]


class _InLines(Manner):
    chance = (
        "the number after game, which a bot gets that announces random; and what it knows of games "
        "before it must forget when it reads game"
    )
    begins = "when it reads game"


_found: dict[Any, type[Strategy]] = {}
