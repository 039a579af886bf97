"""What bsbench has to say of a bad player: its docstring holds it, a line for each key."""

from __future__ import annotations


def verdict_in(docstring: str) -> dict[str, str]:
    """Return what stands behind each key, below the line that says what the player does."""
    _, _, *lines = docstring.split("\n")
    return {key: said.strip() for key, _, said in (line.partition(":") for line in lines)}


def words_of(verdict: dict[str, str], key: str) -> list[str]:
    """Return what a message must name."""
    return verdict[key].split(", ") if verdict.get(key) else []
