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
    obs_to_text,
    parse_action,
    see,
    symbols_text,
)
from bsbench.own.observation import Observation
from bsbench.rules.board import Rules
from bsbench.rules.drawing import OPEN

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


@dataclass(frozen=True)
class Choice:
    """A move that a model was asked for.

    Attributes
    ----------
    cell : int or None
        The cell that it names; None if no answer names an open cell.
    replies : tuple of Reply
        All its answers; the last one may be valid.
    unreadable, repeated : int
        Answers that name no cell of the board, and that name one shot before.
    """

    cell: int | None
    replies: tuple[Reply, ...]
    unreadable: int
    repeated: int

    @property
    def numbers(self) -> dict[str, int | None]:
        """What the answers were like and took, by the names in `bsbench.stats.Answers`."""
        return {
            "unreadable": self.unreadable,
            "repeated": self.repeated,
            **{name: self._total(name) for name in ("tokens_in", "tokens_out", "milliseconds")},
        }

    def _total(self, name: str) -> int | None:
        numbers = [getattr(reply, name) for reply in self.replies]
        return None if None in numbers else sum(numbers)


class Conversation:
    """Asks a model for moves under some rules.

    Each move is a conversation of its own: the rules, the board as it is, and what was wrong with
    the answers to it so far. So each conversation is short, and holds all that matters.

    Parameters
    ----------
    rules : Rules
    style : str
        One of `bsbench.llm.text.STYLES`.
    retries : int
        How often a model may try again after an answer that is no open cell; the message says why.

    Raises
    ------
    BsbenchError
        If an argument is invalid.
    """

    def __init__(self, rules: Rules, style: str, retries: int) -> None:
        if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
            raise BsbenchError(f"retries is a whole number from 0 on, not {shortened(retries)}")
        self._size, self._style, self._retries = (rules.rows, rules.cols), style, retries
        self._introduction = introduction(rules, style)

    def choose(self, observation: Observation, complete: Complete, advice: str = "") -> Choice:
        """Return the cell that a model names, if any.

        Parameters
        ----------
        observation : dict of arrays
            As for `bsbench.llm.text.obs_to_text`.
        complete : callable
            Asks the model.
        advice : str
            Stands below the board.
        """
        board = obs_to_text(observation, self._style)
        messages = [
            {"role": "system", "content": self._introduction},
            {"role": "user", "content": f"{board}\n{advice}" if advice else board},
        ]
        open_cells = set(np.flatnonzero(see(observation).board == OPEN).tolist())
        replies: list[Reply] = []
        unreadable = repeated = 0
        for _ in range(self._retries + 1):
            reply = _reply(complete(messages))
            replies.append(reply)
            try:
                cell = parse_action(reply.text, self._size, self._style)
            except UnreadableAction as error:
                unreadable += 1
                problem = str(error)
            else:
                if cell in open_cells:
                    return Choice(cell, tuple(replies), unreadable, repeated)
                repeated += 1
                name = action_to_text(cell, self._size, self._style)
                problem = f"{name} was shot before: choose a cell that was not"
            messages += [
                {"role": "assistant", "content": str(reply.text)},
                {"role": "user", "content": f"Not a move: {problem}."},
            ]
        return Choice(None, tuple(replies), unreadable, repeated)


def _reply(answer: Any) -> Reply:
    """Return what a model answered; other things than text are unreadable later."""
    if isinstance(answer, Reply):
        return answer
    return Reply(answer[:LONGEST_ANSWER] if isinstance(answer, str) else answer)


def introduction(rules: Rules, style: str = "grid") -> str:
    """Return the rules, what boards look like and how to answer, for a model that knows nothing.

    Raises
    ------
    BsbenchError
        If there is no such style.
    """
    lengths = ", ".join(map(str, rules.fleet))
    touching = "may touch" if rules.touching else "never touch, not even at corners"
    # Which ship is hit is in no observation.
    reported = rules.feedback.reveals.sinkings
    more = ", and with the ship that it sank" if reported else "; what has sunk is not known"
    return (
        f"You are playing Battleship alone, on a board of {rules.rows} rows and {rules.cols} "
        f"columns. Ships of the lengths {lengths} are hidden there, each in a straight line along "
        f"a row or column; they {touching}. Each shot is answered with hit or miss{more}. "
        "Sink them all with as few shots as you can, and never shoot at a cell twice.\n"
        f"You are shown the board: {symbols_text(style)}.\n"
        "Answer with the cell to shoot at: "
        f"{how_to_answer((rules.rows, rules.cols), style)}."
    )
