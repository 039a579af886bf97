"""The thinker: a process in which a user's class chooses moves.

It is a fresh interpreter that knows the rules and what its player may know, such as what shots
have done; neither layouts nor the seed of the run. Seeds and numbers of games it is given by
aliases. It talks with bsbench (`bsbench.own.thinker`) on a socket, in the frames of
`bsbench.own.wire`::

    bsbench                                       thinker
      what to import, and for which game     ->
                                             <-   description, warnings; or refused
      begin: rules, lanes, …                 ->
                                             <-   begun
      deal: bytes of lanes, aliases, follows ->
      (no text) bytes of the view            ->
                                             <-   (no text) bytes of the moves
      scores: of a lane                      ->
                                             <-   scores, with their bytes if there are any
      spent                                  ->
                                             <-   seconds, on the longest game

In place of an answer there may be a ``fault``; before one, what was ``printed``, and frames that
say nothing while it takes long. A thinker ends when its parent does.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import math
import mmap
import os
import re
import signal
import socket
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from bsbench.common.errors import BsbenchError, BsbenchWarning, Fault
from bsbench.own.blame import broken, line_of
from bsbench.own.choosing import Chooser, Terms
from bsbench.own.contract import game_at
from bsbench.own.importing import Task, import_class, import_error
from bsbench.own.printing import Printed, kept_quiet
from bsbench.own.wire import LENGTHS, frame, receive, room_for

_PAUSE = 0.1
"""Seconds between two looks at the time at most."""

_BEAT = 1.0
"""Seconds between two signs of life."""

_COMES_BACK = 0.1
"""Seconds to wait for a fork of the process, which comes back from the user's code as soon."""

_RESERVE = 1 << 26
"""Bytes beyond a limit on memory that are left for saying that it was reached."""

_GRACE = 3.0
"""Seconds after the timeout at which the process ends if its watching thread can't run."""


def main(talk: int, notes: int, parent: int) -> NoReturn:
    """Answer what bsbench asks, until it ends.

    Parameters
    ----------
    talk, notes : int
        Descriptors: of the socket; and of a file that begins with two numbers (int64), that of a
        lane, and 1 once a fork of this process has come back from the user's code. To the file is
        added where code was that can't be interrupted.
    parent : int
        The process that asks.
    """
    leave_signals()
    for private in (talk, notes):
        os.set_inheritable(private, False)
    # Until here, what is wrong with the interpreter itself stands in the notes.
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    faulthandler.enable(file=notes)

    with kept_quiet() as printed:
        thinking = _Thinking(socket.socket(fileno=talk), notes, printed)

        def forget() -> None:
            # A process that the user's code forks does not answer in the thinker's place, and does
            # not keep the connection open.
            leave_signals(signal.SIG_DFL)
            if thinking.chooser is not None:
                thinking.chooser.forked = True
            with contextlib.suppress(OSError):
                os.close(talk)
            with contextlib.suppress(OSError):
                os.close(notes)

        os.register_at_fork(after_in_child=forget, after_in_parent=thinking.on_fork)
        _Watch(thinking, parent).start()
        with contextlib.suppress(EOFError, OSError):
            thinking.serve()
    _leave()


def leave_signals(handler: Callable[..., object] | int = lambda *_: None) -> None:
    """Leave it to bsbench what the signals mean that end a command: systemd sends SIGTERM to all.

    Programs that the user's code starts don't inherit this, as they would if it ignored them.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handler)


def _leave() -> NoReturn:
    """End the process at once, and those that the user's code has started."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)


class _Thinking:
    """Answers what bsbench asks.

    Attributes
    ----------
    chooser : Chooser or None
        Plays the user's class, once games have begun.
    since : float
        When the question came that is being answered; infinity if none is.
    """

    def __init__(self, connection: socket.socket, notes: int, printed: Printed) -> None:
        self.chooser: Chooser | None = None
        self.since = math.inf
        self._connection, self._notes, self._printed = connection, notes, printed
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._forks, self._forked_at = False, ""
        self._at = memoryview(mmap.mmap(notes, 16)).cast("q")

    def on_fork(self) -> None:
        """Note where the user's code forks this process."""
        self._forked_at = line_of(traceback.extract_stack())
        self._forks = True

    def serve(self) -> None:
        """Import the user's class, and answer until the connection ends."""
        self._import(self._question())
        while True:
            self._answer(self._question())

    def answer(self, text: dict[str, Any] | None, body: bytes = b"") -> None:
        """Send an answer, and what was printed before it; any thread may."""
        if os.getpid() != self._process:
            os._exit(0)
        with self._lock:
            self._send(text, body)

    def _send(self, text: dict[str, Any] | None, body: bytes = b"") -> None:
        printed = self._printed
        if printed.lines or printed.first:
            news = {"lines": printed.lines, "first": printed.first, "text": printed.take()}
            self._connection.sendall(frame({"printed": news}))
            printed.forget()
        self._connection.sendall(frame(text, body))
        self.since = math.inf

    def beat(self) -> None:
        """Send a sign of life, unless the answer has just been sent."""
        with self._lock:
            if self.since < math.inf:
                self._connection.sendall(frame())

    def fault(self, fault: Fault) -> None:
        """Answer with what went wrong."""
        self.answer({"fault": [fault.lane, fault.problem, fault.line]})

    def interrupt(self, fault: Fault) -> None:
        """Answer with what went wrong, and end, unless the answer has just been sent."""
        with self._lock:
            if self.since < math.inf:
                said = {"fault": [fault.lane, fault.problem, fault.line], "last": True}
                self._send(said)
                os._exit(0)

    def postpone_end(self) -> None:
        """Let the process end by itself if no other thread of it can run: C code may block all."""
        assert self.chooser is not None
        timeout = self.chooser.terms.timeout
        if timeout < math.inf:
            faulthandler.dump_traceback_later(timeout + _GRACE, exit=True, file=self._notes)

    def _question(self) -> dict[str, Any]:
        """Return the next question; empty is that for moves, whose view is then in place."""
        lengths = bytearray(LENGTHS.size)
        receive(self._connection, memoryview(lengths))
        size, rest = LENGTHS.unpack(lengths)
        if not size:
            receive(self._connection, self._body)
            self.since = time.monotonic()
            return {}
        text, body = bytearray(size), bytearray(rest)
        receive(self._connection, memoryview(text))
        receive(self._connection, memoryview(body))
        self.since = time.monotonic()
        question: dict[str, Any] = json.loads(text)
        return question | {"body": body}

    def _import(self, given: dict[str, Any]) -> None:
        task, self._game = Task(*given["task"]), game_at(given["game"])
        if given["memory"] is not None:
            limit_memory(given["memory"])
        faulthandler.dump_traceback_later(given["longest"], exit=True, file=self._notes)
        try:
            with warnings.catch_warnings(record=True) as caught:
                self._player = import_class(task, self._game)
                description = self._game.describe(self._player, task.called)
            remarks = [
                str(each.message) for each in caught if issubclass(each.category, BsbenchWarning)
            ]
        except BsbenchError as error:
            return self.answer({"refused": str(error)})
        except BaseException as error:
            use_reserve()
            return self.answer({"refused": str(import_error(error, task.called))})
        finally:
            faulthandler.cancel_dump_traceback_later()
        self._chooser = self._game.chooser(description.kind)
        self.answer({"description": description.to_dict(), "warnings": remarks})

    def _answer(self, question: dict[str, Any]) -> None:
        try:
            if not question:
                assert self.chooser is not None
                moves = self.chooser.shoot(self._view)
                self._refuse_forks()
                self.answer(None, moves.tobytes())
            else:
                getattr(self, f"_{question.pop('do')}")(**question)
        except Fault as fault:
            use_reserve()
            self.fault(fault)
        except BaseException as error:
            use_reserve()
            self.fault(broken(self._at[0], error))

    def _refuse_forks(self) -> None:
        """Raise a fault if a fork of this process has come back; one that works and ends may."""
        if self._forks:
            self._forks = False
            time.sleep(_COMES_BACK)
        if self._at[1]:
            raise Fault(self._at[0], "it forks its process, and the fork plays on", self._forked_at)

    def _begin(
        self, rules: dict[str, Any], terms: dict[str, Any], keeps: bool, body: bytes
    ) -> None:
        self._printed.keeps = keeps
        given = Terms(rules=self._game.read_rules(rules), **terms)
        assert self._chooser is not None
        self.chooser = self._chooser(self._player, given)
        self.chooser.at = self._at
        self._at[0] = self._at[1] = 0
        # The watching thread may not run before the user's code does.
        self.postpone_end()
        self._view = self._game.view(given.rules, given.lanes)
        room, arrays = room_for(self._view, self._game.arrays(given.rules))
        self._body = room.data[LENGTHS.size :]
        for name, array in arrays.items():
            setattr(self._view, name, array)
        self.answer({"begun": given.lanes})

    def _deal(self, body: bytes) -> None:
        """Begin games; this is not answered."""
        lanes, games, follows = np.frombuffer(body, np.int64).reshape(3, -1)
        assert self.chooser is not None
        self.chooser.deal(lanes, games, follows.astype(np.bool_))
        self.since = math.inf

    def _scores(self, lane: int, body: bytes) -> None:
        assert self.chooser is not None
        scores = self.chooser.scores(lane)
        self.answer({"scores": scores is not None}, b"" if scores is None else scores.tobytes())

    def _answers(self, body: bytes) -> None:
        # A `PythonChooser`, since no other class says that it tallies.
        chooser: Any = self.chooser
        self.answer({"answers": True}, chooser.answers().tobytes())

    def _spent(self, body: bytes) -> None:
        assert self.chooser is not None
        self.answer({"spent": self.chooser.spent()})


def can_limit_memory() -> bool:
    """Return whether memory can be limited here: Linux alone counts what a process takes."""
    return sys.platform == "linux"


def limit_memory(most: int) -> None:
    """Let this process, and each that it starts, take so many bytes more than it has now.

    That is memory which it can write to and shares with no other process. What is reserved, but
    never touched, as libraries with threads do, is not counted.
    """
    import resource

    text = Path("/proc/self/status").read_text(encoding="utf-8")
    (taken,) = re.findall(r"^VmData:\s*(\d+) kB$", text, re.MULTILINE)
    soft = (int(taken) << 10) + most
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = soft + _RESERVE if hard == resource.RLIM_INFINITY else hard
    resource.setrlimit(resource.RLIMIT_DATA, (min(soft, most), most))


def use_reserve() -> None:
    """Use the remaining memory for saying that there is no more memory."""
    if can_limit_memory():
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


class _Watch(threading.Thread):
    """Ends the process when a game takes too long, or when bsbench has ended."""

    def __init__(self, thinking: _Thinking, parent: int) -> None:
        super().__init__(daemon=True)
        self._thinking, self._parent = thinking, parent
        self._watched = threading.get_ident()

    def run(self) -> None:
        """Look until the end."""
        beaten = 0.0
        while True:
            pause = self._look()
            now = time.monotonic()
            if now - max(self._thinking.since, beaten) > _BEAT:
                try:
                    self._thinking.beat()
                except OSError:
                    _leave()
                beaten = now
            time.sleep(pause)

    def _look(self) -> float:
        """Stop a game that takes too long; return the seconds until the next look."""
        if os.getppid() != self._parent:
            _leave()
        chooser = self._thinking.chooser
        if chooser is None or chooser.terms.timeout == math.inf:
            return _PAUSE
        timeout = chooser.terms.timeout
        self._thinking.postpone_end()
        lane = chooser.overtime()
        if lane is not None:
            line = line_of(traceback.extract_stack(sys._current_frames()[self._watched]))
            self._thinking.interrupt(chooser.out_of_time(lane, line))
        return min(_PAUSE, timeout)
