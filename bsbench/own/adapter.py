"""What adapters share: a user's class in the place of a built-in strategy."""

from __future__ import annotations

import dataclasses
import math
import time
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import Fault
from bsbench.rules.board import Rules
from bsbench.strategies.base import Strategy


@dataclasses.dataclass(frozen=True)
class Origin:
    """Where a strategy comes from.

    Attributes
    ----------
    spec : str
        What finds it again in another process; empty if nothing does.
    called : str
        What finds it on the command line, as its user wrote it.
    """

    spec: str
    called: str


def origin_of(strategy: Strategy) -> Origin:
    """Return where a strategy comes from."""
    kind = type(strategy)
    own: Origin | None = vars(kind).get("_origin")
    return own or Origin(strategy.name if kind.built_in else "", strategy.name)


class Adapter(Strategy):
    """A strategy whose shots are chosen by a user's class, run by the interpreter.

    Subclasses are made by `bsbench.own.loading.adapt`, one for each such class. The
    interpreter does one thing at a time: games are played in several processes, not in threads.
    """

    in_batches: ClassVar[bool] = False
    """Whether many lanes make it faster."""

    player: ClassVar[type]
    """The user's class. Its public dataclass fields are the parameters."""

    chance: ClassVar[str]
    """Where the user's code finds random numbers that belong to the game."""

    begins: ClassVar[str]
    """Where the user's code learns that a game begins."""

    timeout = math.inf
    """Seconds that one game may take of the user's code."""

    busy: tuple[int, float] | None = None
    """Lane, and time when the user's code was entered, for the thread that watches the time; it may
    look before games begin."""

    def __init__(self, **parameters: Any) -> None:
        for name, field in self.declared().items():
            setattr(self, name, parameters.pop(name, field.default))
        if parameters:
            raise TypeError(f"{self.name} has no parameter {', '.join(parameters)}")
        self.__post_init__()

    @classmethod
    def declared(cls) -> dict[str, dataclasses.Field[Any]]:
        """Return the declarations of the parameters by name."""
        if not dataclasses.is_dataclass(cls.player):
            return {}
        fields = dataclasses.fields(cls.player)
        return {field.name: field for field in fields if not field.name.startswith("_")}

    @property
    def idea(self) -> str:
        """The first line of the docstring of the user's class."""
        return first_line(self.player)

    def copy(self) -> Self:
        """Return a strategy with the same parameters and limit, and no memory of any game."""
        other = super().copy()
        other.timeout = self.timeout
        return other

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for the numbers of games, and for the time they took."""
        super().begin(rules, lanes, seed)
        self.seed = seed
        self.games = [0] * lanes
        self.used = [0.0] * lanes
        self.busy = None
        # Shots fired in each lane.
        self.shots = np.zeros(lanes, np.int64)

    def overtime(self) -> int | None:
        """Return the lane where the user's code takes too long, or None; another thread asks."""
        busy = self.busy
        if busy is None:
            return None
        lane, since = busy
        return lane if self.used[lane] + time.monotonic() - since > self.timeout else None

    def out_of_time(self, lane: int, line: str = "") -> Fault:
        """Return the fault of a game that took too long."""
        problem = f"the game took more than {self.timeout:g} s of the strategy's time"
        return Fault(lane, f"{problem}; --timeout allows more{self.hidden_remark(lane)}", line)

    def hidden_remark(self, lane: int) -> str:
        """Return a remark on what the user's code just read that the feedback hides; or ""."""
        return ""


def shown_scores(
    lane: int, scores: Any, is_open: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64] | None:
    """Return what a user's object has in its attribute ``scores``, for `Insight`.

    Parameters
    ----------
    lane : int
    scores : object
        The attribute: a number for each cell, in any shape; None where it has none.
    is_open : ndarray of bool, shape (cells,)
        Cells that were not shot: the scores of others are left out.

    Raises
    ------
    Fault
        If it is something else.
    """
    if scores is None or callable(scores):
        return None
    try:
        numbers = np.asarray(scores, np.float64).reshape(-1)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != is_open.shape or not np.isfinite(numbers).all():
        raise Fault(
            lane,
            f"the attribute scores holds {type(scores).__name__}: it must hold a number for each "
            f"of the {len(is_open)} cells, or None",
        )
    return np.where(is_open, numbers, -1.0)


def first_line(player: type) -> str:
    """Return the first line of a class's own docstring; a dataclass without one has none."""
    text = vars(player).get("__doc__") or ""
    return "" if text.startswith(f"{player.__name__}(") else text.strip().partition("\n")[0]
