"""Checks a user's kernels in a process of their own, so that nothing they do ends the check.

They run inside bsbench, and may end the process or block it; all other users' code runs in
thinkers. So the child notes at each call of the strategy what it is about to do, and ends itself
where a call takes too long. Its notes, a JSON object in a file, say in the end what was found.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from dataclasses import asdict, replace
from typing import Any

from numba.core import event

from bsbench.common.errors import (
    BsbenchError,
    BsbenchWarning,
    FrontEnd,
    front_end,
    serving,
    with_line,
)
from bsbench.common.settings import read_variant
from bsbench.own.blame import broken, dumped_line, how_ended
from bsbench.own.loading import import_here
from bsbench.own.thinker import longest_start
from bsbench.own.thinker_main import leave_signals
from bsbench.rules.scenario import Scenario, scenario_from_dict
from bsbench.studies.check.checking import CheckReport, Finding, check_here

_START = (
    "import sys; notes, request, *sys.path[:] = sys.argv[1:]; "
    "from bsbench.studies.check.apart import main; main(int(notes), request)"
)

_PR_SET_PDEATHSIG = 1
"""Of `prctl`: the signal that a process gets when its parent ends."""


def check_apart(
    strategy: str, scenario: Scenario | None, games: int, seed: int, timeout: float
) -> CheckReport:
    """Check a strategy with kernels as `check_strategy` does, in another process.

    Raises
    ------
    BsbenchError
        If the strategy can't be imported or used, or not on the scenario.
    """
    place = None if scenario is None else scenario.to_dict()
    limits = longest_start(timeout), timeout
    request = json.dumps([strategy, place, games, seed, limits, front_end().value, os.getpid()])
    with tempfile.TemporaryFile() as notes, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            [sys.executable, "-c", _START, str(notes.fileno()), request, *sys.path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=[notes.fileno()],
            start_new_session=True,
        )
        code = _ended(child)
        notes.seek(0)
        errors.seek(0)
        noted = json.loads(notes.read().split(b"\0")[0])
        text = errors.read().decode(errors="replace")
    for remark in noted["warnings"]:
        warnings.warn(remark, BsbenchWarning, stacklevel=3)
    if noted["error"]:
        raise BsbenchError(noted["error"])
    if noted["defect"]:
        raise RuntimeError(f"a check failed\n{noted['defect']}")
    report = None if noted["report"] is None else CheckReport.from_dict(noted["report"])
    if report is not None and noted["done"]:
        return report
    problem = f"ended its process {'by' if code < 0 else 'with'} {how_ended(code)}"
    if "Timeout (" in text:
        problem = f"took more than {noted['limit']:g} s; allow more time"
    problem, line = noted["raised"] or (problem, dumped_line(text))
    if report is None:
        raise BsbenchError(with_line(f"can't import {strategy}: it {problem}", line))
    # The first property that is open.
    findings = list(report.findings)
    number = [finding.passed for finding in findings].index(None)
    message = with_line(f"{noted['place']} {problem}", line)
    findings[number] = Finding(findings[number].what, False, message)
    return replace(report, findings=tuple(findings))


def _ended(child: subprocess.Popen[bytes]) -> int:
    """Return how a process has ended, as `Popen.returncode` has it; one that stops is killed."""
    try:
        _, status = os.waitpid(child.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            child.returncode = os.waitstatus_to_exitcode(status)
            return child.returncode
        return -os.WSTOPSIG(status)
    finally:
        child.kill()
        child.wait()


class _Notes(event.Listener):  # type: ignore[misc]
    """Notes what is about to be done, and ends the process where that takes too long.

    It also hears when numba compiles, one kernel within another: the clock stands still then.

    Parameters
    ----------
    descriptor : int
        Of the file.
    traces : int
        Where the place is written to at which the process is ended.
    """

    def __init__(self, descriptor: int, traces: int) -> None:
        self._descriptor, self._traces = descriptor, traces
        self._depth, self._runs = 0, False
        self.noted: dict[str, Any] = {"report": None, "done": False, "raised": None}
        self.noted |= {"place": "", "limit": 0.0, "warnings": [], "error": "", "defect": ""}

    def write(self, **noted: Any) -> None:
        """Note something more."""
        self.noted |= noted
        text = json.dumps(self.noted).encode() + b"\0"
        os.pwrite(self._descriptor, text, 0)

    def call(self, place: str) -> None:
        """Note that the user's code is called now."""
        self.write(place=place)
        self._runs = True
        faulthandler.dump_traceback_later(self.noted["limit"], exit=True, file=self._traces)

    def hear(self, report: CheckReport) -> None:
        """Note what was found so far; the clock stands still until the next call."""
        self.stop()
        self.write(report=asdict(report))

    def stop(self) -> None:
        """Stop the clock until the next call."""
        faulthandler.cancel_dump_traceback_later()
        self._runs = False

    def on_start(self, _: event.Event) -> None:
        """Stop the clock."""
        faulthandler.cancel_dump_traceback_later()
        self._depth += 1

    def on_end(self, _: event.Event) -> None:
        """Let it begin again, if it ran."""
        self._depth -= 1
        if self._depth == 0 and self._runs:
            self.call(self.noted["place"])

    def show(self, message: Warning | str, category: type[Warning], *_: Any) -> None:
        """Note a warning."""
        if issubclass(category, BsbenchWarning):
            self.write(warnings=[*self.noted["warnings"], str(message)])


def main(descriptor: int, request: str) -> None:
    """Check a strategy, and note what comes of it.

    Parameters
    ----------
    descriptor : int
        Of the file of notes.
    request : str
        JSON: strategy, scenario, games, seed, as for `check_strategy`, the scenario as
        `Scenario.to_dict` returns it; the seconds that its import and a call may take; and the
        front end and the process of the parent.
    """
    leave_signals()
    # Kernels may run for ever when the parent is gone. Linux has a signal for that.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # What is printed is lost, but for what says where the process is when it ends.
    traces = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    faulthandler.enable(traces, all_threads=False)
    notes = _Notes(descriptor, traces)
    event.register("numba:compile", notes)
    warnings.showwarning = notes.show  # type: ignore[assignment]
    try:
        strategy, place, games, seed, limits, front_end, parent = json.loads(request)
        longest_import, timeout = limits
        if os.getppid() != parent:
            return
        with serving(FrontEnd(front_end)):
            scenario = None if place is None else scenario_from_dict(place)
            notes.write(limit=longest_import)
            notes.call("import")
            name, settings = read_variant(strategy)
            player = import_here(name).configured(settings)
            notes.stop()
            notes.write(limit=timeout)
            report = check_here(player, scenario, games, seed, timeout, notes.call, notes.hear)
        notes.write(report=asdict(report), done=True)
    except BsbenchError as error:
        notes.write(error=str(error))
    except Exception:
        notes.write(defect=traceback.format_exc())
    except BaseException as error:
        # SystemExit and KeyboardInterrupt: Ctrl-C does nothing, so that the strategy raised it.
        fault = broken(0, error)
        notes.write(raised=[f"raised {fault.problem}", fault.line])
