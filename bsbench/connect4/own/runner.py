"""The program that plays a user's class from a file: it talks in lines, as any program may.

bsbench starts it (`START`); it ends when its stdin does. What the class prints goes to stderr.
"""

from __future__ import annotations

import faulthandler
import math
import os
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from typing import NoReturn

from bsbench.common.errors import BsbenchError, Fault
from bsbench.connect4.own.choosing import Chooser
from bsbench.own.blame import line_of
from bsbench.own.importing import import_class, import_error

START = (
    "import sys; count = int(sys.argv[1]); given = sys.argv[2:]; del sys.argv[1:]; "
    "sys.path[:] = given[:count]; "
    "from bsbench.connect4.own.runner import main; main(*given[count:])"
)
"""What runs it; then come the number of folders in which Python looks for modules, these folders,
and the arguments of `main`."""

LINE_SIGN = "\t"
"""What stands between a problem and the line of code that is to blame."""

GAMES = 64
"""Games that it plays at once."""

GRACE = 2.0
"""Seconds after the time limit at which it ends if none of its threads can run."""

_PAUSE = 0.1
"""Seconds between two looks at the time at most."""


class _Runner:
    """Answers lines."""

    def __init__(self, answers: int, limit: float) -> None:
        self._answers, self._limit = answers, limit
        self._process = os.getpid()
        self._lock = threading.Lock()
        self.chooser: Chooser | None = None
        self._moves: dict[int, tuple[int, ...]] = {}

    def say(self, *lines: str) -> None:
        """Write lines at once."""
        if os.getpid() == self._process:
            os.write(self._answers, "".join(f"{line}\n" for line in lines).encode())

    def fault(self, fault: Fault) -> NoReturn:
        """Report what went wrong at a place, and end."""
        problem, line = (" ".join(text.split()) for text in (fault.problem, fault.line))
        self.say(f"{fault.lane} error {problem}" + (f"{LINE_SIGN}{line}" if line else ""))
        os._exit(0)

    def serve(self) -> None:
        """Answer until stdin ends."""
        for line in iter(sys.__stdin__.buffer.readline, b""):  # type: ignore[union-attr]
            words = line.split()
            if words[:1] == [b"move"]:
                self._move([int(word) for word in words[1:]])
            elif words[1:2] == [b"moves"]:
                self._moves[int(words[0])] = tuple(map(int, words[2:]))
            elif words[1:2] == [b"game"]:
                assert self.chooser is not None
                self.chooser.begin(int(words[0]), int(words[2]))
            elif words == [b"quit"]:
                return

    def _move(self, places: Sequence[int]) -> None:
        assert self.chooser is not None
        if self._limit < math.inf:
            # Code in C may block all threads.
            longest = len(places) * self._limit + GRACE
            faulthandler.dump_traceback_later(longest, exit=True, file=2)
        try:
            columns = [self.chooser.choose(place, self._moves[place]) for place in places]
        except Fault as fault:
            self.fault(fault)
        faulthandler.cancel_dump_traceback_later()
        # The watching thread has the last word if a move took too long.
        with self._lock:
            self.say(" ".join(map(str, columns)))

    def watch(self, parent: int) -> None:
        """End when a move takes too long, or when bsbench has ended."""
        watched = threading.main_thread().ident
        while True:
            time.sleep(min(_PAUSE, self._limit))
            if os.getppid() != parent:
                os._exit(0)
            busy = self.chooser.busy if self.chooser else None
            if busy is not None and time.monotonic() - busy[1] > self._limit:
                with self._lock:
                    line = line_of(traceback.extract_stack(sys._current_frames()[watched or 0]))
                    self.fault(Fault(busy[0], late_text(self._limit), line))


def late_text(limit: float) -> str:
    """Return what is said of a move that took too long."""
    return f"it took more than {limit:g} s for a move; allow more time"


def main(place: str, name: str, file: str, called: str, limit: str, *settings: str) -> NoReturn:
    """Import a class, and play it.

    Parameters
    ----------
    place, name, file, called : str
        Path or module, and name, of the class; the file and the class as their user calls them.
    limit : str
        Seconds that a move may take.
    *settings : str
        ``NAME=VALUE`` each.
    """
    # The class may neither read the questions nor answer them.
    questions, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    runner = _Runner(answers, float(limit))
    sys.__stdin__ = os.fdopen(questions, "r")  # type: ignore[misc]
    os.register_at_fork(after_in_child=lambda: _close(questions, answers))
    threading.Thread(target=runner.watch, args=(os.getppid(),), daemon=True).start()
    try:
        player = import_class(place, name, file)
        given = dict(setting.split("=", 1) for setting in settings)
        runner.chooser = Chooser(player, given, called)
    except BsbenchError as error:
        runner.fault(Fault(0, str(error)))
    except BaseException as error:
        runner.fault(Fault(0, str(import_error(error, file))))
    runner.say(f"games {GAMES}", "random", "ready")
    runner.serve()
    os._exit(0)


def _close(*numbers: int) -> None:
    for number in numbers:
        os.close(number)
