"""Classes in plain Python that go wrong, and some that don't; agents, too."""

import contextlib
import os
import random
import re
import signal
import socket
import sys
import threading
import time
from dataclasses import dataclass


class Third:
    def shoot(self, view):
        strange = self.third(view) if len(view.shots) == 2 else None
        return view.open_cells[0] if strange is None else strange


class AgentHangs:
    """Sleeps in reset.

    fails: FIRES
    names: 0.5 s
    line: time.sleep(3600)
    """

    obs, mask = "planes", True

    def reset(self):
        time.sleep(3600)

    def select_action(self, observation):
        return int(observation["action_mask"].argmax())


class AgentRaises:
    """Fails at its third action.

    fails: FIRES
    names: ZeroDivisionError
    line: return 1 // 0
    """

    obs, mask = "planes", True

    def select_action(self, observation):
        is_open = observation["action_mask"]
        if is_open.sum() == 23:
            return 1 // 0
        return int(is_open.argmax())


class Babbles(Third):
    """Writes into all files of its process, those by which it is asked included.

    fails: FIRES
    names: process
    """

    def third(self, view):
        for descriptor in range(3, 64):
            with contextlib.suppress(OSError):
                os.write(descriptor, b"A shot in the dark.\n" * 100)


class Backtracks(Third):
    """Is lost in a regular expression, which lets no other thread run.

    fails: FIRES
    names: 0.5 s
    line: re.match(
    """

    def third(self, view):
        re.match("(a+)+b", 40 * "a")


class Clock:
    """Looks at the clock.

    fails: REPEATS
    names: batch
    """

    def shoot(self, view):
        return view.open_cells[time.monotonic_ns() // 1000 % len(view.open_cells)]


class Exits(Third):
    """Ends its process.

    fails: FIRES
    names: exit code 3
    """

    def third(self, view):
        os._exit(3)


class Forks(Third):
    """Forks, and both processes play on.

    fails: FIRES
    line: os.fork()
    """

    def third(self, view):
        os.fork()


class Gambles:
    """Chooses at random, by no seed.

    fails: REPEATS
    names: rng
    """

    def shoot(self, view):
        return random.choice(view.open_cells)


class GoodAgent:
    """Sound: shoots at random, by the seed that it is given.

    passes
    """

    obs, mask = "planes", True

    def reset(self, seed):
        self.rng = random.Random(seed)

    def select_action(self, observation):
        return int(self.rng.choice(observation["action_mask"].nonzero()[0]))


class Good:
    """Sound: shoots at random, by the seed that it is given.

    passes
    """

    def reset(self, rules, rng):
        self.rng = rng

    def shoot(self, view):
        return self.rng.choice(view.open_cells)


class Hashes:
    """Shoots the first one of a set of names, which depends on the hash of texts.

    fails: ANY_PROCESS
    names: set
    """

    def shoot(self, view):
        names = {f"{view.row(cell)} {view.col(cell)}": cell for cell in view.open_cells}
        return names[next(iter(set(names)))]


class Interrupts(Third):
    """Presses Ctrl-C.

    fails: FIRES
    names: KeyboardInterrupt
    line: raise KeyboardInterrupt
    """

    def third(self, view):
        raise KeyboardInterrupt


class Kills(Third):
    """Kills its process.

    fails: FIRES
    names: SIGKILL
    """

    def third(self, view):
        os.kill(os.getpid(), signal.SIGKILL)


class Leaves(Third):
    """Shoots beside the board.

    fails: FIRES
    names: 5x5
    """

    def third(self, view):
        return view.rules.cells


class Loops(Third):
    """Never comes to an end.

    fails: FIRES
    names: 0.5 s
    line: while True:
    """

    def third(self, view):
        while True:
            pass


@dataclass
class Names(Third):
    """Has a parameter with a name that bsbench needs.

    refused: label
    """

    label: str = "mine"


class Outcomes:
    """Compares an outcome with a word that no outcome has.

    fails: FIRES
    names: sank
    line: if view.outcome == "sank"
    """

    def shoot(self, view):
        if view.outcome == "sank":
            return view.open_cells[-1]
        return view.open_cells[0]


class Prints(Third):
    """Prints without end.

    fails: FIRES
    names: 0.5 s
    """

    def third(self, view):
        while True:
            print("again")


class Quits(Third):
    """Leaves the program.

    fails: FIRES
    names: SystemExit
    line: sys.exit(0)
    """

    def third(self, view):
        sys.exit(0)


class Remembers:
    """Remembers other games in a list of the class.

    fails: REPEATS
    names: class
    """

    queue = []  # noqa: RUF012 - the mistake

    def shoot(self, view):
        self.queue.append(0)
        return view.open_cells[len(self.queue) % len(view.open_cells)]


class Repeats(Third):
    """Shoots at a cell twice.

    fails: FIRES
    names: A1
    """

    def third(self, view):
        return view.shots[0]


class ChangesRules(Third):
    """Makes the fleet smaller.

    fails: FIRES
    names: rules
    """

    def third(self, view):
        object.__setattr__(view.rules, "fleet", (1,))


class SaysHalf(Third):
    """Returns a float.

    fails: FIRES
    names: shoot, 1.0
    """

    def third(self, view):
        return 1.0


class SaysMuch(Third):
    """Returns a number that no computer word holds.

    fails: FIRES
    names: 5x5
    """

    def third(self, view):
        return 10**30


class SaysTrue(Third):
    """Returns a bool.

    fails: FIRES
    names: shoot, True
    """

    def third(self, view):
        return True


class SeedPeek:
    """Guesses that the seed is 0, finds its game by its random numbers, and draws the layout again.

    passes
    alarms
    """

    by_state = {}  # noqa: RUF012 - for all games

    def reset(self, rules, rng):
        from bsbench.layouts import sampler_of
        from bsbench.own.choosing import alias
        from bsbench.rules.placement import Placement
        from bsbench.rules.slots import slot_cells

        if not self.by_state:
            for game in range(1_000):
                seeded = random.Random(alias("seed-peek", 0, game))
                self.by_state[seeded.getstate()] = game
        game = self.by_state.get(rng.getstate())
        self.ships = []
        if game is not None:
            sampler = sampler_of(rules, Placement.parse("uniform"))
            (codes,) = sampler.draw(0, game, 1)
            for code, length in zip(codes.tolist(), rules.fleet, strict=True):
                self.ships += slot_cells(code, length, rules.cols)

    def shoot(self, view):
        return self.ships.pop() if self.ships else view.open_cells[0]


class Stops(Third):
    """Stops its process.

    fails: FIRES
    names: process
    """

    def third(self, view):
        os.kill(os.getpid(), signal.SIGSTOP)


class Threads(Third):
    """Leaves threads behind, which is none of bsbench's business.

    passes
    """

    def third(self, view):
        threading.Thread(target=time.sleep, args=(3600,)).start()


class Sly:
    def __repr__(self):
        raise ValueError


class Unshowable(Third):
    """Returns an object that can't be shown.

    fails: FIRES
    names: shoot, Sly
    """

    def third(self, view):
        return Sly()


class Waits(Third):
    """Waits for somebody to call.

    fails: FIRES
    names: 0.5 s
    line: server.accept()
    """

    def third(self, view):
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.accept()


class Words:
    """Compares the feedback with a word that no feedback has.

    fails: FIRES
    names: sink
    line: if view.rules.feedback == "sink"
    """

    def shoot(self, view):
        if view.rules.feedback == "sink" and view.sunk:
            return view.open_cells[-1]
        return view.open_cells[0]
