"""``bsbench survey``: what others have published, and whether it agrees with bsbench."""

from __future__ import annotations

from functools import partial

import click

from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Keeps, Section, in_section


@in_section(Section.LOOK, {"with `--play`": Keeps.READINGS})
@study(
    "survey",
    [
        click.argument("about", metavar="[SOURCE|MEAN]", required=False),
        click.option("--claim", metavar="ID", help="Only this figure, with all its readings."),
        click.option("--games", type=int, metavar="N", help="Games that MEAN is of."),
        # By a name of its own: no scenario is made of it.
        click.option(
            "--scenario",
            "where",
            default="classic",
            show_default=True,
            metavar="NAME",
            help="Scenario of the players who may show MEAN.",
        ),
        click.option("--play", is_flag=True, help="First play readings whose commands are new."),
    ],
    "a row for each figure, or each player",
)
def survey_command(
    about: str | None, claim: str | None, games: int | None, where: str, play: bool
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

    find = partial(survey, about, claim=claim, games=games, scenario=where, play=play)
    return Study(find, sheet, in_background=not play)
