"""``bsbench bench``: how fast games are played on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import threads_option

if TYPE_CHECKING:
    from bsbench.rules.scenario import Scenario


@in_section(Section.PLAYER, Keeps.MEASURED)
@study(
    "bench",
    [
        click.argument("variants", metavar="[STRATEGY]...", nargs=-1),
        click.option(
            "--scenario",
            metavar="NAME|FILE",
            help="Rules and placement law.  [default: each strategy's home, else classic]",
        ),
        click.option(
            "--seconds",
            type=float,
            default=2,
            show_default=True,
            help="How long each strategy plays on all threads, and again on one.",
        ),
        threads_option,
    ],
)
def bench_command(
    variants: Sequence[str], scenario: Scenario | None, seconds: float, threads: int | None
) -> Study:
    """Measure how fast strategies play on this machine.

    Without STRATEGY, the command measures a selection. Speeds do not include the time to compile or
    load kernels, which is reported separately. The time for a million games is extrapolated from
    the games played. After Ctrl-C or SIGTERM, only strategies that were measured to the end are
    shown.

    \b
    Examples:
      bsbench bench
      bsbench bench prob --scenario classic --seconds 10
      bsbench bench over9000 over9000,noise=0,edge_weight=1 --export-json - -q
    """
    from bsbench.studies.bench.sheet import speed_sheet
    from bsbench.studies.bench.study import bench

    # In the main thread, where Ctrl-C ends it early.
    find = partial(bench, variants, scenario, seconds=seconds, threads=threads)
    return Study(find, speed_sheet, in_background=False)
