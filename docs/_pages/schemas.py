"""JSON Schemas of all files, made from their types: ``python docs/_pages/schemas.py`` writes them.

They come with the package, in ``bsbench/schemas``, so that other programs can check what bsbench writes
and reads. Nothing in bsbench reads them.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from pkgutil import iter_modules
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from bsbench.common.discovery import study_packages
from bsbench.common.files import write_text
from bsbench.common.record import Frame, Record, choices, fields_of, whole

CORE = (
    "connect4.match",
    "llm.transcript",
    "reproduce.folder",
    "reproduce.plan",
    "rules.scenario",
    "runs.formats",
    "runs.known",
    "runs.runfile",
)
"""Modules that say formats, beside the studies, where they are found."""

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_HEAD = ("schema", "bsbench")
_TAIL = ("threads", "seconds", "machine", "versions", "date")
_PLAIN = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}
_LIMITS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "pattern": "pattern",
    "title": "title",
    "min_length": "minLength",
    "max_length": "maxLength",
    "examples": "examples",
    "description": "description",
}


def formats() -> dict[str, type[Record]]:
    """Return the types of all files by the names of their schemas, sorted."""
    modules = [f"bsbench.{name}" for name in CORE]
    for package, folder in study_packages().items():
        modules += [f"{package}.{each.name}" for each in iter_modules([str(folder)])]
    found = {
        _name(kind): kind
        for module in map(importlib.import_module, modules)
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, Record)
        and kind.__module__ == module.__name__
        and (vars(kind).get("schema") or vars(kind).get("file"))
    }
    return dict(sorted(found.items()))


def schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas of all formats by name, and of the parts that several have."""
    found = {name: schema_of(kind) for name, kind in formats().items()}
    parts = {each.shared: _table(each) for each in _below(Record) if vars(each).get("shared")}
    found["common"] = {
        "$schema": _DIALECT,
        "$id": "common.json",
        "title": "Shared parts",
        "description": "Parts that several formats share.",
        "$defs": dict(sorted(parts.items())),
    }
    return dict(sorted(found.items()))


def schema_of(kind: type[Record]) -> dict[str, Any]:
    """Return the JSON Schema of a file."""
    name = _name(kind)
    title = kind.heading or name.replace("-", " ").capitalize()
    return {"$schema": _DIALECT, "$id": f"{name}.json", "title": title, **_table(whole(kind))}


def _name(kind: type[Record]) -> str:
    return kind.file or re.sub(r"^bsbench-(.+)-\d+$", r"\1", kind.schema)


def _below(kind: type[Record]) -> Iterator[type[Record]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def _table(kind: type[Record]) -> dict[str, Any]:
    """Return the schema of a table; a file has its head first, and its tail last."""
    bases = [*reversed(kind.__mro__), *([Frame] if "schema" in kind.__struct_fields__ else [])]
    said = {key: text for base in bases for key, text in _attributes(base)}
    fields = {each.encode_name: each for each in fields_of(kind)}
    order = [*_HEAD, *(key for key in fields if key not in _HEAD + _TAIL), *_TAIL]
    properties, required = {}, []
    for key in order:
        if key in fields:
            properties[key] = _value(fields[key].type)
            if key in said:
                properties[key]["description"] = said[key]
            if fields[key].required:
                required.append(key)
    for step, inner in properties.get("seconds", {}).get("properties", {}).items():
        inner["description"] = said.get(f"seconds.{step}", "")
    text, _, _ = (inspect.getdoc(kind) or "").partition("Attributes\n---")
    table: dict[str, Any] = {
        "description": _as_markdown(text),
        "type": "object",
        "properties": properties,
        "required": required,
    }
    if kind.__struct_config__.forbid_unknown_fields:
        table["additionalProperties"] = False
    return table


def _value(kind: Any) -> dict[str, Any]:
    """Return the schema of a value of a type."""
    several = choices(kind)
    if len(several) > 1:
        return _any_of([_value(each) for each in several])
    (kind,) = several
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Annotated:
        schema = _value(inside[0])
        for meta in inside[1:]:
            for name, key in _LIMITS.items():
                if (limit := getattr(meta, name)) is not None:
                    schema[key.replace("Length", "Items") if schema["type"] == "array" else key] = (
                        limit
                    )
        return schema
    if origin is Literal:
        return {"const": inside[0]} if len(inside) == 1 else {"type": "string", "enum": [*inside]}
    if origin in (list, tuple):
        return {"type": "array", "items": _value(inside[0])}
    if origin is dict:
        values = _value(inside[1])
        return {"type": "object"} | ({"additionalProperties": values} if values else {})
    if isinstance(kind, type) and issubclass(kind, Record):
        if kind.shared:
            return {"$ref": f"common.json#/$defs/{kind.shared}"}
        return {"$ref": f"{_name(kind)}.json"} if kind.file or kind.schema else _table(kind)
    return {"type": _PLAIN[kind]} if kind in _PLAIN else {}


def _any_of(several: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of a value that follows one of several: where it can, by their types."""
    plain = [each for each in several if each.keys() == {"type"}]
    others = [each for each in several if each not in plain]
    if len(others) > 1 or any("type" not in each or "enum" in each for each in others):
        return {"anyOf": several}
    (first,) = others or [plain.pop(0)]
    types = [each["type"] for each in plain]
    return {**first, "type": [first["type"], *types] if types else first["type"]}


def _attributes(kind: type) -> Iterator[tuple[str, str]]:
    """Yield what a docstring says of each attribute."""
    _, _, text = (inspect.getdoc(kind) or "").partition("Attributes\n----------\n")
    for names, said in re.findall(
        r"^([\w.]+(?:, [\w.]+)*)(?: : .*)?\n((?:    .*\n?|\n)+)", text, re.MULTILINE
    ):
        for name in names.split(", "):
            yield name, _as_markdown(said)


def _as_markdown(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


if __name__ == "__main__":
    folder = Path(__file__).parents[2] / "bsbench" / "schemas"
    for _name_of, _schema in schemas().items():
        text = json.dumps(_schema, indent=1, ensure_ascii=False)
        write_text(folder / f"{_name_of}.json", f"{text}\n")
