"""``bsbench connect4 reproduce``: regenerate the results of all players."""

from __future__ import annotations

from pathlib import Path

import click

from bsbench.cli.ending import saving
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import GAMES, GroupedCommand, quiet_option, threads_option
from bsbench.cli.playing import status
from bsbench.cli.saving import kept_folder, resume_option
from bsbench.common.errors import BsbenchError

_QUICK = 20


@in_section(Section.KEEP, Keeps.JOURNAL_OF_FOLDER)
@click.command("reproduce", cls=GroupedCommand)
@click.option(
    "-n", "--games", type=GAMES, metavar="N", help="Games between each two players.  [default: 100]"
)
@click.option(
    "--positions", type=int, metavar="N", help="Positions of each ply to judge.  [default: 200]"
)
@click.option("--quick", is_flag=True, help=f"Play {_QUICK} games, judge {_QUICK} positions.")
@click.option("--seed", type=int, metavar="N", help="Seed of all random numbers.  [default: 0]")
@threads_option
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    help="Folder to write; replaces one that this command wrote before.  [default: "
    "results/connect4; results/connect4-trial with --games, --positions, --quick or --seed]",
)
@resume_option
@quiet_option
def reproduce_command(
    games: int | None,
    positions: int | None,
    quick: bool,
    seed: int | None,
    threads: int | None,
    output: str | None,
    resume: bool,
    quiet: bool,
) -> None:
    """Play the league of all players; write a folder of results.

    It holds records, tables, charts and a report. An existing folder is replaced only
    after everything has succeeded. The same versions write the same files again, except for
    times, dates and machine. The player perfect takes most of the time.

    \b
    Examples:
      bsbench connect4 reproduce
      bsbench connect4 reproduce --quick
    """
    from bsbench.common.files import check_folder
    from bsbench.connect4 import quality, reproduce
    from bsbench.connect4.contest import CONTEST
    from bsbench.connect4.formats import ManifestRecord
    from bsbench.connect4.tables import league_sheet, quality_sheet

    if quick and (games, positions) != (None, None):
        raise BsbenchError("--quick sets games and positions: leave out --quick, or these")
    trial = quick or (games, positions, seed) != (None, None, None)
    usual = (_QUICK, _QUICK) if quick else (reproduce.GAMES, quality.POSITIONS)
    games = usual[0] if games is None else games
    positions = usual[1] if positions is None else positions
    seed = 0 if seed is None else seed
    CONTEST.check_match(games, reproduce.OPENING_PLIES, seed, threads)
    quality.check_judging(quality.PLIES, positions)
    folder = Path(output or ("results/connect4-trial" if trial else "results/connect4"))
    check_folder(folder, ManifestRecord.schema, reproduce.COMMAND)
    about = reproduce.about(positions, seed)
    with kept_folder(folder, resume, about) as journal, status(quiet) as show:
        results = reproduce.play(games, positions, seed, threads, show, journal)
        with saving() as save:
            written = save(lambda place: reproduce.save(results, Path(place)), str(folder))
            save.end_journal(journal)
            if not quiet:
                from bsbench.present.terminal import print_sheet

                print_sheet(league_sheet(results.league))
                print_sheet(quality_sheet(results.quality))
                if written is not None:
                    click.echo(f"saved {written}: open {written / 'report.md'}")
