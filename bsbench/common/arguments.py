"""Arguments of public functions, checked where they come in, by the function's annotations."""

from __future__ import annotations

import ast
import inspect
import numbers
import operator
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from fractions import Fraction
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from bsbench.common.errors import BsbenchError, option
from bsbench.common.texts import shortened

_P = ParamSpec("_P")
_R = TypeVar("_R")


def plain(value: Any) -> Any:
    """Return a scalar of numpy, or an array without axes, as a plain value; others as they are."""
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number, of Python or numpy: true is none."""
    # Before numpy 2, its true and false could be used as 1 and 0.
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if isinstance(value, bool) or kind == "b":
        return False
    try:
        operator.index(value)
    except TypeError:
        # That of an array, too.
        return False
    return True


def is_number(value: Any) -> bool:
    """Return whether a value is a real number that a float holds, or infinite; true is none."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def _is_list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    # Those of an iterator can't be looked at before they are used.
    return lambda value: _is_list(value) and (isinstance(value, Iterator) or all(map(fits, value)))


def _is_two(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, tuple | list) and len(value) == 2 and all(map(fits, value))
    )


def _as_array(value: Any) -> Any:
    """Return a list, or lists in a list, as an array; other values as they are."""
    import numpy as np

    if not isinstance(value, list | tuple):
        return value
    try:
        return np.array(value)
    except ValueError:
        # Lists of several lengths.
        return value


def _is_array(value: Any) -> bool:
    return getattr(getattr(_as_array(value), "dtype", None), "kind", "") in ("b", "i", "u", "f")


def _is_counts(value: Any) -> bool:
    array = _as_array(value)
    return _is_array(array) and array.dtype.kind in "iu" and int(array.min(initial=0)) >= 0


def _of_class(name: str) -> Callable[[Any], bool]:
    """Return what tells whether a value is of a class, which need not be imported for that."""
    return lambda value: any(each.__name__ == name for each in type(value).__mro__)


_MOST_BITS = 1_024
"""Of any number here: those of the largest seed."""

_KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "None": ("", lambda value: value is None),
    "bool": ("True or False", lambda value: isinstance(value, bool)),
    "int": (
        "a whole number",
        lambda value: is_whole(value) and int(value).bit_length() <= _MOST_BITS,
    ),
    "float": ("a number", is_number),
    "str": ("a text", lambda value: isinstance(value, str)),
    "Path": ("a path", lambda value: isinstance(value, os.PathLike)),
    "Callable": ("a function", callable),
    "Watch": ("a function", callable),
    "tuple": ("a list", _is_list),
    "Sequence": ("a list", _is_list),
    "Iterable": ("a list", _is_list),
    "Iterable[float]": ("a list of numbers", _is_list_of(is_number)),
    "Iterable[int]": ("a list of whole numbers", _is_list_of(is_whole)),
    "Mapping": ("a table", lambda value: isinstance(value, Mapping)),
    "Iterable[str]": ("a list of texts", _is_list_of(lambda value: isinstance(value, str))),
    "tuple[float, float]": ("two numbers", _is_two(is_number)),
    "tuple[Counts, Counts]": ("two arrays of whole numbers, none below 0", _is_two(_is_counts)),
    "npt.NDArray": ("an array of numbers", _is_array),
    "Counts": ("an array of whole numbers, none below 0", _is_counts),
    **{
        name: (f"a {name}", _of_class(name))
        for name in ("Answers", "Feedback", "Journal", "Learning", "Limits", "Placement", "Rules")
    },
}
"""By the head of an annotation: how a value is called, and what tells whether one is of it."""


def _head(annotation: ast.expr) -> str:
    """Return the name in an annotation, if it is not known as a whole."""
    whole = ast.unparse(annotation)
    return whole if whole in _KINDS else whole.partition("[")[0]


def _check_of(name: str, annotation: str) -> Callable[[Any], Any]:
    """Return what makes a plain value of an argument, and refuses one of no kind that is named."""
    node, heads = ast.parse(annotation, mode="eval").body, list[str]()
    while isinstance(node, ast.BinOp):
        heads.insert(0, _head(node.right))
        node = node.left
    heads.insert(0, _head(node))
    if not all(head in _KINDS for head in heads):
        # Who reads it refuses what it is not, such as a strategy.
        return plain
    called = " or ".join(filter(None, (_KINDS[head][0] for head in heads)))
    fits = [_KINDS[head][1] for head in heads]

    def check(value: Any) -> Any:
        value = plain(value)
        if isinstance(value, Fraction) and is_number in fits:
            value = float(value)
        if isinstance(value, IntEnum) and "int" in heads:
            # It would be written as its word.
            value = int(value)
        if not any(fit(value) for fit in fits):
            raise BsbenchError(f"{option(name)} is {called}, not {shortened(value)}")
        return _as_array(value) if _is_array in fits or _is_counts in fits else value

    return check


def checked(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Refuse arguments that are not what a function's annotations say, in a sentence.

    Scalars of numpy, and arrays without axes, become plain values. An annotation with a name that
    is not among `_KINDS` says nothing.
    """
    checks = {
        name: _check_of(name, each.annotation) if each.annotation is not each.empty else plain
        for name, each in inspect.signature(function).parameters.items()
    }

    @wraps(function)
    def call(*args: _P.args, **keywords: _P.kwargs) -> _R:
        placed = zip(args, [*checks.values(), *[plain] * len(args)], strict=False)
        named = {name: checks.get(name, plain)(value) for name, value in keywords.items()}
        return function(*(check(value) for value, check in placed), **named)

    return call


def check_one_length(least: int = 1, **lists: Any) -> None:
    """Refuse lists of different lengths, where they belong together, and those that are too short.

    Parameters
    ----------
    least : int
        How long they are at least.
    **lists
        By the names of the arguments.

    Raises
    ------
    BsbenchError
        If they are.
    """
    lengths = {name: len(each) for name, each in lists.items()}
    if len({*lengths.values()}) > 1 or min(lengths.values()) < least:
        named = " and ".join(map(option, lengths))
        found = " and ".join(map(str, lengths.values()))
        raise BsbenchError(f"{named} have one length, {least} or more, not {found}")


def check_between(name: str, value: float | None, least: float, most: float) -> None:
    """Refuse a number out of a range, whose ends belong to it; not None and NaN.

    Raises
    ------
    BsbenchError
        If it is.
    """
    if value is not None and (value < least or value > most):
        raise BsbenchError(f"{option(name)} is from {least:g} to {most:g}, not {shortened(value)}")
