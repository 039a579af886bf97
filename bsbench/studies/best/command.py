"""``bsbench best``: the best player for each scenario and kind of feedback, at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Section, in_section

if TYPE_CHECKING:
    from bsbench.common.progress import Watch
    from bsbench.studies.best.study import Best


@in_section(Section.LOOK)
@study(
    "best",
    [
        # By names of their own: no scenario is made of them.
        click.argument("where", metavar="[SCENARIO]", required=False),
        click.option(
            "--feedback",
            "told",
            metavar="KIND",
            help="Only this feedback: hit (hit or miss), sunk (also what sank) or ship (also "
            "which ship each hit is on).",
        ),
        click.option(
            "--speed",
            type=float,
            default=1.0,
            show_default=True,
            metavar="N",
            help="Only players that play at least N games a second on one core; 0 shows all.",
        ),
        click.option(
            "--placement",
            "law",
            default="uniform",
            show_default=True,
            metavar="LAW",
            help="Layouts by this placement law, such as edge:3.",
        ),
    ],
)
def best_command(where: str | None, told: str | None, speed: float, law: str) -> Study:
    """Show the best player for each feedback, at once.

    Without SCENARIO, all scenarios of which there are records. Nothing is played: the figures are
    from the records that come with bsbench. Below the table stand the commands that play these
    games again.

    \b
    Examples:
      bsbench best
      bsbench best classic --feedback hit
      bsbench best --speed 10000
      bsbench best --placement border
    """
    from bsbench.studies.best.sheet import sheet
    from bsbench.studies.best.study import best

    def find(progress: Watch) -> Best:
        return best(where, feedback=told, speed=speed, placement=law)

    return Study(find, sheet)
