"""The rule of verdicts: whether a published figure agrees with what bsbench measures.

Ours has mean m and deviation s from n games; theirs is v from N games, rounded to its last digit,
of which r is a half. They agree under a reading where |v - m| <= r + 3 sqrt(s²/n + s²/N); where the
layouts are from a file of M, s²/M is added. So a true figure is refused in 0.3 % of cases at most.

Medians: v lies between our quantiles at 1/2 -+ 1.5 sqrt(1/n + 1/N). Best and worst games: the
number of games beyond v that are to be expected of N is not so large that one would have come, and
that at v or beyond not so small that none would have. Where N is not stated, a mean says how many
games at most chance explains; of medians, best and worst games, N is taken as 1,000.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from bsbench.studies.survey.claims import BOUND, CELLS, Claim, Kind, Played, Reading

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
"""Where fewer games than the first are beyond a move count, their share follows from those before:
by the factor for each move, of so many."""

LEAST_MEAN = 39.314
"""Moves: no strategy has a lower mean on ``classic`` (docs/lower-bound.md)."""


class Word(StrEnum):
    """A verdict."""

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
    games, layouts : float
        Games that they are of, and layouts in the file of these games; infinite if exact, or if
        each game has a layout of its own.
    shares : mapping of int to float
        Shares of the games by their moves, ascending; empty where only the mean is known.
    """

    mean: float
    deviation: float = 0.0
    games: float = math.inf
    layouts: float = math.inf
    shares: Mapping[int, float] = field(default_factory=dict)

    @classmethod
    def of_shares(
        cls, shares: Mapping[int, float], games: float = math.inf, layouts: float = math.inf
    ) -> Law:
        """Return the law of move counts that have these shares, ascending."""
        mean = sum(moves * share for moves, share in shares.items())
        variance = sum((moves - mean) ** 2 * share for moves, share in shares.items())
        return cls(mean, math.sqrt(variance), games, layouts, shares)

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.deviation * math.sqrt(1 / self.games + 1 / self.layouts)

    def quantile(self, share: float) -> int:
        """Return the fewest moves that a share of the games does not exceed."""
        total, moves = 0.0, 0
        for moves, each in self.shares.items():
            total += each
            if total >= share - 1e-12:
                break
        return moves

    def beyond(self, value: float, worst: bool) -> float:
        """Return the share of games with at least so many moves, or with at most so many."""
        return sum(
            share
            for moves, share in self.shares.items()
            if (moves >= value if worst else moves <= value)
        )

    def reach(self, value: float, worst: bool) -> float:
        """Return at most how large the share `beyond` may be.

        Where we have hardly any such game, it follows from the games before, which fall off from
        move to move at least as fast as there, if the law has no second peak.
        """
        share = self.beyond(value, worst)
        if share * self.games >= FEW_GAMES or math.isinf(self.games):
            return share
        sign = 1 if worst else -1
        last = max(
            (moves for moves in self.shares if self.beyond(moves, worst) * self.games >= FEW_GAMES),
            key=lambda moves: sign * moves,
            default=None,
        )
        if last is None:
            return 1.0
        there = self.beyond(last, worst)
        factor = there / self.beyond(last - sign * STEP, worst)
        return max(share, there * factor ** (abs(value - last) / STEP))

    def winners_mean(self) -> float:
        """Return the mean moves of the winner, where two such players play against each other."""
        left, mean = 1.0, 0.0
        for moves, share in self.shares.items():
            mean += moves * (left**2 - (left - share) ** 2)
            left -= share
        return mean


def law_of(reading: Reading, played: Mapping[str, Played]) -> Law | None:
    """Return the law of a reading; None if it has not been played."""
    if reading.exact:
        ships, cells = map(int, reading.exact.split(" of "))
        ways = math.comb(cells, ships)
        return Law.of_shares(
            {moves: math.comb(moves - 1, ships - 1) / ways for moves in range(ships, cells + 1)}
        )
    if (found := played.get(reading.key)) is None:
        return None
    if found.mean:
        return Law(float(Fraction(found.mean)))
    shares = {
        moves: count / found.games for moves, count in enumerate(found.counts, found.first) if count
    }
    return Law.of_shares(shares, found.games, found.layouts or math.inf)


@dataclass(frozen=True)
class Compared:
    """A published figure beside what bsbench has for a reading.

    Attributes
    ----------
    reading : str
        Its name.
    law : Law
    ours : float
        The same figure of ours.
    difference : float
        Theirs less ours.
    low, high : float
        Published figures that agree with this reading lie between; NaN where `remark` says it.
    agrees : bool
    most : float
        Of a mean whose games are not stated: how many games chance explains at most.
    remark : str
    """

    reading: str
    law: Law
    ours: float
    difference: float
    low: float = math.nan
    high: float = math.nan
    agrees: bool = False
    most: float = math.inf
    remark: str = ""


@dataclass(frozen=True)
class Verdict:
    """What the rule says of a claim.

    Attributes
    ----------
    word : Word
    detail : str
        What else there is to say: in which reading, by how much.
    nearest : Compared or None
        The reading that decides: of those that agree, or of all, the nearest one.
    compared : sequence of Compared
        All readings that have been played, in the order of the claim.
    """

    word: Word
    detail: str = ""
    nearest: Compared | None = None
    compared: Sequence[Compared] = ()


def half_digit(text: str) -> float:
    """Return half a unit of the last digit of a figure."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


def compare(kind: Kind, text: str, games: int | str, name: str, law: Law) -> Compared:
    """Return a published figure beside a law.

    Parameters
    ----------
    kind : str
        Which figure it is.
    text : str
        The figure.
    games : int or str
        Games that it is of; or ``exact``, or ``not stated``.
    name : str
        Of the reading.
    law : Law
    """
    value, rounding = float(text), half_digit(text)
    number = games if isinstance(games, int) else math.inf
    if kind == "mean":
        return _compare_means(value, rounding, games, name, law)
    if kind == "winners":
        mean = law.winners_mean()
        return Compared(name, law, mean, value - mean, remark=f"alone it needs {law.mean:.1f}")
    if games == "not stated":
        number = USUAL
    if kind == "median":
        width = ERRORS / 2 * math.sqrt(1 / number + 1 / law.games + 1 / law.layouts)
        # The mean of the two middle games ends in .5, or is printed with .0.
        half = rounding if "." not in text else 0.5
        low = law.quantile(max(0.0, 0.5 - width)) - half
        high = law.quantile(min(1.0, 0.5 + width)) + half
        median = law.quantile(0.5)
        return Compared(name, law, median, value - median, low, high, low <= value <= high)
    worst = kind == "max"
    sign = 1 if worst else -1
    farther = number * law.beyond(value + sign, worst)
    so_far = number * law.reach(value, worst)
    seen = [moves for moves in law.shares if number * law.beyond(moves, worst) > math.log(2)]
    extreme = (max if worst else min)(seen, default=law.quantile(0.5))
    remark = f"of {number:,} games, {farther:.3g} are to be expected beyond it"
    agrees = farther < SURELY and so_far > HARDLY
    return Compared(name, law, extreme, value - extreme, agrees=agrees, remark=remark)


def _compare_means(
    value: float, rounding: float, games: int | str, name: str, law: Law
) -> Compared:
    """Return a published mean beside ours."""
    number = games if isinstance(games, int) else math.inf
    difference, most = value - law.mean, math.inf
    width = rounding + ERRORS * math.hypot(law.error, law.deviation / math.sqrt(number)) + 1e-9
    if games == "not stated" and abs(difference) > width:
        # Solved for N.
        excess = (abs(difference) - rounding) ** 2 - (ERRORS * law.error) ** 2
        most = (ERRORS * law.deviation) ** 2 / excess
        width = rounding + ERRORS * math.hypot(law.error, law.deviation / math.sqrt(USUAL)) + 1e-9
    agrees = abs(difference) <= width
    low, high = law.mean - width, law.mean + width
    return Compared(name, law, law.mean, difference, low, high, agrees, most)


def judge(claim: Claim, laws: Mapping[str, Law]) -> Verdict:
    """Return the verdict on a claim.

    Parameters
    ----------
    claim : Claim
    laws : mapping of str to Law
        By the names of readings; those that have not been played are missing.
    """
    if claim.only_compared:
        return _judge_from_afar(claim, laws)
    kind, text = claim.kind, claim.text
    if claim.readings[0] not in laws:
        return Verdict(Word.UNPLAYED, claim.readings[0])
    compared = [
        compare(kind, text, claim.games, name, laws[name])
        for name in claim.readings
        if name in laws
    ]
    if kind == "winners":
        return Verdict(Word.WINNERS, _with_ours(compared[:1]), compared[0], compared)
    if agreeing := [each for each in compared if each.agrees]:
        nearest = min(agreeing, key=lambda each: abs(each.difference))
        word = Word.AGREES if compared[0].agrees else Word.OTHER
        if kind == "mean" and (width := (nearest.high - nearest.low) / 2) > LITTLE:
            detail = f"±{width:.1f} of {claim.games} games; {_with_ours(agreeing)}"
            return Verdict(Word.LITTLE, detail, nearest, compared)
        return Verdict(word, _with_ours(agreeing), nearest, compared)
    nearest = min(compared, key=lambda each: abs(each.difference))
    value = float(text)
    if kind == "mean" and "." not in text:
        cut = [
            each
            for each in compared
            if -1e-9 <= each.ours - value < 0.5 + (each.high - each.low) / 2
        ]
        if cut:
            return Verdict(Word.CUT, _with_ours(cut), nearest, compared)
    if FEWEST <= nearest.most < math.inf:
        detail = f"fewer than {nearest.most:,.0f}; {_with_ours([nearest])}"
        return Verdict(Word.FEW, detail, nearest, compared)
    ours = [each.ours for each in compared]
    if kind in ("mean", "median") and claim.not_stated and min(ours) < value < max(ours):
        detail = f"{min(ours):.2f} and {max(ours):.2f}"
        return Verdict(Word.BETWEEN, detail, nearest, compared)
    detail = f"by {nearest.difference:+.4g}; {_with_ours([nearest])}"
    return Verdict(Word.DIFFERS, detail, nearest, compared)


def _judge_from_afar(claim: Claim, laws: Mapping[str, Law]) -> Verdict:
    """Return the verdict on a claim whose player is not here."""
    value = float(claim.text)
    if CELLS in claim.readings:
        return Verdict(Word.IMPOSSIBLE, "no game has so many moves")
    if BOUND in claim.readings and value < LEAST_MEAN:
        return Verdict(Word.IMPOSSIBLE, f"no strategy has a mean below {LEAST_MEAN}")
    known = [(name[1:], laws[name[1:]]) for name in claim.readings if name[1:] in laws]
    compared = [Compared(name, law, law.mean, value - law.mean) for name, law in known]
    if not compared:
        return Verdict(Word.UNPLAYED, claim.readings[0])
    best = min(compared, key=lambda each: each.ours)
    detail = (
        f"{abs(best.difference):.2f} {'below' if best.difference < 0 else 'above'} {best.reading}"
    )
    if best.difference < 0 and isinstance(claim.games, int):
        chance = ERRORS * best.law.deviation / math.sqrt(claim.games)
        detail += ", within chance" if -best.difference < chance else ""
    return Verdict(Word.ELSEWHERE, detail, best, compared)


def _with_ours(compared: Iterable[Compared]) -> str:
    """Return readings with our figures."""
    return ", ".join(f"{each.reading} {each.ours:.2f}" for each in compared)
