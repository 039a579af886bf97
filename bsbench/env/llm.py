"""A language model as an agent: it is shown boards as text, and answers with cells."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_choice
from bsbench.env.making import scenario_of
from bsbench.env.text import (
    UnreadableAction,
    action_to_text,
    how_to_answer,
    obs_to_text,
    parse_action,
    see,
    symbols_text,
)
from bsbench.own.observation import Observation
from bsbench.rules.board import Feedback
from bsbench.rules.drawing import OPEN
from bsbench.rules.scenario import Scenario

Messages = list[dict[str, str]]
"""Messages to a model: dictionaries with ``role`` (``system``, ``user`` or ``assistant``) and
``content``, as most interfaces of models take them."""

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
    """

    moves: int = 0
    answers: int = 0
    unreadable: int = 0
    repeated: int = 0
    fallbacks: int = 0
    given_up: int = 0


class LLMAgent:
    """Lets a language model choose actions, and counts what goes wrong.

    Each move is a conversation of its own: the rules, the board as it is, and what was wrong with
    the answers to it so far. So each conversation is short, and holds all that matters.

    Parameters
    ----------
    complete : callable
        Given `Messages`, returns the model's answer, a str. That is where your endpoint is called.
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
        Counts since the agent was made.

    Raises
    ------
    BsbenchError
        If an argument is invalid.
    """

    def __init__(
        self,
        complete: Callable[[Messages], str],
        scenario: str | Path | Scenario | None = None,
        *,
        style: str = "grid",
        retries: int = 2,
        otherwise: str = "invalid",
    ) -> None:
        check_choice("value of otherwise", otherwise, _OTHERWISE)
        if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
            raise BsbenchError(f"retries is a whole number from 0 on, not {retries!r}")
        self.scenario = scenario_of(scenario, None)
        self.style = style
        self.retries = retries
        self.otherwise = otherwise
        self.tally = Tally()
        self._complete = complete
        rules = self.scenario.rules
        self._size = rules.rows, rules.cols
        self._introduction = introduction(self.scenario, style)
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
        self.tally.moves += 1
        messages = [
            {"role": "system", "content": self._introduction},
            {"role": "user", "content": obs_to_text(observation, self.style)},
        ]
        open_cells = np.flatnonzero(see(observation).board == OPEN).tolist()
        for _ in range(self.retries + 1):
            answer = self._complete(messages)
            self.tally.answers += 1
            try:
                cell = parse_action(answer, self._size, self.style)
            except UnreadableAction as error:
                self.tally.unreadable += 1
                problem = str(error)
            else:
                if cell in open_cells:
                    return cell
                self.tally.repeated += 1
                name = action_to_text(cell, self._size, self.style)
                problem = f"{name} was shot before: choose a cell that was not"
            messages += [
                {"role": "assistant", "content": str(answer)},
                {"role": "user", "content": f"Not a move: {problem}."},
            ]
        if self.otherwise == "fallback":
            self.tally.fallbacks += 1
            return self._random.choice(open_cells)
        self.tally.given_up += 1
        return NO_CELL


def introduction(scenario: Scenario, style: str = "grid") -> str:
    """Return the rules, what boards look like and how to answer, for a model that knows nothing.

    Raises
    ------
    BsbenchError
        If there is no such style.
    """
    rules = scenario.rules
    lengths = ", ".join(map(str, rules.fleet))
    touching = "may touch" if rules.touching else "never touch, not even at corners"
    # Which ship is hit is in no observation.
    silent = rules.feedback is Feedback.HIT
    more = "; what has sunk is not known" if silent else ", and with the ship that it sank"
    return (
        f"You are playing Battleship alone, on a board of {rules.rows} rows and {rules.cols} "
        f"columns. Ships of the lengths {lengths} are hidden there, each in a straight line along "
        f"a row or column; they {touching}. Each shot is answered with hit or miss{more}. "
        "Sink them all with as few shots as you can, and never shoot at a cell twice.\n"
        f"You are shown the board: {symbols_text(style)}.\n"
        "Answer with the cell to shoot at: "
        f"{how_to_answer((rules.rows, rules.cols), style)}."
    )
