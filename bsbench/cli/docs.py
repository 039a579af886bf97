"""``bsbench docs``: opens the documentation."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path

import click

from bsbench.cli.completion import Text
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand
from bsbench.common.settings import check_choice

# An installed package has no pages, but knows their names; a test compares them with docs/.
_PAGES = (
    "add-a-strategy champion changelog charts-and-reports cluster comparing connect4 contributing "
    "exactly explanation faq figures gallery glossary gymnasium how-it-is-built how-to "
    "index kernels language-models lattice-net lattice2 lower-bound most-likely-cell onnx "
    "optimum parameters protocol python records reference regenerating-results releasing "
    "replay-and-play research rollouts running salvos scenarios speed spot-the-ships tried trust "
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
