"""Figures as Markdown: a heading, what they are, and a table for each part."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.parts import PARTS, Row

_SHOWN = 0.25
"""Kernels that compile faster, in seconds, are told together."""


def markdown(record: Mapping[str, Any]) -> str:
    """Return the whole report."""
    blocks = [f"# Benchmarks, {record['date'][:10]}", _origin(record)]
    blocks += [part_markdown(part, told["rows"]) for part, told in record["parts"].items()]
    return "\n\n".join(blocks)


def _origin(record: Mapping[str, Any]) -> str:
    machine, versions = record["machine"], record["versions"]
    loads = [
        " ".join(map(str, load)) if load else "unknown"
        for load in (record["load"], record.get("load_after"))
    ]
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}; "
        f"bsbench {record['bsbench']}, revision {record['revision'] or 'unknown'}, "
        f"{', '.join(f'{name} {number}' for name, number in versions.items())}; "
        f"load {loads[0]} before, {loads[1]} after; {'quick' if record['quick'] else 'full'}. "
        "Median of the rounds (least to most)."
    )


def part_markdown(part: str, rows: Sequence[Row]) -> str:
    """Return one part of the report."""
    heading = f"## {part.capitalize()}\n\n{inspect.cleandoc(PARTS[part].__doc__ or '')}"
    if not rows:
        return f"{heading}\n\nNot measured: this takes {_TAKES[part]}."
    table = TABLES[part](rows)
    alignment = ["---" if _is_text(column) else "---:" for column in zip(*table[1:], strict=True)]
    lines = [f"| {' | '.join(cells)} |" for cells in (table[0], alignment, *table[1:])]
    return "\n".join([heading, "", *lines])


def _is_text(cells: Sequence[str]) -> bool:
    return any(cell[:1].isalpha() or cell[:1] == "`" for cell in cells)


def _spread(form: Callable[[float], str], value: Mapping[str, float] | None) -> str:
    if value is None:
        return "–"
    median, least, most = (form(value[key]) for key in ("median", "least", "most"))
    return median if least == most else f"{median} ({least} to {most})"


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _seconds(value: float) -> str:
    return f"{value:.2f}"


def _times(value: float) -> str:
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


Table = list[list[str]]


def _games(rows: Sequence[Row]) -> Table:
    return [
        ["strategy", "scenario", "games/s and core", "reference", "ratio"],
        *(
            [
                f"`{row['strategy']}`",
                row["scenario"],
                _spread(_whole, row["games_per_second"]),
                _spread(_whole, row["reference"]),
                _spread(_times, row["ratio"]),
            ]
            for row in rows
        ),
    ]


def _layouts(rows: Sequence[Row]) -> Table:
    return [
        ["scenario", "law", "layouts/s and core", "reference", "ratio"],
        *(
            [
                row["scenario"],
                row["law"],
                _spread(_whole, row["layouts_per_second"]),
                _spread(_whole, row["reference"]),
                _spread(_times, row["ratio"]),
            ]
            for row in rows
        ),
    ]


def _startup(rows: Sequence[Row]) -> Table:
    return [
        ["what", "cold cache, s", "warm, s"],
        *(
            [
                row["what"],
                "–" if row["cold_seconds"] is None else _seconds(row["cold_seconds"]),
                _spread(_seconds, row["warm_seconds"]),
            ]
            for row in rows
        ),
    ]


def _compiling(rows: Sequence[Row]) -> Table:
    long = [row for row in rows if row["seconds"] >= _SHOWN]
    short = [row for row in rows if row["seconds"] < _SHOWN]
    total = {
        "versions": sum(row["versions"] for row in rows),
        "seconds": sum(row["seconds"] for row in rows),
    }
    others = {
        "versions": sum(row["versions"] for row in short),
        "seconds": sum(row["seconds"] for row in short),
    }
    named = [(f"`{row['kernel']}`", row) for row in long]
    return [
        ["kernel", "compiled for so many types", "s"],
        *(
            [name, str(row["versions"]), _seconds(row["seconds"])]
            for name, row in (*named, (f"{len(short)} others", others), ("total", total))
        ),
    ]


def _scaling(rows: Sequence[Row]) -> Table:
    return [
        ["strategy", "scenario", "threads", "gain", "of arithmetic", "share"],
        *(
            [
                f"`{row['strategy']}`",
                row["scenario"],
                str(row["threads"]),
                _spread(_seconds, row["gain"]),
                _spread(_seconds, row["arithmetic_gain"]),
                _spread(_percent, row["share"]),
            ]
            for row in rows
        ),
    ]


def _plugins(rows: Sequence[Row]) -> Table:
    return [
        ["strategy", "kind", "cores", "games", "games/s", "to plain Python on one core"],
        *(
            [
                f"`{row['strategy']}`",
                row["kind"],
                str(row["threads"]),
                _whole(row["games"]),
                _spread(_whole, row["games_per_second"]),
                _spread(_times, row["ratio"]),
            ]
            for row in rows
        ),
    ]


def _bots(rows: Sequence[Row]) -> Table:
    return [
        ["what", "games/s and core", "µs a game in bsbench", "in the bot", "to built in"],
        *(
            [
                row["what"],
                _spread(_whole, row["games_per_second"]),
                _spread(_figure, row["here"]),
                _spread(_figure, row["elsewhere"]),
                _spread(_times, row["slower"]),
            ]
            for row in rows
        ),
    ]


def _growth(rows: Sequence[Row]) -> Table:
    return [
        ["strategy", "scenario", "games", "s", "µs a game", "peak memory, MB"],
        *(
            [
                f"`{row['strategy']}`",
                row["scenario"],
                _whole(row["games"]),
                f"{row['seconds']:.3f}",
                _seconds(1e6 * row["seconds"] / row["games"]),
                "–" if row["peak_bytes"] is None else _whole(row["peak_bytes"] / 1e6),
            ]
            for row in rows
        ),
    ]


def _cells(rows: Sequence[Row]) -> Table:
    boards = list(dict.fromkeys(row["board"] for row in rows))
    table = [["strategy", *boards, "grows as cells to the power of"]]
    for name in dict.fromkeys(row["strategy"] for row in rows):
        mine = [row for row in rows if row["strategy"] == name]
        costs = [row["seconds_per_shot"]["median"] for row in mine]
        slope = np.polyfit(np.log([row["cells"] for row in mine]), np.log(costs), 1)[0]
        table.append([f"`{name}`", *(f"{1e9 * cost:.0f}" for cost in costs), f"{slope:.2f}"])
    return table


def _commands(rows: Sequence[Row]) -> Table:
    return [
        ["command", "s"],
        *([f"`bsbench {row['command']}`", _spread(_seconds, row["seconds"])] for row in rows),
    ]


def _solving(rows: Sequence[Row]) -> Table:
    return [
        ["strategy", "s"],
        *([f"`{row['strategy']}`", _spread(_seconds, row["seconds"])] for row in rows),
    ]


def _environments(rows: Sequence[Row]) -> Table:
    return [
        ["what", "of", "per second and core", "gym-battleship", "ratio"],
        *(
            [
                row["what"],
                row["environment"],
                _spread(_whole, row["per_second"]),
                _spread(_whole, row["seed"]),
                _spread(_times, row["ratio"]),
            ]
            for row in rows
        ),
    ]


def _figure(value: float) -> str:
    return _whole(value) if value >= 1000 else f"{value:.3g}"


TABLES: dict[str, Callable[[Sequence[Row]], Table]] = {
    "games": _games,
    "layouts": _layouts,
    "startup": _startup,
    "compiling": _compiling,
    "scaling": _scaling,
    "plugins": _plugins,
    "bots": _bots,
    "growth": _growth,
    "cells": _cells,
    "commands": _commands,
    "solving": _solving,
    "environments": _environments,
}

_TAKES = {
    "scaling": "more than one core",
    "bots": "g++",
    "environments": "Gymnasium, which is not installed: pip install -e '.[gym]'",
}
"""What a part takes that may be missing."""
