"""What the arguments of both environments, and the options of their `reset`, mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_choice, check_game
from bsbench.common.texts import shortened
from bsbench.kernels.turns import for_kernels
from bsbench.layouts import Sampler
from bsbench.layouts.file import File, Listed
from bsbench.llm.text import Size, sides
from bsbench.own.observation import Observing
from bsbench.play.samplers import make_sampler
from bsbench.rules.board import NOTHING, Rules
from bsbench.rules.layout import layout_codes
from bsbench.rules.scenario import Scenario, find_scenario

DEFAULT = "gym-10x10"
"""The default scenario: the board and fleet of "gym-battleship"."""


_OPTIONS = "game", "layout"


def scenario_of(scenario: str | Path | Scenario | None, board_size: Size | None) -> Scenario:
    """Return the scenario that is played.

    Raises
    ------
    BsbenchError
        If there is none of that name or for that size of board, or both are given.
    """
    if scenario is not None and board_size is not None:
        raise BsbenchError(
            "give a scenario or a board_size, not both: a board_size stands for the scenario "
            "gym-ROWSxCOLS"
        )
    if board_size is not None:
        rows, cols = sides(board_size)
        return find_scenario(f"gym-{rows}x{cols}")
    if scenario is None:
        return find_scenario(DEFAULT)
    if isinstance(scenario, Scenario):
        return scenario
    if isinstance(scenario, (str, Path)):
        return find_scenario(str(scenario))
    raise BsbenchError(
        f"a scenario is a name such as {DEFAULT}, a path or a bsbench.Scenario, not "
        f"{shortened(scenario)}"
    )


def sampler_of(scenario: Scenario, layouts: str | Path | Sequence[Any] | None) -> Sampler:
    """Return the sampler of layouts: by the scenario's placement law, or from the layouts given.

    Raises
    ------
    BsbenchError
        If one of these is no layout under the rules.
    """
    if layouts is None:
        return make_sampler(scenario.rules, scenario.placement)
    if isinstance(layouts, (str, Path)):
        return File(scenario.rules, str(layouts).removeprefix("file:"))
    if isinstance(layouts, Mapping) or not isinstance(layouts, Sequence) or not layouts:
        raise BsbenchError(
            "layouts is a list of layouts, each a list of the cells of each ship, or the path of "
            f"a file of layouts, not {shortened(layouts)}"
        )
    return Listed(scenario.rules, [layout_codes(layout, scenario.rules) for layout in layouts])


def options_of(options: Any) -> dict[str, Any]:
    """Return the options of `reset` as a table of our own.

    Raises
    ------
    BsbenchError
        If they are none.
    """
    if not isinstance(options, Mapping | None):
        raise BsbenchError(f"options of reset are a table, not {shortened(options)}")
    return dict(options or {})


def read_options(
    options: Mapping[str, Any] | None, rules: Rules
) -> tuple[int | None, list[int] | None]:
    """Return the number of the game, and the layout as slot codes, if the options name one.

    Raises
    ------
    BsbenchError
        If an option is unknown, its value is not valid, or both are given.
    """
    options = options_of(options)
    for name in options:
        check_choice("option of reset", name, _OPTIONS)
    game, layout = options.get("game"), options.get("layout")
    if game is not None:
        if layout is not None:
            raise BsbenchError("give reset a game or a layout, not both: each says what is played")
        game = check_game(game)
    return game, None if layout is None else layout_codes(layout, rules)


def action_space(rules: Rules) -> spaces.Space[Any]:
    """Return the space of the actions of one game: cells, or, in salvos, sets of them."""
    return spaces.MultiBinary(rules.cells) if rules.salvos else spaces.Discrete(rules.cells)


def as_array(actions: Any) -> npt.NDArray[Any]:
    """Return actions as an array; empty, if they are rows of different lengths."""
    try:
        return np.asarray(actions)
    except ValueError:
        return np.zeros(0)


def turns_of(actions: Any, rules: Rules, *boards: int) -> npt.NDArray[np.int64]:
    """Return actions in salvos as turns of an `Arena`, whether they are valid or not.

    Of a set with too many cells, the first cell is -1 less their number.

    Raises
    ------
    BsbenchError
        If they are no array of shape (\\*boards, cells) with a 1 for each cell that is fired at,
        and else 0.
    """
    array, shape = as_array(actions), (*boards, rules.cells)
    fits = array.shape == shape and array.dtype.kind in "iub"
    if not fits or ((array != 0) & (array != 1)).any():
        what = "actions are sets of cells" if boards else "an action is a set of cells"
        found = "with other numbers" if fits else f"of shape {array.shape} and type {array.dtype}"
        raise BsbenchError(
            f"{what}, an array of shape {shape} with 1 for each cell fired at in this turn and "
            f"else 0, not {found}"
        )
    sets = array.reshape(-1, rules.cells)
    boards_of, cells = np.nonzero(sets)
    places = np.cumsum(sets, axis=1, dtype=np.int64)[boards_of, cells] - 1
    turns = np.full((len(sets), rules.most_shots), NOTHING)
    fired = places < rules.most_shots
    turns[boards_of[fired], places[fired]] = cells[fired]
    turns[boards_of[~fired], 0] = -2 - places[~fired]
    return for_kernels(turns)


def observation_space(observing: Observing) -> spaces.Space[Any]:
    """Return the space of the observations of one game."""
    boxes: dict[str, spaces.Space[Any]] = {
        # Bounds as arrays, since Box takes numbers as those of a float.
        name: spaces.Box(
            np.full(field.shape, field.low, field.dtype),
            np.full(field.shape, field.high, field.dtype),
            dtype=field.dtype,
        )
        for name, field in observing.fields.items()
    }
    return boxes["observation"] if observing.bare else spaces.Dict(boxes)
