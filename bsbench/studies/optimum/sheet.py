"""The optimum of a small board as text, and the regret of strategies."""

from __future__ import annotations

import math
from collections.abc import Iterator

from bsbench.present.sheets import Sheet
from bsbench.present.tables import name_of, own_notes, rules_text
from bsbench.rules.position import answer_text
from bsbench.runs.results import Result
from bsbench.stats import exact_text, interval_text
from bsbench.studies.optimum.study import Regrets


def optimum_sheet(found: Regrets) -> Sheet:
    """Return what is shown of an optimum: a row for each strategy."""
    return Sheet(regret_columns(found), [*optimum_heading(found)], [*optimum_notes(found)])


def optimum_heading(found: Regrets) -> Iterator[str]:
    """Yield lines on the optimum."""
    optimum, scenario = found.optimum, found.scenario
    yield f"{scenario.name}: {rules_text(scenario)}"
    moves, first = "moves", "first shots"
    if known := found.position.answers:
        moves, first = "more moves", "next shots"
        yield f"after {' '.join(answer_text(answer, scenario.rules) for answer in known)}"
    greedy = f"always a most likely cell: {exact_text(float(optimum.greedy_mean))} at best"
    if not optimum.proven:
        low, high = optimum.bounds
        yield (
            f"least mean: {math.floor(low * 10**4) / 10**4:.4f} to "
            f"{math.ceil(high * 10**4) / 10**4:.4f} {moves}, over {optimum.layouts:,} layouts; "
            "these are bounds"
        )
        yield greedy
        return
    yield (
        f"least mean: {exact_text(float(optimum.mean))} {moves} = {optimum.mean}, over "
        f"{optimum.layouts:,} layouts; no strategy can need fewer"
    )
    if found.first_shots:
        yield f"{first} that reach it: {' '.join(found.first_shots)}"
    gap = optimum.greedy_mean - optimum.mean
    yield f"{greedy}, " + (f"{exact_text(float(gap))} more" if gap else "which is optimal")


def regret_columns(found: Regrets) -> dict[str, list[str]]:
    """Return the table of strategies."""
    return {
        "strategy": [name_of(result) for result in found.results],
        "mean": [result.stats.mean_text for result in found.results],
        "regret": [_regret_text(found, result) for result in found.results],
    }


def _regret_text(found: Regrets, result: Result) -> str:
    regret = float(found.regret(result))
    return exact_text(regret) if result.exact else interval_text(regret, result.stats.half_width)


def optimum_notes(found: Regrets) -> Iterator[str]:
    """Yield what the figures rest on."""
    if found.partial:
        left = "all strategies had played" if found.first_shots else "the search was over"
        yield f"partial: interrupted before {left}"
    if found.results:
        yield "regret: moves on average beyond the least mean; without ±, all layouts were played"
    games = {result.games for result in found.results if not result.exact}
    if games:
        yield f"with ±: uses random numbers, or learns; {max(games):,} random games"
    yield from own_notes(found.results)
    yield f"{found.optimum.states:,} states looked at in {found.search_seconds:.1f} s"
