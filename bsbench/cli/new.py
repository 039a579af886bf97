"""``bsbench new``: write a template for a strategy."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import click

from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand
from bsbench.common.settings import COMMAND, is_command
from bsbench.own.templates import KINDS, write_template


@in_section(Section.PLAYER)
@click.command("new", cls=GroupedCommand)
@click.argument("file", metavar="FILE")
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    help="A strategy in plain Python for one game, in numpy for a batch, with numba kernels, or in "
    "plain Python one that learns from game to game; a placer, which places ships; or a bot, a "
    "program that talks with bsbench.  [default: by the end of FILE, .py is python]",
)
def new_command(file: str, kind: str | None) -> None:
    """Write a working strategy to FILE, as a template for yours.

    The language follows from the end of FILE: .py, .cpp, .rs, .java, .js. A strategy in Python is
    a class, named like the file: MyFile in my_file.py. All others are bots, programs of their own.
    An existing file is never overwritten.

    \b
    Examples:
      bsbench new my_file.py
      bsbench new fast.py --kind numba
      bsbench new learner.py --kind learner
      bsbench new my_hider.py --kind placer
      bsbench new my_bot.cpp
    """
    from bsbench.roster import strategy_names

    written = write_template(file, kind, tuple(strategy_names()))
    commands = "bsbench check {}", "bsbench run --strategy {}"
    if kind == "placer":
        layouts = shlex.quote(str(Path(file).with_suffix(".txt")))
        play = f"bsbench run hunt-target --scenario classic --placement file:{layouts}"
        commands = f"bsbench layouts {{}} -o {layouts}", play
    click.echo(f"Wrote {written.what} to {file}. Next:")
    for command in filter(None, [written.build, *commands]):
        click.echo(f"  {command.replace('{}', shlex.quote(written.spec))}")
    _note_missing(written.build, written.spec)


def _note_missing(build: str, spec: str) -> None:
    """Say so if a program is not installed that builds or runs a bot."""
    if is_command(spec):
        needed = [shlex.split(line)[0] for line in (build, spec.removeprefix(COMMAND)) if line]
        for program in needed:
            if "/" not in program and shutil.which(program) is None:
                click.echo(f"{program} is not installed, or not on the PATH.", err=True)
