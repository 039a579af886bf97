"""``bsbench connect4``: the second game. One file for each command."""

from __future__ import annotations

import click

from bsbench.cli.group import CommandGroup, Section, in_section

_MODULES = {name: f"{__name__}.{name}" for name in ("best", "match", "play")}


@in_section(Section.OTHER)
@click.group("connect4", cls=CommandGroup, modules=lambda: _MODULES)
def connect4_command() -> None:
    """Play Connect 4, compare its players, and ask them for a move.

    Columns are numbered from 1 to 7; a position is written as the columns played, one after
    the other: 44455 has three stones in the middle and two beside them. Players are greedy, hard,
    perfect and random.
    """
