"""Comparisons: several strategies on the same games, each against a reference.

All meet the same layouts, and differences are taken game by game. As games that are hard
for one strategy tend to be hard for another, the interval of a difference is narrower than
if each had played games of its own.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from bsbench.engine import check_feedback, check_request, run
from bsbench.errors import BsbenchError
from bsbench.results import Result
from bsbench.scenario import DEFAULT, Scenario, find_scenario
from bsbench.settings import suggestion
from bsbench.stats import Difference, paired_difference
from bsbench.strategies import Strategy, make_variant

if TYPE_CHECKING:
    import pandas as pd

Order = Literal["given", "mean", "name"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results of several strategies in the same games, and their differences to one of them.

    Attributes
    ----------
    results : tuple of Result
        In the order given, all of the same games, whose move counts are kept.
    reference : str
        The label of the strategy that the others are compared with.
    missing : tuple of str
        Labels of strategies that had played no game when interrupted.
    """

    results: tuple[Result, ...]
    reference: str
    missing: tuple[str, ...] = ()

    @property
    def games(self) -> int:
        """Games that each has played."""
        return self.results[0].games

    @property
    def partial(self) -> bool:
        """Whether it was interrupted: all games were not played by all strategies."""
        return bool(self.missing) or any(result.partial for result in self.results)

    @property
    def _reference(self) -> Result:
        return next(result for result in self.results if result.label == self.reference)

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """Of each strategy to the reference, in the order of `results`.

        Where either of the two learns from game to game, its learners are the units of the
        interval; where both do, groups of games that are whole learners of both.
        """
        return tuple(
            paired_difference(
                _moves(result),
                _moves(self._reference),
                math.lcm(_games_per_learner(result), _games_per_learner(self._reference)),
            )
            for result in self.results
        )

    @cached_property
    def same(self) -> tuple[bool, ...]:
        """Whether each took as many moves as the reference in every game."""
        return tuple(
            np.array_equal(_moves(result), _moves(self._reference)) for result in self.results
        )

    def sorted(self, order: Order) -> Comparison:
        """Return the comparison with its results by ascending mean, by label, or as they are."""
        if order == "given":
            return self
        key: Callable[[Result], float | str] = (
            (lambda result: result.stats.mean) if order == "mean" else (lambda result: result.label)
        )
        return dataclasses.replace(self, results=tuple(sorted(self.results, key=key)))

    def summary(self) -> pd.DataFrame:
        """Return a tidy row for each strategy.

        To the columns of `Result.summary` come ``partial``; ``reference``, its label;
        ``difference`` and ``difference_half_width``, of the strategy to the reference; and
        ``significant``, whether that interval leaves out 0.
        """
        import pandas as pd

        return pd.concat([result.summary() for result in self.results], ignore_index=True).assign(
            partial=self.partial,
            reference=self.reference,
            difference=[difference.mean for difference in self.differences],
            difference_half_width=[difference.half_width for difference in self.differences],
            significant=[difference.significant for difference in self.differences],
        )

    def csv_text(self) -> str:
        """Return the summary as CSV text."""
        return self.summary().to_csv(index=False, lineterminator="\n")


def _moves(result: Result) -> np.ndarray[tuple[int], np.dtype[np.unsignedinteger]]:
    assert result.moves is not None
    return result.moves


def _games_per_learner(result: Result) -> int:
    return result.learning.games_per_learner if result.learning else 1


def compare(
    strategies: Iterable[str | Strategy],
    scenario: str | Path | Scenario | None = None,
    *,
    games: int = 100_000,
    seed: int = 0,
    threads: int | None = None,
    reference: str | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> Comparison:
    """Let several strategies play the same games, and compare each with one of them.

    Parameters
    ----------
    strategies : iterable of str or Strategy
        Two at least. Parameters follow a name after commas: ``over9000,noise=0``.
    scenario : str, Path or Scenario, optional
        As for `run`. Default: the home that all strategies share, those without one
        following the others, else ``classic``.
    games, seed, threads
        As for `run`.
    reference : str, optional
        One of the strategies, as given or by its label. Default: the first.
    progress : callable, optional
        Called with the label of who plays and the number of its games played so far.

    Returns
    -------
    Comparison
        Ctrl-C ends it early. It then has the games that all played who had begun, and says
        so (`Comparison.partial`).

    Raises
    ------
    BsbenchError
        If an argument is out of range, there are fewer than two strategies or two that are
        the same, or one needs more feedback than the scenario gives.
    KeyboardInterrupt
        If interrupted before two strategies had played the same game.

    Examples
    --------
    >>> comparison = compare(["linear", "random"], "classic", games=1000, seed=1)
    >>> comparison.summary()[["label", "mean", "difference"]]  # doctest: +SKIP
    """
    shooters, reference = line_up(strategies, reference)
    if not isinstance(scenario, Scenario):
        scenario = find_scenario(str(scenario or shared_home(shooters) or DEFAULT))
    check_request(games, seed, threads)
    for shooter in shooters:
        check_feedback(shooter, scenario)

    played: dict[str, Result] = {}
    try:
        # The reference first: without it, there is nothing to compare with when interrupted.
        for shooter in sorted(shooters, key=lambda shooter: shooter.label != reference):
            label = shooter.label
            result = run(
                shooter,
                scenario,
                games=games,
                seed=seed,
                threads=threads,
                keep_moves=True,
                progress=None if progress is None else _told_by(progress, label),
            )
            played[label] = result
            if result.partial:
                break
    except KeyboardInterrupt:
        if len(played) < 2:
            raise
    if len(played) < 2:
        raise KeyboardInterrupt
    common = min(result.games for result in played.values())
    labels = [shooter.label for shooter in shooters]
    return Comparison(
        tuple(played[label].first(common) for label in labels if label in played),
        reference,
        tuple(label for label in labels if label not in played),
    )


def _told_by(progress: Callable[[str, int], None], label: str) -> Callable[[int], None]:
    return lambda played: progress(label, played)


def line_up(
    strategies: Iterable[str | Strategy], reference: str | None = None
) -> tuple[list[Strategy], str]:
    """Return the strategies of a comparison, made, and the label of its reference.

    Raises
    ------
    BsbenchError
        If there are fewer than two, one is unknown, two are the same, or the reference is
        none of them.
    """
    given = list(strategies)
    shooters = [
        strategy if isinstance(strategy, Strategy) else make_variant(strategy) for strategy in given
    ]
    labels = [shooter.label for shooter in shooters]
    if len(labels) < 2:
        named = f"there is only {labels[0]!r}" if labels else "none is named"
        raise BsbenchError(f"a comparison takes two strategies or more, and {named}")
    for number, label in enumerate(labels):
        if label in labels[:number]:
            raise BsbenchError(f"{label!r} is named twice: compare it with other strategies")
    if reference is None:
        return shooters, labels[0]
    if reference in given:
        return shooters, labels[given.index(reference)]
    if reference not in labels:
        hint = suggestion(reference, labels)
        raise BsbenchError(f"the reference {reference!r} is none of the strategies: {hint}")
    return shooters, reference


def shared_home(strategies: Iterable[Strategy]) -> str | None:
    """Return the scenario that is home to all strategies that have a home, if there is one."""
    homes = {strategy.home for strategy in strategies} - {None}
    return homes.pop() if len(homes) == 1 else None
