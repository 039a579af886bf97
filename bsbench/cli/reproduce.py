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
    output_option,
    quiet_option,
    threads_option,
    trust_option,
)
from bsbench.cli.saving import kept_folder, resume_option
from bsbench.cli.waiting import progress_bar
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.common.journal import Journal
    from bsbench.present.report import ReportPage
    from bsbench.reproduce.plan import Part, ReproductionPlan


@in_section(Section.KEEP, Keeps.JOURNAL_OF_FOLDER)
@click.command("reproduce", cls=GroupedCommand)
@click.argument("name", metavar="[NAME|FILE.toml]", required=False)
@click.option("-n", "--games", type=GAMES, help="Games of each strategy.  [default: the plan's]")
@click.option("--seed", type=int, help="Seed of the layouts.  [default: the plan's]")
@threads_option
@engine_option
@output_option(
    "Folder to write; replaces one that this command wrote before.  [default: results/NAME; "
    "results/NAME-trial with --games or --seed]",
    "DIR",
)
@click.option(
    "--from-records",
    is_flag=True,
    help="Play nothing: make tables, charts and the report again from the folder's records, or "
    "from those that come with bsbench if there is no such folder.",
)
@resume_option
@trust_option
@quiet_option
# One parameter for each option, since click passes them by name.
def reproduce_command(
    name: str | None,
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

    The folder has records, tables, charts and a report in Markdown. Without NAME, the command lists
    the bundled plans.

    The command says whether the results are those of the folder before, or of the records that come
    with bsbench. An existing folder is replaced only after everything has succeeded; until then,
    DIR.journal keeps what was played. The same versions write the same files again, except for
    times, dates and machine.

    \b
    Examples:
      bsbench reproduce
      bsbench reproduce efficiency-harbour
      bsbench reproduce mine.toml --games 1e4
      bsbench reproduce classic --from-records
    """
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
    from bsbench.reproduce.plan import find_plan, plan_names
    from bsbench.runs.request import Request

    if from_records and (games, seed, resume) != (None, None, False):
        raise BsbenchError("--from-records plays no games: leave out --games, --seed and --resume")
    if name is None:
        _print_plans([find_plan(known) for known in plan_names()])
        return
    Request.of(seed=seed, games=games, threads=threads, engine=engine)
    plan = find_plan(name, games, seed, trust)
    trial = "" if (games, seed) == (None, None) else "-trial"
    folder = Path(output or f"results/{plan.name}{trial}")
    check_plan(plan)
    check_folder(folder, ManifestRecord.schema, "bsbench reproduce")
    ours = results_folder() / plan.name
    known = [each for each in (folder, ours) if os.path.exists(each / MANIFEST)]
    if from_records:
        before = load_report([*known, folder][0], trust)
        _save(reworded(before, plan), folder, quiet)
        return

    def progress(part: Part) -> AbstractContextManager[Any]:
        return progress_bar(_labels(part), part.games, quiet)

    with kept_folder(folder, resume, about(plan)) as journal:
        report = play(plan, threads, progress, journal, engine)
        said = _compared(report, known, trust)
        _save(report, folder, quiet, journal, said)


def _compared(report: ReportPage, known: list[Path], trust: bool) -> str:
    """Return whether results are those that were known; empty if no games were."""
    from bsbench.reproduce.folder import load_report, other_results

    for folder in known:
        others = other_results(report, load_report(folder, trust))
        if others is not None:
            return (
                f"other results than in {folder}: {', '.join(others)}"
                if others
                else f"the results are those in {folder}"
            )
    return ""


def _save(
    report: ReportPage, folder: Path, quiet: bool, journal: Journal | None = None, said: str = ""
) -> None:
    """Write the folder of a report, which ends its journal, and print its tables."""
    from bsbench.reproduce.folder import save_report

    with saving() as save:
        written = save(lambda place: save_report(report, Path(place)), str(folder))
        if journal is not None:
            save.end_journal(journal)
        if quiet:
            return
        _print_report(report)
        if said:
            click.echo(said)
        if written is not None:
            click.echo(f"saved {written}: see {written / 'report.md'}")
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
