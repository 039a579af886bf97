"""Games turn by turn, for agents that may do anything: an `Arena` whose turns have several shots.

An action is a set of cells, fired at together and answered as a whole. A set without a cell, with
too many, or with one that was shot before is one invalid action. A set has no order, so its shots
are fired in the order of the cells, and those after the last hit of a game are not fired.

With joint answers, agents are shown in which turn each cell was shot, and how many shots of each
turn hit each ship: a `bsbench.kernels.known.KnownTurns`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.known import Known, KnownTurns, note_shot, note_turn
from bsbench.layouts import Sampler
from bsbench.play.arena import EVENTS, FACTS, Arena, Episodes, Rewards
from bsbench.play.referee import Games, fire_turn
from bsbench.rules.board import AFLOAT, MISS, NOTHING, Rules
from bsbench.rules.drawing import cell_name
from bsbench.strategies.view import LastShots, begin_salvos, empty_salvo

TURN_FACTS = *FACTS, "turns", "allowed"
"""Rows of `SalvoArena.facts`."""

_OUTCOME, _SHIP, _SHOTS, _REFUSED, _, _, _TURNS, _ALLOWED = range(len(TURN_FACTS))

_WIN, _INVALID, _TURN = (EVENTS.index(name) for name in ("win", "invalid", "turn"))

# Where the fields of each record are among the arrays of an arena.
_KNOWN = len(Episodes._fields)
_GAMES = _KNOWN + len(Known._fields)


@helper
def _shots_of(lane, sets, allowed, is_open, cells):
    """Write the cells of a set to ``cells``, ascending; return how many, or -1 if it is invalid."""
    fired = 0
    for cell in range(sets.shape[1]):
        if sets[lane, cell]:
            if fired == allowed[lane] or not is_open[lane, cell]:
                return NOTHING
            cells[fired] = cell
            fired += 1
    return fired if fired else NOTHING


@kernel
def _first_invalid(sets, resting, allowed, is_open, cells):
    """Return the first lane, of those that are not resting, whose set is invalid; or -1."""
    for lane in range(len(sets)):
        if not resting[lane] and _shots_of(lane, sets, allowed, is_open, cells) == NOTHING:
            return lane
    return -1


@helper
def _no_answer(lane, salvo):
    """Show that nothing was fired."""
    salvo.cells[lane, :] = salvo.outcome[lane, :] = NOTHING
    salvo.ship[lane, :] = salvo.slot[lane, :] = salvo.hits[lane, :] = NOTHING


@kernel
def _act(sets, resting, joint, cells, salvo, turns, *state):
    """Act in lanes that are not resting; return how many episodes ended, listed in ``ended``.

    Parameters
    ----------
    sets : ndarray of int8, shape (lanes, cells)
    resting : ndarray of bool, shape (lanes,)
    joint : bool
    cells : ndarray of int64, shape (most,)
        Scratch.
    salvo : Salvo
        Of the referee, what each shot did included; ``outcome`` is int64.
    turns : KnownTurns
        With joint answers, what agents are shown; boards in one row.
    *state
        As in `Arena`.
    """
    episodes = Episodes(*state[:_KNOWN])
    known, games = Known(*state[_KNOWN:_GAMES]), Games(*state[_GAMES:])
    settings, fleet, pay, facts = episodes.settings, episodes.fleet, episodes.pay, episodes.facts
    terminates, limit, cols = settings[0] != 0, settings[1], settings[2]
    reward, over = episodes.reward, episodes.over
    ends = 0
    for lane in range(len(sets)):
        reward[lane] = 0.0
        if resting[lane]:
            over[0, lane] = over[1, lane] = False
            continue
        _no_answer(lane, salvo)
        facts[_OUTCOME, lane] = facts[_SHIP, lane] = NOTHING
        fired = _shots_of(lane, sets, salvo.allowed, known.open, cells)
        if fired == NOTHING:
            facts[_REFUSED, lane] += 1
            reward[lane] = pay[_INVALID]
            done = terminates
        else:
            fire_turn(lane, cells, fired, False, salvo, games, 0)
            done = not games.live[lane]
            reward[lane] = pay[_TURN]
            if joint:
                note_turn(lane, salvo, games.shots, fleet, turns)
            final = fired - 1
            while final > 0 and salvo.outcome[lane, final] <= MISS:
                final -= 1
            for place in range(fired):
                if salvo.cells[lane, place] == NOTHING:
                    break
                last = LastShots(
                    games.live,
                    salvo.cells[:, place],
                    salvo.outcome[:, place],
                    salvo.ship[:, place],
                    salvo.slot[:, place],
                    games.shots,
                )
                if not joint:
                    note_shot(lane, last, cols, fleet, known)
                came, ship = last.outcome[lane], last.ship[lane]
                wins = done and place == final
                reward[lane] += pay[_WIN if wins else came]
                if came > facts[_OUTCOME, lane]:
                    facts[_OUTCOME, lane], facts[_SHIP, lane] = came, ship
                elif came == facts[_OUTCOME, lane]:
                    # Not the last one: with joint answers that would tell the order of cells.
                    facts[_SHIP, lane] = min(facts[_SHIP, lane], ship)
            facts[_SHOTS, lane], facts[_TURNS, lane] = games.shots[lane], salvo.turns[lane]
        late = facts[_TURNS, lane] + facts[_REFUSED, lane] >= limit
        over[0, lane] = done
        over[1, lane] = late
        if done or late:
            episodes.ended[ends] = lane
            ends += 1
    return ends


class SalvoArena(Arena):
    """A batch of games of salvos, each in a lane with a seed of its own.

    Parameters
    ----------
    rules : Rules
        With `Rules.salvos`.
    sampler, lanes, rewards, invalid_action, max_episode_steps
        As for `Arena`.

    Attributes
    ----------
    shown : Known or KnownTurns
        What agents are shown; the latter with joint answers, of which ``known`` shows only the
        open cells, the shots and the ships afloat.
    answers : dict of str to ndarray of int64, shape (lanes, …)
        What the last turn did: ``cells`` (lanes, most shots) its shots in order, -1 beyond them,
        and ``hits`` (lanes, ships) how many of them hit each ship, -1 where the feedback does not
        say it. Where each shot is answered also ``outcomes``, ``ships`` and ``slots``
        (lanes, most shots), as in `bsbench.strategies.view.View`, -1 beyond the last shot.
    names : tuple of str
        `TURN_FACTS`.
    facts : ndarray of int64, shape (8, lanes)
        As those of `Arena`, of a turn: its greatest outcome, and of the ships that such an outcome
        revealed the first in the fleet. Besides, turns so far, and the shots at most of the next.

    Raises
    ------
    BsbenchError
        As for `Arena`; or if the shots of a turn are counted by the shooter's own ships.
    """

    names = TURN_FACTS

    def __init__(
        self,
        rules: Rules,
        sampler: Sampler,
        lanes: int,
        rewards: Rewards = "seed",
        invalid_action: str = "penalty",
        max_episode_steps: int | None = None,
    ) -> None:
        if rules.shots == AFLOAT:
            raise BsbenchError(
                "as many shots as ships afloat are counted by the shooter's own ships, which only "
                "a match has: choose a number of shots, such as scenario.override(shots=5)"
            )
        super().__init__(rules, sampler, lanes, rewards, invalid_action, max_episode_steps)
        # It says what each shot did, for the rewards, and -1 where nothing was fired.
        salvo = empty_salvo(rules, self.lanes)
        outcomes = np.full(salvo.cells.shape, NOTHING)
        salvo = self._salvo = salvo._replace(outcome=outcomes)
        self.answers = {"cells": salvo.cells, "hits": salvo.hits}
        if not rules.joint:
            self.answers |= {"outcomes": outcomes, "ships": salvo.ship, "slots": salvo.slot}
        known = self.known
        # Without joint answers, nothing is written to it.
        turns = KnownTurns(
            np.zeros((self.lanes, rules.rows, rules.cols), np.int32),
            np.zeros((self.lanes, rules.cells if rules.joint else 0, len(rules.fleet)), np.int32),
            known.remaining,
            known.shots,
            known.open,
        )
        if rules.joint:
            self.shown = turns
        flat = turns._replace(turn=turns.turn.reshape(self.lanes, rules.cells))
        scratch = np.zeros(rules.most_shots, np.int64)
        self._turns = turns
        self._turn_state = rules.joint, scratch, salvo, flat, *self._state

    def _arrays(self) -> list[npt.NDArray[Any]]:
        return [*super()._arrays(), *self._salvo, self._turns.turn, self._turns.hits]

    def _begin(
        self,
        lanes: npt.NDArray[np.int64],
        ahead: npt.NDArray[np.int32],
        place: npt.NDArray[np.int64],
        next_game: npt.NDArray[np.int64],
    ) -> int:
        begin_salvos(self._salvo, lanes)
        self._salvo.outcome[lanes] = NOTHING
        self._turns.turn[lanes] = self._turns.hits[lanes] = 0
        self.facts[_TURNS, lanes] = 0
        self.facts[_ALLOWED, lanes] = self._salvo.allowed[lanes]
        return super()._begin(lanes, ahead, place, next_game)

    def action(self) -> tuple[npt.NDArray[Any], Callable[[], int]]:
        """Return an array for sets of cells, int8 (lanes, cells), and what acts as they are."""
        sets = np.zeros((self.lanes, self.rules.cells), np.int8)
        return sets, partial(_act, sets, self._resting, *self._turn_state)

    def act(self, actions: npt.NDArray[Any], resting: npt.NDArray[np.bool_] | None = None) -> int:
        """Act in every lane, as `Arena.act` does, with int8 sets of shape (lanes, cells)."""
        resting = self._resting if resting is None else resting
        self.check(actions, resting)
        ends: int = _act(actions, resting, *self._turn_state)
        return ends

    def check(
        self, actions: npt.NDArray[Any], resting: npt.NDArray[np.bool_] | None = None
    ) -> None:
        """Refuse sets if invalid ones are errors, and one is invalid in a lane not resting.

        Raises
        ------
        BsbenchError
            If so.
        """
        if not self.raises:
            return
        resting = self._resting if resting is None else resting
        _, scratch, salvo, *_ = self._turn_state
        lane = _first_invalid(actions, resting, salvo.allowed, self.known.open, scratch)
        if lane < 0:
            return
        (cells,) = np.nonzero(actions[lane])
        allowed = int(salvo.allowed[lane])
        shot = cells[self.known.open[lane, cells] == 0]
        if len(shot):
            name = cell_name(int(shot[0]), self.rules.cols)
            problem = f"cell {shot[0]} ({name}) was shot before"
        else:
            problem = f"a turn has 1 to {allowed} shots, not {len(cells)}"
        where = f" of board {lane}" if self.lanes > 1 else ""
        raise BsbenchError(f"the action{where} is invalid: {problem}")


def arena_for(rules: Rules, *arguments: Any) -> Arena:
    """Return an arena for games under some rules; the arguments are those of `Arena`."""
    return (SalvoArena if rules.salvos else Arena)(rules, *arguments)
