"""A language model in the place of a strategy: ``llm:MODEL@URL``."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, StoppedError
from bsbench.common.files import file_name
from bsbench.common.settings import check_choice
from bsbench.common.texts import shortened
from bsbench.kernels.random import fill_uniform
from bsbench.llm.advice import Adviser
from bsbench.llm.conversation import Conversation, Messages, Reply
from bsbench.llm.endpoint import Budget, Endpoint
from bsbench.llm.text import STYLES
from bsbench.llm.transcript import Transcript
from bsbench.own.adapter import Origin
from bsbench.own.choosing import alias
from bsbench.own.notebook import Notebook
from bsbench.own.observation import Observing
from bsbench.own.thinker import NO_LIMITS, Limits
from bsbench.rules.board import Rules
from bsbench.stats import AnswerBook
from bsbench.strategies import built_in_strategy, strategy_names
from bsbench.strategies.base import Cells, FixedOrder, Insight, Strategy, parameter
from bsbench.strategies.view import View

SCHEME = "llm"

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
    style: str = parameter("grid", "how boards and cells are written", choices=STYLES)
    retries: int = parameter(2, "new attempts after an answer that is not valid", least=0, most=20)
    temperature: float = parameter(
        0.0, "0: always the likeliest answer; -1: the server's default", least=-1, most=5
    )
    max_tokens: int = parameter(
        1000, "most tokens of an answer; 0: the server's default", least=0, most=10**6
    )
    sampling_seed: int = parameter(
        -1, "seed that each request carries, for servers that use one; -1: none", least=-1
    )
    # What they don't depend on.
    limit_name: str = parameter(
        "max_tokens",
        "the server's name for the limit max_tokens",
        choices=("max_tokens", "max_completion_tokens"),
        recorded=False,
    )
    concurrency: int = parameter(4, "games at once", least=1, most=256, recorded=False)
    transcript: str = parameter(
        "", "file of all exchanges; empty: transcripts/MODEL.jsonl", recorded=False
    )
    offline: bool = parameter(
        False, "take answers from the transcript only; never ask the server", recorded=False
    )
    key: str = parameter(
        "", "environment variable that holds the key; empty: BSBENCH_LLM_KEY", recorded=False
    )
    timeout: float = parameter(
        120.0, "longest wait for an answer, in seconds", least=0.01, most=3600, recorded=False
    )
    tries: int = parameter(
        5,
        "attempts in all if the server fails, with growing pauses",
        least=1,
        most=20,
        recorded=False,
    )
    budget: int = parameter(0, "most tokens, in and out; 0: no limit", least=0, recorded=False)
    budget_cost: float = parameter(
        0.0, "highest cost, by the prices; 0: no limit", least=0, recorded=False
    )
    price_in: float = parameter(0.0, "price of a million tokens in", least=0, recorded=False)
    price_out: float = parameter(0.0, "price of a million tokens out", least=0, recorded=False)

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
        if self.budget_cost and not (self.price_in or self.price_out):
            raise BsbenchError(
                "a budget in money needs prices: add price_in=… and price_out=…, each of a million "
                "tokens"
            )
        self.most_lanes = self.concurrency
        self.answer_book: AnswerBook = AnswerBook()
        self._source = _Source(self)

    def fits(self, rules: Rules) -> bool:
        """Return whether the adviser plays under these rules."""
        return self._adviser is None or self._adviser.fits(rules)

    def copy(self) -> Self:
        """Return a player with the same parameters, server, transcript, budget and notes."""
        other = type(self)(**{name: getattr(self, name) for name in self.declared()})
        other.answer_book, other._source = self.answer_book, self._source
        return other

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for games, and read the transcript."""
        super().begin(rules, lanes, seed)
        self._seed = seed
        self._games = np.zeros(lanes, np.int64)
        self._notebook = Notebook(rules, lanes)
        self._observing = Observing(rules)
        self._conversation = Conversation(rules, self.style, self.retries)
        self._advisers: list[Adviser | None] = [None] * lanes
        self._scores: list[npt.NDArray[np.float64] | None] = [None] * lanes
        self._source.open()

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Begin games."""
        self._notebook.begin(lanes)
        self._games[lanes] = games
        for lane, game in zip(lanes.tolist(), games.tolist(), strict=True):
            self.answer_book.begin(game)
            self._scores[lane] = None
            if self._adviser is not None:
                self._advisers[lane] = Adviser(
                    self._adviser, self.rules, self._seed, game, self.style
                )

    def shoot(self, view: View) -> Cells:
        """Ask for the next cell of every live lane, at the same time."""
        self._notebook.note(view)
        live = np.flatnonzero(view.live).tolist()
        advice = {lane: self._advice(lane, view) for lane in live}
        fallbacks = np.zeros((self.lanes, self.rules.cells))
        fill_uniform(self.stream_key, view.live, self._games, view.shots, 0, fallbacks)
        cells = np.zeros(self.lanes, np.int64)

        def choose(lane: int) -> None:
            cells[lane] = self._choose(lane, advice[lane], fallbacks[lane])

        _at_once(choose, live)
        return cells

    def _choose(self, lane: int, advice: str, fallback: npt.NDArray[np.float64]) -> int:
        game = int(self._games[lane])
        observation = self._observing.show(self._notebook.known.of(lane))
        # At temperature 0, games with the same board share answers; else each draws its own.
        sample = None if self.temperature == 0 else alias(self.name, self._seed, game)

        def complete(messages: Messages) -> Reply:
            return self._source.answer(self._request(messages, sample), sample)

        choice = self._conversation.choose(observation, complete, advice)
        own = choice.cell is not None
        self.answer_book.note(game, own=own, fallbacks=not own, **choice.numbers)
        if choice.cell is not None:
            return choice.cell
        return int(np.argmax(np.where(self._notebook.is_open(lane), fallback, -1.0)))

    def _request(self, messages: Messages, sample: int | None) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self.model, "messages": messages}
        if self.temperature >= 0:
            request["temperature"] = self.temperature
        if self.max_tokens:
            request[self.limit_name] = self.max_tokens
        if self.sampling_seed >= 0:
            request["seed"] = (self.sampling_seed + (sample or 0)) % 2**31
        return request

    def _advice(self, lane: int, view: View) -> str:
        adviser = self._advisers[lane]
        if adviser is None:
            return ""
        if view.shots[lane]:
            shot = (view.cell[lane], view.outcome[lane], view.ship[lane], view.slot[lane])
            adviser.note(*map(int, shot))
        said, self._scores[lane] = adviser.advise()
        return said

    def insight(self, lane: int) -> Insight:
        """Return the scores that the model was shown."""
        return Insight(scores=self._scores[lane])


def _at_once(work: Callable[[int], None], lanes: list[int]) -> None:
    """Do work for each lane, all at once; raise the error of the first lane that has one."""
    if len(lanes) == 1:
        work(lanes[0])
        return
    errors: dict[int, BaseException] = {}

    def do(lane: int) -> None:
        try:
            work(lane)
        except BaseException as error:
            errors[lane] = error

    # As daemons, they don't keep the process from ending while a server does not answer.
    threads = [threading.Thread(target=do, args=(lane,), daemon=True) for lane in lanes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[min(errors)]


class _Source:
    """Where answers come from: transcript, then server. Copies of a player share it."""

    def __init__(self, player: Model) -> None:
        self._player = player
        self._lock = threading.Lock()
        self._transcript: Transcript | None = None
        self._endpoint: Endpoint | None = None

    def open(self) -> None:
        """Read the transcript, once."""
        player = self._player
        with self._lock:
            if self._transcript is not None:
                return
            path = player.transcript or f"transcripts/{file_name(player.model)}.jsonl"
            transcript = Transcript(Path(path))
            if not player.offline:
                budget = Budget(
                    player.budget, player.budget_cost, player.price_in, player.price_out
                )
                self._endpoint = Endpoint(
                    player.url, player.key, player.timeout, player.tries, budget
                )
            self._transcript = transcript

    def answer(self, request: dict[str, Any], sample: int | None) -> Reply:
        """Return the answer to a request."""
        assert self._transcript is not None
        transcript, endpoint = self._transcript, self._endpoint

        def ask() -> Reply:
            if endpoint is None:
                raise StoppedError(
                    f"{transcript.path} lacks an answer, and offline=true asks nobody: leave that "
                    "out, or give the transcript of the same run"
                )
            return endpoint.ask(request)

        return transcript.answer(request, sample, ask)


def strategy_of(spec: str, limits: Limits = NO_LIMITS) -> type[Strategy]:
    """Return the model named ``llm:MODEL@URL`` as a strategy; nobody is asked yet.

    Raises
    ------
    BsbenchError
        If it is written otherwise, or the address holds a password or a key.
    """
    match = re.fullmatch(rf"{SCHEME}:(.+)@(https?)://(.+?)/*", spec)
    if match is None:
        raise BsbenchError(f"{shortened(spec)} names no language model: {_HOW}")
    model, scheme, place = (part.strip() for part in match.groups())
    if "@" in place or "?" in place or "#" in place:
        raise BsbenchError(
            f"the address of the language model {shortened(model)} holds more than a host and a "
            "path: keys and passwords go into an environment variable, BSBENCH_LLM_KEY"
        )
    address = re.fullmatch(
        r"(\[[0-9A-Fa-f:.]+\]|[\w-]{1,63}(\.[\w-]{1,63})*\.?)(:(\d{1,5}))?(/[\w./~%+-]*)?",
        place,
        re.ASCII,
    )
    if address is None or int(address[4] or 0) >= 1 << 16:
        raise BsbenchError(f"unreadable address of a language model {shortened(place)}: {_HOW}")
    url = f"{scheme}://{place}"
    found = f"{SCHEME}:{model}@{url}"
    facts = {
        "__doc__": f"The language model {model}.",
        "name": f"{SCHEME}:{model}",
        "source": found,
        "model": model,
        "url": url,
        "_origin": Origin(found, found, files=()),
    }
    return type("Model", (Model,), facts)
