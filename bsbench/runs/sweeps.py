"""Sweeps: a strategy with many values of its parameters, all on the same games.

The values of a parameter are written ``NAME=LIST``. An item of the list is a value, or, for a
parameter that is a number, ``START:STOP:STEP``: every value from START in steps of STEP, STOP
included where a step meets it. Steps are decimal and exact: ``0:0.3:0.1`` ends with 0.3.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException, Inexact, localcontext
from typing import TYPE_CHECKING, Any

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import suggestion
from bsbench.common.texts import short, shortened
from bsbench.roster import as_strategy
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result
from bsbench.strategies import Strategy

if TYPE_CHECKING:
    import pandas as pd

MOST_POINTS = 500
"""Points of a sweep at most: a table or chart of more could not be read."""

_FEWEST_POINTS = 3
"""Of a strategy among results, from which on they are taken for a sweep."""

_LARGEST_EXPONENT = 400
"""Of a number in a range: more than any float or whole number of a parameter has."""

_DIGITS = 4 * _LARGEST_EXPONENT
"""With which ranges are computed; what does not fit is refused, so that all values are exact."""


@dataclass(frozen=True)
class Sweep:
    """The strategies that a sweep plays.

    Attributes
    ----------
    strategies : tuple of Strategy
        All different. For each strategy named, the points of its grid, the first parameter
        slowest.
    reference : str
        The label that the others are compared with: the first strategy as named, if that is on its
        grid; else the first point.
    """

    strategies: tuple[Strategy, ...]
    reference: str


def read_sweep(texts: Iterable[str], strategies: Iterable[str | Strategy | type]) -> Sweep:
    """Return the points of a sweep.

    Parameters
    ----------
    texts : iterable of str
        Values by parameter, such as ``noise=0,0.01`` or ``noise=0:0.1:0.02``: see the top of this
        module. Several parameters make a grid.
    strategies : iterable of str, Strategy or type
        One or more; as text, parameters follow after commas. A strategy plays all values of
        those parameters that it has. One that has none of them plays as it is.

    Raises
    ------
    BsbenchError
        If a text is unreadable, no strategy has one of the parameters, a value is of the wrong
        kind or out of range, there are more than `MOST_POINTS` points, or only one for every
        strategy.

    Examples
    --------
    >>> sweep = read_sweep(["noise=0,0.01"], ["over9000"])
    >>> [strategy.label for strategy in sweep.strategies]
    ['over9000 noise=0.0', 'over9000 noise=0.01']
    """
    named = [as_strategy(each) for each in strategies]
    lists = _read_lists(texts)
    known = dict.fromkeys(name for strategy in named for name in strategy.declared())
    for name in lists:
        if name not in known:
            labels = ", ".join(strategy.label for strategy in named)
            hint = suggestion(name, known, "known are") if known else "name others"
            raise BsbenchError(f"none of the strategies {labels} has a parameter {name!r}: {hint}")
    points: dict[str, Strategy] = {}
    for strategy in named:
        points |= {point.label: point for point in _points(strategy, lists)}
        _check_number(len(points))
    if points.keys() == {strategy.label for strategy in named}:
        raise BsbenchError(
            f"the sweep changes nothing: {', '.join(points)} has these values already; give others"
        )
    first = named[0].label
    return Sweep(tuple(points.values()), first if first in points else next(iter(points)))


def _read_lists(texts: Iterable[str]) -> dict[str, str]:
    """Return the lists of values as they are written, by parameter."""
    lists: dict[str, str] = {}
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not (name and equals and all(item.strip() for item in values.split(","))):
            raise BsbenchError(
                f"unreadable sweep {shortened(text)}: write NAME=VALUE,VALUE,… or "
                "NAME=START:STOP:STEP, such as noise=0,0.01 or noise=0:0.1:0.02"
            )
        if name in lists:
            raise BsbenchError(
                f"the parameter {name!r} is swept twice: put all its values in one list, such as "
                f"{name}=0:1:0.1,2"
            )
        lists[name] = values
    return lists


def _points(strategy: Strategy, lists: dict[str, str]) -> list[Strategy]:
    """Return a strategy at all points of the grid of those parameters that it has."""
    declared = strategy.declared()
    swept = {
        name: values_of(name, text, type(declared[name].default) in (int, float))
        for name, text in lists.items()
        if name in declared
    }
    _check_number(math.prod(map(len, swept.values())))
    return [
        type(strategy).configured(strategy.parameters | dict(zip(swept, values, strict=True)))
        for values in itertools.product(*swept.values())
    ]


def _check_number(points: int, most: int = MOST_POINTS, what: str = "the sweep") -> None:
    if points > most:
        raise BsbenchError(
            f"{what} has {short(f'{points:,}')} points, and may have {most:,}: give fewer "
            "values, or larger steps"
        )


def values_of(
    name: str, text: str, is_number: bool, most: int = MOST_POINTS, what: str = "the sweep"
) -> list[str]:
    """Return the values of a list, ranges written out, as texts that parameters read.

    Parameters
    ----------
    name : str
        The parameter.
    text : str
        The list: see the top of this module.
    is_number : bool
        Whether the parameter is one, and the list may have ranges.
    most : int
        Values of a range at most.
    what : str
        What has them, for the message.

    Raises
    ------
    BsbenchError
        If a range is unreadable, or has too many values.
    """
    values = []
    for item in text.split(","):
        if is_number and ":" in item:
            values += _steps(name, item.strip(), most, what)
        else:
            values.append(item.strip())
    return values


def _steps(name: str, text: str, most: int, what: str) -> list[str]:
    """Return the values of ``START:STOP:STEP``."""
    problem = BsbenchError(
        f"unreadable range {shortened(text)} of {name!r}: write START:STOP:STEP, such as "
        "0:0.1:0.02, with a step that leads from START to STOP"
    )
    try:
        start, stop, step = map(Decimal, text.split(":"))
        if not all(
            each.is_finite() and abs(each.adjusted()) <= _LARGEST_EXPONENT
            for each in (start, stop, step)
        ):
            raise problem
        with localcontext(prec=_DIGITS) as context:
            context.traps[Inexact] = True
            if not step or (stop - start) * step < 0:
                raise problem
            last = int((stop - start) // step)
            _check_number(last + 1, most, what)
            return [format(start + number * step, "f") for number in range(last + 1)]
    except (ValueError, DecimalException):
        raise problem from None


def swept_parameters(variants: Iterable[Result | Strategy]) -> tuple[str, ...]:
    """Return the names of the parameters in which variants of one strategy differ."""
    seen: dict[tuple[str, str], set[Any]] = {}
    for variant in variants:
        strategy = variant.strategy if isinstance(variant, Result) else variant.name
        for name, value in variant.parameters.items():
            seen.setdefault((strategy, name), set()).add(value)
    return tuple(dict.fromkeys(name for (_, name), values in seen.items() if len(values) > 1))


def is_sweep(results: Sequence[Result]) -> bool:
    """Return whether results look like a sweep: of one seed, and several of one strategy."""
    labels = {result.label for result in results}
    most = max(Counter(result.strategy for result in results).values())
    seeds = {result.seed for result in results}
    return most >= _FEWEST_POINTS and len(labels) == len(results) and len(seeds) == 1


def default_of(results: Sequence[Result]) -> str:
    """Return the label that others are compared with: that with the fewest parameters set.

    It is of the strategy with the most results.
    """
    points = Counter(result.strategy for result in results)
    return min(results, key=lambda each: (-points[each.strategy], each.label.count("="))).label


def sweep_frame(comparison: Comparison) -> pd.DataFrame:
    """Return a tidy row for each point of a sweep.

    Parameters
    ----------
    comparison : Comparison
        Of the strategies of a sweep, or of any others.

    Returns
    -------
    DataFrame
        The columns ``strategy`` and ``label``; one for each parameter in which results of one
        strategy differ, with values of its own type, missing where a strategy does not have it;
        ``scenario``; ``seed``, missing for several together; ``games``; ``mean`` and its
        ``half_width``; ``reference``, a label;
        ``difference`` and ``difference_half_width`` to the reference, and ``paired``, whether
        these are of the same games; and ``best``, whether no mean is lower. The best of many
        points is partly best by luck: play it again under another seed to know its mean. A
        parameter that has the name of another column begins with ``parameter_``.
    """
    import pandas as pd

    results = comparison.results
    lowest = min(result.stats.mean for result in results)
    columns: dict[str, Any] = {
        "strategy": [result.strategy for result in results],
        "label": [result.label for result in results],
    }
    others = {
        "scenario": [result.scenario.name for result in results],
        "seed": comparison.seed,
        "games": [result.games for result in results],
        "mean": [result.stats.mean for result in results],
        "half_width": [result.stats.half_width for result in results],
        "reference": comparison.reference,
        "difference": [difference.mean for difference in comparison.differences],
        "difference_half_width": [each.half_width for each in comparison.differences],
        "paired": comparison.paired,
        "best": [result.stats.mean == lowest for result in results],
    }
    for name in swept_parameters(results):
        taken = name in columns or name in others
        columns[f"parameter_{name}" if taken else name] = _typed(
            [result.parameters.get(name) for result in results]
        )
    return pd.DataFrame(columns | others)


def _typed(values: list[Any]) -> Any:
    """Return a column of values of one type, some of which may be missing, None."""
    import pandas as pd

    kinds = {type(value) for value in values} - {type(None)}
    # Only these have types of their own in pandas where some are missing.
    if None in values and kinds == {bool}:
        return pd.array(values, dtype="boolean")
    if None in values and kinds == {int}:
        return pd.array(values, dtype="Int64")
    return values
