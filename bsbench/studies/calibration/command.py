"""``bsbench calibration``: whether the probabilities of strategies are what they claim."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.delivery import Study, drawing, study
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import (
    GAMES,
    OUTPUT,
    grouped,
    part_options,
    picture_kind,
    threads_option,
    timeout_option,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.rules.scenario import Scenario
    from bsbench.strategies import Strategy

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


@in_section(Section.ODDS)
@study(
    "calibration",
    [
        # Not required: click would report a missing one in several lines.
        click.argument("strategies", metavar="STRATEGY...", nargs=-1),
        grouped("What is played", _PLAYED),
        part_options,
        grouped(OUTPUT, [_CHART]),
    ],
    "all bins",
)
def calibration_command(
    strategies: Sequence[Strategy],
    scenario: Scenario,
    games: int | None,
    seed: int,
    exact: int,
    threads: int | None,
    timeout: float,
    output: str | None,
) -> Study:
    """Compare the probabilities of strategies with the outcomes.

    The command compares the probabilities that strategies give cells with what the cells hold. It
    takes strategies whose scores are probabilities, such as over9000, and uses the scores before
    weights and random numbers. A strategy is calibrated if ships lie on 30 % of the cells to which
    it gives a probability of 30 %, and likewise for all other probabilities.

    \b
    Examples:
      bsbench calibration over9000 over9000-pairs
      bsbench calibration over9000 --exact 1000 -o reliability.png
      bsbench calibration bob --scenario harbour -n 1e5 --export-csv -
    """
    kind = picture_kind(output)

    from bsbench.studies.calibration.sheet import calibration_sheet
    from bsbench.studies.calibration.study import CalibrationReport, calibrate, check_chances

    def figure(report: CalibrationReport) -> Figure:
        from bsbench.studies.calibration.reliability import reliability

        return reliability(report)

    check_chances(strategies)
    find = partial(
        calibrate,
        strategies,
        scenario,
        games=games,
        seed=seed,
        threads=threads,
        exact=exact,
        timeout=timeout,
    )
    return Study(find, calibration_sheet, files={output: drawing(figure, kind)})
