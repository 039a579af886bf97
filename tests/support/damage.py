"""Content of files with one thing wrong each, made from the type that says what a file holds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from bsbench.common.record import Record, choices, fields_of, whole
from tests.support.refusals import refused

_SAMPLES = {
    "null": None,
    "truth": True,
    "whole number": 7,
    "number": 2.0,
    "text": "7",
    "list": [],
    "table": {},
}
"""A value of each kind that JSON has: 2.0 is no whole number, and "7" none at all."""

_KINDS = {
    NoneType: ["null"],
    bool: ["truth"],
    int: ["whole number"],
    float: ["whole number", "number"],
    str: ["text"],
    list: ["list"],
    tuple: ["list"],
    dict: ["table"],
    Any: [*_SAMPLES],
    # Of these, no sample is the right one.
    Literal: [],
}
"""The samples that a type takes, but for its limits."""

_TEXTS = ["", "x", "0.1.0", "5x5", "2026-01-01 00:00:00+00:00", *("0" * n for n in (16, 32, 64))]
_TEXTS += ["5.5", "https://example.org"]
"""Texts, of which each limit of a text allows one."""

Damage = tuple[str, str, Any]
"""The key to be named, what is wrong with it, and the content."""


def example(kind: Any) -> Any:
    """Return a value of a type, with all its keys: right by itself, whatever is beside it."""
    kind, metas = _apart(choices(kind)[0])
    inside = [each for each in get_args(kind) if each is not Ellipsis]
    if _is_record(kind):
        return {each.encode_name: example(each.type) for each in fields_of(kind)}
    match _base(kind).__name__:
        case "Literal":
            return inside[0]
        case "bool":
            return True
        case "int" | "float":
            return next(kind(each) for each in (0, 1, 2, 5) if not _broken(each, metas))
        case "str":
            return next(each for each in _TEXTS if not _broken(each, metas))
        case "list" | "tuple":
            return [example(inside[0])] * max([1, *(each.min_length or 1 for each in metas)])
        case "dict":
            return {"x": example(inside[1])}
    return None


def damages(content: Any, kind: Any, key: str = "") -> Iterator[Damage]:
    """Yield content with one thing wrong, for each key that it has or may have.

    A key is missing, unknown, of another type, or just beyond a limit.
    """
    for wrong in _wrong_values(content, kind):
        yield key, f"{wrong!r:.40}", wrong
    for each in choices(kind):
        inner, _ = _apart(each)
        if _is_record(inner):
            yield from _damaged_table(content if isinstance(content, dict) else {}, inner, key)
        elif _base(inner) in (list, tuple):
            # Of the entries, only the last one: where readers stop early, it is missed.
            *others, last = content if isinstance(content, list) and content else example(inner)
            entry = get_args(inner)[0]
            of_record = _is_record(_apart(entry)[0])
            place = f"{key}[{len(others)}]" if of_record else key
            for name, what, changed in damages(last, entry, place):
                yield name, f"entry {what}", [*others, changed]
        elif _base(inner) is dict:
            table = content if isinstance(content, dict) and content else example(inner)
            *_, name = table
            for named, what, changed in damages(table[name], get_args(inner)[1], key):
                yield named, f"entry {what}", table | {name: changed}


def check_refusals(
    read: Callable[[Any], object],
    content: Any,
    kind: type[Record],
    path: Path | None = None,
) -> None:
    """Fail unless a reader refuses all damages of a content that it accepts, and names the key.

    Parameters
    ----------
    read
        Takes the content, or the path of its file.
    content, kind
        What is damaged, and the type that it has.
    path
        Where the content is written to, as JSON or TOML; the file is named, too.
    """

    def given(what: Any) -> Any:
        if path is None:
            return what
        path.write_text(as_toml(what) if path.suffix == ".toml" else json.dumps(what))
        return path

    read(given(content))
    for key, what, damaged in damages(content, whole(kind)):
        if path and path.suffix == ".toml" and (not key or _has_null(damaged)):
            # TOML has no null, and is a table.
            continue
        # Without its schema, a file is one of any other kind.
        keys = [] if key in ("", "schema") else [key]
        try:
            with refused(*keys, *([path.name] if path else [])):
                read(given(damaged))
        except BaseException as error:
            error.add_note(f"the key {key!r}: {what}")
            raise


def as_toml(table: dict[str, Any]) -> str:
    """Return a table as TOML, inner tables on a line."""
    return "".join(f"{key} = {_toml_value(value)}\n" for key, value in table.items())


def _toml_value(value: Any) -> str:
    match value:
        case dict():
            inside = (f"{key} = {_toml_value(each)}" for key, each in value.items())
            return f"{{{', '.join(inside)}}}"
        case list():
            return f"[{', '.join(map(_toml_value, value))}]"
        case float():
            return repr(value)
    return json.dumps(value)


def _has_null(value: Any) -> bool:
    inside = value.values() if isinstance(value, dict) else value
    return value is None or (isinstance(value, dict | list) and any(map(_has_null, inside)))


def _damaged_table(table: dict[str, Any], kind: Any, key: str) -> Iterator[Damage]:
    fields = fields_of(kind)
    complete = {e.encode_name: example(e.type) for e in fields if e.required} | table
    yield "surplus", f"unknown in {key!r}", complete | {"surplus": 1}
    for field in fields:
        name = field.encode_name
        named = f"{key}.{name}" if key else name
        if field.required:
            yield named, "missing", {each: complete[each] for each in complete if each != name}
        here = complete[name] if name in complete else example(field.type)
        for inner, what, changed in damages(here, field.type, named):
            yield inner, what, complete | {name: changed}


def _wrong_values(content: Any, kind: Any) -> Iterator[Any]:
    """Yield values that are of no type that a key may have, or beyond a limit of one of them."""
    parts = [_apart(each) for each in choices(kind)]
    taken = {name for inner, _ in parts for name in _KINDS.get(_base(inner), ["table"])}
    yield from (value for name, value in _SAMPLES.items() if name not in taken)
    if "number" in taken and "text" not in taken:
        # Larger than any number with a point.
        yield 10**400
    for inner, metas in parts:
        base = _base(inner)
        for meta in metas:
            if base in (int, float):
                yield from _beyond(base, meta)
            elif base is str:
                texts = [*_TEXTS, f"{example(kind)}\n", "x" * ((meta.max_length or 0) + 1)]
                yield from (text for text in texts if _broken(text, [meta]))
            elif base in (list, tuple):
                entry = example(get_args(inner)[0])
                if meta.max_length is not None:
                    yield [entry] * (meta.max_length + 1)
                if meta.min_length:
                    yield [entry] * (meta.min_length - 1)


def _beyond(base: type, meta: msgspec.Meta) -> Iterator[Any]:
    """Yield the numbers next to the limits of a number, outside."""
    for limit, way, beside in (
        *((meta.ge, -1, True), (meta.le, 1, True)),
        *((meta.gt, -1, False), (meta.lt, 1, False)),
    ):
        if limit is None:
            continue
        if not beside:
            yield base(limit)
        elif base is int:
            yield limit + way
        else:
            yield math.nextafter(limit, way * math.inf)
        if base is float:
            yield from (math.nan, way * math.inf)


def _broken(value: Any, metas: list[msgspec.Meta]) -> bool:
    """Return whether a number or text is beyond a limit."""
    return any(
        (meta.ge is not None and value < meta.ge)
        or (meta.gt is not None and value <= meta.gt)
        or (meta.le is not None and value > meta.le)
        or (meta.lt is not None and value >= meta.lt)
        or (meta.pattern is not None and not re.search(meta.pattern, value))
        or (meta.max_length is not None and len(value) > meta.max_length)
        or (meta.min_length is not None and len(value) < meta.min_length)
        for meta in metas
    )


def _apart(kind: Any) -> tuple[Any, list[msgspec.Meta]]:
    """Return a type without its limits, and these."""
    metas: list[msgspec.Meta] = []
    while get_origin(kind) is Annotated:
        kind, *more = get_args(kind)
        metas += more
    return kind, metas


def _base(kind: Any) -> Any:
    return get_origin(kind) or kind


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Record)
