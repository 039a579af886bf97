"""``bsbench connect4 list``: the players, or one of them in full."""

from __future__ import annotations

import inspect

import click

from bsbench.cli.group import Section, in_section
from bsbench.cli.list import idea_text, list_console, list_table, parameter_table
from bsbench.cli.options import GroupedCommand


@in_section(Section.LOOK)
@click.command("list", cls=GroupedCommand)
@click.argument("name", required=False)
def list_command(name: str | None) -> None:
    """List players, or describe one of them.

    NAME is a player.

    \b
    Examples:
      bsbench connect4 list
      bsbench connect4 list hard
    """
    from rich.text import Text

    from bsbench.connect4.players import find_player, player_names

    console = list_console()
    if name is None:
        table = list_table("name", "idea, parameters", "source")
        for each in player_names():
            player = find_player(each)()
            table.add_row(each, idea_text(player), Text(player.source))
        console.print(table)
        click.echo(
            "\n'bsbench connect4 list NAME' shows a player in full.\nYour own players are "
            "FILE.py:CLASS or cmd:COMMAND; 'bsbench connect4 new' writes one."
        )
        return
    player = find_player(name)()
    console.print(Text.assemble((player.name, "bold"), f": {player.idea}\n"))
    if player.declared():
        console.print(parameter_table(player))
        click.echo()
    click.echo(inspect.cleandoc(type(player).__doc__ or "").partition("\n")[2].strip())
