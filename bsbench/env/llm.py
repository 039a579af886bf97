"""A language model as an agent: it is shown boards as text, and answers with cells."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from bsbench.common.arguments import checked
from bsbench.common.settings import check_choice
from bsbench.env.making import scenario_of
from bsbench.llm.conversation import Complete, Conversation
from bsbench.llm.text import marks_of
from bsbench.own.observation import Observation
from bsbench.rules.drawing import OPEN
from bsbench.rules.scenario import Scenario
from bsbench.stats import Answers

NO_CELL = -1
"""The action of an agent that names no cell: invalid in every environment."""


class LLMAgent:
    """Lets a language model choose actions, and counts what goes wrong.

    Each move is a conversation of its own: see `bsbench.llm.conversation.Conversation`. For an
    endpoint in the style of OpenAI, name the strategy ``llm:MODEL@URL`` instead.

    Parameters
    ----------
    complete : callable
        Given `bsbench.llm.conversation.Messages`, returns the model's answer: a str, or a
        `bsbench.llm.conversation.Reply`. That is where your
        endpoint is called.
    scenario : str, Path or Scenario, optional
        What is played, for the description of the rules; as for `bsbench.env.BattleshipEnv`.
    retries : int
        How often a model may try again after an answer that is no open cell; the message says why.
    otherwise : {"invalid", "fallback"}
        What happens after that: return `NO_CELL`, which costs the turn where invalid actions are
        a penalty, and the game where they terminate it; or draw an open cell. Both are counted, so
        that a model's failures do not look like play.

    Attributes
    ----------
    tally : bsbench.stats.Answers
        Sums since the agent was made. As ``tallies`` says so, records of its games have them.
    given_up : int
        Moves that were answered with `NO_CELL`.

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
        retries: int = 2,
        otherwise: str = "invalid",
    ) -> None:
        check_choice("value of otherwise", otherwise, ("invalid", "fallback"))
        self.scenario = scenario_of(scenario, None)
        self.scenario.rules.check_single_shots("language models play")
        self.otherwise = otherwise
        self.tally, self.given_up = Answers(), 0
        self._complete = complete
        self._conversation = Conversation(self.scenario.rules, retries)
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
        cell, answers = self._conversation.choose(observation, self._complete)
        self.tally += answers
        if cell is not None:
            return cell
        if self.otherwise == "fallback":
            self.tally += Answers(fallbacks=1)
            return self._random.choice(np.flatnonzero(marks_of(observation) == OPEN).tolist())
        self.given_up += 1
        return NO_CELL
