"""The built-in strategies, one file each, found by being in this folder.

Read in this order:

`view`
    what a strategy may see;
`base`
    what a strategy is: `Strategy`, `Planner` and `FixedOrder`;
`linear`, `random`
    fixed orders;
`smart`, `smart_random`, `prob`, `hunt_target`, `hunt_target_parity`
    planners;
`_density`, `datagenetics`, `hard_ai`, `lattice`
    strategies that weigh the slots of the ships afloat, and what they share;
`hunt_line`
    a hunter that takes note of hits as they do, and draws among cells of one kind;
`_chances`, `over9000`, `over9000_pairs`, `over9000_adaptive`
    strategies that compute probabilities of ships, and what they share;
`_patterned`, `lattice2`
    a player for each kind of feedback;
`_ranking`, `lattice_net`
    as `lattice2`, but small networks compare its best cells;
`mcts`
    compares cells by playing on with one of these, on layouts that agree with all answers;
`bob`
    as `over9000`, from hits and misses only;
`salvo`
    chooses the shots of a turn together, by what their answer tells;
`_posterior`, `posterior`, `information`
    strategies that count all layouts left, exactly, and what they share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bsbench.common.discovery import class_in, names_in

if TYPE_CHECKING:
    from bsbench.strategies.base import Insight, Strategy

__all__ = ["Insight", "Strategy", "built_in_strategy", "strategy_names"]


def strategy_names() -> list[str]:
    """Return the names of all built-in strategies, sorted."""
    return names_in(__name__)


def built_in_strategy(name: str) -> type[Strategy]:
    """Return the built-in strategy of that name; only its own module is imported."""
    from bsbench.strategies.base import Strategy

    return class_in(__name__, name, Strategy)


def __getattr__(name: str) -> Any:
    # Names and views are had without `base`, which imports kernels.
    if name not in ("Insight", "Strategy"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bsbench.strategies import base

    return getattr(base, name)
