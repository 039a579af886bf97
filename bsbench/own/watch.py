"""A thread that checks whether a user's code takes too long over a game."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod

from bsbench.own.adapter import Adapter

_PAUSE = 0.1
"""Seconds between two looks at most."""


class Watch(threading.Thread, ABC):
    """Checks now and then whether a strategy in Python takes too long over a game.

    Attributes
    ----------
    player : Adapter or None
        The strategy that is asked, if a user's class chooses its shots.
    watched : int
        The thread in which it plays: the one that makes the watch.
    """

    def __init__(self, timeout: float) -> None:
        super().__init__(daemon=True)
        self.player: Adapter | None = None
        self.watched = threading.get_ident()
        self._pause = min(_PAUSE, timeout)
        self._over = threading.Event()

    def run(self) -> None:
        """Look until the end."""
        self.look()
        while not self._over.wait(self._pause):
            self.look()

    def stop(self) -> None:
        """Stop looking."""
        self._over.set()
        self.join()

    def look(self) -> None:
        """Stop a game that takes too long."""
        player = self.player
        lane = None if player is None else player.overtime()
        if player is not None and lane is not None:
            self.interrupt(player, lane)

    @abstractmethod
    def interrupt(self, player: Adapter, lane: int) -> None:
        """Stop the game that is played in a lane."""
