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
    from bsbench.common.texts import for_terminal
    from bsbench.rules.placement import STREAM_VERSION
    from bsbench.runs.records import load_result

    for number, file in enumerate(files):
        if number:
            click.echo()
        result = load_result(file)
        print_result(result)
        where = result.machine.get("processor", "an unknown processor")
        text = f"{file}: played {result.date} with bsbench {result.bsbench} on {where}"
        if result.stream_version != STREAM_VERSION:
            text += (
                f"; on layout stream {result.stream_version}: under its seed, this version, which "
                f"draws stream {STREAM_VERSION}, plays other games"
            )
        click.echo(for_terminal(text))
