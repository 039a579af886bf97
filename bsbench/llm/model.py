"""A language model in the place of a strategy: ``llm:MODEL@URL``; a strategy that advises it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.common.files import file_name
from bsbench.common.parallel import in_order
from bsbench.common.settings import check_choice
from bsbench.common.texts import shortened
from bsbench.kernels.random import fill_uniform
from bsbench.llm.conversation import Conversation, Messages, Reply
from bsbench.llm.endpoint import Endpoint
from bsbench.llm.transcript import Transcript
from bsbench.own.adapter import Origin
from bsbench.own.batch import Notebook
from bsbench.own.choosing import alias
from bsbench.own.observation import Observing
from bsbench.own.thinker import NO_LIMITS, Limits
from bsbench.rules.board import Rules
from bsbench.rules.drawing import cell_name
from bsbench.stats import AnswerBook, Answers
from bsbench.strategies import built_in_strategy, strategy_names
from bsbench.strategies.base import Cells, FixedOrder, Planner, Strategy, parameter
from bsbench.strategies.view import View

_LANE = np.zeros(1, np.int64)

_Kind = TypeVar("_Kind", bound=Strategy)


class Adviser:
    """A strategy that looks on in one game, and says what it would do.

    Parameters
    ----------
    strategy : Strategy
        Left as it is.
    rules : Rules
    seed, game : int
        Of its random numbers.
    """

    def __init__(self, strategy: Strategy, rules: Rules, seed: int, game: int) -> None:
        self._rules, self._seed, self._game = rules, seed, game
        self._name = strategy.name
        # The shots so far, as a view shows the last one.
        self._shots: list[tuple[int, int, int, int]] = []
        self._strategy = self._begun(strategy)
        self._view = self._fresh_view()

    def _begun(self, strategy: _Kind) -> _Kind:
        strategy = strategy.copy()
        strategy.begin(self._rules, 1, self._seed)
        strategy.deal(_LANE, np.array([self._game]))
        return strategy

    def _fresh_view(self) -> View:
        view = View(self._rules, 1)
        view.begin(_LANE)
        return view

    def note(self, cell: int, outcome: int, ship: int, slot: int) -> None:
        """Take note of a shot and what it did, as `View` has it."""
        self._shots.append((cell, outcome, ship, slot))
        _show(self._view, self._shots[-1])

    def advise(self) -> str:
        """Return where the strategy would shoot, and its number for each open cell, if it has any.

        Call it once for each shot.
        """
        strategy, view = self._strategy, self._view
        if isinstance(strategy, Planner):
            # Asked to shoot, it keeps cells in its plan that may not be shot: another one follows.
            strategy, view = self._begun(strategy), self._fresh_view()
            for shot in self._shots:
                strategy.follow(view)
                _show(view, shot)
        cell = int(strategy.shoot(view)[0])
        said = f"The strategy {self._name} would shoot at {self._cell(cell)}."
        shot_at = {cell for cell, *_ in self._shots}
        cells = [each for each in range(self._rules.cells) if each not in shot_at]
        insight = strategy.insight(0)
        numbers, form, what = insight.scores, "{:g}", "Scores of cells"
        if (
            strategy.gives_chances
            and not np.isnan((own := strategy.chances(_LANE)[0])[cells]).any()
        ):
            numbers, form, what = 100 * own, "{:.1f} %", "Probabilities of a ship"
        elif numbers is None or insight.waiting:
            return said
        written = {each: float(numbers[each]) for each in cells if numbers[each] >= 0}
        # The cell that it chose stands before others that are as good.
        order = sorted(written, key=lambda each: (-written[each], each != cell, each))
        listed = ", ".join(f"{self._cell(each)} {form.format(written[each])}" for each in order)
        return f"{said} {what}, the highest first: {listed}."

    def _cell(self, cell: int) -> str:
        return cell_name(cell, self._rules.cols)


def _show(view: View, shot: tuple[int, int, int, int]) -> None:
    """Write down what a shot did, as the referee does."""
    view.cell[0], view.outcome[0], view.ship[0], view.slot[0] = shot
    view.shots[0] += 1


_HOW = "write llm:MODEL@URL, such as llm:qwen3@http://localhost:11434/v1"

_NONE = "none"


@dataclass
class Model(Strategy):
    """A language model: it is shown the board as text, and answers with a cell.

    A move for which it gives no valid answer is a random cell. `bsbench.stats.Answers` counts these
    moves, so that they don't pass for play.
    """

    # What games depend on.
    advice: str = parameter(_NONE, "a built-in strategy whose scores the model sees, or none")
    retries: int = parameter(2, "new attempts after an answer that is not valid", least=0, most=20)
    temperature: float = parameter(
        0.0, "0: always the likeliest answer; -1: the server's default", least=-1, most=5
    )
    max_tokens: int = parameter(
        1000, "most tokens of an answer; 0: the server's default", least=0, most=10**6
    )
    # What they don't depend on.
    concurrency: int = parameter(4, "games at once", least=1, most=256, recorded=False)
    transcript: str = parameter(
        "", "file of all exchanges; empty: transcripts/MODEL.jsonl", recorded=False
    )
    timeout: float = parameter(
        120.0, "longest wait for an answer, in seconds", least=0.01, most=3600, recorded=False
    )
    budget: int = parameter(0, "most tokens, in and out; 0: no limit", least=0, recorded=False)

    model: ClassVar[str]
    url: ClassVar[str]
    asks_elsewhere = True
    takes_long = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        check_choice("strategy for advice", self.advice, [_NONE, *strategy_names()])
        self._adviser = None if self.advice == _NONE else built_in_strategy(self.advice)()
        if isinstance(self._adviser, FixedOrder):
            raise BsbenchError(
                f"the strategy {self.advice!r} ignores the outcomes of shots, and gives no advice: "
                "choose another one"
            )
        if self._adviser is not None:
            self.needs = self._adviser.needs  # type: ignore[misc]
        self.most_lanes = self.concurrency
        self.answer_book: AnswerBook = AnswerBook()
        # Opened when games begin; copies share it.
        self._opened: list[Transcript] = []

    def fits(self, rules: Rules) -> bool:
        """Return whether the adviser plays under these rules."""
        return self._adviser is None or self._adviser.fits(rules)

    def copy(self) -> Self:
        """Return a player with the same parameters, server, transcript, budget and notes."""
        other = type(self)(**{name: getattr(self, name) for name in self.declared()})
        other.answer_book, other._opened = self.answer_book, self._opened
        return other

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for games, and read the transcript."""
        super().begin(rules, lanes, seed)
        self._seed = seed
        self._games = np.zeros(lanes, np.int64)
        self._notebook = Notebook(rules, lanes)
        self._observing = Observing(rules)
        self._conversation = Conversation(rules, self.retries)
        self._advisers: list[Adviser | None] = [None] * lanes
        if not self._opened:
            path = self.transcript or f"transcripts/{file_name(self.model)}.jsonl"
            endpoint = Endpoint(self.url, self.timeout, self.budget)
            self._opened.append(Transcript(Path(path), endpoint.ask))

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Begin games."""
        self._notebook.begin(lanes)
        self._games[lanes] = games
        for lane, game in zip(lanes.tolist(), games.tolist(), strict=True):
            self.answer_book.begin(game)
            if self._adviser is not None:
                self._advisers[lane] = Adviser(self._adviser, self.rules, self._seed, game)

    def shoot(self, view: View) -> Cells:
        """Ask for the next cell of every live lane, at the same time."""
        self._notebook.note(view)
        live = np.flatnonzero(view.live).tolist()
        advice = {lane: self._advice(lane, view) for lane in live}
        fallbacks = np.zeros((self.lanes, self.rules.cells))
        fill_uniform(self.stream_key, view.live, self._games, view.shots, 0, fallbacks)
        cells = np.zeros(self.lanes, np.int64)

        def choose(lane: int, *_: object) -> Iterator[tuple[int, int, int]]:
            yield live.index(lane), 1, self._choose(lane, advice[lane], fallbacks[lane])

        with closing(in_order([partial(choose, lane) for lane in live])) as chosen:
            cells[live] = list(chosen)
        return cells

    def _choose(self, lane: int, advice: str, fallback: npt.NDArray[np.float64]) -> int:
        game = int(self._games[lane])
        observation = self._observing.show(self._notebook.known.of(lane))
        # At temperature 0, games with the same board share answers; else each draws its own.
        sample = None if self.temperature == 0 else alias(self.name, self._seed, game)

        def complete(messages: Messages) -> Reply:
            return self._opened[0].answer(self._request(messages), sample)

        cell, answers = self._conversation.choose(observation, complete, advice)
        if cell is None:
            cell = int(np.argmax(np.where(self._notebook.is_open(lane), fallback, -1.0)))
            answers += Answers(fallbacks=1)
        self.answer_book.note(game, **vars(answers))
        return cell

    def _request(self, messages: Messages) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self.model, "messages": messages}
        if self.temperature >= 0:
            request["temperature"] = self.temperature
        if self.max_tokens:
            request["max_tokens"] = self.max_tokens
        return request

    def _advice(self, lane: int, view: View) -> str:
        adviser = self._advisers[lane]
        if adviser is None:
            return ""
        if view.shots[lane]:
            shot = (view.cell[lane], view.outcome[lane], view.ship[lane], view.slot[lane])
            adviser.note(*map(int, shot))
        return adviser.advise()


def strategy_of(spec: str, limits: Limits = NO_LIMITS) -> type[Strategy]:
    """Return the model named ``llm:MODEL@URL`` as a strategy; nobody is asked yet.

    Raises
    ------
    BsbenchError
        If it is written otherwise, or the address holds a password or a key.
    """
    match = re.fullmatch(r"llm:\s*(.+?)\s*@(https?://(.+?))/*", spec)
    if match is None:
        raise BsbenchError(f"{shortened(spec)} names no language model: {_HOW}")
    model, url, place = match.groups()
    address = re.fullmatch(r"(\[[\w:.]+\]|[\w.-]+)(:(\d{1,5}))?(/[\w./~%+-]*)?", place, re.ASCII)
    if address is None or int(address[3] or 0) >= 1 << 16:
        raise BsbenchError(
            f"the address of the language model {shortened(model)} is not a host and a path; keys "
            f"and passwords go into the environment variable BSBENCH_LLM_KEY: {_HOW}"
        )
    found = f"llm:{model}@{url}"
    facts = {
        "__doc__": f"The language model {model}.",
        "name": f"llm:{model}",
        "source": found,
        "model": model,
        "url": url,
        "_origin": Origin(found, found, files=()),
    }
    return type("Model", (Model,), facts)
