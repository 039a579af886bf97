"""The process in which a user's kernels are checked: it says at each step what it is about to do.

`bsbench.studies.check.apart` starts it, and describes the messages.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import json
import os
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import wraps
from typing import Any

from numba.core import event

from bsbench.common.errors import BsbenchError, BsbenchWarning, FrontEnd, serving
from bsbench.common.findings import Finding
from bsbench.common.settings import read_variant
from bsbench.own.blame import broken, line_of
from bsbench.own.loading import import_here
from bsbench.own.thinking import leave_signals
from bsbench.rules.scenario import scenario_from_dict
from bsbench.strategies import Strategy
from bsbench.strategies.view import View
from bsbench.studies.check.listening import Listener
from bsbench.studies.check.study import check_here

_PR_SET_PDEATHSIG = 1
"""Of `prctl`: the signal that a process gets when its parent ends."""

_COMES_BACK = 0.1
"""Seconds to wait for a fork of the process, which comes back from the strategy as soon."""

_METHODS = "begin", "deal", "shoot", "salvo", "hunt", "orders", "insight"
"""Of a strategy: what check and the engine call."""


class _Reporter(Listener):
    """Reports to the parent what is about to be done, so that it knows where the process ended.

    Parameters
    ----------
    descriptor : int
        Where messages are written to.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._process = os.getpid()
        self._forks, self._forked_at = False, ""
        self._games: dict[int, int] = {}
        self._state: tuple[Any, ...] = ("busy",)

    def send(self, kind: str, *content: Any) -> None:
        """Write a message; end the process where nobody reads it."""
        line = json.dumps([kind, *content]).encode() + b"\n"
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
        except OSError:
            os._exit(1)

    def say(self, *state: Any) -> None:
        """Report what is going on from now on."""
        self._state = state
        self.send(*state)

    def begins(
        self, label: str, scenarios: Sequence[str], games: int, properties: Sequence[str]
    ) -> None:
        """Report what will be checked."""
        self.send("properties", label, scenarios, games, *properties)

    def found(self, finding: Finding) -> None:
        """Report what came of it."""
        self.send("finding", asdict(finding))

    def at(self, what: str, where: str = "") -> None:
        """Report what is checked."""
        self.send("at", what, where)

    @contextlib.contextmanager
    def own(self) -> Iterator[None]:
        """Report that bsbench is busy, and when it is not."""
        before = self._state
        self.say("busy")
        try:
            yield
        finally:
            self.say(*before)

    def listen(self, strategy: Strategy) -> Strategy:
        """Report each call of a strategy's methods from now on."""
        for name in _METHODS:
            if hasattr(strategy, name):
                # Also where the class defines __setattr__.
                object.__setattr__(strategy, name, self._reported(getattr(strategy, name)))
        return strategy

    def _reported(self, method: Callable[..., Any]) -> Callable[..., Any]:
        name = method.__name__

        @wraps(method)
        def call(*arguments: Any) -> Any:
            self.say("call", name, *self._place(name, arguments))
            try:
                return method(*arguments)
            finally:
                if os.getpid() != self._process:
                    self.send("forked", self._forked_at, *self._state[1:])
                    os._exit(0)
                if self._forks:
                    self._forks = False
                    time.sleep(_COMES_BACK)

        return call

    def _place(self, name: str, arguments: tuple[Any, ...]) -> tuple[int, ...]:
        """Return game, move, and number of games of the call, if that is known."""
        if name == "deal":
            lanes, games = (array.tolist() for array in arguments)
            self._games |= zip(lanes, games, strict=True)
            return games[0], 1, len(games)
        if arguments and isinstance(arguments[0], View):
            view = arguments[0]
            lane = int(view.live.argmax())
            return self._games.get(lane, 0), int(view.shots[lane]) + 1, int(view.live.sum())
        return ()

    def on_fork(self) -> None:
        """Note where the process forks, on both sides."""
        self._forks, self._forked_at = True, line_of(traceback.extract_stack())


class _Compiling(event.Listener):  # type: ignore[misc]
    """Reports when numba compiles. One kernel is compiled within another."""

    def __init__(self, reporter: _Reporter) -> None:
        self._reporter = reporter
        self._open = contextlib.ExitStack()
        self._depth = 0

    def on_start(self, _: event.Event) -> None:
        """Report that it begins."""
        if self._depth == 0:
            self._open.enter_context(self._reporter.own())
        self._depth += 1

    def on_end(self, _: event.Event) -> None:
        """Report that the strategy continues."""
        self._depth -= 1
        if self._depth == 0:
            self._open.close()


def main(descriptor: int, request: str) -> None:
    """Check a strategy, and report to the parent.

    Parameters
    ----------
    descriptor : int
        The parent reads what is written to it.
    request : str
        JSON: strategy, scenario, games, seed and timeout, as for `check_strategy`; the scenario as
        `Scenario.to_dict` returns it; and the front end of the parent.
    """
    leave_signals()
    # Kernels may run for ever when the parent is gone. Linux has a signal for that.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # What is printed is lost, but for what says where the process is: the parent asks for it when
    # it waits in vain, and a crash writes it.
    traces = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    faulthandler.enable(traces, all_threads=False)
    faulthandler.register(signal.SIGUSR1, traces, all_threads=False)
    # Programs that the strategy starts have no business there.
    os.set_inheritable(descriptor, False)
    reporter = _Reporter(descriptor)
    os.register_at_fork(before=reporter.on_fork)
    event.register("numba:compile", _Compiling(reporter))

    def show(message: Warning | str, category: type[Warning], *_: Any) -> None:
        if issubclass(category, BsbenchWarning):
            reporter.send("warning", str(message))

    warnings.showwarning = show  # type: ignore[assignment]
    try:
        strategy, place, games, seed, timeout, front_end = json.loads(request)
        with serving(FrontEnd(front_end)):
            scenario = None if place is None else scenario_from_dict(place)
            reporter.say("call", "import")
            name, settings = read_variant(strategy)
            player = import_here(name).configured(settings)
            report = check_here(player, scenario, games, seed, timeout, reporter)
        reporter.send("report", asdict(report))
    except BsbenchError as error:
        reporter.send("error", str(error))
    except Exception:
        reporter.send("defect", traceback.format_exc())
    except BaseException as error:
        # SystemExit and KeyboardInterrupt: Ctrl-C does nothing, so that the strategy raised it.
        fault = broken(0, error)
        reporter.send("raised", fault.problem, fault.line)
