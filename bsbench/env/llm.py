"""A language model as an agent: it is shown boards as text, and answers with cells."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bsbench.common.arguments import checked
from bsbench.common.settings import check_choice
from bsbench.env.making import scenario_of
from bsbench.llm.conversation import Choice, Complete, Conversation, Messages, Reply
from bsbench.llm.text import see
from bsbench.own.observation import Observation
from bsbench.rules.drawing import OPEN
from bsbench.rules.scenario import Scenario

__all__ = ["NO_CELL", "LLMAgent", "Messages", "Reply", "Tally"]

NO_CELL = -1
"""The action of an agent that names no cell: invalid in every environment."""

_OTHERWISE = "invalid", "fallback"


@dataclass
class Tally:
    """What a model's answers were like.

    Attributes
    ----------
    moves : int
        Actions asked for.
    answers : int
        Answers given: one for each move, and one for each retry.
    unreadable : int
        Answers that name no cell of the board.
    repeated : int
        Answers that name a cell shot before.
    fallbacks : int
        Moves for which a random cell was drawn, since no answer was valid.
    given_up : int
        Moves that were answered with `NO_CELL`.
    tokens_in, tokens_out, milliseconds : int or None
        What requests and answers took; None unless each answer is a `Reply` that says it.
    """

    moves: int = 0
    answers: int = 0
    unreadable: int = 0
    repeated: int = 0
    fallbacks: int = 0
    given_up: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    milliseconds: int | None = 0

    @property
    def own_share(self) -> float:
        """Share of the moves that the model itself chose; NaN before the first."""
        own = self.moves - self.fallbacks - self.given_up
        return own / self.moves if self.moves else float("nan")

    def add(self, choice: Choice) -> None:
        """Count the answers to a question."""
        self.moves += 1
        self.answers += len(choice.replies)
        for name, number in choice.numbers.items():
            known = getattr(self, name)
            setattr(self, name, None if None in (known, number) else known + number)


class LLMAgent:
    """Lets a language model choose actions, and counts what goes wrong.

    Each move is a conversation of its own: see `bsbench.llm.conversation.Conversation`. For an
    endpoint in the style of OpenAI, name the strategy ``llm:MODEL@URL`` instead.

    Parameters
    ----------
    complete : callable
        Given `Messages`, returns the model's answer, a str or a `Reply`. That is where your
        endpoint is called.
    scenario : str, Path or Scenario, optional
        What is played, for the description of the rules; as for `bsbench.env.BattleshipEnv`.
    style : str
        One of `bsbench.env.text.STYLES`.
    retries : int
        How often a model may try again after an answer that is no open cell; the message says why.
    otherwise : {"invalid", "fallback"}
        What happens after that: return `NO_CELL`, which costs the turn where invalid actions are
        a penalty, and the game where they terminate it; or draw an open cell. Both are counted, so
        that a model's failures do not look like play.

    Attributes
    ----------
    tally : Tally
        Counts since the agent was made. As ``tallies`` says so, records of its games have them.

    Raises
    ------
    BsbenchError
        If an argument is invalid.
    """

    tallies = True

    @checked
    def __init__(
        self,
        complete: Complete,
        scenario: str | Path | Scenario | None = None,
        *,
        style: str = "grid",
        retries: int = 2,
        otherwise: str = "invalid",
    ) -> None:
        check_choice("value of otherwise", otherwise, _OTHERWISE)
        self.scenario = scenario_of(scenario, None)
        self.scenario.rules.check_single_shots("language models play")
        self.style = style
        self.retries = retries
        self.otherwise = otherwise
        self.tally = Tally()
        self._complete = complete
        self._conversation = Conversation(self.scenario.rules, style, retries)
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Begin a game; a seed makes the cells drawn as a fallback the same again."""
        self._random = random.Random(0 if seed is None else seed)

    def select_action(self, observation: Observation) -> int:
        """Return the cell that the model names, or what ``otherwise`` says.

        Parameters
        ----------
        observation : dict of arrays
            As for `bsbench.env.obs_to_text`.
        """
        choice = self._conversation.choose(observation, self._complete)
        self.tally.add(choice)
        if choice.cell is not None:
            return choice.cell
        if self.otherwise == "fallback":
            self.tally.fallbacks += 1
            return self._random.choice(np.flatnonzero(see(observation).board == OPEN).tolist())
        self.tally.given_up += 1
        return NO_CELL
