"""``bsbench verify``: play some games of a record again, and compare."""

from __future__ import annotations

import sys

import click

from bsbench.cli.completion import RECORD
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import (
    GroupedCommand,
    quiet_option,
    strategies_option,
    threads_option,
    timeout_option,
    trust_option,
)
from bsbench.cli.waiting import progress_bar


@in_section(Section.KEEP)
@click.command("verify", cls=GroupedCommand)
@click.argument("record", type=RECORD)
@click.option(
    "--blocks",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="N",
    help="Blocks of 1,048,576 games to play, drawn at random.",
)
@click.option("--all", "everything", is_flag=True, help="Play all blocks.")
@strategies_option("The strategy of the record, if it is your own.")
@trust_option
@threads_option
@timeout_option()
@quiet_option
def verify_command(
    record: str,
    blocks: int,
    everything: bool,
    strategies: tuple[str, ...],
    trust: bool,
    threads: int | None,
    timeout: float,
    quiet: bool,
) -> None:
    """Play parts of RECORD again, and compare them with it.

    A record has sums and a digest of the move counts of each block of 2^20 games. Blocks drawn at
    random are played again, and must give the same values. If a block differs, the command prints
    it, and the first game that differs if the record keeps move counts; the exit code is then 1.

    \b
    Examples:
      bsbench verify results/prob-harbour.json
      bsbench verify night.json --blocks 20
      bsbench verify mine.json -s my_file.py:Mine --all
    """
    from bsbench.common.texts import for_terminal
    from bsbench.runs.contestants import strategy_of
    from bsbench.runs.finding import one_record
    from bsbench.runs.records import load_result
    from bsbench.runs.request import Request
    from bsbench.studies.verify.study import blocks_in, verify

    result = load_result(one_record(record))
    strategy = strategy_of(result, strategies, trust, limits=Request.of(timeout=timeout).limits)
    parts = blocks_in(result)
    most = len(parts)
    with progress_bar([result.label], None, quiet) as show:
        found = verify(
            result,
            strategy,
            blocks=most if everything else blocks,
            threads=threads,
            timeout=timeout,
            progress=show,
        )
    note = f"; {found.note}" if found.note else ""
    if found.problem:
        click.echo(for_terminal(f"{record}: {found.problem}{note}"), err=True)
        sys.exit(1)
    if not quiet:
        text = (
            f"{record}: {len(found.blocks):,} of {most:,} block{'s' if most > 1 else ''}, "
            f"{found.games:,} of {result.games:,} games, played again: nothing differs{note}"
        )
        click.echo(for_terminal(text))
