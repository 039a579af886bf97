"""Records: the format of a file is said once, as a type.

The fields of a `Record` are the keys of a table in JSON or TOML; what they mean stands in its
docstring, under Attributes. The types are what files are read and written by, and their JSON
Schemas and pages of the reference follow from them (`docs/_pages/schemas.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, cast, get_args, get_origin

import msgspec

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import MOST_THREADS, suggestion
from bsbench.common.texts import listed_in_words, shortened

Count = Annotated[int, msgspec.Meta(ge=0)]
"""A number of something."""

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]

Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e10)]


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table with fixed keys.

    The docstring says what it is. One that has a ``schema`` or ``file`` is all
    that a file holds.
    """

    schema: ClassVar[str] = ""
    """The name of the format, where files say it by their key ``schema``."""
    file: ClassVar[str] = ""
    """The name of the file with its JSON Schema: by default, it follows from ``schema``."""
    heading: ClassVar[str] = ""
    """How the format is called above its page: by default, as its file."""
    shared: ClassVar[str] = ""
    """The name of a part that several formats have, in the schema `common`."""


class Content(Record, frozen=True):
    """The keys of a file, between the head and the tail of all records: see `Frame`."""

    steps: ClassVar[dict[str, str]] = {}
    """Steps whose seconds the tail says, each with the attribute that has them."""


class Machine(Record, frozen=True):
    """Where it was played.

    Attributes
    ----------
    processor
        Name of the processor.
    cores
        Cores that could be used.
    system
        Operating system and kind of processor.
    """

    shared = "machine"

    processor: str
    cores: Count
    system: str


class Frame(Record, frozen=True):
    """Head and tail of all records.

    Attributes
    ----------
    schema
        The name of this schema.
    bsbench
        Version of bsbench.
    threads
        Threads used.
    seconds
        Time of each step.
    machine
        Where it was played.
    versions
        Versions of Python and of the libraries that results may depend on, by name.
    asked
        A hash of what was asked for, if `--output` named the file and nothing is left to find.
    date
        Date and time in UTC. It is last, so that two records differ by their ends.
    """

    bsbench: Annotated[
        str,
        msgspec.Meta(pattern="^[0-9][A-Za-z0-9_.+!-]{0,60}$", title="a version such as 0.1.0"),
    ]
    threads: Annotated[int, msgspec.Meta(ge=1, le=MOST_THREADS)]
    machine: Machine
    versions: dict[str, str]
    date: str
    asked: str | msgspec.UnsetType = msgspec.UNSET


class VariantRecord(Record, frozen=True):
    """A strategy, with all parameters.

    Attributes
    ----------
    label
        The name, and the parameters that are not at their defaults.
    name
        Name.
    parameters
        All parameters, by name.
    """

    label: str
    name: str
    parameters: dict[str, Any]


class Figure(Record, frozen=True):
    """A figure and half the width of its 95 % interval; what is not finite is null."""

    shared = "estimate"

    value: float | None
    half_width: float | None


Kind = TypeVar("Kind", bound=Record)


def content_of(source: object, kind: type[Kind]) -> Kind:
    """Return a record whose values are attributes of ``source``.

    Raises
    ------
    msgspec.ValidationError
        If an attribute is missing, or is not of the type that the record says.
    """
    values = {name: getattr(source, name) for name in kind.__struct_fields__}
    said = {name: v.to_dict() if hasattr(v, "to_dict") else v for name, v in values.items()}
    return msgspec.convert(said, kind, from_attributes=True)


def as_json(record: Record) -> dict[str, Any]:
    """Return a record as JSON has it: what is not finite is null."""
    content: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(record))
    return content


@cache
def fields_of(kind: type[Record]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Return the keys of a record, with their types: these take a while to be found."""
    return msgspec.structs.fields(kind)


@cache
def whole(kind: type[Kind]) -> type[Kind]:
    """Return the type of all that a file holds: with its ``schema``, and the `Frame`, if any."""
    more: list[tuple[str, Any]] = []
    if kind.schema:
        more.append(("schema", Literal[kind.schema]))
    if issubclass(kind, Content):
        more += [
            (field.name, field.type, *(() if field.required else (field.default,)))
            for field in fields_of(Frame)
        ]
        if kind.steps:
            steps = [(step, Seconds) for step in kind.steps]
            seconds = msgspec.defstruct("SecondsRecord", steps, bases=(Record,), kw_only=True)
            more.append(("seconds", seconds))
    if not more:
        return kind
    return cast(
        "type[Kind]",
        msgspec.defstruct(kind.__name__, more, bases=(kind,), frozen=True, kw_only=True),
    )


def read(table: Any, kind: type[Kind]) -> Kind:
    """Return what a file says, as its type.

    Parameters
    ----------
    table
        What the file holds, of the plain types of JSON and TOML.
    kind
        What it must be: true is no number, and 2.0 no whole one.

    Raises
    ------
    BsbenchError
        If a key is unknown or missing, or a value is another one than the type says. The sentence
        names the key.
    """
    try:
        content: Kind = msgspec.convert(table, whole(kind))
    except msgspec.ValidationError as error:
        raise BsbenchError(_refusal(str(error), table, whole(kind))) from None
    return content


def _refusal(text: str, table: Any, kind: Any) -> str:
    """Return what is wrong with a table, in a sentence, of what msgspec says of it."""
    problem, _, where = text.partition(" - at `")
    parts = re.findall(r"\.\w+|\[\d+\]|\[\.\.\.\]", where)
    values = [table]
    for part in parts:
        inner = _inner(kind, part)
        if part is parts[-1] and part[0] == "[" and not _is_record(inner):
            # Of a list of numbers, all is shown.
            parts.pop()
            break
        kind = inner
        if part == "[...]":
            # It does not say which.
            values = []
        values = [each[part[1:]] if part[0] == "." else each[int(part[1:-1])] for each in values]
    place = "".join(parts).removeprefix(".").replace("[...]", "")
    field = re.fullmatch(r"Object (missing required|contains unknown) field `(.*)`", problem)
    if field and field[1] == "missing required":
        return f"the key {'.'.join(filter(None, (place, field[2])))!r} is missing"
    if field:
        known = [each.encode_name for each in fields_of(_bare(kind))]
        inside = f" in {place!r}" if place else ""
        hint = suggestion(field[2], known, "known are")
        return f"unknown key {shortened(field[2])}{inside}: {hint}"
    if not place:
        return f"it is not {_wanted(kind)}"
    return ", not ".join(
        [f"the key {place!r} wants {_wanted(kind)}", *(shortened(each) for each in values)]
    )


def choices(kind: Any) -> tuple[Any, ...]:
    """Return the types that a value may have, if it is there."""
    if get_origin(kind) in (Union, UnionType):
        return tuple(each for each in get_args(kind) if each is not msgspec.UnsetType)
    return (kind,)


def _bare(kind: Any) -> Any:
    """Return a type without its limits, and without null."""
    (kind, *_) = (each for each in choices(kind) if each is not NoneType)
    return _bare(get_args(kind)[0]) if get_origin(kind) is Annotated else kind


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Record)


def _inner(kind: Any, part: str) -> Any:
    """Return the type of a key, or of the entries of a list or table."""
    kind = _bare(kind)
    if _is_record(kind):
        return next(e.type for e in fields_of(kind) if e.encode_name == part[1:])
    inside = [each for each in get_args(kind) if each is not Ellipsis]
    return inside[-1] if inside else Any


_NAMES: Mapping[Any, tuple[str, str]] = {
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("text", "texts"),
    bool: ("true or false", "true or false"),
    NoneType: ("null", "null"),
    Any: ("a value", "values"),
}


def _wanted(kind: Any, many: bool = False) -> str:
    """Return how a value of a type is called, or many of them."""
    return listed_in_words((" ".join(_words(each, many)) for each in choices(kind)), "or")


def _words(kind: Any, many: bool) -> Iterator[str]:
    """Yield the words for a type and its limits."""
    metas: list[msgspec.Meta] = []
    while get_origin(kind) is Annotated:
        kind, *more = get_args(kind)
        metas += more
    titles = [meta.title for meta in metas if meta.title]
    origin, inside = get_origin(kind), get_args(kind)
    if titles:
        yield f"{titles[0]} each" if many else titles[0]
        return
    if origin is Literal:
        yield listed_in_words(map(json.dumps, inside), "or")
    elif origin in (list, tuple):
        yield f"{'lists' if many else 'a list'} of {_wanted(inside[0], many=True)}"
    elif origin is dict and inside[1] is not Any:
        yield f"{'tables' if many else 'a table'} of {_wanted(inside[1], many=True)}"
    else:
        yield _NAMES.get(kind, ("a table", "tables"))[many]
    for meta in metas:
        limits = {"from": meta.ge, "above": meta.gt, "to": meta.le, "below": meta.lt}
        yield from (f"{word} {limit:,}" for word, limit in limits.items() if limit is not None)
        if meta.examples:
            yield f"such as {json.dumps(meta.examples[0])}"
        if meta.max_length:
            yield f"with {meta.max_length:,} entries at most"
