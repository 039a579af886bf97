"""``bsbench docs``, ``cache``: the manual, and where compiled kernels and first moves are kept."""

from __future__ import annotations

import os
from pathlib import Path

import click

from bsbench.cli.completion import Text
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand
from bsbench.common.errors import BsbenchError, reason
from bsbench.common.settings import check_choice

# An installed package has no pages, but knows their names; a test compares them with docs/.
_PAGES = (
    "add-a-strategy champion changelog charts-and-reports cluster comparing connect4 contributing "
    "exactly explanation faq figures gallery glossary gymnasium how-it-is-built how-to "
    "index kernels language-models lattice-net lattice2 lower-bound most-likely-cell onnx "
    "optimum parameters positions protocol python records reference regenerating-results releasing "
    "replay-and-play research rollouts running salvos scenarios speed spot-the-ships survey trust "
    "tuning tutorials two-sides value when-a-command-ends winners-curse worst-case your-bot"
)
TOPICS = _PAGES.split()


@in_section(Section.OTHER)
@click.command("docs", cls=GroupedCommand)
@click.argument("topic", type=Text("topic", names=lambda: TOPICS), required=False)
@click.option("--print", "only_print", is_flag=True, help="Print where it is, and open nothing.")
def docs_command(topic: str | None, only_print: bool) -> None:
    """Open the documentation, or its page on a TOPIC, in a browser.

    In a clone, that is the site, if you have built it with
    "pip install '.[docs]' && sphinx-build -b html docs docs/_build/html", else the folder docs.
    Without a clone, it is the pages of the repository.

    \b
    Examples:
      bsbench docs
      bsbench docs salvos
      bsbench docs --print
    """
    import webbrowser

    from bsbench.present.citing import REPOSITORY

    if topic is not None:
        check_choice("topic", topic, TOPICS)
    # An installed package does not know the clone that it came from, but its environment or its
    # user may be in it.
    folders = (*Path(__file__).parents, Path.cwd(), *Path.cwd().parents)
    clone = next(filter(_is_clone, folders), None)
    page = f"{topic}.md" if topic else ""
    if clone:
        site = clone / "docs" / "_build" / "html" / f"{topic or 'index'}.html"
        path = site if os.path.exists(site) else clone / "docs" / page
        place, address = str(path), path.as_uri()
    else:
        place = address = f"{REPOSITORY}/{'blob' if page else 'tree'}/main/docs/{page}".rstrip("/")
    click.echo(place)
    if not only_print and not webbrowser.open(address):
        click.echo(f"found no browser: open {place} yourself", err=True)


def _is_clone(folder: Path) -> bool:
    return os.path.exists(folder / "docs" / "index.md") and os.path.isdir(folder / "bsbench")


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
