"""Statistics of move counts, most of them computed from their histogram, and of matches.

A histogram is an int64 array ``counts`` in which ``counts[m]`` is the number of
games that took ``m`` moves. It holds everything that a run's summary needs, and
its size does not grow with the number of games.

Intervals are of 95 % throughout. Those of means and differences are normal
approximations; that of a quantile is exact, but cautious, since move counts are whole
numbers. Those that may be looked at again and again hold for every law within the range of
move counts. ``tests/stats/test_coverage.py`` counts how often each contains the true value.
"""

from bsbench.stats.answers import AnswerBook, AnswerRows, Answers
from bsbench.stats.elo import (
    PAIR_SCORES,
    Ratings,
    Score,
    elo_difference,
    expected_score,
    rate,
    score_of_pairs,
)
from bsbench.stats.histograms import (
    Counts,
    Fit,
    chi_square_tail,
    exact_dot,
    goodness_of_fit,
    joint_histogram,
    means,
    quantile,
    quantiles,
)
from bsbench.stats.intervals import (
    CONFIDENCE,
    bootstrap,
    decimals_of,
    half_width,
    interval_text,
    interval_texts,
    log_capital,
    percentile_interval,
    quantile_interval,
    quantile_ranks,
    sequence_interval,
    share_interval,
    standard_error,
)
from bsbench.stats.learning import Learning, learners_who_played, stage_ends
from bsbench.stats.ordering import Dominance, dominance, rank_intervals
from bsbench.stats.paired import (
    Decision,
    Difference,
    PairedSums,
    Race,
    UnitSums,
    paired_difference,
    race,
)
from bsbench.stats.summary import Summary, exact_text, summarize, summarize_layouts
from bsbench.stats.versus import Outcomes, Versus, versus, winning_means

__all__ = [
    "CONFIDENCE",
    "PAIR_SCORES",
    "AnswerBook",
    "AnswerRows",
    "Answers",
    "Counts",
    "Decision",
    "Difference",
    "Dominance",
    "Fit",
    "Learning",
    "Outcomes",
    "PairedSums",
    "Race",
    "Ratings",
    "Score",
    "Summary",
    "UnitSums",
    "Versus",
    "bootstrap",
    "chi_square_tail",
    "decimals_of",
    "dominance",
    "elo_difference",
    "exact_dot",
    "exact_text",
    "expected_score",
    "goodness_of_fit",
    "half_width",
    "interval_text",
    "interval_texts",
    "joint_histogram",
    "learners_who_played",
    "log_capital",
    "means",
    "paired_difference",
    "percentile_interval",
    "quantile",
    "quantile_interval",
    "quantile_ranks",
    "quantiles",
    "race",
    "rank_intervals",
    "rate",
    "score_of_pairs",
    "sequence_interval",
    "share_interval",
    "stage_ends",
    "standard_error",
    "summarize",
    "summarize_layouts",
    "versus",
    "winning_means",
]
