"""The record of a run: a histogram of move counts, and where it came from.

`bsbench.runs.formats.RunRecord` says which keys a record has.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import operator
import os
import shlex
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import cached_property, partial, reduce
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from msgspec import UNSET, UnsetType, structs

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError, BsbenchWarning, StrategyError
from bsbench.common.files import (
    Write,
    check_output,
    file_name,
    json_text,
    output_place,
    taken,
    write_file,
)
from bsbench.common.machine import Provenance
from bsbench.common.packing import MOST_PACKED, packed
from bsbench.common.record import as_json
from bsbench.common.settings import setting_text, variant_of
from bsbench.common.shown import Shown
from bsbench.common.texts import LONGEST_LINE, for_csv
from bsbench.own.loading import is_spec
from bsbench.rules.placement import STREAM_VERSION
from bsbench.rules.scenario import Scenario, ScenarioRecord, scenario_options
from bsbench.runs.formats import (
    AgainstRecord,
    AnswersRecord,
    BlocksRecord,
    FaultRecord,
    LearningRecord,
    RunRecord,
    StrategyRecord,
    SummaryRecord,
    TallyRecord,
)
from bsbench.runs.identity import Identity, layouts_hash, revision
from bsbench.runs.request import MOST_KEPT
from bsbench.runs.tally import Tally
from bsbench.stats import (
    Answers,
    Counts,
    Learning,
    Summary,
    exact_dot,
    half_width,
    summarize,
    summarize_layouts,
)

if TYPE_CHECKING:
    import pandas as pd

    from bsbench.runs.alarms import OpeningShots

LARGEST_MOVES = 30 * 10**6
"""Characters at most of the move counts in a record: those of 30 to 50 million games."""

MOST_BLOCKS = 400_000
"""Blocks at most in a record, of 4 x 10^11 games: together with the move counts, and all else, it
can still be read (`bsbench.common.reading.LARGEST_JSON`)."""


_MOST_GAPS = 3
"""Gaps between ranges that a message names at most."""


def _this_revision() -> tuple[str, ...]:
    return (revision(),)


@dataclass(frozen=True, eq=False, repr=False)
class Result(Shown, Provenance):
    """Move counts of one run, with full provenance.

    Attributes
    ----------
    scenario : Scenario
    strategy : str
    source : str
        The strategy's source.
    parameters : dict
        The strategy's parameters, all of them.
    label : str
        The strategy's name and those parameters that differ from their defaults: what
        distinguishes it from its variants, such as ``over9000 noise=0.01``.
    seed : int
    requested : int
        Games asked for; fewer were played if the run was interrupted, or has a fault.
    until : float or None
        Half-width of the interval of the mean that was asked for: ``requested`` is then
        the most games allowed if the run was interrupted, else those played.
    fault : StrategyError or None
        What kept the strategy from playing all games.
    forfeits : tuple of int
        Games with faults, ascending: in each, all cells count as shot.
    tally : Tally
        Which games were played, and their move counts as sums.
    threads : int
    setup_seconds, play_seconds : float
        Compiling or loading kernels and building tables; playing.
    kept_moves : ndarray of uint8 or uint16, shape (games,), or None
        As `moves`, in as little memory as it takes: differences of such numbers wrap around.
    first_shots : OpeningShots or None
        How many of the games' first shots hit, where a user's strategy was asked shot by shot. It
        is not kept in records.
    against : mapping or None
        How the strategy compares with another one in the same games: see `AgainstRecord`.
    stream_version : int
        The version of the layout stream.
    revisions : tuple of str
        The revisions of bsbench that played: see `bsbench.runs.identity.revision`.
    strategy_sha256, layouts_sha256 : str or None
        Hashes of the strategy's source and of a file of layouts, if known: see
        `bsbench.runs.identity.strategy_hash` and `layouts_hash`.
    bsbench, machine, versions, date
        Where, with what and when it was played: see `Provenance`.
    """

    scenario: Scenario
    strategy: str
    source: str
    parameters: dict[str, Any]
    label: str
    seed: int
    requested: int
    tally: Tally = field(repr=False)
    setup_seconds: float
    play_seconds: float
    stream_version: int
    until: float | None = None
    fault: StrategyError | None = None
    forfeits: tuple[int, ...] = ()
    kept_moves: npt.NDArray[Any] | None = field(default=None, repr=False)
    first_shots: OpeningShots | None = field(default=None, repr=False)
    against: Mapping[str, Any] | None = field(default=None, repr=False)
    revisions: tuple[str, ...] = field(default_factory=_this_revision)
    strategy_sha256: str | None = None
    layouts_sha256: str | None = None

    def __repr__(self) -> str:
        partial = f" of {self.requested:,}" if self.partial else ""
        return (
            f"<Result: {self.label} on {self.scenario.name}, {self.games:,}{partial} games of seed "
            f"{self.seed}, mean {self.stats.mean_text}>"
        )

    def __eq__(self, other: object) -> bool:
        """Return whether the records of two results say the same.

        Move counts are compared by the evidence of them, whether or not they are kept. A record
        that is read equals the result that was saved.
        """
        return isinstance(other, Result) and self._content == other._content

    def __hash__(self) -> int:
        return hash((self.label, self.scenario, self.seed, self.first_game, self.games, self.date))

    def __add__(self, other: Result) -> Result:
        """Return the result of both, of ranges of games of one run: see `bsbench.merge`."""
        if not isinstance(other, Result):
            return NotImplemented
        parts = self, other
        return joined([(range_text(each.first_game, each.tally.end), each) for each in parts])

    @property
    def counts(self) -> Counts:
        """Number of games by move count: int64, shape (cells + 1,)."""
        return self.tally.counts

    @cached_property
    def moves(self) -> npt.NDArray[np.int64] | None:
        """Move count of each game: int64, shape (games,); None where they are not kept."""
        return None if self.kept_moves is None else self.kept_moves.astype(np.int64)

    @property
    def learning(self) -> Learning | None:
        """Sums of the moves of learners, for a strategy that learns from game to game."""
        return self.tally.learning

    @property
    def answers(self) -> Answers | None:
        """How moves were chosen, by a strategy that may fail to, such as a language model."""
        return self.tally.answers

    @cached_property
    def shots(self) -> Summary | None:
        """The same as `stats`, of shots up to the last hit, where a move is a turn; else None.

        Where games depend on each other, the intervals of shots are not known: NaN and None.
        """
        shots = self.tally.shots
        if shots is None:
            return None
        if self.scenario.placement.law == "each":
            return summarize_layouts(shots, whole=self.exact)
        summary = summarize(shots)
        if self.learning is None:
            return summary
        return dataclasses.replace(summary, half_width=math.nan, median_low=None, median_high=None)

    @property
    def identity(self) -> Identity:
        """What its games have in common with other ranges of the same run."""
        return Identity(
            self.strategy,
            self.parameters,
            self.scenario.rules,
            self.scenario.placement,
            self.seed,
            self.stream_version,
            self.strategy_sha256,
            self.layouts_sha256,
        )

    @property
    def first_game(self) -> int:
        """The number of the first game played."""
        return self.tally.first_game

    @cached_property
    def stats(self) -> Summary:
        """Mean, interval, spread and quantiles."""
        if self.scenario.placement.law == "each":
            return summarize_layouts(self.counts, whole=self.exact)
        return summarize(self.counts, self.learning)

    @property
    def mean(self) -> float:
        """Mean number of moves in a game; `stats` has its interval."""
        return float(self.stats.mean)

    @property
    def median(self) -> int:
        """Median number of moves in a game."""
        return int(self.stats.median)

    @property
    def sd(self) -> float:
        """Standard deviation of the moves of one game, with n - 1; NaN for a single game."""
        return float(self.stats.sd)

    @cached_property
    def exact(self) -> bool:
        """Whether each layout was played once: then nothing is estimated."""
        if self.scenario.placement.law != "each":
            return False
        from bsbench.layouts.each import count_layouts

        return self.games == count_layouts(self.scenario.rules)

    @property
    def mean_as_fraction(self) -> Fraction:
        """The mean of its move counts, without rounding."""
        return Fraction(exact_dot(self.counts, np.arange(len(self.counts))), self.games)

    @property
    def games(self) -> int:
        """Games played."""
        return self.tally.games

    @property
    def partial(self) -> bool:
        """Whether the run ended before all games were played: by an interruption or a fault."""
        return self.games < self.requested

    @cached_property
    def alarms(self) -> tuple[str, ...]:
        """What no honest strategy reaches, in sentences: see `bsbench.runs.alarms`."""
        from bsbench.runs.alarms import alarms_of

        return alarms_of(self.scenario, self.counts, self.first_shots)

    @property
    def games_per_learner(self) -> int:
        """Consecutive games that depend on each other: above 1 where the strategy learns."""
        return self.learning.games_per_learner if self.learning else 1

    @property
    def games_per_second(self) -> float:
        """Games played per second of play, set-up not counted."""
        return self.games / self.play_seconds

    def check_stream(self) -> None:
        """Refuse to play the games again where they were on other layouts than a seed gives now.

        Raises
        ------
        BsbenchError
            If they were.
        """
        if self.stream_version != STREAM_VERSION:
            raise BsbenchError(
                f"{self.label} was played on layout stream {self.stream_version}, and this version "
                f"of bsbench draws stream {STREAM_VERSION}: its games can't be played again"
            )
        now = layouts_hash(self.scenario.placement) if self.layouts_sha256 else None
        if now != self.layouts_sha256:
            raise BsbenchError(
                f"{self.label} was played on another file than "
                f"{self.scenario.placement.path} is now: its games can't be played again"
            )

    def histogram(self) -> pd.DataFrame:
        """Return the tidy histogram: columns strategy, label, scenario, moves, games.

        One row for each move count that occurred, ascending. Results of several variants
        of a strategy, put together, differ in ``label``; for parameters as numbers
        add columns, as in ``result.histogram().assign(**result.parameters)``.
        """
        import pandas as pd

        moves = np.flatnonzero(self.counts)
        return pd.DataFrame(
            {
                "strategy": self.strategy,
                "label": self.label,
                "scenario": self.scenario.name,
                "moves": moves,
                "games": self.counts[moves],
            }
        )

    def csv_text(self) -> str:
        """Return the tidy histogram as CSV text."""
        return frame_csv(self.histogram())

    def figures(self) -> dict[str, Any]:
        """Return the row of `to_frame`, by column."""
        return {
            "strategy": self.strategy,
            "label": self.label,
            "scenario": self.scenario.name,
            "seed": self.seed,
            # Missing values are NaN in frames, as pandas expects.
            **{
                key: math.nan if value is None else value
                for key, value in dataclasses.asdict(self.stats).items()
            },
            "games_per_second": self.games_per_second,
            **({} if self.shots is None else {"shots": self.shots.mean}),
            **self._own_share(),
            **({"exact": str(self.mean_as_fraction)} if self.exact else {}),
        }

    def _own_share(self) -> dict[str, float]:
        return {} if self.answers is None else {"own_share": self.answers.own_share}

    def to_frame(self) -> pd.DataFrame:
        """Return one tidy row: strategy, label, scenario, seed and all fields of `Summary`.

        If the strategy may fail to choose, as a language model may, ``own_share`` is the share of
        the moves that it chose itself; the others are random cells. Where a move is a turn of
        several shots, ``shots`` is the mean number of shots up to the last hit. Variants of a
        strategy differ in ``label``, as in `histogram`.
        """
        import pandas as pd

        return pd.DataFrame([self.figures()])

    def learning_curve(self) -> pd.DataFrame:
        """Return the tidy learning curve: columns label, game, learners, mean, half_width.

        One row for each game of a learner, from its first on: how many learners played it,
        their mean moves in it, and the half width of its 95 % interval, with the learner as
        the unit; NaN where one learner did.

        Raises
        ------
        BsbenchError
            If the strategy does not learn from game to game.
        """
        import pandas as pd

        if self.learning is None:
            raise BsbenchError(f"{self.label} does not learn from game to game: it has no curve")
        learners, mean, error = self.learning.curve()
        return pd.DataFrame(
            {
                "label": self.label,
                "game": np.arange(1, len(learners) + 1),
                "learners": learners,
                "mean": mean,
                "half_width": half_width(error),
            }
        )

    @checked
    def save(self, path: str | Path | None = None, *, force: bool = False) -> Path:
        """Write the record, with the move counts if they are kept.

        Parameters
        ----------
        path : str or Path, optional
            Of the record, with or without ``.json``; an existing folder means the default name in
            there. Default: ``results/LABEL-SCENARIO.json``.
        force : bool
            Whether a file that exists is replaced.

        Returns
        -------
        Path
            Of the record; `bsbench.load` reads it.

        Raises
        ------
        BsbenchError
            If it exists already, or can't be written.
        """
        return save_result(self, path, force=force)[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the record: see `RunRecord`."""
        return self._record(self.content(self._packed_moves()))

    @property
    def _content(self) -> dict[str, Any]:
        """The record without move counts."""
        return self._record(self.content())

    def _record(self, content: RunRecord) -> dict[str, Any]:
        setup, play = self.setup_seconds, self.play_seconds
        return self.record(RunRecord.schema, as_json(content), setup=setup, play=play)

    def content(self, moves: str | UnsetType = UNSET) -> RunRecord:
        """Return what the record holds, with move counts as it keeps them, if they are given."""
        tally = structs.asdict(tally_record(self.tally))
        if self.tally.has_evidence and len(self.tally.blocks) > MOST_BLOCKS:
            self._warn(f"the evidence of {self.games:,} games of {self.label} does not")
            tally |= {"firsts": UNSET, "blocks": UNSET}
        return RunRecord(
            revisions=list(self.revisions),
            stream_version=self.stream_version,
            scenario=ScenarioRecord(**self.scenario.to_dict()),
            layouts_sha256=self.layouts_sha256 or UNSET,
            strategy=StrategyRecord(
                name=self.strategy,
                source=self.source,
                parameters=self.parameters,
                label=self.label,
                sha256=self.strategy_sha256,
            ),
            seed=self.seed,
            requested=self.requested,
            partial=self.partial,
            until=UNSET if self.until is None else self.until,
            fault=fault_record(self.fault) if self.fault else UNSET,
            forfeits=list(self.forfeits) or UNSET,
            against=AgainstRecord(**self.against) if self.against else UNSET,
            summary=SummaryRecord(**dataclasses.asdict(self.stats)),
            exact=str(self.mean_as_fraction) if self.exact else UNSET,
            moves=moves,
            **tally,
        )

    def _packed_moves(self) -> str | UnsetType:
        """Return the move counts as the record keeps them, unless they are too many."""
        if self.kept_moves is None:
            return UNSET
        if (
            self.kept_moves.nbytes <= MOST_PACKED
            and len(text := packed(self.kept_moves)) <= LARGEST_MOVES
        ):
            return text
        self._warn(f"the move counts of {self.games:,} games of {self.label} don't")
        return UNSET

    @staticmethod
    def _warn(what: str) -> None:
        text = f"{what} fit into a record, which is saved without"
        warnings.warn(text, BsbenchWarning, stacklevel=4)

    def default_name(self) -> str:
        """Return a file name without suffix, such as ``over9000-noise-0.01-classic``."""
        return file_name(f"{self.label}-{self.scenario.name}")


def counted(results: Iterable[Result], single: str = "moves") -> str:
    """Return what the move counts of some results count.

    Parameters
    ----------
    results : iterable of Result
    single : str
        The word for single shots, such as ``moves`` or ``shot``; it is also that of results that
        count differently.

    Returns
    -------
    str
        ``single``; or, where moves are turns, ``turns``, or ``turn`` if ``single`` is no plural.
    """
    if {each.scenario.rules.salvos for each in results} == {True}:
        return "turns" if single.endswith("s") else "turn"
    return single


def move_range(results: Sequence[Result]) -> range:
    """Return the move counts of an axis: from the perfect game to the whole board.

    Those who leave out shots of a turn may need more turns than that: then up to the last of them.

    Parameters
    ----------
    results : sequence of Result
        At least one, and all of the same rules.
    """
    rules = results[0].scenario.rules
    most = max(rules.whole_board, *(each.stats.worst for each in results))
    return range(rules.fewest_moves, most + 1)


def frame_csv(frame: pd.DataFrame) -> str:
    """Return a frame as CSV text, in which no spreadsheet finds a formula: see `for_csv`."""
    import pandas as pd

    # As objects, whole numbers stay whole beside missing ones.
    for name, column in frame.items():
        if not pd.api.types.is_numeric_dtype(column):
            escaped = pd.Series(list(map(for_csv, column)), index=column.index, dtype=object)
            frame = frame.assign(**{str(name): escaped})
    return frame.to_csv(index=False, lineterminator="\n")


def fault_record(fault: StrategyError) -> FaultRecord:
    """Return what a strategy did wrong as records have it."""
    problem, line = _on_a_line(fault.problem), _on_a_line(fault.line)
    return FaultRecord(game=fault.game, shots=fault.shots, problem=problem, line=line)


def _on_a_line(text: str) -> str:
    """Return what a strategy's code says, which may be anything, as a text that records hold."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(printable.split())[:LONGEST_LINE].rstrip()


def tally_record(tally: Tally) -> TallyRecord:
    """Return a tally as records and journals have it."""
    evidence: dict[str, Any] = {}
    if tally.has_evidence:
        moves, squares, low, high = tally.blocks.T.tolist()
        digests = [f"{h:016x}{lo:016x}" for lo, h in zip(low, high, strict=True)]
        evidence = {
            "firsts": tally.firsts[tally.counts > 0].tolist(),
            "blocks": BlocksRecord(moves=moves, squares=squares, digests=digests),
        }
    return TallyRecord(
        first_game=tally.first_game,
        games=tally.games,
        counts=tally.counts.tolist(),
        **evidence,
        learning=learning_record(tally.learning) if tally.learning else UNSET,
        answers=AnswersRecord(**tally.answers.to_dict()) if tally.answers else UNSET,
        shots=UNSET if tally.shots is None else tally.shots.tolist(),
    )


def learning_record(learning: Learning) -> LearningRecord:
    """Return the sums of learners as the record has them."""
    return LearningRecord(
        games_per_learner=learning.games_per_learner,
        squares_of_totals=learning.squares_of_totals,
        rest=learning.rest,
        moves=learning.moves.tolist(),
        squares=learning.squares.tolist(),
        stages=learning.stages.tolist(),
    )


def joined(named: list[tuple[str, Result]], most: float = MOST_KEPT) -> Result:
    """Return the result of a run from those of ranges of its games: see `bsbench.merge`.

    Parameters
    ----------
    named : list of tuple
        Results, in any order, with what messages call them.
    most : float
        Games at most of which the move counts are kept.

    Raises
    ------
    BsbenchError
        If they are of different runs, one has no evidence, two have the same games, or games
        between them are missing.
    """
    (first_name, first), *others = named
    identity = first.identity
    for name, result in others:
        identity = identity.and_of(result.identity, first_name, name)
    if not others:
        return first
    for name, result in named:
        if not result.tally.has_evidence:
            raise BsbenchError(
                f"{name} has no evidence, as records of very many games: play them again in ranges"
            )
    named.sort(key=lambda each: each[1].first_game)
    _check_ranges(named)
    results = [result for _, result in named]
    last, latest = results[-1], max(results, key=lambda each: datetime.fromisoformat(each.date))
    tally = reduce(operator.add, (result.tally for result in results))
    moves = [result.kept_moves for result in results if result.kept_moves is not None]
    kept = len(moves) == len(results) and tally.games <= most
    return dataclasses.replace(
        latest,
        tally=tally,
        kept_moves=np.concatenate(moves) if kept else None,
        requested=tally.games - last.games + last.requested,
        until=None,
        fault=last.fault,
        forfeits=tuple(game for result in results for game in result.forfeits),
        against=None,
        setup_seconds=max(result.setup_seconds for result in results),
        play_seconds=sum(result.play_seconds for result in results),
        revisions=tuple(dict.fromkeys(each for result in results for each in result.revisions)),
        strategy_sha256=identity.strategy_sha256,
        layouts_sha256=identity.layouts_sha256,
        first_shots=None,
    )


def argument_of(result: Result) -> str:
    """Return the argument of commands that names the strategy of a result, with its parameters."""
    who = result.source if is_spec(result.source) else result.strategy
    texts = (setting_text(name, value) for name, value in result.parameters.items())
    # The label has those that are not as usual.
    return variant_of(who, [text for text in texts if f" {text} " in f"{result.label} "])


def play_line(result: Result, first_game: int, games: int) -> str:
    """Return the command line that plays other games of a run.

    Parameters
    ----------
    result : Result
        Of any of its games.
    first_game, games : int
    """
    words = ["bsbench", "run", "--strategy", argument_of(result)]
    words += [*scenario_options(result.scenario), "--seed", str(result.seed)]
    return shlex.join([*words, "--first-game", str(first_game), "--games", str(games)])


def _check_ranges(named: list[tuple[str, Result]]) -> None:
    """Refuse ranges that overlap, have gaps, or go on after a fault."""
    missing: list[tuple[int, int]] = []
    for (name, result), (next_name, following) in itertools.pairwise(named):
        end, begin = result.tally.end, following.first_game
        if begin < end:
            shared = range_text(begin, min(end, following.tally.end))
            raise BsbenchError(
                f"{name} and {next_name} both have {shared}: merge ranges that don't overlap"
            )
        if begin > end:
            missing.append((end, begin))
        elif result.fault is not None:
            raise BsbenchError(
                f"the strategy failed in game {result.fault.game:,} of {name}, and {next_name} "
                f"goes on after it: only the last range may have a fault; play {name} again"
            )
    if missing:
        result = named[0][1]
        gaps = ", ".join(range_text(*gap) for gap in missing[:_MOST_GAPS])
        lines = [play_line(result, begin, end - begin) for begin, end in missing[:_MOST_GAPS]]
        more = f" (and {len(missing) - _MOST_GAPS} more gaps)" if missing[_MOST_GAPS:] else ""
        raise BsbenchError(f"{gaps} are missing{more}: play them with {'; '.join(lines)}")


def range_text(begin: int, end: int) -> str:
    """Return what messages call the games from one up to another, without the latter."""
    return f"game {begin:,}" if end - begin == 1 else f"games {begin:,} to {end - 1:,}"


def save_result(
    result: Result,
    output: str | Path | None = None,
    charts: Mapping[str, Callable[[IO[bytes]], None]] | None = None,
    force: bool = False,
) -> list[Path]:
    """Write the record, with the move counts if they are kept, and charts beside it.

    Parameters
    ----------
    result : Result
    output : str or Path, optional
        As for `output_place`; default ``results/LABEL-SCENARIO.json``.
    charts : mapping of str to callable, optional
        By file suffix, such as ``.png``, a function that writes the chart.
    force : bool
        Whether files that exist are replaced.

    Returns
    -------
    list of Path
        The files written, the record first.

    Raises
    ------
    BsbenchError
        If one exists already.
    WriteError
        If they can't be written.
    """
    folder, stem = output_place(output, result.default_name())
    charts = charts or {}
    for suffix in () if force else (".json", *charts):
        if os.path.exists(path := folder / f"{stem}{suffix}"):
            raise taken(path)
    paths: list[Path] = []
    writers: dict[str, Write] = {".json": partial(write_record, result), **charts}
    for suffix, write in writers.items():
        paths.append(folder / f"{stem}{suffix}")
        write_file(paths[-1], write)
    return paths


def save_results(results: Iterable[Result], folder: str | Path, force: bool) -> list[Path]:
    """Write a record of each result into a folder, which is made if it is missing.

    Parameters
    ----------
    results : iterable of Result
    folder : str or Path
    force : bool
        Whether records that exist are replaced.

    Raises
    ------
    BsbenchError
        If one exists already, or two would have the same name.
    WriteError
        If they can't be written.
    """
    results, folder = list(results), check_output(folder)
    seeds = len({result.seed for result in results}) > 1
    names = [f"{each.default_name()}{f'-seed-{each.seed}' if seeds else ''}" for each in results]
    for name in names:
        if names.count(name) > 1:
            raise BsbenchError(
                f"two of the results would be saved as {name}.json: save them one by one"
            )
        if os.path.exists(path := folder / f"{name}.json") and not force:
            raise taken(path)
    if not results:
        raise BsbenchError("there are no results to save")
    return [
        save_result(each, folder / f"{name}.json", force=force)[0]
        for each, name in zip(results, names, strict=True)
    ]


def write_record(result: Result, file: IO[bytes]) -> None:
    """Write a record as JSON."""
    file.write(json_text(result.to_dict()).encode())
