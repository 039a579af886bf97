"""Bots: programs in any language that play Battleship, in the place of strategies.

What is said is in docs/protocol.md; `bsbench.own.program` starts a bot and keeps it within its
limits, `bsbench.own.exchange` writes and reads the lines of a batch of games.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

import numpy as np

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.parameters import parameter
from bsbench.own.adapter import Origin, StandIn
from bsbench.own.choosing import Cells, Manner, Terms
from bsbench.own.command import Moved
from bsbench.own.exchange import (
    NO_CELL,
    OFF_BOARD,
    REPEATED,
    OneGame,
    new_talk,
    read_cells,
    write_lines,
)
from bsbench.own.lines import quoted
from bsbench.own.program import Program, Programs, programs_of, shown
from bsbench.own.thinker import NO_LIMITS, Limits
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.drawing import cell_name
from bsbench.strategies import Strategy, strategy_names
from bsbench.strategies.view import View


class Bot(Program):
    """A program that plays Battleship."""

    game = "battleship"
    announcements: ClassVar = {"needs": tuple(map(str, Feedback))}

    # The rules that it has answered with ready, and what it sees in a batch of games.
    _agreed = ""
    _view: View | None = None

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
            return shown(rest.decode(errors="replace")) or "it does not say why"
        if line != b"ready":
            raise self._fault(f"it answered {quoted(line)} to the rules: it must write ready")
        self._agreed = text
        return ""

    def begin(self, terms: Terms) -> None:
        """Begin to play; games before are forgotten."""
        announced = self.announced()
        if why := self.refusal(terms.rules, terms.lanes):
            raise BsbenchError(f"strategy {terms.name!r} refuses these rules: {why}")
        super().begin(terms)
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
    spec, limits, moved
        See `programs_of`.

    Raises
    ------
    BsbenchError
        If it can't be started, or is no bot.
    """
    bots = programs_of(Bots, spec, limits, moved)
    if bots not in _found:
        command, announced = bots.command, bots.announced
        words = parameter("", "what follows the program in the command")
        words.name = "arguments"
        facts = {
            "__doc__": "A program that plays by the protocol of bots.",
            "name": _as_name(announced.name) or _as_name(command.name) or "bot",
            "source": spec,
            "needs": Feedback.parse(announced.more.get("needs", "hit")),
            "home": None,
            "most_lanes": announced.games,
            "fields": {"arguments": words} if command.words else {},
            "words": command.words,
            "chooser": type("InLines", (_InLines,), {"in_batches": announced.games > 1}),
            "talkers": bots,
            "_origin": Origin(spec, spec, files=command.files),
        }
        _found[bots] = type("Player", (Player,), facts)
    return _found[bots]


class _InLines(Manner):
    chance = (
        "the number after game, which a bot gets that announces random; and what it knows of games "
        "before it must forget when it reads game"
    )
    begins = "when it reads game"


_found: dict[Bots, type[Strategy]] = {}
