"""``bsbench cite``: how to cite bsbench, and results."""

from __future__ import annotations

from datetime import date

import click

from bsbench.cli.completion import RECORD
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand


@in_section(Section.KEEP)
@click.command("cite", cls=GroupedCommand)
@click.argument("paths", type=RECORD, metavar="[RECORD]...", nargs=-1)
def cite_command(paths: tuple[str, ...]) -> None:
    """Print BibTeX, and for each RECORD a paragraph for a paper.

    The paragraph, for the methods section, says what was played and how, so that others can play it
    again: rules, placement law, games, seed, versions, and the digest of all move counts. RECORD is
    a file, a folder, or a record that comes with bsbench, such as @classic/lattice.

    \b
    Examples:
      bsbench cite
      bsbench cite results/prob-harbour.json
      bsbench cite @classic/lattice > methods.txt
    """
    from bsbench.common.texts import for_terminal
    from bsbench.present.citing import bibtex, methods
    from bsbench.runs.finding import find_records
    from bsbench.runs.records import load_result

    if not paths:
        click.echo(bibtex(year=f"{date.today().year}"))
        return
    results = [load_result(file) for file in find_records(paths)]
    # One entry for each version, of the year in which it was used last.
    years = {result.bsbench: result.date[:4] for result in sorted(results, key=lambda r: r.date)}
    for version, year in years.items():
        click.echo(for_terminal(bibtex(version, year=year)))
    for result in results:
        click.echo(for_terminal(f"\n{methods(result)}"))
