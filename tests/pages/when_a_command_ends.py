"""When a command ends: what each command keeps, as it declares it by `in_section`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from bsbench.cli import main
from bsbench.cli.group import Keeps
from tests.pages import table


def commands(group: click.Group = main, above: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield all commands by their names, as they are typed after ``bsbench``."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{above}{name} ")
        else:
            yield f"{above}{name}", command


def kept() -> dict[Keeps, list[str]]:
    """Return the ways to call commands, by what they keep."""
    found: dict[Keeps, list[str]] = {each: [] for each in Keeps}
    for name, command in commands():
        for way, keeps in getattr(command, "keeps", {"": Keeps.NOTHING}).items():
            found[keeps].append(f"`{name}` {way}".strip())
    return found


def tables() -> dict[str, str]:
    """Return the table of the document."""
    rows = [[", ".join(ways), keeps] for keeps, ways in kept().items() if keeps != Keeps.NOTHING]
    rows.append(["all others", Keeps.NOTHING])
    return {"kept": table([["command", "keeps"], *rows], "---")}
