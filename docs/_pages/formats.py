"""What files hold, from their types."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from _pages import repository, table, toctree
from _pages.schemas import schemas

_FOLDER = "bsbench/schemas"

_HEAD = f"""\
# File formats

Each format is a type in the code, from which this page and a [JSON Schema]({repository(_FOLDER)}) follow. The schemas also come with the package, in the
folder `bsbench/schemas`. Tests check real files against it. A JSON file says which schema it follows: by its key `schema`. The lines that bots and bsbench exchange
are on a page of their own: [the protocol of bots](../../protocol.md). Journals, `NAME.journal`, are SQLite databases for bsbench alone:
the same command continues from them with `--resume`.

"""


def pages() -> Iterator[tuple[str, str]]:
    """Yield a page that lists all formats, and one for each of them."""
    rows, names = [], []
    for name, schema in schemas().items():
        names.append(name)
        if name != "common":
            own = schema["properties"].get("schema", {}).get("const")
            link = f"[{schema['title']}]({name}.md)"
            rows.append([link, f"`{own}`" if own else "", schema["description"]])
        yield f"reference/formats/{name}.md", _page(name, schema)
    head = ["format", "`schema`", "what it is"]
    text = _HEAD + table(head, rows) + toctree(names, hidden=True)
    yield "reference/formats/index.md", text


def _page(name: str, schema: dict[str, Any]) -> str:
    """Return the page of a format: its keys, or the parts that several formats share."""
    path = f"{_FOLDER}/{name}.json"
    parts = [
        f"## {part}\n\n{content.get('description', '')}\n\n{_keys(content)}"
        for part, content in schema.get("$defs", {}).items()
    ]
    return (
        f"# {schema['title']}\n\n{schema['description']}\n\n"
        f"JSON Schema: [`{path}`]({repository(path)}).\n\n{_keys(schema)}\n" + "\n".join(parts)
    )


def _keys(schema: dict[str, Any]) -> str:
    """Return a table of the keys of an object, those of objects within it included."""
    rows = list(_rows(schema, ""))
    return table(["key", "value", "", "meaning"], rows) if rows else ""


def _rows(schema: dict[str, Any], before: str) -> Iterator[list[str]]:
    """Yield a row for each key of an object."""
    required = schema.get("required", ())
    for key, value in schema.get("properties", {}).items():
        need = "" if key in required else "optional"
        yield [f"`{before}{key}`", _kind(value), need, value.get("description", "")]
        inner = value.get("items", value)
        if "properties" in inner:
            yield from _rows(inner, f"{before}{key}{'[]' if inner is not value else ''}.")


def _kind(schema: dict[str, Any]) -> str:
    """Return what a value may be, in a few words."""
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    if "$ref" in schema:
        file, _, part = schema["$ref"].partition("#/$defs/")
        page = file.replace(".json", ".md")
        return (
            f"[{part}]({page}#{part.lower()})"
            if part
            else f"[{file.removesuffix('.json')}]({page})"
        )
    if "anyOf" in schema:
        return " or ".join(_kind(choice) for choice in schema["anyOf"])
    kinds = schema.get("type", "anything")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return " or ".join(
        f"array of {_kind(schema['items'])}" if kind == "array" and "items" in schema else kind
        for kind in kinds
    )
