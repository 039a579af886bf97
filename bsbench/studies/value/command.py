"""``bsbench value``: what hiding is worth against shooting."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

import click

from bsbench.cli.delivery import Kept, Study, study
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import game_options, grouped
from bsbench.cli.saving import saving_options

if TYPE_CHECKING:
    from bsbench.runs.request import GameOptions

_WHO = [
    click.option(
        "-s",
        "--strategy",
        "variants",
        metavar="NAME",
        multiple=True,
        help="Strategy that may shoot; may be repeated.  [default: all built-in ones that are "
        "fast]",
    ),
    click.option(
        "--law",
        "laws",
        metavar="LAW",
        multiple=True,
        help="Placement law that may hide; may be repeated.  [default: uniform, sequential, "
        "edge:3, edge:9, and avoid:STRATEGY:2, 4, 8 and 16 of each]",
    ),
]


@in_section(Section.ODDS)
@study(
    "value",
    [
        grouped("Who plays", _WHO),
        game_options("classic", "How many games each strategy plays on each law.", "100,000"),
        saving_options(None, several=False),
    ],
    "a row for each strategy",
)
def value_command(
    variants: tuple[str, ...],
    laws: tuple[str, ...],
    scenarios: tuple[str, ...] | None,
    games: int | None,
    seeds: tuple[int, ...] | None,
    **options: Unpack[GameOptions],
) -> Study:
    """Find what hiding is worth against shooting.

    One side may choose among strategies, with any probabilities, the other one among placement
    laws. Each strategy plays each law. From the means follow the expected number of moves if both
    choose as well as they can, the best mixtures of both, and how many moves more each strategy
    needs against the law that is worst for it. It needs the extra 'value'.

    \b
    Examples:
      bsbench value -n 20000
      bsbench value -s lattice2 -s over9000 --law uniform --law edge:3
      bsbench value --scenario harbour -s prob -s bob -n 1e5 -o harbour-value
    """
    from bsbench.runs.request import Request

    request = Request.of(scenarios, seeds, games=games, **options)
    request.check_single("the value of a game")
    _ = request.bases

    from bsbench.cli.experiment import ALL, strategies_for
    from bsbench.rules.placement import Placement
    from bsbench.runs.known import expected_seconds
    from bsbench.studies.value.sheet import sheet
    from bsbench.studies.value.study import (
        check_solver,
        restricted_experiment,
        restricted_value,
        usual_laws,
    )

    check_solver()
    hiding = [Placement.parse(law) for law in laws]
    shooters = strategies_for(variants or (ALL,), request, quiet=bool(variants))
    (scenario,) = request.scenarios_or(None)
    hiding = hiding or usual_laws(shooters, scenario)
    experiment = restricted_experiment(request, shooters, scenario, hiding)
    places = experiment.scenarios
    return Study(
        partial(restricted_value, experiment, scenario, hiding, request),
        sheet,
        in_background=False,
        expected=expected_seconds(shooters, places, experiment.games, request.threads),
        bars=[each.label for each in shooters],
        games=experiment.games,
        interrupted="Interrupted before all had played: there is no value to report.",
        kept=Kept("value", experiment.about, request.secret_seed),
    )
