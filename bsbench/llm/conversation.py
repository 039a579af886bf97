"""What is said to a model for one move, and what its answers were like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.common.texts import shortened
from bsbench.llm.text import (
    UnreadableAction,
    action_to_text,
    how_to_answer,
    marks_of,
    obs_to_text,
    parse_action,
)
from bsbench.own.observation import Observation
from bsbench.rules.board import Rules
from bsbench.rules.drawing import OPEN, legend
from bsbench.stats import Answers

Messages = list[dict[str, str]]
"""Messages to a model: dictionaries with ``role`` (``system``, ``user`` or ``assistant``) and
``content``, as most interfaces of models take them."""

LONGEST_ANSWER = 20_000
"""Characters of an answer that are read."""


@dataclass(frozen=True)
class Reply:
    """What a model answered, and what that took, as far as known.

    Attributes
    ----------
    text : str
    tokens_in, tokens_out : int or None
        Tokens of the request and of the answer.
    milliseconds : int or None
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    milliseconds: int | None = None


Complete = Callable[[Messages], "str | Reply"]
"""Asks a model: given messages, returns its answer."""


class Conversation:
    """Asks a model for moves under some rules.

    Each move is a conversation of its own: the rules, the board as it is, and what was wrong with
    the answers to it so far. So each conversation is short, and holds all that matters.

    Parameters
    ----------
    rules : Rules
    retries : int
        How often a model may try again after an answer that is no open cell; the message says why.

    Raises
    ------
    BsbenchError
        If an argument is invalid.
    """

    def __init__(self, rules: Rules, retries: int) -> None:
        if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
            raise BsbenchError(f"retries is a whole number from 0 on, not {shortened(retries)}")
        self._size, self._retries = (rules.rows, rules.cols), retries
        self._introduction = introduction(rules)

    def choose(
        self, observation: Observation, complete: Complete, advice: str = ""
    ) -> tuple[int | None, Answers]:
        """Ask for a move.

        Parameters
        ----------
        observation : dict of arrays
            As for `bsbench.llm.text.obs_to_text`.
        complete : callable
            Asks the model.
        advice : str
            Stands below the board.

        Returns
        -------
        cell : int or None
            The cell that the model names; None if no answer names an open cell.
        answers : Answers
            What its answers were like and took; none is counted as a fallback.
        """
        board = obs_to_text(observation)
        messages = [
            {"role": "system", "content": self._introduction},
            {"role": "user", "content": f"{board}\n{advice}" if advice else board},
        ]
        open_cells = set(np.flatnonzero(marks_of(observation) == OPEN).tolist())
        answers = Answers()
        for _ in range(self._retries + 1):
            reply = _reply(complete(messages))
            took = reply.tokens_in, reply.tokens_out, reply.milliseconds
            try:
                cell = parse_action(reply.text, self._size)
            except UnreadableAction as error:
                answers += Answers(0, 0, 1, 0, *took)
                problem = str(error)
            else:
                if cell in open_cells:
                    return cell, answers + Answers(1, 0, 0, 0, *took)
                answers += Answers(0, 0, 0, 1, *took)
                name = action_to_text(cell, self._size)
                problem = f"{name} was shot before: choose a cell that was not"
            messages += [
                {"role": "assistant", "content": str(reply.text)},
                {"role": "user", "content": f"Not a move: {problem}."},
            ]
        return None, answers


def _reply(answer: Any) -> Reply:
    """Return what a model answered; other things than text are unreadable later."""
    if isinstance(answer, Reply):
        return answer
    return Reply(answer[:LONGEST_ANSWER] if isinstance(answer, str) else answer)


def introduction(rules: Rules) -> str:
    """Return the rules, what boards look like and how to answer, for a model that knows nothing."""
    lengths = ", ".join(map(str, rules.fleet))
    # Which ship is hit is in no observation.
    more = "; what has sunk is not known"
    if rules.reveals.sinkings:
        what = "the ship that it sank" if rules.reveals.lengths else "whether it sank a ship"
        more = f", and with {what}"
    return (
        f"You are playing Battleship alone, on a board of {rules.rows} rows and {rules.cols} "
        f"columns. Ships of the lengths {lengths} are hidden there, each in a straight line along "
        f"a row or column; they {rules.apart.sentence}. "
        f"Each shot is answered with hit or miss{more}. "
        "Sink them all with as few shots as you can, and never shoot at a cell twice.\n"
        f"You are shown the board: {legend()}.\n"
        f"Answer with the cell to shoot at: {how_to_answer((rules.rows, rules.cols))}."
    )
