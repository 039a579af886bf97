"""Processes that play for one player of a user: those that are idle are used again."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from bsbench.own.choosing import Cells, Flags, Scores, Terms
from bsbench.own.printing import Printed

_MOST_IDLE = 32
"""Players whose processes are left idle: each process may take some 60 MB."""

_latest: deque[Pool[Any]] = deque()


class Talker(Protocol):
    """A process that chooses moves, seen from the one that started it.

    One thread at a time may use it; any thread may call `kill`.

    Attributes
    ----------
    hash_seed : int
        On which the order of sets of texts depends, in Python.
    printed : Printed
        Takes note of what the user's code prints.
    hear : callable or None
        Called with what is printed.
    """

    hash_seed: int
    printed: Printed
    hear: Callable[[str], object] | None

    @property
    def usable(self) -> bool:
        """Whether it can be asked: it runs, and no question is open."""

    def begin(self, terms: Terms) -> None:
        """Begin to play; games before are forgotten.

        Raises
        ------
        Fault
            From this and all that follow, if the user's code fails or the process ends.
        """

    def deal(self, lanes: Cells, games: Cells, follows: Flags | None = None) -> None:
        """Begin games in some lanes: see `bsbench.own.choosing.Chooser.deal`."""

    def shoot(self, view: Any) -> Cells:
        """Return the next move for every lane that is asked; other entries are not read."""

    def scores(self, lane: int) -> Scores | None:
        """Return what the user's code computed last for a lane, if it shows that."""

    def spent(self) -> float:
        """Return the seconds that the user's code has taken for the longest of the games."""

    def kill(self) -> None:
        """End the process at once, whatever it does; who waits for an answer hears of it."""

    def end(self) -> None:
        """End the process, and all that it has started."""


_T = TypeVar("_T", bound=Talker)


class Pool(ABC, Generic[_T]):
    """The processes of one player: those that are idle, to be used again, by any thread."""

    def __init__(self) -> None:
        self._idle: list[_T] = []
        self._lock = threading.Lock()

    @abstractmethod
    def _new(self, hash_seed: int = 0) -> _T:
        """Start a process."""

    def leave_idle(self) -> None:
        """Leave idle processes for later use; of many players, only those of the latest."""
        _latest.append(self)
        if len(_latest) > _MOST_IDLE:
            _latest.popleft().close()

    def start(self, number: int) -> None:
        """Start processes until that many are idle, without waiting for them."""
        self._idle += [self._new() for _ in range(number - len(self._idle))]

    def take(self, hash_seed: int = 0) -> _T:
        """Return one that is idle, or a new one."""
        while True:
            with self._lock:
                talker = next((each for each in self._idle if each.hash_seed == hash_seed), None)
                if talker is None:
                    break
                self._idle.remove(talker)
            if talker.usable:
                return talker
            talker.end()
        return self._new(hash_seed)

    def give(self, talker: _T) -> None:
        """Take one back."""
        if talker.usable:
            talker.hear = None
            with self._lock:
                self._idle.append(talker)
        else:
            talker.end()

    def close(self) -> None:
        """End those that are idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for talker in idle:
            talker.end()
