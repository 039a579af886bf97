"""``bsbench value``: what hiding is worth against shooting."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

import click

from bsbench.cli.delivery import Kept, Study, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import game_options, grouped
from bsbench.cli.saving import saving_options
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.runs.request import GameOptions

_WHO = [
    click.option(
        "--law",
        "laws",
        metavar="LAW",
        multiple=True,
        help="With strategies: placement law that may hide; may be repeated.  [default: uniform, "
        "sequential, edge:3, edge:9, and avoid:STRATEGY:2, 4, 8 and 16 of each]",
    ),
    click.option(
        "--seconds",
        type=float,
        metavar="N",
        help="Without strategies: how long to search, at most.  [default: 600]",
    ),
    click.option(
        "--against",
        metavar="STRATEGY",
        multiple=True,
        help="Without strategies: show what this one needs where the hider hides as well as it "
        "can; may be repeated.",
    ),
]


@in_section(Section.ODDS, {"of a board": Keeps.BOUNDS, "of strategies": Keeps.JOURNAL})
@study(
    "value",
    [
        click.argument("variants", metavar="[STRATEGY]...", nargs=-1),
        grouped("How it is found", _WHO),
        game_options(
            "classic", "With strategies: how many games each plays on each law.", "100,000"
        ),
        saving_options(None, several=False),
    ],
    "a row for each strategy, or each kind of layouts",
)
def value_command(
    variants: tuple[str, ...],
    laws: tuple[str, ...],
    seconds: float | None,
    against: tuple[str, ...],
    scenarios: tuple[str, ...] | None,
    games: int | None,
    seeds: tuple[int, ...] | None,
    **options: Unpack[GameOptions],
) -> Study:
    """Find what hiding is worth against shooting.

    One side hides a fleet by any law, the other one shoots by any strategy: how many shots does it
    need if both choose as well as they can? On small boards the answer is exact, with a proof in
    fractions; when time is up, there are bounds. On large boards, name strategies ('all': all
    built-in ones that are fast). Each plays each of some placement laws, and one side chooses among
    these strategies, with any probabilities, the other one among these laws. It needs the extra
    'value'.

    \b
    Examples:
      bsbench value --board 4x4 --fleet 3,2
      bsbench value --board 5x5 --fleet 3 --feedback hit --against prob
      bsbench value lattice2 over9000 --law uniform --law edge:3
      bsbench value all -n 20000
    """
    from bsbench.runs.request import Request

    request = Request.of(scenarios, seeds, games=games, **options)
    request.check_single("the value of a game")
    _ = request.bases

    from bsbench.studies.value.restricted import check_solver
    from bsbench.studies.value.sheet import sheet

    check_solver()
    if not variants:
        if laws:
            raise BsbenchError("--law belongs to strategies: name them, or leave it out")
        from bsbench.roster import as_strategy
        from bsbench.runs.experiment import about_games
        from bsbench.studies.value.board import board_value
        from bsbench.studies.value.equilibrium import SECONDS

        (scenario,) = request.scenarios_or(None)
        hunters = [as_strategy(each, request.limits) for each in against]
        longest = SECONDS if seconds is None else seconds

        find = partial(board_value, scenario, seconds=longest, against=hunters)
        about = partial(about_games, hunters, [scenario], [], value=True)
        return Study(find, sheet, in_background=False, kept=Kept("value", about))
    for name, given in (("--seconds", seconds), ("--against", against or None)):
        if given is not None:
            raise BsbenchError(f"{name} belongs to a search without strategies: leave out one")

    from bsbench.cli.experiment import strategies_for
    from bsbench.rules.placement import Placement
    from bsbench.studies.value.restricted import (
        restricted_experiment,
        restricted_value,
        usual_laws,
    )

    hiding = [Placement.parse(law) for law in laws]
    shooters = strategies_for(variants, request, quiet=False)
    (scenario,) = request.scenarios_or(None)
    hiding = hiding or usual_laws(shooters, scenario)
    experiment = restricted_experiment(request, shooters, scenario, hiding)
    return Study(
        partial(restricted_value, experiment, scenario, hiding, request),
        sheet,
        in_background=False,
        bars=[each.label for each in shooters],
        games=experiment.games,
        interrupted="Interrupted before all had played: there is no value to report.",
        kept=Kept("value", experiment.about, request.secret_seed),
    )
