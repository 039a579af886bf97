"""Panels: strategies that play the same games in turn, and are compared while they play.

A single run is a panel of one; a comparison is one of several. They play in *rounds*,
and several in *chunks* of a round::

    games      0 --------- 4 M --------- 8 M ------------- end of the round
    reference  =========== | =========== |
    second     =========== | =====       |
    third      =========== |             |
                           ^ meeting     ^ the next one

When all have played the same games they *meet*: their move counts are added to the sums over pairs
(`bsbench.stats.PairedSums`), and forgotten if the games are many. So memory does not grow with the
games. What a panel knows is what it knew at the last meeting, and what each strategy has played
since: that is what a journal keeps. The result depends on neither rounds, chunks, blocks nor
threads.

Workers play elsewhere, on a cluster for example: they give chunks (`bsbench.runs.chunks`), ranges
of games that all strategies have played, so that they meet at the end of each.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, BsbenchWarning, StoppedError
from bsbench.common.journal import Journal, cut_rows
from bsbench.common.progress import Progress
from bsbench.common.record import as_json, read
from bsbench.common.settings import LARGEST_RUN
from bsbench.own.adapter import Adapter
from bsbench.play.lockstep import Moves, moves_dtype
from bsbench.rules.board import Rules
from bsbench.rules.placement import STREAM_VERSION
from bsbench.rules.scenario import Scenario
from bsbench.runs.alarms import OpeningShots
from bsbench.runs.chunks import Chunk, Job, Workers
from bsbench.runs.comparison import FirstSums, unit_of
from bsbench.runs.cores import Run
from bsbench.runs.formats import FaultRecord, TallyRecord
from bsbench.runs.payloads import Payload
from bsbench.runs.records import read_fault, read_tally
from bsbench.runs.request import MOST_KEPT
from bsbench.runs.results import Result, fault_record, tally_record
from bsbench.runs.rounds import first_look, whole_units
from bsbench.runs.tally import MoveLog, Tally, shots_in
from bsbench.stats import Difference, PairedSums, Summary, UnitSums, exact_dot, summarize

CHUNK = 1 << 22
"""Games between two meetings at most: a byte or two of memory for each of each strategy."""


@dataclass(frozen=True, eq=False, kw_only=True)
class GameProgress(Progress):
    """How far games are; figures are computed when asked for.

    With a goal, the total is not known.

    Attributes
    ----------
    scenario : Scenario
    seed : int
    tally : Tally
        What the strategy has played so far.
    goal : float or None
        The half-width to be reached, in moves: that of the mean of a strategy that plays alone,
        else those of all differences.
    differences : mapping of str to Difference
        By label, to the reference, over the games that all have played.
    """

    scenario: Scenario
    seed: int
    tally: Tally
    goal: float | None = None
    differences: Mapping[str, Difference] | None = None

    @property
    def mean(self) -> float:
        """Mean of its move counts; NaN before the first game."""
        counts = self.tally.counts
        return float(counts @ np.arange(len(counts))) / self.done if self.done else math.nan

    @cached_property
    def half_width(self) -> float:
        """Half-width of the 95 % interval of the mean; NaN where nothing is known of it."""
        if not self.done or self.scenario.placement.law == "each":
            return math.nan
        return summarize(self.tally.counts, self.tally.learning).half_width

    @property
    def width(self) -> float:
        """The half-width that the goal is about; NaN while it is unknown."""
        if self.differences is None:
            return self.half_width
        widths = [difference.half_width for difference in self.differences.values()]
        return max(widths, default=math.nan)


Watch = Callable[[GameProgress], object]
"""Called now and then while games are played, from the calling thread."""


@dataclass(frozen=True, eq=False)
class _Meeting:
    """What is known of the games that all have played.

    Attributes
    ----------
    games : int
    tallies : mapping of int to Tally
        Of each run.
    pairs : mapping of int to PairedSums
        Of the contestants that can be compared with the reference.
    firsts : FirstSums or None
        How often each is the first of all; None where that can't be known any more.
    """

    games: int
    tallies: Mapping[int, Tally]
    pairs: Mapping[int, PairedSums]
    firsts: FirstSums | None


class Panel:
    """Runs of the same games, and results of such games, that are compared with one of them.

    Contestants are known by their places: two may have the same label.

    Parameters
    ----------
    contestants : sequence of Run or Result
        The runs are of one scenario, one seed, and one first game. Results that did not meet the
        same layouts, or whose move counts are not kept, are not compared.
    reference : int
        The place of the one that the others are compared with. If it is a run, it plays first:
        without it, there is nothing to compare with when interrupted.
    chooses : bool
        Whether the best so far takes its place, as long as all can be compared with that.
    most_kept : int
        With more games than that, move counts are forgotten when they have been compared.
    chunk : int, optional
        Games between two meetings at most. Default: `CHUNK`.
    keep_totals : bool
        As for `PairedSums.empty`.
    workers : Workers, optional
        Who plays. Default: threads of this process.

    Attributes
    ----------
    runs : dict of int to Run
        In the order of play.
    reference : int
        The place of the reference now; that of another one, if it has a fault (see `settle`).
    """

    def __init__(
        self,
        contestants: Sequence[Run | Result],
        reference: int = 0,
        *,
        chooses: bool = False,
        most_kept: int = MOST_KEPT,
        chunk: int | None = None,
        keep_totals: bool = False,
        workers: Workers | None = None,
    ) -> None:
        self.reference, self._chooses, self._workers = reference, chooses, workers
        self._contestants = tuple(contestants)
        self._most_kept, self._chunk, self._keep_totals = most_kept, chunk or CHUNK, keep_totals
        order = sorted(enumerate(contestants), key=lambda each: each[0] != reference)
        self.runs = {place: each for place, each in order if isinstance(each, Run)}
        one = next(iter(self.runs.values()))
        self._scenario, self._seed, self._first = one.scenario, one.seed, one.tally.first_game
        self.unit = unit_of(*self.runs.values())
        self._recorded = {
            place: _log_of(each, self._seed) for place, each in order if isinstance(each, Result)
        }
        for run in self.runs.values():
            # Several must keep theirs until they meet.
            run.most_kept = most_kept if self._is_alone else LARGEST_RUN
        self._round = 0
        self._stopped: StoppedError | None = None
        # Up to where move counts are in the journal.
        self._written = dict.fromkeys(self.runs, self._first)
        nothing = Tally.empty(self._first, self._scenario.rules.most_moves)
        tallies = dict.fromkeys(self.runs, nothing)
        self._met = _Meeting(0, tallies, self._no_pairs(), FirstSums.empty(()))
        common = self._common(self.runs) // self.unit * self.unit
        if common and not all(map(self._can_look_back, self.runs)):
            self._meet(common)

    @property
    def _is_alone(self) -> bool:
        return len(self._contestants) == 1

    @property
    def games(self) -> int:
        """Games that all have played."""
        return self._met.games

    @property
    def pairs(self) -> Mapping[int, PairedSums]:
        """Sums over these games, of each that could be compared with the reference.

        Not those of two results.
        """
        return {place: sums for place, sums in self._met.pairs.items() if sums.games}

    @property
    def firsts(self) -> FirstSums | None:
        """How often each is the first of all in these games; None where not all are compared."""
        firsts = self._met.firsts
        return firsts if firsts is not None and firsts.games else None

    @property
    def going(self) -> list[int]:
        """Places of the runs that can play on."""
        return [place for place, run in self.runs.items() if run.fault is None]

    def play(
        self,
        next_round: Callable[[int], int],
        most: int,
        progress: Callable[[Run, bool], object] | None = None,
        journal: Journal | None = None,
        key: str = "",
    ) -> bool:
        """Play rounds until there is no next one.

        Few rounds that grow are best: at the end of each, lanes idle until the last game is over.

        Parameters
        ----------
        next_round : callable
            Given the number of games that all have played, returns the number after the next
            round; the same number ends it.
        most : int
            The most games that may be played.
        progress : callable, optional
            Called with the run that plays, and whether it is being set up.
        journal : Journal, optional
            Where to go on from, and what to write checkpoints to.
        key : str
            What this panel is called there.

        Returns
        -------
        bool
            Whether Ctrl-C ended it, or a `StoppedError`, as when workers lose a chunk; each
            run then has what was played until then.

        Raises
        ------
        BsbenchError
            If the journal is damaged, or has more games than may be played; or what the workers
            raise; or a `StoppedError`, if nothing has been played.
        StrategyError
            If all strategies break the rules or raise. A strategy that does so while others play
            on gets a `Run.fault`.
        """
        if journal is not None:
            self._go_on(journal, key, most)

        def played(run: Run) -> None:
            # Nobody waits for one that plays alone: any moment is as good.
            self._checkpoint(journal, key, good_moment=self._is_alone)
            if progress is not None:
                progress(run, False)

        interrupted = False
        try:
            if self._round <= self.games:
                self._round = next_round(self.games)
            job = None if self._workers is None else self._job()
            if job is not None and progress is not None:
                for run in self.runs.values():
                    progress(run, True)
            while self._round > self.games:
                if self.going and self._common(self.going) >= self._round:
                    # Played before: looked at after as many games as if they were played now.
                    self._meet(self._round)
                elif self._workers is None or job is None:
                    self._play_chunk(played, progress)
                else:
                    self._play_elsewhere(self._workers, job, played)
                if not self.going:
                    fault = next(iter(self.runs.values())).fault
                    assert fault is not None
                    raise fault
                if job is not None and job.reference != self.reference:
                    # Files were read at the beginning, and may be gone.
                    job = replace(job, reference=self.reference)
                if self.games == self._round:
                    self._round = next_round(self.games)
                self._checkpoint(journal, key, good_moment=True)
        except KeyboardInterrupt:
            interrupted = True
        except StoppedError as stopped:
            if not any(run.games for run in self.runs.values()):
                raise
            self._stopped = stopped
            interrupted = True
        finally:
            for run in self.runs.values():
                run.close()
            if journal is not None and any(run.games for run in self.runs.values()):
                self._put(journal, key)
        return interrupted

    def check_kept(self, kept: bool) -> None:
        """Warn of what ended play, if games are kept; else raise it, or the interruption.

        Raises
        ------
        StoppedError, KeyboardInterrupt
            If none are kept.
        """
        if not kept:
            raise self._stopped or KeyboardInterrupt
        if self._stopped is not None:
            remark = f"{self._stopped}; the games before are kept"
            warnings.warn(remark, BsbenchWarning, stacklevel=3)

    def _play_chunk(
        self,
        played: Callable[[Run], None],
        progress: Callable[[Run, bool], object] | None,
    ) -> None:
        """Play on to the end of the chunk in threads of this process."""
        end = self._round
        if not self._is_alone:
            end = min(end, self.games + whole_units(self._chunk, self.unit))
        for place in self.going:
            run = self.runs[place]
            if progress is not None and not run.is_set_up and run.games < end:
                progress(run, True)
            run.play_to(end, lambda _, run=run: played(run))  # type: ignore[misc]
        if self.going:
            self._meet(end)

    # What workers play.

    def _job(self) -> Job:
        """Return what is played, as data."""
        return Job(
            {place: Payload.of(run.strategy) for place, run in self.runs.items()},
            self.unit,
            any(isinstance(run.strategy, Adapter) for run in self.runs.values()),
            self.reference,
            self._scenario,
            Payload.of_layouts(self._scenario.placement),
            self._seed,
            max(run.timeout for run in self.runs.values()),
            self._keep_totals,
        )

    def _play_elsewhere(self, workers: Workers, job: Job, played: Callable[[Run], None]) -> None:
        """Let workers play on, to the end of the round, or until one has a fault."""
        going = {place: self.runs[place].games for place in self.going}
        begin, end = min(going.values()), self._round
        if begin > self.games:
            self._meet(begin)
        # Some may have played more before: the others catch up, and are paired with them by
        # their move counts. So are games until all are at the end of a learner.
        ahead = [games for games in going.values() if games > begin]
        whole = begin % self.unit == 0
        by_moves = bool(ahead or self._recorded or not whole)
        end = min([end, *ahead, *([] if whole else [whole_units(begin, self.unit)])])
        if begin < self._most_kept < end:
            end = min(whole_units(self._most_kept, self.unit), end)
        if self._chooses and begin == 0 and end > self._most_kept:
            # To know who is the best, before move counts are forgotten.
            by_moves, end = True, first_look(self.unit, end)
        places = tuple(sorted(place for place, games in going.items() if games == begin))
        moves = by_moves or end <= self._most_kept
        first = self._first
        begun = time.perf_counter()
        with closing(workers.chunks(job, places, first + begin, first + end, moves)) as chunks:
            for chunk in chunks:
                now = time.perf_counter()
                self._add(chunk, now - begun)
                begun = now
                for place in places:
                    played(self.runs[place])
                faulty = any(part.fault for part in chunk.parts.values())
                if faulty or job.reference != self.reference:
                    return

    def _add(self, chunk: Chunk, seconds: float) -> None:
        """Add a chunk, after which all meet; Ctrl-C finds all of it added, or nothing."""
        worked = sum(part.seconds for part in chunk.parts.values())
        end = chunk.first_game + chunk.games - self._first
        news = []
        for place, part in chunk.parts.items():
            run = self.runs[place]
            setup, play = run.seconds
            # Before the first chunk, workers were set up.
            share = part.seconds / worked if worked else 0.0
            waited = 0.0 if run.games else max(seconds - worked, 0.0) / len(chunk.parts)
            times = setup + waited, play + (part.seconds if waited else seconds * share)
            shots = run.first_shots
            if part.first_shots is not None:
                shots = part.first_shots + (shots or OpeningShots())
            news.append((run, part, run.tally + part.tally, times, shots))

        def assign() -> None:
            for run, part, tally, times, shots in news:
                if part.moves is not None:
                    run.log.add(chunk.first_game, part.moves)
                if run.notes is not None and part.notes is not None:
                    run.notes.add(chunk.first_game, part.notes)
                run.go_on(tally, run.log, *times, shots, run.notes)
                if part.fault is not None:
                    run.blame(part.fault)
            if self.going and self.games < end:
                self._meet(end, chunk)

        try:
            assign()
        except KeyboardInterrupt:
            assign()
            raise

    def half_widths(self) -> list[float]:
        """Return half-widths of intervals after these games: of the mean of one that plays alone.

        Else they are those of the differences between those that can play on and the reference.
        """
        if self._is_alone:
            tally = self._met.tallies[0]
            return [summarize(tally.counts, tally.learning).half_width]
        others = [place for place in self.going if place != self.reference]
        return [self._difference(place).half_width for place in others]

    def differences(self) -> dict[int, Difference]:
        """Return those of all `pairs`."""
        return {place: self._difference(place) for place in self.pairs}

    def _difference(self, place: int) -> Difference:
        pair = self.pairs.get(place)
        # While games are played, this is asked for often.
        if pair is not None and not pair.difference.from_range:
            return pair.difference
        one, other = (self._stats(each) for each in (place, self.reference))
        unpaired = math.hypot(one.half_width, other.half_width)
        if pair is None:
            # Not all move counts of games before were kept.
            return Difference(one.mean - other.mean, unpaired)
        # A record may have more games.
        same = one.games == other.games == pair.games
        return pair.difference.narrowed(unpaired) if same else pair.difference

    def _stats(self, place: int) -> Summary:
        """Return the summary of the games at the last meeting, or of a record."""
        contestant = self._contestants[place]
        if isinstance(contestant, Result):
            return contestant.stats
        tally = self._met.tallies[place]
        return summarize(tally.counts, tally.learning)

    def settle(self, whole: bool = False) -> list[int]:
        """Compare the games that all have played which have begun, also after an interruption.

        Strategies with a fault are left out; if the reference is one, the first of the others
        takes its place.

        Parameters
        ----------
        whole : bool
            Leave out the last games if they are not whole learners of all.

        Returns
        -------
        list of int
            Places of the runs that have begun.
        """
        begun = [place for place in self.going if self.runs[place].games]
        self._replace_reference()
        if self.runs.keys() - set(self.going):
            # Among others than before: from all games again, if they are kept.
            nothing = FirstSums.empty(()) if all(map(self._has_all, begun)) else None
            self._met = replace(self._met, firsts=nothing)
        if begun:
            common = self._common(begun)
            games = common // self.unit * self.unit if whole else common
            self._met = self._extended(games, begun)
            self._choose(begun)
        return begun

    def _replace_reference(self) -> None:
        """Let the first of the others take the place of a reference with a fault.

        It is compared from all games again, with those whose move counts are kept.
        """
        fit = {*self.going, *self._recorded}
        if fit and self.reference not in fit:
            self.reference = min(fit)
            self._met = replace(self._met, pairs=self._no_pairs())

    def _choose(self, places: Iterable[int]) -> None:
        """Let the best of these and the records be the reference.

        The first of several that are as good is the best. When move counts are forgotten, nobody
        else can be compared game by game: the reference stays.
        """
        places = sorted(places)
        if not (self._chooses and self.games and all(map(self._has_all, places))):
            return
        best = min(sorted({*places, *self._recorded}), key=lambda place: self._stats(place).mean)
        if best != self.reference:
            self.reference = best
            self._met = replace(self._met, pairs=self._no_pairs())
            self._met = self._extended(self.games, places)

    def result(self, place: int, requested: int | None, until: float | None = None) -> Result:
        """Return the result of a run in the games that all have played, after `settle`."""
        result = self.runs[place].result(requested, until, self._met.tallies[place])
        # After an interruption before the first meeting, move counts are there still.
        return replace(result, kept_moves=None) if result.games > self._most_kept else result

    def _common(self, places: Iterable[int]) -> int:
        return min(self.runs[place].games for place in places)

    # What is compared.

    def _log(self, place: int) -> MoveLog | None:
        return self.runs[place].log if place in self.runs else self._recorded[place]

    def _has_all(self, place: int) -> bool:
        """Return whether the move counts of a contestant are known from its first game on."""
        log = self._log(place)
        return log is not None and (place not in self.runs or log.first_game == self._first)

    def _can_look_back(self, place: int) -> bool:
        """Return whether all is known of a run after any number of the games it has played."""
        notes = self.runs[place].notes
        noted = notes is None or notes.first_game == self._first
        return self._has_all(place) and noted

    def _no_pairs(self) -> dict[int, PairedSums]:
        """Return the sums of no games, of those that can be compared with the reference."""
        reference = self.reference
        return {
            place: self._empty_pair(place)
            for place in range(len(self._contestants))
            if place != reference
            and (place in self.runs or reference in self.runs)
            and self._has_all(place)
            and self._has_all(reference)
        }

    def _empty_pair(self, place: int) -> PairedSums:
        unit = self._unit_of(place, self.reference)
        return PairedSums.empty(self._scenario.rules.reach, unit, self._keep_totals)

    def _unit_of(self, *places: int) -> int:
        return unit_of(*(self._contestants[place] for place in places))

    def _meet(self, games: int, chunk: Chunk | None = None) -> None:
        """Compare what all have played, and forget the move counts if they are many."""
        self._replace_reference()
        self._met = self._extended(games, self.going, chunk)
        self._choose(self.going)
        for run in self.runs.values():
            if run.games > self._most_kept:
                for log in (run.log, run.notes):
                    if log is not None:
                        log.forget(min(self._first + games, run.tally.end))

    def _extended(self, games: int, places: Iterable[int], chunk: Chunk | None = None) -> _Meeting:
        """Return what is known when the runs in these places have played so many games.

        What a chunk has of the games since the last meeting need not be found again. Nothing
        changes before it is assigned: Ctrl-C finds all of a meeting, or nothing of it.
        """
        met = self._met
        present = tuple(sorted({*places, *self._recorded}))
        tallies = {place: self._tally_to(games, place) for place in present if place in self.runs}
        pairs = {}
        for place, sums in met.pairs.items():
            both = place, self.reference
            if set(both) <= set(present):
                if chunk is not None and place in chunk.pairs:
                    pairs[place] = sums + chunk.pairs[place]
                    continue
                begin = whole_units(self._begin(both), self._unit_of(*both)) + sums.games
                moves = self._moves(both, begin, games)
                if moves is not None:
                    pairs[place] = sums.and_then(moves[0], moves[1])
        firsts = met.firsts
        if firsts is not None and firsts.places != present:
            new = not firsts.games and len(present) > 1 and all(map(self._has_all, present))
            firsts = FirstSums.empty(present) if new else None
        if firsts is not None and chunk and chunk.firsts and chunk.firsts.places == present:
            firsts = firsts + chunk.firsts
        elif firsts is not None:
            moves = self._moves(present, self._begin(present) + firsts.games, games)
            firsts = None if moves is None else firsts.and_then(moves)
        return _Meeting(games, {**met.tallies, **tallies}, pairs, firsts)

    def _begin(self, places: Iterable[int]) -> int:
        """Return the first game that contestants have in common."""
        logs = {place: self._recorded[place] for place in places if place in self._recorded}
        return max([self._first, *(log.first_game for log in logs.values() if log is not None)])

    def _moves(self, places: Sequence[int], begin: int, games: int) -> list[Moves] | None:
        """Return move counts of games from one on, up to those that all have; None if forgotten."""
        logs = [log for place in places if (log := self._log(place)) is not None]
        ends = [log.end for place in places if (log := self._recorded.get(place)) is not None]
        end = max(min([self._first + games, *ends]), begin)
        moves = [log.between(begin, end) if end > begin else NOTHING for log in logs]
        known = [each for each in moves if each is not None]
        return known if len(known) == len(places) else None

    def _tally_to(self, games: int, place: int) -> Tally:
        """Return the tally of the first games of a run; if they are not known, that of all."""
        run, base = self.runs[place], self._met.tallies[place]
        if run.games == games:
            return run.tally
        since = base.end, self._first + games
        moves = run.log.between(*since)
        notes = None if run.notes is None else run.notes.between(*since)
        if moves is None or (notes is None) != (run.notes is None):
            return run.tally
        return base.and_then(moves, run.games_per_learner, notes)

    # What a journal keeps.

    def _checkpoint(self, journal: Journal | None, key: str, good_moment: bool) -> None:
        if journal is not None and journal.due(good_moment):
            self._put(journal, key)
            journal.write()

    def _put(self, journal: Journal, key: str) -> None:
        """Hand all that is known to the journal; of move counts, those that it does not have."""
        met, runs = self._met, {}
        for place, run in self.runs.items():
            log, at_meeting = run.log, met.tallies[place]
            written = self._put_log(journal, f"{key} {place}", log, place)
            notes = run.notes
            if notes is not None:
                self._put_log(journal, f"{key} {place} notes", notes, place)
            if written:
                self._written[place] = run.tally.end
            shots = run.first_shots
            runs[str(place)] = {
                "tally": _pack_tally(run.tally),
                "at_meeting": None if at_meeting is run.tally else _pack_tally(at_meeting),
                # An interruption between two lines may leave a log ahead of its tally.
                "moves_from": min(log.first_game, run.tally.end),
                **({} if notes is None else {"notes_from": min(notes.first_game, run.tally.end)}),
                "seconds": run.seconds,
                "first_shots": None if shots is None else [shots.shots, shots.hits],
                "fault": None if run.fault is None else as_json(fault_record(run.fault)),
                "forfeits": [game for game in run.forfeits if game < run.tally.end],
            }
        state = {
            "reference": self.reference,
            "round": self._round,
            "games": met.games,
            "runs": runs,
            "pairs": {str(place): _pack_pair(sums) for place, sums in met.pairs.items()},
            "firsts": None if met.firsts is None else met.firsts.to_dict(),
        }
        journal.put(key, state)

    def _put_log(self, journal: Journal, key: str, log: MoveLog, place: int) -> bool:
        """Hand what a log has of a run since the last time; return whether it has that."""
        begin, end = max(self._written[place], log.first_game), self.runs[place].tally.end
        numbers = log.between(begin, end)
        rows: Iterable[tuple[int, int, bytes]] = ()
        if numbers is not None:
            width = numbers.itemsize * math.prod(numbers.shape[1:])
            rows = cut_rows(begin, _as_bytes(numbers), width)
        journal.put(key, None, rows, forget=log.first_game)
        return numbers is not None

    def _go_on(self, journal: Journal, key: str, most: int) -> None:
        """Go on from what a journal has, if it has anything of this panel."""
        state = journal.read(key)
        if state is None:
            return
        try:
            self._restore(state, journal, key)
        except (BsbenchError, KeyError, TypeError, ValueError, OverflowError, AttributeError):
            raise journal.damaged() from None
        for run in self.runs.values():
            if run.games > most:
                raise BsbenchError(
                    f"the journal has {run.games:,} games of {run.strategy.label} already: ask for "
                    f"{run.games:,} or more"
                )
        self._round = min(self._round, most)

    def _restore(self, state: dict[str, Any], journal: Journal, key: str) -> None:
        rules, tallies = self._scenario.rules, {}
        if state["runs"].keys() != {str(place) for place in self.runs}:
            raise ValueError("other runs")
        numbers = [state["round"], state["games"], state["reference"]]
        for place, run in self.runs.items():
            kept = state["runs"][str(place)]
            tally = _unpack_tally(kept["tally"], self._first, rules)
            at_meeting = kept["at_meeting"]
            tallies[place] = (
                tally if at_meeting is None else _unpack_tally(at_meeting, self._first, rules)
            )
            begin = kept["moves_from"]
            setup, play = map(float, kept["seconds"])
            shots = kept["first_shots"]
            numbers += [begin, *(shots or ())]
            if not (0 <= setup < 1e12 and 0 <= play < 1e12):
                raise ValueError("impossible times")
            log = MoveLog(begin, moves_dtype(rules))
            for moves in self._read_log(journal, f"{key} {place}", log, tally.end):
                if (
                    len(moves)
                    and not rules.fewest_moves <= moves.min() <= moves.max() <= rules.most_moves
                ):
                    raise ValueError("impossible move counts")
            notes = None
            if "notes_from" in kept:
                notes = run.empty_notes(kept["notes_from"])
            noted = tally.answers is not None or tally.shots is not None
            if (notes is None) != (not noted and run.notes is None):
                raise ValueError("what was noted of games is missing")
            if notes is not None:
                for rows in self._read_log(journal, f"{key} {place} notes", notes, tally.end):
                    if len(rows) and not -1 <= rows.min() <= rows.max() < 2**62:
                        raise ValueError("impossible notes")
                    if rules.salvos and len(rows) and shots_in(rows).max() > rules.cells:
                        raise ValueError("impossible shots")
            first_shots = None if shots is None else OpeningShots(*shots)
            run.go_on(tally, log, setup, play, first_shots, notes)
            run.forfeits[:] = kept.get("forfeits", [])
            numbers += run.forfeits
            self._check_log(run, tallies[place])
            self._written[place] = tally.end
            if kept["fault"] is not None:
                run.fault = read_fault(
                    read(kept["fault"], FaultRecord), run.strategy.name, run.seed
                )
        if not all(type(number) is int and 0 <= number < 2**64 for number in numbers):
            raise ValueError("no whole numbers")
        if numbers[1] > max(run.games for run in self.runs.values()):
            raise ValueError("more games at the meeting than any has played")
        if numbers[2] >= len(self._contestants):
            raise ValueError("nobody is the reference")
        self.reference = numbers[2]
        pairs = {
            int(place): _unpack_pair(sums, self._empty_pair(int(place)))
            for place, sums in state["pairs"].items()
            if 0 <= int(place) < len(self._contestants)
        }
        for place, sums in pairs.items():
            both = [tallies[each] for each in (place, self.reference) if each in tallies]
            if [tally.games for tally in both] == [sums.games] * 2:
                _check_pair(sums, *both)
        firsts = state["firsts"]
        firsts = None if firsts is None else FirstSums.from_dict(firsts)
        if firsts is not None and not set(firsts.places) <= set(range(len(self._contestants))):
            raise ValueError("others were the first")
        self._round, self._met = numbers[0], _Meeting(numbers[1], tallies, pairs, firsts)

    def _check_log(self, run: Run, at_meeting: Tally) -> None:
        """Refuse tallies that the move counts beside them don't add up to, as far as these are."""
        nothing = Tally.empty(self._first, self._scenario.rules.most_moves)
        in_a_row = run.games_per_learner
        for before, tally in pairwise((nothing, at_meeting, run.tally)):
            since = before.end, tally.end
            moves = run.log.between(*since)
            notes = None if run.notes is None else run.notes.between(*since)
            # Some may be forgotten, or the first ones be in the middle of a learner.
            forgotten = run.notes is not None and notes is None
            if moves is None or forgotten or before.games % in_a_row:
                continue
            again = before.and_then(moves, in_a_row, notes) if len(moves) else before
            if _pack_tally(again) != _pack_tally(tally):
                raise ValueError("move counts don't match their sums")

    def _read_log(
        self, journal: Journal, key: str, log: MoveLog, end: int
    ) -> Iterator[npt.NDArray[Any]]:
        """Fill a log, up to a game, with what a journal has; yield what is added."""
        begin, nothing = log.first_game, log.between(log.first_game, log.first_game)
        if type(begin) is not int or not self._first <= begin <= end or nothing is None:
            raise ValueError("impossible games")
        dtype, columns = nothing.dtype, nothing.shape[1:]
        most = (end - begin) * dtype.itemsize * math.prod(columns) + (1 << 23)
        for first, data in journal.rows(key, most):
            numbers = np.frombuffer(data, dtype.newbyteorder("<")).astype(dtype)
            numbers = numbers.reshape(-1, *columns)
            # A row may begin before the games that are needed.
            skipped = max(begin - first, 0)
            if first + skipped != log.end:
                raise ValueError("games are missing")
            log.add(first + skipped, numbers[skipped:])
            yield numbers
        if log.end != end:
            raise ValueError("games are missing")


NOTHING: Moves = np.zeros(0, np.uint8)


def _log_of(result: Result, seed: int) -> MoveLog | None:
    """Return the log of a result that met the same layouts, if its move counts are kept."""
    if result.kept_moves is None or (result.seed, result.stream_version) != (seed, STREAM_VERSION):
        return None
    log = MoveLog(result.first_game, result.kept_moves.dtype)
    log.add(result.first_game, result.kept_moves)
    return log


def _as_bytes(numbers: npt.NDArray[Any]) -> bytes:
    return numbers.astype(numbers.dtype.newbyteorder("<")).tobytes()


def _pack_tally(tally: Tally) -> dict[str, Any]:
    """Return a tally as JSON has it: as in a record."""
    return as_json(tally_record(tally))


def _unpack_tally(record: dict[str, Any], first_game: int, rules: Rules) -> Tally:
    """Return the tally that `_pack_tally` gave.

    Raises
    ------
    BsbenchError, KeyError, TypeError, ValueError, OverflowError
        If it is not that of games from this one on, under these rules.
    """
    said = read(record, TallyRecord)
    if said.first_game != first_game:
        raise ValueError("the tally is of other games")
    tally = read_tally(said, rules)
    if not tally.has_evidence:
        raise ValueError("the tally has no evidence")
    return tally


def _pack_pair(sums: PairedSums) -> dict[str, Any]:
    """Return sums over a pair as JSON has them."""
    learners = None if sums.learners is None else sums.learners.to_dict()
    return {"counts": sums.counts.tolist(), "learners": learners}


def _unpack_pair(record: dict[str, Any], nothing: PairedSums) -> PairedSums:
    """Return the sums that `_pack_pair` gave of a pair, given those of no games of it.

    Raises
    ------
    BsbenchError, KeyError, TypeError, ValueError, OverflowError
        If they contradict themselves, or are of another kind of pair.
    """
    learners = record["learners"]
    if not all(type(number) is int for number in record["counts"]):
        raise TypeError("no whole numbers")
    sums = PairedSums(
        np.array(record["counts"], np.int64),
        None if learners is None else UnitSums.from_dict(learners),
    )
    if sums.counts.shape != nothing.counts.shape or sums.counts.min() < 0:
        raise ValueError("the differences of a pair are not what they should be")
    if (sums.learners is None) != (nothing.learners is None):
        raise ValueError("the learners of a pair are missing")
    if sums.learners is not None and nothing.learners is not None:
        of, wanted = sums.learners, nothing.learners
        games = of.units * of.games_per_unit + of.rest_games
        if of.games_per_unit != wanted.games_per_unit or games != sums.games:
            raise ValueError("the learners of a pair don't match its games")
        if (of.by_total is None) != (wanted.by_total is None):
            raise ValueError("the totals of a pair's learners are missing")
    return sums


def _check_pair(sums: PairedSums, first: Tally, second: Tally) -> None:
    """Check that sums over a pair agree with the tallies of the same games.

    Raises
    ------
    ValueError
        If they don't.
    """
    differences, moves = np.arange(-sums.most, sums.most + 1), np.arange(len(first.counts))
    total = exact_dot(first.counts, moves) - exact_dot(second.counts, moves)
    if exact_dot(sums.counts, differences) != total:
        raise ValueError("the differences of a pair don't match its means")
