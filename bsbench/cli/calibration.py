"""``bsbench calibration``: whether the probabilities of strategies are what they claim."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from bsbench.cli.exports import Exportable, Exports, export_options
from bsbench.cli.options import (
    GAMES,
    OUTPUT,
    GroupedCommand,
    grouped,
    part_options,
    picture_kind,
    quiet_option,
    threads_option,
    timeout_option,
)
from bsbench.common.settings import read_variant

if TYPE_CHECKING:
    import pandas as pd

    from bsbench.runs.calibration import CalibrationReport

_PLAYED = [
    click.option(
        "-n",
        "--games",
        type=GAMES,
        metavar="N",
        help="How many games to play; 1e6 is a million.  [default: 100,000]",
    ),
    click.option(
        "--scenario",
        metavar="NAME|FILE",
        help="Rules and placement law: a name, or a TOML file.  [default: the home of the first "
        "strategy, else classic]",
    ),
    click.option("--seed", type=int, default=0, metavar="N", help="Seed.  [default: 0]"),
    click.option(
        "--exact",
        type=GAMES,
        default=0,
        metavar="N",
        help="Also compare with exact probabilities, in one position of each of N games.",
    ),
    threads_option,
    timeout_option,
]

_CHART = click.option(
    "-o",
    "--output",
    metavar="PATH",
    help="Draw the chart reliability as this picture: .png, .svg or .pdf.",
)


@click.command("calibration", cls=GroupedCommand)
# Not required: click would report a missing one in several lines.
@click.argument("variants", metavar="STRATEGY...", nargs=-1)
@grouped("What is played", _PLAYED)
@part_options
@grouped(OUTPUT, [_CHART])
@export_options("all bins")
@quiet_option
# One parameter for each option, since click passes them by name.
def calibration_command(
    variants: tuple[str, ...],
    games: int | None,
    scenario: str | None,
    seed: int,
    exact: int,
    threads: int | None,
    timeout: float,
    output: str | None,
    exports: Exports,
    quiet: bool,
    **changes: Any,
) -> None:
    """Compare the probabilities that strategies give cells with what the cells hold.

    It takes strategies whose scores are probabilities, such as over9000, and uses the scores before
    weights and random numbers. A strategy is calibrated if ships lie on 30 % of the cells to which
    it gives a probability of 30 %, and likewise for all other probabilities.

    \b
    Examples:
      bsbench calibration over9000 over9000-pairs
      bsbench calibration over9000 --exact 1000 -o reliability.png
      bsbench calibration bob --scenario harbour -n 1e5 --export-csv -
    """
    from bsbench.rules.scenario import find_scenario, parse_parts

    # Errors in these are reported before the wait for numba.
    for variant in variants:
        read_variant(variant)
    kind = picture_kind(output)
    where = None if scenario is None else find_scenario(scenario)
    parts = parse_parts(changes)

    from bsbench.cli.playing import in_background, status
    from bsbench.present.terminal import print_calibration
    from bsbench.roster import make_variant
    from bsbench.runs.calibration import calibrate, check_chances
    from bsbench.runs.request import limits_of, scenario_for

    players = [make_variant(variant, limits_of(timeout)) for variant in variants]
    check_chances(players)
    where = scenario_for(players[0], where).override(**parts)
    exports.check([output])
    with status(quiet) as progress:
        report = in_background(
            partial(
                calibrate,
                players,
                where,
                games=games,
                seed=seed,
                threads=threads,
                exact=exact,
                timeout=timeout,
                progress=progress,
            )
        )
    show, draw = partial(print_calibration, report), partial(_draw, report, kind)
    exports.finish(_exportable(report), quiet, show, output, draw)


def _draw(report: CalibrationReport, kind: str, path: str) -> None:
    from bsbench.common.files import write_file
    from bsbench.present.charts import write_figure
    from bsbench.present.charts.reliability import reliability

    write_file(path, partial(write_figure, reliability(report), kind=kind))


def _exportable(report: CalibrationReport) -> Exportable:
    """Return what exports calibrations: the frame has a row for each bin."""
    from bsbench.present.calibration import calibration_columns, calibration_notes

    def frame() -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(
            [
                {"strategy": each["label"], "cells": cells, **row}
                for each in report.to_dict()["strategies"]
                for cells, key in (("shot", "shots"), ("open", "cells"))
                for row in each[key]["bins"]
            ]
        )

    return Exportable(
        frame,
        report.to_dict,
        partial(calibration_columns, report),
        partial(calibration_notes, report),
    )
