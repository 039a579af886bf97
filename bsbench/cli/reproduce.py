"""``bsbench reproduce``: regenerate results and their reports."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bsbench.cli.ending import saving
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import (
    GAMES,
    GroupedCommand,
    engine_option,
    quiet_option,
    threads_option,
    trust_option,
)
from bsbench.cli.playing import progress_bar
from bsbench.cli.saving import kept_folder, kept_journal, resume_option
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.common.journal import Journal
    from bsbench.present.report import ReportPage
    from bsbench.reproduce.plan import Part, ReproductionPlan


@in_section(Section.KEEP, Keeps.JOURNAL_OF_FOLDER)
@click.command("reproduce", cls=GroupedCommand)
@click.argument("name", metavar="[NAME|FILE.toml]", required=False)
@click.option("--all", "everything", is_flag=True, help="Play all bundled plans, one by one.")
@click.option("-n", "--games", type=GAMES, help="Games of each strategy.  [default: the plan's]")
@click.option("--seed", type=int, help="Seed of the layouts.  [default: the plan's]")
@threads_option
@engine_option
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    help="Folder to write; replaces one that this command wrote before. With --all, the parent of "
    "the folders.  [default: results/NAME; results/NAME-trial with --games or --seed]",
)
@click.option(
    "--from-records",
    is_flag=True,
    help="Play nothing: make tables, charts and reports again from the folder's records, or from "
    "those that come with bsbench if there is no such folder.",
)
@resume_option
@trust_option
@quiet_option
# One parameter for each option, since click passes them by name.
def reproduce_command(
    name: str | None,
    everything: bool,
    games: int | None,
    seed: int | None,
    threads: int | None,
    engine: str,
    output: str | None,
    from_records: bool,
    resume: bool,
    trust: bool,
    quiet: bool,
) -> None:
    """Play a plan, and write a folder of results.

    The folder has records, tables, charts and reports. Without NAME, the command lists the bundled
    plans.

    An existing folder is replaced only after everything has succeeded; until then, DIR.journal
    keeps what was played. The same versions write the same files again, except for times, dates
    and machine.

    \b
    Examples:
      bsbench reproduce
      bsbench reproduce efficiency-harbour
      bsbench reproduce mine.toml --games 1e4
      bsbench reproduce classic --from-records
    """
    from bsbench.reproduce.plan import find_plan, plan_names
    from bsbench.runs.request import check_engine

    if everything and name is not None:
        raise BsbenchError(f"--all plays all bundled plans: give {name!r} or --all, not both")
    if from_records and (games, seed, resume) != (None, None, False):
        raise BsbenchError("--from-records plays no games: leave out --games, --seed and --resume")
    if name is None and not everything:
        _print_plans([find_plan(known) for known in plan_names()])
        return
    check_engine(engine, threads)
    plans = [find_plan(each, games, seed, trust) for each in ([name] if name else plan_names())]
    trial = "" if (games, seed) == (None, None) else "-trial"
    parent = Path(output or "results")
    inside = everything or output is None
    folders = [parent / f"{plan.name}{trial}" if inside else parent for plan in plans]
    for plan, folder in list(zip(plans, folders, strict=True))[_first_left(folders, resume) :]:
        _reproduce(plan, folder, threads, engine, from_records, resume, trust, quiet)


def _first_left(folders: list[Path], resume: bool) -> int:
    """Return the place of the first plan to play: those before an interrupted one have ended."""
    left = [os.path.exists(kept_journal(folder)) for folder in folders]
    return left.index(True) if resume and any(left) else 0


def _reproduce(
    plan: ReproductionPlan,
    folder: Path,
    threads: int | None,
    engine: str,
    from_records: bool,
    resume: bool,
    trust: bool,
    quiet: bool,
) -> None:
    """Play a plan, or read what was played, and write its folder."""
    from bsbench.common.files import MANIFEST, check_folder
    from bsbench.common.settings import results_folder
    from bsbench.reproduce.folder import (
        ManifestRecord,
        about,
        check_plan,
        load_report,
        play,
        reworded,
    )
    from bsbench.runs.request import check_request

    check_plan(plan)
    check_folder(folder, ManifestRecord.schema, "bsbench reproduce")
    if from_records:
        bundled = results_folder() / plan.name
        played = (
            bundled if not os.path.exists(folder) and os.path.exists(bundled / MANIFEST) else folder
        )
        _save(reworded(load_report(played, trust), plan), folder, quiet)
        return
    check_request(plan.parts[0].games, plan.parts[0].seed, threads)

    def progress(part: Part) -> AbstractContextManager[Any]:
        return progress_bar(_labels(part), part.games, quiet)

    with kept_folder(folder, resume, about(plan)) as journal:
        _save(play(plan, threads, progress, journal=journal, engine=engine), folder, quiet, journal)


def _save(report: ReportPage, folder: Path, quiet: bool, journal: Journal | None = None) -> None:
    """Write the folder of a report, which ends its journal, and print its tables."""
    from bsbench.reproduce.folder import save_report

    with saving() as save:
        written = save(lambda place: save_report(report, Path(place)), str(folder))
        if journal is not None:
            save.end_journal(journal)
        if not quiet:
            _print_report(report)
        if written is not None and not quiet:
            click.echo(f"saved {written}: open {written / 'report.html'}")
            if written != folder and not save.problems:
                kept = "it contains a file that this command did not write"
                click.echo(f"({folder} is kept: {kept})")


def _labels(part: Part) -> list[str]:
    from bsbench.roster import make_variant

    return [make_variant(strategy).label for strategy in part.strategies]


def _print_plans(plans: list[ReproductionPlan]) -> None:
    """Print the bundled plans."""
    from bsbench.present.terminal import console_for, print_table

    most = (max(part.games for part in plan.parts) for plan in plans)
    columns = {
        "name": [plan.name for plan in plans],
        "title": [plan.title for plan in plans],
        "strategies": [str(sum(len(part.strategies) for part in plan.parts)) for plan in plans],
        "games each": [f"{games:,}" for games in most],
    }
    print_table(console_for(None), columns)
    click.echo("'bsbench reproduce NAME' plays it and writes results/NAME.")


def _print_report(report: ReportPage) -> None:
    """Print the table of each scenario."""
    from rich.text import Text

    from bsbench.present.tables import comparison_table
    from bsbench.present.terminal import console_for, print_strategies

    for section in report.sections:
        console = console_for(None)
        console.print(Text(section.heading, "bold"))
        console.print()
        print_strategies(console, comparison_table(section.ranked, brief=True).texts)
