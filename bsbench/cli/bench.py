"""``bsbench bench``: how fast games are played on this machine."""

from __future__ import annotations

from functools import partial

import click

from bsbench.cli.ending import end_interrupted
from bsbench.cli.exports import Exports, export_options, of_entries
from bsbench.cli.options import GroupedCommand, quiet_option, threads_option
from bsbench.cli.playing import status
from bsbench.common.settings import read_variant


@click.command("bench", cls=GroupedCommand)
@click.argument("variants", metavar="[STRATEGY]...", nargs=-1)
@click.option(
    "--scenario",
    metavar="NAME|FILE",
    help="Rules and placement law.  [default: each strategy's home, else classic]",
)
@click.option(
    "--seconds",
    type=float,
    default=2,
    show_default=True,
    help="How long each strategy plays on all threads, and again on one.",
)
@threads_option
@export_options()
@quiet_option
def bench_command(
    variants: tuple[str, ...],
    scenario: str | None,
    seconds: float,
    threads: int | None,
    exports: Exports,
    quiet: bool,
) -> None:
    """Measure how fast strategies play on this machine: the named ones, or a selection.

    Speeds do not include the time to compile or load kernels, which is reported separately.
    The time for a million games is extrapolated from the games played. After Ctrl-C or SIGTERM,
    only strategies that were measured to the end are shown.

    \b
    Examples:
      bsbench bench
      bsbench bench prob --scenario classic --seconds 10
      bsbench bench over9000 over9000,noise=0,edge_weight=1 --export-json - -q
    """
    from bsbench.rules.scenario import find_scenario

    # Errors in these are reported before the wait for numba.
    for variant in variants:
        read_variant(variant)
    where = None if scenario is None else find_scenario(scenario)

    from bsbench.present.tables import speed_columns, speed_notes
    from bsbench.present.terminal import print_speeds
    from bsbench.runs.bench import bench

    exports.check()
    with status(quiet) as progress:
        report = bench(variants, where, seconds=seconds, threads=threads, progress=progress)
    columns, notes = partial(speed_columns, report), partial(speed_notes, report)
    found = of_entries(report.to_dict, "speeds", columns, notes)
    exports.finish(found, quiet, partial(print_speeds, report))
    if report.partial:
        end_interrupted()
