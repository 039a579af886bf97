"""``bsbench docs``: opens the documentation."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("docs")
@click.option("--print", "only_print", is_flag=True, help="Print where it is, and open nothing.")
def docs_command(only_print: bool) -> None:
    """Open the documentation in a browser, and print where it is.

    In a clone whose site has been built, that is the site. Otherwise it is the folder docs of the
    clone, and of an installed package the pages of the repository.

    \b
    Examples:
      bsbench docs
      bsbench docs --print
    """
    from bsbench.present.citing import REPOSITORY

    folder = Path(__file__).parents[2] / "docs"
    site = folder / "_build" / "html" / "index.html"
    if site.exists():
        place = str(site)
    elif (folder / "index.md").exists():
        place = str(folder)
        hint = "sphinx-build -b html docs docs/_build/html"
        click.echo(f"To build the site: pip install -e '.[docs]' && {hint}", err=True)
    else:
        place = f"{REPOSITORY}/tree/main/docs"
    click.echo(place)
    if not only_print:
        click.launch(place)
