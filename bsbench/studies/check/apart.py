"""Checks a user's kernels in a process of their own, so that nothing they do ends the check.

They run inside bsbench, and may end the process, block it, or fork it; all other users' code runs
in thinkers. So the child (`bsbench.studies.check.child`) writes a line of JSON to a pipe before
each call of the strategy, and the parent waits for the next line no longer than a game may take.
Messages are lists:

``["call", method, game, move, games]``
    The strategy is called (what is not known is left out), or thinks again. The clock runs.
``["busy"]``
    bsbench itself works, or numba compiles: there is no limit.
``["properties", name, …]``
    What will be checked, with the strategy's label, the scenarios and the number of games.
``["at", property, place]``, ``["finding", …]``
    What is checked now, and what came of it.
``["forked", line, method, …]``, ``["raised", what, line]``
    A fork of the process came back from a call, given as above; or the call raised SystemExit or
    KeyboardInterrupt.
``["warning", text]``
    Of a `BsbenchWarning`.
``["report", …]``, ``["error", text]``, ``["defect", traceback]``
    The report, a `BsbenchError`, or what should not happen: one of these is the last message.

In the end the child's process group is killed.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any

from bsbench.common.errors import BsbenchError, BsbenchWarning, front_end, with_line
from bsbench.common.findings import Finding
from bsbench.own.blame import dumped_line, how_ended
from bsbench.own.thinker import longest_start
from bsbench.rules.scenario import Scenario
from bsbench.studies.check.report import CheckReport

_START = (
    "import sys; descriptor, request, *sys.path[:] = sys.argv[1:]; "
    "from bsbench.studies.check.child import main; main(int(descriptor), request)"
)

_GRACE = 2.0
"""Seconds beyond the limit: the machine may be busy."""

_DUMP = 1.0
"""Seconds to wait for the line where the strategy is."""

_LONGEST_TEXT = 1 << 16


@dataclass
class _Progress:
    """What is known of a check in progress."""

    label: str
    scenarios: tuple[str, ...] = ()
    games: int = 0
    properties: tuple[str, ...] = ()
    findings: list[Finding] = field(default_factory=list)
    place: str = ""
    call: tuple[Any, ...] | None = None

    def ended(self, problem: str, line: str = "") -> CheckReport:
        """Return the report of a check that was ended by what the strategy did.

        Raises
        ------
        BsbenchError
            If it was not even imported.
        """
        assert self.call is not None
        method, *details = self.call
        if method == "import":
            raise BsbenchError(with_line(f"can't import {self.label}: it {problem}", line))
        where = self.place
        if details and where:
            game, move, games = details
            where += f", game {game}, move {move}"
            problem += f" (the first of a batch of {games} games)" if games > 1 else ""
        text = ": ".join(filter(None, [where, f"{method} {problem}"]))
        what, *rest = self.properties[len(self.findings) :] or ["lets the check end"]
        failed = Finding(what, False, with_line(text, line))
        findings = (*self.findings, failed, *(Finding(each, None) for each in rest))
        return CheckReport(self.label, self.scenarios, self.games, findings)


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
    request = json.dumps([strategy, place, games, seed, timeout, front_end().value])
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as errors, open(reading, "rb", buffering=0) as pipe:
        process = subprocess.Popen(
            [sys.executable, "-c", _START, str(writing), request, *sys.path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=[writing],
            start_new_session=True,
        )
        os.close(writing)
        try:
            return _follow(process, pipe, errors, _Progress(strategy), timeout)
        finally:
            # Before the process is waited for: its number stands for its group until then.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _follow(
    process: subprocess.Popen[bytes],
    pipe: IO[bytes],
    errors: IO[bytes],
    progress: _Progress,
    timeout: float,
) -> CheckReport:
    """Read messages until there is a report, or what is one."""
    for message in _messages(pipe, timeout):
        match message:
            case ["busy"]:
                pass
            case ["call", *call]:
                progress.call = tuple(call)
            case ["at", _, place]:
                progress.place = place
            case ["properties", label, scenarios, count, *names]:
                progress.label, progress.games = label, count
                progress.scenarios, progress.properties = tuple(scenarios), tuple(names)
                progress.call = ("it",)
            case ["finding", finding]:
                progress.findings.append(Finding(**finding))
            case ["forked", line, *call]:
                progress.call = tuple(call)
                return progress.ended("forked its process, and the fork plays on", line)
            case ["raised", what, line]:
                return progress.ended(f"raised {what}", line)
            case ["warning", text]:
                warnings.warn(text, BsbenchWarning, stacklevel=4)
            case ["error", text]:
                raise BsbenchError(text)
            case ["defect", text]:
                raise RuntimeError(f"a check failed\n{text}")
            case ["report", content]:
                return CheckReport.from_dict(content)
            case ["late", limit]:
                return progress.ended(*_late(process, errors, limit))
            case _:
                return progress.ended("wrote into a pipe of bsbench")
    code = process.wait()
    if progress.call is None:
        raise RuntimeError(f"a check did not begin\n{_text(errors)}")
    how = f"{'by' if code < 0 else 'with'} {how_ended(code)}"
    return progress.ended(f"ended its process {how}", dumped_line(_text(errors)))


def _messages(pipe: IO[bytes], timeout: float) -> Iterator[list[Any]]:
    """Yield messages; the last one is ``["late", limit]`` if the next one takes too long."""
    rest, limit = b"", None
    while True:
        ready, _, _ = select.select([pipe], [], [], None if limit is None else limit + _GRACE)
        if not ready:
            yield ["late", limit]
            return
        part = pipe.read(1 << 16)
        if not part:
            return
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            if not isinstance(message, list) or not message:
                message = ["garbage"]
            if message[0] == "busy":
                limit = None
            elif message[0] == "call":
                limit = longest_start(timeout) if "import" in message else timeout
            yield message


def _late(process: subprocess.Popen[bytes], errors: IO[bytes], limit: float) -> tuple[str, str]:
    """Return what to say of a call that takes too long, and the line where it is."""
    process.send_signal(signal.SIGUSR1)
    until, line = time.monotonic() + _DUMP, ""
    while time.monotonic() < until and not line:
        time.sleep(0.05)
        line = dumped_line(_text(errors))
    return f"took more than {limit:g} s; allow more time", line


def _text(errors: IO[bytes]) -> str:
    return os.pread(errors.fileno(), _LONGEST_TEXT, 0).decode(errors="replace")
