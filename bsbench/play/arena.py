"""Games played action by action, by agents that may do anything.

A strategy that fires off the board or twice at a cell ends its run. An agent that learns does
so all the time, and a reward has to teach it. An `Arena` stands between agents and the
referee: it refuses and counts illegal shots, pays rewards, keeps what is known in arrays, and
deals game after game of each lane's seed. The Gymnasium environments are built on it: the
single one has one lane, the vector one any number.

An action is a turn: the cells of its shots, in order, then -1; one cell where turns are single
shots. A turn without a cell, with too many, or with one that can't be shot is one invalid action.
Actions that are refused change neither board nor move count.

With joint answers, agents are shown in which turn each cell was shot, and how many shots of each
turn hit each ship: a `bsbench.kernels.known.KnownTurns`.
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
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.known import Known, KnownTurns, know_nothing, note_shot, note_turn, room_for
from bsbench.kernels.turns import at, for_kernels, most_shots, put
from bsbench.layouts import Sampler
from bsbench.play.referee import (
    Games,
    Referee,
    deal_in,
    fire_turn,
    is_cell,
    legal_shots,
    no_shot,
    set_hits,
    waste,
)
from bsbench.rules.board import AFLOAT, HIT, MISS, NOTHING, SUNK, Rules
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

TURN_FACTS = *FACTS, "turns", "allowed"
"""The same in salvos."""

_OUTCOME, _SHIP, _SHOTS, _REFUSED, _SEED, _GAME, _TURNS, _ALLOWED = range(len(TURN_FACTS))

_AHEAD = 32
"""Layouts drawn ahead for each lane: one call costs as much as a few layouts."""

_APART = 64
"""Numbers between two rows of facts."""

_LARGEST_SEED = 2**63 - 1


@kernel
def _first_invalid(turns, resting, allowed, is_open, patience):
    """Return the first lane, of those that are not resting, whose turn is invalid; or -1."""
    for lane in range(len(turns)):
        if resting[lane] or (patience > 0 and is_cell(lane, turns, is_open)):
            continue
        if legal_shots(lane, turns, allowed, 0, is_open) == 0:
            return lane
    return -1


class Held(NamedTuple):
    """The arrays of an arena, for kernels.

    Attributes
    ----------
    settings : ndarray of int64, shape (7,)
        Whether an invalid action ends the episode, the largest number of actions, the columns
        of the board; ``told``, ``water``, ``patience`` and ``whole`` of `Games`. One array, since
        each argument of a kernel makes a call for one game 1 % slower.
    fleet : ndarray of int64, shape (ships,)
    pay : ndarray of float64, shape (6,)
        The reward of each of `EVENTS`.
    facts : ndarray of int64, shape (8, lanes)
        Rows as in `TURN_FACTS`. Those of shots, turns and shots allowed are the referee's.
    reward, ended
        As in `Arena`.
    over : ndarray of bool, shape (2, lanes)
        ``terminated`` and ``truncated`` of `Arena`.
    board, remaining, moves, open, turn, turn_hits
        The arrays of a `Known`, and those that a `KnownTurns` has besides, boards in one row.
        Without joint answers, the last has one axis.
    live, alike, content, codes, afloat, left, cells, outcomes, ships, slots, hits
        As in `Games`; ``outcomes`` is int64, with -1 where nothing was fired.
    """

    settings: npt.NDArray[np.int64]
    fleet: npt.NDArray[np.int64]
    pay: npt.NDArray[np.float64]
    facts: npt.NDArray[np.int64]
    reward: npt.NDArray[np.float64]
    over: npt.NDArray[np.bool_]
    ended: npt.NDArray[np.int64]
    board: npt.NDArray[np.int8]
    remaining: npt.NDArray[np.int32]
    moves: npt.NDArray[np.int32]
    open: npt.NDArray[np.int8]
    turn: npt.NDArray[np.int32]
    turn_hits: npt.NDArray[np.int32]
    live: npt.NDArray[np.bool_]
    alike: npt.NDArray[np.int64]
    content: npt.NDArray[np.uint8 | np.uint16]
    codes: npt.NDArray[np.int32]
    afloat: npt.NDArray[np.uint16]
    left: npt.NDArray[np.int64]
    cells: npt.NDArray[np.int64]
    outcomes: npt.NDArray[np.int64]
    ships: npt.NDArray[np.int64]
    slots: npt.NDArray[np.int64]
    hits: npt.NDArray[np.int64]


@helper
def _games(held):
    """Return what the referee's kernels take."""
    settings, facts = held.settings, held.facts
    return Games(
        held.live,
        settings[3],
        held.alike,
        settings[4],
        held.content,
        held.codes,
        held.afloat,
        held.left,
        facts[_SHOTS],
        facts[_TURNS],
        facts[_ALLOWED],
        held.cells,
        held.outcomes,
        held.ships,
        held.slots,
        held.hits,
        held.ended,
        settings[5],
        settings[6],
    )


@helper
def _no_answer(lane, held, turn_hits):
    """Show that nothing was fired."""
    if turn_hits.ndim == 3 or most_shots(held.cells) > 1:
        for place in range(most_shots(held.cells)):
            no_shot(lane, place, held)
            put(held.outcomes, lane, place, NOTHING)
        set_hits(lane, held.hits, NOTHING)
    held.facts[_OUTCOME, lane] = held.facts[_SHIP, lane] = NOTHING


@helper
def _note(lane, games, held, turn_hits):
    """Take note of a turn; only what its answers need is compiled."""
    if turn_hits.ndim == 3:
        if most_shots(games.cells) == 1:
            games.turns[lane] = games.shots[lane]
        shown = KnownTurns(held.turn, turn_hits, held.remaining, held.moves, held.open)
        note_turn(lane, games, held.fleet, shown)
    else:
        known = Known(held.board, held.remaining, held.moves, held.open)
        for place in range(most_shots(games.cells)):
            if place == 0 or at(games.cells, lane, place) != NOTHING:
                note_shot(lane, place, games, held.settings[2], held.fleet, known)


@helper
def _forget_joint(lane, turn, turn_hits):
    if turn_hits.ndim == 3:
        turn[lane, :] = 0
        turn_hits[lane, :, :] = 0


# The fields of the record one by one, and not *state: numba looks at the types of what is in a
# tuple at every call, which takes 0.6 us here, a fifth of a step of a single environment.
@kernel
def _act(
    turns,
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
    turn,
    turn_hits,
    live,
    alike,
    content,
    codes,
    afloat,
    left,
    cells,
    outcomes,
    ships,
    slots,
    hits,
):
    """Act in lanes that are not resting; return how many episodes ended, listed in ``ended``."""
    held = Held(
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
        turn,
        turn_hits,
        live,
        alike,
        content,
        codes,
        afloat,
        left,
        cells,
        outcomes,
        ships,
        slots,
        hits,
    )
    games = _games(held)
    terminates, limit = settings[0] != 0, settings[1]
    ends = 0
    # With an unsigned index, numba does not check whether it counts from the end.
    for lane in range(np.uint64(len(turns))):
        if resting[lane]:
            reward[lane] = 0.0
            over[0, lane] = over[1, lane] = False
            continue
        fired = legal_shots(lane, turns, games.allowed, 0, open_cells)
        if fired == 0 and games.patience > 0 and is_cell(lane, turns, open_cells):
            waste(lane, turns, games)
            facts[_OUTCOME, lane], facts[_SHIP, lane] = MISS, NOTHING
            moves[lane, 0] = games.shots[lane]
            reward[lane], done = pay[_TURN] + pay[MISS], False
        elif fired == 0:
            _no_answer(lane, held, turn_hits)
            facts[_REFUSED, lane] += 1
            reward[lane] = pay[_INVALID]
            done = terminates
        else:
            # It writes to `ended` what is written there below.
            fire_turn(lane, turns, fired, games, ends)
            done = not live[lane]
            _note(lane, games, held, turn_hits)
            paid, greatest, of_ship = pay[_TURN], NOTHING, NOTHING
            final = fired - 1
            while done and final > 0 and at(outcomes, lane, final) <= MISS:
                final -= 1
            for place in range(most_shots(cells)):
                if place and at(cells, lane, place) == NOTHING:
                    put(outcomes, lane, place, NOTHING)
                    continue
                came, ship = at(outcomes, lane, place), at(ships, lane, place)
                paid += pay[_WIN if done and place == final else came]
                if place == 0 or came > greatest:
                    greatest, of_ship = came, ship
                elif came == greatest:
                    # Not the last one: with joint answers that would tell the order of cells.
                    of_ship = min(of_ship, ship)
            reward[lane], facts[_OUTCOME, lane], facts[_SHIP, lane] = paid, greatest, of_ship
        acted = games.turns[lane] if most_shots(cells) > 1 else games.shots[lane]
        late = acted + facts[_REFUSED, lane] >= limit
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
    held = Held(*state)
    known, games = Known(held.board, held.remaining, held.moves, held.open), _games(held)
    cols, facts = held.settings[2], held.facts
    empty = 0
    for lane in begun:
        deal_in(lane, ahead[lane, place[lane]], cols, held.fleet, games)
        know_nothing(lane, held.fleet, known)
        _forget_joint(lane, held.turn, held.turn_hits)
        _no_answer(lane, held, held.turn_hits)
        facts[_REFUSED, lane] = 0
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
        check_choice("rewards", rewards, REWARDS)
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
    """A batch of games, each in a lane with a seed of its own.

    Parameters
    ----------
    rules : Rules
    sampler : Sampler
        Draws the layouts.
    lanes : int
    rewards : str or mapping
        See `reward_table`.
    invalid_action : {"penalty", "terminate", "raise"}
        What an action that is no valid turn leads to: see `INVALID_ACTIONS`.
    max_episode_steps : int, optional
        Actions, invalid ones included, after which an episode is truncated; at most, and by
        default, `STEPS_PER_CELL` times the cells.

    Attributes
    ----------
    known : Known
        What is known in each lane, written in place by `act` and `begin`.
    shown : Known or KnownTurns
        What agents are shown of it: the same; but the latter with joint answers, of which
        ``known`` shows only the open cells, the shots and the ships afloat.
    answers : dict of str to ndarray of int64, shape (lanes, …)
        What else the last action revealed, which `known` does not show: nothing, but in salvos
        ``cells`` (lanes, most shots), its shots in order, -1 beyond them,
        and ``hits`` (lanes, ships), how many of them hit each ship, -1 where the feedback does not
        say it. Where each shot is answered also ``outcomes``, ``ships`` and ``slots``
        (lanes, most shots), as in `bsbench.strategies.view.View`, -1 beyond the last shot.
    names : tuple of str
        Of the rows of ``facts``: `FACTS`, in salvos `TURN_FACTS`.
    facts : ndarray of int64, shape (6 or 8, lanes)
        Rows as in ``names``: the greatest of what the shots of the last action did (``MISS``,
        ``HIT``, ``SUNK``, or -1 if it was refused, or there was none), the first ship that such an
        outcome revealed or -1, shots fired and actions refused in this game, its seed, and its
        number under the seed (-1 for a layout given by hand); turns so far, and the shots at most
        of the next.
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
        If an argument is invalid, or the shots of a turn are counted by the shooter's own ships.
    """

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
        if rules.shots == AFLOAT:
            raise BsbenchError(
                "as many shots as ships afloat are counted by the shooter's own ships, which only "
                "a match has: choose a number of shots, such as scenario.override(shots=5)"
            )
        lanes = int(lanes)
        self._made = rules, sampler, lanes, rewards, invalid_action, max_episode_steps
        self.rules = rules
        self.lanes = lanes
        self.rewards = reward_table(rewards)
        self._sampler = sampler
        self.names = TURN_FACTS if rules.salvos else FACTS
        # Were rows a multiple of 4 KiB apart, processors would take one for the other.
        facts = np.zeros((len(TURN_FACTS), lanes + _APART), np.int64)
        self.facts = facts[: len(self.names), :lanes]
        facts[_ALLOWED] = rules.most_shots
        self._allowed = facts[_ALLOWED]
        view = View(rules, lanes)
        hits = np.full((lanes, len(rules.fleet)), NOTHING)
        if rules.salvos and rules.reveals.ships:
            view.hits = hits
        games = Referee(view).state
        self._patience = games.patience
        # It says what each shot did, for the rewards, and -1 where nothing was fired.
        outcomes: npt.NDArray[Any] = view.outcomes
        if rules.salvos:
            outcomes = np.full(view.cells.shape, NOTHING)
        self.known = known = room_for(rules, lanes)
        # Without joint answers nothing is written to it, and kernels see that by its axes.
        turns = KnownTurns(
            np.zeros((lanes, rules.rows, rules.cols) if rules.joint else (0, 0), np.int32),
            np.zeros((lanes, rules.cells, len(rules.fleet)) if rules.joint else (0,), np.int32),
            known.remaining,
            known.shots,
            known.open,
        )
        self.shown: Known | KnownTurns = turns if rules.joint else known
        self.answers: dict[str, npt.NDArray[np.int64]] = {}
        if rules.salvos:
            self.answers |= {"cells": view.cells, "hits": hits}
        if rules.salvos and not rules.joint:
            self.answers |= {"outcomes": outcomes, "ships": view.ships, "slots": view.slots}
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
        settings = (
            *(invalid_action == "terminate", most_steps, rules.cols),
            *(games.told, games.water, games.patience, games.whole),
        )
        # Python passes what is in a NamedTuple more slowly.
        self._state = tuple(
            Held(
                settings=np.array(settings, np.int64),
                fleet=np.array(rules.fleet, np.int64),
                pay=np.array([self.rewards[event] for event in EVENTS]),
                facts=facts,
                reward=self.reward,
                over=over,
                ended=self.ended,
                board=known.flat().board,
                remaining=known.remaining,
                moves=known.shots,
                open=known.open,
                turn=turns.turn.reshape(lanes, -1) if rules.joint else turns.turn,
                turn_hits=turns.hits,
                live=games.live,
                alike=games.alike,
                content=games.content,
                codes=games.codes,
                afloat=games.afloat,
                left=games.left,
                cells=games.cells,
                outcomes=for_kernels(outcomes),
                ships=games.ships,
                slots=games.slots,
                hits=games.hits,
            )
        )

    def _arrays(self) -> list[npt.NDArray[Any]]:
        """Return all that changes during games, except the list of lanes without a layout."""
        return [*self._state, self.seeds, self._ahead, self._place, self._next_game]

    # Several objects share these arrays. In a copy they do so only if it is built by __init__.
    def __getstate__(self) -> dict[str, Any]:
        arrays = [array.copy() for array in self._arrays()]
        return {"made": self._made, "empty": self._empty.copy(), "arrays": arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Arena.__init__(self, *state["made"])
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
        turns = for_kernels(np.full((self.lanes, self.rules.most_shots), NOTHING))
        return turns, partial(_act, turns, self._resting, *self._state)

    def act(
        self, turns: npt.NDArray[np.int64], resting: npt.NDArray[np.bool_] | None = None
    ) -> int:
        """Act in every lane, each with a game that is not over.

        Parameters
        ----------
        turns : ndarray of int64, shape (lanes, most shots of a turn), or (lanes,) if that is 1
            The cells of the shots, then -1 where they are fewer: see `bsbench.kernels.turns`.
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
        self.check(turns, resting)
        ends: int = _act(turns, resting, *self._state)
        return ends

    def check(
        self, turns: npt.NDArray[np.int64], resting: npt.NDArray[np.bool_] | None = None
    ) -> None:
        """Refuse actions if invalid ones are errors, and one is invalid in a lane not resting.

        Raises
        ------
        BsbenchError
            If so.
        """
        if not self.raises:
            return
        resting, rules = self._resting if resting is None else resting, self.rules
        lane = _first_invalid(turns, resting, self._allowed, self.known.open, self._patience)
        if lane < 0:
            return
        row = np.atleast_1d(turns[lane]).tolist()
        shot = [cell for cell in row if 0 <= cell < rules.cells and not self.known.open[lane, cell]]
        action = "" if rules.salvos else f" {row[0]}"
        if shot:
            problem = f"cell {shot[0]} ({cell_name(shot[0], rules.cols)}) was shot before"
        elif rules.salvos:
            problem = f"a turn has 1 to {self._allowed[lane]} shots, not {max(-1 - min(row), 0)}"
        else:
            problem = f"the cells of the {rules.board} board are 0 to {rules.cells - 1}"
        where = f" of board {lane}" if self.lanes > 1 else ""
        raise BsbenchError(f"the action{action}{where} is invalid: {problem}")


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
