"""The rule of verdicts: whether a published figure agrees with what bsbench measures.

Ours has mean m and deviation s from n games; theirs is v from N games, rounded to its last digit,
of which r is a half. They agree under a reading where |v - m| <= r + 3 sqrt(s²/n + s²/N); where the
layouts are from a file of M, s²/M is added. So a true mean of 100 games or more is refused in 0.3 %
of cases at most (of 8 games of `random`, whose law leans far to one side, in 0.7 %).

Medians: v lies between our quantiles at 1/2 ∓ 1.5 sqrt(1/n + 1/N). Fewest and most moves: of N
games, not so many are to be expected beyond v that one would have come, and not so few at v or
beyond that none would have. Where N is not stated, a mean says how many games at most chance
explains; else N is taken as 1,000.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate

from bsbench.common.record import Record
from bsbench.stats.intervals import NORMAL_95
from bsbench.studies.survey.claims import BOUND, OVER, Claim, Kind, Played, Reading, option_of

ERRORS = 3.0
"""Standard errors within which two means agree."""

LITTLE = 2.0
"""Moves: a mean that could be so far off says little."""

USUAL, FEWEST = 1_000, 30
"""Games that a source has played where it does not say how many; and at least, if chance is to
explain a difference."""

SURELY, HARDLY = 7.0, 0.002
"""Games to be expected: with more than the first, one comes but for 0.09 % of cases; with fewer
than the second, none comes but for 0.2 %."""

FEW_GAMES, STEP = 10, 5
"""Where fewer games than the first are at a move count or beyond, their share follows from that at
the last count with so many, and at the one a step before."""

LEAST_MEAN = 39.314
"""Moves: no strategy has a lower mean on ``classic`` (docs/lower-bound.md)."""


class Word:
    """The verdicts."""

    AGREES = "agrees"
    OTHER = "agrees under another reading"
    CUT = "agrees if cut off, not rounded"
    FEW = "agrees only if few games"
    LITTLE = "says little"
    BETWEEN = "between two readings"
    WINNERS = "mean of winners"
    DIFFERS = "differs"
    IMPOSSIBLE = "impossible"
    ELSEWHERE = "player not here"
    UNPLAYED = "not played"


DECIDED = (Word.AGREES, Word.OTHER, Word.CUT, Word.BETWEEN, Word.DIFFERS, Word.IMPOSSIBLE)
"""Verdicts that decide something."""


@dataclass(frozen=True)
class Law:
    """What bsbench knows of a reading's move counts.

    Attributes
    ----------
    mean, deviation : float
        Of the moves of a game.
    games : float
        As many games with a layout each say as much; infinite if it is exact.
    shares : mapping of int to float
        Shares of the games by their moves, ascending; empty where only the mean is known.
    """

    mean: float
    deviation: float = 0.0
    games: float = math.inf
    shares: Mapping[int, float] = field(default_factory=dict)

    @classmethod
    def of(cls, shares: Mapping[int, float], games: float = math.inf) -> Law:
        """Return the law of move counts that have these shares, ascending."""
        mean = sum(moves * share for moves, share in shares.items())
        variance = sum((moves - mean) ** 2 * share for moves, share in shares.items())
        return cls(mean, math.sqrt(variance), games, shares)

    def error(self, games: float = math.inf) -> float:
        """Return the standard error of the difference to a mean of so many games."""
        return self.deviation * math.sqrt(1 / self.games + 1 / games)

    def beyond(self, value: float, sign: int) -> float:
        """Return the share of games with at least so many moves; with sign -1, at most so many."""
        return sum(share for moves, share in self.shares.items() if sign * (moves - value) >= 0)

    def last(self, share: float, sign: int) -> int:
        """Return the most moves that a share of the games has at least; with -1, a quantile."""
        order = [*self.shares][::-sign]
        sums = zip(order, accumulate(self.shares[moves] for moves in order), strict=True)
        return next((moves for moves, total in sums if total >= share - 1e-12), order[-1])

    def reach(self, value: float, sign: int) -> float:
        """Return at most how large the share `beyond` may be.

        Where hardly any game of ours is there, it follows from those before: it falls off from move
        to move at least as fast as there, if the law has no second peak.
        """
        share = self.beyond(value, sign)
        if share * self.games >= FEW_GAMES or math.isinf(self.games):
            return share
        last = self.last(FEW_GAMES / self.games, sign)
        there = self.beyond(last, sign)
        factor = there / self.beyond(last - sign * STEP, sign)
        return max(share, there * math.pow(factor, abs(value - last) / STEP))

    def winners_mean(self) -> float:
        """Return the mean moves of the winner, where two such players play against each other."""
        above = [1 - total for total in accumulate(self.shares.values(), initial=0.0)]
        pairs = zip(self.shares, above, above[1:], strict=False)
        return sum(moves * (before**2 - after**2) for moves, before, after in pairs)


def law_of(reading: Reading, played: Mapping[str, Played]) -> Law | None:
    """Return the law of a reading; None if it has not been played."""
    if reading.exact:
        ships, cells = map(int, reading.exact.split(" of "))
        ways = math.comb(cells, ships)
        moves = range(ships, cells + 1)
        return Law.of({each: math.comb(each - 1, ships - 1) / ways for each in moves})
    if (found := played.get(reading.key)) is None:
        return None
    if found.mean:
        return Law(float(Fraction(found.mean)))
    counts = enumerate(found.counts, found.first)
    layouts = float(option_of(reading.layouts, "-n") or math.inf)
    games = 1 / (1 / found.games + 1 / layouts)
    return Law.of({moves: each / found.games for moves, each in counts if each}, games)


class Compared(Record, frozen=True):
    """A published figure beside what bsbench has for a reading of its rules.

    Attributes
    ----------
    reading
        Name of the reading.
    ours
        The same figure of ours.
    difference
        Theirs less ours.
    half_width, their_half_width
        Half the widths of the 95 % intervals of our mean and of theirs, by our deviation; 0 where
        there is none.
    low, high
        Figures that agree with this reading are between them; null where others decide.
    agrees
        Whether the figure agrees.
    remark
        What else there is to say.
    """

    reading: str
    ours: float
    difference: float
    half_width: float = 0.0
    their_half_width: float = 0.0
    low: float | None = None
    high: float | None = None
    agrees: bool = False
    remark: str = ""


class Verdict(Record, frozen=True):
    """What the rule says of a figure.

    Attributes
    ----------
    word
        The verdict.
    detail
        In which readings, or by how much.
    nearest
        The reading that decides; null if none has been played.
    compared
        All readings that have been played.
    """

    word: str
    detail: str = ""
    nearest: Compared | None = None
    compared: list[Compared] = []  # noqa: RUF012


def half_digit(text: str) -> float:
    """Return half a unit of the last digit of a figure."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


def compare(kind: Kind, text: str, games: int | str, name: str, law: Law) -> Compared:
    """Return a published figure beside the law of a reading.

    Parameters
    ----------
    kind, text : str
        Which figure it is, and the figure.
    games : int or str
        Games that it is of; or ``exact``, or ``not stated``.
    name : str
        Of the reading.
    law : Law
    """
    value, number = float(text), games if isinstance(games, int) else math.inf
    if kind == "winners":
        ours = law.winners_mean()
        return Compared(name, ours, value - ours, remark=f"alone it needs {law.mean:.1f}")
    if kind == "mean":
        width = half_digit(text) + ERRORS * law.error(number) + 1e-9
        if games == "not stated" and abs(value - law.mean) > width:
            width = half_digit(text) + ERRORS * law.error(USUAL) + 1e-9
        low, high = law.mean - width, law.mean + width
        ours, theirs = NORMAL_95 * law.error(), NORMAL_95 * law.deviation / math.sqrt(number)
        agrees = low <= value <= high
        return Compared(name, law.mean, value - law.mean, ours, theirs, low, high, agrees)
    number = USUAL if games == "not stated" else number
    if kind == "median":
        width = ERRORS / 2 * math.sqrt(1 / number + 1 / law.games)
        ours = law.last(0.5, -1)
        # The mean of the two middle games may end in .5.
        low, high = law.last(0.5 - width, -1) - 0.5, law.last(0.5 + width, -1) + 0.5
        return Compared(name, ours, value - ours, 0, 0, low, high, low <= value <= high)
    sign = 1 if kind == "max" else -1
    # With c of our n games beyond it, the chance that none of c is theirs is (1 + N/n)^-c.
    known = not math.isinf(law.games)
    weight = law.games * math.log1p(number / law.games) if known else number
    farther = weight * law.beyond(value + sign, sign)
    agrees = farther < SURELY and number * law.reach(value, sign) > HARDLY
    # As likely as not to be reached.
    ours = law.last(math.log(2) / number, sign)
    remark = f"of {number:,} games, {farther:.2g} are to be expected beyond it"
    return Compared(name, ours, value - ours, agrees=agrees, remark=remark)


def judge(claim: Claim, laws: Mapping[str, Law]) -> Verdict:
    """Return the verdict on a claim.

    Parameters
    ----------
    claim : Claim
    laws : mapping of str to Law
        By the names of readings; those that have not been played are missing.
    """
    kind, text, value = claim.kind, claim.text, float(claim.text)
    if OVER in claim.readings:
        return Verdict(Word.IMPOSSIBLE, "the board has fewer cells")
    if BOUND in claim.readings and value < LEAST_MEAN:
        return Verdict(
            Word.IMPOSSIBLE, f"no strategy has a mean below {LEAST_MEAN} on uniform layouts"
        )
    names = [name.removeprefix("=") for name in claim.readings if name != BOUND]
    known = {name: laws[name] for name in names if name in laws}
    if names[0] not in known or not (kind == "mean" or all(law.shares for law in known.values())):
        return Verdict(Word.UNPLAYED, names[0])
    compared = [compare(kind, text, claim.games, name, law) for name, law in known.items()]
    nearest = min(compared, key=lambda each: abs(each.difference))
    if claim.readings[0].startswith("="):
        best = min(compared, key=lambda each: each.ours)
        lucky = best.difference < 0 and best.agrees and claim.games != "not stated"
        detail = f"{best.difference:+.2f} to {best.reading}{', within chance' if lucky else ''}"
        return Verdict(Word.ELSEWHERE, detail, best, compared)
    if kind == "winners":
        return Verdict(Word.WINNERS, _ours(compared), nearest, compared)
    if agreeing := [each for each in compared if each.agrees]:
        nearest = min(agreeing, key=lambda each: abs(each.difference))
        if kind == "mean" and (width := _width(nearest)) > LITTLE:
            return Verdict(Word.LITTLE, f"±{width:.1f}; {_ours(agreeing)}", nearest, compared)
        word = Word.AGREES if agreeing[0].reading == names[0] else Word.OTHER
        return Verdict(word, _ours(agreeing), nearest, compared)
    if kind == "mean" and "." not in text:
        ends = [(each, value + 0.5 + _width(each)) for each in compared]
        if cut := [each for each, end in ends if value <= each.ours + 1e-9 < end]:
            return Verdict(Word.CUT, _ours(cut), cut[0], compared)
    if kind == "mean" and claim.games == "not stated":
        most = _most_games(nearest.difference, half_digit(text), laws[nearest.reading])
        if most >= FEWEST:
            detail = f"fewer than {most:,.0f}; {_ours([nearest])}"
            return Verdict(Word.FEW, detail, nearest, compared)
    ours = [each.ours for each in compared]
    if kind in ("mean", "median") and claim.not_stated and min(ours) < value < max(ours):
        return Verdict(Word.BETWEEN, f"{min(ours):.2f} and {max(ours):.2f}", nearest, compared)
    detail = f"by {nearest.difference:+.4g}; {_ours([nearest])}"
    return Verdict(Word.DIFFERS, detail, nearest, compared)


def _most_games(difference: float, rounding: float, law: Law) -> float:
    """Return of how many games at most a mean may be that is so far from ours by chance."""
    excess = (abs(difference) - rounding) ** 2 - (ERRORS * law.error()) ** 2
    return (ERRORS * law.deviation) ** 2 / excess


def _width(one: Compared) -> float:
    """Return half the width of the range of means that agree."""
    return ((one.high or 0.0) - (one.low or 0.0)) / 2


def _ours(compared: Sequence[Compared]) -> str:
    """Return readings with our figures."""
    return ", ".join(f"{each.reading} {each.ours:.2f}" for each in compared)
