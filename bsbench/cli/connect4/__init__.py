"""``bsbench connect4``: the second game. One file for each command."""

from __future__ import annotations

import click

from bsbench.cli.connect4.best import best_command
from bsbench.cli.connect4.grade import grade_command
from bsbench.cli.connect4.league import league_command
from bsbench.cli.connect4.list import list_command
from bsbench.cli.connect4.match import match_command
from bsbench.cli.connect4.play import play_command
from bsbench.cli.connect4.quality import quality_command
from bsbench.cli.connect4.reproduce import reproduce_command


@click.group("connect4")
def connect4_group() -> None:
    """Measure Connect 4 players, and ask them for a move.

    Columns are numbered from 1 to 7; a position is written as the columns played, one after
    the other: 44455 has three stones in the middle and two beside them.
    """


for command in (
    *(best_command, grade_command, list_command, match_command, league_command),
    *(quality_command, reproduce_command, play_command),
):
    connect4_group.add_command(command)
