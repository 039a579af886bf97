"""``bsbench cache``: where compiled kernels and first moves are kept."""

from __future__ import annotations

import os

import click

from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand
from bsbench.common.errors import BsbenchError, reason


@in_section(Section.OTHER)
@click.command("cache", cls=GroupedCommand)
@click.option(
    "--clear", "wanted", is_flag=True, help="Remove the compiled kernels and first moves."
)
def cache_command(wanted: bool) -> None:
    """Show where compiled code is kept, and how large it is.

    The first run compiles kernels, and keeps their machine code in your cache folder, or in
    NUMBA_CACHE_DIR if that is set. Strategies that count all layouts keep first moves there that
    took long to compute. Damaged files are compiled again, and unused files are removed after 30
    days. Whoever can write to this folder can run code as you: bsbench uses no cache of another
    user, and none that everybody can write to.

    \b
    Examples:
      bsbench cache
      bsbench cache --clear
    """
    from bsbench.kernels._cache import cache_folder, cached_modules, clear

    folders = cached_modules()
    files = [path for folder in folders for path in folder.rglob("*") if os.path.isfile(path)]
    size = sum(path.stat().st_size for path in files)
    count = f"{len(folders):,} {'entry' if len(folders) == 1 else 'entries'}, {size / 1e6:.1f} MB"
    if not wanted:
        click.echo(f"{cache_folder()}: {count}")
        return
    try:
        clear()
    except OSError as error:
        raise BsbenchError(f"can't clear {cache_folder()}: {reason(error)}") from None
    click.echo(f"cleared {cache_folder()}: {count}; kernels are compiled again when next used")
