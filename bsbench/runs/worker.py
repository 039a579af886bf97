"""Plays chunks: what runs on the workers of a cluster, in any number of threads."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path

import bsbench
from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.common.settings import LARGEST_RUN
from bsbench.layouts import STREAM_VERSION
from bsbench.own.printing import Printed
from bsbench.play.lockstep import moves_dtype
from bsbench.runs.chunks import Chunk, Fault, Job, Part, pack_moves
from bsbench.runs.comparison import FirstSums
from bsbench.runs.identity import layouts_hash, revision
from bsbench.runs.panel import Panel
from bsbench.runs.payloads import forget_modules
from bsbench.runs.playing import Run
from bsbench.runs.tally import MoveLog, Tally

_MOST_OPEN = 4
"""Jobs whose strategies are kept ready."""

_IDLE = 30.0
"""Seconds after which processes end that nobody has used: the client may be lost."""

Stamp = tuple[str, str, int]
"""What must be the same on all machines: version and revision of bsbench, version of the layout
stream."""


def stamp() -> Stamp:
    """Return that of this process."""
    return bsbench.__version__, revision(), STREAM_VERSION


class _Run(Run):
    """A run whose strategy stays ready when a range is over, for the next one."""

    def restart(self, first_game: int) -> None:
        """Begin again, with another game."""
        rules = self.scenario.rules
        nothing = Tally.empty(first_game, rules.cells)
        self._first_shots.clear()
        self._printed = Printed()
        self.go_on(nothing, MoveLog(first_game, moves_dtype(rules)), 0.0, 0.0)

    def close(self) -> None:
        """Keep processes: they end with this one, or with `end`."""

    def end(self) -> None:
        """End processes; no range follows."""
        self._printed = Printed()
        super().close()

    def part(self, first_game: int, keep_moves: bool) -> Part:
        """Return what has been played."""
        moves = self.log.between(first_game, self.tally.end) if keep_moves else None
        notes = None
        if keep_moves and self.notes is not None:
            notes = self.notes.between(first_game, self.tally.end)
        shots, fault = self.first_shots, self.fault
        return Part(
            self.tally,
            None if moves is None else pack_moves(moves),
            self.seconds[1],
            None if shots is None else (shots.shots, shots.hits),
            (self._printed.lines, self._printed.first),
            None if fault is None else Fault(fault.game, fault.shots, fault.problem, fault.line),
            notes,
        )


_Runs = dict[int, _Run]


class _Opened:
    """A job whose files are unpacked, and the runs that are ready to play it."""

    def __init__(self, job: Job, folder: Path) -> None:
        self.job, self._folder = job, folder
        self._idle: list[_Runs] = []
        self._lock, self._making = threading.Lock(), threading.Lock()
        # Threads that play, and what ends idle processes when none does.
        self._playing, self._closed = 0, False
        self._alarm: threading.Timer | None = None
        forget_modules(folder.parent)
        for place, payload in job.strategies.items():
            payload.unpack(folder / str(place))
        self._scenario = job.scenario
        if job.layouts is not None:
            job.layouts.unpack(folder)
            self._scenario = job.layouts.placed(job.scenario, folder)
            if layouts_hash(self._scenario.placement) != job.layouts.sha256:
                raise BsbenchError("the file of layouts has changed since the run began")
        self._idle.append(self._new())

    def _new(self) -> _Runs:
        job = self.job
        runs: _Runs = {}
        try:
            for place, payload in job.strategies.items():
                strategy = payload.strategy(self._folder / str(place), job.timeout)
                runs[place] = _Run(strategy, self._scenario, job.seed, 1, job.timeout)
        except BaseException:
            _end(runs)
            raise
        return runs

    @contextlib.contextmanager
    def runs(self) -> Iterator[_Runs]:
        """Yield runs for one thread; keep them if none has a fault."""
        with self._lock:
            self._playing += 1
            if self._alarm is not None:
                self._alarm.cancel()
            idle = self._idle.pop() if self._idle else None
        runs: _Runs = {}
        kept = False
        try:
            with self._making:
                runs = idle or self._new()
            yield runs
            kept = not any(run.fault for run in runs.values())
        finally:
            with self._lock:
                self._playing -= 1
                if kept and not self._closed:
                    self._idle.append(runs)
                    runs = {}
                if not self._playing:
                    self._alarm = threading.Timer(_IDLE, self._rest)
                    self._alarm.daemon = True
                    self._alarm.start()
            _end(runs)

    def _rest(self) -> None:
        """End the processes of runs that are idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for runs in idle:
            _end(runs)

    def close(self) -> None:
        """End all processes: at once, or when the chunks are over that are being played."""
        self._closed = True
        self._rest()

    def here(self, text: str) -> str:
        """Return a text in which files have the names that they have where they are from."""
        for place, payload in self.job.strategies.items():
            if payload.files:
                text = text.replace(str(self._folder / str(place)), payload.root)
        return text


def _end(runs: _Runs) -> None:
    """End the processes of some runs."""
    for run in runs.values():
        run.end()


_opened: OrderedDict[str, _Opened] = OrderedDict()
_opening = threading.Lock()


def play_chunk(
    key: str,
    read: Callable[[], Job],
    folder: Path,
    places: tuple[int, ...],
    first_game: int,
    games: int,
    moves: bool,
) -> Chunk | str:
    """Play a range of games.

    Parameters
    ----------
    key : str
        That of the job.
    read : callable
        Returns the job; called if it is not open yet.
    folder : Path
        Where its files are unpacked, in a folder named by the key.
    places : tuple of int
        Who plays.
    first_game, games : int
    moves : bool
        Whether move counts are kept.

    Returns
    -------
    Chunk or str
        Or why it can't be played, in a sentence.
    """
    try:
        with _opening:
            if key not in _opened:
                _opened[key] = _Opened(read(), folder / key)
            _opened.move_to_end(key)
            if len(_opened) > _MOST_OPEN:
                _opened.popitem(last=False)[1].close()
            opened = _opened[key]
    except BsbenchError as error:
        return str(error)
    try:
        with opened.runs() as runs:
            playing = [runs[place] for place in places]
            return _played(opened, playing, places, first_game, games, moves)
    except BsbenchError as error:
        return opened.here(str(error))


def forget(key: str) -> None:
    """End the processes of a job that nobody plays any more."""
    with _opening:
        opened = _opened.pop(key, None)
    if opened is not None:
        opened.close()


def _played(
    opened: _Opened,
    runs: list[_Run],
    places: tuple[int, ...],
    first_game: int,
    games: int,
    moves: bool,
) -> Chunk:
    job = opened.job
    for run in runs:
        run.restart(first_game)
    has_reference = job.reference in places
    reference = places.index(job.reference) if has_reference else 0
    panel = Panel(
        runs,
        reference,
        most_kept=LARGEST_RUN if moves else 0,
        keep_totals=job.keep_totals,
    )
    # Where all have faults, their parts say so.
    with contextlib.suppress(StrategyError):
        panel.play(lambda _: games, games)
    parts = {}
    for place, run in zip(places, runs, strict=True):
        if run.fault is not None:
            run.fault.line = opened.here(run.fault.line)
            run.fault.problem = opened.here(run.fault.problem)
        parts[place] = run.part(first_game, moves)
    pairs = panel.pairs.items() if has_reference else ()
    firsts = panel.firsts
    whole = firsts is not None and firsts.games == games and len(firsts.places) == len(places)
    return Chunk(
        first_game,
        games,
        parts,
        {places[index]: sums for index, sums in pairs if sums.games == games},
        FirstSums(places, games, firsts.alone, firsts.tied) if firsts and whole else None,
    )
