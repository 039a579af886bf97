"""Games played action by action, by agents that may do anything.

A strategy that fires off the board or twice at a cell ends its run. An agent that learns does
so all the time, and a reward has to teach it. An `Arena` stands between agents and the
referee: it refuses and counts illegal shots, pays rewards, keeps what is known in arrays, and
deals game after game of each lane's seed. The Gymnasium environments are built on it: the
single one has one lane, the vector one any number.

Actions that are refused change neither board nor move count.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import is_whole
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_choice, suggestion
from bsbench.common.texts import shortened, type_of
from bsbench.kernels._jit import kernel
from bsbench.kernels.known import Known, KnownTurns, is_valid, know_nothing, note_shot, room_for
from bsbench.layouts import Sampler
from bsbench.play.referee import Games, Referee, deal_in, fire_at, waste
from bsbench.rules.board import HIT, MISS, NOTHING, SUNK, Rules
from bsbench.rules.drawing import cell_name
from bsbench.strategies.view import View

EVENTS = "miss", "hit", "sunk", "win", "invalid", "turn"
"""What is paid: the keys of a table of rewards. A shot does one of the first four, an action is
invalid or fires, and a turn is an action that fires: it is paid besides its shots."""

_WIN, _INVALID, _TURN = (EVENTS.index(name) for name in ("win", "invalid", "turn"))
assert tuple(EVENTS.index(name) for name in ("miss", "hit", "sunk")) == (MISS, HIT, SUNK)

REWARDS: Mapping[str, Mapping[str, float]] = {
    name: dict(zip(EVENTS, pay, strict=True))
    for name, pay in {
        "seed": (-1.0, 5.0, 10.0, 100.0, -50.0, 0.0),
        "shots": (-1.0, -1.0, -1.0, -1.0, -1.0, 0.0),
        "misses": (-1.0, 0.0, 0.0, 0.0, -1.0, 0.0),
        "turns": (0.0, 0.0, 0.0, 0.0, -1.0, -1.0),
    }.items()
}
"""Tables of rewards by name. ``seed`` is that of "gym-battleship"; with ``shots``, the return of a
game is minus its shots and invalid actions; with ``misses``, minus those that hit nothing; with
``turns``, minus its actions, which single shots are, too."""

INVALID_ACTIONS = "penalty", "terminate", "raise"
"""What an invalid action leads to: a reward; a reward and the end of the episode; or an error."""

_RAISE = INVALID_ACTIONS.index("raise")
_TERMINATE = INVALID_ACTIONS.index("terminate")

STEPS_PER_CELL = 10
"""An episode is truncated after this many actions for each cell at the latest: with invalid
actions that cost only a reward, it might never end."""

FACTS = "outcome", "ship", "shots", "invalid_actions", "seed", "game"
"""Rows of `Arena.facts`."""

_OUTCOME, _SHIP, _SHOTS, _REFUSED, _SEED, _GAME = range(len(FACTS))

_AHEAD = 32
"""Layouts drawn ahead for each lane: one call costs as much as a few layouts."""

_LARGEST_SEED = 2**63 - 1


@kernel
def _first_invalid(actions, resting, board, patience):
    """Return the first lane, of those that are not resting, whose action is invalid; or -1."""
    for lane in range(len(actions)):
        if not resting[lane] and not is_valid(actions[lane], lane, board, patience):
            return lane
    return -1


class Episodes(NamedTuple):
    """What an arena has beside its `Games`, and what is `Known` of them.

    Attributes
    ----------
    settings : ndarray of int64, shape (3,)
        Whether an invalid action ends the episode, the largest number of actions, and the columns
        of the board. One array, since each argument of a kernel makes a call for one game 1 %
        slower.
    fleet : ndarray of int64, shape (ships,)
    pay : ndarray of float64, shape (6,)
        The reward of each of `EVENTS`; where turns are single shots, these are paid for theirs.
    facts, reward, ended
        As in `Arena`.
    over : ndarray of bool, shape (2, lanes)
        ``terminated`` and ``truncated`` of `Arena`.
    """

    settings: npt.NDArray[np.int64]
    fleet: npt.NDArray[np.int64]
    pay: npt.NDArray[np.float64]
    facts: npt.NDArray[np.int64]
    reward: npt.NDArray[np.float64]
    over: npt.NDArray[np.bool_]
    ended: npt.NDArray[np.int64]


# Where the fields of each record are among the arrays of an arena.
_KNOWN = len(Episodes._fields)
_GAMES = _KNOWN + len(Known._fields)


# The fields of the records one by one, and not *state: numba looks at the types of what is in a
# tuple at every call, which takes 0.6 us here, a fifth of a step of a single environment.
@kernel
def _act(
    actions,
    resting,
    settings,
    fleet,
    pay,
    facts,
    reward,
    over,
    ended,
    board,
    remaining,
    moves,
    open_cells,
    live,
    told,
    alike,
    water,
    content,
    codes,
    afloat,
    left,
    shots,
    cell,
    outcome,
    ship,
    slot,
    won,
    whole,
    patience,
):
    """Act in lanes that are not resting; return how many episodes ended, listed in ``ended``."""
    known = Known(board, remaining, moves, open_cells)
    games = Games(
        live,
        told,
        alike,
        water,
        content,
        codes,
        afloat,
        left,
        shots,
        cell,
        outcome,
        ship,
        slot,
        won,
        whole,
        patience,
    )
    terminates, limit, cols = settings[0] != 0, settings[1], settings[2]
    ends = 0
    for lane in range(len(actions)):
        if resting[lane]:
            reward[lane] = 0.0
            over[0, lane] = over[1, lane] = False
            continue
        if not is_valid(actions[lane], lane, known.board, patience):
            facts[_OUTCOME, lane] = facts[_SHIP, lane] = NOTHING
            facts[_REFUSED, lane] += 1
            reward[lane] = pay[_INVALID]
            done = terminates
        elif patience > 0 and not known.open[lane, np.uint64(actions[lane])]:
            waste(lane, np.uint64(actions[lane]), games)
            facts[_OUTCOME, lane], facts[_SHIP, lane] = MISS, NOTHING
            facts[_SHOTS, lane] = known.shots[lane, 0] = games.shots[lane]
            reward[lane], done = pay[MISS], False
        else:
            fire_at(lane, np.uint64(actions[lane]), games, 0)
            note_shot(lane, games, cols, fleet, known)
            came = games.outcome[lane]
            facts[_OUTCOME, lane] = came
            facts[_SHIP, lane] = games.ship[lane]
            facts[_SHOTS, lane] = games.shots[lane]
            done = not games.live[lane]
            reward[lane] = pay[_WIN if done else came]
        late = facts[_SHOTS, lane] + facts[_REFUSED, lane] >= limit
        over[0, lane] = done
        over[1, lane] = late
        if done or late:
            ended[ends] = lane
            ends += 1
    return ends


@kernel
def _begin(begun, ahead, place, next_game, seeds, emptied, *state):
    """Begin the next game of the lanes in ``begun``: nothing is known.

    Their layouts are the next of those drawn ahead. Return how many lanes then have no further
    layout, listed in ``emptied``.
    """
    episodes = Episodes(*state[:_KNOWN])
    known, games = Known(*state[_KNOWN:_GAMES]), Games(*state[_GAMES:])
    cols, facts = episodes.settings[2], episodes.facts
    empty = 0
    for lane in begun:
        deal_in(lane, ahead[lane, place[lane]], cols, episodes.fleet, games)
        know_nothing(lane, episodes.fleet, known)
        facts[_OUTCOME, lane] = facts[_SHIP, lane] = NOTHING
        facts[_SHOTS, lane] = facts[_REFUSED, lane] = 0
        facts[_SEED, lane] = seeds[lane]
        facts[_GAME, lane] = next_game[lane]
        next_game[lane] += 1
        place[lane] += 1
        if place[lane] == ahead.shape[1]:
            emptied[empty] = lane
            empty += 1
    return empty


Rewards = str | Mapping[str, float]
"""Rewards as users give them: see `reward_table`."""


def reward_table(rewards: Rewards) -> dict[str, float]:
    """Return a table of rewards: one by name, or that of the seed with some entries replaced.

    Raises
    ------
    BsbenchError
        If there is no table of that name, no such entry, or a reward is no finite number.
    """
    if isinstance(rewards, str):
        if rewards not in REWARDS:
            raise BsbenchError(
                f"unknown rewards {shortened(rewards)}: {suggestion(rewards, REWARDS)}"
            )
        return dict(REWARDS[rewards])
    if not isinstance(rewards, Mapping):
        raise BsbenchError(
            f"rewards are one of {', '.join(REWARDS)}, or a table of {', '.join(EVENTS)}, not "
            f"{type_of(rewards)}"
        )
    table = dict(REWARDS["seed"])
    for event, value in rewards.items():
        if event not in EVENTS:
            raise BsbenchError(
                f"there is no reward for {event!r}: {suggestion(str(event), EVENTS)}"
            )
        try:
            table[event] = float(value)
        except (TypeError, ValueError):
            table[event] = np.nan
        if not np.isfinite(table[event]):
            raise BsbenchError(
                f"the reward for {shortened(event)} is a finite number, not {shortened(value)}"
            )
    return table


def check_seed(seed: Any) -> int:
    """Return a seed as an int.

    Raises
    ------
    BsbenchError
        If it is no whole number from 0 to 2^63 - 1.
    """
    if not is_whole(seed):
        raise BsbenchError(f"a seed is a whole number, not {shortened(seed)}")
    number = operator.index(seed)
    if not 0 <= number <= _LARGEST_SEED:
        raise BsbenchError(f"a seed is a whole number from 0 to 2^63 - 1, not {number}")
    return number


class Arena:
    """A batch of games of single shots, each in a lane with a seed of its own.

    Parameters
    ----------
    rules : Rules
        Those of salvos are for `bsbench.play.salvo_arena`.
    sampler : Sampler
        Draws the layouts.
    lanes : int
    rewards : str or mapping
        See `reward_table`.
    invalid_action : {"penalty", "terminate", "raise"}
        What an action that is no open cell leads to: see `INVALID_ACTIONS`.
    max_episode_steps : int, optional
        Actions, invalid ones included, after which an episode is truncated; at most, and by
        default, `STEPS_PER_CELL` times the cells.

    Attributes
    ----------
    known : Known
        What is known in each lane, written in place by `act` and `begin`.
    shown : Known or KnownTurns
        What agents are shown of it: the same.
    answers : dict of str to ndarray of int64, shape (lanes, …)
        What else the last action revealed, which `known` does not show: nothing.
    names : tuple of str
        Of the rows of ``facts``: `FACTS`.
    facts : ndarray of int64, shape (6, lanes)
        Rows as in `FACTS`: what the last action did (``MISS``, ``HIT``, ``SUNK``, or -1 if it was
        refused, or there was none), the ship that this revealed or -1, shots fired and
        actions refused in this game, its seed, and its number under the seed (-1 for a layout
        given by hand).
    reward : ndarray of float64, shape (lanes,)
        What the last action was paid.
    terminated, truncated : ndarray of bool, shape (lanes,)
        Whether it ended the game, or brought the episode to the largest number of actions.
    ended : ndarray of int64, shape (lanes,)
        The lanes whose episodes the last actions ended, ascending, as many as `act` returned.
    seeds : ndarray of int64, shape (lanes,)
    raises : bool
        Whether invalid actions are errors.

    Raises
    ------
    BsbenchError
        If an argument is invalid.
    """

    names: tuple[str, ...] = FACTS

    def __init__(
        self,
        rules: Rules,
        sampler: Sampler,
        lanes: int,
        rewards: Rewards = "seed",
        invalid_action: str = "penalty",
        max_episode_steps: int | None = None,
    ) -> None:
        if not is_whole(lanes) or lanes < 1:
            raise BsbenchError(
                f"the number of boards is a whole number from 1 on, not {shortened(lanes)}"
            )
        check_choice("invalid_action", invalid_action, INVALID_ACTIONS)
        lanes = int(lanes)
        self._made = rules, sampler, lanes, rewards, invalid_action, max_episode_steps
        self.rules = rules
        self.lanes = lanes
        self.rewards = reward_table(rewards)
        self._sampler = sampler
        self._referee = Referee(View(rules, lanes))
        self.known = room_for(rules, lanes)
        self.shown: Known | KnownTurns = self.known
        self.answers: dict[str, npt.NDArray[np.int64]] = {}
        self.facts = np.zeros((len(self.names), lanes), np.int64)
        self.reward = np.zeros(lanes)
        over = np.zeros((2, lanes), np.bool_)
        self.terminated, self.truncated = over
        self.ended = np.zeros(lanes, np.int64)
        self._resting = np.zeros(lanes, np.bool_)
        # Layouts drawn ahead for each lane, played up to its place; and the lanes that have no
        # further layout.
        self._ahead = np.zeros((lanes, _AHEAD, len(rules.fleet)), np.int32)
        self._place = np.full(lanes, _AHEAD)
        self._empty: list[int] = []
        self._emptied = np.zeros(lanes, np.int64)
        self.seeds = np.zeros(lanes, np.int64)
        self._next_game = np.zeros(lanes, np.int64)
        self.raises = invalid_action == "raise"
        most_steps = _steps_at_most(max_episode_steps, rules)
        pay = np.array([self.rewards[event] for event in EVENTS])
        if not rules.salvos:
            pay[:_INVALID] += pay[_TURN]
        own = Episodes(
            settings=np.array([invalid_action == "terminate", most_steps, rules.cols], np.int64),
            fleet=np.array(rules.fleet, np.int64),
            pay=pay,
            facts=self.facts,
            reward=self.reward,
            over=over,
            ended=self.ended,
        )
        flat = self.known.flat()
        self._board = flat.board
        self._state = (*own, *flat, *self._referee.state)

    def _arrays(self) -> list[npt.NDArray[Any]]:
        """Return all that changes during games, except the list of lanes without a layout."""
        held = (*self._state, self.seeds, self._ahead, self._place, self._next_game)
        return [array for array in held if isinstance(array, np.ndarray)]

    # Several objects share these arrays. In a copy they do so only if it is built by __init__.
    def __getstate__(self) -> dict[str, Any]:
        arrays = [array.copy() for array in self._arrays()]
        return {"made": self._made, "empty": self._empty.copy(), "arrays": arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        type(self).__init__(self, *state["made"])
        self._empty = state["empty"]
        for array, content in zip(self._arrays(), state["arrays"], strict=True):
            array[...] = content

    def seed(self, lane: int, seed: int, game: int = 0) -> None:
        """Let the next game in a lane be game number ``game`` of a seed."""
        self.seeds[lane] = seed
        self._next_game[lane] = game
        self._place[lane] = _AHEAD
        self._empty.append(lane)

    def begin(self, lanes: npt.NDArray[np.int64]) -> None:
        """Begin the next game of some lanes, all of which were given a seed.

        Raises
        ------
        BsbenchError
            If no layout was found for one.
        """
        if self._empty:
            for lane in self._empty:
                self._draw_ahead(lane)
            self._empty.clear()
        empty = self._begin(lanes, self._ahead, self._place, self._next_game)
        if empty:
            self._empty.extend(self._emptied[:empty].tolist())

    def begin_on(self, lanes: npt.NDArray[np.int64], layout: Sequence[int]) -> None:
        """Begin a game on a given layout, a legal one, in some lanes; no number is used up.

        Parameters
        ----------
        lanes : ndarray of int64, shape (n,)
        layout : sequence of int
            A slot code for each ship.
        """
        same = np.tile(np.array(layout, np.int32), (self.lanes, 1, 1))
        first, no_number = np.zeros(self.lanes, np.int64), np.full(self.lanes, NOTHING)
        self._begin(lanes, same, first, no_number)

    def _begin(
        self,
        lanes: npt.NDArray[np.int64],
        ahead: npt.NDArray[np.int32],
        place: npt.NDArray[np.int64],
        next_game: npt.NDArray[np.int64],
    ) -> int:
        own = self.seeds, self._emptied, *self._state
        empty: int = _begin(lanes, ahead, place, next_game, *own)
        return empty

    def _draw_ahead(self, lane: int) -> None:
        """Draw the next layouts of a lane without any.

        A fresh seed gets one layout at first, since there may be no second game.
        """
        game = int(self._next_game[lane])
        count = _AHEAD if game else 1
        self._ahead[lane, -count:] = self._sampler.draw(int(self.seeds[lane]), game, count)
        self._place[lane] = _AHEAD - count

    def action(self) -> tuple[npt.NDArray[np.int64], Callable[[], int]]:
        """Return an array for actions, and what acts as they then are in every lane.

        That is `act` without checking, for code in which a call must be as cheap as possible.
        """
        actions = np.zeros(self.lanes, np.int64)
        return actions, partial(_act, actions, self._resting, *self._state)

    def act(
        self, actions: npt.NDArray[np.int64], resting: npt.NDArray[np.bool_] | None = None
    ) -> int:
        """Act in every lane, each with a game that is not over.

        Parameters
        ----------
        actions : ndarray of int64, shape (lanes,)
        resting : ndarray of bool, shape (lanes,), optional
            Lanes whose actions are ignored: they are paid 0, and nothing ends there.

        Returns
        -------
        int
            How many episodes ended; `ended` says which.

        Raises
        ------
        BsbenchError
            If an action is invalid, and invalid actions are errors; nothing has changed then.
        """
        resting = self._resting if resting is None else resting
        self.check(actions, resting)
        ends: int = _act(actions, resting, *self._state)
        return ends

    def check(
        self, actions: npt.NDArray[np.int64], resting: npt.NDArray[np.bool_] | None = None
    ) -> None:
        """Refuse actions if invalid ones are errors, and one is invalid in a lane not resting.

        Raises
        ------
        BsbenchError
            If so.
        """
        if not self.raises:
            return
        resting = self._resting if resting is None else resting
        lane = _first_invalid(actions, resting, self._board, self._referee.state.patience)
        if lane < 0:
            return
        action, rules = int(actions[lane]), self.rules
        where = f" of board {lane}" if self.lanes > 1 else ""
        if 0 <= action < rules.cells:
            name = cell_name(action, rules.cols)
            problem = f"cell {action} ({name}) was shot before"
        else:
            problem = f"the cells of the {rules.board} board are 0 to {rules.cells - 1}"
        raise BsbenchError(f"the action {action}{where} is invalid: {problem}")


def _steps_at_most(max_episode_steps: int | None, rules: Rules) -> int:
    """Return after how many actions an episode is truncated."""
    most = STEPS_PER_CELL * rules.cells
    if max_episode_steps is None:
        return most
    if not is_whole(max_episode_steps) or max_episode_steps < 1:
        raise BsbenchError(
            f"max_episode_steps is a whole number from 1 on, not {shortened(max_episode_steps)}"
        )
    return min(int(max_episode_steps), most)
