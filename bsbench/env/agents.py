"""Strategies and language models as agents of the environments.

A model is shown boards as text, and answers with cells.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_choice, check_game
from bsbench.common.texts import shortened
from bsbench.env.making import scenario_of
from bsbench.env.vector import BattleshipVectorEnv
from bsbench.kernels.known import Known, KnownTurns
from bsbench.llm.conversation import Complete, Conversation
from bsbench.llm.text import marks_of
from bsbench.own.observation import Observation
from bsbench.play.arena import check_seed
from bsbench.play.session import Session
from bsbench.roster import as_strategy
from bsbench.rules.board import HIT, MISS, NOTHING, SUNK
from bsbench.rules.drawing import MISSED, OPEN, SUNKEN
from bsbench.rules.scenario import Scenario
from bsbench.rules.slots import slot_cells, slot_code
from bsbench.stats import Answers
from bsbench.strategies import Strategy


class _Observing(Protocol):
    """What reads what an observation shows."""

    def read(self, observation: Observation) -> Known: ...

    def read_turns(self, observation: Observation) -> KnownTurns: ...


@runtime_checkable
class _Battleship(Protocol):
    """An environment of bsbench: named by what it has, since PettingZoo may be missing."""

    scenario: Scenario
    observing: _Observing


class StrategyAgent:
    """Plays an environment as a strategy of bsbench would, built in or a user's.

    The strategy sees what the observations hold. Under feedback ``ship`` it also sees which ship
    it hit: that is in the infos, which are then needed. So are the answers in salvos, where actions
    are sets of cells, and the strategy needs a method `bsbench.Strategy.salvo`.

    Parameters
    ----------
    strategy : str, Strategy or type
        As for `bsbench.run`; parameters follow a name after commas, ``"over9000,noise=0"``.
    env : Env, VectorEnv or AECEnv
        The agent takes its rules, its number of boards and its format of observations. The
        format may be any, but not ``seed`` under feedback ``sunk`` or ``ship``. In a
        `bsbench.env.two_player.TwoPlayerEnv`, it shoots for one side, and lays no ships.
    seed : int
        Seed of the strategy's own random numbers, until `reset` gives another. They also depend
        on the number of the game: the agent counts the games that it plays.

    Raises
    ------
    BsbenchError
        If there is no such strategy, the environment is not of bsbench, its feedback is less
        than the strategy needs, or the strategy does not play such turns, or on such a board.

    Examples
    --------
    The very first games of ``bsbench run -s prob --scenario gym-6x6 --seed 3``:

    >>> env = BattleshipEnv("gym-6x6")
    >>> agent = StrategyAgent("prob", env)
    >>> shots = []
    >>> for seed in (3, None, None):
    ...     observation, info = env.reset(seed=seed)
    ...     agent.reset(seed=seed)
    ...     over = False
    ...     while not over:
    ...         action = agent.select_action(observation)
    ...         observation, reward, over, truncated, info = env.step(action)
    ...     shots.append(info["shots"])
    """

    @checked
    def __init__(
        self,
        strategy: str | Strategy | type,
        env: Any,
        seed: int = 0,
    ) -> None:
        inner = getattr(env, "unwrapped", None)
        if not isinstance(inner, _Battleship):
            raise BsbenchError(
                f"a strategy plays Battleship, not {shortened(inner or env)}: give it an "
                "environment of bsbench"
            )
        self.scenario = inner.scenario
        self._observing = inner.observing
        self._lanes = inner.num_envs if isinstance(inner, BattleshipVectorEnv) else 1
        self._strategy = as_strategy(strategy).copy()
        self.name = self._strategy.label
        rules = self.scenario.rules
        self._strategy.check_fits(rules)
        self._salvos = rules.salvos
        self.reset(seed)

    def reset(self, seed: int | None = None, game: int | None = None) -> None:
        """Begin a game, or, given a seed, begin with game 0 of it.

        The agent sees in the observations that a game begins, so that only a new seed, or another
        game than the next one, needs this.

        Parameters
        ----------
        seed : int, optional
            Of the strategy's own random numbers.
        game : int, optional
            The number of the game that begins, after which its successors follow. Only an agent
            of one board takes it.

        Raises
        ------
        BsbenchError
            If the seed or the game is invalid.
        """
        if game is not None:
            game = check_game(game)
            if self._lanes > 1:
                raise BsbenchError(
                    f"this agent plays {self._lanes} boards at once, which can't all be at game "
                    f"{game}: give it no number of a game"
                )
        if seed is not None:
            self._seed = check_seed(seed)
            self._begun = False
        if seed is not None or game is not None:
            # How many games each board has begun.
            self._games = np.full(self._lanes, game or 0)

    def select_action(
        self, observation: Observation, info: Mapping[str, Any] | None = None
    ) -> int | npt.NDArray[np.int8]:
        """Return the next cell in one game, or the cells of the next turn.

        Parameters
        ----------
        observation : dict or ndarray
            The newest one. Each observation of a game must be shown, once.
        info : dict, optional
            The info that came with it; read only under feedback ``ship``, and in salvos.

        Returns
        -------
        int or, in salvos, ndarray of int8, shape (cells,)
            0 where the game is over.

        Raises
        ------
        BsbenchError
            If it is no observation, or does not follow from the one before and the action
            chosen then.
        """
        if self._lanes > 1:
            raise BsbenchError(
                f"this agent plays {self._lanes} boards at once: call select_actions(observations)"
            )
        (chosen,) = self._choose(self._read(observation).of(np.newaxis), info)
        return self._set(chosen) if self._salvos else max(int(chosen[0]), 0)

    def select_actions(
        self, observations: Observation, infos: Mapping[str, Any] | None = None
    ) -> npt.NDArray[Any]:
        """Return the next cells in all games; see `select_action`.

        The games of board i have the numbers i, i + boards, …, on which the strategy's random
        numbers depend. Where a strategy learns, these are the numbers of learners.

        Returns
        -------
        ndarray of int64, shape (boards,); in salvos of int8, shape (boards, cells)
        """
        known = self._read(observations)
        if known.shots.shape != (self._lanes, 1):
            raise BsbenchError(f"these are not observations of {self._lanes} boards")
        chosen = self._choose(known, infos)
        if self._salvos:
            return np.array([self._set(each) for each in chosen])
        return np.where(chosen[:, 0] == NOTHING, 0, chosen[:, 0])

    def _read(self, observation: Observation) -> Known | KnownTurns:
        read = self._observing.read_turns if self.scenario.rules.joint else self._observing.read
        return read(observation)

    def _set(self, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """Return the shots of a turn as an action."""
        action = np.zeros(self.scenario.rules.cells, np.int8)
        action[cells[cells != NOTHING]] = 1
        return action

    def _choose(
        self, known: Known | KnownTurns, infos: Mapping[str, Any] | None
    ) -> npt.NDArray[np.int64]:
        """Return the next shot, or the shots of the next turn, of each game."""
        if not self._begun:
            self._begin()
        view = self._session.view
        begin = np.flatnonzero(known.shots == 0)
        if len(begin):
            self._deal(begin)
        on = (known.shots[:, 0] > 0) & view.live
        view.live[:] &= ~self._won(known)
        going = np.flatnonzero(on & view.live)
        if self._salvos:
            self._note_turns(going, known.shots[:, 0], infos)
        elif isinstance(known, Known):
            ship = None if infos is None else infos.get("ship")
            board = known.board.reshape(self._lanes, -1)
            self._note(going, board, known.remaining, ship)
            self._board[:], self._remaining[:] = board, known.remaining
        if view.live.any():
            self._chosen = self._session.choose().copy()
        self._chosen[~view.live] = NOTHING
        return self._chosen

    def _won(self, known: Known | KnownTurns) -> npt.NDArray[np.bool_]:
        """Return in which games all ship cells are hit."""
        if isinstance(known, KnownTurns):
            return np.asarray(~known.remaining.any(axis=1))
        struck = np.count_nonzero(known.board > MISSED, axis=(1, 2))
        return np.asarray(struck == self.scenario.rules.ship_cells)

    def _begin(self) -> None:
        rules = self.scenario.rules
        self._session = Session(self._strategy.copy(), rules, self._lanes, self._seed)
        self._board = np.zeros((self._lanes, rules.cells), np.int8)
        self._remaining = np.zeros((self._lanes, len(rules.fleet)), np.int32)
        self._chosen = np.full((self._lanes, rules.most_shots), NOTHING)
        self._begun = True

    def _deal(self, lanes: npt.NDArray[np.int64]) -> None:
        in_a_row = self._strategy.games_per_learner
        learner, game = np.divmod(self._games[lanes], in_a_row)
        self._session.deal(lanes, (learner * self._lanes + lanes) * in_a_row + game)
        self._games[lanes] += 1

    def _note(
        self,
        lanes: npt.NDArray[np.int64],
        board: npt.NDArray[np.int8],
        remaining: npt.NDArray[np.int32],
        ship: Any,
    ) -> None:
        """Write to the view what the last shots of running games did."""
        view, rules = self._session.view, self.scenario.rules
        fresh = (board[lanes] != OPEN) & (self._board[lanes] == OPEN)
        cells = fresh.argmax(axis=1)
        self._check_follow(lanes[(fresh.sum(axis=1) != 1) | (cells != self._chosen[lanes, 0])])
        if rules.reveals.ships and ship is None and len(lanes):
            raise BsbenchError(
                "under feedback 'ship', the ship that was hit stands in the info: call "
                "select_action(observation, info)"
            )
        view.cell[lanes] = cells
        view.shots[lanes] += 1
        marks = board[lanes, cells]
        view.outcome[lanes] = np.where(marks == MISSED, MISS, np.where(marks == SUNKEN, SUNK, HIT))
        view.ship[lanes] = view.slot[lanes] = NOTHING
        if rules.reveals.ships:
            view.ship[lanes] = np.atleast_1d(ship)[lanes]
        for lane in lanes[marks == SUNKEN].tolist():
            gone = (remaining[lane] == 0) & (self._remaining[lane] != 0)
            if rules.reveals.lengths:
                view.ship[lane] = gone.argmax()
            if rules.reveals.cells:
                cells = np.flatnonzero((board[lane] == SUNKEN) & (self._board[lane] != SUNKEN))
                view.slot[lane] = slot_code(cells.tolist())

    def _note_turns(
        self,
        lanes: npt.NDArray[np.int64],
        shots: npt.NDArray[np.int32],
        infos: Mapping[str, Any] | None,
    ) -> None:
        """Write to the view what the last turns of running games did."""
        if not len(lanes):
            return
        view, rules = self._session.view, self.scenario.rules
        if infos is None:
            raise BsbenchError(
                "in salvos, the answers stand in the info: call select_action(observation, info)"
            )
        told = {name: np.reshape(infos[name], (self._lanes, -1)) for name in self._answers}
        # An action is a set, and its answers are in the order of the cells.
        order = np.argsort(np.where(self._chosen == NOTHING, rules.cells, self._chosen), axis=1)
        ascending = np.take_along_axis(self._chosen, order, axis=1)
        self._check_follow(lanes[(told["cells"] != ascending)[lanes].any(axis=1)])
        view.turns[lanes] += 1
        view.shots[lanes] = shots[lanes]
        view.cells[lanes] = self._chosen[lanes]
        if rules.joint:
            view.hits[lanes] = told["hits"][lanes]
            return
        if not rules.reveals.cells:
            # Which shot sank a ship is only known in the order of the answers.
            view.cells[lanes], order = ascending[lanes], np.indices(order.shape)[1]
        for lane in lanes.tolist():
            view.outcomes[lane, order[lane]] = np.maximum(told["outcomes"][lane], MISS)
            view.ships[lane, order[lane]] = told["ships"][lane]
            view.slots[lane, order[lane]] = told["slots"][lane]
            for place in np.flatnonzero(view.outcomes[lane] == SUNK).tolist():
                if not rules.reveals.cells:
                    break
                # In the strategy's order, another shot of the turn may have been the ship's last.
                ship, slot = int(view.ships[lane, place]), int(view.slots[lane, place])
                cells = slot_cells(slot, rules.fleet[ship], rules.cols)
                last = int(np.flatnonzero(np.isin(view.cells[lane], cells))[-1])
                view.outcomes[lane, [place, last]] = HIT, SUNK
                view.ships[lane, [place, last]] = (
                    ship if rules.reveals.ships else NOTHING,
                    ship,
                )
                view.slots[lane, [place, last]] = NOTHING, slot

    @property
    def _answers(self) -> tuple[str, ...]:
        """The names of what is read in infos of salvos."""
        each = () if self.scenario.rules.joint else ("outcomes", "ships", "slots")
        return "cells", "hits", *each

    def _check_follow(self, wrong: npt.NDArray[np.int64]) -> None:
        """Refuse observations of some lanes, if there are any."""
        if len(wrong):
            where = f" on board {int(wrong[0])}" if self._lanes > 1 else ""
            raise BsbenchError(
                f"the observation does not follow from the last action{where}: a strategy chooses "
                "every action of a game, and sees each observation once"
            )


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
