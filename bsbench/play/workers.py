"""Worker processes, which play strategies in Python.

Threads of one process take turns in the interpreter, so that strategies in Python are played
by one process for each core. A worker is a fresh interpreter that gets an `Assignment`, and
imports the user's file itself; it does not run the main program again, as a process of
`multiprocessing` would. Parent and worker exchange pickles on the worker's standard streams::

    parent                                worker
      an Assignment                 ->
                                    <-      ("ready", seconds of a game), if warm
      ("play", lanes, block)        ->
                                    <-      ("next",)
      a Block, or None at the end   ->
                                    <-      ("done", block, move counts)
                                    <-      ("ended", lines printed, the first one)
      ("replay", game, scores)      ->
                                    <-      ("printed", text), ("move", move), …, ("ended", …)

or at any time, ``("failed", error)``. What the user's code prints is counted, and shown only
in a replay. A worker ends when its standard input does.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.layouts import make_sampler
from bsbench.own.adapter import Adapter
from bsbench.own.blame import dumped_line, line_of
from bsbench.own.printing import Printed, kept_quiet
from bsbench.own.watch import Watch
from bsbench.play.game import Move, play_game
from bsbench.play.lockstep import Block, Moves, Simulator
from bsbench.roster import make_strategy
from bsbench.rules.scenario import Scenario

_START = "import sys; sys.path[:] = sys.argv[1:]; from bsbench.play.workers import main; main()"

_Answer = Callable[..., None]

_GRACE = 10.0
"""Seconds after the timeout at which a worker ends if its watching thread can't run."""


@dataclass(frozen=True)
class Assignment:
    """What a worker plays.

    Attributes
    ----------
    spec : str
        Of the strategy: see `bsbench.own.loading`.
    parameters : dict
    scenario : Scenario
    seed : int
    timeout : float
        Seconds that one game may take of the user's code.
    warm : bool
        Whether to play a game first, to measure how long one takes.
    """

    spec: str
    parameters: dict[str, Any]
    scenario: Scenario
    seed: int
    timeout: float
    warm: bool = True


class Worker:
    """A process that plays games, seen from the one that started it.

    One thread at a time may use it; any thread may call `kill`.

    Attributes
    ----------
    printed : Printed
        What the user's code has printed, once the worker has reported it.
    """

    def __init__(self, assignment: Assignment, name: str) -> None:
        self.printed = Printed()
        self._assignment = assignment
        self._name = name
        self._killed = False
        # Blocks handed out that have not come back.
        self._open: dict[int, Block] = {}
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self._send(assignment)

    def wait_until_ready(self) -> float:
        """Wait until the worker has played its first game; return the seconds that one takes."""
        seconds: float = self._receive()[1]
        return seconds

    def play(
        self, lanes: int, largest_block: int, blocks: Iterator[Block], stopped: Callable[[], bool]
    ) -> Iterator[tuple[Block, Moves]]:
        """Play blocks of games, as `Simulator.play` does.

        Raises
        ------
        StrategyError
            If the strategy breaks the rules, raises, takes too long or ends the worker.
        """
        self._open.clear()
        self._send(("play", lanes, largest_block))
        while not stopped():
            message = self._receive()
            if message[0] == "next":
                block = next(blocks, None)
                if block is not None:
                    self._open[block.first_game] = block
                self._send(block)
            elif message[0] == "done":
                _, block, moves = message
                del self._open[block.first_game]
                yield block, moves
            else:
                return

    def replay(self, game: int, scores: bool, hear: Callable[[str], object]) -> Iterator[Move]:
        """Play one game; yield its moves as they are made, with scores if asked for.

        ``hear`` is called with what is printed, before the move that it was printed for.
        """
        self._open = {game: Block(game, 1)}
        self._send(("replay", game, scores))
        while (message := self._receive())[0] != "ended":
            if message[0] == "move":
                yield message[1]
            else:
                hear(message[1])

    def kill(self) -> None:
        """End the worker at once, whatever it does."""
        self._killed = True
        self._process.kill()

    def close(self) -> None:
        """Let the worker end; kill it if it does not."""
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        try:
            self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        try:
            pickle.dump(message, self._process.stdin)
            self._process.stdin.flush()
        except OSError:
            raise self._end() from None

    def _receive(self) -> tuple[Any, ...]:
        assert self._process.stdout is not None
        try:
            message: tuple[Any, ...] = pickle.load(self._process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise self._end() from None
        if message[0] in ("ended", "failed"):
            self.printed.add(*message[-2:])
        if message[0] == "failed":
            raise message[1]
        return message

    def _end(self) -> Exception:
        """Return the error for a worker that has ended."""
        code = self._process.wait()
        if self._killed:
            return _KilledError()
        self._errors.seek(0)
        text = self._errors.read().decode(errors="replace")
        game = min(self._open, default=0)
        if "Timeout (" in text:
            problem = (
                f"it took more than {self._assignment.timeout:g} s, in code that can't be "
                "interrupted; --timeout allows more"
            )
        else:
            how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
            problem = f"its process ended with {how}"
        if (count := sum(block.games for block in self._open.values())) > 1:
            problem += f" (in one of {count} games from this one on)"
        line = dumped_line(text)
        return StrategyError(self._name, game, self._assignment.seed, None, problem, line)


class _KilledError(Exception):
    """The worker was ended on purpose."""


def main() -> None:
    """Play what the parent asks for, on the standard streams."""
    # The terminal sends Ctrl-C to all; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    orders = os.fdopen(os.dup(0), "rb")
    # What C code prints is dropped, and standard input is empty.
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    sys.stdin = os.fdopen(0, encoding="utf-8")
    faulthandler.enable(file=2)
    lock = threading.Lock()

    def answer(*message: object) -> None:
        with lock:
            pickle.dump(message, answers)
            answers.flush()

    with kept_quiet() as printed:
        try:
            _work(pickle.load(orders), orders, answer, printed)
        except EOFError:
            pass
        except BaseException as error:
            if not isinstance(error, BsbenchError):
                # A defect of bsbench: its traceback would be lost on the way.
                error = RuntimeError(f"a worker failed\n{traceback.format_exc()}")
            _send_printed(printed, answer)
            answer("failed", error, printed.lines, printed.first)
    answers.flush()
    # Without waiting for threads of the user's code, or anything else that hangs.
    os._exit(0)


def _work(assignment: Assignment, orders: IO[bytes], answer: _Answer, printed: Printed) -> None:
    """Play what the parent asks for, until its standard input ends."""
    strategy = make_strategy(assignment.spec, assignment.parameters)
    assert isinstance(strategy, Adapter)
    strategy.timeout = assignment.timeout
    rules, seed = assignment.scenario.rules, assignment.seed
    sampler = make_sampler(rules, assignment.scenario.placement)

    def fresh() -> Adapter:
        player = strategy.copy()
        watch.player = player
        return player

    def asked_for() -> Iterator[Block]:
        while True:
            answer("next")
            block = pickle.load(orders)
            if block is None:
                return
            yield block

    watch = _Deadline(assignment, answer, printed)
    watch.start()
    if assignment.warm:
        # The first game compiles kernels, or loads them; the second shows how long one takes.
        for _ in range(2):
            begun = time.monotonic()
            for _ in Simulator(rules, sampler, fresh(), seed, 1).play(iter([Block(0, 1)])):
                pass
        answer("ready", time.monotonic() - begun)
    # What was printed in these games will be printed again.
    printed.forget()
    while True:
        what, *details = pickle.load(orders)
        if what == "play":
            simulator = Simulator(rules, sampler, fresh(), seed, *details)
            for block, moves in simulator.play(asked_for()):
                answer("done", block, moves)
        else:
            printed.keeps = True
            for move in play_game(fresh(), rules, sampler, seed, *details):
                _send_printed(printed, answer)
                answer("move", move)
        answer("ended", printed.lines, printed.first)
        printed.forget()


def _send_printed(printed: Printed, answer: _Answer) -> None:
    """Send what was printed for a shot, if that is kept."""
    if text := printed.take():
        answer("printed", text)


class _Deadline(Watch):
    """Ends the process, with an answer, when a game takes too long."""

    def __init__(self, assignment: Assignment, answer: _Answer, printed: Printed) -> None:
        super().__init__(assignment.timeout)
        self._assignment, self._answer, self._printed = assignment, answer, printed

    def look(self) -> None:
        """Stop a game that takes too long; let the process end if this is not called again."""
        # While a user's C code runs, other threads may be blocked.
        faulthandler.dump_traceback_later(self._assignment.timeout + _GRACE, exit=True, file=2)
        super().look()

    def interrupt(self, player: Adapter, lane: int) -> None:
        """End the process."""
        line = line_of(traceback.extract_stack(sys._current_frames()[self.watched]))
        error = StrategyError(
            player.name,
            player.games[lane],
            self._assignment.seed,
            int(player.shots[lane]),
            player.out_of_time(lane).problem,
            line,
        )
        _send_printed(self._printed, self._answer)
        self._answer("failed", error, self._printed.lines, self._printed.first)
        os._exit(0)
