"""Strategies with kernels, which play in bsbench's own process, that go wrong; and a good one."""

import contextlib
import ctypes
import os
import signal
import time

import numpy as np

import bsbench
from bsbench.kernels import kernel
from bsbench.layouts import sampler_of
from bsbench.rules.placement import Placement
from bsbench.rules.slots import slot_cells


class Good(bsbench.Strategy):
    """Sound: every cell in turn.

    passes
    """

    name = "mine"

    def shoot(self, view):
        if view.shots.max() == 2:
            self.third(view)
        return view.shots.copy()

    def third(self, view):
        pass


class Babbles(Good):
    """Writes into all files of its process, which harms no check.

    passes
    """

    def third(self, view):
        for descriptor in range(3, 64):
            with contextlib.suppress(OSError):
                os.write(descriptor, b"A shot in the dark.\n" * 100)


class Crashes(Good):
    """Reads memory that is not its own.

    fails: FIRES
    names: shoot, SIGSEGV
    line: ctypes.string_at(0)
    """

    def third(self, view):
        ctypes.string_at(0)


class Exits(Good):
    """Ends its process.

    fails: FIRES
    names: shoot, exit code 6
    """

    def third(self, view):
        os._exit(6)


class Interrupts(Good):
    """Presses Ctrl-C.

    fails: FIRES
    names: shoot, KeyboardInterrupt
    line: raise KeyboardInterrupt
    """

    def third(self, view):
        raise KeyboardInterrupt


class Knows(bsbench.Strategy):
    """Draws the layouts again by the seed, which kernels are given, and shoots at the ships.

    passes
    alarms
    """

    name = "mine"

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        self._sampler = sampler_of(rules, Placement.parse("uniform"))
        self._seed = seed
        self._order = np.zeros((lanes, rules.cells), np.int64)

    def deal(self, lanes, games):
        for lane, game in zip(lanes, games, strict=True):
            (codes,) = self._sampler.draw(self._seed, int(game), 1)
            pairs = zip(codes.tolist(), self.rules.fleet, strict=True)
            ships = [
                cell for code, length in pairs for cell in slot_cells(code, length, self.rules.cols)
            ]
            rest = sorted(set(range(self.rules.cells)) - set(ships))
            self._order[lane] = ships + rest

    def shoot(self, view):
        last = np.minimum(view.shots, self.rules.cells - 1)
        return self._order[np.arange(view.lanes), last]


@kernel
def count_for_ever(shots):
    number = 0
    while number >= 0:
        number = (number + shots[0]) % 1000
    return number


class Loops(Good):
    """Never leaves a kernel.

    fails: FIRES
    names: shoot, 0.5 s
    line: count_for_ever(view.shots)
    """

    def third(self, view):
        count_for_ever(view.shots)


class Prints(Good):
    """Prints without end.

    fails: FIRES
    names: shoot, 0.5 s
    """

    def third(self, view):
        while True:
            print("again")


class ChangesRules(Good):
    """Makes the fleet smaller.

    fails: FIRES
    names: shoot, rules
    """

    def third(self, view):
        object.__setattr__(view.rules, "fleet", (1,))


class Sleeps(Good):
    """Sleeps for an hour.

    fails: FIRES
    names: shoot, 0.5 s
    line: time.sleep(3600)
    """

    def third(self, view):
        time.sleep(3600)


class Stops(Good):
    """Stops its process.

    fails: FIRES
    names: shoot, SIGSTOP
    """

    def third(self, view):
        os.kill(os.getpid(), signal.SIGSTOP)
