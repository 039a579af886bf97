"""``bsbench connect4 new``: write a player to begin with."""

from __future__ import annotations

import click

from bsbench.cli.group import Section, in_section
from bsbench.cli.new import echo_written
from bsbench.cli.options import GroupedCommand
from bsbench.connect4.own.templates import KINDS, write_template


@in_section(Section.PLAYER)
@click.command("new", cls=GroupedCommand)
@click.argument("file", metavar="FILE")
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    help="A class in Python, or a program that talks in lines, in C++ or Python.  [default: by the "
    "end of FILE, .py is python]",
)
def new_command(file: str, kind: str | None) -> None:
    """Write a working player to FILE, as a template for yours.

    A class is named like the file: MyPlayer in my_player.py. An existing file is never
    overwritten.

    \b
    Examples:
      bsbench connect4 new my_player.py
      bsbench connect4 new my_bot.cpp
      bsbench connect4 new my_bot.py --kind python-process
    """
    echo_written(
        write_template(file, kind),
        file,
        "bsbench connect4 check {}",
        "bsbench connect4 match {} greedy --games 200",
    )
