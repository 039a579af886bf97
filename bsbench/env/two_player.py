"""Battleship for two as a PettingZoo environment: both sides have a fleet, and shoot in turn.

As with PettingZoo's own games, `env` makes the environment that users want, and `raw_env` the same
without wrappers::

    from bsbench.env import two_player

    env = two_player.env(scenario="gym-8x8")
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from bsbench.common.arguments import is_whole
from bsbench.common.errors import BsbenchError, how_to_install
from bsbench.common.settings import check_choice, check_game, suggestion
from bsbench.common.texts import shortened, type_of
from bsbench.env.making import sampler_of, scenario_of
from bsbench.env.rendering import METADATA, check_render_mode, render
from bsbench.kernels.known import Known
from bsbench.own.observation import Observation, Observing
from bsbench.play.arena import FACTS, Arena, check_seed
from bsbench.rules.board import MISS, Rules, slots_left
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario

try:
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise BsbenchError(
        f"Battleship for two needs PettingZoo, which is not installed: {how_to_install('gym')}"
    ) from None

__all__ = ["TwoPlayerEnv", "env", "raw_env"]

AGENTS = "player_0", "player_1"

PLACEMENTS = "law", "actions"
"""Who lays the fleets: the placement law of the scenario, or the agents."""

_OPTIONS = ("game",)

_NONSENSE = {"options": 1}
"""What PettingZoo's `api_test` gives as options of `reset`: every environment has to take it."""

_PLANES = 4
"""Planes of what is known of a board: open, miss, hit, of a sunk ship."""


class BothSides:
    """What a side of a game for two is shown.

    Parameters
    ----------
    rules : Rules
    actions : int
        How many actions there are: the length of a mask.

    Attributes
    ----------
    shapes : dict of str to tuple of int
        Of the arrays of an observation, all int8 of 0 and 1: see `TwoPlayerEnv`.
    """

    def __init__(self, rules: Rules, actions: int) -> None:
        self._rules = rules
        # Those of the environment for one.
        self._planes = Observing(rules, "planes")
        planes = rules.rows, rules.cols, 2 * (_PLANES + len(rules.fleet))
        self.shapes = {"observation": planes, "action_mask": (actions,)}

    def space(self) -> spaces.Dict:
        """Return the space of observations, a new one each time."""
        return spaces.Dict(
            {
                name: spaces.Box(np.int8(0), np.int8(1), shape, np.int8)
                for name, shape in self.shapes.items()
            }
        )

    def show(self, own: Known, other: Known, fleet: Sequence[int]) -> npt.NDArray[np.int8]:
        """Return the planes of one side.

        Parameters
        ----------
        own, other : Known
            What this side's shots have revealed, and what those of the other side have.
        fleet : sequence of int
            The slot codes of this side's ships, as far as they have been laid.

        Returns
        -------
        ndarray of int8, shape (rows, cols, 2 * (4 + ships))
        """
        rules = self._rules
        shown = np.zeros(self.shapes["observation"], np.int8)
        for place, known in enumerate((own, other)):
            planes: Any = self._planes.show(known)
            first = place * _PLANES
            shown[..., first : first + _PLANES] = np.moveaxis(planes["planes"], 0, -1)
        ships = shown[..., 2 * _PLANES :]
        for number, cells in enumerate(rules.ships(fleet)):
            ships[..., number].flat[list(cells)] = 1
        ships[..., len(rules.fleet) :] = own.remaining > 0
        return shown

    def read(self, observation: Observation) -> Known:
        """Return what a side's own shots have revealed.

        Raises
        ------
        BsbenchError
            If it is no observation of this board, or ships are still being laid.
        """
        rules, shape = self._rules, self.shapes["observation"]
        shown = observation.get("observation") if isinstance(observation, Mapping) else None
        if not isinstance(shown, np.ndarray) or shown.shape != shape:
            raise BsbenchError(
                f"this is not an observation of the {rules.board} board for two: it has no array "
                f"'observation' of shape {shape}"
            )
        ships = shown[..., 2 * _PLANES :]
        if np.count_nonzero(ships[..., : len(rules.fleet)]) != rules.ship_cells:
            raise BsbenchError(
                "this side has not laid its fleet yet: strategies shoot, and lay no ships"
            )
        afloat = ships[0, 0, len(rules.fleet) :]
        return self._planes.read(
            {
                "planes": np.moveaxis(shown[..., :_PLANES], -1, 0),
                "remaining_ships": afloat * np.array(rules.fleet, np.int32),
                "move_count": np.zeros(1, np.int32),
            }
        )


class TwoPlayerEnv(AECEnv):  # type: ignore[misc]
    """Sink the other side's fleet before it has sunk yours.

    ## Description

    ``player_0`` and ``player_1`` have a board each, under the same rules. They act in turn, one
    shot a turn, and another one after each hit if the scenario has ``again``; who has hit the
    whole other fleet wins. A side never sees the other's ships.

    ## Action Space

    With ``placement="law"``, ``Discrete(rows * cols)``: the cell ``row * cols + col`` to shoot at.
    With ``placement="actions"``, ``Discrete(2 * rows * cols)``: first, the side that begins lays
    its first ship, then the other side lays its own, and so on, in the order of the fleet. The
    action is the slot: ``2 * first cell + down``, with ``down`` 1 for a ship along a column. Then
    actions are cells.

    ## Observation Space

    ``observation`` (rows, cols, 2 * (4 + ships)) int8, planes of 0 and 1:

    | planes | what they show |
    | --- | --- |
    | 0 to 3 | own shots: open, miss, hit, of a sunk ship |
    | 4 to 7 | the other side's shots, likewise |
    | one for each ship | where this own ship lies |
    | one for each ship | 1 everywhere while this ship of the other side is afloat |

    ``action_mask`` (actions,) int8: 1 where an action is legal. These are the open cells; in
    the placement phase, the slots that leave room for the ships after it. It is 0 everywhere for
    a side that does not act now. Where the scenario's feedback is ``hit``, nothing shows what has
    sunk.

    ## Starting State

    ``reset(seed=s)`` begins game 0 of seed s, the resets after it games 1, 2, …, and
    ``options={"game": 7}`` begins with another one. In game g, ``player_0`` shoots at layout
    number g of the seed, by the law of ``player_1``, and ``player_1`` at layout number g XOR 1, by
    the law of ``player_0``. Layouts are numbered as games of ``bsbench run --seed s``. In even
    games, ``player_0`` begins, in odd ones, ``player_1``. So games 2i and 2i + 1 are played on the
    same two layouts, with sides swapped.

    ## Rewards

    At the end +1 for the winner and -1 for the other side; 0 for both in a draw, or if truncated.

    ## Episode End

    Terminated when a fleet has been hit, or, with ``last_turn``, after the turn of the second
    side: if it has then hit the other fleet, too, that is a draw. Truncated after
    ``max_cycles`` turns of each side.

    ## Information

    For each agent ``outcome`` of its last shot (0 miss, 1 hit, 2 sunk, -1 none), ``ship`` (index
    of the ship that the outcome names, else -1), its ``shots``, ``seed`` and ``game``.

    ## Arguments

    scenario : str, Path or Scenario, optional
        As for `BattleshipEnv`. By default ``gym-10x10``.
    laws : sequence of str or Placement, optional
        The placement laws of ``player_0``'s and ``player_1``'s fleets. By default both have that
        of the scenario.
    placement : {"law", "actions"}
        Whether the laws deal both fleets, or the agents lay them.
    last_turn : bool
        Whether the second side has the last turn. By default False.
    max_cycles : int, optional
        Turns of each side, those of the placement phase included. By default there is no limit.
    render_mode : {"ansi", "html", "human", "rgb_array"}, optional
        See `render`.

    ## Version History

    * v0: first release
    """

    metadata: dict[str, Any] = METADATA | {"name": "battleship_v0", "is_parallelizable": False}

    # Options are keywords, as with PettingZoo's games.
    def __init__(
        self,
        scenario: str | Path | Scenario | None = None,
        *,
        laws: Sequence[str | Placement] | None = None,
        placement: str = "law",
        last_turn: bool = False,
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.scenario = scenario_of(scenario, None)
        rules = self.scenario.rules
        rules.check_single_shots("the environment for two is played")
        rules.check_no_repeats("the environment for two takes open cells")
        check_choice("placement", placement, PLACEMENTS)
        if max_cycles is not None and not (is_whole(max_cycles) and max_cycles > 0):
            raise BsbenchError(
                f"max_cycles is a whole number from 1 on, not {shortened(max_cycles)}"
            )
        self.render_mode = check_render_mode(render_mode)
        self.last_turn, self.max_cycles = last_turn, max_cycles
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        # For each side, the sampler of its own fleet, and the arena in which it shoots.
        self._samplers = [sampler_of(each, None) for each in _sides(self.scenario, laws)]
        self._arenas = [
            Arena(rules, sampler, 1, invalid_action="raise") for sampler in self._samplers[::-1]
        ]
        self._by_agents = placement == "actions"
        actions = 2 * rules.cells if self._by_agents else rules.cells
        self.observing = BothSides(rules, actions)
        # Each agent has spaces of its own, since they can be seeded.
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in AGENTS}
        self.observation_spaces = {agent: self.observing.space() for agent in AGENTS}
        # The number of the next game of the seed, once there is one.
        self._seed, self._game, self._seeded = 0, 0, False

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Parameters
        ----------
        seed : int, optional
            Begin with game 0 of it. Without it, the next game of the last seed is played, or, if
            there never was one, game 0 of a random seed.
        options : dict, optional
            ``game``: the number of the game under the seed, after which its successors follow.

        Raises
        ------
        BsbenchError
            If the seed or an option is invalid, or no layout was found.
        """
        game = _game_of(options)
        if seed is not None:
            self._seed, self._game = check_seed(seed), 0
        elif not self._seeded:
            self._seed = int(np.random.default_rng().integers(2**31))
        self._seeded = True
        if game is not None:
            self._game = game
        self._playing, self._game = self._game, self._game + 1
        self._first = self._playing % 2
        self._turns = 0
        # Which sides have hit the whole other fleet.
        self._done = [False, False]
        self._fleets: list[list[int]] = [[], []]
        for side, arena in enumerate(self._arenas):
            # While agents lay ships nobody shoots, and any codes do.
            arena.begin_on(_LANE, [0] * len(self.scenario.rules.fleet))
            if not self._by_agents:
                layout = self._samplers[1 - side].draw(self._seed, self._playing ^ side, 1)[0]
                self._lay(1 - side, layout.tolist())
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[self._first]
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._begin_turn()

    def _lay(self, side: int, codes: Sequence[int]) -> None:
        """Lay more ships of a side; once all are laid, the other side can shoot at them."""
        fleet = self._fleets[side]
        fleet.extend(codes)
        if len(fleet) == len(self.scenario.rules.fleet):
            self._arenas[1 - side].begin_on(_LANE, fleet)

    @property
    def _laying(self) -> bool:
        """Whether ships are still being laid."""
        ships = len(self.scenario.rules.fleet)
        return any(len(fleet) < ships for fleet in self._fleets)

    def _begin_turn(self) -> None:
        """Find which actions are legal, and what agents are informed of."""
        side = AGENTS.index(self.agent_selection)
        self._legal = np.zeros(self.action_spaces[AGENTS[side]].n, np.int8)
        if self._laying:
            slots = slots_left(self.scenario.rules, self._fleets[side])
            if not slots:
                raise BsbenchError(
                    f"{AGENTS[side]} has no room for its next ship: lay the ships before it "
                    "elsewhere, or use fewer or shorter ships"
                )
            self._legal[slots] = 1
        else:
            is_open = self._arenas[side].known.open[0]
            self._legal[: len(is_open)] = is_open
        self.infos = {
            agent: {
                **dict(zip(FACTS[:3], arena.facts[:3, 0].tolist(), strict=True)),
                "seed": self._seed,
                "game": self._playing,
            }
            for agent, arena in zip(AGENTS, self._arenas, strict=True)
        }
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Act for the agent whose turn it is: shoot, or lay a ship.

        Parameters
        ----------
        action : int
            The cell, ``row * cols + col``, or the slot, ``2 * first cell + down``. None for an
            agent whose game is over.

        Raises
        ------
        BsbenchError
            If there is no game, or it is over; or if the action is illegal. Nothing has changed
            then. (In `env`, an illegal action ends the game.)
        """
        if not self.agents:
            raise BsbenchError("there is no game, or it is over: call reset() to begin one")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        side = AGENTS.index(agent)
        number = self._checked(action)
        if self._laying:
            self._lay(side, [number])
        else:
            self._done[side] = self._arenas[side].act(np.array([number])) > 0
        # Where a hit gives another shot, the turn goes on.
        again = self.scenario.rules.again and self._arenas[side].facts[0, 0] > MISS
        again = again and not self._done[side]
        self._turns += not again
        self._end_game()
        self._accumulate_rewards()
        self.agent_selection = AGENTS[side if again else 1 - side]
        self._begin_turn()
        if self.terminations[agent] or self.truncations[agent]:
            self._legal[:] = 0

    def _checked(self, action: Any) -> int:
        """Return an action as an int, if it is legal."""
        try:
            if not is_whole(action):
                raise TypeError
            number = operator.index(action)
        except TypeError:
            raise BsbenchError(f"an action is a whole number, not {type_of(action)}") from None
        if 0 <= number < len(self._legal) and self._legal[number]:
            return number
        side = AGENTS.index(self.agent_selection)
        if not self._laying:
            # Raises, as the cell is not open; -1 stands for what is too large for int64.
            self._arenas[side].check(np.array([number if abs(number) < 2**63 else -1]))
        length = self.scenario.rules.fleet[len(self._fleets[side])]
        raise BsbenchError(
            f"the action {number} is illegal: a ship of {length} can't lie in this slot, see the "
            "action_mask"
        )

    def _end_game(self) -> None:
        """End the game if it is over, and pay; nobody was paid before."""
        done, round_over = self._done, self._turns % 2 == 0
        if any(done) and (round_over or not self.last_turn):
            if done[0] != done[1]:
                self.rewards = {agent: 2 * won - 1 for agent, won in zip(AGENTS, done, strict=True)}
            self.terminations = dict.fromkeys(AGENTS, True)
        elif self._turns == 2 * (self.max_cycles or -1):
            self.truncations = dict.fromkeys(AGENTS, True)

    def observe(self, agent: str) -> dict[str, npt.NDArray[np.int8]]:
        """Return what an agent sees: see the observation space."""
        side = AGENTS.index(agent)
        own, other = (self._arenas[each].known.of(0) for each in (side, 1 - side))
        acts = agent == self.agent_selection
        return {
            "observation": self.observing.show(own, other, self._fleets[side]),
            "action_mask": self._legal.copy() if acts else np.zeros_like(self._legal),
        }

    def render(self) -> Any:
        """Return both boards, as the sides that shoot at them know them.

        Returns
        -------
        str, ndarray of uint8 of shape (height, width, 3), or None
            As `BattleshipEnv.render` returns; in a picture, the board that ``player_0`` shoots at
            is on the left.
        """
        mode, rules = self.render_mode, self.scenario.rules
        if mode is None:
            return render(rules, self._arenas[0].known.of(0), mode)
        shown = [
            render(rules, arena.known.of(0), mode, f"{agent}, ")
            for agent, arena in zip(AGENTS, self._arenas, strict=True)
        ]
        if mode == "rgb_array":
            return np.hstack(shown)
        return None if mode == "human" else "\n\n".join(shown)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def raw_env(**options: Any) -> TwoPlayerEnv:
    """Return Battleship for two, in which an illegal action is a `BsbenchError`.

    Parameters
    ----------
    **options
        Arguments of `TwoPlayerEnv`.
    """
    return TwoPlayerEnv(**options)


def env(**options: Any) -> AECEnv:
    """Return Battleship for two in the wrappers of PettingZoo's own games.

    An illegal action ends the game: who did it gets -1, the other side 0. An action outside of the
    action space, and calls in a wrong order, are errors.

    Parameters
    ----------
    **options
        Arguments of `TwoPlayerEnv`.
    """
    illegal = wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(illegal))


_LANE = np.zeros(1, np.int64)
"""The only lane of an arena."""


def _sides(scenario: Scenario, laws: Sequence[str | Placement] | None) -> list[Scenario]:
    """Return the scenario with the placement law of each side."""
    if laws is None:
        return [scenario, scenario]
    if not isinstance(laws, Sequence) or len(laws) != len(AGENTS):
        raise BsbenchError(
            f"laws are two placement laws, of the fleets of player_0 and of player_1, not "
            f"{shortened(laws)}"
        )
    return [replace(scenario, placement=Placement.parse(law)) for law in laws]


def _game_of(options: Mapping[str, Any] | None) -> int | None:
    """Return the number of the game, if the options of `reset` name one."""
    if not options or options == _NONSENSE:
        return None
    for name in options:
        if name not in _OPTIONS:
            raise BsbenchError(
                f"unknown option {shortened(name)} of reset: "
                f"{suggestion(str(name), _OPTIONS, 'known are')}"
            )
    return check_game(options["game"])
