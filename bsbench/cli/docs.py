"""``bsbench docs``: opens the documentation."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path

import click

from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand


@in_section(Section.OTHER)
@click.command("docs", cls=GroupedCommand)
@click.option("--print", "only_print", is_flag=True, help="Print where it is, and open nothing.")
def docs_command(only_print: bool) -> None:
    """Open the documentation in a browser.

    In a clone, that is the site, if you have built it with
    "pip install '.[docs]' && sphinx-build -b html docs docs/_build/html", else the folder docs.
    Without a clone, it is the pages of the repository.

    \b
    Examples:
      bsbench docs
      bsbench docs --print
    """
    from bsbench.present.citing import REPOSITORY

    # An installed package does not know the clone that it came from, but its environment or its
    # user may be in it.
    folders = (*Path(__file__).parents, Path.cwd(), *Path.cwd().parents)
    clone = next(filter(_is_clone, folders), None)
    if clone:
        folder = clone / "docs"
        site = folder / "_build" / "html" / "index.html"
        path = site if os.path.exists(site) else folder
        place, address = str(path), path.as_uri()
    else:
        place = address = f"{REPOSITORY}/tree/main/docs"
    click.echo(place)
    if not only_print and not webbrowser.open(address):
        click.echo(f"found no browser: open {place} yourself", err=True)


def _is_clone(folder: Path) -> bool:
    return os.path.exists(folder / "docs" / "index.md") and os.path.isdir(folder / "bsbench")
