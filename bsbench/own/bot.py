"""Bots: programs in any language that play Battleship, in the place of strategies.

What is said is in docs/protocol.md; `bsbench.own.program` starts a bot and keeps it within its
limits, `bsbench.own.exchange` writes and reads the lines of a batch of games.
"""

from __future__ import annotations

import dataclasses
import math
import re
import time
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.parameters import parameter
from bsbench.common.settings import value_text
from bsbench.own.adapter import Origin, StandIn
from bsbench.own.choosing import Cells, Flags, Manner, Scores, Terms
from bsbench.own.contract import GAME
from bsbench.own.exchange import (
    NO_CELL,
    OFF_BOARD,
    REPEATED,
    OneGame,
    TurnGame,
    new_talk,
    read_cells,
    read_turn,
    write_lines,
)
from bsbench.own.lines import TalkError, quoted, unasked
from bsbench.own.program import (
    FREE_WORD,
    Announced,
    Program,
    Programs,
    between_games,
    programs_of,
    shown,
)
from bsbench.own.proxy import check_free
from bsbench.own.thinker import NO_LIMITS, Limits
from bsbench.rules.board import NOTHING, Feedback, Rules
from bsbench.rules.drawing import cell_name, illegal_turn
from bsbench.strategies import Insight, Strategy, strategy_names
from bsbench.strategies.view import View

_MOST_THOUGHTS = 100
"""Lines that answer ``info``."""

_PATIENCE = 10.0
"""Seconds that a bot with a wrong answer has to answer the rules."""

_MOST_CHOICES = 10
"""Cells of ``choices`` that are shown."""

_CELL = re.compile(rb"[0-9]{1,9}")

_NUMBERS = re.compile(rb"[-0-9.e ]*")
"""Of ``chances``: neither nan nor inf, nor 1_0, which Python would read."""


class Thought(NamedTuple):
    """What a bot thinks of a shot.

    Attributes
    ----------
    chances : ndarray of float64, shape (cells,), or None
        How likely each cell holds a ship, -1 where the bot does not say.
    remark : str
        What it says, and which cells it has considered.
    """

    chances: Scores | None = None
    remark: str = ""


class Bot(Program):
    """A program that plays Battleship."""

    game = "battleship"
    announcements: ClassVar = {"needs": tuple(map(str, Feedback))}
    has_options = True

    # The rules that it has answered with ready, and what it sees in a batch of games.
    _agreed = ""
    # Games that are over, of which it has heard without a question.
    _over = b""
    _view: View | None = None

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        # What it was told of its options and limits, by name, as lines.
        self._told: dict[str, str] = {}
        # What it thinks of the last shot, by lane, as far as it was asked.
        self._thoughts: dict[int, Thought] = {}
        # The games of all lanes, where no kernels write and read the lines.
        self._games: list[OneGame] = []

    def refusal(self, rules: Rules, games: int, news: str = "") -> str:
        """Send the bot the rules, unless it knows them, and how many games are played at once.

        Return why the bot can't play by some rules; empty if it can, and is ready.

        Parameters
        ----------
        rules : Rules
        games : int
        news : str
            Lines that are new to it, and come first.

        Raises
        ------
        Fault
            As `announced`.
        """
        self.announced()
        self._set_out()
        text = rules_line(rules, games)
        over = self._farewell()
        self._over = b""
        if text == self._agreed and not news:
            if over:
                self._tell(over)
                self._over = over
            return ""
        self._agreed = ""
        why = self._refusal((news + text).encode(), over)
        self._agreed = "" if why else text
        return why

    def begin(self, terms: Terms) -> None:
        """Begin to play; games before are forgotten."""
        announced = self.announced()
        news = self._news(announced, terms)
        if why := self.refusal(terms.rules, terms.lanes, "".join(news.values())):
            raise BsbenchError(f"strategy {terms.name!r} refuses these rules: {why}")
        self._told |= news
        super().begin(terms)
        self._thoughts.clear()
        self._move, self._first = _limits_of(terms.parameters)
        self._rules, self._lanes = terms.rules, terms.lanes
        self._random = announced.random
        self._view = None
        self._places = announced.games > 1
        self._games = []
        if terms.rules.salvos:
            places = [b"%d " % lane if self._places else b"" for lane in range(terms.lanes)]
            self._games = [TurnGame(terms.rules, *each) for each in enumerate(places)]
        elif not self._places:
            self._games = [OneGame(terms.rules)]
        else:
            self._talk = new_talk(terms.rules, terms.lanes)
            self._room = self._talk.room.data
        self._cells = GAME.moves(terms.rules, terms.lanes)

    def _news(self, announced: Announced, terms: Terms) -> dict[str, str]:
        """Return the lines about options and limits that are new to the bot, by name."""
        lines = {}
        for name, option in announced.options.items():
            value = terms.parameters[name]
            if name in self._told or value != option.default:
                lines[name] = f"set {name} {value_text(value)}\n"
        if "limits" in announced.can:
            move, first = _limits_of(terms.parameters)
            limits = {
                "start": self._limits.longest_start,
                "game": terms.timeout,
                "move": move,
                "first": first,
                "memory": self._limits.memory or math.inf,
                "games": terms.games or math.inf,
            }
            words = [f"{name} {most:.12g}" for name, most in limits.items() if most < math.inf]
            # No option has such a name.
            lines[""] = " ".join(["limits", *words]) + "\n"
        return {name: line for name, line in lines.items() if self._told.get(name) != line}

    def deal(self, lanes: Cells, games: Cells, follows: Flags | None = None) -> None:
        """Begin games in some lanes: see `bsbench.own.choosing.Chooser.deal`."""
        for lane in lanes.tolist():
            self._used[lane] = 0.0
        if self._games:
            for nth, lane in enumerate(lanes.tolist()):
                game = self._games[lane]
                game.begins = True
                game.forgets = follows is not None and not follows[nth]
                if self._random:
                    game.number = int(games[nth])
            return
        self._talk.begins[lanes] = True
        if follows is not None:
            self._talk.forgets[lanes] = ~follows
        if self._random:
            self._talk.number[lanes] = games

    def shoot(self, view: View) -> Cells:
        """Return the next move for every live lane; other entries are not read."""
        if not self._games:
            return self._shoot_in_many(view)
        self._view = view
        if self._thoughts:
            self._thoughts.clear()
        for game in self._games:
            self._lane = game.lane
            begins = game.begins
            self._most = self._first if begins else self._move
            if begins:
                self._check_silent()
            question = game.lines(view)
            if not view.live.item(game.lane):
                self._tell(question)
            elif isinstance(game, TurnGame):
                self._read_turn(game, view, question, begins)
            else:
                line = self._shots(question, begins)
                if wrong := game.read(line, self._cells):
                    raise self._no_shot(line, 0, wrong)
        return self._cells

    def _shots(self, question: bytes | memoryview, begins: bool) -> bytes:
        """Return the answer to a question for shots; ``begins`` says whether games may begin."""
        line = self._answer(question)
        if begins:
            self._opening = self._over, question, line
            self._over = b""
            try:
                self._process.check_silent()
            except TalkError:
                # In what was read at once, the answer may come second.
                if fault := self._after_over(sure=True):
                    raise fault from None
        return line

    def _check_silent(self) -> None:
        """Refuse what the bot has written since its last answer in the game before."""
        try:
            self._process.check_silent(look=True)
        except TalkError as error:
            raise self._between_games(str(error)) from None

    def _after_over(self, sure: bool = False) -> Fault | None:
        """Return the fault of a bot that wrote a line when a game was over, taken for its answer.

        Unless that is sure, the rules, sent again, decide: such a bot has a line more to write
        before it answers them.
        """
        over, question, line = self._opening
        ended = re.search(rb"^(?:([0-9]+) )?over ", over + bytes(question), re.MULTILINE)
        until = time.monotonic() + min(self._timeout, _PATIENCE)
        if ended is None or not (
            sure or self._process.lines_before(b"ready", self._agreed.encode(), until)
        ):
            return None
        if not over:
            self._lane = int(ended[1] or 0)
        return self._between_games(unasked(line))

    def _between_games(self, what: str) -> Fault:
        """Return the fault of a bot that did something when it should wait for a game."""
        fault = self._fault(between_games(what))
        fault.between = True
        return fault

    def _read_turn(self, game: TurnGame, view: View, question: bytes, begins: bool) -> None:
        """Ask for a turn, and note its cells."""
        lane, rules = game.lane, self._rules
        if self._places:
            self._used[lane] = 0.0
        line, allowed = self._shots(question, begins), game.allowed(view)
        cells = read_turn(line)
        if cells is None:
            late = self._after_over() if line is self._opening[-1] else None
            raise late or self._fault(
                f"it answered {quoted(line)}: it must answer 1 to {allowed} cells, 0 to "
                f"{rules.cells - 1}, with spaces between them"
            )
        fault = illegal_turn(rules, lane, cells, allowed, game.is_open)
        if fault is not None:
            raise self._after_over() or self._fault(fault.problem, line)
        self._cells[lane] = NOTHING
        self._cells[lane, : len(cells)] = cells

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
        self._thoughts.clear()
        self._most = self._move
        if self._first != self._move and (talk.begins & view.live).any():
            self._most = self._first
        size = write_lines(self._rules.cols, *talk)
        if size <= 0:
            # No game is live.
            self._tell(self._room[:-size])
            return self._cells
        # The time is that of a shot in all games, not of a game.
        self._lane = int(view.live.argmax())
        self._used[self._lane] = 0.0
        line = self._shots(self._room[:size], begins=True)
        # Where repeated shots count, none is closed.
        closed = np.zeros_like(talk.fired) if self._rules.repeats else talk.fired
        wrong = read_cells(np.frombuffer(line, np.uint8), talk.live, closed, self._cells)
        if wrong:
            raise self._no_shot(line, *divmod(wrong, 5))
        return self._cells

    def scores(self, lane: int) -> Scores | None:
        """Return the chances of all cells as the bot sees them, if it says so; as `Talker` does."""
        return self._thought(lane).chances

    def remark(self, lane: int) -> str:
        """Return what the bot says of its last shot in a lane."""
        return self._thought(lane).remark

    def _thought(self, lane: int) -> Thought:
        """Return what the bot thinks of its last shot in a lane; it is asked once."""
        if "info" not in self.announced().can:
            return Thought()
        if lane not in self._thoughts:
            self._lane, self._most = lane, self._move
            if self._places:
                self._used[lane] = 0.0
            said: dict[bytes, bytes] = {}
            line = self._answer(b"info %d\n" % lane if self._places else b"info\n")
            for _ in range(_MOST_THOUGHTS):
                if line == b"ready":
                    break
                word, _, rest = line.partition(b" ")
                if word in said:
                    raise self._fault(f"it answered info with {word.decode()} twice", line)
                if word in (b"chances", b"choices", b"text"):
                    said[word] = rest
                line = self._answer()
            else:
                raise self._fault(
                    f"it answered info with {_MOST_THOUGHTS} lines, and none of them is ready"
                )
            self._thoughts[lane] = self._understood(lane, said)
        return self._thoughts[lane]

    def _understood(self, lane: int, said: dict[bytes, bytes]) -> Thought:
        """Return what the bot thinks, given what follows each word."""
        rules, chances, remark = self._rules, None, []
        if b"text" in said:
            remark.append(shown(said[b"text"].decode(errors="replace")))
        if b"choices" in said:
            words = said[b"choices"].split()
            if not all(_CELL.fullmatch(word) and int(word) < rules.cells for word in words):
                raise self._fault(
                    f"it answered info with choices that are no cells, 0 to {rules.cells - 1}",
                    b"choices " + said[b"choices"],
                )
            cells = [cell_name(int(word), rules.cols) for word in words[:_MOST_CHOICES]]
            remark.append(f"considers {', '.join(cells)}")
        if b"chances" in said:
            chances = _read_chances(said[b"chances"], rules.cells)
            if chances is None:
                raise self._fault(
                    f"it answered info with chances that are not {rules.cells} numbers from 0 to "
                    "1, or - where it has none",
                    b"chances " + said[b"chances"],
                )
            fired = self._games[lane].fired if self._games else self._talk.fired[lane]
            chances[np.frombuffer(fired, np.bool_)] = -1.0
        return Thought(chances, "; ".join(remark))

    def _no_shot(self, line: bytes, lane: int, wrong: int) -> Fault:
        """Return what is wrong with an answer."""
        # A number that was taken for a shot shows later.
        first = line is self._opening[-1]
        if (first or wrong in (REPEATED, OFF_BOARD)) and (fault := self._after_over()):
            return fault
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
        if self._games:
            return np.array([self._lane])
        return np.flatnonzero([] if self._view is None else self._view.live)

    def _farewell(self) -> bytes:
        """Return the lines that say which games are over."""
        view, self._view = self._view, None
        if view is None:
            return b""
        if self._games:
            over = [game for game in self._games if not view.live[game.lane]]
            return b"".join(game.lines(view) for game in over)
        talk = self._talk
        asked, nobody = talk.asked & ~talk.live, np.zeros_like(talk.live)
        size = write_lines(
            self._rules.cols, *talk._replace(asked=asked, live=nobody, begins=nobody)
        )
        return bytes(self._room[:-size])


def rules_line(rules: Rules, games: int) -> str:
    """Return the line that says which rules are played, in how many games at once."""
    fleet = " ".join(map(str, rules.fleet))
    salvo = f" salvo {rules.shots} {rules.answers}" if rules.salvos else ""
    touching = rules.apart.wire
    return f"rules {rules.rows} {rules.cols} {touching} {rules.feedback} {games} {fleet}{salvo}\n"


def _read_chances(text: bytes, cells: int) -> Scores | None:
    """Return a number for each cell, -1 where there is none; None if the text is wrong."""
    words = text.split()
    if len(words) != cells or not _NUMBERS.fullmatch(text):
        return None
    try:
        chances = np.array([-1.0 if word == b"-" else float(word) for word in words])
    except ValueError:
        return None
    given = np.array([word != b"-" for word in words])
    right = (chances[given] >= 0) & (chances[given] <= 1)
    return chances if right.all() else None


def _limits_of(parameters: Mapping[str, Any]) -> tuple[float, float]:
    """Return the seconds that a shot may take, and the first one of a game."""
    move = parameters.get("move_timeout") or math.inf
    return move, parameters.get("first_timeout") or move


def _as_name(text: str) -> str:
    """Return how a strategy is called whose author calls it something: Hunter 1.2 is hunter-1-2."""
    name = "-".join(re.findall(r"[a-z0-9]+", text.lower()))[:40].strip("-")
    return f"bot-{name}" if name in strategy_names() else name


class Bots(Programs[Bot]):
    """The processes of one bot."""

    kind = Bot

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._refusals: dict[Rules, str] = {}

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


class BotStrategy(StandIn):
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
        for name in self.talkers.announced.options:
            if not FREE_WORD.fullmatch(value_text(getattr(self, name))):
                raise BsbenchError(
                    f"the option {name!r} of {self.name!r} takes one word, without commas and "
                    f"quotes, not {getattr(self, name)!r}"
                )

    @classmethod
    def configured(cls, settings: Mapping[str, Any]) -> Self:
        """Return a bot with some of its options set; see `Configurable.configured`."""
        try:
            return super().configured(settings)
        except BsbenchError as error:
            if set(settings) <= set(cls.declared()):
                raise
            raise BsbenchError(
                f"{error}; what follows a command after a comma, as in ,level=3, is a setting: if "
                "it belongs to the command, put quotes around that word"
            ) from None

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters by name; those that every bot has, where they are set."""
        own = super().parameters
        return {name: own[name] for name in own if name not in _OF_ALL or own[name]}

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Take a process of the bot, and make room for games."""
        if lanes > self.most_lanes:
            raise BsbenchError(
                f"the bot {self.name!r} plays {self.most_lanes} games at once at most, not {lanes}"
            )
        super().begin(rules, lanes, seed)

    def insight(self, lane: int) -> Insight:
        """Return the chances that the bot sees, and what it says of its shot."""
        bot: Any = self._chosen_by
        return dataclasses.replace(super().insight(lane), remark=bot.remark(lane))

    def _aliases(self, games: Cells) -> Cells:
        # To compute them takes a tenth of all time.
        return super()._aliases(games) if self.talkers.announced.random else games

    def fits(self, rules: Rules) -> bool:
        """Return whether the bot accepts the rules; it hears of salvos only if it knows them."""
        if rules.salvos and not self.plays_salvos:
            return False
        why = self.talkers.refusal(rules)
        if why:
            self.limits = why  # type: ignore[misc]
        return not why


def strategy_of(spec: str, limits: Limits = NO_LIMITS) -> type[Strategy]:
    """Return the bot that a command runs as a strategy.

    Parameters
    ----------
    spec, limits
        See `programs_of`.

    Raises
    ------
    BsbenchError
        If it can't be started, or is no bot.
    """
    bots = programs_of(Bots, spec, limits)
    if bots not in _found:
        command, announced = bots.command, bots.announced
        words = parameter("", "what follows the program in the command")
        words.name = "arguments"
        fields = {**announced.options, **({"arguments": words} if command.words else {}), **_OF_ALL}
        check_free(announced.options, BotStrategy, ("arguments", "source", *_OF_ALL), spec)
        facts = {
            "__doc__": "A program that plays by the protocol of bots.",
            "name": _as_name(announced.name) or _as_name(command.name) or "bot",
            "source": spec,
            "needs": Feedback.parse(announced.more.get("needs", "hit")),
            "home": None,
            "most_lanes": announced.games,
            "fields": fields,
            "probabilities": "info" in announced.can,
            "remarks": "info" in announced.can,
            "_salvos": "salvo" in announced.can,
            "words": command.words,
            "chooser": type("InLines", (_InLines,), {"in_batches": announced.games > 1}),
            "talkers": bots,
            "_origin": Origin(spec, spec, files=command.files),
        }
        _found[bots] = type("Player", (BotStrategy,), facts)
    return _found[bots]


class _InLines(Manner):
    chance = (
        "the number after game, which a bot gets that announces random; and what it knows of games "
        "before it must forget when it reads game"
    )
    begins = "when it reads game"


_OF_ALL = {
    "restart": parameter(0, "how often it may fail: docs/protocol.md", least=0, most=1_000_000),
    "move_timeout": parameter(0.0, "seconds that a shot may take; 0: as a game", least=0),
    "first_timeout": parameter(0.0, "seconds for the first one; 0: as others", least=0),
}
"""Parameters of every bot."""

_found: dict[Bots, type[Strategy]] = {}
