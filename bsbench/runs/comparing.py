"""Strategies play the same games, and are compared with one of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from bsbench.common.errors import StrategyError
from bsbench.common.settings import LARGEST_RUN
from bsbench.own.adapter import Adapter
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparison import Comparison, unit_of
from bsbench.runs.contestants import line_up, terms_of
from bsbench.runs.engine import Run, play_in_rounds
from bsbench.runs.request import TIMEOUT, check_request, check_timeout
from bsbench.runs.results import Result
from bsbench.runs.rounds import GROWTH, first_look, round_for, whole_units
from bsbench.stats import RunningDifference
from bsbench.strategies import Strategy

_SMALLEST_ROUND = 4_096
_FEWEST_LEARNERS = 1_024
"""Games, and learners, of a round at least, if several are played: with fewer, lanes would idle
for much of the time."""

_SMALLEST_IN_PYTHON = 64
"""The same where a strategy in Python takes part, which is slow: an interruption can only keep
games that all have played."""


# Public: each option is a keyword with a default.
def compare(
    strategies: Iterable[str | Path | Strategy | type | Result],
    scenario: str | Path | Scenario | None = None,
    *,
    games: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    reference: str | None = None,
    until: float | None = None,
    timeout: float = TIMEOUT,
    progress: Callable[[str, int], None] | None = None,
) -> Comparison:
    """Let several strategies play the same games, and compare each with one of them.

    Parameters
    ----------
    strategies : iterable of str, Path, Strategy, type or Result
        Two at least, all different: strategies, their classes, or variants as on the command line,
        ``over9000,noise=0``; results of earlier runs, or paths of their records, which end
        in ``.json``. With results, strategies play the same scenario as they did, and the
        seed and number of games of the first of them unless others are given. Results are
        compared game by game where the move counts are kept (`Result.moves`; beside a record,
        those of ``run --keep-moves``) and the seed is the same; else by their means.
    scenario : str, Path or Scenario, optional
        A scenario, its name, or the path of its TOML file. Default: the home that all
        strategies share, else ``classic``.
    games : int, optional
        Games number 0 … games - 1 under the seed are played by each; with ``until``, at most.
        Default: 100,000, or 100,000,000 with ``until``.
    seed : int, optional
        Any non-negative integer. Default: 0.
    threads : int, optional
        Default: as many as there are cores. The result does not depend on it.
    reference : str, optional
        The strategy that the others are compared with, as it is given or by its label. Default:
        the first.
    until : float, optional
        Play until the half-width of each difference's 95 % interval is that small, in moves.
        The spread decides when that is, not the difference (see `bsbench.run`).
    timeout : float
        As for `bsbench.run`.
    progress : callable, optional
        Called, from the calling thread, with the label of the strategy that plays and the
        number of its games played so far.

    Returns
    -------
    Comparison
        After Ctrl-C, it holds the games that every strategy that had begun has finished, and
        says so (`Comparison.partial`). The strategies play in turn, in rounds that grow, so
        that these games are many.

    Raises
    ------
    BsbenchError
        If an argument is out of range, there are fewer than two strategies or two that are
        the same, one needs more feedback than the scenario gives, or results were played
        on other scenarios.
    StrategyError
        If all strategies break the rules, raise, or take too long, and there is no result:
        that of the reference. `StrategyError.result` holds the games before.
    KeyboardInterrupt
        If interrupted before two strategies had played the same game.

    Examples
    --------
    >>> comparison = compare(["linear", "random"], "classic", games=1000, seed=1)
    >>> comparison.summary()[["label", "mean", "difference"]]  # doctest: +SKIP
    """
    contestants, reference = line_up(strategies, reference)
    terms = terms_of(contestants, scenario, games, seed, until)
    games, seed, threads = check_request(terms.games, terms.seed, threads, until)
    players = [
        Run(contestant, terms.scenario, seed, threads, check_timeout(timeout))
        for contestant in contestants
        if isinstance(contestant, Strategy)
    ]
    # The reference first: without it, there is nothing to compare with when interrupted.
    players.sort(key=lambda player: player.strategy.label != reference)
    for player in players:
        player.most_kept = LARGEST_RUN
    records = {each.label: each for each in contestants if isinstance(each, Result)}
    try:
        interrupted = bool(players) and play_in_rounds(
            players,
            _rounds(players, games, until),
            progress and (lambda player, played: progress(player.strategy.label, played)),
        )
    except StrategyError:
        if not records:
            raise
        interrupted = False
    finally:
        for player in players:
            if player.fault and player.games:
                player.fault.result = player.result(games)
    faults = {player.strategy.label: player.fault for player in players if player.fault}
    begun = [player for player in players if player.games and not player.fault]
    common = min((player.games for player in begun), default=0)
    results = {
        player.strategy.label: player.result(games if interrupted else None).first(common)
        for player in begun
    }
    results |= records
    labels = [contestant.label for contestant in contestants if contestant.label not in faults]
    if reference in faults:
        reference = labels[0]
    if len(results) < min(len(labels), 2) or reference not in results:
        raise KeyboardInterrupt
    return Comparison(
        tuple(results[label] for label in labels if label in results),
        reference,
        missing=tuple(label for label in labels if label not in results),
        from_records=tuple(records),
        until=until,
        faults=faults,
    )


def _rounds(players: Sequence[Run], games: int, until: float | None) -> Callable[[int], int]:
    """Return the function that decides where the next round of `play_in_rounds` ends.

    The reference is first. With ``until``, strategies with a fault don't count; if that is the
    reference, or all others, no round follows.
    """
    reference, *others = players
    unit = unit_of(*(player.strategy for player in players))
    if until is None:
        ends = [games]
        slow = any(isinstance(player.strategy, Adapter) for player in players)
        least = _SMALLEST_IN_PYTHON if slow else _SMALLEST_ROUND
        while ends[0] // GROWTH >= max(least, _FEWEST_LEARNERS * unit if unit > 1 else 0):
            ends.insert(0, whole_units(ends[0] // GROWTH, unit))
        return lambda played: next((end for end in ends if end > played), games)

    running = [RunningDifference(unit_of(other.strategy, reference.strategy)) for other in others]
    added = 0

    def next_round(played: int) -> int:
        nonlocal added
        if played == 0:
            return first_look(unit, games)
        pairs = zip(running, others, strict=True)
        going = [(difference, other) for difference, other in pairs if other.fault is None]
        if reference.fault is not None or not going:
            return played
        for difference, other in going:
            difference.add(other.log.between(added, played), reference.log.between(added, played))
        added = played
        widths = [difference.half_width for difference, _ in going]
        unknown = any(map(math.isnan, widths))
        return round_for(until, played, math.nan if unknown else max(widths), unit, games)

    return next_round
