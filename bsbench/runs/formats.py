"""What the records of runs and comparisons hold, as types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from bsbench.common.record import Content, Count, Record
from bsbench.common.settings import LARGEST_RUN, LAST_GAME
from bsbench.rules.scenario import FeedbackName, ScenarioRecord

Games = Annotated[int, Meta(ge=1, le=LARGEST_RUN)]
GameNumber = Annotated[int, Meta(ge=0, le=LAST_GAME)]


def _digits(number: int) -> Meta:
    """Return what such texts look like; the length refuses a line break at the end."""
    return Meta(
        pattern=f"^[0-9a-f]{{{number}}}$",
        max_length=number,
        title=f"{number} hexadecimal digits",
    )


Revision = Annotated[str, _digits(16)]
Digest = Annotated[str, _digits(32)]
Hash = Annotated[str, _digits(64)]
Setting = bool | int | float | str


class SummaryRecord(Record, frozen=True):
    """Figures that follow from the counts, for readers.

    bsbench computes them again when it reads a file.

    Attributes
    ----------
    games
        Games played.
    mean
        Mean moves.
    half_width
        Half the width of the 95 % interval of the mean; null for a single game.
    sd
        Standard deviation of one game; null for a single game.
    median
        Median moves.
    median_low
        Lower end of the 95 % interval of the median, or null.
    median_high
        Upper end of that interval, or null.
    low
        The 5 % quantile.
    high
        The 95 % quantile.
    best
        The fewest moves of a game.
    worst
        The most moves of a game.
    """

    shared = "summary"

    games: Count
    mean: float
    half_width: float | None
    sd: float | None
    median: Count
    median_low: Count | None
    median_high: Count | None
    low: Count
    high: Count
    best: Count
    worst: Count


class AnswersRecord(Record, frozen=True):
    """How a strategy that may fail to choose, such as a language model, chose its moves.

    Attributes
    ----------
    own
        Moves that it chose itself.
    fallbacks
        Moves for which a random cell was drawn, because no answer was valid.
    unreadable
        Answers that name no cell.
    repeated
        Answers that name a cell that was shot before.
    tokens_in
        Tokens of the requests, if known.
    tokens_out
        Tokens of the answers, if known.
    milliseconds
        Time that the answers took, if known.
    """

    shared = "answers"

    own: Count
    fallbacks: Count
    unreadable: Count
    repeated: Count
    tokens_in: Count | UnsetType | None = UNSET
    tokens_out: Count | UnsetType | None = UNSET
    milliseconds: Count | UnsetType | None = UNSET


class RaceRecord(Record, frozen=True):
    """Games that the first finishes before the second, at the same time, and after it."""

    shared = "race"

    wins: Count
    ties: Count
    losses: Count


class StrategyRecord(Record, frozen=True):
    """What played.

    Attributes
    ----------
    name
        Name.
    source
        Who proposed it, and where.
    parameters
        All parameters, by name.
    label
        The name, and the parameters that are not at their defaults, such as `over9000 noise=0.01`.
    sha256
        Hash of the file that it comes from, or null if that is unknown.
    """

    name: Annotated[str, Meta(min_length=1)]
    source: str
    parameters: dict[str, Setting]
    label: str
    sha256: Hash | None


class FaultRecord(Record, frozen=True):
    """What a strategy did wrong.

    Attributes
    ----------
    game
        Number of the game in which it happened.
    shots
        Shots fired before in that game, or null.
    problem
        What was wrong.
    line
        The line of its code, or empty.
    """

    game: Count
    shots: Count | None
    problem: str
    line: str


class BlocksRecord(Record, frozen=True):
    """The evidence: a block is 2^20 games in a row, the first of which has a multiple as number.

    Each list has an entry for each block that there are games of, in order.

    Attributes
    ----------
    moves
        Sum of the move counts of each block.
    squares
        Sum of their squares.
    digests
        A value that depends on every move count of the block.
    """

    moves: list[Count]
    squares: list[Count]
    digests: list[Digest]


class LearningRecord(Record, frozen=True):
    """Sums over the learners of a strategy that learns from game to game.

    Attributes
    ----------
    games_per_learner
        Games of each learner.
    squares_of_totals
        Sum of the squares of the moves of each whole learner.
    rest
        Moves of the last learner, if it did not play all its games, else 0.
    moves
        Sum over learners of the moves of their n-th game.
    squares
        Sum of the squares of these.
    stages
        The same for stages of learning, over the learners that completed them: games 1, 2, 3 to 5,
        6 to 10, 11 to 20, and so on.
    """

    games_per_learner: Annotated[int, Meta(ge=2)]
    squares_of_totals: Count
    rest: Count
    moves: list[Count]
    squares: list[Count]
    stages: list[list[Count]]


class AgainstRecord(Record, frozen=True):
    """How a strategy compares with another one on the same games.

    Attributes
    ----------
    label
        Label of the other strategy.
    digest
        Hash of the evidence of the other record, which finds it.
    mean
        Mean difference in moves: this strategy less the other one.
    half_width
        Half the width of its 95 % interval.
    least
        The smallest difference.
    counts
        Number of games by difference, the smallest first.
    learners
        Sums over learners that the interval follows from, where a strategy learns.
    """

    label: Annotated[str, Meta(min_length=1)]
    digest: Hash
    mean: float
    half_width: float | None
    least: int
    counts: list[Count]
    learners: dict[str, Any] | UnsetType = UNSET


class TallyRecord(Record, frozen=True):
    """What a journal keeps of a range of games: see `RunRecord`."""

    first_game: GameNumber
    games: Count
    counts: list[Count]
    firsts: list[Count] | UnsetType = UNSET
    blocks: BlocksRecord | UnsetType = UNSET
    learning: LearningRecord | UnsetType = UNSET
    answers: AnswersRecord | UnsetType = UNSET
    shots: list[Count] | UnsetType = UNSET


class RunRecord(Content, frozen=True, kw_only=True):
    """What `bsbench run` saves.

    It holds a histogram of move counts, and everything needed to play the run again.

    Attributes
    ----------
    revisions
        Revisions of the code that played the games, mostly one.
    stream_version
        Version of the rule that turns seed and number of a game into a layout.
    scenario
        What was played.
    layouts_sha256
        Only with the placement laws `file` and `weights`: hash of the file.
    strategy
        What played.
    seed
        Seed of the layouts.
    first_game
        Number of the first game.
    games
        Games played: numbers `first_game` to `first_game + games - 1`.
    requested
        Games asked for; with `until`, the most that were allowed if the run ended early.
    partial
        Whether the run ended before it had played them all.
    until
        Only if the run was to stop at this half-width of the 95 % interval of the mean.
    fault
        Only if the strategy broke the rules or failed, so that no more games were played.
    forfeits
        Only if there are any: games in which a bot failed and was started again, ascending. All
        cells count as shot in each.
    counts
        Number of games by move count: entry m counts the games of m moves.
    firsts
        For each move count that occurred, ascending: number of the first game of that length.
    blocks
        The evidence: sums over blocks of 2^20 games, with which runs are merged and verified.
        Missing where they are not known, or too many.
    learning
        Only for a strategy that learns from game to game: sums over its learners.
    answers
        Only for a strategy that may fail to choose.
    shots
        Only if a turn has several shots, or one answer for all. A move is then a turn, and this is
        the number of games by shots up to the last hit: entry s counts the games of s shots.
    against
        How the strategy compares with another one on the same games, if it was compared and single
        move counts are not kept.
    summary
        Figures that follow from the counts, for readers.
    exact
        Only if every layout was played once: the mean as a fraction, such as `3391/60`.
    moves
        Only if they are kept: the move count of each game, in order, as bytes (on boards of more
        than 255 cells as pairs of bytes, the low one first), compressed by zlib, in base64.
    seconds.setup
        Compiling or loading kernels, building tables, and a first game.
    seconds.play
        Playing.
    """

    schema = "bsbench-run-2"
    file = "record"
    heading = "Record of a run"
    steps = {"setup": "setup_seconds", "play": "play_seconds"}  # noqa: RUF012

    revisions: Annotated[list[Revision], Meta(max_length=1_000)]
    stream_version: Annotated[int, Meta(ge=1)]
    scenario: ScenarioRecord
    layouts_sha256: Hash | UnsetType = UNSET
    strategy: StrategyRecord
    seed: Count
    first_game: GameNumber
    games: Games
    requested: Games
    partial: bool
    until: Annotated[float, Meta(gt=0)] | UnsetType = UNSET
    fault: FaultRecord | UnsetType = UNSET
    forfeits: list[Count] | UnsetType = UNSET
    counts: list[Count]
    firsts: list[Count] | UnsetType = UNSET
    blocks: BlocksRecord | UnsetType = UNSET
    learning: LearningRecord | UnsetType = UNSET
    answers: AnswersRecord | UnsetType = UNSET
    shots: list[Count] | UnsetType = UNSET
    against: AgainstRecord | UnsetType = UNSET
    summary: SummaryRecord
    exact: str | UnsetType = UNSET
    moves: str | UnsetType = UNSET


class DifferenceRecord(Record, frozen=True):
    """The difference to the reference, in moves.

    Attributes
    ----------
    mean
        In moves.
    half_width
        Half the width of the 95 % interval; null if unknown.
    paired
        Whether it was taken game by game.
    significant
        Whether its interval leaves out 0.
    low, high
        The ends of the interval, where `until` is `clear`: it reaches farther to one side, and
        holds with all others, however many games it took.
    verdict
        Likewise: whether the strategy needs fewer or more moves than the reference, or differs by
        less than the margin, or is not clear; null of the reference.
    """

    mean: float | None
    half_width: float | None
    paired: bool | None
    significant: bool | None
    low: float | UnsetType = UNSET
    high: float | UnsetType = UNSET
    verdict: Literal["fewer", "more", "equal", "unclear"] | UnsetType | None = UNSET


class DominanceRecord(Record, frozen=True):
    """Whether one of two has finished a larger share of its games after every number of shots.

    Attributes
    ----------
    verdict
        What the table says: the strategy is ahead of the reference, or behind it.
    first_ahead
        The largest lead of this strategy, as a share of games finished.
    second_ahead
        The largest lead of the reference.
    chance
        The lead that randomness explains, or null.
    """

    verdict: Literal[
        "ahead",
        "mostly ahead",
        "behind",
        "mostly behind",
        "crossing",
        "not clear",
        "not tested",
        "same",
    ]
    first_ahead: float
    second_ahead: float
    chance: float | None


class FirstsRecord(Record, frozen=True):
    """Games that a strategy finished first of all.

    Attributes
    ----------
    alone
        Alone.
    tied
        Tied with others.
    """

    alone: Count
    tied: Count


class RankRecord(Record, frozen=True):
    """The place of a strategy by its mean, and the 95 % interval of that.

    Attributes
    ----------
    place
        From 1; strategies with the same mean share the better one.
    low
        The best place within the interval.
    high
        The worst place within it.
    """

    place: Count
    low: Count
    high: Count


class ComparedRecord(StrategyRecord, frozen=True, kw_only=True):
    """A strategy of a comparison.

    Attributes
    ----------
    feedback
        The feedback that it was given.
    from_record
        Whether it comes from a record.
    seed
        Seed of the layouts; null for several seeds together.
    games
        Games played.
    counts
        Number of games by move count: entry m counts the games of m moves.
    summary
        Figures that follow from the counts.
    answers
        Only for a strategy that may fail to choose.
    difference
        Difference in moves to the reference.
    race
        Against the reference; null where games are not paired.
    dominance
        Whether one of the two has finished a larger share of its games after every number of shots.
    first
        Games that it finished first of all; null where not all games are paired.
    rank
        Its place among all; missing of more than 64 strategies.
    """

    feedback: FeedbackName
    from_record: bool
    seed: Count | None
    games: Count
    counts: list[Count]
    summary: SummaryRecord
    answers: AnswersRecord | UnsetType = UNSET
    difference: DifferenceRecord
    race: RaceRecord | None
    dominance: DominanceRecord
    first: FirstsRecord | None
    rank: RankRecord | UnsetType = UNSET


class ComparisonRecord(Content, frozen=True):
    """What `--export-json` writes of several strategies, compared with a reference.

    Attributes
    ----------
    stream_version
        Version of the rule that turns seed and number of a game into a layout.
    scenario
        What was played.
    seed
        Seed of the games that were played for the comparison, else that of the reference; null for
        several seeds together.
    games
        Games that each strategy has played; of records, the fewest.
    requested
        Games asked for.
    partial
        Whether the comparison ended early.
    until
        Half-width that was asked for; `clear`, if it was played until it was clear who is better;
        or null.
    reference
        Label of the reference.
    missing
        Labels of strategies that had played no game.
    faults
        By label: the faults of strategies that are left out because of them.
    strategies
        Each strategy, compared with the reference.
    margin
        Where `until` is `clear`: difference that does not matter, in moves.
    """

    schema = "bsbench-compare-1"
    file = "comparison"

    stream_version: Count
    scenario: ScenarioRecord
    seed: Count | None
    games: Count
    requested: Count
    partial: bool
    until: float | Literal["clear"] | None
    reference: str
    missing: list[str]
    faults: dict[str, str]
    strategies: list[ComparedRecord]
    margin: float | UnsetType = UNSET


class ExperimentRecord(Record, frozen=True):
    """What `--export-json` writes if there are several scenarios or seeds: comparisons.

    Attributes
    ----------
    panels
        A comparison for each scenario and seed.
    pooled
        Only if there are several seeds: for each scenario, the comparison over all of them.
    """

    schema = "bsbench-experiment-1"

    panels: list[ComparisonRecord]
    pooled: list[ComparisonRecord] | UnsetType = UNSET
