"""Agents, which choose actions from observations, in the place of strategies.

An agent is a class as in Gymnasium and in the project "gym-battleship": its method
``select_action(observation)`` returns a cell, from an observation as the environments in
`bsbench.env` give it. Its attributes ``obs`` and ``mask`` say in which format, see
`bsbench.own.observation`; without them it is the environments' own default.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from bsbench.own.batch import BatchChooser, Notebook
from bsbench.own.choosing import Cells, Flags, Scores, Terms, shown_scores
from bsbench.own.observation import DEFAULT, Observation, Observing
from bsbench.own.python import PythonChooser
from bsbench.rules.board import Rules
from bsbench.strategies.view import View


def _observing(rules: Rules, agent: type) -> Observing:
    """Return the format of observations that a class of agents asks for."""
    return Observing(rules, getattr(agent, "obs", DEFAULT), getattr(agent, "mask", False))


class AgentChooser(PythonChooser):
    """Plays a class with ``select_action(observation) -> cell``.

    Each object plays one game at a time. ``reset()`` is called before each of its games, as
    ``reset(seed)`` where it takes an argument: a number from 0 to 2^32 - 1, which follows from
    the name of the agent, the seed of the run and the number of the game. Without it, there is
    a fresh object for each game, since an old one would not forget.

    As with any strategy, ``deterministic = True`` says that actions depend on nothing but the
    observation, so that games with the same history share them; and an attribute ``scores`` is
    shown as a heat map.
    """

    method = "select_action"
    chance = "a generator made of the seed that reset(seed) is given"

    def __init__(self, player: type, terms: Terms) -> None:
        super().__init__(player, terms)
        self._notebook = Notebook(terms.rules, terms.lanes)
        self._show = _observing(terms.rules, player).show
        # Objects whose games are over, to be used again.
        self._idle: list[Any] = []

    def deal(self, lanes: Cells, games: Cells, follows: Flags | None = None) -> None:
        """Forget what was known; agents don't learn."""
        for lane in lanes.tolist():
            if hasattr(self._players[lane], "reset"):
                self._idle.append(self._players[lane])
        super().deal(lanes, games)
        self._notebook.begin(lanes)

    def _choose(self, view: View) -> Cells:
        self._notebook.note(view)
        return super()._choose(view)

    def scores(self, lane: int) -> Scores | None:
        """Return the attribute ``scores`` of the agent of a lane, if it has one."""
        scores = self._asked(lane, getattr, self._players[lane], "scores", None)
        return shown_scores(lane, scores, self._notebook.is_open(lane))

    def _made(self, lane: int) -> Any:
        agent = self._idle.pop() if self._idle else self.player(**self.terms.parameters)
        if hasattr(agent, "reset"):
            reset_agent(agent, self._games[lane] % 2**32)
        return agent

    def _note(self, lane: int, cell: int, outcome: int, ship: int, slot: int) -> None:
        """Do nothing: the notebook notes shots."""

    def _shown(self, lane: int) -> Observation:
        return self._show(self._notebook.known.of(lane))

    def _is_open(self, lane: int, cell: int) -> bool:
        return bool(self._notebook.known.open[lane, cell])


class BatchAgentChooser(BatchChooser):
    """Plays a class with ``select_actions(observations) -> cells``, for many games at once.

    Observations are those of the games that are not over, with an axis for them in front.
    One object plays all games of a process. It must choose by the observations alone: games come
    and go, so that a place in the batch means nothing. Its ``reset()``, if it has one, is not
    called.
    """

    method = "select_actions"
    chance = "the observations, since an agent for batches is given nothing else"
    begins = "at once, since an agent for batches does not know when games begin"

    def __init__(self, player: type, terms: Terms) -> None:
        super().__init__(player, terms)
        self._show = _observing(terms.rules, player).show

    def scores(self, lane: int) -> None:
        """Return nothing: which row of a batch a game had is not kept."""

    def _made(self) -> Any:
        return self.player(**self.terms.parameters)

    def _shown(self, view: View) -> tuple[Observation, int]:
        self._notebook.note(view)
        live = np.flatnonzero(view.live)
        return self._show(self._notebook.known.of(live)), len(live)

    def _cells_of(self, answer: Cells, view: View) -> Cells:
        cells = np.zeros(self.terms.lanes, np.int64)
        cells[view.live] = answer
        return cells


def reset_agent(agent: Any, seed: int) -> None:
    """Call the method `reset` of an agent, with a seed if it takes one."""
    parameters = inspect.signature(agent.reset).parameters
    positional = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    if "seed" in parameters:
        agent.reset(seed=seed)
    elif any(each.kind in positional for each in parameters.values()):
        agent.reset(seed)
    else:
        agent.reset()
