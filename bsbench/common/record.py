"""Records: the format of a file is said once, as a type.

The fields of a `Record` are the keys of a table in JSON; what they mean stands in its docstring,
under Attributes. The JSON Schema follows from the type (`schema_of`).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Collection
from typing import Annotated, Any, ClassVar

import msgspec

from bsbench.common.discovery import study_packages

Count = Annotated[int, msgspec.Meta(ge=0)]
"""A number of something."""

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table with fixed keys."""


class Content(Record, frozen=True):
    """The keys of a file, between the head and the tail of all records.

    The first sentence of the docstring is what the file is.
    """

    schema: ClassVar[str]
    """The name of the format."""
    steps: ClassVar[dict[str, str]] = {}
    """Steps whose seconds the tail says, each with the attribute that has them."""


class Player(Record, frozen=True):
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

    value: float | None
    half_width: float | None


def content_of(source: object, kind: type[Record]) -> Record:
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


def schema_of(kind: type[Content]) -> dict[str, Any]:
    """Return the JSON Schema of a file."""
    _, parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    tables = {each.__name__: each for each in _records(Record)}
    for name, part in parts.items():
        above = reversed(tables[name].__mro__[:-1])
        said = {key: text for each in above for key, text in _attributes(each.__doc__).items()}
        for key, value in part["properties"].items():
            if key in said:
                value["description"] = said[key]
        part.pop("title")
    own = parts.pop(kind.__name__)
    seconds = {step: {"type": "number"} for step in kind.steps}
    tail: dict[str, Any] = {"threads": {"type": "integer", "minimum": 1}}
    if seconds:
        tail["seconds"] = _table(seconds)
    tail |= {name: {"$ref": f"common.json#/$defs/{name}"} for name in ("machine", "versions")}
    head = {"schema": {"const": kind.schema}, "bsbench": {"type": "string"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "description": own["description"].partition("\n")[0],
        **_table(
            {**head, **own["properties"], **tail, "date": {"type": "string"}},
            optional={*own["properties"]} - {*own["required"]},
        ),
        "$defs": parts,
    }


def study_forms() -> dict[str, type[Content]]:
    """Return what the studies write, by name: ``bsbench-worst-1`` is ``worst``.

    The module ``study`` of each of them is imported.
    """
    packages = study_packages()
    for package, folder in packages.items():
        if (folder / "study.py").is_file():
            importlib.import_module(f"{package}.study")
    return {
        form.schema.removeprefix("bsbench-").rpartition("-")[0]: form
        for form in _records(Content)
        if form.__module__.rpartition(".")[0] in packages
    }


def _table(properties: dict[str, Any], optional: Collection[str] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _records(kind: type[Any]) -> list[type[Any]]:
    below: list[type[Any]] = kind.__subclasses__()
    return [*below, *(each for one in below for each in _records(one))]


def _attributes(docstring: str | None) -> dict[str, str]:
    """Return what a docstring says of each attribute."""
    text = re.sub(r"^    ", "", (docstring or "").partition("----------\n")[2], flags=re.MULTILINE)
    found = {}
    for names, said in re.findall(
        r"^(\w[\w, ]*)(?: : .*)?\n((?:    .*\n?|\n)*)", text, re.MULTILINE
    ):
        for name in names.split(", "):
            found[name] = " ".join(said.split())
    return found
