"""Conditions on which a comparison fails, such as ``mean > +0.5``, for use in scripts.

A condition is a statistic, one of ``>``, ``>=``, ``<`` and ``<=``, and a bound. With a sign, the
bound is one of the difference to the reference: ``mean > +0.5`` holds for a strategy that
needs over half a move more than the reference on average. Without a sign it is
one of the value itself: ``worst >= 90``. With ``%`` it is a share of the reference's value:
``mean > +2%``, or, which is the same, ``mean > 102%``.

What is compared with the bound is the figure in the table, not an end of its interval: a
condition may hold or fail because of randomness alone, above all after few games.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from bsbench.common.errors import BsbenchError
from bsbench.runs.comparison import Comparison

STATISTICS = {
    "mean": "mean",
    "sd": "standard deviation",
    "median": "median",
    "low": "5 % quantile",
    "high": "95 % quantile",
    "best": "best game",
    "worst": "worst game",
}
"""What a condition may be about, by its name among those of `bsbench.stats.Summary`."""

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_PATTERN = re.compile(r"\s*(\w+)\s*([<>]=?)\s*([+-]?)\s*(\d+(?:\.\d*)?|\.\d+)\s*(%?)\s*", re.ASCII)


@dataclass(frozen=True)
class Condition:
    """A condition on which a comparison fails.

    Attributes
    ----------
    text : str
        As it was written.
    statistic : str
        A name of `STATISTICS`.
    sign : str
        Of the comparison: ``>``, ``>=``, ``<`` or ``<=``.
    bound : float
        In moves, or in percent of the reference's value.
    of_difference : bool
        Whether it bounds the difference to the reference, not the value.
    in_percent : bool
    """

    text: str
    statistic: str
    sign: str
    bound: float
    of_difference: bool
    in_percent: bool

    @classmethod
    def read(cls, text: str) -> Condition:
        """Return the condition that is written.

        Raises
        ------
        BsbenchError
            If it is unreadable, or about no known statistic.

        Examples
        --------
        >>> Condition.read("mean > +0.5").bound
        0.5
        """
        match = _PATTERN.fullmatch(text)
        if match is None:
            raise BsbenchError(
                f"unreadable condition {text!r}: write a statistic, a comparison and a bound, such "
                "as 'mean > +0.5' (the difference to the reference), 'mean > +2%' or 'worst >= 90'"
            )
        statistic, sign, plus_or_minus, digits, percent = match.groups()
        if statistic not in STATISTICS:
            raise BsbenchError(
                f"the condition {text!r} is about {statistic!r}: choose one of "
                f"{', '.join(STATISTICS)}"
            )
        bound = -float(digits) if plus_or_minus == "-" else float(digits)
        return cls(text.strip(), statistic, sign, bound, bool(plus_or_minus), bool(percent))

    def failures(self, comparison: Comparison) -> list[str]:
        """Return a sentence for each strategy that the condition holds for.

        A condition that refers to the reference is checked for the others only.
        """
        (reference,) = (row for row in comparison.rows if row["label"] == row["reference"])
        base = reference[self.statistic]
        bound = self.bound * base / 100 if self.in_percent else self.bound
        sentences = []
        for row in comparison.rows:
            if row is reference and (self.of_difference or self.in_percent):
                continue
            value = row[self.statistic]
            # Games that only one of both has played are no part of a paired difference.
            gap = row["difference"] if self.statistic == "mean" else value - base
            if not _OPERATORS[self.sign](gap if self.of_difference else value, bound):
                continue
            name = STATISTICS[self.statistic]
            sentence = f"{row['label']} fails {self.text!r}: its {name} is {value:.6g}"
            if row is not reference:
                more_or_less = "less" if gap < 0 else "more"
                sentence += f", {abs(gap):.4g} {more_or_less} than that of {row['reference']}"
                if self.statistic == "mean" and not comparison.exact:
                    doubt = "" if row["significant"] else ", not significant"
                    sentence += f" (± {row['difference_half_width']:.2g}{doubt})"
            sentences.append(sentence)
        return sentences
