"""One board as a Gymnasium environment."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, SupportsFloat

import gymnasium
import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import checked, is_whole
from bsbench.common.errors import BsbenchError
from bsbench.common.texts import type_of
from bsbench.env.making import (
    action_space,
    observation_space,
    read_options,
    sampler_of,
    scenario_of,
    turns_of,
)
from bsbench.env.rendering import METADATA, check_render_mode, render
from bsbench.own.observation import Observation, Observing
from bsbench.play.arena import Arena, Rewards, check_seed
from bsbench.rules.scenario import Scenario

Info = dict[str, Any]
"""The info beside an observation; always with the same keys."""

_Step = tuple[Observation, SupportsFloat, bool, bool, Info]


class BattleshipEnv(gymnasium.Env[Observation, Any]):
    """Shoot at a hidden fleet until all of it is hit, in as few shots as can be.

    ## Description

    The fleet lies on a board of rows and columns, drawn by the scenario's placement law. Each
    step shoots at one cell; the answer is miss, hit or sunk. The episode ends
    with the last hit. Rules, layouts and answers are those of all of bsbench, so that an agent
    meets exactly the games of ``bsbench run``.

    ## Action Space

    ``Discrete(rows * cols)``: the cell ``row * cols + col``. An action is *invalid* if it is off
    the board, or a cell that was shot before. It never changes the board, and counts as no shot.
    (Where the scenario has ``repeats = "count"``, a shot at a cell that was shot before is a miss.)

    In a scenario of salvos, where a turn has several shots or joint answers,
    ``MultiBinary(rows * cols)``: the set of cells of one turn, 1 for each. They are fired in the
    order of the cells, and answered as a whole; what would be fired after the last hit of the game
    is not. An action is invalid if it has no cell, more than info's ``allowed``, or one that was
    shot before. The space's samples nearly always are; this is a valid one::

        cells = rng.choice(np.flatnonzero(info["action_mask"]), info["allowed"], replace=False)
        action = np.isin(np.arange(env.action_space.n), cells).astype(np.int8)

    (Where fewer cells than ``allowed`` are open, draw fewer.)

    ## Observation Space

    By ``obs``; with ``mask=True``, each has ``action_mask`` (cells,) int8 besides, 1 where a shot
    is valid:

    ``sunk``
        ``attack_board`` (rows, cols) int8: 0 open, 1 miss, 2 hit, 3 of a sunk ship;
        ``remaining_ships`` (ships,) int32: the length of each ship in its own place, 0 when
        sunk; ``move_count`` (1,) int32: shots fired.
    ``seed``
        The same three as in "gym-battleship": ``attack_board`` int32 without 3,
        ``remaining_ships`` (5,) with the ships afloat moved up, the longest first.
    ``planes``
        ``planes`` (4, rows, cols) int8: open, miss, hit, of a sunk ship, 1 each;
        ``remaining_ships`` and ``move_count`` as in ``sunk``.
    ``flat``
        One vector of int8, 0 or 1: the planes of misses, hits and sunk ships, then 1 for each
        ship afloat.

    ``turns``
        With joint answers, which do not tell what each shot did, the only one: ``turn``
        (rows, cols) int32: the number of the turn, from 1 on, in which a cell was shot, or 0;
        ``hits`` (rows * cols, ships) int32: in row t - 1, how many shots of turn t hit each ship;
        ``remaining_ships`` and ``move_count`` as in ``sunk``.

    Where the scenario's feedback is ``hit``, no observation shows what has sunk.

    ## Starting State

    ``reset(seed=s)`` begins game 0 of bsbench's seed s, the resets after it games 1, 2, …: the
    layouts of ``bsbench run --seed s``. ``options={"game": 7}`` begins with another one,
    ``options={"layout": …}`` plays on your own layout: a list of the cells of each ship.

    ## Rewards

    | event | `seed` | `shots` | `misses` | `turns` |
    | --- | ---: | ---: | ---: | ---: |
    | `miss` | -1 | -1 | -1 | 0 |
    | `hit` | +5 | -1 | 0 | 0 |
    | `sunk` | +10 | -1 | 0 | 0 |
    | `win`, in place of the last `sunk` | +100 | -1 | 0 | 0 |
    | `invalid` | -50 | -1 | -1 | -1 |
    | `turn`, besides its shots | 0 | 0 | 0 | -1 |

    ``rewards`` names a table, or is one: what it leaves out is as in ``seed``. Under feedback
    ``hit``, a ship that sinks pays as a hit. A turn of several shots is paid for each of them,
    with joint answers, too. Without invalid actions, the return of a game with ``shots`` is minus
    its shots, with ``turns`` minus its turns, which `bsbench.run` counts.

    ## Episode End

    Terminated with the last hit, or by an invalid action where ``invalid_action`` says so.
    Truncated after ``max_episode_steps`` actions, invalid ones included; by default after ten for
    each cell.

    ## Information

    The same keys at all times: ``outcome`` of the last action (0 miss, 1 hit, 2 sunk, -1 none or
    invalid), ``ship`` (index in the fleet of the ship that the outcome names, else -1), ``shots``
    and ``invalid_actions`` of this game, ``seed`` and ``game`` (-1 for your own layout), and
    ``action_mask`` (cells,) int8. `action_masks` returns the mask as bool, as MaskablePPO asks.

    In salvos also ``turns`` of this game, ``allowed`` (shots of the next turn at most), and of the
    last turn, in arrays of int64, -1 where there is nothing: ``cells`` (allowed,), its shots in
    order; ``hits`` (ships,), how many of them hit each ship, as far as feedback ``ship`` says it;
    and unless answers are joint, ``outcomes`` and ``ships`` of each shot, and ``slots`` (allowed,):
    where the ship that it sank lies, ``2 * first cell + down``. Of these outcomes, ``outcome``
    is the greatest, and ``ship`` the first in the fleet that such an outcome names.

    ## Arguments

    scenario : str, Path or Scenario, optional
        A name (``gym-5x5`` to ``gym-12x12``, ``classic``, ``harbour``), a TOML file, or a
        `bsbench.Scenario`. By default ``gym-10x10``.
    board_size : tuple of int, optional
        Rows and columns, 5 to 12 each, in place of a scenario: with the fleet of "gym-battleship".
    layouts : path or list, optional
        Layouts to draw from in place of the scenario's law: a file as for the law ``file``, or a
        list, each a list of the cells of each ship, a dictionary of these, or a line of the file.
    obs, mask, rewards
        As above. By default ``sunk`` (with joint answers ``turns``), False, ``seed``.
    invalid_action : {"penalty", "terminate", "raise"}
        What an invalid action causes: only the reward, the end of the episode, or a `BsbenchError`.
    max_episode_steps : int, optional
        See above. (``gymnasium.make`` takes it for its own wrapper, to the same effect.)
    render_mode : {"ansi", "html", "human", "rgb_array"}, optional
        See `render`.

    ## References

    "gym-battleship", the source of ``obs="seed"`` and ``rewards="seed"``; N. Berry, "Battleship"
    (DataGenetics, 2011).

    ## Version History

    * v0: first release
    """

    metadata: dict[str, Any] = METADATA

    # Options are keywords, as `gymnasium.make` passes them.
    @checked
    def __init__(
        self,
        scenario: str | Path | Scenario | None = None,
        *,
        board_size: tuple[int, int] | None = None,
        layouts: str | Path | Sequence[Any] | None = None,
        obs: str | None = None,
        mask: bool = False,
        rewards: Rewards = "seed",
        invalid_action: str = "penalty",
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.scenario = scenario_of(scenario, board_size)
        self.render_mode = check_render_mode(render_mode)
        rules = self.scenario.rules
        self.observing = observing = Observing(rules, obs, mask)
        sampler = sampler_of(self.scenario, layouts)
        self._arena = Arena(rules, sampler, 1, rewards, invalid_action, max_episode_steps)
        self.observation_space = observation_space(observing)
        self.action_space = action_space(rules)
        self._show = observing.show
        self._lane = np.zeros(1, np.int64)
        self._bind()
        self._salvos = rules.salvos
        self._watched = render_mode == "human"
        self._seeded = False
        # Why there is no game to act in.
        self._over = "there is no game yet"
        # What reads an action that is no cell: an error where there is no game, a set in salvos.
        self._instead: Callable[[Any], object] | None = self._refuse

    def _bind(self) -> None:
        """Bind the arrays of the arena's only lane."""
        self._known = self._arena.shown.of(0)
        self._facts = self._arena.facts[:, 0]
        self._turn, self._act = self._arena.action()
        self._answers = {name: array[0] for name, array in self._arena.answers.items()}

    def __getstate__(self) -> dict[str, Any]:
        bound = "_known", "_facts", "_turn", "_act", "_answers"
        return {name: value for name, value in self.__dict__.items() if name not in bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin a game.

        Parameters
        ----------
        seed : int, optional
            Begin with game 0 of it: the game that `bsbench.run` plays first under this
            seed. Without it, the next game of the last seed is played, or, if there never was
            one, game 0 of a seed drawn from ``np_random``.
        options : dict, optional
            ``game``: the number of the game under the seed, after which its successors follow.
            ``layout``: play on this layout, see `bsbench.rules.layout.layout_codes`; its
            number is -1, and it does not count among the seed's games.

        Returns
        -------
        observation, info

        Raises
        ------
        BsbenchError
            If the seed or an option is invalid, or the layout breaks the rules.
        """
        if seed is not None:
            seed = check_seed(seed)
        game, layout = read_options(options, self.scenario.rules)
        super().reset(seed=seed)
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(2**31))
        if seed is not None:
            self._arena.seed(0, seed)
            self._seeded = True
        if game is not None:
            self._arena.seed(0, int(self._arena.seeds[0]), game)
        if layout is None:
            self._arena.begin(self._lane)
        else:
            self._arena.begin_on(self._lane, layout)
        self._instead = self._read_set if self._salvos else None
        if self._watched:
            self.render()
        return self._show(self._known), self._info()

    def step(self, action: Any) -> _Step:
        """Shoot at a cell, or in salvos at all cells of a turn.

        Parameters
        ----------
        action : int or array of int, shape (cells,)
            The cell, ``row * cols + col``; in salvos 1 for each cell of the turn, else 0.

        Returns
        -------
        observation, reward, terminated, truncated, info

        Raises
        ------
        BsbenchError
            If there is no game, or it is over; if the action is no whole number, or no such
            array; or if it is invalid, and invalid actions are errors. Nothing has changed then.
        """
        try:
            if self._instead:
                self._instead(action)
            elif is_whole(action):
                self._turn[0] = operator.index(action)
            else:
                # True would be cell 1, which nobody means.
                raise TypeError
        except TypeError:
            raise BsbenchError(
                f"an action is a cell, a whole number, not {type_of(action)}"
            ) from None
        except OverflowError:
            # Off every board.
            self._turn[0] = -1
        arena = self._arena
        if arena.raises:
            arena.check(self._turn)
        terminated = truncated = False
        if self._act():
            self._over, self._instead = "the game is over", self._refuse
            terminated, truncated = bool(arena.terminated[0]), bool(arena.truncated[0])
        if self._watched:
            self.render()
        known = self._known
        return self._show(known), arena.reward.item(), terminated, truncated, self._info()

    def _refuse(self, action: Any) -> NoReturn:
        raise BsbenchError(f"{self._over}: call reset() to begin one")

    def _read_set(self, action: Any) -> None:
        self._turn[:] = turns_of(action, self.scenario.rules)

    def render(self) -> Any:
        """Return the board in the form that ``render_mode`` names.

        Returns
        -------
        str, ndarray of uint8 of shape (height, width, 3), or None
            Text for ``ansi``, ``html`` for notebooks and pages, a picture for ``rgb_array``.
            ``human`` prints the text, after each step, too, and returns nothing.
        """
        return render(self.scenario.rules, self._known, self.render_mode)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are valid, as MaskablePPO needs: bool, shape (cells,)."""
        return self._known.open.astype(np.bool_)

    def _info(self) -> Info:
        if self._salvos:
            facts = dict(zip(self._arena.names, self._facts.tolist(), strict=True))
            answers = {name: array.copy() for name, array in self._answers.items()}
            return {**facts, **answers, "action_mask": self._known.open.copy()}
        # Written out, since a loop would be a tenth of the time of a step.
        outcome, ship, shots, invalid_actions, seed, game = self._facts.tolist()
        return {
            "outcome": outcome,
            "ship": ship,
            "shots": shots,
            "invalid_actions": invalid_actions,
            "seed": seed,
            "game": game,
            "action_mask": self._known.open.copy(),
        }
