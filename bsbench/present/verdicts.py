"""What a comparison found, in words: which strategy needs the fewest moves, if that is clear.

Tables, charts and pages all say it in these words. The best is the strategy with
the smallest mean; the others are compared with it, whatever the reference of the comparison is. A
strategy is clearly behind if the 95 % interval of its difference to the best leaves out 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bsbench.common.texts import listed_in_words, short_names
from bsbench.runs.results import Result, counted
from bsbench.stats import Difference, exact_text, interval_text

if TYPE_CHECKING:
    from bsbench.runs.comparison import Comparison

_LONGEST_LABEL = 60
LONGEST_IN_TITLE = 36
"""Characters of a label in a sentence, and in a title."""

_MOST_NAMED = 3
"""Strategies that a sentence names; of more it gives the number."""


def best_first(comparison: Comparison) -> Comparison:
    """Return the comparison by ascending mean, with the best as the reference of the differences.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    Comparison
        Differences are paired where the pair of a strategy and the best is known.
    """
    ranked = comparison.sorted("best")
    return ranked.with_reference(ranked.results[0].label)


@dataclass(frozen=True, eq=False)
class Ranks:
    """Where the strategies of a comparison stand.

    Attributes
    ----------
    ranked : Comparison
        Best first, and the best is the reference: see `best_first`.
    """

    ranked: Comparison

    @property
    def best(self) -> Result:
        """The result with the smallest mean."""
        return self.ranked.results[0]

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """Moves of each, best first, less those of the best."""
        return self.ranked.differences

    @cached_property
    def rivals(self) -> tuple[int, ...]:
        """Places of those that are not clearly behind the best; 0 is the best itself."""
        return tuple(
            place
            for place, difference in enumerate(self.differences)
            if place and not (difference.significant and difference.mean > 0)
        )

    @cached_property
    def behind(self) -> tuple[int, ...]:
        """Places of those that clearly need more moves than the best."""
        return tuple(place for place in range(1, len(self.differences)) if place not in self.rivals)

    @cached_property
    def contradicted(self) -> int:
        """The first that clearly needs fewer moves than the best where both have played; else 0.

        Only where one of the two has played other games, too.
        """
        return next((at for at in self.rivals if self.differences[at].significant), 0)

    @property
    def counted(self) -> str:
        """What their move counts count: ``moves`` or ``turns``."""
        return counted(self.ranked.results)

    @property
    def clear(self) -> bool:
        """Whether all others are clearly behind the best."""
        return not self.rivals


def standing(comparison: Comparison) -> Ranks:
    """Return where the strategies of a comparison stand."""
    return Ranks(best_first(comparison))


def unclear_finding(found: Ranks) -> str:
    """Return what was found where it is not clear who is best, short enough for a title.

    Examples
    --------
    >>> from bsbench import compare
    >>> unclear_finding(standing(compare(["lattice", "datagenetics"], "classic", games=50)))
    'No clear difference between lattice and datagenetics after 50 paired games'
    """
    called, moves = _called(found, LONGEST_IN_TITLE), found.counted
    best = called[0]
    if at := found.contradicted:
        other = called[at]
        return (
            f"{best} has the smallest mean, but needs more {moves} than {other} in the same games"
        )
    if _equal(found):
        return f"{_named(found, LONGEST_IN_TITLE)} took equally many {moves}"
    if not found.behind:
        names = _named(found, LONGEST_IN_TITLE)
        return f"No clear difference between {names} after {_games(found, found.rivals)}"
    return f"{_named(found, LONGEST_IN_TITLE)} need the fewest {moves}: no clear difference"


def verdict(comparison: Comparison) -> str:
    """Return what a comparison found, in one or two sentences of plain text.

    Parameters
    ----------
    comparison : Comparison
        Of one result or more.

    Examples
    --------
    >>> from bsbench import compare
    >>> verdict(compare(["linear", "prob"], "classic", games=1_000))
    'prob needs 31.05 ± 0.79 fewer moves than linear on classic, over 1,000 paired games.'
    """
    found = standing(comparison)
    if len(found.ranked.results) == 1:
        return _of_one(found)
    return _of_clear(found) if found.clear else _of_unclear(found)


def clear_verdicts(comparison: Comparison) -> list[str]:
    """Return which of each strategy and the reference needs fewer moves, a line each.

    Parameters
    ----------
    comparison : Comparison
        Of what was played until that was clear, or for as long as was allowed.

    Examples
    --------
    >>> from bsbench import compare
    >>> clear_verdicts(compare(["linear", "prob"], "classic", until="clear"))
    ['prob needs 31.48 fewer moves than linear (30.82 to 32.13): clear after 4,096 games']
    """
    results, margin = comparison.results, comparison.margin or 0.0
    called = short_names((result.label for result in results), _LONGEST_LABEL)
    other = called[[result.label for result in results].index(comparison.reference)]
    games, moves, lines = f"{comparison.games:,} games", counted(results), []
    for name, difference, decision in zip(
        called, comparison.differences, comparison.verdicts, strict=True
    ):
        low, high = difference.interval
        digits = max(2, 1 - math.floor(math.log10(high - low) - math.log10(2))) if high > low else 2
        found = (
            f"after {games} the difference is {difference.mean:+.{digits}f} ({low:+.{digits}f} to "
            f"{high:+.{digits}f})"
        )
        if decision == "equal":
            lines.append(f"{name} and {other} are within {margin:g} {moves} of each other: {found}")
        elif decision == "unclear":
            lines.append(f"not clear which of {name} and {other} needs fewer {moves}: {found}")
        elif decision is not None:
            better, worse = (name, other) if decision == "fewer" else (other, name)
            low, high = sorted(map(abs, difference.interval))
            lines.append(
                f"{better} needs {abs(difference.mean):.{digits}f} fewer {moves} than {worse} "
                f"({low:.{digits}f} to {high:.{digits}f}): clear after {games}"
                f"{f', though within {margin:g} of each other' if high <= margin else ''}"
            )
    return lines


def _of_one(found: Ranks) -> str:
    result = found.best
    mean = result.stats.mean_text
    games = f"{result.games:,} game{'' if result.games == 1 else 's'}"
    over = f"in all {result.games:,} layouts" if result.exact else f"over {games}"
    return f"{_called(found)[0]} needs {mean} {found.counted} on {result.scenario.name}, {over}."


def _of_clear(found: Ranks) -> str:
    (best, second), moves = _called(found)[:2], found.counted
    more, everyone = _amount(found, 1), range(1, len(found.ranked.results))
    games = f"over {_games(found, everyone)}{_asked(found)}"
    if len(found.ranked.results) == 2:
        return f"{best} needs {more} fewer {moves} than {second}{_place(found)}, {games}."
    return (
        f"{best} needs the fewest {moves}{_place(found)}: {found.best.stats.mean_text}. {second}, "
        f"second, needs {more} more, {games}."
    )


def _of_unclear(found: Ranks) -> str:
    first, rivals = found.rivals[0], found.rivals
    games = f"{_games(found, rivals)}{_asked(found)}"
    called, names, moves = _called(found), _named(found), found.counted
    gap = found.differences[first]
    if at := found.contradicted:
        games = _games(found, (at,))
        more = interval_text(-found.differences[at].mean, found.differences[at].half_width)
        return (
            f"{called[0]} has the smallest mean{_place(found)}, "
            f"{found.best.stats.mean_text}, but needs {more} more {moves} than "
            f"{called[at]} in the {games} of both."
        )
    if _equal(found):
        how = f"on average, over {games}" if found.ranked.exact else f"in each of {games}"
        text = f"{names} took equally many {moves}{_place(found)} {how}."
    elif math.isnan(gap.half_width):
        text = (
            f"{called[0]} has the smallest mean{_place(found)}, "
            f"{found.best.stats.mean_text}, after {games}. No interval is known, so no "
            "difference is clear."
        )
    elif len(rivals) == 1:
        text = (
            f"{names} do not differ clearly{_place(found)} after {games}: the difference is "
            f"{interval_text(gap.mean, gap.half_width)} {moves}. {_more_games(found)}"
        )
    else:
        text = (
            f"{names} do not differ clearly{_place(found)} after {games}: they need about "
            f"{found.best.stats.mean_text} {moves}. {_more_games(found)}"
        )
    if found.behind and not math.isnan(gap.half_width):
        at = found.behind[0]
        text += f" The first that clearly needs more is {called[at]}: {_amount(found, at)} more."
    return text


def _more_games(found: Ranks) -> str:
    """Return what more games would do; how many, if the difference is as large as it looks."""
    if len(found.rivals) > 1 or not found.ranked.paired[found.rivals[0]]:
        return "More games would show which is better."
    place = found.rivals[0]
    gap, race = found.differences[place], found.ranked.races[place]
    if not gap.mean or race is None:
        return "More games would show which is better."
    needed = games_needed(gap, race.games)
    return (
        f"More games would show which is better: about {needed}, if the difference is as large "
        "as it looks."
    )


def games_needed(difference: Difference, games: int) -> str:
    """Return about how many games would show a difference that is as large as it looks.

    Twice the games at which its interval would just exclude 0 show it in four of five cases:
    1.96 times the root of 2 is 0.8 standard errors beyond 1.96.

    Parameters
    ----------
    difference : Difference
        Not 0, with an interval.
    games : int
        Of which it is known.
    """
    needed = 2 * games * (difference.half_width / abs(difference.mean)) ** 2
    if needed > 1e10:
        return "more than 10,000,000,000"
    # Rounded up to two digits.
    step = 10 ** max(math.floor(math.log10(needed)) - 1, 0)
    return f"{math.ceil(needed / step) * step:,}"


def _equal(found: Ranks) -> bool:
    """Return whether the best and its rivals took as many moves as each other in every game."""
    return all(found.ranked.same[place] or found.ranked.exact for place in found.rivals)


def _amount(found: Ranks, place: int) -> str:
    """Return how many moves one needs more than the best."""
    difference = found.differences[place]
    if found.ranked.exact:
        return exact_text(difference.mean)
    return interval_text(difference.mean, difference.half_width)


def _place(found: Ranks) -> str:
    """Return where they played; nothing if that differs."""
    names = {result.scenario.name for result in found.ranked.results}
    return f" on {names.pop()}" if len(names) == 1 else ""


def _games(found: Ranks, places: range | tuple[int, ...]) -> str:
    """Return of how many games the differences of these places to the best are."""
    ranked = found.ranked
    races = [ranked.races[place] for place in places]
    if ranked.exact:
        return f"all {found.best.games:,} layouts"
    if all(races):
        games = {race.games for race in races if race is not None}
        kind = "paired "
    else:
        games = {found.best.games, *(ranked.results[place].games for place in places)}
        kind = "unpaired " if not any(races) else ""
    few, many = min(games), max(games)
    number = f"{many:,}" if few == many else f"{few:,} to {many:,}"
    return f"{number} {kind}game{'' if many == 1 else 's'}"


def _asked(found: Ranks) -> str:
    """Return which games and whose are missing, if some are."""
    ranked = found.ranked
    few = ranked.partial and ranked.games < ranked.requested
    asked = f" of {ranked.requested:,} asked for" if few else ""
    missing = short_names(ranked.missing, _LONGEST_LABEL)
    return f"{asked} (not played: {', '.join(missing)})" if missing else asked


def _named(found: Ranks, longest: int = _LONGEST_LABEL) -> str:
    """Return the best and its rivals in words."""
    called = _called(found, longest)
    names = [called[place] for place in (0, *found.rivals)]
    if len(names) > _MOST_NAMED:
        more = len(names) - _MOST_NAMED + 1
        names = [*names[: _MOST_NAMED - 1], f"{more:,} others"]
    return listed_in_words(names)


def _called(found: Ranks, longest: int = _LONGEST_LABEL) -> list[str]:
    """Return how each is called, best first."""
    return short_names((result.label for result in found.ranked.results), longest)
