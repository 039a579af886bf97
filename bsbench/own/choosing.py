"""What choosers share: each plays a user's class, and chooses the shots of a batch of games.

A chooser runs where the user's code runs: in a process of its own, or in this one for a class that
no other process finds. It knows a seed and numbers of games by their aliases alone, and not which
game is played.
"""

from __future__ import annotations

import hashlib
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, MutableSequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import Fault
from bsbench.own.blame import broken

Cells = npt.NDArray[np.int64]
"""One move (a cell), or one number, for each lane: int64, shape ``(lanes,)``; or a row of them."""

Flags = npt.NDArray[np.bool_]
"""True or false for each lane, or for each of some lanes."""

Scores = npt.NDArray[np.float64]
"""One number for each move, such as a cell, -1 where it is not allowed: shape ``(moves,)``."""


def alias(*parts: object) -> int:
    """Return a number from 0 to 2^63 - 1 that stands for some others.

    It is a digest (BLAKE2b). Who knows the parts can compute it; the only way back is to try all
    parts. A seed of seven digits is found so in seconds; from 20 digits on, that is hopeless.
    """
    text = "\n".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8, person=b"alias").digest()) >> 1


@dataclass(frozen=True)
class Terms:
    """What a user's class plays.

    Attributes
    ----------
    name : str
        Of the strategy.
    parameters : dict
    rules : object
        A dataclass, by the game.
    lanes : int
        Games in lockstep.
    seed : int
        The alias of the seed, by which a short one can be guessed: see `alias`.
    timeout : float
        Seconds that one game, or one move, may take of the user's code.
    late : str
        What is said of a user's player that takes longer.
    games : int
        How many follow at most, if that is known; else 0.
    """

    name: str
    parameters: dict[str, Any]
    rules: Any
    lanes: int
    seed: int
    timeout: float
    late: str = "it took too long"
    games: int = 0


class Manner:
    """How a user's code is asked."""

    in_batches: ClassVar[bool] = False
    """Whether many lanes make it faster."""

    asks_all: ClassVar[bool] = False
    """Whether it is asked for all games at once, those with equal histories too."""

    chance: ClassVar[str]
    """Where the user's code finds random numbers that belong to the game."""

    begins: ClassVar[str]
    """Where the user's code learns that a game begins."""


class Chooser(Manner, ABC):
    """Chooses cells by a user's class, in a batch of games.

    Attributes
    ----------
    busy : tuple of int and float, or None
        Lane, and time when the user's code was entered, for the thread that watches the time.
    forked : bool
        Whether this is a copy in a process that the user's code has forked: it ends there.
    at : sequence of int
        The lane for which the user's code was asked last; and 1 once it came back in a process that
        it has forked, which shares these numbers.
    """

    method: str = "shoot"
    """Of the user's class, which chooses."""

    def __init__(self, player: type, terms: Terms) -> None:
        self.player, self.terms = player, terms
        # The user's code is shown a copy, so that nothing else is changed with it.
        self.rules = replace(terms.rules)
        self.busy: tuple[int, float] | None = None
        self.forked = False
        self.at: MutableSequence[int] | memoryview = [0, 0]
        self.used = [0.0] * terms.lanes

    @abstractmethod
    def deal(self, lanes: Cells, games: Cells, follows: Flags | None = None) -> None:
        """Begin games in some lanes.

        Parameters
        ----------
        lanes : ndarray of int64, shape (n,)
        games : ndarray of int64, shape (n,)
            Their aliases.
        follows : ndarray of bool, shape (n,), optional
            Whether what plays there has played the game before, and may have learned from it.
        """

    @abstractmethod
    def _choose(self, view: Any) -> Cells:
        """Return the next move for every lane that is asked."""

    def scores(self, lane: int) -> Scores | None:
        """Return what the user's object computed last to choose a move, if it shows that.

        Raises
        ------
        Fault
            If these are no scores.
        """
        return None

    def shoot(self, view: Any) -> Cells:
        """Return the next move for every lane that is asked; other entries are not read.

        Raises
        ------
        Fault
            If the user's code returns no move, raises, takes too long, or changes the rules.
        """
        try:
            return self._choose(view)
        finally:
            # If they were changed, an error is what comes of it.
            if not self._same_rules():
                problem = "it changes the rules that it is shown, which can only be read"
                raise Fault(self.at[0], problem)

    def spent(self) -> float:
        """Return the seconds that the user's code has taken for the longest of the games."""
        return max(self.used)

    def overtime(self) -> int | None:
        """Return the lane where the user's code takes too long, or None; another thread asks."""
        busy = self.busy
        if busy is None:
            return None
        lane, since = busy
        used = self.used[lane] + time.monotonic() - since
        return lane if used > self.terms.timeout else None

    def out_of_time(self, lane: int, line: str = "") -> Fault:
        """Return the fault of a game that took too long."""
        return Fault(lane, f"{self.terms.late}; allow more time{self.hidden_remark(lane)}", line)

    def hidden_remark(self, lane: int) -> str:
        """Return a remark on what the user's code just read that the feedback hides; or ""."""
        return ""

    def _asked(self, lane: int, ask: Callable[..., Any], *arguments: Any) -> Any:
        """Return what the user's code answers for a lane; note the time that it takes.

        Raises
        ------
        Fault
            If it raises anything, SystemExit and KeyboardInterrupt included, or takes too long.
        """
        self.at[0] = lane
        begun = time.monotonic()
        self.busy = lane, begun
        try:
            answer = ask(*arguments)
        except BaseException as error:
            fault = broken(lane, error)
            fault.problem += self.hidden_remark(lane)
            raise fault from error
        finally:
            self.busy = None
            if self.forked:
                self.at[1] = 1
                os._exit(0)
        used = self.used[lane] + time.monotonic() - begun
        self.used[lane] = used
        if used > self.terms.timeout:
            raise self.out_of_time(lane)
        return answer

    def _same_rules(self) -> bool:
        """Return whether the rules that the user's code was shown are unchanged."""
        try:
            return bool(self.rules == self.terms.rules)
        except Exception:
            return False


def shown_scores(lane: int, scores: Any, is_open: npt.NDArray[np.bool_]) -> Scores | None:
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
