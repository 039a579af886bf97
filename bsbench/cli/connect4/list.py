"""``bsbench connect4 list``: the players, or one of them in full."""

from __future__ import annotations

import inspect

import click


@click.command("list")
@click.argument("name", required=False)
def list_command(name: str | None) -> None:
    """Show all players with parameters and sources, or player NAME in full.

    \b
    Examples:
      bsbench connect4 list
      bsbench connect4 list hard
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from bsbench.connect4.players import find_player, player_names
    from bsbench.parameters import wanted
    from bsbench.settings import setting_text, value_text

    console = Console(highlight=False)
    # Into a file or a pipe, no line has to be broken.
    console.width = max(console.width, 80) if console.is_terminal else 160
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    if name is None:
        for column in ("name", "idea, parameters", "source"):
            table.add_column(column, no_wrap=column == "name", overflow="fold")
        for each in player_names():
            player = find_player(each)()
            settings = (setting_text(*parameter) for parameter in player.parameters.items())
            parameters = f"\n{' '.join(settings)}" if player.parameters else ""
            table.add_row(
                each, Text.assemble(player.idea, (parameters, "dim")), Text(player.source)
            )
        console.print(table)
        click.echo("\n'bsbench connect4 list NAME' shows a player in full.")
        return
    player = find_player(name)()
    console.print(Text.assemble((player.name, "bold"), f": {player.idea}\n"))
    if player.declared():
        for column in ("parameter", "default", "values", "meaning"):
            table.add_column(column, no_wrap=column == "parameter", overflow="fold")
        for each, field in player.declared().items():
            meaning = field.metadata["meaning"]
            table.add_row(each, *map(Text, (value_text(field.default), wanted(field), meaning)))
        console.print(table)
        click.echo()
    click.echo(inspect.cleandoc(type(player).__doc__ or "").partition("\n")[2].strip())
