"""Stops a strategy in Python whose game takes too long."""

from __future__ import annotations

import ctypes
import traceback
from typing import Self

from bsbench.common.errors import Fault
from bsbench.own.adapter import Adapter
from bsbench.own.blame import line_of
from bsbench.own.watch import Watch
from bsbench.strategies import Strategy


class TooLong(BaseException):
    """A game takes too long; raised in the strategy's own code."""


class Interrupter(Watch):
    """Raises `TooLong` in a strategy in Python, wherever it is, when a game takes too long.

    Attributes
    ----------
    lane : int
        Where the game that took too long is played.
    """

    def __init__(self, timeout: float) -> None:
        super().__init__(timeout)
        self.lane = 0
        self._interrupted: object = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def asks(self, strategy: Strategy) -> None:
        """Watch this strategy from now on."""
        self.player = strategy if isinstance(strategy, Adapter) else None

    def interrupt(self, player: Adapter, lane: int) -> None:
        """Raise the error, once for each time that the strategy is asked."""
        busy = player.busy
        if busy is None or busy is self._interrupted:
            return
        self._interrupted, self.lane = busy, lane
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(self.watched), ctypes.py_object(TooLong)
        )

    def fault(self, late: TooLong) -> Fault:
        """Return what the strategy did wrong, with the line where it was interrupted."""
        assert self.player is not None
        line = line_of(traceback.extract_tb(late.__traceback__))
        return self.player.out_of_time(self.lane, line)
