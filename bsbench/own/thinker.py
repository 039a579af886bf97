"""Thinkers, seen from bsbench: processes in which a user's class chooses moves.

What they say is read as data and checked: see `bsbench.own.thinker_main`.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
import weakref
from collections.abc import Callable
from operator import attrgetter
from typing import IO, Any

import numpy as np

from bsbench.common.errors import BsbenchError, BsbenchWarning, Fault, reason, with_line
from bsbench.common.machine import hide_memory
from bsbench.common.texts import for_terminal
from bsbench.own.blame import dumped_line, how_ended
from bsbench.own.choosing import Cells, Flags, Scores, Terms
from bsbench.own.contract import GameKind
from bsbench.own.declaring import Declaration
from bsbench.own.importing import POLICIES, State, Task, state_of
from bsbench.own.pool import Pool
from bsbench.own.printing import Printed
from bsbench.own.wire import LENGTHS, MOST_TEXT, frame, receive, room_for
from bsbench.stats.answers import FIELDS, AnswerRows

_START = (
    "import sys; talk, notes, parent, *path = sys.argv[1:]; del sys.argv[1:]; sys.path[:] = path; "
    "from bsbench.own.thinker_main import main; main(int(talk), int(notes), int(parent))"
)

LONGEST_IMPORT, LONGEST_START = 600.0, 60.0
"""Seconds that it may take to import a user's class, and to start a bot, by default."""

_LEAST_START = 10.0

_PATIENCE = 6.0
"""Seconds after the timeout at which a thinker that says nothing is ended."""

_LONGEST = 10_000
"""Characters of a text from a thinker at most."""

_running: weakref.WeakSet[Thinker] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    for thinker in list(_running):
        thinker.end()


@dataclasses.dataclass(frozen=True)
class Limits:
    """What users' code may take.

    Attributes
    ----------
    longest_import : float
        Seconds that importing it may take.
    longest_start : float
        Seconds that a bot may take to get ready, at its start and for other rules.
    memory : int or None
        Bytes that each of its processes may take beyond those of Python and numpy.
    trust_kernels : bool
        Whether code is let in that runs inside bsbench, where neither of these holds.
    """

    longest_import: float = LONGEST_IMPORT
    longest_start: float = LONGEST_START
    memory: int | None = None
    trust_kernels: bool = True


NO_LIMITS: Limits = Limits()


def longest_start(timeout: float) -> float:
    """Return the seconds that a start may take where a game may take so many.

    A quick game needs a short limit, and the start of Python or Java some seconds all the same.
    """
    return max(timeout, _LEAST_START)


class _GarbledError(Exception):
    """What a thinker has sent is no answer."""


class Thinker:
    """A process that chooses moves by a user's class, seen from the one that started it.

    One thread at a time may use it; any thread may call `kill`.

    Parameters
    ----------
    task : Task
    limits : Limits
    game : GameKind
    hash_seed : int
        On which the order of sets of texts depends.

    Attributes
    ----------
    printed : Printed
        Takes note of what the user's code prints.
    hear : callable or None
        Called with what is printed.
    """

    def __init__(self, task: Task, limits: Limits, game: GameKind, hash_seed: int = 0) -> None:
        self.printed = Printed()
        self.hear: Callable[[str], object] | None = None
        self.hash_seed = hash_seed
        self._task, self._limits, self._game = task, limits, game
        self._timeout = self._most = limits.longest_import
        self._killed = self._ended = False
        # Whether a question is open.
        self._waiting = False
        self._until = math.inf
        if not hasattr(os, "killpg"):
            raise BsbenchError(
                f"can't start a process for {task.called}: this needs Linux or macOS"
            )
        try:
            self._start()
        except OSError as error:
            raise BsbenchError(
                f"can't start a process for {task.called}: {reason(error)}"
            ) from None
        _running.add(self)
        given = {"longest": limits.longest_import, "memory": limits.memory, "game": game.place}
        self._question = frame({"task": task, **given})
        self._description: Declaration | None = None

    def _start(self) -> None:
        hide_memory()
        with contextlib.ExitStack() as opened:
            self._notes: IO[bytes] = opened.enter_context(tempfile.TemporaryFile(buffering=0))
            self._notes.write(bytes(16))
            self._connection, theirs = map(opened.enter_context, socket.socketpair())
            numbers = theirs.fileno(), self._notes.fileno(), os.getpid()
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START, *map(str, numbers), *sys.path],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._notes,
                pass_fds=numbers[:2],
                env=os.environ | {"PYTHONHASHSEED": str(self.hash_seed)},
                # Neither Ctrl-C nor a closed terminal reaches it, and all that it starts ends
                # with it.
                start_new_session=True,
            )
            theirs.close()
            # `end` closes the others.
            opened.pop_all()

    def description(self) -> Declaration:
        """Return what the class says of itself, once it is imported.

        Raises
        ------
        BsbenchError
            If it can't be imported, or can't play the game.
        """
        if self._description is not None:
            return self._description
        try:
            said = self._ask(self._question, "description", "refused")[0]
            if "refused" in said:
                self.end()
                sentence, line, rest = str(said["refused"]).partition("\n")
                if "MemoryError" in sentence:
                    sentence += self._memory_remark()
                raise BsbenchError(sentence + line + rest)
            try:
                description = self._game.description.from_dict(said["description"])
                remarks = [str(remark) for remark in said["warnings"]]
            except (ValueError, TypeError, KeyError, AttributeError):
                raise self._gone(_GarbledError()) from None
        except Fault as fault:
            problem = f"can't import {self._task.file}: {fault.problem}"
            raise BsbenchError(with_line(problem, fault.line)) from None
        self._description = description
        for remark in remarks:
            warnings.warn(remark, BsbenchWarning, stacklevel=2)
        return description

    def begin(self, terms: Terms) -> None:
        """Begin to play; games before are forgotten.

        Raises
        ------
        Fault
            From this and all that follow, if the user's code fails or the thinker ends.
        """
        self.description()
        self._timeout = terms.timeout
        self._most = terms.timeout * terms.lanes
        self._rules, self._lanes = terms.rules, terms.lanes
        given = {each.name: getattr(terms, each.name) for each in dataclasses.fields(terms)}
        rules = given.pop("rules").to_dict()
        keeps = self.hear is not None
        self._tell({"do": "begin", "rules": rules, "terms": given, "keeps": keeps}, "begun")
        view = self._game.view(terms.rules, terms.lanes)
        self._room, arrays = room_for(view, self._game.arrays(terms.rules))
        self._arrays = [(attrgetter(name), array) for name, array in arrays.items()]
        self._moves = self._game.moves(terms.rules, terms.lanes)

    def deal(self, lanes: Cells, games: Cells, follows: Flags | None = None) -> None:
        """Begin games in some lanes: see `bsbench.own.choosing.Chooser.deal`."""
        goes_on = np.zeros(len(lanes), np.int64) if follows is None else follows
        # Not as float64, which has room for 53 bits of an alias.
        body = np.array([lanes, games, goes_on], np.int64).tobytes()
        try:
            self._connection.sendall(frame({"do": "deal"}, body))
        except OSError as error:
            raise self._gone(error) from None

    def shoot(self, view: Any) -> Cells:
        """Return the next move for every lane that is asked; other entries are not read."""
        for read, array in self._arrays:
            np.copyto(array, read(view))
        self._ask(self._room.data, into=self._moves.data.cast("B"))
        return self._moves

    def scores(self, lane: int) -> Scores | None:
        """Return what the user's object computed last for a lane, if it shows that."""
        scores = np.zeros(self._rules.cells)
        said, filled = self._ask(
            frame({"do": "scores", "lane": lane}), "scores", into=scores.data.cast("B")
        )
        if said["scores"] is not filled or not np.isfinite(scores).all():
            raise self._gone(_GarbledError())
        return scores if filled else None

    def answers(self) -> AnswerRows:
        """Return what the user's objects have counted: see `PythonChooser.answers`."""
        rows = np.zeros((self._lanes, len(FIELDS) - 1), np.int64)
        _, filled = self._ask(frame({"do": "answers"}), "answers", into=rows.data.cast("B"))
        if not filled or rows.min() < -1:
            raise self._gone(_GarbledError())
        return rows

    def spent(self) -> float:
        """Return the seconds that the user's code has taken for the longest of the games."""
        seconds = self._tell({"do": "spent"}, "spent")
        if type(seconds) is not float or not 0 <= seconds < math.inf:
            raise self._gone(_GarbledError())
        return seconds

    @property
    def usable(self) -> bool:
        """Whether it can be asked: it runs, and no question is open."""
        gone = self._killed or self._ended or self._process.poll() is not None
        return not (self._waiting or gone)

    def kill(self) -> None:
        """End the process at once, whatever it does; who waits for an answer hears of it."""
        self._killed = True
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """End the process, and all that it has started."""
        if not self._ended:
            self._ended = True
            self.kill()
            self._process.wait()
            self._connection.close()
            self._notes.close()

    def _tell(self, question: dict[str, Any], key: str) -> Any:
        """Return what an answer without bytes has under a key."""
        return self._ask(frame(question), key)[0][key]

    def _ask(
        self, question: bytes | memoryview, *keys: str, into: memoryview | None = None
    ) -> tuple[dict[str, Any], bool]:
        """Return the text of an answer, and whether there are bytes; fill ``into`` with these.

        The text has one of some keys. Without any, there is no text.
        """
        self._waiting = True
        self._until = time.monotonic() + self._most + _PATIENCE
        patience = self._timeout + _PATIENCE
        try:
            self._connection.settimeout(None if patience == math.inf else patience)
            self._connection.sendall(question)
            answer = self._answer(into)
            if answer[0] and answer[0].keys().isdisjoint({"fault", *keys}):
                raise _GarbledError
        except (OSError, EOFError, _GarbledError) as error:
            raise self._gone(error) from None
        self._waiting = False
        if "fault" in answer[0]:
            fault = self._read_fault(answer[0]["fault"])
            if answer[0].get("last"):
                self.end()
            raise fault
        return answer

    def _answer(self, into: memoryview | None) -> tuple[dict[str, Any], bool]:
        while True:
            size, rest = LENGTHS.unpack(self._receive(LENGTHS.size))
            if size > MOST_TEXT or rest not in (0, 0 if into is None else into.nbytes):
                raise _GarbledError
            text = self._receive(size)
            if rest:
                assert into is not None
                receive(self._connection, into, self._look)
            if size:
                said = _read(text)
                if said and "printed" not in said:
                    return said, rest > 0
                self._note(said.get("printed"))
            elif rest:
                return {}, True
            self._look()

    def _receive(self, size: int) -> bytearray:
        room = bytearray(size)
        receive(self._connection, memoryview(room), self._look)
        return room

    def _look(self) -> None:
        """Give up on a thinker that says something now and then, but does not answer."""
        if time.monotonic() > self._until:
            raise TimeoutError

    def _note(self, printed: Any) -> None:
        """Take note of what was printed."""
        try:
            lines, first, text = (printed[key] for key in ("lines", "first", "text"))
        except (TypeError, KeyError):
            raise _GarbledError from None
        if type(lines) is not int or not 0 <= lines < 2**53 or type(first) is not str:
            raise _GarbledError
        self.printed.add(lines, first[:120])
        if self.hear is not None and text:
            self.hear(str(text))

    def _read_fault(self, said: Any) -> Fault:
        try:
            lane, problem, line = said
            if problem.partition(":")[0].endswith("MemoryError"):
                problem += self._memory_remark()
            return Fault(range(self._lanes)[lane], problem, line.replace("\n", " "))
        except (TypeError, ValueError, IndexError, AttributeError):
            return self._gone(_GarbledError())

    def _memory_remark(self, perhaps: str = "") -> str:
        """Return what to add to a problem that a limit on memory has caused, or perhaps has."""
        if self._limits.memory is None:
            return ""
        return f"; {perhaps}allow more memory"

    def _gone(self, error: Exception) -> Fault:
        """Return the fault of a thinker that has ended, or is ended here."""
        if self._ended:
            return Fault(0, "its process was ended")
        killed = self._killed
        if isinstance(error, _GarbledError):
            problem = "its process has sent something that is not an answer"
        elif isinstance(error, TimeoutError):
            waited = f"for {self._timeout + _PATIENCE:g} s" if self._timeout else "in time"
            problem = f"its process has not answered {waited}, and was ended; allow more time"
        else:
            problem = ""
            # It may still be on its way out.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=1)
        code = self._process.poll()
        notes = os.pread(self._notes.fileno(), 1 << 16, 0)
        text = for_terminal(notes[16:].decode(errors="replace"))
        self.end()
        if killed:
            problem = "its process was ended"
        elif "Timeout (" in text:
            problem = f"it took more than {self._timeout:g} s"
            if self._description is not None:
                problem += ", in code that can't be interrupted; allow more time"
        elif not problem:
            how = "it closed its connection"
            if code is not None:
                how = how_ended(code)
            problem = f"its process ended with {how}"
            problem += self._memory_remark("if it was out of memory, ")
        lane = int.from_bytes(notes[:8], sys.byteorder, signed=True)
        lanes = getattr(self, "_lanes", 1)
        # A policy has no lines.
        line = "" if self._task.place.endswith(POLICIES) else dumped_line(text)
        return Fault(lane if 0 <= lane < lanes else 0, problem, line)


def _read(text: bytearray) -> dict[str, Any]:
    """Return a text in JSON, cleaned."""
    try:
        said: dict[str, Any] = _cleaned(json.loads(text))
    except (ValueError, RecursionError):
        raise _GarbledError from None
    if not isinstance(said, dict):
        raise _GarbledError
    return said


def _cleaned(said: Any) -> Any:
    """Return something from a thinker with its texts cut; nothing in them steers a terminal."""
    if isinstance(said, str):
        return for_terminal(said[:_LONGEST])
    if isinstance(said, list):
        return [_cleaned(each) for each in said]
    if isinstance(said, dict):
        return {_cleaned(name): _cleaned(each) for name, each in said.items()}
    return said


class Thinkers(Pool[Thinker]):
    """The thinkers of one class.

    Parameters
    ----------
    task : Task
    limits : Limits
    game : GameKind

    Attributes
    ----------
    description : Declaration

    Raises
    ------
    BsbenchError
        If the class can't be imported, or can't play the game.
    """

    def __init__(self, task: Task, limits: Limits, game: GameKind) -> None:
        super().__init__()
        self._given = task, limits, game
        self.start(1)
        try:
            self.description = self._idle[0].description()
        except BaseException:
            self.close()
            raise

    def _new(self, hash_seed: int = 0) -> Thinker:
        return Thinker(*self._given, hash_seed)


_thinkers: dict[tuple[Task, State, int | None, str], Thinkers] = {}
"""With the memory that processes may take, and the game; how long an import may take matters
once."""


def thinkers_of(task: Task, game: GameKind, limits: Limits = NO_LIMITS) -> Thinkers:
    """Return the thinkers of a class, the first of which imports it, unless one has before.

    Raises
    ------
    BsbenchError
        If the class can't be imported, or can't play the game.
    """
    key = task, state_of(task, game), limits.memory, game.place
    if key not in _thinkers:
        thinkers = _thinkers[key] = Thinkers(task, limits, game)
        if game.chooser(thinkers.description.kind) is None:
            thinkers.close()
        thinkers.leave_idle()
    return _thinkers[key]
