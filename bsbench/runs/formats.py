"""What the records of runs and comparisons hold, as types."""

from __future__ import annotations

from bsbench.common.record import Count, Record


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
    tokens_in: Count | None = None
    tokens_out: Count | None = None
    milliseconds: Count | None = None


class RaceRecord(Record, frozen=True):
    """Games that the first finishes before the second, at the same time, and after it."""

    shared = "race"

    wins: Count
    ties: Count
    losses: Count
