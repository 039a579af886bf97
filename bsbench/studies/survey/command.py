"""``bsbench survey``: what others have published, and whether it agrees with bsbench."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import GAMES, scenario_option
from bsbench.common.errors import BsbenchError, option

if TYPE_CHECKING:
    from bsbench.rules.scenario import Scenario


@in_section(Section.LOOK, {"with `--play`": Keeps.READINGS})
@study(
    "survey",
    [
        click.argument("about", metavar="[SOURCE|MEAN]", required=False),
        click.option("--claim", metavar="ID", help="Only this figure, with all its readings."),
        click.option("--sources", is_flag=True, help="List all sources, with their verdicts."),
        click.option("-n", "--games", type=GAMES, metavar="N", help="Games that MEAN is of."),
        scenario_option("classic", "Board, fleet and touching of MEAN: a name, or a TOML file"),
        click.option("--play", is_flag=True, help="First play readings whose commands are new."),
    ],
    "a row for each figure, or each player",
)
def survey_command(
    about: str | None,
    claim: str | None,
    sources: bool,
    games: int | None,
    scenario: Scenario,
    play: bool,
) -> Study:
    """Show which published figures agree with bsbench.

    Without an argument, the verdicts on all figures are counted, and all that differ are listed.
    With SOURCE, its figures are listed. With MEAN, such as 51.5, the command shows which players
    would show such a mean. Verdicts follow by rule from games that come with bsbench, so nothing
    is played.

    \b
    Examples:
      bsbench survey
      bsbench survey datagenetics
      bsbench survey --claim datagenetics-density-median
      bsbench survey 51.5 --games 20000 --scenario classic
    """
    from bsbench.studies.survey.sheet import sheet
    from bsbench.studies.survey.study import survey

    if sources and (claim or games):
        raise BsbenchError(
            f"{option('sources')} shows verdicts by source: leave out {option('claim')} and a mean"
        )
    find = partial(survey, about, claim=claim, games=games, scenario=scenario, play=play)
    return Study(find, partial(sheet, by_source=sources), in_background=not play)
