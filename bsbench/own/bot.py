"""Bots: programs in any language that play over stdin and stdout, in the place of strategies.

They are named by the command that runs them: ``cmd:./mybot --level 3``. What is said is in
docs/protocol.md; `bsbench.own.lines` starts a bot and keeps it within its limits,
`bsbench.own.exchange` writes and reads the lines of a batch of games.
"""

from __future__ import annotations

import codecs
import os
import re
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.parameters import parameter
from bsbench.common.settings import check_line
from bsbench.common.texts import for_terminal
from bsbench.own.adapter import Origin, StandIn
from bsbench.own.choosing import Cells, Manner, Terms
from bsbench.own.exchange import (
    NO_CELL,
    OFF_BOARD,
    REPEATED,
    new_talk,
    read_cells,
    write_lines,
)
from bsbench.own.lines import LateError, LineProcess, TalkError, quoted
from bsbench.own.pool import Pool
from bsbench.own.printing import Printed
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.drawing import cell_name
from bsbench.strategies import Strategy, strategy_names
from bsbench.strategies.view import View

SCHEME = "cmd:"

GREETING = b"bsbench battleship 1\n"
"""Game and version of the protocol."""

MOST_GAMES = 4_096
"""Games that a bot may announce to play at once."""

LONGEST_START = 60.0
"""Seconds that a bot may take to get ready, at its start and for other rules."""

_MOST_ANNOUNCED = 100
"""Lines before the first ``ready``."""

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
        """Return what a spec says, split as a shell does.

        Raises
        ------
        BsbenchError
            If it can't be read, or names no program.
        """
        check_line("the command of a bot", spec)
        try:
            arguments = tuple(shlex.split(spec.removeprefix(SCHEME)))
        except ValueError as error:
            raise BsbenchError(f"unreadable command {spec!r}: {error}") from None
        if not arguments:
            raise BsbenchError(f"{spec!r} names no program: write cmd:PROGRAM ARGUMENTS")
        return cls(spec, arguments)

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that it names: the program if it lies in a folder of the user, and arguments."""
        program, *others = self.arguments
        named = [program, *others] if os.sep in program else others
        return tuple(Path(each).resolve() for each in named if Path(each).is_file())

    @property
    def name(self) -> str:
        """The name of the bot's file, without its ending."""
        mine = [each for each in self.arguments if Path(each).is_file()]
        return Path((mine or self.arguments)[0]).stem


class Bot:
    """A process that plays, seen from bsbench; a `bsbench.own.pool.Talker`.

    Parameters
    ----------
    command : Command
    hash_seed : int
        On which the order of sets depends in a bot that is written in Python.
    memory : int, optional
        Bytes of address space at most.
    """

    def __init__(self, command: Command, hash_seed: int = 0, memory: int | None = None) -> None:
        self.printed = Printed()
        self.hear: Callable[[str], object] | None = None
        self.hash_seed = hash_seed
        self._command = command
        environment = {"PYTHONHASHSEED": str(hash_seed)}
        self._process = LineProcess(command.arguments, memory=memory, environment=environment)
        self._process.hear = self._note
        # What is on stderr since it was last passed on.
        self._said, self._heard = Printed(), False
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        # Whether an answer is due.
        self._waiting = False
        self._announced: Announced | None = None
        self._lane = 0
        self._used = [0.0]
        self._timeout = LONGEST_START

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

    def _read_announcement(self, line: bytes) -> dict[str, Any]:
        word, _, rest = line.decode(errors="replace").partition(" ")
        if word == "name" and rest.strip():
            return {"name": _as_name(rest)}
        if word == "games" and rest.isdecimal() and 1 <= int(rest[:9]) <= MOST_GAMES:
            return {"games": int(rest)}
        if line == b"random":
            return {"random": True}
        if word == "needs" and rest in ("hit", "sunk", "ship"):
            return {"needs": Feedback.parse(rest)}
        raise self._fault(
            f"it wrote {quoted(line)} before the first game: a bot writes name TEXT, games NUMBER "
            f"(1 to {MOST_GAMES}), random, needs hit (or sunk, or ship), and then ready"
        )

    def refusal(self, rules: Rules, games: int = 1) -> str:
        """Return why the bot can't play by some rules; empty if it can, and is ready.

        Raises
        ------
        Fault
            As `announced`.
        """
        self.announced()
        touching = "touching" if rules.touching else "apart"
        fleet = " ".join(map(str, rules.fleet))
        text = f"rules {rules.rows} {rules.cols} {touching} {rules.feedback} {games} {fleet}\n"
        line = self._answer(self._farewell() + text.encode())
        word, _, rest = line.partition(b" ")
        if word == b"refuse":
            return _shown(rest) or "it does not say why"
        if line != b"ready":
            raise self._fault(f"it answered {quoted(line)} to the rules: it must write ready")
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
        self._lane, self._used = 0, [0.0] * terms.lanes
        self._timeout = LONGEST_START
        if why := self.refusal(terms.rules, terms.lanes):
            raise BsbenchError(f"strategy {terms.name!r} refuses these rules: {why}")
        self._timeout = terms.timeout
        self._rules, self._lanes = terms.rules, terms.lanes
        self._places = announced.games > 1
        self._random = announced.random
        self._view: View | None = None
        self._talk = new_talk(terms.rules, terms.lanes)
        self._room = memoryview(self._talk.room)
        self._cells = np.zeros(terms.lanes, np.int64)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Begin games in some lanes, given by their aliases."""
        self._talk.begins[lanes] = True
        for lane in lanes.tolist():
            self._used[lane] = 0.0
        if self._random:
            self._talk.number[lanes] = games

    def shoot(self, view: View) -> Cells:
        """Return the next cell for every live lane; other entries are not read."""
        if view is not self._view:
            self._view = view
            seen = view.live, view.cell, view.outcome, view.ship, view.slot
            self._talk = self._talk._replace(
                **dict(zip(("live", "cell", "outcome", "ship", "slot"), seen, strict=True))
            )
        talk = self._talk
        size = write_lines(self._places, self._rules.cols, *talk)
        if size < 0:
            # No game is live.
            self._process.send(self._room[:-size])
            return self._cells
        if self._places:
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
        rules, live = self._rules, np.flatnonzero(self._talk.live)
        place = int(np.searchsorted(live, lane))
        words = line.split()
        word = words[place] if place < len(words) else b""
        cells = f"a cell, 0 to {rules.cells - 1}"
        if len(live) > 1 or self._places:
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
        else:
            problem = f"it answered {len(words)} numbers: it must answer {cells}"
        return self._fault(problem, line)

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
        if getattr(self, "_view", None) is None:
            return b""
        talk, self._view = self._talk, None
        lines = []
        for lane in np.flatnonzero(talk.asked & ~talk.live).tolist():
            place = f"{lane} " if self._places else ""
            lines.append(f"{place}over {talk.shots[lane]}\n")
        return "".join(lines).encode()

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
        except LateError:
            if self._timeout == LONGEST_START:
                raise self._fault(f"it was not ready after {LONGEST_START:g} s") from None
            remark = " (the first of a batch of games)" if self._places else ""
            raise self._fault(
                f"the game took more than {self._timeout:g} s of the strategy's time; --timeout "
                f"allows more{remark}"
            ) from None
        except TalkError as error:
            raise self._fault(f"it {error}") from None
        self._waiting = False
        self._used[self._lane] += time.monotonic() - begun
        if self._heard:
            self._pass_on()
        if line.startswith(b"error") and line[5:6] in (b"", b" "):
            text = _shown(line[5:])
            raise self._fault(f"it reports an error{f': {text}' if text else ''}")
        return line

    def _fault(self, problem: str, line: bytes = b"") -> Fault:
        """Return a fault with what the bot wrote; the bot is ended."""
        self.kill()
        self._process.listen()
        self._pass_on()
        said = [f"it wrote {quoted(line)}"] if line else []
        if notes := _shown(" | ".join(self._process.notes.split("\n")[-3:]).encode()):
            said.append(f"the end of its stderr: {notes}")
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


def _shown(text: bytes) -> str:
    """Return a text of a bot as a message quotes it."""
    shown = for_terminal(text.decode(errors="replace").strip())
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

    Attributes
    ----------
    announced : Announced
    memory : int or None
        Bytes of address space of a process at most.

    Raises
    ------
    BsbenchError
        If it can't be started, or is no bot.
    """

    memory: int | None = None

    def __init__(self, command: Command) -> None:
        super().__init__()
        self._command = command
        self._refusals: dict[Rules, str] = {}
        self.start(1)
        try:
            self.announced = self._idle[0].announced()
        except Fault as fault:
            self.close()
            line = f"\n  {fault.line}" if fault.line else ""
            raise BsbenchError(f"can't play with {command.spec}: {fault}{line}") from None

    def _new(self, hash_seed: int = 0) -> Bot:
        return Bot(self._command, hash_seed, self.memory)

    def refusal(self, rules: Rules) -> str:
        """Return why the bot can't play by some rules; empty if it can, or fails."""
        if rules not in self._refusals:
            bot = self.take()
            try:
                self._refusals[rules] = bot.refusal(rules)
            except Fault:
                # It will fail in a game, too, where that is reported.
                self._refusals[rules] = ""
            finally:
                self.give(bot)
        return self._refusals[rules]


class Player(StandIn):
    """A bot in the place of a built-in strategy."""

    thinkers: ClassVar[Bots]
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

    def fits(self, rules: Rules) -> bool:
        """Return whether the bot accepts the rules."""
        why = self.thinkers.refusal(rules)
        if why:
            self.limits = why  # type: ignore[misc]
        return not why


def strategy_of(spec: str) -> type[Strategy]:
    """Return the bot that a command runs as a strategy.

    Parameters
    ----------
    spec : str
        ``cmd:./mybot --level 3``: the program and its arguments, split as a shell does. No shell
        is run.

    Raises
    ------
    BsbenchError
        If it can't be started, or is no bot.
    """
    command = Command.read(spec)
    files = command.files
    states = tuple((each.stat().st_mtime_ns, each.stat().st_size) for each in files)
    key = command, os.getcwd(), states
    if key not in _found:
        bots = Bots(command)
        bots.leave_idle()
        announced = bots.announced
        words = shlex.join(command.arguments[1:])
        text = parameter("", "what follows the program in the command")
        text.name = "arguments"
        program = command.arguments[0]
        facts = {
            "__doc__": f"The bot that the command {program} runs.",
            "name": announced.name or _as_name(command.name) or "bot",
            "source": spec,
            "needs": announced.needs,
            "home": None,
            "most_lanes": announced.games,
            "fields": {"arguments": text} if words else {},
            "words": words,
            "chooser": type("InLines", (_InLines,), {"in_batches": announced.games > 1}),
            "thinkers": bots,
            "_origin": Origin(spec, spec, files=files),
        }
        _found[key] = type("Player", (Player,), facts)
    return _found[key]


class _InLines(Manner):
    chance = "the number after game, which a bot gets that announces random"
    begins = "when it reads game"


_found: dict[Any, type[Strategy]] = {}
