"""``bsbench new``: write a template for a strategy."""

from __future__ import annotations

import shlex

import click

from bsbench.own.templates import KINDS, write_template


@click.command("new")
@click.argument("file", metavar="FILE.py")
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="python",
    show_default=True,
    help="Plain Python for one game, numpy for a batch, or numba kernels.",
)
def new_command(file: str, kind: str) -> None:
    """Write a working strategy with comments to FILE.py, as a template for your own.

    Its class is named like the file: MyFile in my_file.py. An existing file is never overwritten.

    \b
    Examples:
      bsbench new my_file.py
      bsbench new fast.py --kind numba
    """
    from bsbench.roster import strategy_names

    name = write_template(file, kind, tuple(strategy_names()))
    spec = shlex.quote(f"{file}:{name}")
    click.echo(f"Wrote the strategy {name} to {file}. Next:")
    click.echo(f"  bsbench check {spec}")
    click.echo(f"  bsbench run --strategy {spec}")
