"""``bsbench tune``: search for the values of parameters that need the fewest moves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import game_options, grouped
from bsbench.cli.saving import Kept, saving_options
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.runs.request import Request

_WHAT = [
    click.option(
        "--vary",
        "vary",
        multiple=True,
        metavar="NAME=VALUES",
        help="A parameter to tune: noise=0:0.1, noise=0:0.1:0.001 (with a step), noise=0,0.01,0.1 "
        "(a list); may be repeated.",
    ),
]


@in_section(Section.PLAYER, Keeps.JOURNAL)
@study(
    "tune",
    [
        # Not required: click would report a missing one in several lines.
        click.argument("variants", metavar="STRATEGY", nargs=-1),
        grouped("What is tuned", _WHAT),
        game_options(
            "the strategy's home, else classic",
            "How many games to play, those of all candidates together.",
            "5,000,000",
        ),
        saving_options("results/STRATEGY-tuned-SCENARIO.json", several=False),
    ],
    "a row for each candidate of each race",
)
def tune_command(
    variants: tuple[str, ...],
    request: Request,
    vary: tuple[str, ...],
) -> Study:
    """Search for the parameters that need the fewest moves.

    STRATEGY is the start: its parameters have their defaults, or the values after commas.
    Candidates race against each other: all play the same games, and the best ones continue. Each
    race draws its candidates closer around the best ones of the race before. The best four play
    other games, for validation, and the best of these plays the final games against the start. The
    three kinds of games have seeds of their own, so that the final difference to the start is
    valid.

    Saves a record (JSON), a chart of the search (PNG, SVG), and a run file (TOML) with the
    parameters found. After an interruption, the same command with --resume continues.

    \b
    Examples:
      bsbench tune datagenetics --vary hit_weight=1:20
      bsbench tune over9000 --vary edge_weight=0.5:2 --vary noise=0:0.1 -n 2e7
      bsbench tune over9000,noise=0 --vary no_touch=ignore,sunk,full
      bsbench tune my_file.py:Mine --vary caution=0,1,2,5,10 -n 1e5
    """
    if len(variants) != 1:
        raise BsbenchError(
            f"a tuning takes one strategy, not {len(variants)}: write 'bsbench tune NAME --vary "
            "PARAMETER=LOW:HIGH' ('bsbench list NAME' shows its parameters)"
        )

    from bsbench.common.files import file_name
    from bsbench.runs.contestants import scenarios_for
    from bsbench.studies.tune.sheet import figure, run_file, sheet
    from bsbench.studies.tune.study import asked_for, play_tuning

    asked = asked_for(request, variants[0], vary)
    start, scenario = asked.space.start, asked.scenario
    _, note = scenarios_for(request, [start])
    stem = f"{start.label}-tuned-{scenario.name}"
    if asked.seed:
        stem += "-secret-seed" if request.secret_seed else f"-seed-{asked.seed}"
    return Study(
        partial(play_tuning, asked, request),
        sheet,
        in_background=False,
        note=note,
        bars=[start.label],
        games=asked.budget.games,
        interrupted="Interrupted before the final games: nothing is found yet.",
        kept=Kept(
            file_name(stem),
            asked.about,
            request.secret_seed,
            {".toml": run_file},
            {"": figure},
        ),
    )
