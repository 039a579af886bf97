"""What the arguments of both environments mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bsbench.errors import BsbenchError
from bsbench.layouts import Sampler, make_sampler
from bsbench.layouts.file import File, Listed, layout_codes
from bsbench.scenario import Scenario, find_scenario

DEFAULT = "gym-10x10"
"""The scenario of an environment that is told nothing: the board and fleet of seed 002."""


def scenario_of(
    scenario: str | Path | Scenario | None, board_size: tuple[int, int] | None
) -> Scenario:
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
        try:
            rows, cols = (int(side.__index__()) for side in board_size)
        except (TypeError, ValueError, AttributeError):
            raise BsbenchError(
                f"board_size is rows and columns, such as (8, 8), not {board_size!r}"
            ) from None
        return find_scenario(f"gym-{rows}x{cols}")
    if scenario is None:
        return find_scenario(DEFAULT)
    if isinstance(scenario, Scenario):
        return scenario
    if isinstance(scenario, (str, Path)):
        return find_scenario(str(scenario))
    raise BsbenchError(
        f"a scenario is a name such as {DEFAULT}, a path or a bsbench.Scenario, not {scenario!r}"
    )


def sampler_of(scenario: Scenario, layouts: str | Path | Sequence[Any] | None) -> Sampler:
    """Return what draws the layouts: the scenario's placement law, or from some that are given.

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
            f"a file of layouts, not {layouts!r}"
        )
    return Listed([layout_codes(layout, scenario.rules) for layout in layouts])
