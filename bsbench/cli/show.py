"""``bsbench show``: print saved records again."""

from __future__ import annotations

import click


@click.command("show")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def show_command(files: tuple[str, ...]) -> None:
    """Print saved records again.

    \b
    Example:
      bsbench show results/prob-harbour.json
    """
    from bsbench.cli.table import print_result
    from bsbench.runs.records import load_result

    for number, file in enumerate(files):
        if number:
            click.echo()
        result = load_result(file)
        print_result(result)
        click.echo(
            f"{file}: played {result.date} with bsbench {result.bsbench} on "
            f"{result.machine.get('processor', 'an unknown processor')}"
        )
